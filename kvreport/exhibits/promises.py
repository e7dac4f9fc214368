"""What the rows of each test promise: how durable a commit is, what the clock includes, how much
memory a store may use, how many threads work. Stores are compared where these are the same.
"""

import pandas as pd
from IPython.display import Markdown

from kvreport.base.text import format_range, join_words
from kvreport.data import harness
from kvreport.data.cases import CONTROL
from kvreport.data.runs import MEMORY
from kvreport.exhibits.chapter import Chapter, shown_stores
from kvreport.exhibits.chapter import shown as shown_chapters
from kvreport.exhibits.tables import MISSING, table
from kvreport.exhibits.tiers import TIERS

COLUMNS = ["section", "test", "tiers", "clock", "memory", "heap", "threads"]
HEAP = "-Xmx"
TO_THE_CLOSE = "puts, commits, close"
TO_THE_COMMIT = "puts, last commit"  # before loads were timed to their end
FITTING = "caches for all of the data, unless options say else"
OPTIONS = "as the options say"


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
    settings = [
        dict(each.split("=", 1) for each in case.settings.split(", ") if each)
        for case in chapter.cases
    ]
    tiers = {each.get("sync", "off") for each in settings}
    threads = sorted({_number(each.get("threads", "1")) for each in settings})
    flags = [trial["jvm"]["flags"] for trial in chapter.trials if trial["jvm"]]
    equal = (chapter.environment["harness"] or 0) >= harness.EQUAL_TERMS
    return [
        chapter.section,
        chapter.test,
        [words for tier, words in TIERS.items() if tier in tiers],
        TO_THE_CLOSE if equal else TO_THE_COMMIT,
        _limit(flags)
        or _budget([each["memory"] for each in settings if "memory" in each])
        or (FITTING if equal else OPTIONS),
        ", ".join(sorted(_values(flags, HEAP))) or MISSING,
        format_range(threads[0], threads[-1], "{:,}".format),
    ]


def _limit(flags: list[list[str]]) -> str:
    limits = sorted(map(_number, _values(flags, MEMORY)))
    if not limits:
        return ""
    amounts = format_range(limits[0] / 1e6, limits[-1] / 1e6, "{:,.0f}".format)
    return f"{amounts} MB for the whole process"


def _budget(settings: list[str]) -> str:
    megabytes = sorted({_number(each.partition("-")[0]) for each in settings})
    return f"{join_words(map(str, megabytes))} MB of cache and buffer" if megabytes else ""


def _number(words: str) -> int:
    return int(words) if words.isdecimal() else 0


def _values(flags: list[list[str]], name: str) -> set[str]:
    return {flag.removeprefix(name) for each in flags for flag in each if flag.startswith(name)}


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
