"""What statements are checked on: times and sizes of stores, this report's own or a source's, in
one form.
"""

import functools
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from math import inf, isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from kvreport.analysis import costs, model, paired, stats
from kvreport.analysis.results import STAND_FOR, SectionResults
from kvreport.analysis.stats import Difference
from kvreport.claims.finding import Verdict
from kvreport.data import published
from kvreport.data.cases import Case

SINGLE_SHOTS = 1.05  # two single shots differ only beyond this ratio
QUARTER = 1.25  # two times are close when neither is more than a quarter above the other
APART = "not measured on one machine at one profile"  # why times are not compared

Key = tuple[Case, str]  # a case and a workload

AS_VERDICT = {
    Difference.LESS: Verdict.HOLDS,
    Difference.GREATER: Verdict.FAILS,
    Difference.EQUIVALENT: Verdict.FAILS,  # shown not to be less by more than the margin
    Difference.INCONCLUSIVE: Verdict.INCONCLUSIVE,
}


@dataclass(frozen=True)
class Time:
    """A store's time in ns an entry, with what it takes to compare it: the trials' values, or a
    published interval.

    floor             the noise floor of its section, a ratio
    fit               of its case and workload (analysis.model), of ours
    comparison_group  SectionResults.comparison_group of ours: others are not compared with it
    """

    store: str
    value: float
    values: tuple[float, ...] = ()
    low: float = nan
    high: float = nan
    floor: float = 1.0
    comparison_group: tuple = ()
    fit: model.Fit | None = field(default=None, compare=False)

    def contrast(self, other: "Time", comparisons: int = 1) -> model.Contrast | None:
        """This over another by the model of their section, one of so many comparisons: of two
        stores in one case and workload, or of one store in two; else None.
        """
        if not self.fit or not other.fit or not self.is_comparable(other):
            return None
        return paired.compare(self.fit, other.fit, self.store, other.store, comparisons)

    def compare(self, other: "Time", comparisons: int = 1) -> Difference:
        """Whether this takes measurably less or greater time than another, one of so many that it
        is compared with.
        """
        if not self.is_comparable(other):
            return Difference.INCONCLUSIVE
        if contrast := self.contrast(other, comparisons):
            return contrast.beside(self.value / other.value)
        if self.values:
            return stats.compare(self.values, other.values, max(self.floor, other.floor))
        if isnan(self.high) or isnan(other.high):  # a single shot is taken as it stands
            less = self.value < other.value / SINGLE_SHOTS
            greater = self.value > other.value * SINGLE_SHOTS
        else:
            less, greater = self.high < other.low, self.low > other.high
        if less:
            return Difference.LESS
        return Difference.GREATER if greater else Difference.INCONCLUSIVE

    def is_less(self, other: "Time", comparisons: int = 1) -> Verdict:
        """Whether this takes measurably less time than another, as a verdict."""
        if not self.is_comparable(other):
            return Verdict.NOT_MEASURED
        return AS_VERDICT[self.compare(other, comparisons)]

    def is_close(self, other: "Time") -> Verdict:
        """Whether the two are within a quarter of each other."""
        if not self.is_comparable(other):
            return Verdict.NOT_MEASURED
        between = self.over(other)
        low, high = between.low, between.high
        if self.values and not between.has_interval:
            return Verdict.INCONCLUSIVE
        if not between.has_interval:
            low = high = between.value
        return within(low, high, 1 / QUARTER, QUARTER)

    def is_comparable(self, other: "Time") -> bool:
        """Whether both were measured on one machine at one profile."""
        return self.comparison_group == other.comparison_group

    def over(self, other: "Time", comparisons: int = 1) -> stats.Estimate:
        """This over another, a ratio, one of so many comparisons: with the trials' interval; of
        published ones, for which n is 0, with the interval that theirs leave, if both have one.
        """
        if self.values:
            found = stats.ratio(self.values, other.values)
            contrast = self.contrast(other, comparisons)
            return found.within(contrast.low, contrast.high) if contrast else found
        return stats.Estimate(
            self.value / other.value, self.low / other.high, self.high / other.low, 0
        )


