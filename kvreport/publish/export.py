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

TEXT, WHOLE, REAL = "VARCHAR", "BIGINT", "DOUBLE"
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
        "how many were made before, unmeasured; their times are in trials.zip",
    ),
    "iteration_ns": (TEXT, "ns", "times of the measured passes, separated by spaces"),
    "cpu_user_ns": (WHOLE, "ns", f"CPU time in user mode, {SUMMED}"),
    "cpu_system_ns": (WHOLE, "ns", f"CPU time in the kernel, {SUMMED}"),
    "os_read_bytes": (WHOLE, "bytes", f"read from disk, {SUMMED}"),
    "os_written_bytes": (WHOLE, "bytes", f"given to the system to be written to disk, {SUMMED}"),
    "peak_rss_bytes": (WHOLE, "bytes", "largest resident memory of the process so far"),
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
        "files of the database among them, open or mapped; empty in older records",
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
    "singles_counts": (TEXT, "ns", "their histogram: time:how many, separated by spaces"),
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
    """The rows that results.csv holds, as an edition has them; columns that an older file lacks are
    missing values.
    """
    texts = {
        name: str for name, (kind, *_) in COLUMNS.items() if kind == TEXT
    }  # though a version may look like a number
    rows = pd.read_csv(
        file,
        dtype=texts,
        keep_default_na=False,
        na_values={name: [""] for name in COLUMNS if name not in texts},
    )
    rows = rows.reindex(columns=list(dict.fromkeys([*COLUMNS, *rows.columns])))
    return rows.fillna(Case._field_defaults)  # what a case has that older files do not name


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
