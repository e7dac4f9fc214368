"""Percentiles of single operations, as a tidy frame: HdrHistograms added up, never averaged."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from hdrh.histogram import HdrHistogram

from kvreport.data import frames
from kvreport.data.cases import Case

POINTS = (50, 90, 99, 99.9, 99.99)  # percentiles; the maximum comes after them
MAXIMUM = 100.0  # the percentile that stands for the longest operation
BEYOND = 10  # samples that must lie beyond a percentile for it to be shown
LOOPS = {"Service": "closed loop", "Response": "from when due"}
SINGLES = ["singles_counts", "singles_count", "singles_max_ns"]  # columns
OF = ["run", "section", "store", "name", "family", "engine", *Case._fields, "workload"]
NUMBERS = {"percentile": "float64", "ns": "float64", "count": "int64"}
COLUMNS = [*OF, "operation", "loop", "rate", "trial", "percentile", "ns", "count"]


@dataclass(frozen=True)
class Histogram:
    """How many operations took so many ns; max_ns as it was, not rounded to the histogram's
    step.
    """

    counts: Counter
    max_ns: int

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

    def __add__(self, other: "Histogram") -> "Histogram":
        return Histogram(self.counts + other.counts, max(self.max_ns, other.max_ns))


def histogram(counts: str, count: int, max_ns: int) -> Histogram:
    """A histogram as a trial's record has it, in HdrHistogram's own encoding. Raises ValueError
    when the counts do not add up.
    """
    found = Histogram(_decoded(counts), max_ns)
    if found.count != count:
        raise ValueError(f"a histogram holds {found.count} operations and says that it has {count}")
    return found


def _decoded(text: str) -> Counter:
    """Return how many operations each step has; its highest value stands for it.

    HdrHistogram's own iterator takes 50 times as long for what is the layout of its counts: a first
    bucket of steps as wide as its unit, then halves of buckets whose steps are each twice as wide.
    """
    decoded = HdrHistogram.decode(text)
    counts = np.ctypeslib.as_array(decoded.counts)
    steps = np.flatnonzero(counts)
    half = decoded.sub_bucket_half_count
    bucket = np.maximum(steps // half - 1, 0)
    shift = bucket + decoded.unit_magnitude
    highest = ((steps - bucket * half + 1) << shift) - 1
    return Counter(dict(zip(highest.tolist(), counts[steps].tolist(), strict=True)))


def percentile(rows: pd.DataFrame, percent: float) -> pd.Series:
    """The ns that so many percent of the operations of each row took at most, as frames.results has
    them; missing where none were timed one by one.
    """
    timed = rows[rows["singles_counts"].notna()]
    found = [histogram(*each).at(percent) for each in timed[SINGLES].itertuples(index=False)]
    return pd.Series(found, timed.index, dtype=float).reindex(rows.index)


def latencies(
    section: str | None = None,
    source: str | None = None,
    points: Sequence[float] = POINTS,
    pooled: bool = True,
) -> pd.DataFrame:
    """Return how long single operations took: one row for each store, case, workload and
    percentile.

    section, source  as frames.results has them
    points     percentiles; 100, the longest operation, is always there
    pooled     all trials in one histogram (`trial` is missing), else a row for each trial too

    operation  get or put;  loop: "closed loop", where an operation begins when the last has ended,
               or "from when due", at a fixed rate
    rate       operations a second that were due; missing in a closed loop
    ns         that so many percent took at most; missing where fewer than latency.BEYOND operations
               took longer;  count: operations in the histogram
    """
    rows = frames.results(section, source)
    rows = rows[rows["singles_counts"].notna() & (rows["status"] == "ok")]
    found = []
    for key, group in rows.groupby(OF, sort=False, dropna=False):
        each = [histogram(*singles) for singles in group[SINGLES].itertuples(index=False)]
        whole = sum(each[1:], each[0])
        for trial, one in [(None, whole), *([] if pooled else zip(group["trial"], each))]:
            at = [*((point, one.at(point)) for point in points), (MAXIMUM, float(one.max_ns))]
            found += [(*key, trial, point, ns, one.count) for point, ns in at]
    tidy = pd.DataFrame(found, columns=[*OF, "trial", *NUMBERS]).astype(
        rows.dtypes[[*OF, "trial"]].to_dict() | NUMBERS
    )
    workload = tidy["workload"]
    return tidy.assign(
        operation=workload.str[:3],
        loop=workload.str[3:].map(LOOPS).astype("str"),
        rate=tidy["settings"].str.extract(r"rate=(\d+)")[0].astype("float64"),
    )[COLUMNS]
