"""Figures for the lines of an audit, from the records of one side: those that a version drew on, or
those that the report shows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import nan

from kvreport.analysis.results import SectionResults
from kvreport.base.text import format_range, number, significant
from kvreport.data import harness, runs
from kvreport.data.cases import REACHING, Case

SMALL, MEDIUM, LATENCY = "04-small-values", "05-medium-values", "11-latency"
INTS, IN_ORDER = Case("int", "random"), Case("int", "sequential")
TWO_KB = Case("int", "random", 2026)


class Records:
    """The sections of one side: those that the version drew on, or those that the report shows."""

    def __init__(self, section: Callable[[str], SectionResults]):
        self._section = section
        self._known: dict[str, SectionResults] = {}

    def section(self, name: str) -> SectionResults:
        """A section, read once."""
        if name not in self._known:
            self._known[name] = self._section(name)
        return self._known[name]

    @cached_property
    def measured(self) -> list[SectionResults]:
        """The sections of Tests 4 to 6 and of the latencies that are there."""
        names = (SMALL, MEDIUM, "06-large-values", LATENCY)
        return [each for name in names if (each := self.section(name)).measured]

    def row(self, section: str, case: Case, store: str, workload: str) -> dict | None:
        """A result that succeeded."""
        chapter = self.section(section)
        if not chapter.measured:
            return None
        rows = chapter.case(case)
        rows = rows[(rows["store"] == store) & (rows["workload"] == workload)]
        good = rows[rows["status"] == "ok"].to_dict("records")
        return good[0] if good else None

    def ns(self, section: str, case: Case, store: str, workload: str) -> float:
        """Its time, ns an entry; NaN without."""
        row = self.row(section, case, store, workload)
        return row["value"] if row else nan

    def option(self, section: str, store: str, name: str) -> str:
        """An option of a store as its records print it; "" where they do not."""
        about = self.section(section).stores.get(store)
        options = about["options"] if about else []
        return next((each["value"] for each in options if each["name"] == name), "")


Tell = Callable[[Records], str]


@dataclass(frozen=True)
class Line:
    """A line of the audit.

    where, wrong, now  in words;  seen: the exhibits that show it
    tests              the tests that would fail were it as before: "file::name", or Java's
                       "Class.method"
    tell               figures of one side's records, "" where they have none
    """

    where: str
    wrong: str
    now: str
    seen: str
    tests: tuple[str, ...]
    tell: Tell = lambda _: ""


def times(section: str, cases: tuple[Case, ...], store: str, workload: str) -> Tell:
    """What an entry takes in some cases: "4,900 (random) and 3,100 (sequential) ns"."""

    def tell(records: Records) -> str:
        found = [
            f"{number(ns)} ({case.order})"
            for case in cases
            if (ns := records.ns(section, case, store, workload)) == ns
        ]
        return f"{' and '.join(found)} ns" if found else ""

    return tell


def over(section: str, first: tuple[Case, str], other: tuple[Case, str], *stores: str) -> Tell:
    """One case and workload over another, for some stores: "Xodus 1.02 times"."""

    def tell(records: Records) -> str:
        found = []
        for store in stores:
            ns, others = (records.ns(section, case, store, each) for case, each in (first, other))
            if ns / others == ns / others:
                found.append(f"{records.section(section).name(store)} {significant(ns / others)}")
        return f"{', '.join(found)} times" if found else ""

    return tell


def option(section: str, names: tuple[str, ...], *stores: str) -> Tell:
    """How some stores' records print an option, the first of some names that they have."""

    def printed(records: Records, store: str) -> str:
        known = ((name, records.option(section, store, name)) for name in names)
        return next((f"{name} {value}" for name, value in known if value), "")

    def tell(records: Records) -> str:
        return "; ".join(
            f"{records.section(section).name(store)}: {words}"
            for store in stores
            if (words := printed(records, store))
        )

    return tell


def ends(records: Records) -> str:
    """What share of a load comes after its last put, for the stores with the most."""
    chapter = records.section(SMALL)
    if not chapter.measured:
        return ""
    rows = chapter.case(INTS)
    rows = rows[(rows["workload"] == "write") & rows["store"].map(chapter.is_store).astype(bool)]
    most = rows.dropna(subset="ending").nlargest(2, "ending").to_dict("records")
    return ", ".join(f"{chapter.name(row['store'])} {100 * row['ending']:.0f}%" for row in most)


def fastest_rate(records: Records) -> str:
    """The most bytes a second that workloads which look into no value are printed with."""
    rates = [
        each.results.loc[each.results["workload"].isin(REACHING), "gbs"].astype(float).max()
        for each in records.measured
        if each.section != LATENCY and _is_equal(each)
    ]
    known = [rate for rate in rates if rate == rate]
    return f"up to {number(max(known))} GB/s" if known else "no GB/s is printed" if rates else ""


def _is_equal(section: SectionResults) -> bool:
    assert section.run is not None, "asked of what is measured"
    return (section.run.environment["harness"] or 0) >= harness.EQUAL_TERMS


def rates(records: Records) -> str:
    """At which rates the operations of open loops were due."""
    chapter = records.section(LATENCY)
    if not chapter.measured:
        return ""
    common = sorted({case.rate for case in chapter.cases if case.rate})
    if common:
        return f"{', '.join(f'{rate:,}' for rate in common)} a second for all"
    own = [
        of["per_second"]
        for of in chapter.frame["singles"].dropna()
        if isinstance(of, dict) and of.get("per_second")
    ]
    return f"{format_range(min(own), max(own))} a second, each its own" if own else ""


def larger(records: Records) -> str:
    """How many times the data MVStore's file is with values of two kilobytes."""
    chapter = records.section(MEDIUM)
    if not chapter.measured:
        return ""
    space = chapter.sizes(TWO_KB)
    rows = space[(space["store"] == "MvStore") & (space["status"] == "ok")].to_dict("records")
    return f"{number(1 + rows[0]['overhead'] / 100)} times the data" if rows else ""


def candidates(records: Records) -> str:
    """How many stores may stand for LMDB where engines are compared."""
    chapter = records.section(SMALL)
    if not chapter.measured:
        return ""
    there = [store for store in chapter.stores if chapter.engine(store) == "LMDB"]
    bindings = [store for store in there if chapter.is_store(store)]
    if not _is_equal(chapter):
        return f"the best of {len(bindings)} stores"
    return f"{len(set(bindings) & set(chapter.engines))} of {len(bindings)} stores"


def processors(records: Records) -> str:
    """What of the machines is known."""
    known = (each.run.environment["cpu"] for each in records.measured if each.run)
    found = {
        ", ".join(f"{name} {value}" for name, value in runs.processor(cpu).items() if value)
        for cpu in known
    }
    return "; ".join(sorted(found))


def checked(records: Records) -> str:
    """The cases and stores of the cross-check of Test 4's run."""
    chapter = records.section(SMALL)
    found = chapter.crosscheck
    if not found:
        return ""
    cases = len(found["cases"])
    return f"{cases} {'case' if cases == 1 else 'cases'}, {len(found['stores'])} stores"
