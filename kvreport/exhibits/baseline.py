"""How near stores come to the flat file, and the flat file to the memory that it lies in."""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import stats
from kvreport.base.text import count, format_range, join_words, number, significant
from kvreport.data.cases import Case
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import Figure, Panel, describe, figure, panel_title, placeholder
from kvreport.exhibits.tables import MISSING, STATUS, nothing, table

BANDWIDTH = "MemoryBandwidth"  # the control that reads and fills memory as fast as one thread can
OF_MEMORY = {
    "write": "write",
    "readSeq": "readSeq",
    "readRev": "readSeq",
    "readKey": "readSeq",
    "readCrc": "readSeq",
    "readXxh64": "readSeq",
}
TOUCHES_ALL = ("write", "readCrc", "readXxh64")  # the others look at one byte of a value only
CACHED = 4  # a block less than so many times the last cache may have been read from it in part
SHARE = (
    ("value", "% of the flat file's throughput", ",.3~g"),
    ("low", "interval from, %", ",.3~g"),
    ("high", "to, %", ",.3~g"),
    ("trials", "trials", "d"),
)


def shares(chapter: Chapter, case: Case) -> pd.DataFrame:
    """The rows of Chapter.drawn without the limit; value, low, high: throughput in percent of the
    flat file's.
    """
    rows = chapter.plot_rows(chapter.case(case))
    bare = {
        row["workload"]: row["values"]
        for row in rows[rows["is_baseline"]].to_dict("records")
        if row["status"] == "ok"
    }
    found = []
    for row in rows[~rows["is_baseline"]].to_dict("records"):
        if row["status"] == "ok" and row["workload"] in bare:
            share = stats.ratio(bare[row["workload"]], row["values"])
            row |= {end: 100 * getattr(share, end) for end in ("value", "low", "high")}
        elif row["status"] == "ok":
            row |= {"status": "failed", "reason": "the flat file was not measured"}
        found.append(
            row
            | {
                "baseline": nan,
                "mark": nan,
                "label": "" if row["status"] != "ok" else f"{significant(row['value'])}%",
            }
        )
    return pd.DataFrame(found, columns=[*rows.columns, "mark", "label"])


def figure_of(chapter: Chapter, id: str, case: Case) -> Figure:
    """A panel for each workload: the stores' throughput in percent of the flat file's."""
    if not chapter.measured:
        return placeholder(id, chapter.missing())
    rows = shares(chapter, case)
    panels = [
        Panel(panel_title(workload), rows[rows["workload"] == workload], "%", SHARE)
        for workload in chapter.workloads
    ]
    panels = [panel for panel in panels if (panel.rows["status"] == "ok").any()]
    return (
        figure(
            id,
            panels,
            headline(chapter, case),
            f"{chapter.provenance('Shares', case)}, {describe(case)} · thin line: "
            f"{stats.interval_name(chapter.trial_count)}",
        )
        if panels
        else placeholder(id, "The flat file or every store is missing.")
    )


def headline(chapter: Chapter, case: Case) -> str:
    """How near the best store comes to the flat file, workload by workload."""
    rows = shares(chapter, case)
    best = rows[rows["status"] == "ok"].groupby("workload")["value"].max()
    return (
        (
            "The best store has, of the flat file's throughput, "
            + join_words(
                f"{best[workload]:,.0f}% at {workload}"
                for workload in chapter.workloads
                if workload in best
            )
        )
        if len(best)
        else "No share of the flat file could be computed"
    )


