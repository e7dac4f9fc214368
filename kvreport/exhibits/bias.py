"""How far the harness is from JMH, and a shared kernel from one of the store's own: ratios with
intervals.
"""

from math import nan
from typing import Any

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import crosscheck, stats
from kvreport.analysis.crosscheck import Bias
from kvreport.base.markdown import Marked, marked
from kvreport.base.text import count, number, significant
from kvreport.data import sidecars
from kvreport.data.cases import WORKLOADS
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import Figure, Panel, figure, panel_title, placeholder
from kvreport.exhibits.palette import colour
from kvreport.exhibits.tables import interval, table

NONE = Marked("This run has not been checked against JMH: `kvreport crosscheck` does that.")
NOT_TIMED = Marked(
    "The cross-check of this run is older than passes timed by hand; `kvreport crosscheck` makes"
    " one that has them."
)
RATIO = (
    ("value", "times", ",.3f"),
    ("low", "interval from", ",.3f"),
    ("high", "to", ",.3f"),
    ("own", "this harness, ns/entry", ",.4~g"),
    ("other", "compared with, ns/entry", ",.4~g"),
)
PAIRS = {
    "harness": (sidecars.ISOLATED, sidecars.JMH, "this harness over JMH"),
    "alone": (sidecars.ALONE, sidecars.JMH, "one workload alone over JMH"),
    "before": (sidecars.ISOLATED, sidecars.ALONE, "all workloads over one alone"),
    "shared": (sidecars.SHARED, sidecars.ISOLATED, "shared kernel over own"),
    "hand": (sidecars.HAND, sidecars.ISOLATED, "by hand over a trial"),
}
APART = (Bias.BEYOND, Bias.BIASED)  # verdicts on ratios whose interval leaves out 1
RATIOS = ["store", "name", "colour", "workload", "value", "low", "high", "n"]
RATIOS += ["own", "other", "verdict"]


def ratios(chapter: Chapter, pair: str) -> pd.DataFrame:
    """A row for each store and workload that both ways of a pair measured; empty where none is.

    store, name, colour, workload
    value, low, high  the first way's time over the second's, with its interval over n rounds
    own, other        ns/entry of both
    verdict           analysis.crosscheck's
    """
    found = sidecars.crosscheck(chapter.run.name) if chapter.run else None
    first, second, _ = PAIRS[pair]
    rows = []
    for store, ways in (found["stores"] if found else {}).items():
        for workload in WORKLOADS:
            mine, other = (ways.get(way, {}).get(workload) for way in (first, second))
            if mine and other:
                between = stats.ratio(mine, other)
                rows.append(
                    {
                        "store": store,
                        "name": ways["name"],
                        "colour": colour(store, ways["colour"]),
                        "workload": workload,
                    }
                    | vars(between)
                    | {
                        "own": stats.estimate(mine).value,
                        "other": stats.estimate(other).value,
                        "verdict": crosscheck.verdict(between),
                    }
                )
    return pd.DataFrame(rows, columns=RATIOS)


def counts(chapter: Chapter, pair: str) -> dict[str, Any]:
    """How the ratios of a pair lie: all, near (within the aim), aim_percent, the median of all, and
    the rows whose interval is beyond the aim and those that are only apart.
    """
    rows = ratios(chapter, pair)
    found = {
        verdict: rows.loc[rows["verdict"] == verdict, ["name", "workload", "value"]]
        for verdict in APART
    }
    return {
        "compared": PAIRS[pair][2],
        "all": len(rows),
        "near": int(rows["value"].between(1 / crosscheck.AIM, crosscheck.AIM).sum()),
        "aim_percent": round(100 * (crosscheck.AIM - 1)),
        "median": float(rows["value"].median()),
        "beyond": found[Bias.BEYOND].to_dict("records"),
        "apart": found[Bias.BIASED].to_dict("records"),
    }


def figure_of(chapter: Chapter, id: str, pair: str) -> Figure:
    """A panel for each workload: the ratio for each store, with its interval. Its title is the
    chapter's.
    """
    rows = ratios(chapter, pair)
    if not len(rows):
        return placeholder(id, NONE)
    rows = rows.assign(
        status="ok",
        reason="",
        is_baseline=False,
        baseline=1.0,
        mark=nan,
        label=[significant(value) for value in rows["value"]],
    )
    panels = [
        Panel(panel_title(workload), rows[rows["workload"] == workload], "times", RATIO)
        for workload in WORKLOADS
        if workload in set(rows["workload"])
    ]
    rounds = int(rows["n"].min())
    return figure(
        id,
        panels,
        subtitle=f"{PAIRS[pair][2]} · {count(rounds, 'round')} · thin line:"
        f" {stats.interval_name(rounds)} · dashed: equal",
    )


def table_of(chapter: Chapter) -> Markdown:
    """The comparisons in numbers."""
    rows = []
    for pair, (_, _, words) in PAIRS.items():
        for i, row in enumerate(ratios(chapter, pair).to_dict("records")):
            rows.append(
                [
                    marked("**{}**", words) if i == 0 else "",
                    row["name"],
                    row["workload"],
                    number(row["own"]),
                    number(row["other"]),
                    significant(row["value"]),
                    interval(row),
                    row["verdict"],
                ]
            )
    return (
        table(
            [
                "compared",
                "store",
                "workload",
                ">first, ns/entry",
                ">second, ns/entry",
                ">ratio, times",
                ">95% interval, times",
                "verdict",
            ],
            rows,
        )
        if rows
        else table(["no cross-check"], [[NONE]])
    )


def retried(chapter: Chapter) -> pd.DataFrame:
    """A row for each ratio of this harness over JMH that is apart: whether it still is when the
    workload is measured alone, as a fork of JMH does.

    name, workload
    value  the ratio;  alone: the same, measured alone; NaN where it has not been yet
    explained  whether the workloads before it make the difference: alone it is not apart, and they
               change it in the same direction as the harness is off
    """
    rows = ratios(chapter, "harness")
    key = ["store", "workload"]
    off = rows.loc[rows["verdict"].isin(APART), [*key, "name", "value"]].set_index(key)
    alone, before = (ratios(chapter, pair).set_index(key) for pair in ("alone", "before"))
    alone, before = alone.reindex(off.index), before.reindex(off.index)
    same_way = ((before["low"] > 1) & (off["value"] > 1)) | (
        (before["high"] < 1) & (off["value"] < 1)
    )
    measured = alone["value"].notna()
    found = off.assign(
        alone=alone["value"], explained=measured & ~alone["verdict"].isin(APART) & same_way
    )
    return found.reset_index()[["name", "workload", "value", "alone", "explained"]]
