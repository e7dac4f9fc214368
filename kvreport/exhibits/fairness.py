"""Fairness: each store as this project sets it and as its vendor ships it, as two named rows."""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import contrasts, stats
from kvreport.analysis.stats import Difference
from kvreport.base.text import number
from kvreport.data.cases import Case
from kvreport.exhibits.bars import Panel, figure
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import SPEED, describe, ends, panel_title
from kvreport.exhibits.figures import Figure, placeholder
from kvreport.exhibits.tables import MISSING, STATUS, interval, nothing, table

SHIPPED = "defaults=on"
AS_SHIPPED = "vendor"  # in the names of rows
COMPARED = ["store", "workload", "own", "shipped", "ratio", "low", "high", "difference"]
VERDICTS = {
    Difference.GREATER: "slower as shipped",
    Difference.LESS: "faster as shipped",
    Difference.EQUIVALENT: "as fast as shipped",
    Difference.INCONCLUSIVE: "inconclusive",
}


def rows_of(chapter: Chapter, case: Case) -> pd.DataFrame:
    """The rows of Chapter.plot_rows of both cases, those with the vendor's settings named "RocksDB,
    vendor".
    """
    own, shipped = (
        chapter.plot_rows(chapter.case(each)) for each in (case, case._replace(settings=SHIPPED))
    )
    rows = pd.concat(
        [own, shipped.assign(name=[f"{name}, {AS_SHIPPED}" for name in shipped["name"]])],
        ignore_index=True,
    )
    return rows.assign(
        label=rows["value"].map(number),
        mark=nan,
        times=nan,
        baseline=nan,
        is_baseline=False,
        until=rows["value"] * (1 - rows["ending"]),
    )


def figure_of(chapter: Chapter, id: str, case: Case) -> Figure:
    """A panel for each workload: ns an entry, two rows a store. Its title is the chapter's."""
    if not chapter.measured:
        return placeholder(id, chapter.missing())
    rows = rows_of(chapter, case)
    panels = [
        Panel(panel_title(workload), rows[rows["workload"] == workload], "ns/entry", SPEED)
        for workload in chapter.workloads
    ]
    return figure(
        id,
        panels,
        subtitle=f"{chapter.provenance('Fairness', case)}, {describe(case)} · thin line: "
        f"{stats.interval_name(chapter.trial_count)}{ends(panels)}",
    )


def compared(chapter: Chapter, case: Case) -> pd.DataFrame:
    """A row for each store and workload that both settings measured; empty where nothing is.

    store (its name), workload
    own, shipped      ns/entry with this project's settings and with the vendor's
    ratio, low, high  shipped over own, with its interval
    difference        of shipped from own: a stats.Difference
    """
    if not chapter.measured:
        return pd.DataFrame(columns=COMPARED)
    own, shipped = (
        {
            (row["store"], row["workload"]): row
            for row in chapter.case(each).to_dict("records")
            if row["status"] == "ok"
        }
        for each in (case, case._replace(settings=SHIPPED))
    )
    rows = []
    for (store, workload), row in own.items():
        other = shipped.get((store, workload))
        if other is None or not chapter.is_store(store):
            continue
        ratio, difference = contrasts.compare(chapter, other, row)
        rows.append(
            [
                chapter.name(store),
                workload,
                row["value"],
                other["value"],
                ratio.value,
                ratio.low,
                ratio.high,
                difference,
            ]
        )
    return pd.DataFrame(rows, columns=COMPARED).astype({"ratio": float})  # even without a row


def untold(rows: pd.DataFrame) -> pd.DataFrame:
    """Of rows of `compared` those of single trials, which show no difference, that are further
    apart than the furthest that is measurable: by store, the workload that is furthest.
    """
    most = rows.loc[rows["difference"] == Difference.GREATER, "ratio"].max()
    single = rows[rows["low"].isna() & ~(rows["ratio"] <= max(1.0, most))]
    return single.sort_values("ratio", ascending=False).drop_duplicates("store")


def table_of(chapter: Chapter, case: Case) -> Markdown:
    """Each store with either settings, side by side, and what they come to."""
    if not chapter.measured:
        return nothing(chapter)
    ratios = {
        (each["store"], each["workload"]): each
        for each in compared(chapter, case).to_dict("records")
    }
    shipped = {
        (row["store"], row["workload"]): row
        for row in chapter.case(case._replace(settings=SHIPPED)).to_dict("records")
    }
    rows = []
    for row in chapter.case(case).to_dict("records"):
        if chapter.is_store(row["store"]):
            other, each = (
                shipped.get((row["store"], row["workload"])),
                ratios.get((chapter.name(row["store"]), row["workload"])),
            )
            rows.append(
                [
                    chapter.name(row["store"]),
                    row["workload"],
                    number(row["value"]) or STATUS[row["status"]],
                    (number(other["value"]) or STATUS[other["status"]]) if other else MISSING,
                    number(each["ratio"]) if each else MISSING,
                    interval(each) if each else MISSING,
                    (VERDICTS[each["difference"]] if each else MISSING),
                ]
            )
    return table(
        [
            "store",
            "workload",
            ">this project, ns/entry",
            ">as shipped, ns/entry",
            ">ratio, times",
            ">95% interval, times",
            "verdict",
        ],
        sorted(rows),
    )
