"""Data for others: an edition's results as CSV, Parquet and JMH's JSON, with a dictionary of the
columns.

One row is what one trial measured of one workload in one case. ns_per_entry is the value that all
figures are made from.
"""

import gzip
import json
from math import isnan
from pathlib import Path

import pandas as pd

from kvreport.analysis import stats
from kvreport.data.cases import Case
from kvreport.data.editions import Edition
from kvreport.data.results_table import COLUMNS, KEY, REAL, TEXT, WHOLE, text, typed
from kvreport.publish.pages import page

OF_A_FIGURE = [
    *KEY,
    "name",
    "trial",
    "status",
    "reason",
    "entries",
    "ns_per_entry",
    "open_bytes",
    "closed_bytes",
]
CSV, PARQUET, JMH = "results.csv.gz", "results.parquet", "jmh-result.json.gz"
HELD = "unversioned.zip"
LEFT_OUT = (
    "singles_counts",  # as large as all others together; the records have it
    *("ms", "entries_per_s", "gb_per_s"),  # follow from ns_per_entry, entries and user_bytes
)
PUBLISHED = {name: meaning for name, meaning in COLUMNS.items() if name not in LEFT_OUT}
FILES = {
    CSV: (
        "every result, one row each, compressed; pandas, R and DuckDB read it as it is. A pass took"
        " ns_per_entry times entries"
    ),
    PARQUET: "the same with types",
    JMH: (
        "the same as JMH writes it, for its visualisers, which want it unpacked: an operation is"
        " one entry, a fork one trial, an iteration one pass; the score is this report's median"
        " over trials and the error its 95% interval"
    ),
    "datapackage.json": "this table as Frictionless table schema",
    HELD: (
        "records and environments, notebooks and scripts, as measured, that the project's"
        " repository did not have when this was published"
    ),
}
ZSTD_LEVEL = 22  # the highest


def write_results(edition: Edition, folder: Path) -> None:
    """Writes the results as CSV, Parquet and JMH's JSON into a folder."""
    folder.mkdir(parents=True)
    table = text(typed(edition.rows)[list(PUBLISHED)]).encode()
    (folder / CSV).write_bytes(compressed(table))
    (folder / JMH).write_bytes(compressed(f"{json.dumps(jmh(edition))}\n".encode()))
    write_parquet(folder / CSV, folder / PARQUET)


def write_dictionary(folder: Path, title: str, commit: str | None) -> None:
    """Writes, beside the data, their dictionary, and the page that lists what the folder holds;
    `title` is the page's heading, `commit` the one that has the source, if it is not in the folder.
    """
    (folder / "datapackage.json").write_text(json.dumps(dictionary(title), indent=1) + "\n")
    (folder / "index.html").write_text(
        page(
            "data.html",
            title=title,
            files={name: FILES[name] for name in FILES if (folder / name).exists()},
            columns=PUBLISHED,
            commit=commit,
        )
    )


def compressed(content: bytes) -> bytes:
    """Content as gzip; the same content gives the same bytes."""
    return gzip.compress(content, compresslevel=9, mtime=0)


def write_parquet(table: Path, file: Path) -> None:
    """Writes a CSV file with these columns as Parquet, with their types."""
    import duckdb  # large, and nothing else needs it

    types = ", ".join(f"'{name}': '{sql}'" for name, (sql, *_) in PUBLISHED.items())
    rows = f"SELECT * FROM read_csv('{_quoted(table)}', header = true, columns = {{{types}}})"
    duckdb.sql(
        f"COPY ({rows}) TO '{_quoted(file)}'"
        f" (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL {ZSTD_LEVEL})"
    )


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def dictionary(title: str) -> dict:
    """The columns as a Frictionless data package describes them."""
    types = {TEXT: "string", WHOLE: "integer", REAL: "number"}
    fields = [
        {"name": name, "type": types[sql], "description": meaning}
        | ({"unit": unit} if unit else {})
        for name, (sql, unit, meaning) in PUBLISHED.items()
    ]
    return {
        "name": "results",
        "title": title,
        "resources": [
            {
                "name": "results",
                "path": CSV,
                "format": "csv",
                "mediatype": "text/csv",
                "compression": "gz",
                "encoding": "utf-8",
                "schema": {"fields": fields, "primaryKey": [*KEY, "trial"]},
            }
        ],
    }


def jmh(edition: Edition) -> list[dict]:
    """The results that are ok as JMH's JSON has them; the parameters hold no spaces, at which
    visualisers would cut them.
    """
    good = edition.rows[edition.rows["status"] == "ok"]
    return [
        _benchmark(dict(zip([*KEY, "entries"], key)), rows)
        for key, rows in good.groupby([*KEY, "entries"], sort=True)
    ]


def _benchmark(of: dict, rows: pd.DataFrame) -> dict:
    found = stats.estimate(rows["ns_per_entry"])
    passes = [
        [round(int(ns) / of["entries"], 3) for ns in each.split()] for each in rows["iteration_ns"]
    ]
    first = rows.iloc[0]
    params = {"store": of["store"]} | {
        name: str(of[name]).replace(", ", "+").replace("=", ":")
        for name in Case._fields
        if of[name] != ""
    }
    return {
        "jmhVersion": "1.37",
        "benchmark": f"kv.Test{of['section'].title().replace('-', '')}.{of['workload']}",
        "mode": "avgt",
        "threads": 1,
        "forks": len(rows),
        "jdkVersion": first["jdk"],
        "vmVersion": first["jdk"],
        "warmupIterations": int(rows["warmup_passes"].max()),
        "warmupTime": "single-shot",
        "warmupBatchSize": int(of["entries"]),
        "measurementIterations": max(map(len, passes)),
        "measurementTime": "single-shot",
        "measurementBatchSize": int(of["entries"]),
        "params": params | {"entries": str(of["entries"])},
        "primaryMetric": {
            "score": _number(found.value),
            "scoreError": _number(max(found.high - found.value, found.value - found.low)),
            "scoreConfidence": [_number(found.low), _number(found.high)],
            "scorePercentiles": {
                f"{at:.1f}": _number(float(rows["ns_per_entry"].quantile(at / 100)))
                for at in (0, 50, 90, 100)
            },
            "scoreUnit": "ns/op",
            "rawData": passes,
        },
        "secondaryMetrics": {},
    }


def _number(value: float) -> float | str:
    """With six digits, which is more than any time has."""
    return "NaN" if isnan(value) else float(f"{value:.6g}")  # JMH's: JSON has no such number


def figure_rows(edition: Edition, sources: list[dict]) -> pd.DataFrame:
    """The rows that a figure is drawn from; each source names a `section`, and may name fields of a
    case.
    """
    rows = edition.rows
    chosen = pd.Series(False, index=rows.index)
    for source in sources:
        chosen |= pd.concat([rows[name] == value for name, value in source.items()], axis=1).all(
            axis=1
        )
    return typed(rows[chosen])[OF_A_FIGURE]
