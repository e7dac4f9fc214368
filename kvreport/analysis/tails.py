"""Percentiles of single operations, as a tidy frame: HdrHistograms added up, never averaged."""

from collections.abc import Sequence

import pandas as pd

from kvreport.analysis.latency import POINTS, Latencies, parsed
from kvreport.data import frames
from kvreport.data.cases import Case

MAXIMUM = 100.0  # the percentile that stands for the longest operation
LOOPS = {"Service": "closed loop", "Response": "from when due"}
OF = ["run", "section", "store", "name", "family", "engine", *Case._fields, "workload"]
NUMBERS = {"percentile": "float64", "ns": "float64", "count": "int64"}
COLUMNS = [*OF, "operation", "loop", "rate", "trial", "percentile", "ns", "count"]


def latencies(
    section: str | None = None,
    source: str | None = None,
    points: Sequence[float] = POINTS,
    pooled: bool = True,
) -> pd.DataFrame:
    """How long single operations took: one row for each store, case, workload and percentile.

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
        each = [
            (trial, parsed({"counts": counts, "count": count, "max_ns": most, "per_second": rate}))
            for trial, counts, count, most, rate in zip(
                group["trial"],
                group["singles_counts"],
                group["singles_count"],
                group["singles_max_ns"],
                group["singles_per_second"].astype(float),
            )
        ]
        whole = sum((one for _, one in each[1:]), each[0][1])
        for trial, one in [(None, whole), *([] if pooled else each)]:
            found += [(*key, trial, point, ns, one.count) for point, ns in _at(one, points)]
    tidy = pd.DataFrame(found, columns=[*OF, "trial", *NUMBERS]).astype(
        rows.dtypes[[*OF, "trial"]].to_dict() | NUMBERS
    )
    workload = tidy["workload"]
    return tidy.assign(
        operation=workload.str[:3],
        loop=workload.str[3:].map(LOOPS).astype("str"),
        rate=tidy["settings"].str.extract(r"rate=(\d+)")[0].astype("float64"),
    )[COLUMNS]


def _at(found: Latencies, points: Sequence[float]) -> list[tuple[float, float]]:
    return [*((point, found.at(point)) for point in points), (MAXIMUM, float(found.max_ns))]
