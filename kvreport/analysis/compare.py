"""Compares two editions: what became slower or faster, as far as it can be told, and what else
changed.

Compared is what both have: store, case, workload and number of entries alike. A ratio is the
second's median time an entry over the first's, with its 95% interval (kvreport.stats). A difference
counts when the interval leaves out 1, when it is beyond what chance gives in that many comparisons
(kvreport.moderated; p-values adjusted after Benjamini and Hochberg, below 5%), and beyond the noise
floor. Everything else is no detectable difference.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.stats

from kvreport.analysis import moderated, noise, stats
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.text import count, format_range, join_words, number
from kvreport.data import editions, records, runs, versions
from kvreport.data.cases import Case
from kvreport.data.editions import KEY, Edition

SLOWER, FASTER, SAME = "slower", "faster", "no detectable difference"
LEVEL = 0.05
LATEST = "latest"


@dataclass(frozen=True)
class Comparison:
    """
    rows     one each store, case and workload that both have, the largest change first: KEY,
             entries, name; first, second (median
             ns/entry); trials (the fewer); ratio, low, high; p, adjusted; verdict
    floor    the noise floor, a ratio
    changes  what else is different: what, first, second
    lacking  results that only one of the two has: in "first", in "second"
    """

    first: str
    second: str
    rows: pd.DataFrame
    floor: float
    changes: list[dict]
    lacking: dict[str, int]

    @cached_property
    def found(self) -> pd.DataFrame:
        """The rows with a difference."""
        return self.rows[self.rows["verdict"] != SAME]

    def regressions(self, share: float) -> pd.DataFrame:
        """The rows that became slower by more than a share."""
        return self.rows[(self.rows["verdict"] == SLOWER) & (self.rows["ratio"] > 1 + share)]

    @property
    def summary(self) -> str:
        """What came out, in a sentence or two."""
        counts = self.rows["verdict"].value_counts()
        alone = int((self.rows["trials"] < 2).sum())
        return (
            f"Of {len(self.rows):,} results that both have, {counts.get(SLOWER, 0):,} became"
            f" slower, {counts.get(FASTER, 0):,} became faster, and {counts.get(SAME, 0):,} show no"
            f" detectable difference; the noise floor is {100 * (self.floor - 1):.1f}%."
            + (
                f" {count(alone, 'result').capitalize()} with one trial on a side cannot be told at"
                " all."
                if alone
                else ""
            )
        )

    def as_json(self) -> dict:
        rows = json.loads(self.rows.to_json(orient="records", double_precision=15))
        return {
            "format": 1,
            "first": self.first,
            "second": self.second,
            "summary": self.summary,
            "noise_floor": self.floor,
            "correction": "Benjamini-Hochberg",
            "level": LEVEL,
            "results": rows,
            "changes": self.changes,
            "only_in": self.lacking,
        }


def find(name: str) -> Edition:
    """The edition of that name: a version ("2026-11-21", "latest"), a run, or the folder of one.
    Raises UserError where there is none.
    """
    known = versions.names()
    if name == LATEST and known:
        name = known[0]
    for folder in (Path(name), paths.REPORT / name, paths.RUNS / name):
        if (folder / versions.MANIFEST).exists():
            return versions.load(folder)
        if (folder / records.ENVIRONMENT).exists():
            return editions.of(folder.resolve().name, [runs.read_run(folder.resolve())])
    raise UserError(
        f"There is no version, run or folder {name}; versions: {join_words(known)}; runs:"
        f" {join_words(runs.runs())}."
    )


def compare(first: Edition, second: Edition) -> Comparison:
    """Of hosts that both have measured on, only results of the same host are compared. Raises
    UserError when there is nothing that both have.
    """
    key = [*KEY, "entries"]
    shared = sorted(set(first.about["host"]) & set(second.about["host"]))
    own = [
        each.rows[
            (each.rows["status"] == "ok") & (each.rows["host"].isin(shared) if shared else True)
        ]
        for each in (first, second)
    ]
    was, now = ({name: rows for name, rows in rows.groupby(key)} for rows in own)
    common = [name for name in was if name in now]
    if not common:
        raise UserError(
            f"{first.name} and {second.name} have no results in common: {_held(first)} in the"
            f" first, {_held(second)} in the second."
        )
    rows = pd.DataFrame([dict(zip(key, name)) | _row(was[name], now[name]) for name in common])
    rows["p"] = moderated.p_values(
        [
            (was[name]["ns_per_entry"].to_numpy(float), now[name]["ns_per_entry"].to_numpy(float))
            for name in common
        ]
    )
    rows["adjusted"] = scipy.stats.false_discovery_control(rows["p"])
    floor = max(noise_floor(first.rows), noise_floor(second.rows))
    clear = ((rows["low"] > 1) | (rows["high"] < 1)) & (rows["trials"] > 1)
    apart = clear & (rows["adjusted"] < LEVEL) & (np.exp(np.abs(np.log(rows["ratio"]))) > floor)
    rows["verdict"] = np.where(apart, np.where(rows["ratio"] > 1, SLOWER, FASTER), SAME)
    rows = rows.iloc[(-np.abs(np.log(rows["ratio"]))).argsort(kind="stable")].reset_index(drop=True)
    return Comparison(
        first.name,
        second.name,
        rows,
        floor,
        changes(first.about, second.about),
        {"first": len(was) - len(common), "second": len(now) - len(common)},
    )


def _held(edition: Edition) -> str:
    good = edition.rows[edition.rows["status"] == "ok"]
    if not len(good):
        return "none"
    sections = join_words(sorted(set(good["section"])))
    return f"{sections} at profile {join_words(edition.about['profile'])}"


def _row(was: pd.DataFrame, now: pd.DataFrame) -> dict:
    before, after = (rows["ns_per_entry"].to_numpy(float) for rows in (was, now))
    between = stats.ratio(after, before)
    return {
        "name": now["name"].iloc[-1],
        "first": float(np.median(before)),
        "second": float(np.median(after)),
        "trials": between.n,
        "ratio": between.value,
        "low": between.low,
        "high": between.high,
    }


def noise_floor(rows: pd.DataFrame) -> float:
    """The ratio that two measurements of the same thing differ by without a cause: that of a store
    measured twice (kvreport.noise); in rows that have none, between the slowest trial and the
    fastest, in the median result. 1 where every result has one trial.
    """
    if (control := noise.floor_of(rows)) > noise.NONE:
        return control
    good = rows[rows["status"] == "ok"].groupby(KEY)["ns_per_entry"]
    spread = (good.max() / good.min())[good.size() > 1]
    return float(spread.median()) if len(spread) else 1.0


def changes(first: dict, second: dict) -> list[dict]:
    """What differs between two editions' descriptions, stores that both have only."""
    was, now = _facts(first), _facts(second)
    found = [
        {"what": what, "first": was[what], "second": now[what]}
        for what in was
        if what in now and was[what] != now[what]
    ]
    both = [store for store in first["stores"] if store in second["stores"]]
    for store in both:
        old, new = (_options(each["stores"][store]) for each in (first, second))
        name = second["stores"][store]["name"]
        found += [
            {
                "what": f"{name}, {what}",
                "first": old.get(what, "not set"),
                "second": new.get(what, "not set"),
            }
            for what in dict.fromkeys([*old, *new])
            if old.get(what) != new.get(what)
        ]
    code = [
        {
            f"{section}/{store}": digest
            for section, told in each["sections"].items()
            for store, digest in told["code"].items()
        }
        for each in (first, second)
    ]
    other = [what for what in code[0] if what in code[1] and code[0][what] != code[1][what]]
    if other:
        found.append(
            {
                "what": "code that measured",
                "first": "one",
                "second": (
                    f"another, for {len(other)} of {len(code[0].keys() & code[1])} sections' stores"
                ),
            }
        )
    return found


