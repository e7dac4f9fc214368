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
TWICE = [*KEY, "store", "name", "family", "engine", "first", "again", "apart"]
TWICE += ["ratio", "low", "high", "difference", "by_trials"]


def pairs_of(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each case and workload of a store measured twice, of results, a row each: section,
    the case, workload; store, first and again (ns an entry, a value a trial), apart: the larger
    median over the smaller.
    """
    good = frame[frame["status"] == "ok"] if len(frame) else frame
    twice = {store + AGAIN for store in good["store"]} & set(good["store"]) if len(good) else set()
    measured: dict[tuple, dict[str, list[float]]] = {}
    if twice:
        names = twice | {again.removesuffix(AGAIN) for again in twice}
        kept = good[good["store"].isin(names)]
        for *of, store, ns in kept[[*KEY, "store", "ns_per_entry"]].itertuples(index=False):
            measured.setdefault(tuple(of), {}).setdefault(store, []).append(ns)
    rows = []
    for key, values in measured.items():
        for again in sorted(twice & set(values)):
            first = again.removesuffix(AGAIN)
            if first in values:
                medians = np.median(values[first]), np.median(values[again])
                rows.append(
                    dict(zip(KEY, key))
                    | {
                        "store": first,
                        "first": tuple(values[first]),
                        "again": tuple(values[again]),
                        "apart": max(medians) / min(medians),
                    }
                )
    return pd.DataFrame(rows, columns=[*KEY, "store", "first", "again", "apart"])


def twice(frame: pd.DataFrame) -> pd.DataFrame:
    """Every store that is measured twice beside itself, of results, a row each: the rows of
    `pairs_of`, first and again as medians, and

    name, family, engine   of the store
    ratio, low, high       again over first, with the interval that the fit of the section gives any
                           two stores, what such pairs differ by beyond chance included
    difference             what that comes to (stats.Difference);  by_trials: by the trials alone
    """
    found = pairs_of(frame)
    about = frame.drop_duplicates("store").set_index("store") if len(frame) else pd.DataFrame()
    fits = {
        section: model.fits(frame[frame["section"] == section])
        for section in found["section"].unique()
    }
    rows = []
    for row in found.to_dict("records"):
        store, of_section = row["store"], fits[row["section"]]
        fit = of_section[tuple(row[name] for name in (*stats.CASE, "workload"))]
        alone, whole = (
            replace(fit, between=between).compare(store + AGAIN, store)
            for between in (0.0, excess_of(of_section.values()) or 0.0)
        )
        ratio = stats.ratio(row["again"], row["first"])
        if alone and whole:
            ratio = ratio.within(whole.low, whole.high)
        rows.append(
            row
            | {
                name: about.loc[store, name]
                for name in ("name", "family", "engine")
                if name in about
            }
            | {which: float(np.median(row[which])) for which in ("first", "again")}
            | {"ratio": ratio.value, "low": ratio.low, "high": ratio.high}
            | {"difference": whole.beside(ratio.value) if whole else Difference.INCONCLUSIVE}
            | {"by_trials": alone.beside(ratio.value) if alone else Difference.INCONCLUSIVE}
        )
    return pd.DataFrame(rows, columns=TWICE)


def floor_of(frame: pd.DataFrame) -> float:
    """The same of results, a row each."""
    apart = pairs_of(frame)["apart"]
    return float(np.percentile(apart.astype(float), SHARE)) if len(apart) else NONE


def excess(frame: pd.DataFrame) -> float | None:
    """The variance of a log ratio that stores measured twice show beyond chance (model.excess), of
    all such pairs there are; None without one.
    """
    if not len(frame):
        return None
    names = set(frame["store"])
    twice = {store for store in names if store + AGAIN in names}
    sections: list[str] = list(frame.loc[frame["store"].isin(twice), "section"].unique())
    return excess_of(
        fit
        for section in sections
        for fit in model.fits(frame[frame["section"] == section]).values()
    )


def excess_of(fits: Iterable[model.Fit]) -> float | None:
    """The same of fits."""
    pairs = [
        (fit, store, store + AGAIN)
        for fit in fits
        for store in fit.stores
        if store + AGAIN in fit.stores
    ]
    return model.excess(pairs) if pairs else None
