"""How far the harness is from JMH, and a shared kernel from one of the store's own: ratios with
intervals.
"""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import crosscheck, stats
from kvreport.analysis.crosscheck import Bias
from kvreport.base.text import count, join_words, number, significant
from kvreport.data import sidecars
from kvreport.data.cases import WORKLOADS
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import WHAT, Figure, Panel, figure, placeholder
from kvreport.exhibits.tables import interval, table

NONE = "This run has not been checked against JMH: `kvreport crosscheck` does that."
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
}
WORDS = {
    Bias.BEYOND: "Beyond that for certain",
    Bias.BIASED: "Biased for certain, though perhaps within that",
}


def ratios(chapter: Chapter, pair: str) -> pd.DataFrame:
    """A row for each store and workload that both ways measured: name, workload, value, low, high
    (the ratio), own, other (ns an entry), n, verdict.
    """
    found = sidecars.crosscheck(chapter.run.name) if chapter.run else None
    first, second, _ = PAIRS[pair]
    rows = []
    for store, told in (found or {"stores": {}})["stores"].items():
        for workload in WORKLOADS:
            mine, other = told.get(first, {}).get(workload), told.get(second, {}).get(workload)
            if mine and other:
                between = stats.ratio(mine, other)
                rows.append(
                    {
                        "store": store,
                        "name": told["name"],
                        "colour": told["colour"],
                        "workload": workload,
                    }
                    | vars(between)
                    | {
                        "own": stats.estimate(mine).value,
                        "other": stats.estimate(other).value,
                        "verdict": crosscheck.verdict(between),
                    }
                )
    return pd.DataFrame(
        rows,
        columns=[
            "store",
            "name",
            "colour",
            "workload",
            "value",
            "low",
            "high",
            "n",
            "own",
            "other",
            "verdict",
        ],
    )


def figure_of(chapter: Chapter, id: str, pair: str) -> Figure:
    """A panel for each workload: the ratio for each store, with its interval."""
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
        Panel(f"{workload} · {WHAT[workload]}", rows[rows["workload"] == workload], "times", RATIO)
        for workload in WORKLOADS
        if workload in set(rows["workload"])
    ]
    near = (rows["value"].between(1 / crosscheck.AIM, crosscheck.AIM)).sum()
    return figure(
        id,
        panels,
        f"{near} of {len(rows)} ratios ({PAIRS[pair][2]}) are within"
        f" {100 * (crosscheck.AIM - 1):.0f}%",
        f"{PAIRS[pair][2]} · {count(int(rows['n'].min()), 'round')} · thin line:"
        f" {stats.interval_name(int(rows['n'].min()))} · dashed: equal",
    )


def table_of(chapter: Chapter) -> Markdown:
    """The comparisons in numbers."""
    rows = []
    for pair, (_, _, words) in PAIRS.items():
        for i, row in enumerate(ratios(chapter, pair).to_dict("records")):
            rows.append(
                [
                    f"**{words}**" if i == 0 else "",
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


def summary(chapter: Chapter, pair: str) -> str:
    """How many ratios are within the aim, and which certainly are not, or are certainly biased."""
    rows = ratios(chapter, pair)
    if not len(rows):
        return NONE
    certain = {what: rows[rows["verdict"] == verdict] for verdict, what in WORDS.items()}
    return (
        f"Of {len(rows)} ratios ({PAIRS[pair][2]})"
        f" {int(rows['value'].between(1 / crosscheck.AIM, crosscheck.AIM).sum())} are within"
        f" {100 * (crosscheck.AIM - 1):.0f}%, and the median of all is"
        f" {number(rows['value'].median())}. "
        + (
            " ".join(f"{what}: {named(found)}." for what, found in certain.items() if len(found))
            or "Of none is it certain that it is biased at all."
        )
    )


def why(chapter: Chapter) -> str:
    """What is certainly biased, measured again without the other workloads: whether these make the
    difference. Empty where nothing is.
    """
    rows = ratios(chapter, "harness")
    off = rows[rows["verdict"].isin(WORDS)][["store", "workload", "value"]]
    if not len(off):
        return ""
    alone, before = (
        ratios(chapter, pair).merge(off, on=["store", "workload"], suffixes=("", "_harness"))
        for pair in ("alone", "before")
    )
    if len(alone) < len(off):
        return (
            "Not all of these have been measured alone yet, as a fork of JMH has them: `kvreport"
            " crosscheck` goes on."
        )
    same_way = (before["low"] > 1) & (before["value_harness"] > 1) | (before["high"] < 1) & (
        before["value_harness"] < 1
    )
    solved = ~alone["verdict"].isin(WORDS) & same_way
    found = (
        [
            f"Of {named(alone[solved])} it is then no longer certain: what the workloads before it"
            " leave in the process makes the difference."
        ]
        if solved.any()
        else []
    )
    found += (
        [f"Of {named(alone[~solved])} that is not shown to be the reason."]
        if not solved.all()
        else []
    )
    return (
        "Each of these was measured again in a kernel that only loaded and ran this one workload,"
        f" as a fork of JMH does. {' '.join(found)}"
    )


def named(rows: pd.DataFrame) -> str:
    return join_words(
        f"{name} at {workload} ({number(value)})"
        for name, workload, value in rows[["name", "workload", "value"]].itertuples(index=False)
    )
