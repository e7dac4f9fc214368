"""RocksJava against RocksDB without a JVM (E01 to E04): rates, what each kind of call costs, and
latencies.
"""

from dataclasses import dataclass
from math import nan
from statistics import median

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import latency, stats
from kvreport.base.text import count, format_range, join_words, number
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.data.published import ROCKSJAVA_BASE
from kvreport.data.runs import labels, results
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import SPEED, Figure, Panel, exhibit_of, placeholder
from kvreport.exhibits.charts import figure as panels_of
from kvreport.exhibits.tables import MISSING, STATUS, nothing, table

JAVA, NATIVE, FOREIGN = "RocksJava", "RocksC", "RocksFfm"
SIDES = (JAVA, NATIVE, FOREIGN)
MANY = 32  # the source's threads


@dataclass(frozen=True)
class Row:
    """A row of the source's Table 1: which exhibit, in words, the case and workload."""

    exhibit: str
    what: str
    case: Case
    workload: str


def rows_for(threads: int) -> list[Row]:
    """The source's four rows with so many readers."""
    readers = ROCKSJAVA_BASE._replace(settings=f"threads={threads}, load=sequential")
    busy = ROCKSJAVA_BASE._replace(settings=f"threads={threads}, load=sequential, writes=10000")
    return [
        Row("E02", f"{count(threads, 'random reader')}", readers, "readKey"),
        Row("E03", f"{count(threads, 'random reader')}, one writer", busy, "readKey"),
        Row("E04", f"{count(threads, 'sequential reader')}", readers, "readSeq"),
    ]


def all_rows(chapter: Chapter) -> list[Row]:
    """E01, then E02 to E04 with the source's number of readers and with this machine's
    processors.
    """
    load = Row(
        "E01", "one sequential writer", ROCKSJAVA_BASE._replace(settings="load=sequential"), "write"
    )
    numbers = dict.fromkeys([MANY, chapter.run.environment["cpu"]["usable_threads"]])
    return [load, *(row for threads in numbers for row in rows_for(threads))]


def found(chapter: Chapter, row: Row, side: str) -> dict | None:
    """What was measured of a side in a row of the table; None when nothing was."""
    rows = chapter.case(row.case)
    rows = rows[(rows["workload"] == row.workload) & (rows["store"] == side)]
    return rows.iloc[0].to_dict() if len(rows) else None


def difference(measured: dict | None, native: dict | None) -> stats.Estimate:
    """Percent that a side's rate is above (+) or below (-) the native one, with its interval."""
    if not measured or not native or not measured["values"] or not native["values"]:
        return stats.NOTHING
    between = stats.ratio(
        native["values"], measured["values"]
    )  # times, so the other way round for rates
    return stats.Estimate(
        *(100 * (value - 1) for value in (between.value, between.low, between.high)), between.n
    )


def rates(chapter: Chapter) -> Markdown:
    """Table 1 of the source, from our trials: operations a second of each side, Diff % to native,
    and the source's own.
    """
    if not chapter.measured:
        return nothing(chapter)
    was, rows = published.rocksjava_rates(), []
    for row in all_rows(chapter):
        native = found(chapter, row, NATIVE)
        then = was.get((row.exhibit, row.case)) or {}
        for i, side in enumerate(SIDES):
            measured = found(chapter, row, side)
            good = measured is not None and measured["status"] == "ok"
            apart = difference(measured, native) if side != NATIVE else stats.NOTHING
            old = then.get({JAVA: "RocksJava", NATIVE: "RocksDB C++"}.get(side))
            rows.append(
                [
                    f"**{row.exhibit}** {row.what}" if i == 0 else "",
                    name(chapter, side),
                    (
                        f"{1e9 / measured['value']:,.0f}"
                        if good
                        else STATUS[measured["status"]]
                        if measured
                        else "not measured"
                    ),
                    rate_interval(measured) if good else MISSING,
                    f"{apart.value:+.1f}" if apart.n else MISSING,
                    f"{apart.low:+.1f} to {apart.high:+.1f}" if apart.has_interval else MISSING,
                    f"{old.rate:,.0f}" if old else MISSING,
                    f"{old.percent:+.1f}" if old and side == JAVA else MISSING,
                ]
            )
    return table(
        [
            "exhibit",
            "side",
            ">operations/s",
            ">95% interval, operations/s",
            ">to native, %",
            ">95% interval, %",
            ">2014, operations/s",
            ">2014, to native, %",
        ],
        rows,
    )


