"""Fairness: each store as this project sets it and as its vendor ships it, as two named rows."""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import stats
from kvreport.base.text import join_words, number
from kvreport.data.cases import Case
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import (
    SPEED,
    Figure,
    Panel,
    describe,
    figure,
    panel_title,
    placeholder,
)
from kvreport.exhibits.tables import MISSING, STATUS, interval, nothing, table

SHIPPED = "defaults=on"
AS_SHIPPED = "vendor"  # in the names of rows


def rows_of(chapter: Chapter, case: Case) -> pd.DataFrame:
    """The rows of Chapter.drawn of both cases, those with the vendor's settings named "RocksDB,
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
        label=rows["value"].map(number), mark=nan, times=nan, baseline=nan, is_baseline=False
    )


def figure_of(chapter: Chapter, id: str, case: Case) -> Figure:
    """A panel for each workload: ns an entry, two rows a store."""
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
        headline(chapter, case),
        f"{chapter.provenance('Fairness', case)}, {describe(case)} · thin line: "
        f"{stats.interval_name(chapter.trial_count)}",
    )


def pairs(chapter: Chapter, case: Case) -> list[dict]:
    """For each store and workload that both settings measured: name, workload, own and shipped
    (rows), ratio, verdict on shipped over own.
    """
    own, shipped = (
        {
            (row["store"], row["workload"]): row
            for row in chapter.case(each).to_dict("records")
            if row["status"] == "ok"
        }
        for each in (case, case._replace(settings=SHIPPED))
    )
    return [
        {
            "name": chapter.name(key[0]),
            "workload": key[1],
            "own": own[key],
            "shipped": shipped[key],
            "ratio": stats.ratio(shipped[key]["values"], own[key]["values"]),
            "verdict": stats.compare(shipped[key]["values"], own[key]["values"]),
        }
        for key in own
        if key in shipped and chapter.is_store(key[0])
    ]


def headline(chapter: Chapter, case: Case) -> str:
    """Where this project's settings matter, in a sentence without its full stop."""
    found = pairs(chapter, case)
    better, worse = (
        [each for each in found if each["verdict"] == verdict] for verdict in ("greater", "less")
    )
    if not found:
        return "No store was measured with both settings"
    return (
        f"As shipped, stores take measurably longer in {len(better)} of {len(found)} comparisons"
        f" and less time in {len(worse)}"
        + (
            f"; most in {_told(max(better, key=lambda each: each['ratio'].value))}"
            if better
            else ""
        )
    )


def _told(each: dict) -> str:
    return f"{each['name']} at {each['workload']} (× {number(each['ratio'].value)})"


def table_of(chapter: Chapter, case: Case) -> Markdown:
    """Each store with either settings, side by side, and what they come to."""
    if not chapter.measured:
        return nothing(chapter)
    compared = {(each["name"], each["workload"]): each for each in pairs(chapter, case)}
    shipped = {
        (row["store"], row["workload"]): row
        for row in chapter.case(case._replace(settings=SHIPPED)).to_dict("records")
    }
    rows = []
    for row in chapter.case(case).to_dict("records"):
        if chapter.is_store(row["store"]):
            other, each = (
                shipped.get((row["store"], row["workload"])),
                compared.get((chapter.name(row["store"]), row["workload"])),
            )
            rows.append(
                [
                    chapter.name(row["store"]),
                    row["workload"],
                    number(row["value"]) or STATUS[row["status"]],
                    (number(other["value"]) or STATUS[other["status"]]) if other else MISSING,
                    number(each["ratio"].value) if each else MISSING,
                    interval(vars(each["ratio"])) if each else MISSING,
                    (
                        {"greater": "slower as shipped", "less": "faster as shipped"}.get(
                            each["verdict"], "cannot tell"
                        )
                        if each
                        else MISSING
                    ),
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


def summary(chapter: Chapter, case: Case) -> str:
    """The headline, and the stores that their vendor's settings serve better."""
    worse = [each for each in pairs(chapter, case) if each["verdict"] == "less"]
    return f"{headline(chapter, case)}." + (
        " Where the vendor's settings are the better ones, this project set the store badly for"
        f" that workload: {join_words(map(_told, worse))}."
        if worse
        else ""
    )
