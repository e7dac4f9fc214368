"""How small a ratio the trials of a section can tell from 1, and which stores need more of them.

A section says, of each case and workload, which store is the fastest: so every store is compared
with that one. What counts is how narrow an interval is and not what it says: who measures until a
difference shows finds one where there is none.
"""

from dataclasses import dataclass
from math import inf

from kvreport.analysis.model import Fit
from kvreport.analysis.results import SectionResults, loaded
from kvreport.base import paths


@dataclass(frozen=True)
class Reach:
    """
    ratio     the smallest that every comparison tells four times in five (model.POWER); infinite
              where one of them has too few trials for any
    short     which comparisons need more trials to tell the ratio that was asked for: two stores'
              ids each
    hopeless  how many comparisons no number of trials would help, as sessions differ by more
    """

    ratio: float
    short: frozenset[tuple[str, str]]
    hopeless: int


def reach(section: str, run: str, wanted: float) -> Reach:
    """What a section's trials in a run reach, of a ratio that is wanted."""
    results = SectionResults(section, loaded(run, paths.RUNS))
    if not results.measured:
        return Reach(inf, frozenset(), 0)
    return of_fits(
        [
            (fit, [store for store in fit.stores if results.is_store(store)])
            for fit in results.fits.values()
        ],
        wanted,
    )


def of_fits(fits: list[tuple[Fit, list[str]]], wanted: float) -> Reach:
    """The same of each case's and workload's fit with the stores to compare."""
    ratios, short, hopeless = [1.0], set(), 0
    for fit, stores in fits:
        if len(stores) < 2:
            continue
        first, *others = sorted(stores, key=fit.effect)
        for other in others:
            ratio = fit.smallest_ratio(first, other, len(others))
            ratios.append(ratio)
            needed = fit.scatter.trials_needed(wanted, len(others))
            if wanted < ratio < inf and needed is None:
                hopeless += 1
            elif ratio > wanted:
                short.add((first, other))
    return Reach(max(ratios), frozenset(short), hopeless)
