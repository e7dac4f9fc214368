"""How far the harness is from JMH: the verdict on what measure.crosscheck recorded."""

from kvreport.analysis import stats
from kvreport.data.sidecars import ISOLATED, JMH

AIM = 1.05  # within this factor of JMH the harness counts as unbiased
# verdicts on a ratio whose interval leaves out 1
BEYOND, BIASED = "beyond 5%", "biased, perhaps within 5%"


def biased(found: dict) -> list[tuple[str, str]]:
    """The stores and workloads at which a fresh kernel certainly differs from JMH."""
    return [
        (store, workload)
        for store, ways in found["stores"].items()
        for workload in ways[ISOLATED]
        if workload in ways[JMH]
        and verdict(stats.ratio(ways[ISOLATED][workload], ways[JMH][workload])) in (BEYOND, BIASED)
    ]


def verdict(ratio: stats.Estimate) -> str:
    """Whether a ratio is within the aim, by its interval."""
    if not ratio.has_interval:
        return "inconclusive"
    if ratio.low >= 1 / AIM and ratio.high <= AIM:
        return "within 5%"
    if ratio.high < 1 / AIM or ratio.low > AIM:
        return BEYOND
    return "no bias found" if ratio.low <= 1 <= ratio.high else BIASED
