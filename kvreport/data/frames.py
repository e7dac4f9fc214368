"""Tidy frames of what was measured and what was published, for notebooks: one row is one fact, and
a frame of nothing has its columns.

`results` has the columns of a published version's results.csv (results_table.COLUMNS) and one more,
so that the same cell works on a run, on the report and on a version.
"""

import functools

import pandas as pd

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.data import published as source
from kvreport.data import published_files, results_table, runs, versions
from kvreport.data.cases import Case
from kvreport.data.records import ENVIRONMENT, read_environment
from kvreport.data.trials import Run, read_run

PUBLISHED = [
    *("exhibit", "edition", "store", "system", "workload", "keys", "order", "value_bytes"),
    *("settings", "parameter", "value", "unit", "ns_per_entry", "source"),
]
PRINTED = [
    *("store", "name", "engine", "family", *Case._fields, "workload"),
    *("ns_per_entry", "low", "high", "closed_bytes", "flat_bytes"),
]
ENDING = {  # of a load; one more column in a version's file, and no digest would be the same
    "ending": (
        "DOUBLE",
        "",
        "of a load: the share of its time after its last put, with the last"
        " commit and the closing; empty where these were not timed, and in versions",
    )
}
SOURCES = {7: source.LEVELDB, 8: source.COMPARISON, 9: source.COMPARISON, 10: source.ROCKSJAVA}
SPACE = ["run", "section", "store", "name", "family", "engine", "trial", *Case._fields]
BLOCKS = ["entries", "flat_bytes", "open_bytes", "closed_bytes", "aged_bytes"]
PER_SECOND = {*source.RATES, "reads/s"}


def results(section: str | None = None, source: str | None = None) -> pd.DataFrame:
    """Return what was measured: one row for each trial, store, case and workload, failures
    included.

    section  as "04-small-values"; None for all
    source   a run of data/runs, a published version, or None for what the report shows: each
             section of the newest run of this machine that has it, else of the reference run

    The columns are those of `columns()`. Raises UserError for a run or a version that is not there,
    and for a damaged record.
    """
    if source is not None and source in versions.names():
        rows = _typed(versions.load_version(paths.REPORT / source).rows)
        kept = rows if section is None else rows[rows["section"] == section]
        return kept.reset_index(drop=True)
    if source is not None:
        runs.existing(source, runs.runs())
        shown = dict.fromkeys(_sections(source), source)
    else:
        try:
            shown = runs.shown_sections()
        except UserError:  # nothing is measured
            shown = {}
    wanted = {name: run for name, run in shown.items() if section in (None, name)}
    parts = [_tidy(run, name, stamp(run, name)) for name, run in wanted.items()]
    return pd.concat(parts, ignore_index=True) if parts else _typed(pd.DataFrame())


def loaded(run: str, section: str | None = None) -> Run:
    """The records of a run, or of one section of it, each section read again only when a file of it
    changed: a chapter asks for them several times. Raises UserError for a run that is not there;
    bears with damaged trials, which the run then names.
    """
    runs.existing(run, runs.runs())
    wanted = _sections(run) if section is None else [section]
    parts = [_loaded(run, each, stamp(run, each)) for each in wanted]
    if len(parts) == 1:
        return parts[0]
    return Run(
        run,
        read_environment(paths.RUNS / run / ENVIRONMENT),
        [trial for part in parts for trial in part.trials],
        tuple(damaged for part in parts for damaged in part.damaged),
    )


def space(section: str | None = None, source: str | None = None) -> pd.DataFrame:
    """Return what loads left on disk: one row for each trial, store and case that loaded.

    open_bytes, closed_bytes, aged_bytes  disk blocks, as `columns()` says
    bytes_per_entry  closed_bytes over the entries
    overhead         closed_bytes over those of a flat array of the same keys and values, less 1
    """
    rows = results(section, source)
    rows = rows[rows["closed_bytes"].notna()].drop_duplicates(["run", *SPACE])
    rows = rows[[*SPACE, *BLOCKS]].reset_index(drop=True)
    return rows.assign(
        bytes_per_entry=rows["closed_bytes"] / rows["entries"],
        overhead=rows["closed_bytes"] / rows["flat_bytes"] - 1,
    )


def published(exhibit: str | None = None) -> pd.DataFrame:
    """Return what the source documents print: one row a figure, of one exhibit ("A09", as EXHIBITS
    in the introduction lists them) or of all.

    edition       the source's file in data/published;  source: where it stands in it
    store         the id of the store here; empty where there is none;  system: its name there
    value, unit   as printed;  ns_per_entry: the same where it is a time or a rate, else missing
    """
    files = sorted(file.stem for file in paths.PUBLISHED.glob("*.csv"))
    rows = pd.concat(
        [published_files.read(name).assign(edition=name) for name in files], ignore_index=True
    ).rename(columns={"store_id": "store"})
    rows = rows if exhibit is None else rows[rows["exhibit"] == exhibit]
    value = rows["value"].astype(float)
    entries = pd.to_numeric(rows["entries"])
    ns = (value * rows["unit"].map(source.NS) / entries).where(rows["unit"].isin(source.NS))
    ns = ns.fillna((1e9 / value).where(rows["unit"].isin(PER_SECOND)))
    rows = rows.assign(value=value, value_bytes=pd.to_numeric(rows["value_bytes"]), ns_per_entry=ns)
    return rows.reindex(columns=PUBLISHED).reset_index(drop=True)


