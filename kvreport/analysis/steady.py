"""Whether times had settled when they were measured: asked of every result, never assumed (Barrett
et al. 2017).

A result's passes, trial by trial, are a table: a row a trial, a column a pass. Page's trend test
asks whether the passes become faster or slower in the same direction in every trial; the interval
of last pass over first says by how much.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import page_trend_test

from kvreport.analysis import stats
from kvreport.analysis.results import SectionResults, of_case
from kvreport.data.cases import Case

SETTLED, CHANGING, UNKNOWN = "settled", "still changing", "cannot tell"
TOLERANCE = 1.10  # last pass over first, or its inverse: within this a result counts as settled
ALPHA = (1 - stats.CONFIDENCE) / 2  # of the trend test, in each direction
FEWEST = 3  # passes in which a trend can be seen


@dataclass(frozen=True)
class PassTrend:
    """How a result's passes went: the last over the first, with its interval over trials, and what
    that comes to.
    """

    verdict: str
    change: stats.Estimate

    @property
    def told(self) -> str:
        """ "12% faster": from the first pass to the last."""
        return (
            f"{abs(100 * (self.change.value - 1)):.0f}%"
            f" {'faster' if self.change.value < 1 else 'slower'}"
        )


def pass_trend(passes: list[list[float]]) -> PassTrend:
    """The verdict on the passes of some trials, in any unit of time; of trials with more passes
    than others the first ones count.
    """
    fewest = min(map(len, passes), default=0)
    if fewest < 2:
        return PassTrend(UNKNOWN, stats.NOTHING)
    table = np.array([trial[:fewest] for trial in passes], float)
    change = stats.estimate(table[:, -1] / table[:, 0])
    if (
        len(table) > 1
        and fewest >= FEWEST
        and trend(table) < ALPHA
        and not 1 / TOLERANCE <= change.value <= TOLERANCE
    ):
        return PassTrend(CHANGING, change)
    inside = change.has_interval and change.low >= 1 / TOLERANCE and change.high <= TOLERANCE
    return PassTrend(SETTLED if inside else UNKNOWN, change)


def trend(table: np.ndarray) -> float:
    """p of Page's test for the likelier direction: how often so regular a rise or fall comes
    without any trend.
    """
    passes = np.arange(1, table.shape[1] + 1)
    return min(
        page_trend_test(table, predicted_ranks=ranks).pvalue for ranks in (passes, passes[::-1])
    )


def pass_trends(chapter: SectionResults, case: Case) -> dict[tuple[str, str], PassTrend]:
    """The course of every result of a case, by store and workload."""
    return {
        key: pass_trend(list(rows["iteration_ns"]))
        for key, rows in _good(chapter, case).groupby(["store", "workload"], sort=False)
    }


def _good(chapter: SectionResults, case: Case) -> pd.DataFrame:
    frame = of_case(chapter.frame, case)
    return frame[frame["status"] == "ok"]


def passes(chapter: SectionResults, case: Case, before: int) -> pd.DataFrame:
    """A row for each store, workload and pass: x (1 for the first measured, 0 and down for as many
    unmeasured as `before`), and value, low, high: the pass over its trial's median one, median and
    extremes over trials.
    """
    rows = []
    for (store, workload), trials in _good(chapter, case).groupby(
        ["store", "workload"], sort=False
    ):
        parts = (
            workload == "write"
            # unmeasured loads are of a part of the entries (jbang/kv/Bench.java), and cannot be
            # compared with whole ones
        )
        found = {}
        for trial in trials.to_dict("records"):
            middle, warm = (
                np.median(trial["iteration_ns"]),
                [] if parts else trial["warmup_ns"][-before:],
            )
            for place, ns in enumerate([*warm, *trial["iteration_ns"]], 1 - len(warm)):
                found.setdefault(place, []).append(ns / middle)
        rows += [
            {
                "store": store,
                "workload": workload,
                "x": place,
                "value": np.median(values),
                "low": min(values),
                "high": max(values),
            }
            for place, values in found.items()
        ]
    return pd.DataFrame(rows, columns=["store", "workload", "x", "value", "low", "high"])
