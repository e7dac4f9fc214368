"""The passes behind the medians: how times went from pass to pass, and which had not settled."""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import steady
from kvreport.analysis.steady import Steadiness
from kvreport.base.text import format_range
from kvreport.charts.chapter import Chapter
from kvreport.charts.curves import Curves, curves
from kvreport.charts.figures import Figure, placeholder
from kvreport.charts.tables import MISSING, table
from kvreport.data.cases import Case
from kvreport.exhibits.charts import describe
from kvreport.exhibits.tables import nothing

BEFORE = 3  # unmeasured passes that are drawn
LOW = 150  # px of a panel: six of them go on a page
GREY = "#b4b4b4"  # of the many that settled, which nobody has to tell apart
AXIS = 0.9  # where the axis begins, times the least value: what is to be seen is close to one


TRENDS = ["store", "name", "workload", "case", "verdict", "change", "low", "high", "change_text"]


def trends(chapter: Chapter, *cases: Case) -> pd.DataFrame:
    """A row for each result of a store or the flat file in some cases, or in all; empty where
    nothing is measured.

    store, name, workload, case
    verdict            a steady.Steadiness
    change, low, high  the last measured pass over the first, times, with its interval over trials
    change_text        the same in words: "12% faster"
    """
    if not chapter.measured:
        return pd.DataFrame(columns=TRENDS)
    rows = [
        [
            store,
            chapter.name(store),
            workload,
            case,
            trend.verdict,
            trend.change.value,
            trend.change.low,
            trend.change.high,
            trend.summary if trend.change.n else "",
        ]
        for case in cases or chapter.cases
        for (store, workload), trend in steady.pass_trends(chapter, case).items()
        if chapter.is_store(store) or chapter.is_baseline(store)
    ]
    return pd.DataFrame(rows, columns=TRENDS)


def counts(chapter: Chapter, *cases: Case) -> dict[str, int]:
    """How many results of stores came to each verdict, in some cases or in all: settled, changing,
    inconclusive and all.
    """
    rows = trends(chapter, *cases)
    found = rows[rows["store"].map(chapter.is_store).astype(bool)]["verdict"].value_counts()
    return {
        "settled": int(found.get(Steadiness.SETTLED, 0)),
        "changing": int(found.get(Steadiness.CHANGING, 0)),
        "inconclusive": int(found.get(Steadiness.INCONCLUSIVE, 0)),
        "all": int(found.sum()),
    }


def changing_stores(chapter: Chapter) -> list[str]:
    """The names of the stores with a result that was still changing."""
    rows = trends(chapter)
    found = rows[
        (rows["verdict"] == Steadiness.CHANGING) & rows["store"].map(chapter.is_store).astype(bool)
    ]
    return sorted(set(found["name"]))


def figure(chapter: Chapter, id: str, case: Case) -> Figure:
    """A panel for each workload, a curve for each store: passes over the median pass; those still
    changing are named and coloured. Its title is the chapter's.
    """
    if not chapter.measured:
        return placeholder(id, chapter.missing())
    rows = chapter.plot_rows(
        steady.passes(chapter, case, BEFORE).assign(trials=0, failures=0)
    ).assign(mark=nan)
    found = trends(chapter, case)
    changing = found[found["verdict"] == Steadiness.CHANGING]
    panels = [
        _panel(
            workload,
            rows[rows["workload"] == workload],
            frozenset(changing[changing["workload"] == workload]["store"]),
        )
        for workload in chapter.workloads
        if workload in set(rows["workload"])
    ]
    return curves(
        id,
        panels,
        subtitle=f"{chapter.provenance('Passes', case)}, {describe(case)} · medians and range over"
        " trials",
    )


def _panel(workload: str, rows: pd.DataFrame, named: frozenset[str]) -> Curves:
    """The curves of a workload; those that are not named are grey."""
    numbers = sorted(rows["x"].unique())
    ticks = {float(BEFORE + x): f"{x}" if x > 0 else f"u{1 - x}" for x in numbers}
    return Curves(
        workload,
        rows.assign(
            x=rows["x"] + BEFORE, colour=rows["colour"].where(rows["store"].isin(named), GREY)
        ),
        "number of the pass (u: unmeasured)",
        "times the median pass",
        ticks,
        even=True,
        level=True,
        start=AXIS * rows["value"].min(),
        height=LOW,
        named=named,
    )


def unsettled(chapter: Chapter) -> Markdown:
    """Every result of a section that was still changing, in all its cases."""
    if not chapter.measured:
        return nothing(chapter)
    found = trends(chapter)
    rows = [
        [
            row["name"],
            row["workload"],
            str(row["case"]),
            row["change_text"],
            format_range(row["low"], row["high"]) if row["low"] == row["low"] else MISSING,
        ]
        for row in found[found["verdict"] == Steadiness.CHANGING].to_dict("records")
    ]
    return table(
        [
            "store",
            "workload",
            "case",
            "from the first pass to the last",
            ">last over first, times, 95% interval",
        ],
        rows or [["none", *[MISSING] * 4]],
    )
