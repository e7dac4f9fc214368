"""RocksJava against RocksDB without a JVM (E01 to E04): rates, what each kind of call costs, and
latencies.
"""

from math import nan
from typing import NamedTuple

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import contrasts, latency, stats, terms
from kvreport.analysis.stats import Difference
from kvreport.base.markdown import marked
from kvreport.base.text import count, number
from kvreport.charts.bars import Panel
from kvreport.charts.bars import figure as panels_of
from kvreport.charts.chapter import Chapter
from kvreport.charts.figures import Figure, placeholder
from kvreport.charts.tables import MISSING, table
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.data.published import ROCKSJAVA_BASE
from kvreport.data.runs import labels, results
from kvreport.exhibits.charts import SPEED, exhibit_of
from kvreport.exhibits.tables import STATUS, nothing

JAVA, NATIVE, FOREIGN = "RocksJava", "RocksC", "RocksFfm"
SIDES = {JAVA: "RocksJava", NATIVE: "native (C)", FOREIGN: "FFM"}
SOURCES_SIDES = {JAVA: "RocksJava", NATIVE: "RocksDB C++"}
MANY, WRITES = 32, 10_000  # the source's readers, and what its writer was to write a second
COMPARED = ["exhibit", "what", "side", "name", "percent", "low", "high", "difference", "then"]
ABSENT = ["exhibit", "side", "name", "status", "reason"]
WRITERS = ["side", "name", "settings", "writes_per_second"]


class Row(NamedTuple):
    """A row of the source's Table 1: which exhibit, in words, the case and workload."""

    exhibit: str
    what: str
    case: Case
    workload: str


def rows_for(threads: int) -> list[Row]:
    """The source's four rows with so many readers."""
    readers = ROCKSJAVA_BASE._replace(settings=f"threads={threads}, load=sequential")
    busy = ROCKSJAVA_BASE._replace(settings=f"threads={threads}, load=sequential, writes={WRITES}")
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
    assert chapter.run is not None, "asked of a chapter without a run"
    numbers = dict.fromkeys([MANY, chapter.run.environment["cpu"]["usable_threads"]])
    return [load, *(row for threads in numbers for row in rows_for(threads))]


def found(chapter: Chapter, row: Row, side: str) -> dict | None:
    """What was measured of a side in a row of the table; None when nothing was."""
    rows = chapter.case(row.case)
    rows = rows[(rows["workload"] == row.workload) & (rows["store"] == side)]
    return rows.iloc[0].to_dict() if len(rows) else None


def compared(chapter: Chapter) -> pd.DataFrame:
    """How each side's rate compares with the native one, a row for each row of the table and side
    that both were measured in.

    exhibit, what        which row of the table
    side, name           which side
    percent, low, high   above (+) or below (-) the native rate, with its interval
    difference           of the side's rate from the native one: a Difference
    then                 percent that the source printed, NaN where it has none
    """
    was, rows = published.rocksjava_rates(), []
    for row in all_rows(chapter) if chapter.measured else []:
        native = found(chapter, row, NATIVE)
        sides = {side: found(chapter, row, side) for side in (JAVA, FOREIGN)}
        succeeded = {side: own for side, own in sides.items() if own and own["values"]}
        for side, own in succeeded.items():
            if not (native and native["values"]):
                continue
            # of times, so the other way round for rates; each side with the native one
            between, difference = contrasts.compare(chapter, native, own, len(succeeded))
            percents = (100 * (each - 1) for each in (between.value, between.low, between.high))
            old = was.get((row.exhibit, row.case), {}).get("RocksJava") if side == JAVA else None
            rows.append(
                [
                    row.exhibit,
                    row.what,
                    side,
                    name(chapter, side),
                    *percents,
                    difference,
                    old.percent if old else nan,
                ]
            )
    return pd.DataFrame(rows, columns=COMPARED)


