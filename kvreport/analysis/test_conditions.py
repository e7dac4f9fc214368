"""On which terms a section's rows were measured, in words for captions: what a store may keep in
memory, what a commit survives.
"""

from collections.abc import Iterable

from kvreport.analysis.durability import TIERS
from kvreport.analysis.results import SectionResults
from kvreport.base.text import format_range, join_words
from kvreport.data.cases import NO_STORE, Case
from kvreport.data.runs import MEMORY

FITTING = "caches hold all of the data unless the options say otherwise"


def settings_of(case: Case) -> dict[str, str]:
    """What a case changes of the stores' options, by name."""
    return dict(each.split("=", 1) for each in case.settings.split(", ") if each)


def tiers(cases: Iterable[Case]) -> list[str]:
    """What commits of these cases survive, the weakest first."""
    asked = {settings_of(case).get("sync", "off") for case in cases}
    return [words for tier, words in TIERS.items() if tier in asked]


def survives(cases: Iterable[Case]) -> str:
    """The same for a caption: "a commit survives nothing"."""
    return f"a commit survives {join_words(tiers(cases), 'or')}"


def memory(section: SectionResults, cases: Iterable[Case]) -> str:
    """What a store may keep: a limit of the whole process, budgets of some megabytes, or caches for
    all of the data.
    """
    flags = [trial["jvm"]["flags"] for trial in section.trials if trial["jvm"]]
    budgets = [each["memory"] for each in map(settings_of, cases) if "memory" in each]
    return _limit(flags) or _budget(budgets) or FITTING


def granted(sections: Iterable[SectionResults], case: Case | None = None) -> str:
    """The same for a caption, of all cases or of one; nothing where no store was measured."""
    found = [
        memory(section, section.cases if case is None else [case])
        for section in sections
        if any(_keeps(section, store) for store in section.stores)
    ]
    return f"memory: {join_words(dict.fromkeys(found))}" if found else ""


def _keeps(section: SectionResults, store: str) -> bool:
    return section.is_store(store) and section.stores[store]["family"] != NO_STORE


def values(flags: list[list[str]], name: str) -> set[str]:
    """The values that JVMs were given for a flag."""
    return {flag.removeprefix(name) for each in flags for flag in each if flag.startswith(name)}


def _limit(flags: list[list[str]]) -> str:
    limits = sorted(map(number, values(flags, MEMORY)))
    if not limits:
        return ""
    amounts = format_range(limits[0] / 1e6, limits[-1] / 1e6, "{:,.0f}".format)
    return f"{amounts} MB for the whole process"


def _budget(settings: list[str]) -> str:
    megabytes = sorted({number(each.partition("-")[0]) for each in settings})
    return f"{join_words(map(str, megabytes))} MB of cache and buffer" if megabytes else ""


def number(words: str) -> int:
    """A number from a setting; 0 for what is none."""
    return int(words) if words.isdecimal() else 0
