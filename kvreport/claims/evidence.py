"""What statements are checked on: times and sizes of stores, this report's own or a source's, in
one form.
"""

from dataclasses import dataclass, field, fields
from enum import StrEnum
from math import isnan

import pandas as pd

from kvreport.analysis import costs, stats
from kvreport.analysis.results import SectionResults
from kvreport.analysis.stats import Difference
from kvreport.base.text import number
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.data.runs import labels, results


class Verdict(StrEnum):
    """What a statement comes to."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNKNOWN = "too noisy to say"


HOLDS, FAILS, UNKNOWN = Verdict
CLOSE = 1.05  # two single shots closer than this cannot be told apart
ALIKE = 1.25  # two times are called alike when neither is more than a quarter above the other


@dataclass(frozen=True)
class Time:
    """A store's time in ns an entry, with what it takes to compare it: the trials' values, or a
    published interval.
    """

    store: str
    value: float
    values: tuple[float, ...] = ()
    low: float = float("nan")
    high: float = float("nan")
    floor: float = 1.0  # the noise floor of its section
    comparison_group: tuple = ()  # SectionResults.kind of ours: times of two kinds are not compared

    def compare(self, other: "Time") -> Difference:
        """Whether this takes measurably less or greater time than another."""
        if self.comparison_group != other.comparison_group:
            return Difference.INCONCLUSIVE
        if self.values:
            return stats.compare(self.values, other.values, max(self.floor, other.floor))
        if isnan(self.high) or isnan(
            other.high
        ):  # a single shot: taken as it stands, unless it is too close to call
            less, greater = self.value < other.value / CLOSE, self.value > other.value * CLOSE
        else:
            less, greater = self.high < other.low, self.low > other.high
        return (
            Difference.LESS if less else Difference.GREATER if greater else Difference.INCONCLUSIVE
        )

    def is_close(self, other: "Time") -> Verdict:
        """Whether the two are within a quarter of each other, as a verdict."""
        if self.comparison_group != other.comparison_group:
            return UNKNOWN
        if self.values:
            between = stats.ratio(self.values, other.values)
            low, high = between.low, between.high
        elif isnan(self.high) or isnan(other.high):
            low = high = self.value / other.value
        else:
            low, high = self.low / other.high, self.high / other.low
        if low > ALIKE or high < 1 / ALIKE:
            return FAILS
        return HOLDS if low >= 1 / ALIKE and high <= ALIKE else UNKNOWN


@dataclass(frozen=True)
class Evidence:
    """Times by case and workload, and sizes by case, of stores only: neither limit nor controls."""

    times: dict[tuple[Case, str], list[Time]]
    overheads: dict[Case, dict[str, float]]  # percent over the flat array
    names: dict[str, str]
    engines: dict[str, str]  # by store, as names
    failed: dict[Case, dict[str, str]] = field(default_factory=dict)  # why a store's load failed
    cores: dict[tuple[Case, str], dict[str, float]] = field(
        default_factory=dict
    )  # CPU time of the whole process over time
    files: dict[tuple[Case, str], dict[str, float]] = field(
        default_factory=dict
    )  # of the store, held open or mapped
    passes: dict[tuple[Case, str], dict[str, list[list[int]]]] = field(
        default_factory=dict
    )  # ns of each, in order, a list a trial

    def best(
        self, key, who: str | None = None, but: str | None = None, ordered: bool = False
    ) -> Time | None:
        """The fastest store of those meant by `who` (an engine or a store's id), or of all not
        meant by `but`.

        With `ordered`, only of stores that keep their keys in order.
        """
        able = {time.store for time in self.times.get((key[0], "readSeq"), [])}
        found = [
            time
            for time in self.times.get(key, [])
            if (who is None or self.matches(who, time.store))
            and not self.matches(but, time.store)
            and (not ordered or time.store in able)
        ]
        return min(found, key=lambda time: time.value, default=None)

    def matches(self, who: str | None, store: str) -> bool:
        """Whether an engine's name, or a store's id, means this store. "LMDB" means "LMDB BB" even
        when it is measured alone.
        """
        return who in (store, self.engines[store], self.names[store].split()[0])

    def display_name(self, who: str) -> str:
        return self.names.get(who, who)

    def told(self, time: Time) -> str:
        return f"{self.names[time.store]} {number(time.value)}"


def measured(chapter: SectionResults) -> Evidence:
    """This report's evidence."""
    stores = [store for store in chapter.stores if chapter.is_store(store)]
    good = chapter.results[
        (chapter.results["status"] == "ok") & chapter.results["store"].isin(stores)
    ]
    times = {
        (Case(*key[:-1]), key[-1]): [
            Time(
                row["store"],
                row["value"],
                row["values"],
                floor=chapter.floor,
                comparison_group=chapter.comparison_group,
            )
            for row in rows.to_dict("records")
        ]
        for key, rows in good.groupby([*stats.CASE, "workload"])
    }
    space = chapter.space[(chapter.space["status"] == "ok") & chapter.space["store"].isin(stores)]
    sizes = {
        Case(*key): dict(zip(rows["store"], rows["overhead"]))
        for key, rows in space.groupby(stats.CASE)
    }
    bad = chapter.results[
        (chapter.results["status"] == "failed") & (chapter.results["workload"] == "write")
    ]
    failed = {
        Case(*key): dict(zip(rows["store"], rows["reason"]))
        for key, rows in bad.groupby(stats.CASE)
    }
    spent = costs.of_results(chapter.frame[chapter.frame["store"].isin(stores)])
    return Evidence(
        times,
        sizes,
        {store: chapter.name(store) for store in stores},
        {store: chapter.engine(store) for store in stores},
        failed,
        _costs(spent, costs.CORES),
        _costs(spent, costs.FILES),
        _passes(chapter, stores),
    )


def _costs(spent: pd.DataFrame, cost: str) -> dict[tuple[Case, str], dict[str, float]]:
    """The median over trials of what each workload cost, by store."""
    found = {}
    for (*case, workload, store), value in (
        spent.groupby([*stats.CASE, "workload", "store"])[cost].median().dropna().items()
    ):
        found.setdefault((Case(*case), workload), {})[store] = value
    return found


def _passes(
    chapter: SectionResults, stores: list[str]
) -> dict[tuple[Case, str], dict[str, list[list[int]]]]:
    found = {}
    for trial in (trial for trial in chapter.trials if trial["store"]["id"] in stores):
        for case, result in results(trial):
            if result["status"] == "ok":
                found.setdefault((Case(**labels(case)), result["workload"]), {}).setdefault(
                    trial["store"]["id"], []
                ).append(result["iteration_ns"])
    return found


def printed(edition: str, tests: tuple[int, ...]) -> Evidence:
    """A source's own evidence from some of its tests: JMH's means with their 99.9% errors, and
    sizes after close.
    """
    times, sizes, names = {}, {}, {}
    for test in tests:
        for (store, case, workload), was in published.times(edition, test).items():
            times.setdefault((case, workload), []).append(
                Time(store, was.value, (), was.low, was.high)
            )
            names[store] = was.system
        for (store, case), was in published.sizes(edition, test).items():
            sizes.setdefault(case, {})[store] = 100 * (was.value / case.flat - 1)
            names.setdefault(store, was.system)
    return Evidence(times, sizes, names, {store: name.split()[0] for store, name in names.items()})


def merged(parts: list[Evidence]) -> Evidence:
    """The evidence of several chapters as one; of a case that two of them have, the first
    counts.
    """
    joined = [{} for _ in fields(Evidence)]
    for part in reversed(parts):
        for whole, each in zip(joined, fields(Evidence)):
            whole |= getattr(part, each.name)
    return Evidence(*joined)
