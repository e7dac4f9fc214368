"""The A/A control: one store under two names, what they differ by, and the noise floor that
follows.
"""

from math import nan
from typing import Any

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import noise, stats
from kvreport.base.text import number, significant
from kvreport.data.cases import CASES, Case
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import Figure, Panel, figure, placeholder
from kvreport.exhibits.tables import MISSING, interval, table

APART = (
    ("value", "% apart", ",.2f"),
    ("ratio", "second over first, times", ",.3f"),
    ("low_ratio", "interval from", ",.3f"),
    ("high_ratio", "to", ",.3f"),
    ("trials", "trials of each", "d"),
)
MISSING_CONTROL = "This run has no store that is measured twice, so its noise floor is not known."


def figure_of(chapter: Chapter, id: str) -> Figure:
    """A panel for each case: by what percentage the two differ at each workload, of several
    controls the one that differs most; the dashed line is the noise floor. Its title is the
    chapter's.
    """
    rows = rows_of(chapter)
    if not len(rows):
        return placeholder(id, MISSING_CONTROL if chapter.measured else chapter.missing())
    rows = rows.loc[rows.groupby([*Case._fields, "workload"])["value"].idxmax()]
    panels = []
    for case in CASES:
        found = rows[(rows[list(Case._fields)] == list(case)).all(axis=1)]
        if len(found):
            panels.append(
                Panel(f"{case.keys} keys, {case.order} order", found, "% apart", APART, linear=True)
            )
    return figure(
        id,
        panels,
        subtitle=f"{chapter.provenance('A/A')} · dashed: the noise floor, which"
        f" {noise.SHARE}% of these stay below",
    )


def rows_of(chapter: Chapter) -> pd.DataFrame:
    """noise.pairs of the chapter's section in the columns of charts.Panel: value: percent apart;
    baseline: the floor, in the same unit. Empty where no store was measured twice.
    """
    run = chapter.run
    if run is None or not chapter.measured:
        return pd.DataFrame()
    found = noise.pairs(run)
    found = found[found["section"] == chapter.section]
    ratios = [stats.ratio(row["again"], row["first"]) for row in found.to_dict("records")]
    several = found["store"].nunique() > 1
    return found.assign(
        name=found["workload"],
        colour=[chapter.stores[store]["colour"] for store in found["store"]],
        status="ok",
        reason="",
        is_baseline=False,
        baseline=100 * (chapter.floor - 1),
        value=100 * (found["apart"] - 1),
        low=nan,
        high=nan,
        mark=nan,
        label=[
            f"{100 * (apart - 1):.1f}%" + (f" · {chapter.name(store)}" if several else "")
            for apart, store in zip(found["apart"], found["store"])
        ],
        trials=[ratio.n for ratio in ratios],
        ratio=[ratio.value for ratio in ratios],
        low_ratio=[ratio.low for ratio in ratios],
        high_ratio=[ratio.high for ratio in ratios],
    )


def table_of(chapter: Chapter) -> Markdown:
    """Both names' medians for each case and workload, and their ratio with its interval."""
    rows = rows_of(chapter)
    if not len(rows):
        return table(["no control"], [[MISSING_CONTROL if chapter.measured else chapter.missing()]])
    return table(
        [
            "store",
            "case",
            "workload",
            ">first, ns/entry",
            ">second, ns/entry",
            ">second over first, times",
            ">95% interval, times",
            "verdict",
        ],
        [
            [
                chapter.name(row["store"]),
                f"{row['keys']} keys, {row['order']} order",
                row["workload"],
                number(stats.estimate(row["first"]).value),
                number(stats.estimate(row["again"]).value),
                significant(row["ratio"]),
                interval({"low": row["low_ratio"], "high": row["high_ratio"]}) or MISSING,
                (
                    "beyond the floor"
                    if stats.compare(row["again"], row["first"], chapter.floor).measurable
                    else "noise"
                ),
            ]
            for row in rows.to_dict("records")
        ],
    )


def control(chapter: Chapter) -> dict[str, Any]:
    """What the controls of a whole run come to; empty where it has none.

    stores     names of the stores that were measured twice
    pairs      how many cases and workloads
    floor      the noise floor, times;  floor_percent: how much more than once that is
    differing  in how many of the pairs the interval alone would show a difference
    """
    found = noise.pairs(chapter.run) if chapter.run else pd.DataFrame()
    if found.empty:
        return {}
    twice = sorted(set(found["store"]))
    outcomes = [
        stats.compare(row["again"], row["first"], noise.NONE) for row in found.to_dict("records")
    ]
    return {
        "stores": [chapter.name(each) if each in chapter.stores else each for each in twice],
        "pairs": len(found),
        "floor": chapter.floor,
        "floor_percent": 100 * (chapter.floor - 1),
        "differing": sum(outcome.measurable for outcome in outcomes),
    }
