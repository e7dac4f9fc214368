"""The verdict on an A/B run of two states of the harness (measure.ab)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import stats

from kvreport.data.harness import Side

MARGIN = 1.05  # two states whose figures are within this factor of each other measure the same
CONFIDENCE = 0.95

Times = Mapping[str, Mapping[str, Mapping[str, list[float]]]]
Logs = np.ndarray[tuple[int], np.dtype[np.float64]]  # of the times of one side


def verdict(found: Times) -> dict[str, Any]:
    """Whether this checkout measures as the other does.

    found  ns an entry by store, workload and Side, a value a round

    `mean` is the geometric mean of all ratios of this to the other, with its 95% interval; `ratios`
    has each store's and workload's. They are `same` where the mean's interval lies within MARGIN
    and no single ratio is beyond it at 95% confidence (Holm's correction over all of them).
    """
    rows, p_values = [], []
    for store, workloads in found.items():
        for workload, sides in workloads.items():
            this, other = (np.log(np.array(sides[side])) for side in (Side.THIS, Side.OTHER))
            rows.append({"store": store, "workload": workload} | _ratio(this, other))
            p_values.append(_beyond(this, other))
    beyond = _holm(p_values)
    mean = _mean([row["ratio"] for row in rows])
    return {
        "margin": MARGIN,
        "mean": mean,
        "same": mean["low"] > 1 / MARGIN and mean["high"] < MARGIN and not any(beyond),
        "ratios": [row | {"beyond_margin": each} for row, each in zip(rows, beyond)],
    }


def _ratio(this: Logs, other: Logs) -> dict[str, Any]:
    """The ratio of two samples of logarithms, with Welch's interval."""
    interval = stats.ttest_ind(this, other, equal_var=False).confidence_interval(CONFIDENCE)
    logs = {"ratio": this.mean() - other.mean(), "low": interval.low, "high": interval.high}
    return {name: round(float(np.exp(log)), 3) for name, log in logs.items()}


def _mean(ratios: list[float]) -> dict[str, float]:
    """The geometric mean of ratios, with Student's interval."""
    logs = np.log(np.array(ratios))
    reach = stats.sem(logs) * stats.t.ppf((1 + CONFIDENCE) / 2, len(logs) - 1)
    ends = {"ratio": logs.mean(), "low": logs.mean() - reach, "high": logs.mean() + reach}
    return {name: float(np.exp(log)) for name, log in ends.items()}


def _beyond(this: Logs, other: Logs) -> float:
    """The p-value of the ratio being within the margin: small where it is not."""
    slower = this.mean() > other.mean()
    shifted = this - np.log(MARGIN) if slower else this + np.log(MARGIN)
    welch = stats.ttest_ind(
        shifted, other, equal_var=False, alternative="greater" if slower else "less"
    )
    return float(welch.pvalue)


def _holm(p_values: list[float], level: float = 1 - CONFIDENCE) -> list[bool]:
    """Which hypotheses Holm's step-down rejects."""
    rejected = [False] * len(p_values)
    for rank, position in enumerate(np.argsort(p_values)):
        if p_values[position] > level / (len(p_values) - rank):
            break
        rejected[position] = True
    return rejected
