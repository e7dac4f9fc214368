"""Which stores are best at each need (data.needs), and which of them nothing tells apart, as a tidy
frame.

A need's cost is the geometric mean of what its cells cost, so that none counts more because its
entries are larger. Its stores are compared as those of any case are (analysis.ranking), by the
cells' fits together (model.Mean). Space scatters by store: there each has a variance of its own.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from math import ceil, nan
from typing import Any

import numpy as np
import pandas as pd

from kvreport.analysis import model, ranking
from kvreport.analysis.measured import (
    Measured,
    Sections,
    measurements,
    own_runs,
    shown_measurements,
)
from kvreport.analysis.ranking import ABOUT, LEAST
from kvreport.base.text import join_words
from kvreport.data import facts, runs
from kvreport.data.needs import (
    FIRST_LOOK,
    ORDERED,
    PROCESSES,
    PURE_JAVA,
    TRANSACTIONS,
    UPDATES,
    Cell,
    Need,
    needs,
)

REFERENCE = "reference"  # the runs that came with the project
WANTED = 1.3  # the ratio for which more minutes are named
LACKING = {
    ORDERED: "keeps its keys in no order",
    PURE_JAVA: "has native code",
    UPDATES: "is written once, and then made anew",
    TRANSACTIONS: "has no transactions that are isolated",
    PROCESSES: "is not for several processes that write",
}
BEST = [ranking.FASTEST, ranking.LEVEL]  # verdicts of those that share the first rank
APART: dict[str, Callable[[Any], str]] = {  # in words, how cells of a need differ
    "keys": lambda kind: f"with {kind} keys",
    "order": lambda order: f"loaded {'in key order' if order == 'sequential' else 'at random'}",
    "value_bytes": lambda size: f"with {size:,}-byte values",
}
OF_A_NEED = ["id", "need", "measure", "said", "chapters", "sections", "runs"]
COLUMNS = [*OF_A_NEED, *ranking.COLUMNS, "minutes", "turns"]

Part = tuple[Cell, pd.DataFrame, model.Fit]  # of a need: what a cell costs, and the fit of that


def answers(source: str | None = None, only: str | Iterable[str] = ()) -> pd.DataFrame:
    """Ranks the stores at each need of data/needs.toml: one row for each need and engine, the best
    first, none of a need of which nothing is measured.

    source   None for what was measured on the machine that the report is about, or all that the
             report shows where that is nothing; "reference" for the runs that came with the
             project; a run
    only     one or several of "ordered", "transactions", "processes", "pure Java" and "updates":
             stores without them are left out

    measure  "time", "mix" and "p99.9" in ns, "cpu" in ns an entry, "space" in bytes a byte of data
    said     whether it is answered in words, too;  chapters: where the evidence is
    sections, runs  that its cells are of
    trials to reason  as ranking.compare has them, of the geometric mean of the need's cells. Where
             the fastest or most of the stores have one trial, that is everyone's verdict
    minutes  of further rounds until WANTED would be told four times in five; missing where no
             number of trials would do
    turns    the cells in which each of the best is slower than another, and who is best there:
             "loaded in key order: LMDB"; "" where that is so in none
    """
    known = measurements(_names(source))
    if source is None and not known:
        known = shown_measurements()
    return rank_needs(needs(), known, [only] if isinstance(only, str) else only)


def rank_needs(asked: Iterable[Need], known: Sections, only: Iterable[str] = ()) -> pd.DataFrame:
    """The same of some needs, on what is measured of them in some sections."""
    wanted = set(only)
    parts = [_rank_need(at_first_look(need, known), known, wanted) for need in asked]
    parts = [each for each in parts if len(each)]
    found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    numbers = [*ranking.FIGURES, "tells", "minutes"]
    return found.astype(dict.fromkeys(numbers, "float64") | {"said": "bool", "trials": "int64"})


def agreement(here: pd.DataFrame, there: pd.DataFrame) -> pd.Series:
    """Return whether two machines give the same answers, by the needs' ids: "yes", "no", or as far
    as that can be told. here, there: as `answers` has them.
    """
    both = {str(id): rows for id, rows in there.groupby("id", sort=False)}
    found = {
        str(id): _agree(rows, both[str(id)])
        for id, rows in here.groupby("id", sort=False)
        if str(id) in both
    }
    return pd.Series(found, dtype=object)


def _agree(here: pd.DataFrame, there: pd.DataFrame) -> str:
    ours, theirs = (set(each.loc[each["verdict"].isin(BEST), "name"]) for each in (here, there))
    if not ours or not theirs:
        return "cannot be told yet"
    if ours & theirs:
        return "yes" if ours == theirs else "yes, as far as this tells"
    behind = set(here.loc[here["name"].isin(theirs), "verdict"])
    if behind & {ranking.NOISY, ranking.SINGLE}:
        return "cannot be told yet"
    return "no" if ranking.SLOWER in behind else "no; theirs was not measured here"


def _names(source: str | None) -> list[str]:
    """The runs that answers are drawn from, the first that has a section before the others."""
    if source == REFERENCE:
        return runs.reference_runs()
    return own_runs() if source is None else [source]


def at_first_look(need: Need, known: Sections) -> Need:
    """The need with its cells as the first look has them, where that has more trials of each store
    than the need's own sections on the same machine; else the need as it is.
    """
    first = known.get(FIRST_LOOK)
    if not need.small or first is None:
        return need
    own = [
        known[name].trials if name in known and known[name].group == first.group else 0
        for name in need.sections
    ]
    cells = tuple(replace(cell, section=FIRST_LOOK) for cell in need.cells)
    there = any(first.has(cell) for cell in cells)
    return replace(need, cells=cells) if there and min(own) < first.trials else need


def _rank_need(need: Need, known: Sections, wanted: set[str]) -> pd.DataFrame:
    """The rows of one need, of its cells that are measured on the machine of the first."""
    there = [cell for cell in need.cells if cell.section in known]
    there = [cell for cell in there if known[cell.section].has(cell)]
    cells = [cell for cell in there if known[cell.section].group == known[there[0].section].group]
    if not cells:
        return pd.DataFrame(columns=COLUMNS)
    sections = [known[name] for name in dict.fromkeys(cell.section for cell in cells)]
    parts = [(cell, *known[cell.section].cost(cell, need.measure)) for cell in cells]
    rows = _together(parts, wanted | ({need.only} if need.only else set()))
    able = rows[rows["status"] == "ok"]
    fit = model.Mean(
        tuple(fit for *_, fit in parts),
        tuple(able["store"].unique()),
        tuple(cell.section for cell in cells),
    )
    found = ranking.rank(rows.assign(place=0), [fit], value="cost")
    single = found["median"].notna() & (found["trials"] < LEAST)
    if single[found["ratio"] == 1].any() or 2 * single.sum() > len(fit.stores):
        single = found["median"].notna()
    found.loc[single, "verdict"] = ranking.SINGLE
    found.loc[single, ["ratio_low", "ratio_high", "tells"]] = nan
    found = found.assign(
        id=need.id,
        need=need.name,
        measure=need.measure,
        said=need.said,
        chapters=", ".join(need.chapters),
        sections=", ".join(each.section for each in sections),
        runs=", ".join(dict.fromkeys(each.run for each in sections)),
        minutes=_minutes(found, fit, sections),
        turns=_turns(found, parts),
    )
    return found.sort_values("ratio", kind="stable")[COLUMNS]


def _turns(found: pd.DataFrame, parts: list[Part]) -> str:
    """Return where another store is best than in all cells together, and who that is."""
    best = set(found.loc[found["verdict"].isin(BEST), "store"])
    turned: dict[str, list[Cell]] = {}
    for cell, costs, fit in parts:
        rows = costs[costs["store"].isin(found.dropna(subset="ratio")["store"])].assign(place=0)
        stores = tuple(store for store in rows["store"].unique() if store in fit.stores)
        alone = ranking.rank(rows, [model.Mean((fit,), stores, (cell.section,))], value="cost")
        behind = alone.loc[alone["verdict"] == ranking.SLOWER, "store"]
        if best and best <= set(behind) and (there := ranking.best(alone, "or")):
            turned.setdefault(there, []).append(cell)
    every = [cell for cell, *_ in parts]
    return "; ".join(f"{_apart(cells, every)}: {name}" for name, cells in turned.items())


def _apart(some: list[Cell], every: list[Cell]) -> str:
    """Return what tells some cells of a need from the others, in few words."""
    values = {
        name: list(dict.fromkeys(getattr(cell.case, name) for cell in some)) for name in APART
    }

    def others(names: Collection[str]) -> int:
        alike = (all(getattr(cell.case, at) in values[at] for at in names) for cell in every)
        return sum(alike)

    needed = list(APART)
    for name in APART:
        without = [each for each in needed if each != name]
        if others(without) == others(APART):
            needed = without
    return ", ".join(join_words(map(APART[name], values[name]), "or") for name in needed)


def _minutes(found: pd.DataFrame, fit: model.Mean, sections: list[Measured]) -> float:
    """Of further rounds until the second is told from the best, were it WANTED times as much."""
    order = found.dropna(subset="tells").sort_values("ratio")
    if len(order) < 2:
        return nan
    contrast = fit.compare(order["store"].iloc[1], order["store"].iloc[0], len(order) - 1)
    needed = contrast.trials_needed(WANTED) if contrast else None
    if needed is None:
        return nan
    rounds = max(0, needed - int(order["trials"].min()))
    return ceil(rounds * sum(each.round_seconds for each in sections) / 60)


def _together(parts: list[Part], asked: set[str]) -> pd.DataFrame:
    """The trials of a need, each the geometric mean of the cells' first, second, ... trials; one
    row of each store that has none, with why.
    """
    about = pd.concat([costs for _, costs, _ in parts]).drop_duplicates("store")[ABOUT]
    about = about.assign(
        reason=[_reason(*each, parts, asked) for each in zip(about["store"], about["family"])]
    )
    about = about.assign(status=np.where(about["reason"] == "", "ok", "na"))
    logs = []
    for _, costs, _ in parts:
        good = costs[(costs["status"] == "ok") & (costs["cost"] > 0)].sort_values("trial")
        place = good.assign(trial=good.groupby("store").cumcount() + 1)
        logs.append(np.log(place.set_index(["store", "trial"])["cost"]))
    mean = np.exp(pd.concat(logs, axis=1, join="inner").mean(axis=1)).rename("cost").reset_index()
    trials = about[about["status"] == "ok"].merge(mean, on="store")
    return pd.concat([trials, about[about["status"] == "na"]], ignore_index=True)


def _reason(store: str, family: str, parts: list[Part], asked: set[str]) -> str:
    """Return why a store has no place; "" where it has one."""
    for cell, costs, fit in parts:
        own = costs[costs["store"] == store]
        if own.empty:
            return f"not measured in {cell.section}"
        for fact in sorted(asked):
            if facts.lacks(store, family, fact):
                return LACKING[fact]
        if store not in fit.stores:
            given = [each for each in own["reason"] if isinstance(each, str) and each]
            return given[0] if given else "not measured"
    return ""