def table_of(chapter: Chapter, case: Case) -> Markdown:
    """Each store's share of the flat file's throughput, a column for each workload; the figure has
    the intervals.
    """
    if not chapter.measured:
        return nothing(chapter)
    rows, lines = shares(chapter, case), []
    for store in (
        rows.sort_values("value", ascending=False)["store"].drop_duplicates() if len(rows) else []
    ):
        of = {row["workload"]: row for row in rows[rows["store"] == store].to_dict("records")}
        lines.append(
            [
                chapter.name(store),
                *(
                    (
                        MISSING
                        if workload not in of
                        else (
                            significant(of[workload]["value"])
                            if of[workload]["status"] == "ok"
                            else STATUS[of[workload]["status"]]
                        )
                    )
                    for workload in chapter.workloads
                ),
            ]
        )
    return table(
        ["store", *(f">{workload}, %" for workload in chapter.workloads)],
        lines or [[MISSING] * (1 + len(chapter.workloads))],
    )


def memory(bare: Chapter) -> dict[str, tuple[stats.Estimate, int]]:
    """What one thread gets out of this machine's memory, in 10^9 bytes a second, with the block's
    bytes; by workload of the control.
    """
    if not bare.measured or BANDWIDTH not in bare.stores:
        return {}
    rows = bare.results[(bare.results["store"] == BANDWIDTH) & (bare.results["status"] == "ok")]
    rows = rows[rows["user_bytes"] == rows["user_bytes"].max()]
    return {
        row["workload"]: (
            stats.estimate([row["user_bytes"] / row["entries"] / ns for ns in row["values"]]),
            row["user_bytes"],
        )
        for row in rows.to_dict("records")
    }


def bandwidth(bare: Chapter, *tests: tuple[Chapter, Case]) -> Markdown:
    """The flat file's throughput beside the memory's, a row for each workload of each test's case
    that was measured on the same machine.
    """
    found, rows = memory(bare), []
    for chapter, case in tests:
        if bare.measured and chapter.measured and chapter.machine != bare.machine:
            continue
        flat = (
            chapter.results[chapter.results["store"].map(chapter.is_baseline)]
            if chapter.measured
            else pd.DataFrame(columns=["status"])
        )
        for row in flat[flat["status"] == "ok"].to_dict("records"):
            if tuple(row[name] for name in stats.CASE) == tuple(case):
                of = found.get(OF_MEMORY.get(row["workload"]))
                rows.append(
                    [
                        describe(case),
                        row["workload"],
                        "all bytes" if row["workload"] in TOUCHES_ALL else "one byte a value",
                        significant(row["gbs"]),
                        significant(of[0].value) if of else MISSING,
                        f"{100 * row['gbs'] / of[0].value:.0f}" if of else MISSING,
                    ]
                )
    return table(
        ["case", "workload", "touches", ">flat file, GB/s", ">memory, GB/s", ">share of memory, %"],
        rows or [[MISSING] * 6],
    )


def memory_summary(bare: Chapter) -> str:
    """The memory's bandwidth and how far it can be relied on."""
    found = memory(bare)
    if "readSeq" not in found:
        return f"The memory's bandwidth was not measured in this run: {bare.command} measures it."
    (read, block), fill = found["readSeq"], found.get("write")
    told = f"One thread reads this machine's memory at {_rate(read)}" + (
        f" and fills it at {_rate(fill[0])}" if fill else ""
    )
    cache = max(
        (_bytes(size) for size in bare.run.environment["cpu"]["caches"].values()), default=0
    )
    return f"{told}, over a block of {number(block / 1e6)} MB ({count(read.n, 'trial')})." + (
        f" The block is less than {CACHED} times the {cache / 2**20:,.0f} MiB of the last cache,"
        " which may have served part of it."
        if block < CACHED * cache
        else ""
    )


def _rate(found: stats.Estimate) -> str:
    return f"{significant(found.value)} GB/s" + (
        f" ({format_range(found.low, found.high)})" if found.has_interval else ""
    )


def _bytes(size: str) -> int:
    """ "32M", as the kernel writes the sizes of caches."""
    digits, unit = size.rstrip("KMG"), size[-1:]
    return (
        int(digits) * {"K": 2**10, "M": 2**20, "G": 2**30}.get(unit, 1) if digits.isdigit() else 0
    )