def rates(chapter: Chapter) -> Markdown:
    """Table 1 of the source, from our trials: operations a second of each side, Diff % to native,
    and the source's own.
    """
    if not chapter.measured:
        return nothing(chapter)
    was, rows = published.rocksjava_rates(), []
    apart = {
        (row["exhibit"], row["what"], row["side"]): row
        for row in compared(chapter).to_dict("records")
    }
    for row in all_rows(chapter):
        then = was.get((row.exhibit, row.case)) or {}
        for i, side in enumerate(SIDES):
            old = then.get(SOURCES_SIDES[side]) if side in SOURCES_SIDES else None
            rows.append(
                [
                    marked("**{}** {}", row.exhibit, row.what) if i == 0 else "",
                    name(chapter, side),
                    *rate(found(chapter, row, side)),
                    *percent(apart.get((row.exhibit, row.what, side))),
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


def rate(measured: dict | None) -> tuple[str, str]:
    """Cells of that table: operations a second, and their interval."""
    if measured is None:
        return "not measured", MISSING
    if measured["status"] != "ok":
        return STATUS[measured["status"]], MISSING
    between = f"{1e9 / measured['high']:,.0f} to {1e9 / measured['low']:,.0f}"
    has_interval = measured["low"] == measured["low"]
    return f"{1e9 / measured['value']:,.0f}", between if has_interval else MISSING


def percent(row: dict | None) -> tuple[str, str]:
    """Cells of that table, from a row of `compared`: percent to native, and its interval."""
    if row is None:
        return MISSING, MISSING
    between = f"{row['low']:+.1f} to {row['high']:+.1f}" if row["low"] == row["low"] else MISSING
    return f"{row['percent']:+.1f}", between


def absent(chapter: Chapter) -> pd.DataFrame:
    """The rows of the table in which a side was tried and has no figure: exhibit; side, name;
    status, "n/a" or "failed"; reason.
    """
    rows = []
    for row in all_rows(chapter) if chapter.measured else []:
        for side in SIDES:
            tried = found(chapter, row, side)
            if tried and tried["status"] != "ok":
                status = STATUS[tried["status"]]
                rows.append([row.exhibit, side, name(chapter, side), status, tried["reason"]])
    return pd.DataFrame(rows, columns=ABSENT).drop_duplicates()


def name(chapter: Chapter, side: str) -> str:
    """A side's name as its script says it, or as it is known where it was not measured."""
    return chapter.name(side) if side in chapter.stores else SIDES[side]


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
CLASSIC = [kinds[JAVA, "classic"] for kinds in VARIANTS.values()]
VARIANT = ["workload", "status", "side", "calls", "name", "value", "values", "difference"]
DOES = {"readSeq": "scan: isValid, key, value, next", "readKey": "get one by key"}


def variants(chapter: Chapter) -> pd.DataFrame:
    """A row for each workload and kind of calls, with one thread, in the columns that a
    bars.Panel takes, and: side; calls, the kind; difference, a Difference of its time from that
    of Java's classic calls, None where one of the two was not measured.
    """
    rows: list[dict] = []
    for workload, kinds in VARIANTS.items() if chapter.measured else ():
        tried = {
            (side, calls): measured
            for side, calls in kinds
            if (measured := found(chapter, _variant(workload, calls), side))
            and measured["status"] != "na"
        }
        differences = _from_classic(chapter, {kinds[each]: row for each, row in tried.items()})
        rows += [
            {"mark": nan, "times": nan, "is_baseline": False, "baseline": nan}
            | measured
            | {
                "name": kinds[side, calls],
                "side": side,
                "calls": calls,
                "colour": chapter.stores[side]["colour"],
                "label": number(measured["value"]),
                "difference": differences.get(kinds[side, calls]),
            }
            for (side, calls), measured in tried.items()
        ]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=VARIANT)


def _from_classic(chapter: Chapter, rows: dict[str, dict]) -> dict[str, Difference]:
    """How the time of each kind of calls that succeeded differs from that of Java's classic one,
    which is its own equal; nothing without that.
    """
    good = {name: row for name, row in rows.items() if row["values"]}
    classic = next((name for name in CLASSIC if name in good), None)
    if classic is None:
        return {}
    compared = contrasts.compare_across(chapter, good, classic)
    return {classic: Difference.EQUIVALENT} | {
        name: difference for name, (_, difference) in compared.items()
    }


def _variant(workload: str, calls: str) -> Row:
    case = ROCKSJAVA_BASE._replace(settings=f"load=sequential, calls={calls}")
    return Row("E04", calls, case, workload)


def calls_figure(chapter: Chapter, id: str) -> Figure:
    """E04: what each kind of calls costs an entry, one thread, as bars. The title is the
    chapter's.
    """
    exhibit, frame = exhibit_of(id), variants(chapter)
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
        subtitle=f"{chapter.provenance(exhibit)} · one thread, 800-byte values ·"
        f" {terms.survives(chapter.cases)} · thin line: {stats.interval_name(chapter.trial_count)}",
    )


def writers(chapter: Chapter) -> pd.DataFrame:
    """The rate that the writer beside the readers achieved, a row for each trial: side, name;
    settings, of the case; writes_per_second.
    """
    rows = []
    for trial in chapter.trials:
        for case, result in results(trial):
            achieved = (result.get("observed") or {}).get("writes_per_second")
            if achieved is not None:
                side = trial["store"]["id"]
                settings = labels(case)["settings"]
                rows.append([side, name(chapter, side), settings, achieved])
    return pd.DataFrame(rows, columns=WRITERS)


def latencies(chapter: Chapter) -> Markdown:
    """E03: the writer's achieved rate, the median over trials, and the readers' service times, all
    trials in one histogram.
    """
    if not chapter.measured:
        return nothing(chapter)
    achieved, rows = writers(chapter), []
    for row in (row for row in all_rows(chapter) if row.exhibit == "E03"):
        times = latency.merged(chapter, row.case)
        of_row = achieved[achieved["settings"] == row.case.settings]
        for side in SIDES:
            each = times.get((side, row.workload))
            writes = of_row.loc[of_row["side"] == side, "writes_per_second"]
            cells = [MISSING] * (len(latency.POINTS) + 4)
            if each and len(writes):
                cells = [
                    f"{writes.median():,.0f}",
                    f"{each.count:,}",
                    *(number(each.at(point) / 1e3) or MISSING for point in latency.POINTS),
                    number(each.max_ns / 1e3),
                    f"{len(writes)}",
                ]
            rows.append([row.what, name(chapter, side), *cells])
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
