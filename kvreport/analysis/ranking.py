"""The comparison of stores that figures, claims and the first page rest on, as a function from a
tidy frame to a tidy frame.

The model is analysis.model, over the cells of the frame; the intervals are corrected for the
comparisons with the best (analysis.contrast), and have on top what sessions differ by
(analysis.sessions) or, where that is more, what stores do that are measured twice in these rows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import exp, nan

import numpy as np
import pandas as pd

from kvreport.analysis import model, noise, sessions, stats
from kvreport.analysis.contrast import MARGIN
from kvreport.analysis.stats import Difference
from kvreport.base.text import join_words
from kvreport.data.cases import ACCESS_PATH, BASELINE, CONTROL, NO_STORES

FASTEST, LEVEL, SLOWER, NOISY = "fastest", "level", "slower", "too noisy"
FASTER = "faster"  # than a store that is named
SINGLE, NA, FAILED = "one trial", "n/a", "failed"
LEAST = 2  # trials that have an interval
FEW = 4  # names that a sentence has room for
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
KEY = ["place", "store"]  # the number of a cell, and a store of it
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
    verdict                fastest; level: shown to be, its interval ends within MARGIN; slower: its
                           interval begins beyond; faster: than `to`; too noisy to say which, as is
                           the fastest where that is so of most others; one trial; n/a; failed;
                           baseline and control of what is no store, and none of these
    reason                 why it has no value, or why a trial of it failed
    """
    cell = _columns(by)
    placed = _placed(rows, cell, value)
    if not len(placed):
        return _nothing([*cell, *COLUMNS, *keep], [*FIGURES, "tells", *keep])
    fits = _fits(placed, cell, value)
    cells = pd.DataFrame(list(fits), columns=cell)
    whole = rank(placed, fits.values(), to, value).join(cells, on="place")[[*cell, *COLUMNS]]
    if not keep:
        return whole
    good = rows[rows["status"] == "ok"]
    medians = good.groupby([*cell, "store"], dropna=False)[list(keep)].median()
    return whole.join(medians, on=[*cell, "store"])


