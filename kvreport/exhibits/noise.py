"""The A/A control: one store under two names, what they differ by, and the noise floor that
follows.
"""

from math import nan
from typing import Any, NamedTuple

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import contrasts, model, noise, stats
from kvreport.analysis.results import SectionResults
from kvreport.analysis.stats import Difference
from kvreport.base.text import number, significant
from kvreport.charts.bars import Panel, figure
from kvreport.charts.chapter import Chapter
from kvreport.charts.figures import Figure, placeholder
from kvreport.charts.tables import MISSING, table
from kvreport.data.cases import CASES, Case
from kvreport.exhibits.tables import interval

APART = (
    ("value", "% apart", ",.2f"),
    ("ratio", "second over first, times", ",.3f"),
    ("low_ratio", "interval from", ",.3f"),
    ("high_ratio", "to", ",.3f"),
    ("trials", "trials of each", "d"),
)
VERDICTS = {  # on a store beside itself, what such pairs differ by beyond chance allowed for
    Difference.EQUIVALENT: "level",
    Difference.INCONCLUSIVE: "too noisy to say",
    Difference.LESS: "differs",
    Difference.GREATER: "differs",
}
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
    """noise.pairs_of the chapter's section in the columns of bars.Panel: value: percent apart;
    baseline: the floor, in the same unit. Empty where no store was measured twice. And for each

    ratio, low_ratio, high_ratio  the second name's time over the first's, with the interval that
                                  the fit of the section gives any two stores
    by_trials   a stats.Difference: what the trials alone say
    difference  the same where what such pairs differ by beyond chance is allowed for, as everywhere
    """
    run = chapter.run
    if run is None or not chapter.measured:
        return pd.DataFrame()
    found = noise.pairs_of(run.frame)
    found = found[found["section"] == chapter.section]
    compared = [_compared(chapter, row) for row in found.to_dict("records")]
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
        trials=[each.ratio.n for each in compared],
        ratio=[each.ratio.value for each in compared],
        low_ratio=[each.ratio.low for each in compared],
        high_ratio=[each.ratio.high for each in compared],
        by_trials=[each.by_trials for each in compared],
        difference=[each.difference for each in compared],
    )


class Compared(NamedTuple):
    """A store's second name over its first, as rows_of has it."""

    ratio: stats.Estimate
    by_trials: Difference
    difference: Difference


def _compared(section: SectionResults, row: dict) -> Compared:
    """Of a row of noise.pairs_of, by the fit of its section."""
    again = row | {"store": row["store"] + noise.AGAIN, "values": row["again"]}
    first = row | {"values": row["first"]}
    ratio, difference = contrasts.compare(section, again, first)
    return Compared(ratio, contrasts.by_trials(section, again, first), difference)


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
                VERDICTS[row["difference"]],
            ]
            for row in rows.to_dict("records")
        ],
    )


def control(chapter: Chapter) -> dict[str, Any]:
    """What the controls of a whole run come to; empty where it has none.

    stores     names of the stores that were measured twice
    pairs      how many cases and workloads
    floor      the noise floor, times;  floor_percent: how much more than once that is
    differing  in how many of the pairs the trials alone would show a difference;  left: in how many
               one is shown though what such pairs differ by is allowed for
    level      in how many it is shown that there is none of more than margin_percent
    """
    run = chapter.run
    found = noise.pairs_of(run.frame) if run else pd.DataFrame()
    if run is None or found.empty:
        return {}
    twice = sorted(set(found["store"]))
    sections = {section: SectionResults(section, run) for section in set(found["section"])}
    compared = [_compared(sections[row["section"]], row) for row in found.to_dict("records")]
    differences = [each.difference for each in compared]
    return {
        "stores": [chapter.name(each) if each in chapter.stores else each for each in twice],
        "pairs": len(found),
        "floor": chapter.floor,
        "floor_percent": 100 * (chapter.floor - 1),
        "differing": sum(each.by_trials.measurable for each in compared),
        "left": sum(each.measurable for each in differences),
        "level": differences.count(Difference.EQUIVALENT),
        "margin_percent": round(100 * (model.MARGIN - 1)),
    }
