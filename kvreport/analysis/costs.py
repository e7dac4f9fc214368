"""What stores cost the machine besides the time of the thread that calls them, by Linux's counts of
all threads of the process.
"""

import pandas as pd


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