def engines(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of one store for each engine, the one that stands for it: no baselines, no
    controls, no further ways to an engine.
    """
    rows = rows[~rows["family"].isin([*NO_STORES, ACCESS_PATH])]
    there = set(rows["store"])
    others = {
        store
        for word, named in STAND_FOR.items()
        for first in [next((each for each in named if each in there), "")]
        for store, engine, name in set(zip(rows["store"], rows["engine"], rows["name"]))
        if first and store != first and f"{engine} {name}".split()[0] == word
    }
    return rows[~rows["store"].isin(others)]


def best(ranked: pd.DataFrame, word: str = "and", name: str = "name") -> str:
    """Return who is the best of the rows of one cell of `compare`, and who is level with it, by a
    column of names: "LMDB, perhaps Xodus"; "" where nobody can be told.
    """
    named, unclear = (
        list(ranked.loc[ranked["verdict"].isin(words), name])
        for words in ((FASTEST, LEVEL), (NOISY,))
    )
    if len(named) > FEW:
        named = [named[0], f"{len(named) - 1} others level with it"]
    if len(unclear) > FEW:
        unclear = [*unclear[: FEW - 1], f"{len(unclear) - FEW + 1} others"]
    perhaps = f", perhaps {join_words(unclear, 'or')}" if unclear else ""
    return join_words(named, word) + perhaps if FASTEST in set(ranked["verdict"]) else ""


def alone(ranked: pd.DataFrame, by: str | Sequence[str] | None = None) -> pd.DataFrame:
    """Return the rows of `compare`, by the same cells, of stores that are measurably ahead of every
    other store of their cell.
    """
    keys = [ranked[name] for name in _columns(by)]
    open_cells = ranked["verdict"].isin([LEVEL, NOISY]).groupby(keys).transform("any")
    return ranked[(ranked["verdict"] == FASTEST) & ~open_cells]


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
    cell = [*stats.CASE, "workload"]
    at, rest = cell.index(column), [name for name in cell if name != column]
    rows = _placed(rows, cell, value)
    fits = _fits(rows, cell, value)
    places = {key: place for place, key in enumerate(fits)}
    later = {
        place: places[other]
        for key, place in places.items()
        if key[at] == before and (other := (*key[:at], after, *key[at + 1 :])) in places
    }
    columns = [*rest, *ABOUT, *ENDS, "trials", *RATIO, "verdict", "reason"]
    if not later:
        return _nothing(columns, [*ENDS, "trials", *RATIO])
    found, fit = _summary(rows, value), list(fits.values())
    first = found[found.index.isin(later, level="place")]
    second = pd.concat({at: found.xs(other) for at, other in later.items()}, names=["place"])
    both = pd.concat([first, second])[[*ABOUT[1:], "cannot"]]
    cannot = both["cannot"].groupby(level=KEY).any()
    both = both[~both.index.duplicated()].sort_index(
        level="place", sort_remaining=False, kind="stable"
    )
    for when, each in (("before", first), ("after", second)):
        named = {"median": when, "low": f"{when}_low", "high": f"{when}_high"}
        both = both.join(each[list(named)].rename(columns=named))
    changes = {at: _changes(fit[at], fit[other]) for at, other in later.items()}
    both = both.join(pd.concat(changes, names=KEY))
    both = both.assign(
        verdict=both["verdict"].fillna(cannot.map({True: NA, False: FAILED})),
        reason=second["reason"].combine_first(first["reason"]),
    )
    cells = pd.DataFrame(list(fits), columns=cell)[rest]
    return both.reset_index().join(cells, on="place")[columns]


def _nothing(columns: list[str], numbers: Sequence[str]) -> pd.DataFrame:
    """No rows, of which some columns are numbers, so that what is true of many rows works on it."""
    return pd.DataFrame(columns=columns).astype(dict.fromkeys(numbers, float))


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


def fitted(rows: pd.DataFrame, cell: list[str]) -> dict[tuple, model.Fit]:
    """The fit of each cell, what a session adds to a difference included."""
    return _fits(_placed(rows, cell, "ns_per_entry"), cell, "ns_per_entry")


def _fits(rows: pd.DataFrame, cell: list[str], value: str) -> dict[tuple, model.Fit]:
    fits = model.fits(rows, cell, value)
    between = max(noise.excess(fits.values()) or 0.0, sessions.between(rows["run"].unique()))
    return {key: replace(fit, between=between) for key, fit in fits.items()}


def _placed(rows: pd.DataFrame, cell: list[str], value: str) -> pd.DataFrame:
    """Rows with the number of their cell, `place`. Raises ValueError where rows of a cell differ in
    what it has one of.
    """
    differ = rows.groupby(cell, dropna=False)[ONE].nunique(dropna=False).gt(1).any()
    for name in differ.index[differ]:
        some = ", ".join(map(str, list(rows[name].unique())[:3]))
        raise ValueError(
            f"these rows differ in {name} ({some}): select one of them, or name {name} in `by`"
        )
    if "status" not in rows:
        rows = rows.assign(status="ok", reason="")
    rows = rows[list(dict.fromkeys([*ONE, *ABOUT, *cell, "trial", "status", "reason", value]))]
    return rows.assign(place=rows.groupby(cell, sort=False, dropna=False).ngroup())


def _columns(by: str | Sequence[str] | None) -> list[str]:
    if by is None:
        return [*stats.CASE, "workload"]
    return [by] if isinstance(by, str) else list(by)


def _summary(rows: pd.DataFrame, value: str) -> pd.DataFrame:
    """The stores of each cell, by place and store: what they are, their medians, why one has none,
    and whether it cannot do it.
    """
    good, bad = rows[(rows["status"] == "ok") & (rows[value] > 0)], rows[rows["status"] != "ok"]
    estimates = {at: vars(stats.estimate(own)) for at, own in good.groupby(KEY)[value]}
    at = pd.MultiIndex.from_tuples(list(estimates), names=KEY)
    figures = pd.DataFrame(list(estimates.values()), at, columns=["value", "low", "high", "n"])
    about = rows.drop_duplicates(KEY).set_index(KEY)[ABOUT[1:]]
    found = about.join(figures.rename(columns={"value": "median", "n": "trials"}))
    reasons = bad.groupby(KEY)["reason"].agg(lambda each: "; ".join(each.dropna().unique()))
    return found.assign(
        trials=found["trials"].fillna(0).astype(int),
        reason=reasons,
        cannot=found.index.isin(list(zip(*(bad.loc[bad["status"] == "na", name] for name in KEY)))),
    )


def rank(
    rows: pd.DataFrame,
    fits: Iterable[model.Fit | model.Mean],
    to: str = "fastest",
    value: str = "ns_per_entry",
) -> pd.DataFrame:
    """The stores of each cell, compared by its fit: the rows of `compare`, with `place`, the number
    of the cell, which rows have, too.
    """
    found = _summary(rows, value)
    family = rows.drop_duplicates("store").set_index("store")["family"]
    ratios = {place: _ratios(fit, to, family) for place, fit in enumerate(fits)}
    found = found.join(pd.concat(ratios, names=KEY))
    known, other = found["trials"] > 0, found["is_other"].eq(True)
    least = 0 if to == "fastest" else 1 / MARGIN  # nothing is faster than the fastest
    verdicts = {
        NA: ~known & found["cannot"],
        FAILED: ~known,
        **{word: found["family"] == family for family, word in UNRANKED.items()},
        SINGLE: found["trials"] < LEAST,
        FASTEST: other & (to == "fastest"),
        SLOWER: found["ratio_low"] > MARGIN,
        FASTER: found["ratio_high"] < least,
        LEVEL: (found["ratio_high"] <= MARGIN) & (found["ratio_low"] >= least),
    }
    found["verdict"] = np.select(list(verdicts.values()), list(verdicts), NOISY)
    if to == "fastest":
        placed, unclear = (
            found["verdict"].isin(words).groupby(level="place").transform("sum")
            for words in ((LEVEL, SLOWER), (NOISY,))
        )
        found.loc[(placed < unclear) & (found["verdict"] == FASTEST), "verdict"] = NOISY
    order = found.assign(last=found["median"].isna()).reset_index()
    return order.sort_values(["place", "last", "median", "name"], ignore_index=True)


def _ratios(fit: model.Fit | model.Mean, to: str, family: pd.Series) -> pd.DataFrame:
    """Each store over the fastest or another, by store; nothing where that one has no value."""
    rivals = [store for store in fit.stores if family[store] not in UNRANKED]
    fastest = min(rivals or fit.stores, key=fit.effect, default="")
    other, comparisons = fastest if to == "fastest" else to, max(1, len(rivals) - 1)
    rows = {}
    for store in fit.stores if other in fit.stores else ():
        contrast = fit.compare(store, other, comparisons)
        ends = [contrast.low, contrast.high, contrast.tells] if contrast else [nan] * 3
        rows[store] = [exp(fit.effect(store) - fit.effect(other)), *ends, store == other]
    return pd.DataFrame.from_dict(rows, "index", columns=[*RATIO, "tells", "is_other"])
