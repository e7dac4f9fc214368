"""Latency of single gets and puts: what a closed loop shows, and what it hides."""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import latency
from kvreport.analysis.latency import POINTS, RESPONSE, SERVICE, at_rate, rates
from kvreport.base.text import number
from kvreport.data.cases import Case
from kvreport.exhibits import bars
from kvreport.exhibits.bars import Panel
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import describe
from kvreport.exhibits.figures import Figure, placeholder
from kvreport.exhibits.multiples import Multiples, multiples
from kvreport.exhibits.tables import MISSING, STATUS, nothing, table

TAIL = 99.9  # the percentile of which sentences speak
TAILS = ["store", "name", "service", "response", "ratio"]
RATE = (("value", "µs", ",.4~g"),)
KEPT = 1.05  # times as long as due, at most, for a store to have kept a rate
TICKS: dict[float, str] = {place: f"{point}%" for place, point in enumerate(POINTS, 1)}
TICKS[len(POINTS) + 1] = "max"
LABELS = tuple(place for place, name in TICKS.items() if name in ("50%", "99%", "99.9%", "max"))


def figure(chapter: Chapter, id: str, case: Case, what: str) -> Figure:
    """Percentiles of a get or a put from when it was due, and its service time in a closed loop: a
    panel for each store, with the range over trials. The title is the chapter's.
    """
    if not chapter.measured:
        return placeholder(id, chapter.missing())
    due = _common(chapter, case)
    load = f"{due:,} a second" if due else "half the load"
    loops = (
        (f"from when it was due, {load}", at_rate(case, due), RESPONSE[what]),
        ("service time, closed loop", case, SERVICE[what]),
    )
    found = [
        rows[rows["workload"] == workload].assign(kind=words)
        for words, of, workload in loops
        for rows in [rows_of(chapter, of)]
    ]
    chart = Multiples(
        pd.concat(found, ignore_index=True),
        tuple(words for words, _, _ in loops),
        "of operations, %",
        "µs",
        TICKS,
        LABELS,
        POINTS.index(TAIL) + 1,
    )
    return multiples(
        id,
        chart,
        subtitle=f"{chapter.provenance('Latency', case)}, {describe(case)} · µs, all trials in one"
        f" histogram · thick: {loops[0][0]}, with the range of the trials; dashed: {loops[1][0]};"
        f" grey: the other stores from when due · beside a name: its {TAIL}%, by which stores are"
        " sorted",
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


def _common(chapter: Chapter, case: Case) -> int:
    """The rate at which stores are compared: the least that was measured, which most can keep; 0
    where each had half its own.
    """
    return min(rates(chapter, case), default=0)


def by_rate(chapter: Chapter, id: str, case: Case, what: str) -> Figure:
    """What one get or put in a thousand takes, counted from when it was due: a panel for each rate,
    in which a store that did not keep it says so. The title is the chapter's.
    """
    if not chapter.measured:
        return placeholder(id, chapter.missing())
    known = rates(chapter, case)
    if not known:
        return placeholder(id, "Each store was measured at half its own rate only.")
    rows = ladder(chapter, case, what)
    rows = rows.assign(
        status=rows["kept"].map({True: "ok", False: "na"}),
        reason="fell behind",
        label=rows["value"].map(number),
        low=nan,
        high=nan,
        baseline=nan,
        is_baseline=False,
    )
    panels = [
        Panel(f"{rate:,} {what}s a second", each.dropna(subset="value"), "µs", RATE)
        for rate in known
        for each in [rows[rows["rate"] == rate]]
    ]
    return bars.figure(
        id,
        [panel for panel in panels if len(panel.rows)],
        subtitle=f"{chapter.provenance('Latency', at_rate(case, known[0]))}, {describe(case)} ·"
        f" {TAIL}% of all, from when due · all trials in one histogram",
    )


def ladder(chapter: Chapter, case: Case, what: str) -> pd.DataFrame:
    """A row for each store and rate that was measured, in the columns of rows_of: x, the rate's
    place among all; value, low, high: the TAIL latency in µs; and rate, with kept: whether the
    operations took no longer than due (KEPT).
    """
    rows = []
    for place, rate in enumerate(rates(chapter, case) if chapter.measured else (), 1):
        of = at_rate(case, rate)
        took = {
            row["store"]: row["value"]
            for row in chapter.case(of).to_dict("records")
            if row["workload"] == RESPONSE[what] and row["status"] == "ok"
        }
        for store, found in latency.merged(chapter, of).items():
            if store[1] == RESPONSE[what] and chapter.is_store(store[0]):
                about = chapter.stores[store[0]]
                value = found.at(TAIL) / 1e3
                rows.append(
                    {"store": store[0], "name": about["name"], "colour": about["colour"]}
                    | {"x": place, "mark": nan, "value": value, "low": value, "high": value}
                    | {"rate": rate, "kept": took[store[0]] <= KEPT * 1e9 / rate}
                )
    columns = ["store", "name", "colour", "x", "mark", "value", "low", "high", "rate", "kept"]
    return pd.DataFrame(rows, columns=columns)


def _at(found: latency.Latencies, place: float) -> float:
    return (found.max_ns if place > len(POINTS) else found.at(POINTS[int(place) - 1])) / 1e3


def tails(chapter: Chapter, case: Case, what: str) -> pd.DataFrame:
    """What one in a thousand gets or puts (`what`) of each store takes at least, a row for each
    store that has either: store, name; service, in a closed loop, and response, from when it was
    due (at the common rate, where there is one), ns, NaN where too few were timed; ratio, response
    over service.
    """
    rows = []
    found = _both_loops(chapter, case) if chapter.measured else {}
    for store in filter(chapter.is_store, chapter.stores):
        loops = (found.get((store, loop[what])) for loop in (SERVICE, RESPONSE))
        service, response = (each.at(TAIL) if each else nan for each in loops)
        rows.append([store, chapter.name(store), service, response, response / service])
    return pd.DataFrame(rows, columns=TAILS).dropna(subset=["service", "response"], how="all")


def _both_loops(chapter: Chapter, case: Case) -> dict[tuple[str, str], latency.Latencies]:
    """Closed loops, and the open ones at the common rate."""
    open_loops = latency.merged(chapter, at_rate(case, _common(chapter, case)))
    return open_loops | latency.merged(chapter, case)


def load(chapter: Chapter, case: Case) -> str:
    """At which rate the open loops are due that stores are compared by, in words."""
    due = _common(chapter, case) if chapter.measured else 0
    return f"{due:,} operations a second" if due else "half the rate of the closed loop"


def clock_ns(chapter: Chapter, case: Case) -> float:
    """What looking at the clock twice takes, in ns: the same on a block of memory, which is no
    store. NaN where that was not measured.
    """
    found = latency.merged(chapter, case).get(("Memory", SERVICE["get"]))
    return found.at(50) if found else nan


def table_of(chapter: Chapter, case: Case, what: str) -> Markdown:
    """Percentiles, maximum and sample counts of every store in the closed loop and in each open
    one, stores in the order of their median service time.
    """
    if not chapter.measured:
        return nothing(chapter)
    loops = [("service", case, SERVICE[what])] + [
        ("from when due", at_rate(case, rate), RESPONSE[what])
        for rate in rates(chapter, case) or [0]
    ]
    found = {
        (of, *key): each
        for of in {of for _, of, _ in loops}
        for key, each in latency.merged(chapter, of).items()
    }
    shown = [
        store for store in chapter.stores if chapter.is_store(store) or chapter.is_baseline(store)
    ]
    middle = {
        store: (
            found[case, store, SERVICE[what]].at(50)
            if (case, store, SERVICE[what]) in found
            else float("inf")
        )
        for store in shown
    }
    rows = []
    for store in sorted(shown, key=lambda each: (middle[each], each)):
        for words, of, workload in loops:
            first = chapter.name(store) if words == "service" else ""
            if (of, store, workload) in found:
                each = found[of, store, workload]
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
                results = chapter.case(of)
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
