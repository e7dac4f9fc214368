"""The passes behind the medians: how times went from pass to pass, and which had not settled."""

from math import nan

from IPython.display import Markdown

from kvreport.analysis import steady
from kvreport.analysis.steady import Steadiness
from kvreport.base.text import format_range, join_words
from kvreport.data.cases import Case
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import Figure, describe, placeholder
from kvreport.exhibits.curves import Curves, curves
from kvreport.exhibits.tables import MISSING, nothing, table

BEFORE = 3  # unmeasured passes that are drawn
LOW = 150  # px of a panel: six of them go on a page
GREY = "#b4b4b4"  # of the many that settled, which nobody has to tell apart
AXIS = 0.9  # where the axis begins, times the least value: what is to be seen is close to one


def figure(chapter: Chapter, id: str, case: Case) -> Figure:
    """A panel for each workload, a curve for each store: passes over the median pass; those still
    changing are named and coloured.
    """
    if not chapter.measured:
        return placeholder(id, chapter.missing())
    rows = chapter.plot_rows(
        steady.passes(chapter, case, BEFORE).assign(trials=0, failures=0)
    ).assign(mark=nan)
    changing = {
        (store, workload)
        for (store, workload), pass_trend in steady.pass_trends(chapter, case).items()
        if pass_trend.verdict == Steadiness.CHANGING
    }
    panels = []
    for workload in chapter.workloads:
        of = rows[rows["workload"] == workload]
        if len(of):
            ticks = {
                BEFORE + int(x): f"{x}" if x > 0 else f"u{1 - x}" for x in sorted(of["x"].unique())
            }
            named = frozenset(store for store, each in changing if each == workload)
            of = of.assign(
                x=of["x"] + BEFORE, colour=of["colour"].where(of["store"].isin(named), GREY)
            )
            panels.append(
                Curves(
                    workload,
                    of,
                    "number of the pass (u: unmeasured)",
                    "times the median pass",
                    ticks,
                    even=True,
                    level=True,
                    start=AXIS * of["value"].min(),
                    height=LOW,
                    named=named,
                )
            )
    return curves(
        id,
        panels,
        headline(chapter, case),
        f"{chapter.provenance('Passes', case)}, {describe(case)} · medians and range over trials",
    )


def headline(chapter: Chapter, case: Case) -> str:
    """How many results were still changing, in a sentence without its full stop."""
    found = [
        pass_trend.verdict
        for (store, _), pass_trend in steady.pass_trends(chapter, case).items()
        if chapter.is_store(store)
    ]
    changing = found.count(Steadiness.CHANGING)
    return (
        f"{changing} of {len(found)} results were still becoming faster or slower while they were"
        " measured"
        if changing
        else (
            "No store was seen to change steadily while it was measured;"
            f" {found.count(Steadiness.SETTLED)} of {len(found)} results had settled"
        )
    )


def unsettled(chapter: Chapter) -> Markdown:
    """Every result of a section that was still changing, in all its cases."""
    if not chapter.measured:
        return nothing(chapter)
    rows = [
        [
            chapter.name(store),
            workload,
            str(case),
            pass_trend.summary,
            format_range(pass_trend.change.low, pass_trend.change.high)
            if pass_trend.change.has_interval
            else MISSING,
        ]
        for case in chapter.cases
        for (store, workload), pass_trend in steady.pass_trends(chapter, case).items()
        if pass_trend.verdict == Steadiness.CHANGING
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


def summary(chapter: Chapter) -> str:
    """Over all cases of a section: how many results had settled, which had not, and of how many
    these passes cannot tell.
    """
    found = [
        (store, pass_trend.verdict)
        for case in chapter.cases
        for (store, _), pass_trend in steady.pass_trends(chapter, case).items()
        if chapter.is_store(store)
    ]
    verdicts = [verdict for _, verdict in found]
    changing = sorted(
        {chapter.name(store) for store, verdict in found if verdict == Steadiness.CHANGING}
    )
    return (
        f"Of {len(found)} results {verdicts.count(Steadiness.SETTLED)} had settled, which here"
        " means that the interval of the last pass over the first lies within"
        f" {100 * (steady.TOLERANCE - 1):.0f}%; {verdicts.count(Steadiness.CHANGING)} had not"
        + (f" (of {join_words(changing)})" if changing else "")
        + f"; of {verdicts.count(Steadiness.INCONCLUSIVE)} so few passes and trials are"
        " inconclusive."
    )
