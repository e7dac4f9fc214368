"""Stores of one case and workload compared within a section: log time ~ store + round.

A round has one trial of each store, so what the machine does during a round hits all of them, and
the round is a block: its effect drops out of every difference (Box, Hunter and Hunter 2005, chapter
4; Kalibera and Jones 2013). Trials that failed leave the design unbalanced; it is solved by least
squares. What is left over has one variance for all stores of a case and workload, drawn towards
what the section's have in common (analysis.moderated). So a few trials of many stores say together
what none could alone.

Two corrections keep chance from being read as a difference:

- Against the best of several, each interval has Dunnett's critical value for that many comparisons
  (Dunnett 1955). The best is chosen by the same data, so what is found to be slower may be no
  slower in more than one of twenty rankings whose stores are all alike (analysis.simulation says in
  how many), but the truly fastest is among those that are not, with 95% confidence (Hsu 1984).
- A store that is measured twice under two names is a negative control: any difference is none. What
  its pairs differ by beyond what the model expects is a variance that trials of one session do not
  show, estimated by moments (DerSimonian and Laird 1986) and added to that of every difference, as
  empirical calibration does (Schuemie et al. 2014). It stands in for a flat noise floor, which a
  wide interval passed as easily as a narrow one.

One store in two cases or workloads is compared by analysis.paired.

Nothing is called equal because nothing was found: two results are equivalent where their whole
interval, at 90% for two one-sided tests at 5% (Schuirmann 1987), lies within MARGIN. This comes
first: a difference that is shown to be smaller than that is none to choose a store by, and no
larger than what two sessions of one machine differ by.
"""

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import ceil, exp, inf, isinf, log, sqrt

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import brentq
from scipy.special import stdtrit

from kvreport.analysis import moderated
from kvreport.analysis.stats import CASE, CONFIDENCE, Difference

INCONCLUSIVE = Difference.INCONCLUSIVE
MARGIN = 1.10  # two results within this factor of each other are as fast as one another
PLACEABLE = 1.5  # a store so many times the best, and still not told from it, is too noisy to place
WIDEST = 4.0  # and so is one whose interval reaches so far
POWER = 0.8  # how often a ratio is to be told where trials are asked for
MOST_TRIALS = 200  # that anyone would measure

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)  # of the integral over a normal variable
WEIGHTS = WEIGHTS / WEIGHTS.sum()
SCALES = (np.arange(64) + 0.5) / 64  # quantiles of a variance's distribution

Trials = Mapping[str, Mapping[int, float]]  # ns an entry by store and round


@dataclass(frozen=True)
class Contrast:
    """One store's time over another's, a ratio, with its 95% interval, corrected for as many
    comparisons as were asked for; what that comes to; how the ratio scatters, and the standard
    error of its logarithm.
    """

    ratio: float
    low: float
    high: float
    difference: Difference
    scatter: "Scatter"
    comparisons: int
    error: float

    @property
    def p_value(self) -> float:
        """How likely a ratio so far from 1 is by chance, as a comparison by itself."""
        return 2 * float(stats.t.sf(abs(log(self.ratio)) / self.error, self.scatter.tested))

    def is_within(self, margin: float) -> bool:
        """Whether it is shown to be within so many times of 1: two one-sided tests at 5%."""
        return _is_within(log(self.ratio), self.error, self.scatter, margin)

    def trials_needed(self, ratio: float = MARGIN) -> int | None:
        """How many trials of each tell a ratio; None where that is more than anyone would
        measure.
        """
        return self.scatter.trials_needed(ratio, self.comparisons)

    def beside(self, medians: float) -> Difference:
        """The difference as it can stand beside the ratio of the medians, which readers see: none
        where they point the other way.
        """
        agree = (self.ratio < 1) == (medians < 1)
        return self.difference if agree or not self.difference.measurable else INCONCLUSIVE


@dataclass(frozen=True)
class Scatter:
    """How a log ratio scatters: its variance from trial to trial, the degrees of freedom of that,
    and what the session adds, whatever the trials.
    """

    variance: float
    freedom: float
    between: float = 0.0

    @property
    def tested(self) -> float:
        """The degrees of freedom of a test: no more than functions of them bear."""
        return min(self.freedom, 1e6)

    def smallest_ratio(self, trials: int, comparisons: int = 1) -> float:
        """The smallest ratio that so many trials tell at POWER."""
        return exp(self.reach(comparisons) * sqrt(self.variance / trials + self.between))

    def trials_needed(self, ratio: float, comparisons: int = 1) -> int | None:
        """How many trials tell a ratio at POWER; None where MOST_TRIALS do not."""
        room = (log(ratio) / self.reach(comparisons)) ** 2 - self.between
        if room * MOST_TRIALS < self.variance:
            return None
        return max(2, ceil(self.variance / room))

    def reach(self, comparisons: int) -> float:
        """How many standard errors a difference must have to be told at POWER."""
        freedom = min(max(1.0, self.freedom), 1e6)
        return critical(max(1, comparisons), freedom) + quantile(POWER, freedom)


