"""The comparison of stores that figures, claims and the first page rest on, as a function from a
tidy frame to a tidy frame.

The model is analysis.model, over the cells of the frame; the intervals are corrected for the
comparisons with the best (analysis.contrast), and have on top what stores that are measured twice
differ by: in these rows or, where there is none among them, in the report's runs of the machine.
"""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import exp, nan
from pathlib import Path

import pandas as pd

from kvreport.analysis import model, noise, stats
from kvreport.analysis.contrast import MARGIN
from kvreport.analysis.stats import Difference
from kvreport.base import paths
from kvreport.data import frames, runs
from kvreport.data.cases import ACCESS_PATH, BASELINE, CONTROL, NO_STORE

FASTEST, LEVEL, SLOWER, NOISY = "fastest", "level", "slower", "too noisy"
SINGLE, NA, FAILED = "one trial", "n/a", "failed"
LEAST = 2  # trials that have an interval
PLACEABLE = 1.5  # a store so many times the best, and still not told from it, is too noisy to place
WIDEST = 4.0  # and so is one whose interval reaches so far
# Of an engine with several rows, the one that stands for it wherever engines are compared, named
# before anything was measured: the first of these that a section has
STAND_FOR = {
    "LMDB": ("LmdbJavaBb", "LmdbJavaDb"),
    "Chronicle": ("ChronicleMap",),
    "MVStore": ("MvStore",),
}
UNRANKED = {BASELINE: "baseline", CONTROL: "control"}  # what is no store, by its family
ABOUT = ["store", "name", "family", "engine"]
RATIO = ["ratio", "ratio_low", "ratio_high"]
FIGURES = ["trials", "median", "low", "high", *RATIO]
ENDS = [f"{when}{end}" for when in ("before", "after") for end in ("", "_low", "_high")]
CHANGES = {  # of a store with itself
    Difference.GREATER: "slower",
    Difference.LESS: "faster",
    Difference.EQUIVALENT: "the same",
    Difference.INCONCLUSIVE: "not told",
}
ONE = ["run", "section", *stats.CASE, "workload"]  # of what a cell has one
COLUMNS = [*ABOUT, *FIGURES, "tells", "verdict", "reason"]


def compare(
    rows: pd.DataFrame,
    by: str | Sequence[str] | None = None,
    to: str = "fastest",
    value: str = "ns_per_entry",
    keep: Sequence[str] = (),
) -> pd.DataFrame:
    """Compares the stores of each cell of `by` with the fastest one, or with the one named `to`.

    rows   as frames.results has them: a row a trial, failures included; without `status` none has
           failed. Variances are drawn towards what the cells have in common, so compare a section
           whole, and select afterwards
    by     columns that tell cells apart; None for case and workload. Raises ValueError where rows
           of a cell differ in case or workload all the same
    to     "fastest", or a store's id, as "FlatFile"
    value  a positive quantity of which less is better
    keep   further columns of numbers, of which the medians over trials are added

    Returns a row for each cell and store, the best first:

    trials                 how many succeeded
    median, low, high      over trials, with a 95% interval of its own (Student's t on logarithms)
    ratio, ratio_low, ratio_high  to the best or to `to`, by the model, with a 95% interval for all
                           comparisons of the cell together
    tells                  the smallest ratio that would be told from 1 four times in five
    verdict                fastest; level: nothing shows that it is slower by MARGIN; slower; too
                           noisy to place; one trial; n/a; failed; baseline and control of what is
                           no store, and none of these
    reason                 why it has no value, or why a trial of it failed
    """
    cell = _columns(by)
    cells = fitted(rows, cell, value)
    parts = {key: rank_cell(group, fit, to, value) for key, (group, fit) in cells.items()}
    if not parts:
        return _nothing([*cell, *COLUMNS, *keep], [*FIGURES, "tells", *keep])
    whole = pd.concat(parts, names=cell).droplevel(-1).reset_index()[[*cell, *COLUMNS]]
    if not keep:
        return whole
    good = rows[rows["status"] == "ok"]
    medians = good.groupby([*cell, "store"], dropna=False)[list(keep)].median()
    return whole.join(medians, on=[*cell, "store"])


