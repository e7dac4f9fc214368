"""The results table: one row is what one trial measured of one workload in one case.

ns_per_entry is the value that all figures are made from. Versions publish it as CSV and as Parquet.
"""

import gzip
import io
import zlib
from pathlib import Path

import pandas as pd

from kvreport.base.files import Unreadable
from kvreport.base.text import one_line
from kvreport.data.editions import NEEDED, Edition

TEXT, WHOLE, REAL = "VARCHAR", "BIGINT", "DOUBLE"
LARGEST = 1 << 30  # bytes of a table; those that were published have a few millions
SUMMED = (
    "summed over the measured passes, of the whole process; empty where the system does not tell"
)
AFTER = "from the end of the last load until background work was quiet and the database closed"
COLUMNS = {  # name: type, unit, meaning
    "run": (TEXT, "", "name of the run that the row is from"),
    "host": (TEXT, "", "label of the machine; its description is in manifest.json"),
    "profile": (TEXT, "", "smoke, quick, standard or full: how many entries, passes and trials"),
    "jdk": (TEXT, "", "version of the Java virtual machine"),
    "section": (TEXT, "", "number and name of the test"),
    "store": (TEXT, "", "the store's id"),
    "name": (TEXT, "", "the store's name, as in the figures"),
    "family": (TEXT, "", 'kind of store; "limit" is the flat file, "control" no store at all'),
    "library": (TEXT, "", "Maven coordinates, group and artifact"),
    "version": (TEXT, "", "of the library"),
    "engine": (TEXT, "", "what the library binds, with its version"),
    "trial": (
        WHOLE,
        "",
        "number of the trial: one store in one fresh JVM. Statistics are over trials",
    ),
    "position": (WHOLE, "", "place in the shuffled order of the run; 0 by hand"),
    "mode": (TEXT, "", "isolated: the JVM measured this store only; shared: others too"),
    "started": (TEXT, "UTC", "when the trial began, ISO 8601"),
    "keys": (TEXT, "", "int (4 bytes) or string (16 bytes)"),
    "order": (TEXT, "", "of writing and of reading by key: sequential or random"),
    "value_bytes": (WHOLE, "bytes", "size of every value"),
    "settings": (TEXT, "", "what the case changes of the store's own options; empty for nothing"),
    "content": (TEXT, "", "of values: random bytes, or half: a compressor can halve them"),
    "workload": (
        TEXT,
        "",
        (
            "write, readKey, readSeq, readRev, readCrc, readXxh64; readKeyXxh64: gets that look"
            " into values; putService to getResponse: single operations timed; readLukewarm,"
            " readCold: opened in each pass; overwrite, readKeyAged, readSeqAged: written over;"
            " generate to total: of a plain map"
        ),
    ),
    "status": (TEXT, "", "ok; na: the store cannot do it, by design; failed"),
    "reason": (TEXT, "", "why it is not ok"),
    "entries": (WHOLE, "", "handled in each pass"),
    "key_bytes": (WHOLE, "bytes", "size of every key"),
    "flat_bytes": (WHOLE, "bytes", "keys and values of the data set"),
    "user_bytes": (WHOLE, "bytes", "keys and values handled in each pass"),
    "ns_per_entry": (REAL, "ns/entry", "time of the median pass, by entries"),
    "ms": (REAL, "ms", "time of the median pass"),
    "entries_per_s": (REAL, "entries/s", "of the median pass"),
    "gb_per_s": (REAL, "GB/s", "10^9 bytes of keys and values a second, of the median pass"),
    "passes": (WHOLE, "", "how many were measured"),
    "warmup_passes": (
        WHOLE,
        "",
        "how many were made before, unmeasured; their times are in the trials' records",
    ),
    "iteration_ns": (TEXT, "ns", "times of the measured passes, separated by spaces"),
    "cpu_user_ns": (WHOLE, "ns", f"CPU time in user mode, {SUMMED}"),
    "cpu_system_ns": (WHOLE, "ns", f"CPU time in the kernel, {SUMMED}"),
    "os_read_bytes": (WHOLE, "bytes", f"read from disk, {SUMMED}"),
    "os_written_bytes": (WHOLE, "bytes", f"given to the system to be written to disk, {SUMMED}"),
    "peak_rss_bytes": (WHOLE, "bytes", "largest resident memory of the process so far"),
    "heap_bytes": (WHOLE, "bytes", "size of the Java heap, which is resident from the start"),
    "gc_ms": (WHOLE, "ms", f"garbage collection, {SUMMED}"),
    "gc_count": (WHOLE, "", f"garbage collections, {SUMMED}"),
    "open_files": (
        WHOLE,
        "",
        "files, sockets and pipes that the whole process had open after the passes",
    ),
    "store_files": (
        WHOLE,
        "",
        "files of the database among them, open or mapped",
    ),
    "threads": (WHOLE, "", "of the process, after the passes"),
    "singles_per_second": (
        REAL,
        "operations/s",
        (
            "where single operations were timed: the rate at which they were due; empty where each"
            " began when the last had ended"
        ),
    ),
    "singles_count": (WHOLE, "", "how many were timed, in all measured passes"),
    "singles_max_ns": (WHOLE, "ns", "the longest"),
    "singles_counts": (
        TEXT,
        "ns",
        "their histogram, as HdrHistogram encodes it in Base64",
    ),
    "open_bytes": (
        WHOLE,
        "bytes",
        "disk blocks after the load, database open; of the case, so the same for its workloads",
    ),
    "closed_bytes": (WHOLE, "bytes", "disk blocks after the load, database closed; of the case"),
    "aged_bytes": (
        WHOLE,
        "bytes",
        (
            "disk blocks after every entry was overwritten, database closed; of the case; empty"
            " where it was not"
        ),
    ),
    "after_load_quiet_seconds": (
        REAL,
        "s",
        "until background work had died down after the load; empty: it had not within the limit",
    ),
    "after_load_close_seconds": (REAL, "s", "to close the database"),
    "after_load_cpu_user_ns": (WHOLE, "ns", f"CPU time in user mode {AFTER}"),
    "after_load_cpu_system_ns": (WHOLE, "ns", f"CPU time in the kernel {AFTER}"),
    "after_load_os_read_bytes": (WHOLE, "bytes", f"read from disk {AFTER}"),
    "after_load_os_written_bytes": (WHOLE, "bytes", f"written to disk {AFTER}"),
}


