"""The noise floor of a run: how far apart two measurements of one and the same store lie (an A/A
control).

A control whose id is a store's and "Again" is that store under a second name, measured among the
others. Any ratio between the two is noise; the floor is what nineteen of twenty such ratios keep
below, and no smaller difference is claimed.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd

from kvreport.analysis import model, stats
from kvreport.analysis.stats import Difference

AGAIN = "Again"
SHARE = 95  # percent of the comparisons of a store with itself that the floor covers
NONE = 1.0
KEY = ["section", *stats.CASE, "workload"]
ABOUT = ["name", "family", "engine"]
TWICE = [*KEY, "store", *ABOUT, "first", "again", "apart"]
TWICE += ["ratio", "low", "high", "difference", "by_trials"]


def pairs(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each case and workload of a store measured twice, of rows as frames.results has
    them: section, case, workload; store; first and again (ns an entry, a list with a value a
    trial); apart: the larger median over the smaller.
    """
    good = _twice(frame[frame["status"] == "ok"]).reset_index(drop=True)
    again = good["store"].str.endswith(AGAIN)
    good = good.assign(store=good["store"].str.removesuffix(AGAIN), again=again)
    good = good.assign(place=good.groupby(KEY, sort=False).ngroup())
    values = good.groupby(["place", *KEY, "store", "again"])["ns_per_entry"].agg(list)
    found = values.unstack("again").reindex(columns=[False, True])
    found = found.set_axis(["first", "again"], axis=1).dropna()
    medians = found.map(np.median).astype(float)
    apart = medians.max(axis=1) / medians.min(axis=1)
    return found.assign(apart=apart).reset_index().drop(columns="place")


def twice(frame: pd.DataFrame) -> pd.DataFrame:
    """Every store that is measured twice beside itself, of results, a row each: the rows of
    `pairs`, first and again as medians, and

    name, family, engine   of the store
    ratio, low, high       again over first, with the interval that the fit of the section gives any
                           two stores, what such pairs differ by beyond chance included
    difference             what that comes to (stats.Difference);  by_trials: by the trials alone
    """
    fits = fits_of(frame)
    between = {
        section: excess(fit for key, fit in fits.items() if key[0] == section) or 0.0
        for section in {section for section, *_ in fits}
    }
    rows = []
    for *key, store, first, again, apart in pairs(frame).itertuples(index=False):
        fit, ratio = fits[tuple(key)], stats.ratio(again, first)
        alone = fit.compare(store + AGAIN, store)
        whole = replace(fit, between=between[key[0]]).compare(store + AGAIN, store)
        if whole:
            ratio = ratio.within(whole.low, whole.high)
        medians = float(np.median(first)), float(np.median(again))
        rows.append([*key, store, *medians, apart, ratio.value, ratio.low, ratio.high])
        rows[-1] += [_beside(each, ratio.value) for each in (whole, alone)]
    found = pd.DataFrame(rows, columns=[name for name in TWICE if name not in ABOUT])
    about = frame.drop_duplicates("store")[["store", *ABOUT]]
    return found.merge(about, how="left", on="store")[TWICE]


def floor(frame: pd.DataFrame) -> float:
    """The ratio that SHARE of the comparisons of a store with itself keep below; NONE without
    any.
    """
    apart = pairs(frame)["apart"]
    return float(np.percentile(apart, SHARE)) if len(apart) else NONE


def fits_of(frame: pd.DataFrame) -> dict[tuple, model.Fit]:
    """The fits of the sections that have a store twice, by KEY, variances drawn together within
    each.
    """
    sections = _twice(frame)["section"].unique()
    return {
        key: fit
        for section in sections
        for key, fit in model.fits(frame[frame["section"] == section], KEY).items()
    }


def excess(fits: Iterable[model.Fit]) -> float | None:
    """The variance of a log ratio that stores measured twice show beyond chance (model.excess), of
    all such pairs there are; None without one.
    """
    found = [
        (fit, store, store + AGAIN)
        for fit in fits
        for store in fit.stores
        if store + AGAIN in fit.stores
    ]
    return model.excess(found) if found else None


def _twice(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of stores that are measured twice, under either name."""
    names = set(frame["store"])
    first = {store for store in names if store + AGAIN in names}
    return frame[frame["store"].isin(first | {store + AGAIN for store in first})]


def _beside(contrast: model.Contrast | None, ratio: float) -> Difference:
    return contrast.beside(ratio) if contrast else Difference.INCONCLUSIVE
