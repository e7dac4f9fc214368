"""Whether times had settled when they were measured: asked of every result, never assumed (Barrett
et al. 2017).

A result's passes, trial by trial, are a table: a row a trial, a column a pass. Page's trend test
asks whether the passes become faster or slower in the same direction in every trial; the interval
of last pass over first says by how much.
"""

from enum import StrEnum

import numpy as np
import pandas as pd

from kvreport.analysis import stats

TOLERANCE = 1.10  # last pass over first, or its inverse: within this a result counts as settled
ALPHA = (1 - stats.CONFIDENCE) / 2  # of the trend test, in each direction
RESULT = ["section", "store", "name", "family", "engine", *stats.CASE, "workload"]
FEWEST = 3  # passes in which a trend can be seen


class Steadiness(StrEnum):
    """Whether a result had settled when it was measured, as far as its passes and trials show."""

    SETTLED = "settled"
    CHANGING = "still changing"
    INCONCLUSIVE = "inconclusive"


def pass_trend(passes: list[list[float]]) -> tuple[Steadiness, stats.Estimate]:
    """The verdict on the passes of some trials, in any unit of time, and the last pass over the
    first with its interval over trials; of trials with more passes than others the first ones
    count.
    """
    fewest = min(map(len, passes), default=0)
    if fewest < 2:
        return Steadiness.INCONCLUSIVE, stats.NOTHING
    table = np.array([trial[:fewest] for trial in passes], float)
    change = stats.estimate(table[:, -1] / table[:, 0])
    seen = len(table) > 1 and fewest >= FEWEST and trend(table) < ALPHA
    if seen and not 1 / TOLERANCE <= change.value <= TOLERANCE:
        return Steadiness.CHANGING, change
    inside = change.low >= 1 / TOLERANCE and change.high <= TOLERANCE  # NaN without an interval
    return Steadiness.SETTLED if inside else Steadiness.INCONCLUSIVE, change


def trend(table: np.ndarray) -> float:
    """p of Page's test for the likelier direction: how often so regular a rise or fall comes
    without any trend.
    """
    from scipy.stats import page_trend_test  # slow to import, and few ask

    passes = np.arange(1, table.shape[1] + 1)
    return min(
        page_trend_test(table, predicted_ranks=ranks).pvalue for ranks in (passes, passes[::-1])
    )


def settled(rows: pd.DataFrame) -> pd.DataFrame:
    """Return, for each store, case and workload of rows as frames.results has them, whether its
    times had settled.

    verdict            settled, still changing or inconclusive
    change, low, high  the last measured pass over the first, with its interval over trials
    """
    good = rows[rows["status"] == "ok"]
    passes = good["iteration_ns"].map(lambda each: [float(ns) for ns in each.split()])
    found = []
    for key, trials in passes.groupby([good[name] for name in RESULT], sort=False, dropna=False):
        verdict, change = pass_trend(list(trials))
        found.append([*key, verdict.value, change.value, change.low, change.high])
    return pd.DataFrame(found, columns=[*RESULT, "verdict", "change", "low", "high"])