def printed(section: str, edition: str = "") -> pd.DataFrame:
    """Return what the source of a section measured, in the columns of `results`: one row for each
    store, case and workload, with ns_per_entry and the ends of its interval (low, high) where it
    has them, and for each store and case what was left on disk (closed_bytes of one entry, of
    flat_bytes).

    edition  one of published.NAMES; the newest source of the section where it is not named
    """
    test = int(section[:2])
    edition = edition or SOURCES.get(test, source.JULY)
    names = {}
    rows: dict[tuple, dict[str, object]] = {}
    for (store, case, workload), was in source.times(edition, test).items():
        names[store] = source.NAMED.get(store, was.system)
        rows[store, case, workload] = {
            "ns_per_entry": was.value,
            "low": was.low,
            "high": was.high,
        }
    for (store, case), size in source.sizes(edition, test).items():
        names.setdefault(store, source.NAMED.get(store, size.system))
        for key in [key for key in rows if key[:2] == (store, case)] or [(store, case, "write")]:
            rows.setdefault(key, {}).update(closed_bytes=size.value, flat_bytes=case.flat)
    found = [
        {"store": store, "name": names[store], "engine": names[store].split()[0], "family": ""}
        | case._asdict()
        | {"workload": workload}
        | values
        for (store, case, workload), values in rows.items()
    ]
    return pd.DataFrame(found, columns=PRINTED)


def beside(rows: pd.DataFrame, was: str | pd.DataFrame) -> pd.DataFrame:
    """The rows with a column `then`, what a source measured of the same store, case and workload,
    in ns an entry; of rows without a workload, in bytes an entry. `was`: as `printed` has it, or
    the section whose source it is.

    The reports of 2016 got by key in the order of writing, and loaded some stores by appending
    where keys come in order.
    """
    was = printed(was) if isinstance(was, str) else was
    case = [*Case._fields]
    if "workload" not in rows:
        sizes = was.dropna(subset="closed_bytes").drop_duplicates(["store", *case])
        sizes = sizes[["store", *case, "closed_bytes"]].rename(columns={"closed_bytes": "then"})
        return rows.merge(sizes, how="left", on=["store", *case])
    there = rows.groupby(case)["workload"].agg(set).rename("there")
    both = rows[["store", *case, "workload"]].join(there, on=case)
    asked = [
        source.as_published(*each) for each in zip(both["store"], both["workload"], both["there"])
    ]
    times = was.rename(columns={"ns_per_entry": "then"})[["store", *case, "workload", "then"]]
    found = both.assign(workload=asked).merge(times, how="left", on=["store", *case, "workload"])
    return rows.assign(then=found["then"].to_numpy())


def in_full(section: str) -> pd.DataFrame:
    """Return what was measured of a section at profile full, the sources' own size, where the
    report shows it at a smaller one: of each store the first run that has it, as `results` has
    them.

    harness  the number of the harness that measured them
    """
    try:
        names = runs.in_full(section)
    except UserError:  # nothing is measured
        names = []
    known = runs.runs() if names else {}
    rows = [results(section, name).assign(harness=known[name]["harness"]) for name in names]
    whole = pd.concat(rows) if rows else results("").assign(harness=0)
    first = whole.groupby("store")["run"].transform("first")
    return whole[whole["run"] == first].reset_index(drop=True)


def columns() -> pd.DataFrame:
    """The data dictionary of `results`: column, type, unit, meaning."""
    named = [(name, *about) for name, about in (results_table.COLUMNS | ENDING).items()]
    return pd.DataFrame(named, columns=["column", "type", "unit", "meaning"])


def _typed(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows in the dictionary's columns and types."""
    kinds = {results_table.TEXT: "str", results_table.REAL: "float64"}
    types = {
        name: kinds[kind] for name, (kind, *_) in results_table.COLUMNS.items() if kind in kinds
    }
    ending = rows.reindex(columns=[*ENDING]).astype("float64")
    return results_table.typed(rows).astype(types).join(ending)


@functools.lru_cache(64)  # sections of the runs that a report draws on
def _tidy(run: str, section: str, read_at: tuple) -> pd.DataFrame:
    part = _loaded(run, section, read_at)
    return _typed(part.frame)


@functools.lru_cache(64)
def _loaded(run: str, section: str, read_at: tuple) -> Run:
    return read_run(paths.RUNS / run, section, bearing=True)


def _sections(run: str) -> list[str]:
    """The sections that a run has records of."""
    return sorted({file.parent.name for file in (paths.RUNS / run).glob("*/*.json")})


def stamp(run: str, section: str) -> tuple:
    """Names and times of the records, by which what was read is known to be current."""
    files = sorted((paths.RUNS / run / section).glob("*.json"))
    return tuple((file, file.lstat().st_mtime_ns) for file in files)
