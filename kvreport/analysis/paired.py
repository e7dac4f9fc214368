"""Two results compared by the fits of their section (analysis.model): two stores in one case and
workload, or one store in two.

One store in two cases or workloads is compared by the log ratio of the two in each of its trials.
Its stores scatter by round and for themselves, both of which its mean has in it: the variance is
that of a two-way layout with random rounds, its degrees of freedom Satterthwaite's (1946).
"""

from math import sqrt

import numpy as np

from kvreport.analysis import moderated
from kvreport.analysis.model import Contrast, Fit, Scatter, contrast


def compare(
    first: Fit, second: Fit, store: str, other: str, comparisons: int = 1
) -> Contrast | None:
    """A store in the first fit over another, or itself, in the second, one of so many comparisons;
    None where no fit says anything of both, or there are too few trials.
    """
    if first is second:
        return first.compare(store, other, comparisons)
    return changed(first, second, store, comparisons) if store == other else None


def changed(first: Fit, second: Fit, store: str, comparisons: int = 1) -> Contrast | None:
    """One store's time in a case and workload over its time in another, paired by trial; None where
    it has not two trials with both.
    """
    ratios = {
        each: {
            at: first.logs[each][at] - second.logs[each][at]
            for at in first.logs[each].keys() & second.logs[each].keys()
        }
        for each in first.logs.keys() & second.logs.keys()
    }
    own = ratios.get(store, {})
    if len(own) < 2:
        return None
    rounds = sorted(own)
    table = np.array(
        [
            [by_round[at] for at in rounds]
            for by_round in ratios.values()
            if own.keys() <= by_round.keys()
        ]
    )
    scatter = _scatter(table, max(first.between, second.between))
    error = sqrt(scatter.variance / len(rounds) + scatter.between)
    return contrast(float(np.mean(list(own.values()))), error, scatter, comparisons)


def _scatter(table: np.ndarray, between: float) -> Scatter:
    """Of one value in a table of stores by rounds, around its store's mean over rounds."""
    stores, rounds = table.shape
    by_round = table.mean(0)
    of_rounds = stores * float(by_round.var(ddof=1))  # mean squares
    left = table - table.mean(1, keepdims=True) - by_round + table.mean()
    freedom = (stores - 1) * (rounds - 1)
    of_rest = float((left**2).sum()) / freedom if freedom else 0.0
    parts = of_rounds / stores, (stores - 1) * of_rest / stores
    variance = max(sum(parts), moderated.LEAST)
    spread = parts[0] ** 2 / (rounds - 1) + (parts[1] ** 2 / freedom if freedom else 0)
    return Scatter(variance, max(1.0, sum(parts) ** 2 / spread) if spread else rounds - 1, between)
