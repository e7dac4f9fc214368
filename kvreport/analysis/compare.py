"""Compares two editions: what became slower or faster, as far as trials show it, and what else
changed.

Compared is what both have: the same store, case, workload and number of entries. A ratio is the
second's median time an entry over the first's. Its 95% interval and its p-value are of the trials'
logarithms, with variances that all results are drawn towards (analysis.moderated). Rounds of two
editions have nothing in common, so they are no blocks here, as they are in analysis.ranking. A
difference counts when the interval leaves out 1, when it is beyond what chance gives in that many
comparisons (p-values adjusted after Benjamini and Hochberg, below 5%), and beyond the noise floor
(analysis.noise). Everything else is no detectable difference; how small a one would have been
detected is said with it. What succeeded in the first, and did not in a section that the second
measured too, is lost.
"""

from math import nan
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from kvreport.analysis import conditions, moderated, noise, stats
from kvreport.analysis.comparison import (
    ABOUT,
    COLUMNS,
    LEAST_TRIALS,
    LEVEL,
    LOST,
    PAIRED,
    Change,
    Comparison,
)
from kvreport.analysis.contrast import MARGIN, POWER
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.text import join_words
from kvreport.data import editions, records, runs, trials, versions
from kvreport.data.editions import PROCESSOR, Edition
from kvreport.data.results_table import KEY

RATIO = {"value": "ratio", "low": "ratio_low", "high": "ratio_high", "n": "trials"}


def find(name: str) -> Edition:
    """The edition of that name: a version ("2026-11-21", "latest"), a run, or the folder of one.
    Raises UserError where there is none.
    """
    known = versions.names()
    if name == versions.LATEST and known:
        name = known[0]
    for folder in (Path(name), paths.REPORT / name, paths.RUNS / name):
        if (folder / versions.MANIFEST).exists():
            return versions.load_version(folder)
        if (folder / records.ENVIRONMENT).exists():
            return editions.edition_of(folder.resolve().name, [trials.read_run(folder.resolve())])
    versions.refuse_withdrawn(name)
    raise UserError(
        f"There is no version, run or folder {name}; versions: {join_words(known)}; runs:"
        f" {join_words(runs.runs())}."
    )


def since() -> Comparison:
    """The report against the newest published version that is of other measurements."""
    try:
        here = editions.shown_edition()
        before = versions.earlier_than(here)
        if not before:
            return Comparison(
                problem="No version of other measurements is published before this one, so there"
                " is nothing to compare it with."
            )
        older = versions.load_version(paths.REPORT / before[0])
        if share_a_machine(older, here):
            return compare_editions(older, here)
    except UserError as problem:
        return Comparison(problem=str(problem))
    return Comparison(
        problem=f"Version {older.name}, the one before, was measured on another machine, whose"
        " figures are not compared with those of this one."
    )


def compare_editions(first: Edition, second: Edition, other_machine: bool = False) -> Comparison:
    """Of hosts that both have measured on, only results of the same host are compared. Raises
    UserError when there is nothing that both have, or no machine unless that is asked for.
    """
    hosts = set(first.about["host"]) & set(second.about["host"])
    if not other_machine and not share_a_machine(first, second):
        raise UserError(
            f"{first.name} and {second.name} were measured on different machines, {_machine(first)}"
            f" and {_machine(second)}: --other-machine compares them all the same."
        )
    was, now = (_results(edition, hosts) for edition in (first, second))
    both = now.join(was["ns_per_entry"].rename("older"), how="inner").sort_index()
    if both.empty:
        raise UserError(
            f"{first.name} and {second.name} have no results in common: {_held(first)} in the"
            f" first, {_held(second)} in the second."
        )
    floor = max(noise_floor(first.rows), noise_floor(second.rows))
    return Comparison(
        first.name,
        second.name,
        _compared(both, floor),
        floor,
        conditions.changes(first.about, second.about),
        {"first": len(was) - len(both), "second": len(now) - len(both)},
        _lost(first, second, hosts),
    )


def _results(edition: Edition, hosts: set[str]) -> pd.DataFrame:
    """The results that succeeded, on these hosts if there are any: by PAIRED what the store is, and
    the times of all trials.
    """
    rows = _on(edition, hosts)
    rows = rows[rows["status"] == "ok"].reindex(columns=[*PAIRED, *ABOUT, "ns_per_entry"])
    return rows.groupby(PAIRED).agg(dict.fromkeys(ABOUT, "last") | {"ns_per_entry": list})


def _on(edition: Edition, hosts: set[str]) -> pd.DataFrame:
    return edition.rows[edition.rows["host"].isin(hosts)] if hosts else edition.rows


