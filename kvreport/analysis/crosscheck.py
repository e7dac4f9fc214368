"""How far the harness is from JMH: the verdict on what measure.crosscheck recorded."""

from enum import StrEnum
from typing import Any

from kvreport.analysis import stats
from kvreport.data.sidecars import ISOLATED, JMH

AIM = 1.05  # within this factor of JMH the harness counts as unbiased


class Bias(StrEnum):
    """What a ratio to JMH comes to, by its interval."""

    WITHIN = "within 5%"
    NOT_FOUND = "no bias found"
    BIASED = "biased, perhaps within 5%"
    BEYOND = "beyond 5%"
    INCONCLUSIVE = "inconclusive"

    @property
    def is_shown(self) -> bool:
        """Whether the interval shows that there is one."""
        return self in (Bias.BIASED, Bias.BEYOND)


def biased(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The stores and workloads at which a fresh kernel differs from JMH beyond its interval."""
    return [
        (store, workload)
        for store, ways in found["stores"].items()
        for workload in ways.get(ISOLATED, {})
        if workload in ways.get(JMH, {})
        and verdict(stats.ratio(ways[ISOLATED][workload], ways[JMH][workload])).is_shown
    ]


def verdict(ratio: stats.Estimate) -> Bias:
    """Whether a ratio is within the aim, by its interval. A bias that is shown but small enough to
    lie within the aim counts as within it.
    """
    if not ratio.has_interval:
        return Bias.INCONCLUSIVE
    if ratio.low >= 1 / AIM and ratio.high <= AIM:
        return Bias.WITHIN
    if ratio.high < 1 / AIM or ratio.low > AIM:
        return Bias.BEYOND
    return Bias.NOT_FOUND if ratio.low <= 1 <= ratio.high else Bias.BIASED
