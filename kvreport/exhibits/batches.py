"""Test 3: how many entries LevelDB and RocksDB are given at once (A06, B02)."""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import stats
from kvreport.analysis.results import of_case
from kvreport.base.text import join_words, number
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.data.runs import labels, results
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import Figure, exhibit_of, placeholder
from kvreport.exhibits.curves import Curves, curves
from kvreport.exhibits.tables import MISSING, STATUS, interval, nothing, rounded, table


def figure(chapter: Chapter, id: str, load: Case, edition: str) -> Figure:
    """A06, B02: time to load an entry against the share of all entries that a batch holds."""
    exhibit = exhibit_of(id)
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    frame = rows_of(chapter, load, edition)
    good = frame[frame["status"] == "ok"]
    shares = {}
    for name, rows in good.groupby(
        "name"
    ):  # a store's batches that trials cannot tell apart share the lead
        shares.setdefault(
            join_words(
                (
                    f"{share:g}%"
                    for share in sorted(row["x"] for row in stats.fastest(rows, chapter.floor))
                ),
                "or",
            ),
            [],
        ).append(name)
    title = "The least time to load, by share of the entries in a batch: " + "; ".join(
        f"{join_words(names)} at {share}" for share, names in shares.items()
    )
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
        title if shares else "No load succeeded",
        f"{chapter.provenance(exhibit, load._replace(settings='batch=1%'))},"
        f" {load.value_bytes:,}-byte values · tick: the report of {published.NAMES[edition]} · thin"
        f" lines: {stats.interval_name(chapter.trial_count)}",
    )


def rows_of(chapter: Chapter, load: Case, edition: str) -> pd.DataFrame:
    """A row for each store and batch: the columns of curves.Curves, with status, reason, entries,
    batch (entries), batch_mb.
    """
    then, rows = published.times(edition, chapter.test), []
    for case in chapter.cases:
        if case._replace(settings="") != load or not case.settings.startswith("batch="):
            continue
        share = float(case.settings.removeprefix("batch=").rstrip("%"))
        for row in chapter.plot_rows(chapter.case(case)).to_dict("records"):
            was = then.get((row["store"], case, "write"))
            batch = max(1, round(row["entries"] * share / 100))
            rows.append(
                {
                    name: row[name]
                    for name in (
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
                    )
                }
                | {
                    "x": share,
                    "mark": was.value if was else nan,
                    "batch": batch,
                    "batch_mb": batch * load.flat / 1e6,
                    "case": case,
                }
            )
    return pd.DataFrame(
        rows,
        columns=[
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
            "x",
            "mark",
            "batch",
            "batch_mb",
            "case",
        ],
    )


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
                rounded(costs["peak_rss_bytes"].median() / 1e6, 0) if good else MISSING,
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
            ">peak resident, MB",
            ">2016, ns/entry",
        ],
        rows,
    )


def after_exhaustion(chapter: Chapter) -> str:
    """Which stores' later cases ran in a JVM whose heap an earlier case of the trial had exhausted;
    nothing where none did.
    """
    first = {}
    for trial in chapter.trials:
        for case, result in results(trial):
            if "OutOfMemoryError" in (result["reason"] or "") and case is not trial["cases"][-1]:
                first.setdefault(trial["store"]["name"], labels(case))
    return " ".join(
        f"{name} ran out of heap at {case['settings'].replace('=', ' ')} with"
        f" {case['value_bytes']:,}-byte values; the cases after it were measured in the same JVM."
        for name, case in first.items()
    )