def trials_needed(
    mine: Time, other: Time, ratio: float = model.MARGIN, comparisons: int = 1
) -> float | None:
    """How many trials of each would tell a ratio of two times, one of so many comparisons: infinite
    for more than anyone would measure, 0 where single trials leave nothing to go by; None of
    published times.
    """
    if not mine.values:
        return None
    contrast = mine.contrast(other, comparisons)
    if contrast:
        scatter, comparisons = contrast.scatter, contrast.comparisons
    elif min(len(mine.values), len(other.values)) < 2:
        return 0
    else:
        logs = np.log(mine.values), np.log(other.values)
        freedom = len(logs[0]) + len(logs[1]) - 2
        scatter = model.Scatter(float(sum(each.var(ddof=1) for each in logs)), freedom)
    needed = scatter.trials_needed(ratio, comparisons)
    return inf if needed is None else needed


def fastest(times: Iterable[Time]) -> Time:
    """The one with the least median."""
    return min(times, key=lambda time: time.value)


def within(low: float, high: float, least: float, most: float) -> Verdict:
    """Whether an interval lies between two bounds; neither holds nor fails where it overlaps."""
    if high < least or low > most:
        return Verdict.FAILS
    return Verdict.HOLDS if least <= low and high <= most else Verdict.INCONCLUSIVE


@dataclass(frozen=True)
class Evidence:
    """Times by case and workload, and sizes by case, of stores only: neither baseline nor controls.

    times      of every store that has one
    overheads  percent over the flat array, by store
    names      as shown, by store; engines: likewise
    failed     why a store's load failed
    cores      CPU time of the whole process over elapsed time
    files      of the store, held open or mapped
    stand_for  the stores that may stand for an engine, the first one measured; a source's own
               figures have none, as it spoke of whichever binding
    entries    of a case, at most; a source's own are those that it speaks of
    """

    times: dict[Key, list[Time]]
    overheads: dict[Case, dict[str, float]]
    names: dict[str, str]
    engines: dict[str, str]
    failed: dict[Case, dict[str, str]] = field(default_factory=dict)
    cores: dict[Key, dict[str, float]] = field(default_factory=dict)
    files: dict[Key, dict[str, float]] = field(default_factory=dict)
    stand_for: dict[str, tuple[str, ...]] = field(default_factory=dict)
    entries: dict[Case, int] = field(default_factory=dict)

    def has_fewer(self, case: Case, entries: int) -> bool:
        """Whether a case has fewer entries than that."""
        return self.entries.get(case, entries) < entries

    def best(
        self, key: Key, who: str | None = None, but: str | None = None, ordered: bool = False
    ) -> Time | None:
        """The fastest of some candidates."""
        found = self.candidates(key, who, but, ordered)
        return fastest(found) if found else None

    def candidates(
        self, key: Key, who: str | None = None, but: str | None = None, ordered: bool = False
    ) -> list[Time]:
        """The stores that `who` (an engine or a store's id) matches, or all that `but` does not. Of
        an engine that is the one that stands for it.

        With `ordered`, only stores that keep their keys in order.
        """
        able = {time.store for time in self.times.get((key[0], "readSeq"), [])}
        there = self.times.get(key, [])
        return [
            time
            for time in there
            if (who is None or self.matches(who, time.store))
            and not self.matches(but, time.store)
            and (not ordered or time.store in able)
            and (who == time.store or self._stands(time.store, there))
        ]

    def _stands(self, store: str, there: list[Time]) -> bool:
        """Whether no other of some stores stands for its engine."""
        measured = {time.store for time in there}
        named = [each for each in self.stand_for.get(self.engines[store], ()) if each in measured]
        return not named or store == named[0]

    def matches(self, who: str | None, store: str) -> bool:
        """Whether an engine's name, or a store's id, stands for this store. "LMDB" stands for
        "LMDB BB" even when it is measured alone.
        """
        return who in (store, self.engines[store], self.names[store].split()[0])

    def of(self, who: str, values: dict[str, float]) -> dict[str, float]:
        """Those of some stores' values that belong to an engine or a store."""
        return {store: value for store, value in values.items() if self.matches(who, store)}

    def by_store(self, key: Key, who: str | None = None) -> dict[str, Time]:
        """The times of a case and workload, by store; of one engine or store where `who` is."""
        return {
            time.store: time
            for time in self.times.get(key, [])
            if who is None or self.matches(who, time.store)
        }

    def display_name(self, who: str) -> str:
        """A store's name as shown; an engine's is itself."""
        return self.names.get(who, who)