def csv(edition: Edition) -> str:
    """The content of results.csv; two editions are of the same measurements when and only when it
    is the same.
    """
    return text(typed(edition.rows))


def text(rows: pd.DataFrame) -> str:
    """Rows as CSV; nine digits are more than any clock here tells apart."""
    return rows.to_csv(index=False, lineterminator="\n", float_format="%.9g")


def typed(rows: pd.DataFrame) -> pd.DataFrame:
    """The columns of the dictionary in its order, whole numbers without a decimal point."""
    rows = rows.reindex(columns=list(COLUMNS))
    return rows.astype({name: "Int64" for name, (kind, *_) in COLUMNS.items() if kind == WHOLE})


def read(file: Path) -> pd.DataFrame:
    """The rows that results.csv holds, as an edition has them; columns that it lacks are missing
    values. Raises Unreadable.
    """
    texts = {
        name: str for name, (kind, *_) in COLUMNS.items() if kind == TEXT
    }  # though a version may look like a number
    try:
        rows = pd.read_csv(
            io.BytesIO(_unpacked(file)),
            dtype=texts,
            keep_default_na=False,
            na_values={name: [""] for name in COLUMNS if name not in texts},
        )
    except (ValueError, OverflowError) as problem:  # of pandas' own, and what is not in UTF-8
        raise Unreadable(f"no table: {one_line(str(problem))}") from None
    if lost := [name for name in NEEDED if name not in rows]:
        raise Unreadable(f"it has no column {lost[0]}")
    for name, (kind, *_) in COLUMNS.items():
        if kind != TEXT and name in rows and not pd.api.types.is_numeric_dtype(rows[name]):
            raise Unreadable(f"its {name} are no numbers")
    return rows.reindex(columns=list(dict.fromkeys([*COLUMNS, *rows.columns])))


def _unpacked(file: Path) -> bytes:
    """A table's bytes, compressed or not."""
    opened = gzip.open if file.suffix == ".gz" else open
    try:
        with opened(file, "rb") as packed:
            content = packed.read(LARGEST + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
        raise Unreadable(str(problem)) from None
    if len(content) > LARGEST:
        raise Unreadable(f"it holds more than {LARGEST >> 20} MiB")
    return content