@dataclass(frozen=True)
class Fit:
    """The stores of one case and workload.

    logs        of ns an entry, by store and round
    effects     of the stores, in their order
    unscaled    their covariances, for a variance of 1
    variance    of what is left over, and its degrees of freedom
    between     the variance of a difference that the session adds
    """

    stores: tuple[str, ...]
    logs: Mapping[str, Mapping[int, float]]
    effects: np.ndarray
    unscaled: np.ndarray
    variance: float
    freedom: float
    between: float = 0.0

    @property
    def scatter(self) -> Scatter:
        """Of the difference of two stores in one round."""
        return Scatter(2 * self.variance, self.freedom, self.between)

    def effect(self, store: str) -> float:
        """A store's, in logarithms."""
        return float(self.effects[self.stores.index(store)])

    def smallest_ratio(self, store: str, other: str, comparisons: int = 1) -> float:
        """The smallest ratio of two stores that their trials tell at POWER; infinite where nothing
        is left over to judge it by.
        """
        if self.freedom < 1:
            return inf
        return exp(self.scatter.reach(comparisons) * sqrt(self.error(store, other)))

    def error(self, store: str, other: str) -> float:
        """The variance of the difference of two stores."""
        contrast = self._contrast(store, other)
        return float(contrast @ self.unscaled @ contrast) * self.variance + self.between

    def compare(self, store: str, other: str, comparisons: int = 1) -> Contrast | None:
        """A store's time over another's, one of so many comparisons with that other; None where
        nothing is left over to judge it by.
        """
        if not {store, other} <= set(self.stores) or self.freedom < 1:
            return None
        middle = float(self._contrast(store, other) @ self.effects)
        error = sqrt(self.error(store, other))
        return contrast(middle, error, self.scatter, comparisons)

    def _contrast(self, store: str, other: str) -> np.ndarray:
        contrast = np.zeros(len(self.stores))
        contrast[self.stores.index(store)] = 1
        contrast[self.stores.index(other)] -= 1
        return contrast


@dataclass(frozen=True)
class Mean:
    """The geometric mean of what some stores take in several cases, compared as in one: a log ratio
    is the mean of the cases', its variance the sum of theirs over the square of their number, its
    degrees of freedom Satterthwaite's (1946). What a session adds is taken to be the same in each,
    as it comes from one machine and one kernel: it does not become less by more cases.
    """

    fits: tuple[Fit, ...]
    stores: tuple[str, ...]

    def effect(self, store: str) -> float:
        """A store's, in logarithms."""
        return sum(fit.effect(store) for fit in self.fits) / len(self.fits)

    def compare(self, store: str, other: str, comparisons: int = 1) -> Contrast | None:
        """A store's time over another's, as Fit has it."""
        if any(fit.freedom < 1 for fit in self.fits):
            return None
        many = len(self.fits)
        parts = [(fit.error(store, other) - fit.between) / many**2 for fit in self.fits]
        between = (sum(sqrt(fit.between) for fit in self.fits) / many) ** 2
        spread = sum(part**2 / fit.freedom for part, fit in zip(parts, self.fits))
        freedom = sum(parts) ** 2 / spread if spread else 1e6
        variance = sum(2 * fit.variance for fit in self.fits) / many**2
        error = sqrt(sum(parts) + between)
        middle = self.effect(store) - self.effect(other)
        return contrast(middle, error, Scatter(variance, freedom, between), comparisons)

    def smallest_ratio(self, store: str, other: str, comparisons: int = 1) -> float:
        """The smallest ratio that would be told, as Fit has it."""
        found = self.compare(store, other, comparisons)
        return exp(found.scatter.reach(comparisons) * found.error) if found else inf


