"""The comparison of stores that figures, claims and the first page rest on, as a function from a
tidy frame to a tidy frame.

The model is analysis.model: log time ~ store + round within each case and workload, one variance
that is drawn towards what all cells of the frame have in common, Dunnett's critical values for the
comparisons with the best, and on top what stores that are measured twice differ by: in these rows
or, where there is none among them, in the report's runs of the machine.
"""

import functools
from collections.abc import Sequence
from dataclasses import replace
from math import exp, nan

import pandas as pd

from kvreport.analysis import model, noise, stats
from kvreport.data import frames, runs
from kvreport.data.cases import BASELINE, CONTROL

FASTEST, LEVEL, SLOWER, NOISY = "fastest", "level", "slower", "too noisy"
SINGLE, NA, FAILED = "one trial", "n/a", "failed"
UNRANKED = {BASELINE: "baseline", CONTROL: "control"}  # what is no store, by its family
PLACEABLE = 1.5  # a store so many times the best, and still not told from it, is too noisy to place
WIDEST = 4.0  # and so is one whose interval reaches so far
ABOUT = ["store", "name", "family", "engine"]
FIGURES = ["trials", "median", "low", "high", "ratio", "ratio_low", "ratio_high"]
ONE = ["run", "section", *stats.CASE, "workload"]  # of what a cell has one
COLUMNS = [*ABOUT, *FIGURES, "tells", "verdict", "reason"]


def compare(
    rows: pd.DataFrame,
    by: str | Sequence[str] | None = None,
    to: str = "fastest",
    value: str = "ns_per_entry",
) -> pd.DataFrame:
    """Compares the stores of each cell of `by` with the fastest one, or with the one named `to`.

    rows   as frames.results has them: a row a trial, failures included; without `status` none has
           failed. Variances are drawn towards what the cells have in common, so compare a section
           whole, and select afterwards
    by     columns that tell cells apart; None for case and workload. Raises ValueError where rows
           of a cell differ in case or workload all the same
    to     "fastest", or a store's id, as "FlatFile"
    value  a positive quantity of which less is better

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
    _refuse_mixed(rows, cell)
    if "status" not in rows:
        rows = rows.assign(status="ok", reason="")
    trials, cells = {}, {}
    for key, group in rows.groupby(cell, sort=False, dropna=False):
        cells[key] = group
        good = group[(group["status"] == "ok") & (group[value] > 0)]
        found: dict[str, dict[int, float]] = {}
        for store, trial, ns in zip(good["store"], good["trial"], good[value].astype(float)):
            found.setdefault(store, {})[int(trial)] = ns
        trials[key] = found
    fits = dict(zip(trials, model.moderate(map(model.fit, trials.values()))))
    between = noise.excess_of(fits.values())
    if between is None:
        between = _of_session(tuple(rows["run"].unique()))
    parts = {
        key: _cell(group, trials[key], replace(fits[key], between=between), to)
        for key, group in cells.items()
    }
    if not parts:
        return pd.DataFrame(columns=[*cell, *COLUMNS])
    whole = pd.concat(parts, names=cell).droplevel(-1).reset_index()
    return whole[[*cell, *COLUMNS]]


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


@functools.lru_cache(16)
def _of_session(of: tuple[str, ...]) -> float:
    """What stores that are measured twice differ by in the report's runs of the machine and profile
    that some runs are of: the most that one shows.
    """
    known = runs.runs()
    groups = {runs.comparison_group(known[run]) for run in of if run in known}
    if not groups:
        return 0.0
    alike = [
        run
        for run in runs.shown_runs(runs.selected_run())
        if runs.comparison_group(known[run]) in groups
    ]
    found = [noise.excess(frames.results(source=run)) for run in alike]
    return max((each for each in found if each is not None), default=0.0)


def _cell(
    group: pd.DataFrame, trials: dict[str, dict[int, float]], fit: model.Fit, to: str
) -> pd.DataFrame:
    """The stores of one cell."""
    about = group.drop_duplicates("store").set_index("store")
    medians = {store: vars(stats.estimate(list(each.values()))) for store, each in trials.items()}
    figures = pd.DataFrame.from_dict(medians, "index", columns=["value", "low", "high", "n"])
    figures = figures.rename(columns={"value": "median", "n": "trials"})
    rivals = [store for store in fit.stores if about["family"][store] not in UNRANKED]
    best = min(rivals or fit.stores, key=fit.effect, default="")
    other = best if to == "fastest" else to
    bad = group[group["status"] != "ok"]
    found = about[[name for name in ABOUT if name != "store"]].join(
        [figures, _ratios(fit, other, max(1, len(rivals) - 1))]
    )
    found = found.assign(
        trials=found["trials"].fillna(0).astype(int),
        reason=bad.groupby("store")["reason"].agg(lambda each: "; ".join(each.dropna().unique())),
    )
    cannot = set(bad.loc[bad["status"] == "na", "store"])
    found["verdict"] = [
        _verdict(row, store == other, store in cannot) for store, row in found.iterrows()
    ]
    placed = found["verdict"].isin((LEVEL, SLOWER)).any()
    if to == "fastest" and not placed and (found["verdict"] == NOISY).any():
        found.loc[found["verdict"] == FASTEST, "verdict"] = NOISY
    order = found.assign(last=found["median"].isna()).sort_values(["last", "median", "name"])
    return order.rename_axis("store").reset_index()


def _ratios(fit: model.Fit, other: str, comparisons: int) -> pd.DataFrame:
    """Each store over another, by store; nothing where that one has no value."""
    rows = {}
    for store in fit.stores if other in fit.stores else ():
        contrast = fit.compare(store, other, comparisons)
        rows[store] = [
            exp(fit.effect(store) - fit.effect(other)),
            contrast.low if contrast else nan,
            contrast.high if contrast else nan,
            fit.smallest_ratio(store, other, comparisons) if contrast else nan,
        ]
    columns = ["ratio", "ratio_low", "ratio_high", "tells"]
    return pd.DataFrame.from_dict(rows, "index", columns=columns)


def _verdict(row: pd.Series, is_other: bool, cannot: bool) -> str:
    if not row["trials"]:
        return NA if cannot else FAILED
    if row["family"] in UNRANKED:
        return UNRANKED[row["family"]]
    if row["trials"] < 2:
        return SINGLE
    if is_other:
        return FASTEST
    if not row["ratio_low"] <= model.MARGIN:
        return SLOWER
    if row["ratio"] > PLACEABLE or row["ratio_high"] > WIDEST:
        return NOISY
    return LEVEL