def absent(chapter: Chapter) -> str:
    """Why a side has no figures in some rows."""
    why = {}
    for row in all_rows(chapter):
        for side in SIDES:
            measured = found(chapter, row, side)
            if measured and measured["status"] != "ok":
                why.setdefault((side, measured["status"], measured["reason"]), []).append(row)
    return " ".join(
        f"{name(chapter, side)}, {join_words(dict.fromkeys(row.exhibit for row in rows))}:"
        f" {STATUS[status]}, {reason}."
        for (side, status, reason), rows in why.items()
    )


def rate_interval(measured: dict) -> str:
    return (
        f"{1e9 / measured['high']:,.0f} to {1e9 / measured['low']:,.0f}"
        if measured["low"] == measured["low"]
        else MISSING
    )


def name(chapter: Chapter, side: str) -> str:
    return (
        chapter.name(side)
        if side in chapter.stores
        else {JAVA: "RocksJava", NATIVE: "native (C)", FOREIGN: "FFM"}[side]
    )


def summary(chapter: Chapter) -> str:
    """How far RocksJava is from native in each row with the source's number of readers, and in the
    source.
    """
    was, told = published.rocksjava_rates(), []
    for row in all_rows(chapter)[:4]:
        apart = difference(found(chapter, row, JAVA), found(chapter, row, NATIVE))
        if not apart.n:
            continue
        sure = apart.has_interval and (apart.low > 0 or apart.high < 0)
        here = f"{apart.value:+.1f}%" if sure else f"inconclusive ({apart.value:+.1f}%)"
        told.append(
            f"{row.what} {here}, in 2014 {was[row.exhibit, row.case]['RocksJava'].percent:+.1f}%"
        )
    return (
        f"RocksJava's rate against native: {'; '.join(told)}."
        if told
        else "Not both sides were measured."
    )


VARIANTS = {  # in the order of what came when
    "readSeq": {
        (JAVA, "classic"): "Java, new arrays",
        (JAVA, "array"): "Java, arrays again",
        (JAVA, "direct"): "Java, direct",
        (FOREIGN, "classic"): "FFM",
        (FOREIGN, "critical"): "FFM, critical",
        (NATIVE, "classic"): "C",
    },
    "readKey": {
        (JAVA, "classic"): "Java, new array",
        (JAVA, "array"): "Java, array again",
        (JAVA, "direct"): "Java, direct",
        (JAVA, "multi"): "Java, 100 keys",
        (JAVA, "multi-direct"): "Java, 100, direct",
        (FOREIGN, "classic"): "FFM, pinned",
        (FOREIGN, "direct"): "FFM, copied",
        (NATIVE, "classic"): "C, pinned",
        (NATIVE, "direct"): "C, copied",
    },
}
DOES = {"readSeq": "scan: isValid, key, value, next", "readKey": "get one by key"}


def variants(chapter: Chapter) -> pd.DataFrame:
    """A row for each workload and kind of calls, in the columns that a charts.Panel takes, with one
    thread.
    """
    rows = []
    for workload, kinds in VARIANTS.items():
        for (side, calls), words in kinds.items():
            case = ROCKSJAVA_BASE._replace(settings=f"load=sequential, calls={calls}")
            measured = found(chapter, Row("E04", "", case, workload), side)
            if measured and measured["status"] != "na":
                rows.append(
                    measured
                    | {
                        "name": words,
                        "colour": chapter.stores[side]["colour"],
                        "is_baseline": False,
                        "baseline": nan,
                        "mark": nan,
                        "times": nan,
                        "label": number(measured["value"]),
                    }
                )
    return pd.DataFrame(rows)