def engines(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of one store for each engine, the one that stands for it: no baselines, no
    controls, no further ways to an engine.
    """
    rows = rows[~rows["family"].isin([BASELINE, CONTROL, NO_STORE, ACCESS_PATH])]
    there = set(rows["store"])
    others = {
        store
        for word, named in STAND_FOR.items()
        for first in [next((each for each in named if each in there), "")]
        for store, engine, name in set(zip(rows["store"], rows["engine"], rows["name"]))
        if first and store != first and f"{engine} {name}".split()[0] == word
    }
    return rows[~rows["store"].isin(others)]


def alone(ranked: pd.DataFrame, by: str | Sequence[str] | None = None) -> pd.DataFrame:
    """Return the rows of `compare`, by the same cells, of stores that are measurably ahead of every
    other store of their cell.
    """
    open_cells = ranked["verdict"].isin([LEVEL, NOISY]).groupby(_keys(ranked, by)).transform("any")
    return ranked[(ranked["verdict"] == FASTEST) & ~open_cells]


def _keys(rows: pd.DataFrame, by: str | Sequence[str] | None) -> list[pd.Series]:
    return [rows[name] for name in _columns(by)]


def change(
    rows: pd.DataFrame, column: str, before: str, after: str, value: str = "ns_per_entry"
) -> pd.DataFrame:
    """Compares each store with itself: what it takes `after` with what it takes `before`, two
    values of a `column` of case or workload, trial by trial.

    rows, value  as `compare` has them

    Returns a row for each store and what else tells cells apart:

    before, before_low, before_high, and the same of after  medians with their intervals
    trials                        that have both
    ratio, ratio_low, ratio_high  after over before, with its 95% interval
    verdict   slower, faster; the same: shown to be within MARGIN; not told; one trial; n/a; failed
    reason    why it has no value
    """
    cells = fitted(rows, [*stats.CASE, "workload"], value)
    place = [*stats.CASE, "workload"].index(column)
    rest = [name for name in (*stats.CASE, "workload") if name != column]
    found = []
    for key, (group, first) in cells.items():
        other = (*key[:place], after, *key[place + 1 :])
        if key[place] == before and other in cells:
            later, second = cells[other]
            both = _beside(_summary(group, value), _summary(later, value))
            both = both.join(_changes(first, second))
            cannot = set(pd.concat([group, later]).query("status == 'na'")["store"])
            without = [NA if store in cannot else FAILED for store in both.index]
            both["verdict"] = both["verdict"].fillna(pd.Series(without, both.index))
            left = dict(zip(rest, (*key[:place], *key[place + 1 :])))
            found.append(both.rename_axis("store").reset_index().assign(**left))
    columns = [*rest, *ABOUT, *ENDS, "trials", *RATIO, "verdict", "reason"]
    if not found:
        return _nothing(columns, [*ENDS, "trials", *RATIO])
    return pd.concat(found, ignore_index=True)[columns]


def _nothing(columns: list[str], numbers: Sequence[str]) -> pd.DataFrame:
    """No rows, of which some columns are numbers, so that what is true of many rows works on it."""
    return pd.DataFrame(columns=columns).astype(dict.fromkeys(numbers, float))


def _beside(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Two summaries beside each other, by store; whoever is in one of them only is there, too."""
    both = pd.concat([each[ABOUT[1:]] for each in (before, after)])
    both = both[~both.index.duplicated()]
    for when, each in (("before", before), ("after", after)):
        named = {"median": when, "low": f"{when}_low", "high": f"{when}_high"}
        both = both.join(each[list(named)].rename(columns=named))
    return both.assign(reason=after["reason"].combine_first(before["reason"]))


def _changes(before: model.Fit, after: model.Fit) -> pd.DataFrame:
    """Each store in one fit over itself in another, by store, of those with a trial in both."""
    rows = {}
    for store in set(before.stores) & set(after.stores):
        both = before.logs[store].keys() & after.logs[store].keys()
        if contrast := model.changed(after, before, store):
            interval = [contrast.ratio, contrast.low, contrast.high]
            rows[store] = [len(both), *interval, CHANGES[contrast.difference]]
        elif both:
            [at] = both
            ratio = exp(after.logs[store][at] - before.logs[store][at])
            rows[store] = [len(both), ratio, nan, nan, SINGLE]
    return pd.DataFrame.from_dict(rows, "index", columns=["trials", *RATIO, "verdict"])


def fitted(
    rows: pd.DataFrame, cell: list[str], value: str = "ns_per_entry"
) -> dict[tuple, tuple[pd.DataFrame, model.Fit]]:
    """The rows of each cell with their fit, what a session adds to a difference included."""
    _refuse_mixed(rows, cell)
    if "status" not in rows:
        rows = rows.assign(status="ok", reason="")
    rows = rows[list(dict.fromkeys([*ONE, *ABOUT, *cell, "trial", "status", "reason", value]))]
    fits = model.fits(rows, cell, value)
    between = noise.excess(fits.values())
    if between is None:
        between = of_session(rows["run"].unique())
    groups = rows.groupby(cell, sort=False, dropna=False)
    return {key: (group, replace(fits[key], between=between)) for key, group in groups}


def _columns(by: str | Sequence[str] | None) -> list[str]:
    if by is None:
        return [*stats.CASE, "workload"]
    return [by] if isinstance(by, str) else list(by)


def _refuse_mixed(rows: pd.DataFrame, cell: list[str]) -> None:
    differ = rows.groupby(cell, dropna=False)[ONE].nunique(dropna=False).gt(1).any()
    for name in differ.index[differ]:
        some = ", ".join(map(str, list(rows[name].unique())[:3]))
        raise ValueError(
            f"these rows differ in {name} ({some}): select one of them, or name {name} in `by`"
        )


def of_session(names: Iterable[str]) -> float:
    """What stores that are measured twice differ by in the report's runs of the machine and profile
    that some runs are of: the most that one shows.
    """
    return _of_session(paths.RUNS, tuple(names))


@functools.lru_cache(16)
def _of_session(folder: Path, names: tuple[str, ...]) -> float:
    known = runs.runs()
    groups = {runs.comparison_group(known[run]) for run in names if run in known}
    if not groups:
        return 0.0
    found = []
    for run in runs.shown_runs(runs.selected_run()):
        # sections that have a store twice: the others say nothing of it
        again = (folder / run).glob(f"*/*{noise.AGAIN}-*.json")
        sections = sorted({file.parent.name for file in again})
        if sections and runs.comparison_group(known[run]) in groups:
            rows = [frames.results(section, run) for section in sections]
            found.append(noise.excess(noise.fits_of(pd.concat(rows)).values()))
    return max((each for each in found if each is not None), default=0.0)


def _summary(group: pd.DataFrame, value: str) -> pd.DataFrame:
    """The stores of a cell, by store: what they are, their medians, and why one has none."""
    about = group.drop_duplicates("store").set_index("store")
    medians = {
        store: vars(stats.estimate(list(trials.values())))
        for store, trials in model.trials_of(group, value).items()
    }
    figures = pd.DataFrame.from_dict(medians, "index", columns=["value", "low", "high", "n"])
    found = about[ABOUT[1:]].join(figures.rename(columns={"value": "median", "n": "trials"}))
    bad = group[group["status"] != "ok"]
    return found.assign(
        trials=found["trials"].fillna(0).astype(int),
        reason=bad.groupby("store")["reason"].agg(lambda each: "; ".join(each.dropna().unique())),
    )


def rank_cell(
    group: pd.DataFrame,
    fit: model.Fit | model.Mean,
    to: str = "fastest",
    value: str = "ns_per_entry",
) -> pd.DataFrame:
    """The stores of one cell, compared by their fit: the rows of `compare`."""
    found = _summary(group, value)
    rivals = [store for store in fit.stores if found["family"][store] not in UNRANKED]
    best = min(rivals or fit.stores, key=fit.effect, default="")
    other = best if to == "fastest" else to
    found = found.join(_ratios(fit, other, max(1, len(rivals) - 1)))
    cannot = set(group.loc[group["status"] == "na", "store"])
    found["verdict"] = [
        _verdict(row, store == other, store in cannot) for store, row in found.iterrows()
    ]
    placed = found["verdict"].isin((LEVEL, SLOWER)).any()
    if to == "fastest" and not placed and (found["verdict"] == NOISY).any():
        found.loc[found["verdict"] == FASTEST, "verdict"] = NOISY
    order = found.assign(last=found["median"].isna()).sort_values(["last", "median", "name"])
    return order.rename_axis("store").reset_index()


def _ratios(fit: model.Fit | model.Mean, other: str, comparisons: int) -> pd.DataFrame:
    """Each store over another, by store; nothing where that one has no value."""
    rows = {}
    for store in fit.stores if other in fit.stores else ():
        contrast = fit.compare(store, other, comparisons)
        rows[store] = [
            exp(fit.effect(store) - fit.effect(other)),
            contrast.low if contrast else nan,
            contrast.high if contrast else nan,
            contrast.tells if contrast else nan,
        ]
    return pd.DataFrame.from_dict(rows, "index", columns=[*RATIO, "tells"])


def _verdict(row: pd.Series, is_other: bool, cannot: bool) -> str:
    if not row["trials"]:
        return NA if cannot else FAILED
    if row["family"] in UNRANKED:
        return UNRANKED[row["family"]]
    if row["trials"] < LEAST:
        return SINGLE
    if is_other:
        return FASTEST
    if not row["ratio_low"] <= MARGIN:
        return SLOWER
    if row["ratio"] > PLACEABLE or row["ratio_high"] > WIDEST:
        return NOISY
    return LEVEL
