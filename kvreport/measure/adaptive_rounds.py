"""Rounds beyond a plan's number, until a section's comparisons can tell a ratio (--until)."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Protocol

from kvreport.base.text import count, join_words
from kvreport.measure.schedule import Job, is_long, round_of, rounds_made
from kvreport.measure.trial import Trial


class Reached(Protocol):
    """analysis.reach.Reach, which this room does not see."""

    @property
    def ratio(self) -> float: ...
    @property
    def short(self) -> frozenset[tuple[str, str]]: ...
    @property
    def hopeless(self) -> int: ...


@dataclass(frozen=True)
class Until:
    """How far to go on.

    ratio  that each comparison is to tell
    reach  what a section's trials in a run tell, of a ratio that is wanted (analysis.reach)
    ends   when to stop anyway, as time.monotonic has it
    """

    ratio: float
    reach: Callable[[str, str, float], Reached]
    ends: float = inf

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self.ends


def further_rounds(
    job: Job, until: Until, long: bool, recorded: list[dict], say: Callable[[str], None]
) -> Iterator[list[Trial]]:
    """The trials to make of one round after another; `recorded` is to have those that were made
    when the next is asked for. Says who still needs a round, and in the end what was reached.
    """
    while True:
        seen = until.reach(job.section.id, job.run, until.ratio)
        # of two stores, trials of one alone would help little
        open_pairs = [
            pair
            for pair in seen.short
            if all(may_go_on(store, job, long, recorded) for store in pair)
        ]
        able = {store for pair in open_pairs for store in pair}
        if not able or until.is_over:
            return say(summary(job, until, seen))
        number, missing = next_round(job, able)
        say(
            f"Section {job.section.id}, round {number}: {len(able)} of {len(job.stores)} stores"
            f" need it to see {until.ratio:g}x ({told(seen)}): {_names(job, able)}."
        )
        yield missing


def may_go_on(store: str, job: Job, long: bool, recorded: list[dict]) -> bool:
    """Whether a store is this launch's, takes no longer than is asked for, and did not fail last:
    what failed is not tried for ever.
    """
    own = [record for record in recorded if record["store"]["id"] == store]
    last = max(own, key=lambda record: record["trial"], default=None)
    good = last is None or last["status"] == "ok"
    return store in job.stores and good and (long or not is_long(store, recorded))


def next_round(job: Job, stores: set[str]) -> tuple[int, list[Trial]]:
    """The number of a round, and its trials of these stores: the last one, where that was stopped
    half way.
    """
    last = max(rounds_made(job), job.plan.trials)
    for number in (last, last + 1):
        missing = [
            each for each in round_of(job, number) if each.id in stores and not each.file.exists()
        ]
        if missing:
            break
    return number, missing


def summary(job: Job, until: Until, seen: Reached) -> str:
    """What was reached, in a sentence."""
    hopeless = (
        f"; {count(seen.hopeless, 'comparison')} cannot, with whatever trials, as sessions of this"
        " machine differ by more"
        if seen.hopeless
        else ""
    )
    if not seen.short:
        rest = "every other comparison" if seen.hopeless else "every comparison"
        return (
            f"Section {job.section.id}: {rest} with a fastest store sees {until.ratio:g}x{hopeless}"
            "."
        )
    stores = {store for pair in seen.short for store in pair}
    why = (
        "the time is up"
        if until.is_over
        else "those whose last trial failed get no other, nor without --long those that take long"
    )
    return (
        f"Section {job.section.id}: {until.ratio:g}x is not reached ({told(seen)}){hopeless}; more"
        f" trials are needed of {_names(job, stores)}; {why}."
    )


def told(seen: Reached) -> str:
    """How far it is, in words."""
    return (
        "some have too few trials for any ratio"
        if seen.ratio == inf
        else f"all see {seen.ratio:.3g}x"
    )


def _names(job: Job, stores: set[str]) -> str:
    known = job.known["stores"]
    return join_words(sorted(known.get(store, {}).get("name", store) for store in stores))
