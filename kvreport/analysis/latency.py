"""Latencies of single operations: HdrHistograms of all trials and passes added up, never
averaged.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from hdrh.histogram import HdrHistogram

from kvreport.analysis.results import SectionResults, of_case
from kvreport.data.cases import Case

SERVICE, RESPONSE = (
    {"get": "getService", "put": "putService"},
    {"get": "getResponse", "put": "putResponse"},
)
POINTS = (50, 90, 99, 99.9, 99.99)  # percentiles; the maximum comes after them
BEYOND = 10  # samples that must lie beyond a percentile for it to be shown


@dataclass(frozen=True)
class Latencies:
    """A histogram: `counts` by ns; max_ns as it was, not rounded to the histogram's step;
    per_second, the rate at which operations were due, or None.
    """

    counts: Counter
    max_ns: int
    per_second: float | None

    @cached_property
    def count(self) -> int:
        return sum(self.counts.values())

    def at(self, percent: float) -> float:
        """The ns that so many percent of the operations took at most; NaN where too few samples lie
        beyond.
        """
        if self.count * (100 - percent) / 100 < BEYOND:
            return float("nan")
        values = np.array(sorted(self.counts))
        within = np.cumsum([self.counts[value] for value in values])
        return float(
            values[np.searchsorted(within, max(1, np.ceil(round(percent / 100 * self.count, 6))))]
        )

    def __add__(self, other: "Latencies") -> "Latencies":
        rates = [rate for rate in (self.per_second, other.per_second) if rate]
        return Latencies(
            self.counts + other.counts,
            max(self.max_ns, other.max_ns),
            sum(rates) / len(rates) if rates else None,
        )


def parsed(singles: dict) -> Latencies:
    """A histogram as a trial's record has it, in HdrHistogram's own encoding. Raises ValueError
    when the counts do not add up.
    """
    counts = _decoded(singles["counts"])
    if sum(counts.values()) != singles["count"]:
        raise ValueError(
            f"a histogram holds {sum(counts.values())} operations and says that it has"
            f" {singles['count']}"
        )
    return Latencies(counts, singles["max_ns"], singles["per_second"])


def _decoded(text: str) -> Counter:
    """How many operations each step has; its highest value stands for it.

    HdrHistogram's own iterator takes 50 times as long for what is the layout of its counts: a first
    bucket of steps as wide as its unit, then halves of buckets whose steps are each twice as wide.
    """
    histogram = HdrHistogram.decode(text)
    counts = np.ctypeslib.as_array(histogram.counts)
    steps = np.flatnonzero(counts)
    half = histogram.sub_bucket_half_count
    bucket = np.maximum(steps // half - 1, 0)
    shift = bucket + histogram.unit_magnitude
    highest = ((steps - bucket * half + 1) << shift) - 1
    return Counter(dict(zip(highest.tolist(), counts[steps].tolist(), strict=True)))


def trials(chapter: SectionResults, case: Case) -> dict[tuple[str, str], list[Latencies]]:
    """A histogram for each trial that succeeded, by store and workload."""
    frame = of_case(chapter.frame, case)
    found: dict[tuple[str, str], list[Latencies]] = {}
    for row in frame[frame["status"] == "ok"].to_dict("records"):
        if isinstance(row.get("singles"), dict):
            found.setdefault((row["store"], row["workload"]), []).append(parsed(row["singles"]))
    return found


def rates(chapter: SectionResults, case: Case) -> list[int]:
    """The operations a second at which a case's open loops were due, the same for every store, in
    ascending order.
    """
    found = (each.rate for each in chapter.cases if each == at_rate(case, each.rate))
    return sorted(rate for rate in found if rate)


def at_rate(case: Case, rate: int) -> Case:
    """The case of an open loop at that rate; the case itself for 0."""
    return case._replace(settings=f"rate={rate}") if rate else case


def merged(chapter: SectionResults, case: Case) -> dict[tuple[str, str], Latencies]:
    """All trials of a result in one histogram."""
    return {key: sum(each[1:], each[0]) for key, each in trials(chapter, case).items()}
