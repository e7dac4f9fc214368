"""Moderated t-tests: many comparisons of few trials each, whose variances are estimated together.

Three trials say little of their own variance: by chance it is tiny for some of a thousand results,
and a plain t-test then finds differences that are none. So each variance is drawn towards what all
results have, by as much as they are alike (Smyth 2004, "Linear models and empirical Bayes methods",
equations 5 to 8; limma's fitFDist). Trials' times are taken to be log-normal.
"""

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from scipy.special import digamma, polygamma

LEAST = 1e-10  # of a variance of logarithms: 0.001% of the time, finer than any clock here
INFINITE = 1e8  # so many degrees of freedom or more, halved, leave no difference


def p_values(pairs: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """For each pair of samples of times, how likely they are so far apart by chance; 1 where a
    sample has a single value.
    """
    error, freedom = errors(pairs)
    logs = [np.log(other).mean() - np.log(one).mean() for one, other in pairs]
    found = 2 * stats.t.sf(np.abs(logs) / error, freedom)
    return np.where(np.isnan(error), 1.0, found)


def errors(pairs: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """For each pair of samples of times, the standard error of the log of their ratio and its
    degrees of freedom; NaN where a sample has a single value.
    """
    error, degrees = np.full((2, len(pairs)), np.nan)
    known = [at for at, pair in enumerate(pairs) if min(map(len, pair)) > 1]
    if not known:
        return error, degrees
    logs = [tuple(map(np.log, pairs[at])) for at in known]
    freedom = np.array([len(a) + len(b) - 2 for a, b in logs], float)
    variance = np.array(
        [(a.var() * len(a) + b.var() * len(b)) / d for (a, b), d in zip(logs, freedom)]
    ).clip(LEAST)
    common, weight = prior(variance, freedom)
    if np.isinf(weight):
        pooled = np.full(len(known), common)
    else:
        pooled = (weight * common + freedom * variance) / (weight + freedom)
    error[known] = np.sqrt(pooled * np.array([1 / len(a) + 1 / len(b) for a, b in logs]))
    degrees[known] = np.minimum(freedom + weight, INFINITE)
    return error, degrees


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
