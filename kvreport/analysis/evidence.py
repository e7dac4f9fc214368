"""Rows that statements of the sources are checked on: this report's own results and what a source
itself printed, in one form, so that a reader sees whether a sentence was true of its own data
before seeing whether it is true here.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import inf, isnan, nan
from typing import NamedTuple

import pandas as pd

from kvreport.analysis import model, ranking
from kvreport.analysis.contrast import Contrast
from kvreport.analysis.ranking import STAND_FOR
from kvreport.analysis.stats import CASE, Difference
from kvreport.data.cases import BASELINE, CONTROL

SINGLE_SHOTS = 1.05  # two printed values without an error differ only beyond this ratio
CELL = [*CASE, "workload"]
PAIR = ["first", "other", "ns", "other_ns", "ratio", "low", "high", "holds"]


class Verdict(StrEnum):
    """What a statement, or a row of it, comes to."""

    HOLDS = "holds"
    MOSTLY = "mostly holds"
    HALF = "half true"
    FAILS = "does not hold"
    INCONCLUSIVE = "too noisy to say"
    NOT_MEASURED = "not measured"


NO_PAIR = ["", "", *[nan] * 5, Verdict.NOT_MEASURED]


OF_DIFFERENCE = {
    Difference.GREATER: Verdict.HOLDS,
    Difference.LESS: Verdict.FAILS,
    Difference.EQUIVALENT: Verdict.FAILS,  # shown not to be greater by more than the margin
    Difference.INCONCLUSIVE: Verdict.INCONCLUSIVE,
}


def within(low: float, high: float, least: float = 0, most: float = inf) -> Verdict:
    """Return whether an interval lies between two bounds; where it overlaps one, or is missing, it
    is too noisy to say.
    """
    if high < least or low > most:
        return Verdict.FAILS
    return Verdict.HOLDS if least <= low and high <= most else Verdict.INCONCLUSIVE


class Time(NamedTuple):
    """What an entry takes a store, ns, and the ends of a printed interval."""

    store: str
    name: str
    engine: str
    ns: float
    low: float
    high: float

    def is_of(self, who: str) -> bool:
        """Return whether an id, an engine or the first word of a name stands for it."""
        return who in (self.store, self.engine, self.name.split()[0])


Times = dict[str, Time]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Rows that statements are checked on: `frames.results` of one or several sections, or
    `frames.printed` of a source. Baseline and controls are no part of it.

    A store is named by its id, its engine ("LMDB") or the first word of its name. Of an engine
    with several stores here the one that stands for it counts; in a source the fastest.
    """

    whole: pd.DataFrame

    @cached_property
    def rows(self) -> pd.DataFrame:
        """The rows of stores, with the engine of each: its first word where stores share it."""
        rows = self.whole[~self.whole["family"].isin([BASELINE, CONTROL])]
        about = rows.drop_duplicates("store").set_index("store")
        named = about["engine"].fillna("").where(about["engine"].fillna("") != "", about["name"])
        words = named.str.split().str[0]
        engine = words.where(words.map(words.value_counts()) > 1, about["name"])
        return rows.assign(engine=rows["store"].map(engine))

    @property
    def measured(self) -> bool:
        """Return whether the rows are of trials, and not printed."""
        return "trial" in self.rows

    @property
    def entries(self) -> int:
        """The most entries of a case."""
        return int(self.rows["entries"].max()) if len(self.rows) else 0

    @cached_property
    def cells(self) -> dict[tuple, tuple[Times, model.Fit | None]]:
        """By case and workload, the stores that have a time, the fastest first, and the fit of
        their trials.
        """
        if not self.measured:
            good = self.rows.dropna(subset="ns_per_entry").groupby(CELL, sort=False)
            return {key: (_times(group), None) for key, group in good}
        found: dict[tuple, tuple[Times, model.Fit | None]] = {}
        for _, part in self.rows.groupby(["run", "section"], sort=False):
            fits = ranking.fitted(part, CELL)
            for key, group in part.groupby(CELL, sort=False):
                found.setdefault(key, (_times(group), fits[key]))
        return found

    def leads(self, who: str, against: str = "", ordered: bool = False) -> pd.DataFrame:
        """Return a row for each case and workload: whether `who` takes measurably less time than
        every store that is not its own, or than those of `against`; `ordered`: that keep their keys
        in order.

        first, other   the fastest of either side;  ns, other_ns: what an entry takes them
        ratio, low, high  the other's time over the first's, and its interval
        """
        return self._compared(who, against, ordered)

    def ratio(
        self, who: str, against: str, least: float = 0, most: float = inf, ordered: bool = False
    ) -> pd.DataFrame:
        """Return the same, but hold where the time of `who` over that of `against` lies between two
        bounds.
        """
        return self.bounded(self._compared(against, who, ordered), least, most)

    def bounded(self, rows: pd.DataFrame, least: float = 0, most: float = inf) -> pd.DataFrame:
        """Return the rows of a comparison, but hold where the ratio lies between two bounds; that
        of printed times is taken as it stands.
        """
        low, high = ("low", "high") if self.measured else ("ratio", "ratio")
        known = rows["holds"] != Verdict.NOT_MEASURED
        bounds = [within(*each, least, most) for each in zip(rows[low], rows[high])]
        return rows.assign(holds=pd.Series(bounds, rows.index, object).where(known, rows["holds"]))

    def change(self, column: str, before: str, after: str, who: str = "") -> pd.DataFrame:
        """Return a row for each store (of `who`) and what else tells cells apart: whether it takes
        measurably longer where a `column` of case or workload is `after` than where it is `before`;
        one that says so where that was not measured of `who`.

        first, other  the store's name;  ns, other_ns: before and after;  ratio, low, high: after
                      over before
        """
        at = CELL.index(column)
        rows = []
        for key, (times, fit) in self.cells.items():
            there = (*key[:at], after, *key[at + 1 :])
            if key[at] != before or there not in self.cells:
                continue
            later, later_fit = self.cells[there]
            for store, one in times.items():
                if store in later and (not who or one.is_of(who)):
                    both = model.changed(later_fit, fit, store) if fit and later_fit else None
                    pair = _pair(one, later[store], both, fit is not None)
                    rows.append([*key[:at], *key[at + 1 :], store, *pair])
        rest = [name for name in CELL if name != column]
        if who and not rows:
            rows = [[*[""] * len(rest), who, *NO_PAIR]]
        return pd.DataFrame(rows, columns=[*rest, "store", *PAIR])

    def sizes(self) -> pd.DataFrame:
        """Return a row for each store and case that was loaded: name, engine, and overhead, what
        its files take after close over a flat array, percent (the median over trials).
        """
        rows = self.rows.dropna(subset=["closed_bytes", "flat_bytes"])
        rows = rows.assign(overhead=100 * (rows["closed_bytes"] / rows["flat_bytes"] - 1))
        whole = rows.groupby([*CASE, "store", "name", "engine"], sort=False)
        return whole[["overhead"]].median().reset_index()

    def of(self, who: str, rows: pd.DataFrame | None = None) -> pd.DataFrame:
        """Return those of some rows, or of all, that are of a store or an engine."""
        rows = self.rows if rows is None else rows
        word = rows["name"].str.split().str[0]
        return rows[(rows["store"] == who) | (rows["engine"] == who) | (word == who)]

    def _compared(self, who: str, against: str, ordered: bool) -> pd.DataFrame:
        rows = []
        for key, (times, fit) in self.cells.items():
            able = self.cells.get((*key[:-1], "readSeq"), (times,))[0] if ordered else times
            ours = self._standing(who, times)
            others = [
                each
                for each in self._standing(against, times)
                if not each.is_of(who) and each.store in able
            ]
            pair = NO_PAIR
            if ours and others:
                one, two = ours[0], others[0]
                several = len(ours) + len(others) - 1
                found = fit.compare(two.store, one.store, several) if fit else None
                pair = _pair(one, two, found, fit is not None)
            rows.append([*key, *pair])
        return pd.DataFrame(rows, columns=[*CELL, *PAIR])

    def _standing(self, who: str, times: Times) -> list[Time]:
        """The stores of `who`, or all where that is "", that stand for their engine."""
        found = []
        for store, time in times.items():
            stand = STAND_FOR.get(time.engine, ()) if self.measured else ()
            there = [each for each in stand if each in times]
            if who == store or ((not who or time.is_of(who)) and (not there or store == there[0])):
                found.append(time)
        return found


