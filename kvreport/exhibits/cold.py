"""Cold, lukewarm and warm: gets by key from a database in use, from one just opened, and from one
just opened that is not in memory.
"""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import costs, stats
from kvreport.base.text import number
from kvreport.data.cases import Case
from kvreport.exhibits.bars import short
from kvreport.exhibits.before_after import Pairs, pairs
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import describe
from kvreport.exhibits.figures import Figure, placeholder
from kvreport.exhibits.tables import MISSING, STATUS, interval, nothing, rounded, table

LUKEWARM, COLD = "readLukewarm", "readCold"
# bytes that a pass must have had from the device, for each byte of keys and values, to count as
# cold
LEAST_READ = 0.1
COMPARED = ["store", "warm", "lukewarm", "cold", "read", "cached", "opening", "cold_start"]


def states(chapter: Chapter) -> dict[str, str]:
    """The workloads compared, and what each is in words. Before harness 13 values were only
    reached.
    """
    warm = "readKeyXxh64" if "readKeyXxh64" in chapter.workloads else "readKey"
    return {
        warm: "warm: open, and read before",
        LUKEWARM: "lukewarm: just opened",
        COLD: "cold: just opened, not in memory",
    }


def compared(chapter: Chapter, case: Case) -> pd.DataFrame:
    """A row for each store; empty where nothing is measured. NaN stands for what was not measured.

    store                 its name
    warm, lukewarm, cold  ns/entry in each state
    read                  bytes that a cold pass had from the device, per byte of keys and values
    cached                whether these were too few to call it cold (LEAST_READ)
    opening, cold_start   lukewarm and cold over warm, times; cold_start only of what is not cached
    """
    if not chapter.measured:
        return pd.DataFrame(columns=COMPARED)
    measured = {
        (row["store"], row["workload"]): row["value"]
        for row in chapter.case(case).to_dict("records")
        if row["status"] == "ok"
    }
    read = _read(chapter, case)
    rows = []
    for store in filter(chapter.is_store, chapter.stores):
        warm, lukewarm, cold = (measured.get((store, state), nan) for state in states(chapter))
        bytes_read = read.get((store, COLD), nan)
        cached = bytes_read < LEAST_READ  # never so where the system counts no bytes
        ratios = lukewarm / warm, nan if cached else cold / warm
        rows.append([chapter.name(store), warm, lukewarm, cold, bytes_read, cached, *ratios])
    return pd.DataFrame(rows, columns=COMPARED)


def _read(chapter: Chapter, case: Case) -> dict[tuple[str, str], float]:
    """Bytes that a pass had from the device for each byte of keys and values, by store and
    workload: medians over trials.
    """
    spent = costs.of_workloads(chapter, case)
    medians = spent.groupby(["store", "workload"])[costs.READ].median()
    return dict(zip(medians.index, medians))


def figure_of(chapter: Chapter, id: str, case: Case) -> Figure:
    """A panel for each state but the warm one, with what a get takes warm and in it; a lukewarm or
    cold pass includes opening the database. Its title is the chapter's.
    """
    if not chapter.measured:
        return placeholder(id, chapter.missing())
    rows = chapter.plot_rows(chapter.case(case))
    warm, *others = states(chapter)
    panels = [
        Pairs(
            f"{states(chapter)[state].partition(':')[0]} (full), warm (hollow)",
            _paired(rows[rows["workload"] == warm], rows[rows["workload"] == state]),
            "ns/entry",
            by="after",
        )
        for state in reversed(others)
    ]
    return pairs(
        id,
        panels,
        subtitle=f"{chapter.provenance('Cold', case)}, {describe(case)} · thin lines:"
        f" {stats.interval_name(chapter.trial_count)}, hollow above, full below",
    )


def _paired(warm: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Rows of Chapter.plot_rows of two states, in the columns of before_after.Pairs."""
    ends = {"value": "", "low": "_low", "high": "_high"}
    about = pd.concat([warm, other]).drop_duplicates("store").set_index("store")
    both = about[["name", "colour"]]
    for when, rows in (("before", warm), ("after", other)):
        names = {column: f"{when}{end}" for column, end in ends.items()}
        both = both.join(rows.set_index("store")[list(ends)].rename(columns=names))
    why = pd.concat([other, warm]).query("status != 'ok'").drop_duplicates("store")
    notes = {row["store"]: short(row["reason"], row["status"]) for row in why.to_dict("records")}
    times = both["after"] / both["before"]
    return both.assign(
        change=[f"× {number(each)}" for each in times],
        note=[notes.get(store, MISSING) for store in both.index],
        mark_before=nan,
        mark_after=nan,
    ).reset_index()


def table_of(chapter: Chapter, case: Case) -> Markdown:
    """Each store in each state, and what a pass had from the device."""
    if not chapter.measured:
        return nothing(chapter)
    measured = {
        (row["store"], row["workload"]): row for row in chapter.case(case).to_dict("records")
    }
    read = _read(chapter, case)
    named = {state: words.partition(":")[0] for state, words in states(chapter).items()}
    shown = [each for each in chapter.stores if chapter.is_store(each) or chapter.is_baseline(each)]
    return table(
        [
            "store",
            "state",
            ">ns/entry",
            ">95% interval, ns/entry",
            ">ms/pass",
            ">OS bytes read per user byte",
        ],
        [
            [
                chapter.name(store) if name == "warm" else "",
                name,
                *_cells(measured.get((store, state)), read.get((store, state), nan)),
            ]
            for store in shown
            for state, name in named.items()
        ],
    )


def _cells(row: dict | None, read: float) -> list[str]:
    """A state's time with its interval, its pass and its bytes, or why there is none."""
    if row is None or row["status"] != "ok":
        reason = f"{STATUS[row['status']]}: {row['reason']}" if row else MISSING
        return [reason, MISSING, MISSING, MISSING]
    return [number(row["value"]), interval(row), number(row["ms"]), rounded(read, 2)]
