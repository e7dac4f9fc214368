"""What stores cost the machine besides the time of the thread that calls them, as tables: of all
threads of the process, as Linux counts them.

A trial's figure is that of one pass, or the state at the end of its passes; what is shown is the
median over trials, and their range.
"""

import pandas as pd

from kvreport.analysis import stats
from kvreport.analysis.results import SectionResults, of_case
from kvreport.data.cases import Case

CORES, CPU, READ, WRITTEN, MEMORY, GC, FILES, THREADS = (
    "cores",
    "cpu",
    "read",
    "written",
    "memory",
    "gc",
    "files",
    "threads",
)
OPEN, CLOSED, QUIET, DEBT_CPU, DEBT_WRITTEN = "open", "closed", "quiet", "debt_cpu", "debt_written"


def of_results(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each of a frame's results (runs.Run.frame) that succeeded: its trial, store,
    workload and case.

    cores        CPU time of all threads over elapsed time
    cpu          the same CPU time, ns an entry
    read, written  bytes that the process had the storage layer read and write, per byte of keys and
                   values (write-back happens later)
    memory       most that was resident beside the heap, MB, mapped files included
    gc           ms of garbage collection a pass
    files, threads  of the store's own, and all of the process, at the end of the passes
    """
    frame = frame[frame["status"] == "ok"]
    passes, busy = frame["iteration_ns"].map(len), frame["cpu_user_ns"] + frame["cpu_system_ns"]
    found = {
        CORES: busy / frame["iteration_ns"].map(sum),
        CPU: busy / (passes * frame["entries"]),
        READ: frame["os_read_bytes"] / (frame["user_bytes"] * passes),
        WRITTEN: frame["os_written_bytes"] / (frame["user_bytes"] * passes),
        MEMORY: beside_heap(frame),
        GC: frame["gc_ms"] / passes,
        FILES: frame["store_files"],
        THREADS: frame["threads"],
    }
    return frame[["store", "trial", "workload", *stats.CASE]].assign(
        **{name: values.astype(float) for name, values in found.items()}
    )


def resources(rows: pd.DataFrame) -> pd.DataFrame:
    """Return, for rows as frames.results has them, what each took besides time, in further columns.

    cores          CPU time of all threads over elapsed time;  cpu_ns: the same CPU time, an entry
    read, written  bytes that the storage layer was asked for, per byte of keys and values
    memory_mb      most that was resident beside the Java heap, mapped files included
    gc_pass_ms     garbage collection, ms a pass
    """
    passes = rows["passes"].astype(float)
    busy = (rows["cpu_user_ns"] + rows["cpu_system_ns"]).astype(float)
    elapsed = (
        rows["iteration_ns"]
        .fillna("")
        .map(lambda each: sum(map(float, each.split())))
        .astype(float)
    )
    user_bytes = rows["user_bytes"].astype(float) * passes
    return rows.assign(
        cores=busy / elapsed.where(elapsed > 0),
        cpu_ns=busy / (passes * rows["entries"]),
        read=rows["os_read_bytes"].astype(float) / user_bytes,
        written=rows["os_written_bytes"].astype(float) / user_bytes,
        memory_mb=(rows["peak_rss_bytes"] - rows["heap_bytes"]).astype(float) / 1e6,
        gc_pass_ms=rows["gc_ms"].astype(float) / passes,
    )


def beside_heap(frame: pd.DataFrame) -> pd.Series:
    """The most memory that was resident, MB, without the Java heap: that is touched whole before
    anything is timed, and its size is the section's, not the store's.
    """
    return (frame["peak_rss_bytes"] - frame["heap_bytes"]) / 1e6


def of_workloads(chapter: SectionResults, case: Case) -> pd.DataFrame:
    """The same of one case."""
    return of_results(of_case(chapter.frame, case)).drop(columns=stats.CASE)


def of_loads(chapter: SectionResults, case: Case) -> pd.DataFrame:
    """A row for each trial and store that loaded a case: what the load left to be done, and all
    that it took, that included.

    open, closed  bytes on disk per byte of keys and values, before and after close
    quiet         seconds until background work had died down; NaN when it had not within the limit
    debt_cpu, debt_written  CPU (ns an entry) and bytes written (per byte of keys and values) from
                            the load's end until quiet and closed
    cpu, written  the same, of the load itself and its debt
    """
    space = of_case(chapter.loads, case).dropna(subset="cpu_user_ns")
    debt = space[["store", "trial"]].assign(
        **{
            OPEN: space["open_bytes"] / space["flat_bytes"],
            CLOSED: space["closed_bytes"] / space["flat_bytes"],
            QUIET: space["quiet_seconds"].astype(float),
            DEBT_CPU: (space["cpu_user_ns"] + space["cpu_system_ns"]) / space["entries"],
            DEBT_WRITTEN: space["os_written_bytes"] / space["flat_bytes"],
        }
    )
    during = of_workloads(chapter, case)
    during = during[during["workload"] == "write"][["store", "trial", CPU, WRITTEN]]
    whole = debt.merge(during, how="left", on=["store", "trial"])
    return whole.assign(
        cpu=whole[CPU] + whole[DEBT_CPU], written=whole[WRITTEN] + whole[DEBT_WRITTEN]
    )


def medians(rows: pd.DataFrame) -> pd.DataFrame:
    """Medians over trials of such rows, by store."""
    return rows.drop(columns=["trial", "workload"], errors="ignore").groupby("store").median()
