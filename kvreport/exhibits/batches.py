"""Test 3: how many entries LevelDB and RocksDB are given at once (A06, B02)."""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import contrasts, stats, terms
from kvreport.analysis.costs import beside_heap
from kvreport.analysis.results import of_case
from kvreport.analysis.stats import Difference
from kvreport.base.text import number
from kvreport.charts.chapter import Chapter
from kvreport.charts.curves import ENDING, Curves, curves
from kvreport.charts.figures import Figure, placeholder
from kvreport.charts.tables import MISSING, table
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.data.runs import labels, results
from kvreport.exhibits.charts import exhibit_of
from kvreport.exhibits.tables import STATUS, interval, nothing, rounded

RESULT = [
    *("keys", "order", "value_bytes", "settings", "content", "workload"),
    "store",
    "name",
    "colour",
    "value",
    "low",
    "high",
    "values",
    "status",
    "reason",
    "entries",
    "ending",
]
ROWS = [*RESULT, "x", "until", "mark", "batch", "batch_mb", "case"]
BEST = ["name", "shares"]
EXHAUSTED = ["name", "settings", "value_bytes"]


def figure(chapter: Chapter, id: str, load: Case, edition: str) -> Figure:
    """A06, B02: time to load an entry against the share of all entries that a batch holds. Its
    title is the chapter's.
    """
    exhibit = exhibit_of(id)
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    frame = rows_of(chapter, load, edition)
    panel = Curves(
        "write",
        frame,
        "share of all entries in a batch",
        "ns/entry",
        {x: f"{x:g}%" for x in sorted(frame["x"].unique())},
    )
    return curves(
        id,
        [panel],
        subtitle=f"{chapter.provenance(exhibit, load._replace(settings='batch=1%'))},"
        f" {load.value_bytes:,}-byte values · tick: the report of {published.NAMES[edition]} · thin"
        f" lines: {stats.interval_name(chapter.trial_count)} · {terms.survives([load])}"
        f"{ENDING if panel.ends else ''}",
    )


def rows_of(chapter: Chapter, load: Case, edition: str) -> pd.DataFrame:
    """A row for each store and batch of a load; empty where nothing is measured.

    store, name, colour, case
    status, reason    as stats.cells has them
    value, low, high  ns/entry, with its interval;  values: one a trial
    ending, until     share of the load after its last put, and value without that; NaN where these
                      were not timed
    x, batch          the batch in percent of all entries, and in entries;  batch_mb: in 10^6 bytes
    entries           of the case
    mark              what the edition published, ns/entry, or NaN
    """
    if not chapter.measured:
        return pd.DataFrame(columns=ROWS)
    then, rows = published.times(edition, chapter.test), []
    for case in chapter.cases:
        if case._replace(settings="") != load or not case.settings.startswith("batch="):
            continue
        share = float(case.settings.removeprefix("batch=").rstrip("%"))
        for row in chapter.plot_rows(chapter.case(case)).to_dict("records"):
            was = then.get((row["store"], case, "write"))
            batch = max(1, round(row["entries"] * share / 100))
            rows.append(
                {name: row[name] for name in RESULT}
                | {
                    "x": share,
                    "until": row["value"] * (1 - row["ending"]),
                    "mark": was.value if was else nan,
                    "batch": batch,
                    "batch_mb": batch * load.flat / 1e6,
                    "case": case,
                }
            )
    return pd.DataFrame(rows, columns=ROWS)


def best(chapter: Chapter, load: Case, edition: str) -> pd.DataFrame:
    """A row for each store that a load succeeded with: name; shares, the batches, in percent of the
    entries, that none is measurably faster than, least first.
    """
    rows = rows_of(chapter, load, edition)
    rows = rows[rows["status"] == "ok"]
    found = []
    for store in sorted(filter(chapter.is_store, set(rows["store"]))):
        own = rows[rows["store"] == store].sort_values(["value", "x"])
        by_share = {f"{row['x']}": row for row in own.to_dict("records")}
        first, *_ = by_share
        beaten = {
            share
            for share, (_, difference) in contrasts.compare_across(chapter, by_share, first).items()
            if difference is Difference.GREATER
        }
        found.append(
            [
                chapter.name(store),
                sorted(row["x"] for share, row in by_share.items() if share not in beaten),
            ]
        )
    return pd.DataFrame(found, columns=BEST)


def loads(chapter: Chapter, load: Case, edition: str) -> Markdown:
    """Each store's load with each batch: time, open files, memory, and what was published."""
    if not chapter.measured:
        return nothing(chapter)
    frame, rows = chapter.frame, []
    for row in rows_of(chapter, load, edition).sort_values(["name", "x"]).to_dict("records"):
        costs = of_case(frame, row["case"])
        costs = costs[(costs["store"] == row["store"]) & (costs["status"] == "ok")]
        good = row["status"] == "ok"
        rows.append(
            [
                row["name"],
                f"{row['x']:g}%",
                f"{row['batch']:,}",
                number(row["batch_mb"]),
                number(row["value"]) if good else f"{STATUS[row['status']]}: {row['reason']}",
                interval(row) if good else MISSING,
                rounded(costs["store_files"].astype(float).median(), 0) if good else MISSING,
                rounded(beside_heap(costs).median(), 0) if good else MISSING,
                number(row["mark"]) or MISSING,
            ]
        )
    return table(
        [
            "store",
            ">batch, % of entries",
            ">batch, entries",
            ">batch, MB",
            ">ns/entry",
            ">95% interval, ns/entry",
            ">store's open files",
            ">peak beside the heap, MB",
            ">2016, ns/entry",
        ],
        rows,
    )


def exhausted(chapter: Chapter) -> pd.DataFrame:
    """A row for each store whose later cases ran in a JVM whose heap an earlier case of the trial
    had exhausted: name, and that case's settings and value_bytes. A record that says how many JVMs
    it took is of later than that: another one measured those cases.
    """
    first: dict[str, list] = {}
    for trial in (each for each in chapter.trials if "processes" not in each):
        for case, result in results(trial):
            if "OutOfMemoryError" in (result["reason"] or "") and case is not trial["cases"][-1]:
                name, hit = trial["store"]["name"], labels(case)
                first.setdefault(name, [name, hit["settings"], hit["value_bytes"]])
    return pd.DataFrame(first.values(), columns=EXHAUSTED)
