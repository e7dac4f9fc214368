"""The passes behind the medians: how times went from pass to pass, and which had not settled."""

from math import nan
from statistics import median
from typing import Any

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import first_cases, scatter, steady
from kvreport.analysis.steady import Steadiness
from kvreport.base.text import format_range
from kvreport.charts.chapter import Chapter, shown, tests
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


LENGTHS = ["what", "results", "within", "medians", "firsts"]
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


def lengths() -> pd.DataFrame:
    """What a longer trial would have bought, a row for each section of the report that can say:
    what (the test), results, and as percent within, medians and firsts of a scatter.Scatter.
    """
    rows = []
    for chapter in shown():
        found = scatter.of_passes(chapter.trials) if chapter.measured else None
        if found:
            shares = (100 * each for each in (found.within, found.medians, found.firsts))
            rows.append([tests([chapter]), found.results, *shares])
    return pd.DataFrame(rows, columns=LENGTHS)


def lengths_table() -> Markdown:
    """The same as a table."""
    rows = [
        [row["what"], f"{row['results']:,}", *(f"{row[name]:.1f}" for name in LENGTHS[2:])]
        for row in lengths().to_dict("records")
    ]
    return table(
        [
            "section",
            ">results, number",
            ">passes in a trial, %",
            ">trials, median pass, %",
            ">trials, first pass alone, %",
        ],
        rows or [[MISSING] * 5],
    )


def of_first_cases() -> dict[str, Any]:
    """What a trial's first case pays, by whether the trials of a section load before it.

    made, unmade       of sections that do and do not, None where there are none: where (their
                       tests; of made "" where all do), one (whether that is one), and the ratios
                       loads and reads (first_cases.ratios)
    typical, most      how many times as long as the fastest after it a first load took, in the
                       median and at most; store: whose that was. None where nothing was loaded
    """
    chapters = [
        chapter
        for chapter in shown()
        if chapter.measured and chapter.test and first_cases.ratios(chapter.trials)[0].n
    ]
    loads = {chapter.section: first_cases.first_loads(chapter.trials) for chapter in chapters}
    made = [chapter for chapter in chapters if loads[chapter.section]]
    unmade = [chapter for chapter in chapters if not loads[chapter.section]]
    every = [each for found in loads.values() for each in found]
    most = max(every, key=lambda each: each.times, default=None)
    return {
        "made": _beside_later(made, "" if made == chapters else tests(made)),
        "unmade": _beside_later(unmade, tests(unmade)),
        "typical": median(each.times for each in every) if every else None,
        "most": most and most.times,
        "store": most and most.store,
    }


def _beside_later(chapters: list[Chapter], where: str) -> dict[str, Any] | None:
    if not chapters:
        return None
    loads, reads = first_cases.ratios(trial for chapter in chapters for trial in chapter.trials)
    return {"where": where, "one": len(chapters) == 1, "loads": loads, "reads": reads}


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
