"""The verdict on an A/B run of two states of the harness (measure.ab)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import stats

from kvreport.analysis.crosscheck import mean
from kvreport.analysis.stats import CONFIDENCE
from kvreport.data.harness import Side

MARGIN = 1.05  # two states whose figures are within this factor of each other measure the same

Times = Mapping[str, Mapping[str, Mapping[str, list[float]]]]


def verdict(found: Times) -> dict[str, Any]:
    """Return whether this checkout measures as the other does.

    found  ns an entry by store, workload and Side, a value a round

    `mean` is the geometric mean of all ratios of this to the other, with its 95% interval; `ratios`
    has each store's and workload's. They are `same` where the mean's interval lies within MARGIN
    and no single ratio is beyond it at 95% confidence (Holm's correction over all of them).
    """
    rows: list[dict[str, Any]] = []
    p_values = []
    for store, workloads in found.items():
        for workload, sides in workloads.items():
            this, other = (np.log(sides[side]) for side in (Side.THIS, Side.OTHER))
            welch = stats.ttest_ind(this, other, equal_var=False).confidence_interval(CONFIDENCE)
            ends = {"ratio": this.mean() - other.mean(), "low": welch.low, "high": welch.high}
            ratios = {name: round(float(np.exp(end)), 3) for name, end in ends.items()}
            rows.append({"store": store, "workload": workload} | ratios)
            sign = 1 if this.mean() > other.mean() else -1  # slower, or faster by the margin
            shifted = sign * this - np.log(MARGIN), sign * other
            beyond = stats.ttest_ind(*shifted, equal_var=False, alternative="greater")
            p_values.append(float(beyond.pvalue))
    rejected = _holm(p_values) <= 1 - CONFIDENCE
    for row, beyond_margin in zip(rows, rejected):
        row["beyond_margin"] = bool(beyond_margin)
    whole = mean([row["ratio"] for row in rows])
    return {
        "margin": MARGIN,
        "mean": {"ratio": whole.value, "low": whole.low, "high": whole.high},
        "same": whole.low > 1 / MARGIN and whole.high < MARGIN and not rejected.any(),
        "ratios": rows,
    }


def _holm(p_values: list[float]) -> np.ndarray:
    """P-values adjusted for their number, step by step from the smallest (Holm 1979)."""
    order = np.argsort(p_values)
    adjusted = np.array(p_values)[order] * np.arange(len(order), 0, -1)
    return np.maximum.accumulate(adjusted)[np.argsort(order)]
