"""The files of data/published: typed or copied once, and refused where they are anything else.

SHA256SUMS beside them says what each of them is, as `sha256sum -c` reads it; so not a row is
missing and not a number is another. What can be named more closely is named first.
"""

import csv
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import Unreadable, read_text
from kvreport.base.paths import shown
from kvreport.base.text import join_words, one_line, visible

SUMS = "SHA256SUMS"
COLUMNS = [
    *("exhibit", "system", "store_id", "workload", "keys", "order"),
    *("parameter", "value", "unit", "source", "entries", "value_bytes"),
]
LMDBJAVA, OTHERS = (
    ["forceSafe", "sync", "writeMap", "metaSync", "batchSize"],
    ["threads", "settings"],
)
NO_PART_OF_THE_KEY = "value", "source", "printed"  # of what tells rows apart
COUNT, FLAG = r"\d{0,15}", "|true|false"
PATTERNS = {  # of columns that a program reads; the others are text
    "exhibit": r"|[A-E]\d\d",
    "store_id": "|[A-Za-z][A-Za-z0-9]*",
    "keys": "|int|string",
    "order": "|sequential|random",
    "value": r"-?\d{1,15}(\.\d+)?",
    **dict.fromkeys(("entries", "value_bytes", "threads", "batchSize"), COUNT),
    **dict.fromkeys(("forceSafe", "sync", "writeMap", "metaSync"), FLAG),
}


def read(source: str) -> pd.DataFrame:
    """A file's rows, all of them text. Raises UserError."""
    file = paths.PUBLISHED / f"{source}.csv"
    try:
        content = read_text(file)
        rows = list(csv.reader(visible(content).splitlines(keepends=True), strict=True))
    except (Unreadable, csv.Error) as problem:
        raise _damaged(file, str(problem)) from None
    if complaint := next(complaints(source, rows), None):
        raise _damaged(file, complaint)
    if hashlib.sha256(content.encode()).hexdigest() != _sums().get(file.name):
        raise _damaged(file, f"its SHA-256 is not the one that {SUMS} has")
    return pd.DataFrame(rows[1:], columns=rows[0], dtype=str)


def complaints(source: str, rows: list[list[str]]) -> Iterator[str]:
    """Return what is wrong with a file's lines, a few words each."""
    names = [*COLUMNS, *(LMDBJAVA if source.startswith("lmdbjava") else OTHERS), "printed"]
    if (rows or [[]])[0] != names:
        yield f"its columns are not {join_words(names)}"
        return
    seen: set[tuple] = set()
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(names):
            yield f"row {number} has {len(row)} of {len(names)} columns"
            return
        cells = dict(zip(names, row))
        for name, pattern in PATTERNS.items():
            if name in cells and not re.fullmatch(pattern, cells[name], re.ASCII):
                yield f"row {number} has {cells[name][:40]!r} as {name}"
        key = tuple(cell for name, cell in cells.items() if name not in NO_PART_OF_THE_KEY)
        if key in seen:
            yield f"row {number} stands in it twice"
        seen.add(key)


def _sums() -> dict[str, str]:
    """The SHA-256 of each file, by name. Raises UserError."""
    file = paths.PUBLISHED / SUMS
    try:
        lines = [line.split("  ", 1) for line in read_text(file).splitlines()]
        return {name: digest for digest, name in lines}
    except (Unreadable, ValueError) as problem:
        reason = str(problem) if isinstance(problem, Unreadable) else "a line has no name"
        raise _damaged(file, reason) from None


def _damaged(file: Path, complaint: str) -> UserError:
    return UserError(
        f"{shown(file)} is not as it was typed ({one_line(complaint)}): restore it with `git"
        " checkout data/published`."
    )
