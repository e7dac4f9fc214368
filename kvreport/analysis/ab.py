"""The verdict on an A/B run of two states of the harness (measure.ab)."""

import numpy as np
from scipy import stats

MARGIN = 1.05  # two states whose figures are within this factor of each other measure the same
CONFIDENCE = 0.95


def verdict(found: dict[str, dict[str, dict[str, list[float]]]]) -> dict:
    """Whether this checkout measures as the other does.

    found  ns an entry by store, workload and side ("this", "other"), a value a round

    `mean` is the geometric mean of all ratios of this to the other, with its 95% interval; `ratios`
    has each store's and workload's. They are `same` where the mean's interval lies within MARGIN
    and no single ratio is beyond it for certain (Holm's correction over all of them).
    """
    rows = []
    for store, workloads in found.items():
        for workload, sides in workloads.items():
            this, other = (np.log(sides[side]) for side in ("this", "other"))
            welch = stats.ttest_ind(this, other, equal_var=False)
            low, high = welch.confidence_interval(CONFIDENCE)
            apart = this.mean() - other.mean()
            rows.append(
                {
                    "store": store,
                    "workload": workload,
                    "ratio": round(float(np.exp(apart)), 3),
                    "low": round(float(np.exp(low)), 3),
                    "high": round(float(np.exp(high)), 3),
                    "p": float(_beyond(this, other)),
                }
            )
    logs = np.log([row["ratio"] for row in rows])
    reach = stats.sem(logs) * stats.t.ppf((1 + CONFIDENCE) / 2, len(logs) - 1)
    low, high = float(np.exp(logs.mean() - reach)), float(np.exp(logs.mean() + reach))
    beyond = _holm([row.pop("p") for row in rows])
    for row, certain in zip(rows, beyond, strict=True):
        row["beyond_margin"] = certain
    return {
        "margin": MARGIN,
        "mean": {"ratio": float(np.exp(logs.mean())), "low": low, "high": high},
        "same": bool(low > 1 / MARGIN and high < MARGIN and not any(beyond)),
        "ratios": rows,
    }


def _beyond(this: np.ndarray, other: np.ndarray) -> float:
    """The p-value of the ratio being within the margin: small where it is beyond for certain."""
    apart, margin = this.mean() - other.mean(), np.log(MARGIN)
    shift = margin if apart > 0 else -margin
    side = "greater" if apart > 0 else "less"
    return float(stats.ttest_ind(this - shift, other, equal_var=False, alternative=side).pvalue)


def _holm(p_values: list[float], level: float = 1 - CONFIDENCE) -> list[bool]:
    """Which hypotheses Holm's step-down rejects."""
    order = np.argsort(p_values)
    rejected = [False] * len(p_values)
    for rank, position in enumerate(order):
        if p_values[position] > level / (len(p_values) - rank):
            break
        rejected[position] = True
    return rejected