def _times(group: pd.DataFrame) -> Times:
    """The stores of a cell with what an entry takes them, the fastest first."""
    good = group[group["ns_per_entry"].notna() & (group.get("status", "ok") == "ok")]
    ends = [name for name in ("low", "high") if name in good]
    taken = {"ns_per_entry": "median"} | dict.fromkeys(["name", "engine", *ends], "first")
    found = good.groupby("store", sort=False).agg(taken).sort_values("ns_per_entry")
    found = found.reindex(columns=["name", "engine", "ns_per_entry", "low", "high"])
    return {store: Time(store, *about) for store, *about in found.itertuples()}


def _pair(one: Time, two: Time, contrast: Contrast | None, measured: bool) -> list[object]:
    """The columns of PAIR: the second's time over the first's."""
    ratio = two.ns / one.ns
    low = high = nan
    holds = Verdict.INCONCLUSIVE  # of single trials
    if contrast:
        low, high = min(contrast.low, ratio), max(contrast.high, ratio)
        holds = OF_DIFFERENCE[contrast.beside(ratio)]
    elif not measured:
        known = not isnan(one.high) and not isnan(two.high)
        low = two.low / one.high if known else ratio / SINGLE_SHOTS
        high = two.high / one.low if known else ratio * SINGLE_SHOTS
        holds = Verdict.HOLDS if low > 1 else Verdict.FAILS if high < 1 else Verdict.INCONCLUSIVE
    return [one.name, two.name, one.ns, two.ns, ratio, low, high, holds]
