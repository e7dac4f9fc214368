"""Statistics on trials: medians, 95% intervals, ratios, and which of two results is less.

The trial is the sampling unit, as passes within one JVM share its compilation and memory layout and
are not independent (Georges et al. 2007). A trial's value is the median of its passes, and
everything below is computed over those values.

Intervals cover 95%, at every number of trials from two on. They are Student's on the logarithms of
the values, or Welch's for a ratio, which takes times to be log-normal; a resampled median of so few
values covers less than it promises (75% at three, in simulation). Where trials fall into two groups
that leave the median outside the interval, the interval is widened to it.

One trial has no interval. Its ratio to several others has a prediction interval, as if it scattered
as they do; of two single trials nothing is said.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from math import nan

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from kvreport.data.cases import Case

CONFIDENCE = 0.95

CASE = list(Case._fields)


@dataclass(frozen=True)
class Estimate:
    """A median over n trials and its 95% interval, in the unit of the values; low and high are NaN
    without an interval.
    """

    value: float
    low: float
    high: float
    n: int

    def within(self, low: float, high: float) -> "Estimate":
        """The same with another interval, widened to the median where that lies outside."""
        return replace(self, low=min(low, self.value), high=max(high, self.value))


NOTHING = Estimate(nan, nan, nan, 0)


class Difference(StrEnum):
    """What a comparison of two results comes to: the first is measurably less than the second, or
    greater, or both are as good as equal (analysis.model), or the trials do not say.
    """

    LESS = "less"
    GREATER = "greater"
    EQUIVALENT = "equivalent"
    INCONCLUSIVE = "inconclusive"

    @property
    def measurable(self) -> bool:
        """Return whether there is one."""
        return self in (Difference.LESS, Difference.GREATER)


def estimate(trials: npt.ArrayLike) -> Estimate:
    """The median of positive values, one a trial, with its interval; NOTHING of none."""
    values = np.asarray(trials, float)
    if not len(values):
        return NOTHING
    middle = float(np.median(values))
    if len(values) < 2:
        return Estimate(middle, nan, nan, len(values))
    if values.min() == values.max():
        return Estimate(middle, middle, middle, len(values))
    logs = np.log(values)
    error = logs.std(ddof=1) / np.sqrt(len(logs))
    return _around(middle, len(values), logs.mean(), error, len(logs) - 1)


def ratio(trials: npt.ArrayLike, others: npt.ArrayLike) -> Estimate:
    """Median of values over median of others, with its interval; n is the smaller number of trials.

    A single trial is compared with several as if it scattered as they do: the interval is a
    prediction interval. Two single ones have none.
    """
    first, second = np.asarray(trials, float), np.asarray(others, float)
    middle, n = float(np.median(first) / np.median(second)), min(len(first), len(second))
    if len(first) < 2 and len(second) < 2:
        return Estimate(middle, nan, nan, n)
    if n < 2:
        low, high = _prediction(np.log(first), np.log(second))
        return Estimate(middle, low, high, n)
    if first.min() == first.max() and second.min() == second.max():
        return Estimate(middle, middle, middle, n)
    logs = np.log(first), np.log(second)
    errors = [each.var(ddof=1) / len(each) for each in logs]
    freedom = sum(errors) ** 2 / sum(
        error**2 / (len(each) - 1) for error, each in zip(errors, logs)
    )  # Welch's
    return _around(middle, n, logs[0].mean() - logs[1].mean(), np.sqrt(sum(errors)), freedom)


def _prediction(logs: np.ndarray, others: np.ndarray) -> tuple[float, float]:
    """The interval of the ratio where one of two samples of logarithms has a single value."""
    several = max(logs, others, key=len)
    middle = logs.mean() - others.mean()
    error = several.std(ddof=1) * np.sqrt(1 + 1 / len(several))
    return _interval(middle, error, len(several) - 1)


def _around(middle: float, n: int, log: float, error: float, freedom: float) -> Estimate:
    """A median with the interval of a logarithm, of which the standard error is known."""
    return Estimate(middle, nan, nan, n).within(*_interval(log, error, freedom))


def _interval(log: float, error: float, freedom: float) -> tuple[float, float]:
    """Student's, of what has that logarithm. A special function, as SciPy's tests take a hundred
    times as long and a report has thousands of intervals.
    """
    reach = float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * error
    return float(np.exp(log - reach)), float(np.exp(log + reach))
