"""How a run measured, by its own records: under which conditions, in how many passes, and what the
harness itself costs.
"""

from typing import Any

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis.results import of_case
from kvreport.base.text import number
from kvreport.charts.chapter import Chapter
from kvreport.charts.tables import MISSING, table
from kvreport.data.cases import WORKLOADS
from kvreport.exhibits.tables import interval, nothing


def conditions(chapter: Chapter) -> dict[str, Any]:
    """What limits what a section's figures can say, of a section that is measured.

    largest_mb, memory_gb  10^6 bytes of keys and values of the largest data set, 10^9 bytes of
                           memory that the machine or its limit allows
    share_percent          the one in percent of the other
    trials, entries        the most that a store and a case have
    cpu                    the processor's name; empty where it is unknown
    virtual, tmpfs         whether the machine is virtual, and the stores' files were in memory
    shared                 names of the stores that were measured in a kernel shared with others
    warnings               what the launcher warned of before the run began
    """
    assert chapter.run is not None
    environment = chapter.run.environment
    memory = environment["limits"]["memory_bytes"] or environment["memory_bytes"]
    memory = min(memory, environment["memory_bytes"])
    largest = float(chapter.results["user_bytes"].max())
    shared = {trial["store"]["name"] for trial in chapter.trials if trial["mode"] == "shared"}
    return {
        "largest_mb": largest / 1e6,
        "memory_gb": memory / 1e9,
        "share_percent": 100 * largest / memory,
        "trials": chapter.trial_count,
        "entries": chapter.entries()[1],
        "cpu": environment["cpu"]["model"] or "",
        "virtual": environment["cpu"]["virtual"],
        "tmpfs": environment["filesystem"]["is_tmpfs"],
        "shared": sorted(shared),
        "warnings": environment["warnings"],
    }


def passes(chapter: Chapter) -> pd.DataFrame:
    """A row for each result of each trial that succeeded.

    store, workload
    unmeasured, measured  how many passes
    change                the last measured pass over the first, times; NaN where there is one
    """
    good = chapter.frame[chapter.frame["status"] == "ok"]
    rows = [
        [
            row["store"],
            row["workload"],
            len(row["warmup_ns"]),
            len(times := row["iteration_ns"]),
            times[-1] / times[0] if len(times) > 1 else float("nan"),
        ]
        for row in good.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=["store", "workload", "unmeasured", "measured", "change"])


def table_of(chapter: Chapter) -> Markdown:
    """What the harness itself costs: its own section, in ns an entry."""
    if not chapter.measured:
        return nothing(chapter)
    rows, bare = [], _bare(chapter)
    for each in [case for case in chapter.cases if len(of_case(bare, case))]:
        results = {row["workload"]: row for row in of_case(bare, each).to_dict("records")}
        medians = {workload: number(row["value"]) for workload, row in results.items()}
        intervals = {workload: interval(row) for workload, row in results.items()}
        for what, cells in (("median", medians), ("95% interval", intervals)):
            rows.append(
                [
                    f"{each.keys}, {each.order}" if cells is medians else "",
                    what,
                    *(cells.get(workload) or MISSING for workload in WORKLOADS),
                ]
            )
    return table(["keys, order", "", *(f">{workload}, ns/entry" for workload in WORKLOADS)], rows)


def _bare(chapter: Chapter) -> pd.DataFrame:
    """The results of the control that is nothing but harness, on its smallest values."""
    bare = chapter.results[chapter.results["store"] == "Memory"]
    return bare[bare["value_bytes"] == bare["value_bytes"].min()]


def scans(chapter: Chapter) -> pd.Series:
    """ns an entry of scans without any store, one a case; empty where none succeeded."""
    bare = _bare(chapter)
    return bare[(bare["workload"] == "readSeq") & (bare["status"] == "ok")]["value"].astype(float)
