"""What stores cost the rest of the machine: CPU, disk, memory, files and threads, and the debt that
a load leaves.
"""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import costs
from kvreport.base.markdown import marked
from kvreport.base.text import number
from kvreport.charts.bars import Panel, figure
from kvreport.charts.chapter import Chapter
from kvreport.charts.figures import Figure, placeholder
from kvreport.charts.tables import table
from kvreport.data.cases import Case
from kvreport.exhibits.charts import describe
from kvreport.exhibits.tables import nothing

SECOND_CORE = 1.1  # cores busy from which a load counts as using a second one
# seconds of background work after a load from which it is worth a word: more than the half second
# in which older runs could not tell it from none
LASTING = 1.0
LOADED = ["store", costs.CORES, costs.CPU, costs.WRITTEN, costs.MEMORY, costs.QUIET, "restless"]
PANELS = (  # background work, of which most stores have none, is in the table of debt
    ("CPU busy while loading", costs.CORES, "cores"),
    ("CPU of a load, its debt included", costs.CPU, "ns/entry"),
    ("Bytes written per user byte, debt included", costs.WRITTEN, "times"),
    ("Bytes on disk per user byte, after close", costs.CLOSED, "times"),
    ("Peak memory beside the heap", costs.MEMORY, "MB"),
)
COLUMNS = {  # of the table of workloads: title, digits
    costs.CORES: (">CPU cores busy", 2),
    costs.CPU: (">CPU, ns/entry", 0),
    costs.WRITTEN: (">OS bytes written per user byte", 2),
    costs.READ: (">OS bytes read per user byte", 2),
    costs.MEMORY: (">peak beside the heap, MB", 0),
    costs.GC: (">GC, ms/pass", 1),
    costs.FILES: (">store's open files", 0),
    costs.THREADS: (">threads", 0),
}
NO_REST = "not quiet"


def of_load(chapter: Chapter, case: Case) -> pd.DataFrame:
    """A row for each store that loaded a case, medians over trials; empty where none did. NaN
    stands for what the system does not count.

    store         its name
    cores         cores busy while loading
    cpu, written  ns an entry of CPU time and bytes written per byte of keys and values, of the load
                  and what comes after it
    memory        most that was resident beside the heap while loading, MB
    quiet         seconds of background work after the load
    restless      whether a trial had not come to rest within the time limit
    """
    if not chapter.measured:
        return pd.DataFrame(columns=LOADED)
    left = costs.of_loads(chapter, case)
    loading = costs.of_workloads(chapter, case)
    during = costs.medians(loading[loading["workload"] == "write"])
    found = costs.medians(left).assign(
        cores=during[costs.CORES],
        memory=during[costs.MEMORY],
        restless=left[costs.QUIET].isna().groupby(left["store"]).any(),
    )
    found = found[[chapter.is_store(str(store)) for store in found.index]].reset_index()
    return found.assign(store=[chapter.name(store) for store in found["store"]])[LOADED]


def loads(chapter: Chapter, id: str, case: Case) -> Figure:
    """What a load takes of the machine, a panel for each resource; bars or dots are medians over
    trials, thin lines their range. Its title is the chapter's.
    """
    if not chapter.measured:
        return placeholder(id, chapter.missing())
    spent = costs.of_workloads(chapter, case)
    loading, left = spent[spent["workload"] == "write"], costs.of_loads(chapter, case)
    results = chapter.case(case)
    rows = chapter.plot_rows(results[results["workload"] == "write"])
    panels = [
        Panel(
            title,
            _valued(rows, loading if column in (costs.CORES, costs.MEMORY) else left, column),
            unit,
            (
                ("value", unit, ",.3~g"),
                ("low", f"least, {unit}", ",.3~g"),
                ("high", f"most, {unit}", ",.3~g"),
            ),
        )
        for title, column, unit in PANELS
    ]
    return figure(
        id,
        panels,
        subtitle=f"{chapter.provenance('Costs', case)}, {describe(case)} · all threads · "
        "thin line: range of the trials",
    )


def _valued(rows: pd.DataFrame, measured: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rows of a figure with the median, least and most of a column in place of times."""
    values_of = dict(list(measured.groupby("store")[column]))
    restless = {store for store, values in values_of.items() if values.isna().any()}
    ends = pd.DataFrame(
        {store: _ends(values) for store, values in values_of.items() if store not in restless},
        index=["value", "low", "high"],
    )
    shown = rows.assign(is_baseline=False, baseline=nan, mark=nan)
    shown = shown.assign(**{end: shown["store"].map(ends.loc[end]) for end in ends.index})
    odd = shown["store"].isin(restless) & (shown["status"] == "ok")
    shown.loc[odd, ["status", "reason"]] = ["failed", "not counted by the system"]
    return shown.assign(
        label=[f"{value:,.2f}" if value < 9.995 else number(value) for value in shown["value"]]
    )


def _ends(values: pd.Series) -> list[float]:
    """The median, the least and the most."""
    return [values.median(), values.min(), values.max()]


def workloads(chapter: Chapter, case: Case) -> Markdown:
    """Every workload's costs in a case, medians over trials: stores in the order of the CPU that
    they use.
    """
    if not chapter.measured:
        return nothing(chapter)
    spent, rows = costs.of_workloads(chapter, case), []
    for workload in chapter.workloads:
        middle = costs.medians(spent[spent["workload"] == workload]).sort_values(costs.CPU)
        rows += [
            [
                marked("**{}**", workload) if i == 0 else "",
                chapter.name(row["store"]),
                *(_cell(row[column], digits) for column, (_, digits) in COLUMNS.items()),
            ]
            for i, row in enumerate(_shown(chapter, middle))
        ]
    return table(["workload", "store", *(title for title, _ in COLUMNS.values())], rows)


def _shown(chapter: Chapter, medians: pd.DataFrame) -> list[dict]:
    """Of medians by store, the rows of the stores and the flat file, with their `store`."""
    return [
        row
        for row in medians.reset_index().to_dict("records")
        if chapter.is_store(row["store"]) or chapter.is_baseline(row["store"])
    ]


def debts(chapter: Chapter, case: Case) -> Markdown:
    """Amplification and compaction debt of a load: medians over trials, stores in the order of what
    they write in all.
    """
    if not chapter.measured:
        return nothing(chapter)
    found = costs.of_loads(chapter, case)
    middle = costs.medians(found).sort_values(costs.WRITTEN)
    restless = set(found[found[costs.QUIET].isna()]["store"])
    rows = [
        [
            chapter.name(row["store"]),
            *(
                _cell(row[column], 2)
                for column in (costs.WRITTEN, costs.DEBT_WRITTEN, costs.OPEN, costs.CLOSED)
            ),
            NO_REST if row["store"] in restless else _cell(row[costs.QUIET], 1),
            _cell(row[costs.DEBT_CPU], 0),
        ]
        for row in _shown(chapter, middle)
    ]
    return table(
        [
            "store",
            ">OS bytes written per user byte",
            ">bytes written after the load, per user byte",
            ">bytes on disk per user byte, open",
            ">bytes per user byte, closed",
            ">quiet after, s",
            ">CPU after the load, ns/entry",
        ],
        rows,
    )


def _cell(value: float, digits: int) -> str:
    return "not counted" if value != value else f"{value:,.{digits}f}"
