"""Latency of single gets and puts: what a closed loop shows, and what it hides."""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import latency
from kvreport.analysis.latency import POINTS, RESPONSE, SERVICE
from kvreport.base.text import duration, join_words, number
from kvreport.data.cases import Case
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import Figure, describe, placeholder
from kvreport.exhibits.curves import Curves, curves
from kvreport.exhibits.tables import MISSING, STATUS, nothing, table

TAIL = 99.9  # the percentile of which sentences speak
TOLD = 3  # stores that a sentence names
PANELS = {"Service": "service time, closed loop", "Response": "from when it was due, half the load"}
TICKS = {place: f"{point}%" for place, point in enumerate(POINTS, 1)} | {len(POINTS) + 1: "max"}


def figure(chapter: Chapter, id: str, case: Case, what: str) -> Figure:
    """Percentiles of a get or a put, in a closed loop and in an open one: a curve for each store,
    with the range over trials.
    """
    if not chapter.measured:
        return placeholder(id, chapter.missing())
    rows = rows_of(chapter, case)
    panels = [
        Curves(
            words,
            rows[rows["workload"] == f"{what}{kind}"],
            "operations that took at most, %",
            "µs",
            TICKS,
            even=True,
        )
        for kind, words in PANELS.items()
    ]
    return curves(
        id,
        panels,
        headline(chapter, case, what),
        f"{chapter.provenance('Latency', case)}, {describe(case)} · all trials in one histogram; "
        "thin lines: range of the trials",
    )


def rows_of(chapter: Chapter, case: Case) -> pd.DataFrame:
    """A row for each store, workload and percentile in the columns of curves.Curves: value in µs;
    the maximum is the last place.
    """
    whole, rows = latency.merged(chapter, case), []
    for (store, workload), each in latency.trials(chapter, case).items():
        if chapter.is_store(store) or chapter.is_baseline(store):
            told = chapter.stores[store]
            for place in TICKS:
                values = [_at(one, place) for one in each]
                rows.append(
                    {
                        "store": store,
                        "name": told["name"],
                        "colour": told["colour"],
                        "workload": workload,
                        "x": place,
                        "mark": nan,
                        "value": _at(whole[store, workload], place),
                        "low": min(values),
                        "high": max(values),
                    }
                )
    return pd.DataFrame(
        rows, columns=["store", "name", "colour", "workload", "x", "mark", "value", "low", "high"]
    )


def _at(found: latency.Latencies, place: int) -> float:
    return (found.max_ns if place > len(POINTS) else found.at(POINTS[place - 1])) / 1e3


def headline(chapter: Chapter, case: Case, what: str) -> str:
    """The range of the stores' tails in both loops, in a sentence without its full stop."""
    ends = [_range(chapter, case, loop[what]) for loop in (SERVICE, RESPONSE)]
    return (
        f"One {what} in {round(100 / (100 - TAIL)):,} takes longer than {ends[0]}, and counted from"
        f" when it was due longer than {ends[1]}"
        if all(ends)
        else f"Too few single {what}s were timed to tell how long the slowest take"
    )


def _range(chapter: Chapter, case: Case, workload: str) -> str:
    tails = sorted(
        (found.at(TAIL), chapter.name(store))
        for (store, each), found in latency.merged(chapter, case).items()
        if each == workload and chapter.is_store(store) and found.at(TAIL) == found.at(TAIL)
    )
    return (
        f"{duration(tails[0][0])} ({tails[0][1]}) to {duration(tails[-1][0])} ({tails[-1][1]})"
        if tails
        else ""
    )


def table_of(chapter: Chapter, case: Case, what: str) -> Markdown:
    """Percentiles, maximum and sample counts of every store in both loops, stores in the order of
    their median service time.
    """
    if not chapter.measured:
        return nothing(chapter)
    found = latency.merged(chapter, case)
    shown = [
        store for store in chapter.stores if chapter.is_store(store) or chapter.is_baseline(store)
    ]
    middle = {
        store: (
            found[store, SERVICE[what]].at(50) if (store, SERVICE[what]) in found else float("inf")
        )
        for store in shown
    }
    rows, results = [], chapter.case(case)
    for store in sorted(shown, key=lambda each: (middle[each], each)):
        for workload, words in ((SERVICE[what], "service"), (RESPONSE[what], "from when due")):
            first = chapter.name(store) if workload == SERVICE[what] else ""
            if (store, workload) in found:
                each = found[store, workload]
                rows.append(
                    [
                        first,
                        words,
                        f"{each.per_second:,.0f}" if each.per_second else MISSING,
                        f"{each.count:,}",
                        *(number(each.at(point) / 1e3) or MISSING for point in POINTS),
                        number(each.max_ns / 1e3),
                    ]
                )
            else:
                why = results[
                    (results["store"] == store) & (results["workload"] == workload)
                ].to_dict("records")
                rows.append(
                    [
                        first,
                        words,
                        (
                            f"{STATUS.get(why[0]['status'], '')}: {why[0]['reason']}"
                            if why
                            else "not measured"
                        ),
                        *[MISSING] * (len(POINTS) + 2),
                    ]
                )
    return table(
        [
            "store",
            "timed",
            ">due, operations/s",
            ">timed, number",
            *(f">{point}%, µs" for point in POINTS),
            ">max, µs",
        ],
        rows,
    )


def hidden(chapter: Chapter, case: Case, what: str) -> str:
    """By how much the tails differ between the two loops, and where most: what the closed loop does
    not show.
    """
    found, factors = latency.merged(chapter, case), []
    for store in chapter.stores:
        loops = [found.get((store, loop[what])) for loop in (SERVICE, RESPONSE)]
        if (
            chapter.is_store(store)
            and all(loops)
            and all(each.at(TAIL) == each.at(TAIL) for each in loops)
        ):
            factors.append((loops[1].at(TAIL) / loops[0].at(TAIL), chapter.name(store)))
    if not factors:
        return "Nothing can be said of what closed loops hide."
    most = sorted(factors, reverse=True)[:TOLD]
    return (
        f"At half the rate of the closed loop, the {TAIL}% latency of a {what} counted from when it"
        f" was due is between {number(min(factors)[0])} and {number(max(factors)[0])} times the"
        f" service time; most in"
        f" {join_words(f'{name} ({number(factor)})' for factor, name in most)}."
        " A closed loop counts an operation that takes long once; those that would have come"
        " meanwhile, and have to wait, it does not make at all."
    )


def clock(chapter: Chapter, case: Case) -> str:
    """What looking at the clock twice costs: the same on a block of memory, which is no store."""
    found = latency.merged(chapter, case).get(("Memory", SERVICE["get"]))
    return (
        "A get from a block of memory, which is hardly more than two looks at the clock, takes"
        f" {number(found.at(50))} ns: so much of every time here is the clock."
        if found
        else "What looking at the clock costs was not measured in this run."
    )
