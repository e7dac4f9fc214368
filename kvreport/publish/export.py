"""Data for others: an edition's results as CSV, Parquet and JMH's JSON, with a dictionary of the
columns.

One row is what one trial measured of one workload in one case. ns_per_entry is the value that all
figures are made from.
"""

import html
import json
import string
from math import isnan
from pathlib import Path

import pandas as pd

from kvreport.analysis import stats
from kvreport.base import paths
from kvreport.data.cases import Case
from kvreport.data.editions import KEY, Edition
from kvreport.data.results_table import COLUMNS, REAL, TEXT, WHOLE, csv, typed

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
FILES = {
    "results.csv": "every result, one row each",
    "results.parquet": "the same with types",
    "jmh-result.json": (
        "the same as JMH writes it, for its visualisers: an operation is one entry, a fork one"
        " trial, an iteration one pass; the score is this report's median over trials and the error"
        " its 95% interval"
    ),
    "datapackage.json": "this table as Frictionless table schema",
    "trials.zip": (
        "the trials' records and each run's environment, as measured; data/schema in the project"
        " explains every field"
    ),
    "notebooks.zip": "the notebooks behind the pages, with their outputs",
    "figures": "the rows of each figure, a file each",
}


def write(edition: Edition, folder: Path, about: str) -> None:
    """Writes results.csv, .parquet, jmh-result.json, their dictionary and a page on them into a
    folder; `about` is the page's heading.
    """
    folder.mkdir(parents=True)
    (folder / "results.csv").write_text(csv(edition))
    write_parquet(folder / "results.csv", folder / "results.parquet")
    (folder / "jmh-result.json").write_text(json.dumps(jmh(edition)) + "\n")
    (folder / "datapackage.json").write_text(json.dumps(dictionary(about), indent=1) + "\n")
    (folder / "index.html").write_text(page(about))


def write_parquet(table: Path, file: Path) -> None:
    """Writes a CSV file with these columns as Parquet, with their types."""
    import duckdb  # large, and nothing else needs it

    types = ", ".join(f"'{name}': '{kind}'" for name, (kind, *_) in COLUMNS.items())
    duckdb.sql(
        f"SELECT * FROM read_csv('{_quoted(table)}', header = true, columns = {{{types}}})"
    ).write_parquet(str(file), compression="zstd")


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def dictionary(title: str) -> dict:
    """The columns as a Frictionless data package describes them."""
    kinds = {TEXT: "string", WHOLE: "integer", REAL: "number"}
    fields = [
        {"name": name, "type": kinds[kind], "description": meaning}
        | ({"unit": unit} if unit else {})
        for name, (kind, unit, meaning) in COLUMNS.items()
    ]
    return {
        "name": "results",
        "title": title,
        "resources": [
            {
                "name": "results",
                "path": "results.csv",
                "format": "csv",
                "mediatype": "text/csv",
                "encoding": "utf-8",
                "schema": {"fields": fields, "primaryKey": [*KEY, "trial"]},
            }
        ],
    }


def page(title: str) -> str:
    """What the files are and what the columns mean, for people."""
    template = string.Template((paths.THEME / "versions" / "data.html").read_text())
    columns = "".join(
        f"<tr><td><code>{name}</code></td><td>{unit}</td><td>{html.escape(meaning)}</td></tr>\n"
        for name, (_, unit, meaning) in COLUMNS.items()
    )
    files = "".join(
        f'<li><a href="{name}">{name}</a>: {html.escape(what)}</li>\n'
        for name, what in FILES.items()
        if name != "figures"
    )
    return template.substitute(
        title=html.escape(title), files=files, figures=FILES["figures"], columns=columns
    )


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
            "score": found.value,
            "scoreError": _number(max(found.high - found.value, found.value - found.low)),
            "scoreConfidence": [_number(found.low), _number(found.high)],
            "scorePercentiles": {
                f"{at:.1f}": float(rows["ns_per_entry"].quantile(at / 100))
                for at in (0, 50, 90, 100)
            },
            "scoreUnit": "ns/op",
            "rawData": passes,
        },
        "secondaryMetrics": {},
    }


def _number(value: float) -> float | str:
    return "NaN" if isnan(value) else value  # as JMH writes it, since JSON has no such number


def figure(edition: Edition, sources: list[dict]) -> pd.DataFrame:
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
