"""What the ratio of two times comes to: its interval, whether it is a difference, and how small a
one would have been told.

Against the best of several, each interval has Dunnett's critical value for that many comparisons
(Dunnett 1955). The best is chosen by the same data, so what is found to be slower may be no slower
in more than one of twenty rankings whose stores are all alike (analysis.simulation says in how
many), but the truly fastest is among those that are not, with 95% confidence (Hsu 1984).

Nothing is called equal because nothing was found: two results are equivalent where their whole
interval, at 90% for two one-sided tests at 5% (Schuirmann 1987), lies within MARGIN. This comes
first: a difference that is shown to be smaller than that is none to choose a store by, and no
larger than what two sessions of one machine differ by.
"""

import functools
from dataclasses import dataclass
from math import ceil, exp, log, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaincinv, ndtr, stdtr, stdtrit

from kvreport.analysis.stats import CONFIDENCE, Difference

MARGIN = 1.10  # two results within this factor of each other are as fast as one another
POWER = 0.8  # how often a ratio is to be told where trials are asked for
MOST_TRIALS = 200  # that anyone would measure
MOST_FREEDOM = 1e6  # no more degrees of freedom than functions of them bear

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)  # of the integral over a normal variable
WEIGHTS = WEIGHTS / WEIGHTS.sum()
SCALES = (np.arange(64) + 0.5) / 64  # quantiles of a variance's distribution


@dataclass(frozen=True)
class Contrast:
    """One store's time over another's, as one of so many comparisons.

    log, error    the ratio's logarithm and the standard error of that
    variance      of the logarithm from trial to trial, and the degrees of freedom of that
    between       the variance that the session adds, whatever the trials
    """

    log: float
    error: float
    variance: float
    freedom: float
    between: float = 0.0
    comparisons: int = 1

    @property
    def ratio(self) -> float:
        return exp(self.log)

    @property
    def low(self) -> float:
        """Return where the 95% interval of the ratio begins, corrected for the comparisons."""
        return exp(self.log - self._reach)

    @property
    def high(self) -> float:
        """Return where that interval ends."""
        return exp(self.log + self._reach)

    @property
    def difference(self) -> Difference:
        """Return what the ratio comes to."""
        if self.is_within(MARGIN):
            return Difference.EQUIVALENT
        if self.log + self._reach < 0:
            return Difference.LESS
        return Difference.GREATER if self.log - self._reach > 0 else Difference.INCONCLUSIVE

    def beside(self, medians: float) -> Difference:
        """The difference as it can stand beside the ratio of the medians, which readers see: none
        where they point the other way.
        """
        found = self.difference
        agree = (self.ratio < 1) == (medians < 1)
        return found if agree or not found.measurable else Difference.INCONCLUSIVE

    def is_within(self, margin: float) -> bool:
        """Return whether the ratio is shown to be within so many times of 1: two one-sided tests at
        5%.
        """
        reach = quantile(CONFIDENCE, self._tested) * self.error
        return bool(abs(self.log) + reach < log(margin))

    @property
    def p_value(self) -> float:
        """Return how likely a ratio so far from 1 is by chance, as a comparison by itself."""
        return 2 * float(stdtr(self._tested, -abs(self.log) / self.error))

    @property
    def tells(self) -> float:
        """The smallest ratio that would be told from 1 at POWER."""
        return exp(self._power * self.error)

    def trials_needed(self, ratio: float = MARGIN) -> int | None:
        """Return how many trials tell a ratio at POWER; None where MOST_TRIALS do not."""
        room = (log(ratio) / self._power) ** 2 - self.between
        if room * MOST_TRIALS < self.variance:
            return None
        return max(2, ceil(self.variance / room))

    @property
    def _tested(self) -> float:
        return min(self.freedom, MOST_FREEDOM)

    @property
    def _reach(self) -> float:
        return critical(max(1, self.comparisons), self._tested) * self.error

    @property
    def _power(self) -> float:
        """Return how many standard errors a difference must have to be told at POWER."""
        freedom = max(1.0, self._tested)
        return critical(max(1, self.comparisons), freedom) + quantile(POWER, freedom)


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
    chi_squares = 2 * gammaincinv(freedom / 2, SCALES)
    scales = np.sqrt(chi_squares / freedom)[:, None]

    def missed(value: float) -> float:
        reach = value * scales * sqrt(2)
        inside = ndtr(NODES + reach) - ndtr(NODES - reach)
        return float(((inside**comparisons) @ WEIGHTS).mean()) - CONFIDENCE

    return float(brentq(missed, 1, 100, xtol=1e-4))