def calls_figure(chapter: Chapter, id: str) -> Figure:
    """E04: what each kind of calls costs an entry, one thread, as bars."""
    exhibit = exhibit_of(id)
    frame = variants(chapter) if chapter.measured else pd.DataFrame()
    if not len(frame):
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    tooltip = tuple(each for each in SPEED if each[0] not in ("times", "mark"))
    panels = [
        Panel(
            f"{workload} · {DOES[workload]}",
            frame[frame["workload"] == workload],
            "ns/entry",
            tooltip,
        )
        for workload in VARIANTS
    ]
    return panels_of(
        id,
        panels,
        calls_headline(frame),
        f"{chapter.provenance(exhibit)} · one thread, 800-byte values · thin line: "
        f"{stats.interval_name(chapter.trial_count)}",
    )


def calls_headline(frame: pd.DataFrame) -> str:
    scans = frame[(frame["workload"] == "readSeq") & (frame["status"] == "ok")].set_index("name")[
        "value"
    ]
    if not {"Java, new arrays", "C"} <= set(scans.index):
        return "What each kind of calls costs an entry"
    best = scans[[label for label in scans.index if label.startswith("Java")]]
    return (
        f"A step of the classic scan costs {number(scans['Java, new arrays'])} ns from Java and"
        f" {number(scans['C'])} ns from C; the least from Java is {number(best.min())} ns"
        f" ({best.idxmin().removeprefix('Java, ')})"
    )


def written(chapter: Chapter) -> dict[tuple[str, Case], list[float]]:
    """Writes a second that the writer beside the readers achieved, for each trial, by side and
    case.
    """
    rates = {}
    for trial in chapter.trials:
        for case, result in results(trial):
            if (result.get("observed") or {}).get("writes_per_second") is not None:
                rates.setdefault((trial["store"]["id"], Case(**labels(case))), []).append(
                    result["observed"]["writes_per_second"]
                )
    return rates


def latencies(chapter: Chapter) -> Markdown:
    """E03: the writer's achieved rate, the median over trials, and the readers' service times, all
    trials in one histogram.
    """
    if not chapter.measured:
        return nothing(chapter)
    achieved, rows = written(chapter), []
    for row in (row for row in all_rows(chapter) if row.exhibit == "E03"):
        times = latency.merged(chapter, row.case)
        for side in SIDES:
            each, writes = times.get((side, row.workload)), achieved.get((side, row.case))
            if not each or not writes:
                rows.append([row.what, name(chapter, side), *[MISSING] * (len(latency.POINTS) + 4)])
                continue
            rows.append(
                [
                    row.what,
                    name(chapter, side),
                    f"{median(writes):,.0f}",
                    f"{each.count:,}",
                    *(number(each.at(point) / 1e3) or MISSING for point in latency.POINTS),
                    number(each.max_ns / 1e3),
                    f"{len(writes)}",
                ]
            )
    return table(
        [
            "readers",
            "side",
            ">writes/s achieved",
            ">gets timed, number",
            *(f">{point}%, µs" for point in latency.POINTS),
            ">max, µs",
            ">trials",
        ],
        rows,
    )


def held(chapter: Chapter) -> str:
    """Whether the writer beside the readers kept its rate."""
    rates = {}
    for (side, _), each in written(chapter).items():
        rates.setdefault(name(chapter, side), []).extend(each)
    told = join_words(
        f"{side} {format_range(min(found), max(found))}" for side, found in rates.items()
    )
    return (
        f"The writer was to make 10,000 writes a second; it made, by side: {told}."
        if rates
        else "No writer's rate was recorded."
    )
