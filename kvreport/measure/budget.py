"""A launch that has a time to spend: which round comes next, and when the time is up.

The first look goes ahead, as the first page rests on it; then the sections follow round by round,
those first that more of the needs draw on. A round is begun only where it is likely to end in time:
half of one shows a section without half of its stores.
"""

import contextlib
import os
import statistics
import time
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.text import count
from kvreport.data.needs import FIRST_LOOK, needs
from kvreport.data.rows import results
from kvreport.measure.progress import duration
from kvreport.measure.schedule import Job, Request, round_of, sort
from kvreport.measure.trial import Trial

LEAST_ROUNDS = 3  # of the first look, whatever they take: two would tell nothing apart
CALLED = "KVREPORT_CALLED"  # when make was called, in seconds since 1970
LONGEST_SET_UP = 3600  # seconds: what claims to have begun earlier is of another call
RENDERING = paths.CACHE / "rendering-seconds"
RENDERING_SECONDS = 65  # where it was not done here yet
AHEAD = 10  # rounds by which the first look is ahead of the other sections


@dataclass(frozen=True)
class Budget:
    """The time that a launch has.

    ends       when measuring has to be over, as time.monotonic has it
    rendering  seconds that are kept for what comes after it
    so_far     what a run tells after a round, in a line (analysis), or nothing
    """

    ends: float
    rendering: float
    so_far: Callable[[str], str]

    @property
    def left(self) -> float:
        """Seconds."""
        return self.ends - time.monotonic()

    def __str__(self) -> str:
        return f"{duration(max(0.0, self.left))} left to measure"


def of_minutes(minutes: float, began: float, so_far: Callable[[str], str]) -> Budget:
    """The budget of a launch that is to take so many minutes since it `began`, rendering
    included.
    """
    rendering = rendering_seconds()
    return Budget(began + 60 * minutes - rendering, rendering, so_far)


def began() -> float:
    """When the user called, as time.monotonic has it: make says so, as it sets up first."""
    called = os.environ.get(CALLED, "")
    since = time.time() - float(called) if called.isdecimal() else 0
    return time.monotonic() - (since if 0 <= since < LONGEST_SET_UP else 0)


def rendering_seconds() -> float:
    """What logs and rendering took last, or are likely to take."""
    with contextlib.suppress(OSError, ValueError):
        return min(LONGEST_SET_UP, max(0.0, float(RENDERING.read_text())))
    return RENDERING_SECONDS


def note_rendering(seconds: float) -> None:
    """Keeps what logs and rendering took, for the next launch."""
    RENDERING.parent.mkdir(parents=True, exist_ok=True)
    RENDERING.write_text(f"{seconds:.0f}")


@dataclass
class Lengths:
    """How long trials take, with their kernels' start: what they took here or, where none was made,
    what they take elsewhere (paths.TRIAL_SECONDS), times how much longer others took here.
    """

    took: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    start: float = 3.0  # seconds of a kernel, which no record has

    def add(self, recorded: list[dict], seconds: float | None = None) -> None:
        """Trials that were made, in so many seconds together where that is known."""
        inside = sum(record["seconds"] for record in recorded)
        if seconds is not None and recorded:
            self.start = max(0.0, seconds - inside) / len(recorded)
        for record in recorded:
            own = self.took.setdefault((record["section"], record["store"]["id"]), [])
            own.append(record["seconds"] + self.start)

    def seconds(self, trial: Trial) -> float:
        """What a trial is likely to take."""
        own = self.took.get((trial.plan.section, trial.id))
        return statistics.median(own) if own else self._guess(trial)

    def _guess(self, trial: Trial) -> float:
        known = guesses(trial.plan.profile)
        here, there = 0.0, 0.0
        for (section, _), seconds in self.took.items():
            if section in known:
                here, there = here + statistics.median(seconds), there + known[section]
        usual = known.get(trial.plan.section, statistics.median(known.values()) if known else 10)
        return usual * (here / there if there else 1)


@cache
def guesses(profile: str) -> dict[str, float]:
    """Seconds of a trial by section, as paths.TRIAL_SECONDS has them; none of smoke."""
    return tomllib.loads(paths.TRIAL_SECONDS.read_text()).get(profile, {})


@dataclass(frozen=True)
class Round:
    """The trials of a section's round that are missing."""

    job: Job
    number: int
    missing: tuple[Trial, ...]

    @property
    def is_first_look(self) -> bool:
        return self.job.section.id == FIRST_LOOK

    @property
    def turn(self) -> int:
        """Rounds with a lower one go first."""
        return self.number - (AHEAD if self.is_first_look else 0)

    @property
    def has_to_be(self) -> bool:
        """Whether it is made whatever it takes."""
        return self.is_first_look and self.number <= LEAST_ROUNDS

    def seconds(self, lengths: Lengths) -> float:
        """What it is likely to take."""
        return sum(map(lengths.seconds, self.missing))


