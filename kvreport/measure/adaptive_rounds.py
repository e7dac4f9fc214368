"""Rounds beyond a plan's number, until a section's comparisons can tell a ratio (--until)."""

from collections.abc import Callable, Iterator
from math import inf

from kvreport.base.text import count, join_words
from kvreport.measure.schedule import Job, Reached, Request, Round, goes_on, next_round


def further_rounds(
    job: Job, request: Request, recorded: list[dict], say: Callable[[str], None]
) -> Iterator[Round]:
    """One round after another; `recorded` is to have what was made of it when the next is asked
    for. Says who still needs a round, and in the end what was reached.
    """
    assert request.until, "there is a ratio to reach"
    ratio = request.until.ratio
    while True:
        seen = request.until.reach(job.section.id, job.run, ratio)
        # of two stores, trials of one alone would help little
        able = {
            store
            for pair in seen.short
            if all(goes_on(each, job, recorded, request.long) for each in pair)
            for store in pair
        }
        chosen = next_round(job, able, recorded)
        if chosen is None or request.seconds_left <= 0:
            return say(summary(job, request, seen))
        say(
            f"Section {job.section.id}, round {chosen.number}: {len(able)} of {len(job.stores)}"
            f" stores need it to see {ratio:g}x ({_reached(seen)}): {_names(job, able)}."
        )
        yield chosen


def summary(job: Job, request: Request, seen: Reached) -> str:
    """Return what was reached, in a sentence."""
    assert request.until, "there is a ratio to reach"
    ratio = f"{request.until.ratio:g}x"
    hopeless = (
        f"; {count(seen.hopeless, 'comparison')} cannot, with whatever trials, as sessions of this"
        " machine differ by more"
        if seen.hopeless
        else ""
    )
    if not seen.short:
        rest = f"every {'other ' if seen.hopeless else ''}comparison"
        return f"Section {job.section.id}: {rest} with a fastest store sees {ratio}{hopeless}."
    why = (
        "the time is up"
        if request.seconds_left <= 0
        else "those whose last trial failed get no other, nor without --long those that take long"
    )
    return (
        f"Section {job.section.id}: {ratio} is not reached ({_reached(seen)}){hopeless}; more"
        f" trials are needed of {_names(job, set().union(*seen.short))}; {why}."
    )


def _reached(seen: Reached) -> str:
    return (
        "some have too few trials for any ratio"
        if seen.ratio == inf
        else f"all see {seen.ratio:.3g}x"
    )


def _names(job: Job, stores: set[str]) -> str:
    known = job.known["stores"]
    return join_words(sorted(known.get(store, {}).get("name", store) for store in stores))
