"""A launch that has a time to spend: which round comes next, and when the time is up.

The first look goes ahead, as the first page rests on it; then the sections follow round by round,
those first that more of the needs draw on. A round is begun only where it is likely to end in time:
half of one shows a section without half of its stores.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator

from kvreport.base import paths
from kvreport.base.text import count
from kvreport.data.needs import needs
from kvreport.measure.schedule import Job, Request, Round, goes_on, next_round, round_of
from kvreport.measure.trial_seconds import Lengths, duration

CALLED = "KVREPORT_CALLED"  # when make was called, in seconds since 1970
LONGEST_SET_UP = 3600  # seconds: what claims to have begun earlier is of another call
RENDERING = paths.CACHE / "rendering-seconds"
RENDERING_SECONDS = 65  # where it was not done here yet
AHEAD = 10  # rounds by which what goes ahead is ahead of the other sections


def measuring_ends(minutes: float) -> float:
    """When measuring has to be over, as time.monotonic has it, in a launch that is to take so many
    minutes, rendering included. It began when the user called, as make says: it sets up first.
    """
    called = os.environ.get(CALLED, "")
    since = time.time() - float(called) if called.isdecimal() else 0
    began = time.monotonic() - (since if 0 <= since < LONGEST_SET_UP else 0)
    return began + 60 * minutes - rendering_seconds()


def rendering_seconds() -> float:
    """The time that logs and rendering took last, or are likely to take."""
    with contextlib.suppress(OSError, ValueError):
        return min(LONGEST_SET_UP, max(0.0, float(RENDERING.read_text())))
    return RENDERING_SECONDS


def note_rendering(seconds: float) -> None:
    """Keeps the time that logs and rendering took, for the next launch."""
    RENDERING.parent.mkdir(parents=True, exist_ok=True)
    RENDERING.write_text(f"{seconds:.0f}")


def in_order(jobs: Iterable[Job]) -> list[Job]:
    """Jobs in the order in which they decide something: the first look, then those whose sections
    the needs draw on, as often as they do, then the others.
    """
    drawn = [cell.section for need in needs() for cell in need.cells]
    return sorted(
        jobs,
        key=lambda job: (
            not job.section.least_rounds,
            -drawn.count(job.section.id),
            job.section.id,
        ),
    )


def has_to_be(made: Round) -> bool:
    """Return whether a round is made whatever it takes."""
    return made.number <= made.job.section.least_rounds


def turn(made: Round) -> int:
    """The place of a round among those of all sections."""
    return made.number - (AHEAD if made.job.section.least_rounds else 0)


def fitting(rounds: Iterable[Round], lengths: Lengths, left: float) -> Round | None:
    """The round to make with so many seconds left; None where none fits. Time that is too short
    for the first look is left: a few single trials would take a reference run's place.
    """
    rounds = list(rounds)
    first = [each for each in rounds if each.job.section.least_rounds and each.number <= AHEAD]
    able = [
        each
        for each in first or rounds
        if has_to_be(each) or sum(map(lengths.seconds, each.missing)) <= left
    ]
    return min(able, key=turn, default=None)


def announcement(rounds: Iterable[Round], lengths: Lengths, left: float) -> str:
    """Return what a launch with so many seconds left will do and how long that takes."""
    rounds = list(rounds)
    then = f"then rendering in about {duration(rendering_seconds())}"
    ends = "Ctrl-C at any moment, then `make render`, shows what is there."
    first = next((each for each in rounds if each.job.section.least_rounds), None)
    if first is None:
        return f"Measuring for about {duration(max(0.0, left))}, {then}. {ends}"
    one = sum(map(lengths.seconds, round_of(first.job, first.number)))
    least = max(0, first.job.section.least_rounds + 1 - first.number)
    fit = max(least, int(left / one))
    if not fit:
        return f"No round fits into the time, so that nothing is measured, {then}."
    made = (
        f"{count(fit, 'round')} of {count(len(first.job.stores), 'store')}, about {duration(one)}"
        " each"
    )
    if len(rounds) > 1:
        made = f"First {made}; after {AHEAD} of them the chapters follow. {ends}"
    else:
        made = f"{made[:1].upper()}{made[1:]}; stopped, the same command goes on from there."
    return f"Measuring for about {duration(max(left, least * one))}, {then}. {made}"


def fitting_rounds(
    jobs: list[Job],
    request: Request,
    recorded: dict[str, list[dict]],
    lengths: Lengths,
    say: Callable[[str], None],
) -> Iterator[Round]:
    """Rounds as long as the request's time allows; says after each what is known. `recorded`, the
    records of each section, is to have what was made of a round when the next is asked for: where
    that is nothing, the machine lacks what the section wants, and it gets no further one.
    """
    assert request.so_far, "there is a time to spend"
    able = in_order(jobs)

    def candidates() -> list[Round]:
        found = []
        for job in able:
            there = recorded[job.section.id]
            stores = {each for each in job.stores if goes_on(each, job, there, request.long)}
            found.append(next_round(job, stores, there))
        return [each for each in found if each]

    say(announcement(candidates(), lengths, request.seconds_left))
    while chosen := fitting(candidates(), lengths, request.seconds_left):
        section = chosen.job.section.id
        began, before = time.monotonic(), len(recorded[section])
        yield chosen
        made = recorded[section][before:]
        if not made:
            able.remove(chosen.job)
            continue
        lengths.add(made, time.monotonic() - began)
        left = duration(max(0.0, request.seconds_left))
        say(
            f"Round {chosen.number} of {section} is made: {count(len(made), 'trial')}; {left} left"
            " to measure."
        )
        if chosen.job.section.least_rounds and (known := request.so_far(chosen.job.run)):
            say(f"So far: {known}")
