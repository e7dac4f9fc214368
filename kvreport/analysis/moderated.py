"""Variances of few trials each, drawn towards what all of them have in common.

Three trials say little of their own variance: by chance it is tiny for some of a thousand results,
and a plain t-test then finds differences that are none. So each variance is drawn towards what all
results have, by as much as they are alike (Smyth 2004, "Linear models and empirical Bayes methods",
equations 5 to 8; limma's fitFDist). Trials' times are taken to be log-normal.
"""

from collections.abc import Iterable, Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import digamma, polygamma

from kvreport.analysis.contrast import Contrast

LEAST = 1e-10  # of a variance of logarithms: 0.001% of the time, finer than any clock here
INFINITE = 1e8  # so many degrees of freedom or more, halved, leave no difference


def pooled(variance: npt.ArrayLike, freedom: npt.ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Variances drawn towards what all have in common, and their degrees of freedom: infinitely
    many where they differ by chance only.
    """
    own, degrees = np.asarray(variance, float), np.asarray(freedom, float)
    common, weight = prior(own, degrees)
    if np.isinf(weight):
        return np.full(len(own), common), np.full(len(own), np.inf)
    return (weight * common + degrees * own) / (degrees + weight), degrees + weight


def prior(variance: np.ndarray, freedom: np.ndarray) -> tuple[float, float]:
    """The variance that all have in common, and how many degrees of freedom it is worth: infinitely
    many where they differ by chance only.
    """
    if len(variance) < 2:
        return 1.0, 0.0
    logs = np.log(variance) - digamma(freedom / 2) + np.log(freedom / 2)
    spread = logs.var(ddof=1) - polygamma(1, freedom / 2).mean()
    if spread <= polygamma(1, INFINITE):
        return float(np.exp(logs.mean())), np.inf
    half = brentq(lambda x: polygamma(1, x) - spread, 1e-4, INFINITE)
    return float(np.exp(logs.mean() + digamma(half) - np.log(half))), 2 * half


def of_samples(
    pairs: Sequence[tuple[np.ndarray, np.ndarray]], between: float = 0.0
) -> list[Contrast | None]:
    """The first over the second of each pair of samples of times that have no rounds in common,
    their variances drawn together; None where a sample has a single value.
    """
    logs = [tuple(map(np.log, pair)) for pair in pairs if min(map(len, pair)) > 1]
    if not logs:
        return [None] * len(pairs)
    sizes = np.array([[len(one), len(other)] for one, other in logs])
    squares = np.array([one.var() * len(one) + other.var() * len(other) for one, other in logs])
    own = sizes.sum(axis=1) - 2
    variance, freedom = pooled((squares / own).clip(LEAST), own)
    of_means = variance * (1 / sizes).sum(axis=1)
    found = iter(
        Contrast(
            float(one.mean() - other.mean()),
            sqrt(square + between),
            square * min(len(one), len(other)),
            min(degrees, INFINITE),
            between,
        )
        for (one, other), square, degrees in zip(logs, of_means.tolist(), freedom.tolist())
    )
    return [next(found) if min(map(len, pair)) > 1 else None for pair in pairs]


def discoveries(p_values: Iterable[float]) -> np.ndarray:
    """P-values adjusted for their number, so that of those below a level no larger share is by
    chance (Benjamini and Hochberg 1995).
    """
    p = np.asarray(list(p_values), float)
    order = np.argsort(p)[::-1]  # the largest first
    adjusted = p[order] * len(p) / np.arange(len(p), 0, -1)
    found = np.empty_like(p)
    found[order] = np.minimum.accumulate(adjusted)
    return found