def in_order(jobs: Iterable[Job]) -> list[Job]:
    """Jobs in the order in which they decide something: the first look, then those whose sections
    the needs draw on, as often as they do, then the others.
    """
    drawn = [cell.section for need in needs() for cell in need.cells]
    return sorted(
        jobs,
        key=lambda job: (
            job.section.id != FIRST_LOOK,
            -drawn.count(job.section.id),
            job.section.id,
        ),
    )


def next_of(job: Job, recorded: list[dict]) -> Round | None:
    """The first round of a section that has trials to make of stores that can go on; None where
    none can. `recorded` are the records that stand.
    """
    made = {(record["store"]["id"], record["trial"]) for record in recorded}
    able = {store for store in job.stores if goes_on(store, recorded)}
    for number in range(1, 2 + max((number for _, number in made), default=0)):
        missing = tuple(
            each
            for each in round_of(job, number)
            if each.id in able and (each.id, number) not in made
        )
        if missing:
            return Round(job, number, missing)
    return None


def goes_on(store: str, recorded: list[dict]) -> bool:
    """Whether something of a store was measured when it was last tried: what fails, or cannot be
    had here, is not tried in each round.
    """
    own = [record for record in recorded if record["store"]["id"] == store]
    last = max(own, key=lambda record: record["trial"], default=None)
    return last is None or (
        last["status"] == "ok" and any(each["status"] == "ok" for _, each in results(last))
    )


def fitting(rounds: Iterable[Round], lengths: Lengths, left: float) -> Round | None:
    """The round to make with so many seconds left; None where none fits. Time that is too short
    for the first look is left: a few single trials would take a reference run's place.
    """
    rounds = list(rounds)
    first = [each for each in rounds if each.is_first_look and each.number <= AHEAD]
    able = [each for each in first or rounds if each.has_to_be or each.seconds(lengths) <= left]
    return min(able, key=lambda each: each.turn, default=None)


def announcement(rounds: Iterable[Round], lengths: Lengths, budget: Budget) -> str:
    """What a launch will do and how long that takes."""
    then = f"then rendering in about {duration(budget.rendering)}"
    ends = "Ctrl-C at any moment, then `make render`, shows what is there."
    first = next((each for each in rounds if each.is_first_look), None)
    if first is None:
        return f"Measuring for about {duration(max(0.0, budget.left))}, {then}. {ends}"
    one = sum(map(lengths.seconds, round_of(first.job, first.number)))
    least = max(0, LEAST_ROUNDS + 1 - first.number)
    fit = max(least, int(budget.left / one))
    if not fit:
        return f"No round fits into the time, so that nothing is measured, {then}."
    return (
        f"Measuring for about {duration(max(budget.left, least * one))}, {then}. First"
        f" {count(fit, 'round')} of {count(len(first.job.stores), 'store')} at what the first page"
        f" asks, about {duration(one)} each; after {AHEAD} of them the chapters follow. {ends}"
    )


def spend(
    jobs: list[Job],
    request: Request,
    make: Callable[[Job, Request, list[dict], list[Trial], bool], bool],
    set_aside: Callable[[Path, str, str], None],
    say: Callable[[str], None],
) -> dict[str, list[dict]]:
    """Makes rounds as long as the request's budget allows, and says after each what is known.
    Returns the records by section.

    make       makes trials of a job, adds them to its records, and says whether the machine can;
               its last argument is whether they are made though the time is up
    set_aside  as schedule.sort wants it
    """
    assert request.budget, "there is a time to spend"
    budget, lengths, recorded, able = request.budget, Lengths(), {}, in_order(jobs)
    for job in jobs:
        recorded[job.section.id] = sort(job, request, set_aside)[0]
        lengths.add(recorded[job.section.id])

    def rounds() -> list[Round]:
        found = (next_of(job, recorded[job.section.id]) for job in able)
        return [each for each in found if each]

    say(announcement(rounds(), lengths, budget))
    while chosen := fitting(rounds(), lengths, budget.left):
        job, there = chosen.job, recorded[chosen.job.section.id]
        began, before = time.monotonic(), len(there)
        try:
            going = make(job, request, there, list(chosen.missing), chosen.has_to_be)
        except UserError as problem:  # of this section alone: the machine lacks what it wants
            say(f"{problem}")
            going = False
        made = there[before:]
        lengths.add(made, time.monotonic() - began)
        if not going:
            able.remove(job)
        elif made:
            trials = count(len(made), "trial")
            say(f"Round {chosen.number} of {job.section.id} is made: {trials}; {budget}.")
        if made and chosen.is_first_look and (known := budget.so_far(job.run)):
            say(f"So far: {known}")
    return recorded
