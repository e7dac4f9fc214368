"""What the rows of each test promise: how durable a commit is, what the clock includes, how much
memory a store may use, how many threads work. Stores are compared where these are the same.
"""

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import terms
from kvreport.base.text import format_range
from kvreport.charts.chapter import Chapter, shown_stores
from kvreport.charts.chapter import shown as shown_chapters
from kvreport.charts.tables import MISSING, table
from kvreport.data.cases import CONTROL

COLUMNS = ["section", "test", "tiers", "clock", "memory", "heap", "threads"]
HEAP = "-Xmx"
TO_THE_CLOSE = "puts, commits, close"
TO_THE_COMMIT = "puts, last commit"  # before loads were timed to their end


def frame(chapters: list[Chapter]) -> pd.DataFrame:
    """A row for each measured section that has a store.

    section, test   its name and number
    tiers           what its commits survive, the weakest first; more than one is a comparison
                    within a store, never between two
    clock           what a timed load includes
    memory          what a store may keep: a limit of the whole process, budgets of some megabytes,
                    or caches for all of the data
    heap, threads   of the virtual machine, as -Xmx has it; that write or read together
    """
    rows = [
        _row(chapter)
        for chapter in chapters
        if chapter.measured and any(map(chapter.is_store, chapter.stores))
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _row(chapter: Chapter) -> list:
    counts = [terms.settings_of(case).get("threads", "1") for case in chapter.cases]
    threads = sorted(map(terms.number, counts))
    flags = [trial["jvm"]["flags"] for trial in chapter.trials if trial["jvm"]]
    return [
        chapter.section,
        chapter.test,
        terms.tiers(chapter.cases),
        TO_THE_CLOSE if terms.equal(chapter) else TO_THE_COMMIT,
        terms.memory(chapter, chapter.cases),
        ", ".join(sorted(terms.values(flags, HEAP))) or MISSING,
        format_range(threads[0], threads[-1], "{:,}".format),
    ]


def table_of() -> Markdown:
    """What each test in the report promises."""
    rows = [
        [
            f"Test {row['test']}",
            "; ".join(row["tiers"]),
            row["clock"],
            row["memory"],
            row["heap"],
            row["threads"],
        ]
        for row in frame(shown_chapters()).to_dict("records")
    ]
    heads = ["test", "a commit is to survive", "a load's time has", "memory", "heap", ">threads"]
    return table(heads, rows or [[MISSING] * len(heads)])


def tiers() -> Markdown:
    """What each store that has more than one tier does for it, in its own words."""
    rows = [
        [store["name"], store["settings"]["sync"]]
        for store in sorted(shown_stores().values(), key=lambda each: each["name"].lower())
        if store["family"] != CONTROL and "sync" in store["settings"]
    ]
    return table(["store", "what it does for more than nothing"], rows or [[MISSING] * 2])
