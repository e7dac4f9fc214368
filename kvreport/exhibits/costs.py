"""What stores cost the rest of the machine: CPU, disk, memory, files and threads, and the debt that
a load leaves.
"""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import costs
from kvreport.base.text import join_words, number
from kvreport.data.cases import Case
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import Figure, Panel, describe, figure, placeholder
from kvreport.exhibits.tables import nothing, table

SECOND_CORE = 1.1  # cores busy from which a load is said to use a second one
LASTING = 0.5  # seconds of background work after a load from which it is told
PANELS = (
    ("CPU busy while loading", costs.CORES, "cores"),
    ("CPU of a load, its debt included", costs.CPU, "ns/entry"),
    ("Bytes written per user byte, debt included", costs.WRITTEN, "times"),
    ("Background work after the load", costs.QUIET, "s"),
    ("Bytes on disk per user byte, after close", costs.CLOSED, "times"),
    ("Peak resident memory", costs.RSS, "MB"),
)
COLUMNS = {  # of the table of workloads: title, digits
    costs.CORES: (">CPU cores busy", 2),
    costs.CPU: (">CPU, ns/entry", 0),
    costs.WRITTEN: (">OS bytes written per user byte", 2),
    costs.READ: (">OS bytes read per user byte", 2),
    costs.RSS: (">peak resident, MB", 0),
    costs.GC: (">GC, ms/pass", 1),
    costs.FILES: (">store's open files", 0),
    costs.THREADS: (">threads", 0),
}
NO_REST = "not quiet"


def loads(chapter: Chapter, id: str, case: Case) -> Figure:
    """What a load takes of the machine, a panel for each resource; bars or dots are medians over
    trials, thin lines their range.
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
            _valued(rows, loading if column in (costs.CORES, costs.RSS) else left, column),
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
        headline(chapter, case),
        f"{chapter.provenance('Costs', case)}, {describe(case)} · all threads · thin line: range of"
        " the trials",
    )


def _valued(rows: pd.DataFrame, measured: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rows of a figure with the median, least and most of a column in place of times; a store that
    was not quiet says so.
    """
    of = {store: values for store, values in measured.groupby("store")[column]}
    restless = {store for store, values in of.items() if values.isna().any()}
    told = rows.assign(is_baseline=False, baseline=nan, mark=nan)
    for end, pick in (("value", "median"), ("low", "min"), ("high", "max")):
        told[end] = [
            getattr(of[store], pick)() if store in of and store not in restless else nan
            for store in rows["store"]
        ]
    odd = told["store"].isin(restless) & (told["status"] == "ok")
    told.loc[odd, ["status", "reason"]] = [
        "failed",
        "never quiet" if column == costs.QUIET else "not told by the system",
    ]
    return told.assign(
        label=[f"{value:,.2f}" if value < 9.995 else number(value) for value in told["value"]]
    )


def headline(chapter: Chapter, case: Case) -> str:
    """How many stores use a second core to load, and which leave most to be done, in a sentence
    without its full stop.
    """
    loading = costs.of_workloads(chapter, case)
    cores = _stores(chapter, costs.medians(loading[loading["workload"] == "write"]))[costs.CORES]
    busy = cores[cores > SECOND_CORE].sort_values(ascending=False)
    told = (
        f"{join_words(f'{chapter.name(store)} ({value:.1f})' for store, value in busy.items())}"
        f" keep"
        " more than one core busy"
        if len(busy)
        else "No store keeps more than one core busy"
    )
    return f"While loading, {told}" if len(busy) else f"{told} while loading"


def _stores(chapter: Chapter, rows: pd.DataFrame) -> pd.DataFrame:
    return rows[[chapter.is_store(store) for store in rows.index]]


def workloads(chapter: Chapter, case: Case) -> Markdown:
    """Every workload's costs in a case, medians over trials: stores in the order of the CPU that
    they use.
    """
    if not chapter.measured:
        return nothing(chapter)
    spent, rows = costs.of_workloads(chapter, case), []
    for workload in chapter.workloads:
        middle = costs.medians(spent[spent["workload"] == workload]).sort_values(costs.CPU)
        shown = [
            store for store in middle.index if chapter.is_store(store) or chapter.is_baseline(store)
        ]
        rows += [
            [
                f"**{workload}**" if store == shown[0] else "",
                chapter.name(store),
                *(
                    _cell(middle.loc[store, column], digits)
                    for column, (_, digits) in COLUMNS.items()
                ),
            ]
            for store in shown
        ]
    return table(["workload", "store", *(title for title, _ in COLUMNS.values())], rows)


def debts(chapter: Chapter, case: Case) -> Markdown:
    """Amplification and compaction debt of a load: medians over trials, stores in the order of what
    they write in all.
    """
    if not chapter.measured:
        return nothing(chapter)
    found = costs.of_loads(chapter, case)
    middle, restless = (
        costs.medians(found).sort_values(costs.WRITTEN),
        set(found[found[costs.QUIET].isna()]["store"]),
    )
    rows = [
        [
            chapter.name(store),
            _cell(row[costs.WRITTEN], 2),
            _cell(row[costs.DEBT_WRITTEN], 2),
            _cell(row[costs.OPEN], 2),
            _cell(row[costs.CLOSED], 2),
            NO_REST if store in restless else _cell(row[costs.QUIET], 1),
            _cell(row[costs.DEBT_CPU], 0),
        ]
        for store, row in middle.iterrows()
        if chapter.is_store(store) or chapter.is_baseline(store)
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
    return "not told" if value != value else f"{value:,.{digits}f}"


def summary(chapter: Chapter, case: Case) -> str:
    """The extremes of what a load costs, and who leaves work behind."""
    found = costs.of_loads(chapter, case)
    middle = _stores(chapter, costs.medians(found))
    if not len(middle):
        return "No store loaded this case."
    told = [f"{headline(chapter, case)}."]
    for column, what, unit in (
        (
            costs.CPU,
            "The CPU time of a load, over all threads and with what comes after it, is",
            "ns an entry",
        ),
        (costs.WRITTEN, "Bytes written to disk are", "per byte of keys and values"),
    ):
        ends = middle[column].dropna().sort_values()
        if len(ends):
            told.append(
                f"{what} from {ends.iloc[0]:,.{0 if column == costs.CPU else 2}f}"
                f" ({chapter.name(ends.index[0])}) to"
                f" {ends.iloc[-1]:,.{0 if column == costs.CPU else 2}f}"
                f" ({chapter.name(ends.index[-1])}) {unit}."
            )
    lasting = middle[middle[costs.QUIET] > LASTING][costs.QUIET].sort_values(ascending=False)
    named = join_words(
        f"{seconds:.1f} s in {chapter.name(store)}" for store, seconds in lasting.items()
    )
    told.append(
        f"Background work went on for {named}."
        if len(lasting)
        else f"No store worked on for more than {LASTING} s after its load."
    )
    restless = sorted({chapter.name(store) for store in found[found[costs.QUIET].isna()]["store"]})
    return " ".join(
        told
        + ([f"{join_words(restless)} had not come to rest within the limit."] if restless else [])
    )
