"""Data larger than the memory that a process may have: what each workload takes, against the same
in memory.
"""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import costs
from kvreport.base.markdown import marked
from kvreport.base.text import number
from kvreport.data.cases import Case
from kvreport.data.runs import MEMORY
from kvreport.exhibits.bars import ranked
from kvreport.exhibits.chapter import Chapter, comparable
from kvreport.exhibits.tables import MISSING, STATUS, interval, nothing, rounded, table

LOOK_INTO = "readKeyXxh64"  # by key, each value read whole: what is got has to be there
GETS = ["store", "name", "is_store", "beyond", "in_memory", "times"]


def gets(chapter: Chapter, roomy: Chapter, case: Case) -> pd.DataFrame:
    """A row for each store, the flat file included, whose gets by key succeeded, the fastest first;
    empty where nothing is measured.

    store, name        its id and name
    is_store           whether it is one, and not the flat file or a control
    beyond, in_memory  ns/entry here and in `roomy`; NaN where those two must not be compared
    times              beyond over in_memory: at most, as the gets in memory look into no value
    """
    if not chapter.measured:
        return pd.DataFrame(columns=GETS)
    here = _times(chapter, case, LOOK_INTO)
    both = are_comparable(chapter, roomy)
    there = _times(roomy, case, "readKey") if both else {}
    rows = [
        [store, chapter.name(store), chapter.is_store(store), ns, there.get(store, nan)]
        for store, ns in sorted(here.items(), key=lambda item: item[1])
    ]
    found = pd.DataFrame(rows, columns=GETS[:-1])
    return found.assign(times=found["beyond"] / found["in_memory"])


def are_comparable(chapter: Chapter, roomy: Chapter) -> bool:
    """Whether both are measured, on the same machine at the same profile."""
    return chapter.measured and roomy in comparable([roomy, chapter])


def _times(chapter: Chapter, case: Case, workload: str) -> dict[str, float]:
    """ns an entry by store."""
    rows = chapter.case(case)
    rows = rows[(rows["workload"] == workload) & (rows["status"] == "ok")]
    return dict(zip(rows["store"], rows["value"]))


def memory(chapter: Chapter) -> pd.DataFrame:
    """A row for each case of each trial, as their records have it, in 10^6 bytes.

    data  keys and values;  room: what the process may have; NaN where that is not recorded
    heap  of that, the heap
    """
    rows = []
    for trial in chapter.trials:
        jvm = trial["jvm"] or {"flags": [], "heap_bytes": nan}
        room = next((flag for flag in jvm["flags"] if flag.startswith(MEMORY)), f"{MEMORY}nan")
        allowed = float(room.removeprefix(MEMORY))
        rows += [[case["flat_bytes"], allowed, jvm["heap_bytes"]] for case in trial["cases"]]
    return pd.DataFrame(rows, columns=["data", "room", "heap"], dtype=float) / 1e6


def failed(chapter: Chapter, case: Case) -> list[str]:
    """The names of what failed at a workload of the case."""
    if not chapter.measured:
        return []
    rows = chapter.case(case)
    return sorted({chapter.name(store) for store in rows[rows["status"] == "failed"]["store"]})


def table_of(chapter: Chapter, roomy: Chapter, case: Case) -> Markdown:
    """Each workload's stores by time, with the factor over memory and the bytes that a pass had
    from the device.
    """
    if not chapter.measured:
        return nothing(chapter)
    found = gets(chapter, roomy, case)
    times = {(LOOK_INTO, store): value for store, value in zip(found["store"], found["times"])}
    read = costs.of_workloads(chapter, case).groupby(["workload", "store"])[costs.READ].median()
    results, rows = chapter.case(case), []
    for workload in chapter.workloads:
        shown = ranked(chapter.plot_rows(results[results["workload"] == workload]))
        for i, row in enumerate(shown.to_dict("records")):
            key, good = (workload, row["store"]), row["status"] == "ok"
            rows.append(
                [
                    marked("**{}**", workload) if i == 0 else "",
                    row["name"],
                    number(row["value"]) if good else f"{STATUS[row['status']]}: {row['reason']}",
                    interval(row) if good else MISSING,
                    number(times.get(key, nan)) or MISSING,
                    rounded(read.get(key, nan), 2) if good else MISSING,
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
        rows,
    )
