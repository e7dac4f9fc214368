"""How small a ratio the trials of a section can tell from 1, and which stores need more of them.

A section says, of each case and workload, which store is the fastest: so every store is compared
with that one. What counts is how narrow an interval is and not what it says: who measures until a
difference shows finds one where there is none.
"""

from dataclasses import dataclass
from math import inf

from kvreport.analysis import ranking, stats
from kvreport.analysis.ranking import UNRANKED
from kvreport.data import frames


@dataclass(frozen=True)
class Reach:
    """
    ratio     the smallest that every comparison tells four times in five (contrast.POWER); infinite
              where one of them has too few trials for any
    short     which comparisons need more trials to tell the ratio that was asked for: two stores'
              ids each
    hopeless  how many comparisons no number of trials would help, as sessions differ by more
    """

    ratio: float
    short: frozenset[tuple[str, str]]
    hopeless: int


def reach(section: str, run: str, wanted: float) -> Reach:
    """Return what a section's trials in a run reach, of a ratio that is wanted."""
    rows = frames.results(section, run)
    if not (rows["status"] == "ok").any():
        return Reach(inf, frozenset(), 0)
    unranked = set(rows.loc[rows["family"].isin(UNRANKED), "store"])
    ratios, short, hopeless = [1.0], set(), 0
    for fit in ranking.fitted(rows, [*stats.CASE, "workload"]).values():
        stores = [store for store in fit.stores if store not in unranked]
        first, *others = sorted(stores, key=fit.effect) or [""]
        for other in others:
            contrast = fit.compare(first, other, len(others))
            ratio = contrast.tells if contrast else inf
            ratios.append(ratio)
            if contrast and ratio > wanted and contrast.trials_needed(wanted) is None:
                hopeless += 1
            elif ratio > wanted:
                short.add((first, other))
    return Reach(max(ratios), frozenset(short), hopeless)