def _compared(both: pd.DataFrame, floor: float) -> pd.DataFrame:
    """The rows of a Comparison, of results with their times now and `older`."""
    both = both.rename(columns={"ns_per_entry": "after", "older": "before"})
    pairs = [
        (np.array(after), np.array(before)) for after, before in zip(both["after"], both["before"])
    ]
    contrasts = moderated.of_samples(pairs)
    ratios = [
        each.within(contrast.low, contrast.high) if contrast else each
        for each, contrast in zip(map(stats.ratio, *zip(*pairs)), contrasts)
    ]
    about = [
        (each.p_value, each.error, each.freedom) if each else (1.0, nan, nan) for each in contrasts
    ]
    rows = pd.concat(
        [
            both[ABOUT],
            both[["before", "after"]].map(np.median),
            pd.DataFrame(map(vars, ratios), both.index).rename(columns=RATIO),
            pd.DataFrame(about, both.index, columns=["p", "error", "freedom"]),
        ],
        axis=1,
    ).reset_index()
    rows["adjusted"] = moderated.discoveries(rows["p"])
    rows["verdict"] = _verdicts(rows, floor)
    rows["detectable"] = _detectable(rows, floor)
    largest = (-np.abs(np.log(rows["ratio"]))).argsort(kind="stable")
    return rows.iloc[largest].reset_index(drop=True)[COLUMNS]


def share_a_machine(first: Edition, second: Edition) -> bool:
    """Return whether a host's label is in both and, where each has one host, its processor too, as
    far as both say what it is: a label alone is no machine.
    """
    hosts = [each.about["host"] for each in (first, second)]
    if len(hosts[0]) > 1 or len(hosts[1]) > 1:
        return bool(set(hosts[0]) & set(hosts[1]))
    was, now = (_processor(each.about["machine"]) for each in (first, second))
    alike = all(was[what] == now[what] for what in was.keys() & now)
    return hosts[0] == hosts[1] and alike


def _processor(machine: dict[str, str]) -> dict[str, str]:
    return {what: value for what, value in machine.items() if value and what.startswith(PROCESSOR)}


def _machine(edition: Edition) -> str:
    processor = edition.about["machine"].get(PROCESSOR)
    return join_words(edition.about["host"]) + (f" ({processor})" if processor else "")


def _verdicts(rows: pd.DataFrame, floor: float) -> list[Change]:
    """Return what became of each result, by its ratio's interval, adjusted p-value and the
    floor.
    """
    apart = (rows["ratio_low"] > 1) | (rows["ratio_high"] < 1)
    clear = apart & (rows["trials"] >= LEAST_TRIALS)
    beyond = np.exp(np.abs(np.log(rows["ratio"]))) > floor
    differs = clear & (rows["adjusted"] < LEVEL) & beyond
    return [
        Change.SAME if not different else Change.SLOWER if ratio > 1 else Change.FASTER
        for different, ratio in zip(differs, rows["ratio"])
    ]


def _detectable(rows: pd.DataFrame, floor: float) -> pd.Series:
    """The smallest ratio that would have been found four times in five, at the level that the
    number of comparisons and of what was found leaves to one.
    """
    found = max(1, int((rows["verdict"] != Change.SAME).sum()))
    freedom = rows["freedom"]
    reach = stdtrit(freedom, POWER) - stdtrit(freedom, LEVEL * found / len(rows) / 2)
    return np.exp(reach * rows["error"]).clip(floor)


def _lost(first: Edition, second: Edition, hosts: set[str]) -> pd.DataFrame:
    """Return what succeeded in the first and not in the second, in the sections that both have."""
    was, now = _on(first, hosts), _on(second, hosts)
    was = was[(was["status"] == "ok") & was["section"].isin(now["section"])]
    good, bad = now[now["status"] == "ok"], now[now["status"] != "ok"]
    there = was[[*KEY, "name"]].drop_duplicates(KEY, keep="last")
    gone = pd.MultiIndex.from_frame(there[KEY]).isin(pd.MultiIndex.from_frame(good[KEY]))
    reasons = bad.reindex(columns=[*KEY, "reason"]).drop_duplicates(KEY, keep="last")
    lost = there[~gone].merge(reasons, how="left", on=KEY)
    return lost.assign(reason=lost["reason"].astype(object).fillna("not measured"))[LOST]


def _held(edition: Edition) -> str:
    good = edition.rows[edition.rows["status"] == "ok"]
    if not len(good):
        return "none"
    sections = join_words(sorted(set(good["section"])))
    return f"{sections} at profile {join_words(edition.about['profile'])}"


def noise_floor(rows: pd.DataFrame) -> float:
    """The ratio that two measurements of the same thing differ by without a cause: that of a store
    measured twice (analysis.noise); in rows that have none, model.MARGIN. How far trials lie apart
    is in the intervals, and would hide the more changes the more trials there are.
    """
    control = noise.floor(rows)
    return control if control > noise.NONE else MARGIN


def share(text: str) -> float:
    """ "10%" as 0.1. Raises UserError."""
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = nan
    if not text.endswith("%") or not 0 <= value < float("inf"):
        raise UserError(f"{text} is no share: write it as 10%.")
    return value / 100
