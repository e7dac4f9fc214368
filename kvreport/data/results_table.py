"""The results table: one row is what one trial measured of one workload in one case.

ns_per_entry is the value that all figures are made from. data/schema/results.csv has every column's
type, unit and meaning. Versions publish the table as CSV and as Parquet.
"""

import csv
import gzip
import io
import zlib
from pathlib import Path

import pandas as pd

from kvreport.base import paths
from kvreport.base.files import Unreadable
from kvreport.base.text import one_line
from kvreport.data.cases import Case

TEXT, WHOLE, REAL = "VARCHAR", "BIGINT", "DOUBLE"
RATE = "singles_per_second"
LARGEST = 1 << 30  # bytes of a table; those that were published have a few millions
DICTIONARY = paths.SCHEMA / "results.csv"
with open(DICTIONARY, newline="") as lines:  # name: type, unit, meaning
    COLUMNS = {name: tuple(about) for name, *about in list(csv.reader(lines))[1:]}
KEY = ["section", "store", *Case._fields, "workload"]  # with `trial`, what tells rows apart
# columns that are there though nothing was measured
NEEDED = [*KEY, "trial", "status", "name", "family", "entries"]
NEEDED += ["ns_per_entry", "host", "profile"]


def as_csv(rows: pd.DataFrame) -> str:
    """The content of results.csv; two editions are of the same measurements when and only when it
    is the same.
    """
    return text(typed(rows))


def text(rows: pd.DataFrame) -> str:
    """Rows as CSV; nine digits are more than any clock here tells apart. A rate keeps its decimal
    point, as in all versions that are published: they are known by the hash of this text.
    """
    if RATE in rows:
        rows = rows.assign(**{RATE: rows[RATE].astype("Float64").astype("string")})
    return rows.to_csv(index=False, lineterminator="\n", float_format="%.9g")


def typed(rows: pd.DataFrame) -> pd.DataFrame:
    """The columns of the dictionary in its order, whole numbers without a decimal point."""
    rows = rows.reindex(columns=list(COLUMNS))
    return rows.astype({name: "Int64" for name, (kind, *_) in COLUMNS.items() if kind == WHOLE})


def read_table(file: Path) -> pd.DataFrame:
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