def _facts(about: dict) -> dict[str, str]:
    return {what: join_words(about[what]) for what in ("host", "profile", "jdk", "jvm")} | about[
        "machine"
    ]


def _options(store: dict) -> dict[str, str]:
    return {"library": f"{store['library']}:{store['version']}", "engine": store["engine"]} | store[
        "options"
    ]


def share(text: str) -> float:
    """ "10%" as 0.1. Raises UserError."""
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = -1
    if not text.endswith("%") or not 0 <= value < float("inf"):
        raise UserError(f"{text} is no share: write it as 10%.")
    return value / 100


def lines(comparison: Comparison) -> list[str]:
    """The comparison for a terminal: what changed, and what came out."""
    told = [f"{comparison.second} against {comparison.first}"]
    told += [
        f"  {each['what']}: {each['first']} -> {each['second']}" for each in comparison.changes
    ]
    told += ["", comparison.summary]
    told += [f"  {line(row)}" for row in comparison.found.to_dict("records")]
    lacking = comparison.lacking
    if any(lacking.values()):
        told += [
            "",
            (
                f"Not compared: {lacking['first']:,} results that only {comparison.first} has,"
                f" {lacking['second']:,} that only {comparison.second} has."
            ),
        ]
    return told


def line(row: dict) -> str:
    case = Case(*(row[name] for name in Case._fields))
    return (
        f"{row['verdict']}: {row['name']}, {row['workload']}, {case} ({row['section']}):"
        f" {number(row['ratio'])} times the time ({format_range(row['low'], row['high'])}),"
        f" {number(row['first'])} -> {number(row['second'])} ns/entry"
    )
