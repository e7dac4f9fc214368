"""How near stores come to the flat file, the baseline, and the flat file to the memory that it lies
in.
"""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import contrasts, stats
from kvreport.analysis.stats import Difference
from kvreport.base.text import format_range, significant
from kvreport.charts.bars import Panel, figure
from kvreport.charts.chapter import Chapter
from kvreport.charts.figures import Figure, placeholder
from kvreport.charts.tables import MISSING, table
from kvreport.data.cases import Case
from kvreport.exhibits.charts import describe, panel_title
from kvreport.exhibits.tables import STATUS, nothing

BANDWIDTH = "MemoryBandwidth"  # the control that reads and fills memory as fast as one thread can
OF_MEMORY = {  # of the workloads that touch every byte: what memory is asked for
    "write": "write",
    "readCrc": "readSeq",
    "readXxh64": "readSeq",
    "readKeyXxh64": "readSeq",
}
CACHED = 4  # a block less than so many times the last cache may have been read from it in part
SHARE = (
    ("value", "% of the flat file's throughput", ",.3~g"),
    ("low", "interval from, %", ",.3~g"),
    ("high", "to, %", ",.3~g"),
    ("trials", "trials", "d"),
)


def shares(chapter: Chapter, case: Case) -> pd.DataFrame:
    """The rows of Chapter.plot_rows without the flat file; value, low, high: throughput in percent
    of the flat file's, its interval corrected for as many comparisons with it as the workload has;
    difference: of the store's time from the flat file's, a stats.Difference, None without a share.
    """
    rows = chapter.plot_rows(chapter.case(case))
    good = rows[rows["status"] == "ok"]
    bare = {row["workload"]: row for row in good[good["is_baseline"]].to_dict("records")}
    compared = good.loc[~good["is_baseline"], "workload"].value_counts()
    found = []
    for row in rows[~rows["is_baseline"]].to_dict("records"):
        difference = None
        if row["status"] == "ok" and row["workload"] in bare:
            flat, others = bare[row["workload"]], int(compared[row["workload"]])
            times, difference = contrasts.compare(chapter, row, flat, others)
            row |= {"value": 100 / times.value, "low": 100 / times.high, "high": 100 / times.low}
        elif row["status"] == "ok":
            row |= {"status": "failed", "reason": "the flat file was not measured"}
        found.append(
            row
            | {
                "difference": difference,
                "baseline": nan,
                "mark": nan,
                "label": "" if row["status"] != "ok" else f"{significant(row['value'])}%",
            }
        )
    return pd.DataFrame(found, columns=[*rows.columns, "difference", "mark", "label"])


def figure_of(chapter: Chapter, id: str, case: Case) -> Figure:
    """A panel for each workload: the stores' throughput in percent of the flat file's. Its title is
    the chapter's.
    """
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
            subtitle=f"{chapter.provenance('Shares', case)}, {describe(case)} · thin line: "
            f"{contrasts.interval_name(chapter.trial_count)}",
        )
        if panels
        else placeholder(id, "The flat file or every store is missing.")
    )


def best(chapter: Chapter, case: Case) -> dict[str, float]:
    """The highest share of a store at each workload, in percent; workloads that none has are left
    out.
    """
    if not chapter.measured:
        return {}
    rows = shares(chapter, case)
    found = rows[rows["status"] == "ok"].groupby("workload")["value"].max()
    return {each: float(found[each]) for each in chapter.workloads if each in found}


def table_of(chapter: Chapter, case: Case) -> Markdown:
    """Each store's share of the flat file's throughput, a column for each workload, in parentheses
    where it is too noisy to tell whether they differ; the figure has the intervals.
    """
    if not chapter.measured:
        return nothing(chapter)
    rows = shares(chapter, case)
    cells = {
        (row["store"], row["workload"]): _share(row)
        if row["status"] == "ok"
        else STATUS[row["status"]]
        for row in rows.to_dict("records")
    }
    order = rows.sort_values("value", ascending=False)["store"].drop_duplicates()
    return table(
        ["store", *(f">{workload}, %" for workload in chapter.workloads)],
        [
            [
                chapter.name(store),
                *(cells.get((store, workload), MISSING) for workload in chapter.workloads),
            ]
            for store in order
        ]
        or [[MISSING] * (1 + len(chapter.workloads))],
    )


def _share(row: dict) -> str:
    shown = significant(row["value"])
    return f"({shown})" if row["difference"] is Difference.INCONCLUSIVE else shown


def memory(bare: Chapter) -> pd.DataFrame:
    """What one thread gets out of this machine's memory, a row for each workload of the control on
    its largest block, by workload; empty where that is not measured.

    value, low, high  10^9 bytes a second, with the interval over n trials
    block             bytes of the block;  values: 10^9 bytes a second, one a trial
    """
    columns = ["value", "low", "high", "n", "block", "values"]
    if not bare.measured or BANDWIDTH not in bare.stores:
        return pd.DataFrame(columns=columns)
    rows = bare.results[(bare.results["store"] == BANDWIDTH) & (bare.results["status"] == "ok")]
    found = {
        row["workload"]: vars(stats.estimate(_rates(row)))
        | {"block": row["user_bytes"], "values": _rates(row)}
        for row in rows[rows["user_bytes"] == rows["user_bytes"].max()].to_dict("records")
    }
    return pd.DataFrame.from_dict(found, orient="index", columns=columns)


def _rates(row: dict) -> tuple[float, ...]:
    """10^9 bytes a second, one a trial."""
    return tuple(row["user_bytes"] / row["entries"] / ns for ns in row["values"])


def bandwidth(bare: Chapter, *tests: tuple[Chapter, Case]) -> Markdown:
    """The flat file's throughput beside the memory's, a row for each workload that touches every
    byte, of each test's case that was measured on the same machine. The two are of different
    sections, so that no round is common to them: their ratio has Welch's interval.
    """
    of_memory = memory(bare).to_dict("index")
    rows = []
    for chapter, case in tests:
        if chapter.measured and (not bare.measured or chapter.machine == bare.machine):
            for row in chapter.case(case).to_dict("records"):
                whole = row["workload"] in OF_MEMORY
                if whole and row["status"] == "ok" and chapter.is_baseline(row["store"]):
                    top = of_memory.get(OF_MEMORY[row["workload"]])
                    found = [describe(case), row["workload"], significant(row["gbs"])]
                    rows.append([*found, *(_of_memory(row, top) if top else [MISSING] * 3)])
    heads = ["case", "workload", ">flat file, GB/s", ">memory, GB/s", ">share of memory, %"]
    heads.append(">95% interval, %")
    return table(heads, rows or [[MISSING] * len(heads)])


def _of_memory(row: dict, top: dict) -> list[str]:
    """The memory's rate, the flat file's share of it, and the interval of that."""
    share = stats.ratio(_rates(row), top["values"])
    low, high = 100 * share.low, 100 * share.high
    between = format_range(low, high) if share.has_interval else MISSING
    return [significant(top["value"]), f"{100 * row['gbs'] / top['value']:.0f}", between]


def last_cache(bare: Chapter) -> int:
    """Bytes of the processor's largest cache; 0 where the system does not say."""
    caches = bare.run.environment["cpu"]["caches"] if bare.run else {}
    return max(map(_bytes, caches.values()), default=0)


def _bytes(size: str) -> int:
    """ "32M", as the kernel writes the sizes of caches."""
    digits, unit = size.rstrip("KMG"), size[-1:]
    return (
        int(digits) * {"K": 2**10, "M": 2**20, "G": 2**30}.get(unit, 1) if digits.isdigit() else 0
    )
