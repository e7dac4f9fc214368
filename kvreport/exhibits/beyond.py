"""Data larger than the memory that a process may have: what each workload takes, against the same
in memory.
"""

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import costs
from kvreport.base.text import duration, format_range, join_words, number
from kvreport.data.cases import Case
from kvreport.data.runs import MEMORY
from kvreport.exhibits import charts
from kvreport.exhibits.chapter import Chapter, comparable, tests
from kvreport.exhibits.charts import Figure, placeholder, ranked
from kvreport.exhibits.tables import MISSING, STATUS, interval, nothing, rounded, table

GETS = "readKeyXxh64"  # by key, each value read whole: what is got has to be there


def figure(chapter: Chapter, id: str, case: Case) -> Figure:
    """A panel for each workload: ns an entry."""
    return (
        charts.workloads(chapter, id, case, headline(chapter, case))
        if chapter.measured
        else placeholder(id, chapter.missing())
    )


def times(chapter: Chapter, case: Case, workload: str) -> pd.Series:
    """ns an entry, by store, the fastest first."""
    rows = chapter.case(case)
    return rows[(rows["workload"] == workload) & (rows["status"] == "ok")]["value"].sort_values()


def headline(chapter: Chapter, case: Case) -> str:
    """The range of gets by key, in a sentence without its full stop."""
    gets = [
        (value, chapter.name(store))
        for store, value in times(chapter, case, GETS).items()
        if chapter.is_store(store)
    ]
    return (
        f"Beyond memory a get by key takes {duration(gets[0][0])} ({gets[0][1]}) to"
        f" {duration(gets[-1][0])} ({gets[-1][1]})"
        if gets
        else "No store could be read beyond memory"
    )


def slower(chapter: Chapter, roomy: Chapter, case: Case) -> dict[str, float]:
    """How many times as long a get takes as where the data fit into memory, by store: at most, as
    the gets there look into no value.
    """
    return (
        (times(chapter, case, GETS) / times(roomy, case, "readKey")).dropna().to_dict()
        if roomy in comparable([roomy, chapter])
        else {}
    )


def table_of(chapter: Chapter, roomy: Chapter, case: Case) -> Markdown:
    """Each workload's stores by time, with the factor over memory and the bytes that a pass had
    from the device.
    """
    if not chapter.measured:
        return nothing(chapter)
    results, factors, read, lines = (
        chapter.case(case),
        slower(chapter, roomy, case),
        costs.of_workloads(chapter, case),
        [],
    )
    for workload in chapter.workloads:
        middle = costs.medians(read[read["workload"] == workload])[costs.READ]
        for i, row in enumerate(
            ranked(chapter.plot_rows(results[results["workload"] == workload])).to_dict("records")
        ):
            good = row["status"] == "ok"
            lines.append(
                [
                    f"**{workload}**" if i == 0 else "",
                    row["name"],
                    number(row["value"]) if good else f"{STATUS[row['status']]}: {row['reason']}",
                    interval(row) if good else MISSING,
                    (
                        number(factors[row["store"]])
                        if workload == GETS and row["store"] in factors
                        else MISSING
                    ),
                    rounded(middle.get(row["store"], float("nan")), 2) if good else MISSING,
                ]
            )
    return table(
        [
            "workload",
            "store",
            ">ns/entry",
            ">95% interval, ns/entry",
            ">times as long as in memory",
            ">OS bytes read per user byte",
        ],
        lines,
    )


def room(chapter: Chapter) -> str:
    """How much memory the processes had, as their records say it."""
    sizes = {
        int(flag.removeprefix(MEMORY))
        for trial in chapter.trials
        if trial["jvm"]
        for flag in trial["jvm"]["flags"]
        if flag.startswith(MEMORY)
    }
    heaps = {trial["jvm"]["heap_bytes"] for trial in chapter.trials if trial["jvm"]}
    data = {case["flat_bytes"] for trial in chapter.trials for case in trial["cases"]}
    return (
        f"{format_range(min(data) / 1e6, max(data) / 1e6)} MB of keys and values in a process"
        f" that may have"
        f" {format_range(min(sizes) / 1e6, max(sizes) / 1e6)} MB,"
        f" {format_range(min(heaps) / 1e6, max(heaps) / 1e6)} MB of them its heap."
        if sizes and data
        else ""
    )


def summary(chapter: Chapter, roomy: Chapter, case: Case) -> str:
    """The room there was, and how much longer gets take than in memory: the least and the most, or
    why that cannot be told.
    """
    told = [room(chapter)]
    found = sorted(
        (factor, chapter.name(store))
        for store, factor in slower(chapter, roomy, case).items()
        if chapter.is_store(store)
    )
    if found:
        told.append(
            f"A get by key takes at most {number(found[0][0])} ({found[0][1]}) to"
            f" {number(found[-1][0])} ({found[-1][1]}) times as long as in memory."
        )
    elif chapter.measured and roomy.measured and roomy not in comparable([roomy, chapter]):
        told.append(
            f"{tests([roomy])} ran on another machine or at another profile: how many times as long"
            " a get takes as in memory is not told."
        )
    lost = sorted(
        {
            chapter.name(row["store"])
            for row in chapter.case(case).to_dict("records")
            if row["status"] == "failed"
        }
    )
    return " ".join(
        each
        for each in [
            *told,
            f"{join_words(lost)} did not get through; the table says why." if lost else "",
        ]
        if each
    )