def fit(trials: Trials) -> Fit:
    """The least squares of one case and workload, its own variance yet."""
    stores = tuple(sorted(store for store, by_round in trials.items() if by_round))
    logs = {store: {each: log(ns) for each, ns in trials[store].items()} for store in stores}
    rounds = sorted({each for store in stores for each in trials[store]})
    size, (there, values) = len(stores), np.zeros((2, len(stores), len(rounds)))
    for at, store in enumerate(stores):
        places = np.searchsorted(rounds, list(logs[store]))
        there[at, places], values[at, places] = 1, list(logs[store].values())
    later = there[:, 1:]  # the first round's effect is none, as stores have theirs
    share = later / later.sum(axis=0)
    # the rounds' effects eliminated from the normal equations: few stores are left of many rounds
    normal = np.diag(there.sum(axis=1)) - share @ later.T
    inverse = np.linalg.pinv(normal)
    effects = inverse @ (values.sum(axis=1) - share @ values[:, 1:].sum(axis=0))
    of_rounds = np.zeros(len(rounds))
    of_rounds[1:] = (values - there * effects[:, None])[:, 1:].sum(axis=0) / later.sum(axis=0)
    rank = len(rounds[1:]) + (int(np.linalg.matrix_rank(normal)) if size else 0)
    freedom = int(there.sum()) - rank
    left = float((there * (values - effects[:, None] - of_rounds) ** 2).sum())
    return Fit(
        stores,
        logs,
        effects,
        inverse,
        max(left / freedom, moderated.LEAST) if freedom else 0.0,
        freedom,
    )


def fits(frame: pd.DataFrame) -> dict[tuple, Fit]:
    """The fit of each case and workload of a section's results (a row a trial, as runs.Run.frame),
    by (*case, workload), the variances moderated over all of them.
    """
    good = frame[frame["status"] == "ok"]
    found: dict[tuple, Fit] = {}
    for key, cell in good.groupby([*CASE, "workload"], sort=False):
        trials: dict[str, dict[int, float]] = {}
        for store, at, ns in zip(cell["store"], cell["trial"], cell["ns_per_entry"]):
            trials.setdefault(store, {})[at] = ns
        found[key] = fit(trials)
    return dict(zip(found, moderate(found.values())))


def moderate(fits: Iterable[Fit]) -> list[Fit]:
    """The same fits, each variance drawn towards what all have in common."""
    fits = list(fits)
    known = [each for each in fits if each.freedom]
    if not known:
        return fits
    common, weight = moderated.prior(
        np.array([each.variance for each in known]), np.array([each.freedom for each in known])
    )

    def drawn(each: Fit) -> Fit:
        if isinf(weight):
            return replace(each, variance=common, freedom=inf)
        freedom = each.freedom + weight
        if not freedom:
            return each
        pooled = (weight * common + each.freedom * each.variance) / freedom
        return replace(each, variance=pooled, freedom=freedom)

    return [drawn(each) for each in fits]


def excess(pairs: Iterable[tuple[Fit, str, str]]) -> float:
    """The variance that A/A pairs (a fit, and the two names of one store) show beyond what their
    fits expect: 0 of none.
    """
    squares = [
        (float(each._contrast(one, other) @ each.effects) ** 2, each.error(one, other))
        for each, one, other in pairs
    ]
    return max(0.0, float(np.mean([square - error for square, error in squares]))) if squares else 0


@functools.lru_cache(4096)
def quantile(share: float, freedom: float) -> float:
    """Student's t below which this share of all values lies."""
    return float(stdtrit(freedom, share))


@functools.lru_cache(4096)
def critical(comparisons: int, freedom: float) -> float:
    """Dunnett's two-sided critical value at 95%: of so many differences to one common store, each
    correlated by a half with every other, none goes beyond it by chance in 95% of cases. The
    correlation makes it a double integral, over the common store's error and the variance's.
    """
    if comparisons == 1:
        return quantile((1 + CONFIDENCE) / 2, freedom)
    scales = np.sqrt(stats.chi2.ppf(SCALES, freedom) / freedom)[:, None]

    def missed(value: float) -> float:
        reach = value * scales * sqrt(2)
        inside = stats.norm.cdf(NODES + reach) - stats.norm.cdf(NODES - reach)
        return float(((inside**comparisons) @ WEIGHTS).mean()) - CONFIDENCE

    return float(brentq(missed, 1, 100, xtol=1e-4))


def contrast(middle: float, error: float, scatter: Scatter, comparisons: int) -> Contrast:
    """What a log ratio with its standard error comes to."""
    reach = critical(max(1, comparisons), scatter.tested) * error
    difference = INCONCLUSIVE
    if _is_within(middle, error, scatter, MARGIN):
        difference = Difference.EQUIVALENT
    elif middle + reach < 0:
        difference = Difference.LESS
    elif middle - reach > 0:
        difference = Difference.GREATER
    low, high = exp(middle - reach), exp(middle + reach)
    return Contrast(exp(middle), low, high, difference, scatter, comparisons, error)


def _is_within(middle: float, error: float, scatter: Scatter, margin: float) -> bool:
    """Whether a log ratio's interval for two one-sided tests lies within a margin."""
    return bool(abs(middle) + quantile(CONFIDENCE, scatter.tested) * error < log(margin))