@functools.lru_cache(32)  # a chapter asks for it at each sentence and figure
def measured(chapter: SectionResults) -> Evidence:
    """This report's evidence."""
    stores = [store for store in chapter.stores if chapter.is_store(store)]
    spent = costs.of_results(chapter.frame[chapter.frame["store"].isin(stores)])
    failed = chapter.results[
        (chapter.results["status"] == "failed") & (chapter.results["workload"] == "write")
    ]
    return Evidence(
        _times(chapter, stores),
        _by_case(_good(chapter.space, stores), "overhead"),
        {store: chapter.name(store) for store in stores},
        {store: chapter.engine(store) for store in stores},
        _by_case(failed, "reason"),
        _costs(spent, costs.CORES),
        _costs(spent, costs.FILES),
        STAND_FOR,
        {case: chapter.entries(case)[1] for case in chapter.cases},
    )


def case_of(row: Mapping[Hashable, Any]) -> Case:
    """The case of a row of results."""
    return Case(*(row[name] for name in Case._fields))


def _good(rows: pd.DataFrame, stores: list[str]) -> pd.DataFrame:
    return rows[(rows["status"] == "ok") & rows["store"].isin(stores)]


def _times(chapter: SectionResults, stores: list[str]) -> dict[Key, list[Time]]:
    found: dict[Key, list[Time]] = {}
    for row in _good(chapter.results, stores).to_dict("records"):
        found.setdefault((case_of(row), row["workload"]), []).append(
            Time(
                row["store"],
                row["value"],
                row["values"],
                floor=chapter.floor,
                comparison_group=chapter.comparison_group,
                fit=chapter.fits.get((*case_of(row), row["workload"])),
            )
        )
    return found


def _by_case(rows: pd.DataFrame, column: str) -> dict[Case, dict[str, Any]]:
    """A column of results by case and store."""
    found: dict[Case, dict[str, Any]] = {}
    for row in rows.to_dict("records"):
        found.setdefault(case_of(row), {})[row["store"]] = row[column]
    return found


def _costs(spent: pd.DataFrame, cost: str) -> dict[Key, dict[str, float]]:
    """The median over trials of what each workload cost, by store."""
    found: dict[Key, dict[str, float]] = {}
    medians = spent.groupby([*stats.CASE, "workload", "store"])[cost].median().dropna()
    for row in medians.reset_index().to_dict("records"):
        found.setdefault((case_of(row), row["workload"]), {})[row["store"]] = row[cost]
    return found


def printed(edition: str, tests: tuple[int, ...]) -> Evidence:
    """A source's own evidence from some of its tests: JMH's means with their 99.9% errors, and
    sizes after close.
    """
    times: dict[Key, list[Time]] = {}
    sizes: dict[Case, dict[str, float]] = {}
    names: dict[str, str] = {}
    for test in tests:
        for (store, case, workload), was in published.times(edition, test).items():
            times.setdefault((case, workload), []).append(
                Time(store, was.value, (), was.low, was.high)
            )
            names[store] = published.NAMED.get(store, was.system)
        for (store, case), was in published.sizes(edition, test).items():
            sizes.setdefault(case, {})[store] = 100 * (was.value / case.flat - 1)
            names.setdefault(store, published.NAMED.get(store, was.system))
    return Evidence(times, sizes, names, {store: name.split()[0] for store, name in names.items()})


def merged(parts: Iterable[Evidence]) -> Evidence:
    """The evidence of several chapters as one; of a case that two of them have, the first
    counts.
    """
    joined: list[dict] = [{} for _ in fields(Evidence)]
    for part in reversed(list(parts)):
        for whole, each in zip(joined, fields(Evidence)):
            whole |= getattr(part, each.name)
    return Evidence(*joined)
