"""Latency of single gets and puts: what a closed loop shows, and what it hides."""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import latency
from kvreport.analysis.latency import POINTS, RESPONSE, SERVICE
from kvreport.base.text import number
from kvreport.data.cases import Case
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import Figure, describe, placeholder
from kvreport.exhibits.curves import Curves, curves
from kvreport.exhibits.tables import MISSING, STATUS, nothing, table

TAIL = 99.9  # the percentile of which sentences speak
TAILS = ["store", "name", "service", "response", "ratio"]
PANELS = {"Service": "service time, closed loop", "Response": "from when it was due, half the load"}
TICKS: dict[float, str] = {place: f"{point}%" for place, point in enumerate(POINTS, 1)}
TICKS[len(POINTS) + 1] = "max"


def figure(chapter: Chapter, id: str, case: Case, what: str) -> Figure:
    """Percentiles of a get or a put, in a closed loop and in an open one: a curve for each store,
    with the range over trials. The title is the chapter's.
    """
    if not chapter.measured:
        return placeholder(id, chapter.missing())
    rows = rows_of(chapter, case)
    panels = [
        Curves(
            words,
            rows[rows["workload"] == f"{what}{loop}"],
            "operations that took at most, %",
            "µs",
            TICKS,
            even=True,
        )
        for loop, words in PANELS.items()
    ]
    return curves(
        id,
        panels,
        subtitle=f"{chapter.provenance('Latency', case)}, {describe(case)} · all trials in one"
        " histogram; thin lines: range of the trials",
    )


def rows_of(chapter: Chapter, case: Case) -> pd.DataFrame:
    """A row for each store, workload and percentile in the columns of curves.Curves: value in µs;
    the maximum is the last place.
    """
    whole, rows = latency.merged(chapter, case), []
    for (store, workload), each in latency.trials(chapter, case).items():
        if chapter.is_store(store) or chapter.is_baseline(store):
            about = chapter.stores[store]
            for place in TICKS:
                values = [_at(one, place) for one in each]
                rows.append(
                    {
                        "store": store,
                        "name": about["name"],
                        "colour": about["colour"],
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


def _at(found: latency.Latencies, place: float) -> float:
    return (found.max_ns if place > len(POINTS) else found.at(POINTS[int(place) - 1])) / 1e3


def tails(chapter: Chapter, case: Case, what: str) -> pd.DataFrame:
    """What one in a thousand gets or puts (`what`) of each store takes at least, a row for each
    store that has either: store, name; service, in a closed loop, and response, from when it was
    due, ns, NaN where too few were timed; ratio, response over service.
    """
    rows = []
    found = latency.merged(chapter, case) if chapter.measured else {}
    for store in filter(chapter.is_store, chapter.stores):
        loops = (found.get((store, loop[what])) for loop in (SERVICE, RESPONSE))
        service, response = (each.at(TAIL) if each else nan for each in loops)
        rows.append([store, chapter.name(store), service, response, response / service])
    return pd.DataFrame(rows, columns=TAILS).dropna(subset=["service", "response"], how="all")


def clock_ns(chapter: Chapter, case: Case) -> float:
    """What looking at the clock twice takes, in ns: the same on a block of memory, which is no
    store. NaN where that was not measured.
    """
    found = latency.merged(chapter, case).get(("Memory", SERVICE["get"]))
    return found.at(50) if found else nan


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
