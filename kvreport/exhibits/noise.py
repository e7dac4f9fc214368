"""The A/A control: one store under two names, what they differ by, and the noise floor that
follows.
"""

from IPython.display import Markdown

from kvreport.analysis import noise, stats
from kvreport.analysis.stats import Difference
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
    """A panel for each case: by what percentage the two differ at each workload; the dashed line is
    the noise floor.
    """
    rows = rows_of(chapter)
    if not len(rows):
        return placeholder(id, MISSING_CONTROL if chapter.measured else chapter.missing())
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
        f"The same store under two names differs by up to {rows['value'].max():.1f}%",
        f"{chapter.provenance('A/A')} · dashed: the noise floor, which {noise.SHARE}% of these stay"
        " below",
    )


def rows_of(chapter: Chapter):
    """noise.pairs of the chapter's section in the columns of charts.Panel: value in percent apart,
    limit the floor.
    """
    run = chapter.run
    found = noise.pairs(run) if chapter.measured else None
    if found is None or not len(found):
        return []
    found = found[found["section"] == chapter.section]
    ratios = [stats.ratio(row.again, row.first) for row in found.itertuples()]
    return found.assign(
        name=found["workload"],
        colour=[chapter.stores[store]["colour"] for store in found["store"]],
        status="ok",
        reason="",
        is_baseline=False,
        baseline=100 * (chapter.floor - 1),
        value=100 * (found["apart"] - 1),
        low=float("nan"),
        high=float("nan"),
        mark=float("nan"),
        label=[f"{100 * (apart - 1):.1f}%" for apart in found["apart"]],
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
                f"{row['keys']} keys, {row['order']} order",
                row["workload"],
                number(stats.estimate(row["first"]).value),
                number(stats.estimate(row["again"]).value),
                significant(row["ratio"]),
                interval({"low": row["low_ratio"], "high": row["high_ratio"]}) or MISSING,
                (
                    "noise"
                    if stats.compare(row["again"], row["first"], chapter.floor)
                    == Difference.INCONCLUSIVE
                    else "beyond the floor"
                ),
            ]
            for row in rows.to_dict("records")
        ],
    )


def summary(chapter: Chapter) -> str:
    """The noise floor, and how often a store would have been told from itself without it."""
    found = noise.pairs(chapter.run)
    if not len(found):
        return MISSING_CONTROL
    seeming = sum(
        stats.compare(row.again, row.first, 1) != Difference.INCONCLUSIVE
        for row in found.itertuples()
    )
    store = found["store"].iloc[0]
    return (
        f"{chapter.name(store) if store in chapter.stores else store} was measured twice, under two"
        f" names, in {len(found)} cases and workloads. {noise.SHARE}% of the ratios between the two"
        f" stay below {chapter.floor:.3f}: this is the noise floor,"
        " and no figure, claim or ranking of this report calls a difference of less than"
        f" {100 * (chapter.floor - 1):.1f}% a difference. Intervals alone would have told the store"
        f" from itself in {seeming} of the {len(found)}."
    )
