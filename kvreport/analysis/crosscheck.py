"""How far the harness is from JMH: the verdict on what measure.crosscheck recorded.

A round of the check measures each store in each way, so what the machine does during it hits all of
them: of a store, case and workload, log time ~ way + round, with a variance that is drawn towards
what all have (analysis.model). A fit is of one store, as ways are compared within a store, and a
pass of a flat file scatters otherwise than one of SQLite. Stores are measured twice in fresh
kernels; what those two differ by beyond chance is added to every difference. What was measured
alone, after the rounds, has no round in common with the rest: its ratios are those of two samples,
whose variances are likewise drawn together (moderated.of_samples).

That nothing was found shows nothing. A ratio is within the aim where two one-sided tests at 5% say
so; it is off where its interval leaves out 1, by more than chance gives in as many comparisons
(p-values adjusted after Benjamini and Hochberg). Else it is too noisy to say.
"""

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd

from kvreport.analysis import model, moderated, noise, sessions, stats
from kvreport.analysis.contrast import Contrast, quantile
from kvreport.base.errors import UserError
from kvreport.data import extra_measurements, frames, runs
from kvreport.data.cases import Case
from kvreport.data.extra_measurements import AGAIN, ALONE, HAND, ISOLATED, JMH, SHARED

AIM = 1.05  # within this factor of JMH the harness counts as unbiased
LEVEL = 0.05  # of adjusted p-values
PAIRS = {  # the ways that are compared, the first over the second
    "harness": (ISOLATED, JMH),
    "alone": (ALONE, JMH),
    "before": (ISOLATED, ALONE),
    "shared": (SHARED, ISOLATED),
    "hand": (HAND, ISOLATED),
    "again": (AGAIN, ISOLATED),
}
COLUMNS = ["pair", "store", "name", "family", "engine", *Case._fields, "workload", "own", "other"]
COLUMNS += ["ratio", "low", "high", "rounds", "smallest", "verdict", "differs"]
KEY = ["store", *Case._fields, "workload"]
IN_ROUNDS = (JMH, ISOLATED, AGAIN, HAND, SHARED)  # a value each in every round

Cell = tuple[str, int, str]  # a store, the number of a case in the record, and a workload
Times = dict[Cell, dict[str, list[float]]]  # ns an entry, a value a round, by way


class Bias(StrEnum):
    """What a ratio of two ways to measure comes to."""

    WITHIN = "within 5%"
    BIASED = "biased, perhaps within 5%"
    BEYOND = "beyond 5%"
    NOISY = "too noisy to say"

    @property
    def is_shown(self) -> bool:
        """Return whether there is one for certain."""
        return self in (Bias.BIASED, Bias.BEYOND)


def crosscheck(section: str = "04-small-values") -> pd.DataFrame:
    """The cross-check of the run that the report shows a section of or, where it has none, of
    another of that machine and profile: a row for each of PAIRS, store, case and workload that both
    ways of the pair measured.

    pair               a key of PAIRS
    own, other         ns an entry of the first and the second way, medians over rounds
    ratio, low, high   the first over the second, with its interval;  rounds: behind it
    smallest           the ratio that so many rounds tell in four of five
    verdict            a Bias;  differs: whether it is one for certain
    alone, explained   of what differs from JMH, as `retried` has them
    """
    check, parts = recorded(section), []
    if check:
        measured = frames.results(section)
        own = noise.excess(noise.fits_of(measured).values())
        between = sessions.between(measured["run"].unique()) if own is None else own
        parts = [rows for pair in PAIRS if len(rows := compare_ways(check, pair, between))]
    found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    found = found[COLUMNS].astype({"differs": bool})
    again = retried(found)[["pair", *KEY, "alone", "explained"]]
    return found.merge(again, on=["pair", *KEY], how="left")


def retried(check: pd.DataFrame) -> pd.DataFrame:
    """The rows of a check (as `frame` has it) in which this harness differs from JMH, each with

    alone      the ratio of the workload measured alone, as a fork of JMH does; missing where it has
               not been yet
    explained  whether the workloads before it make the difference: alone it does not differ, and
               they change it in the same direction
    """
    rows = {pair: of.set_index(KEY) for pair, of in check.groupby("pair")}
    nothing = check.head(0).set_index(KEY)
    off = check[check["differs"] & (check["pair"] == "harness")].set_index(KEY)
    alone, before = (rows.get(pair, nothing).reindex(off.index) for pair in ("alone", "before"))
    gone = alone["ratio"].notna() & ~alone["differs"].eq(True)
    same_way = before["differs"].eq(True) & ((before["ratio"] > 1) == (off["ratio"] > 1))
    return off.assign(alone=alone["ratio"], explained=gone & same_way).reset_index()


def recorded(section: str) -> dict[str, Any]:
    """The record of the cross-check that is beside a section; empty where none is."""
    try:
        shown, known = runs.run_of(section), runs.runs()
        others = runs.shown_runs(runs.selected_run())
    except UserError:  # nothing is measured
        return {}
    group = runs.comparison_group(known[shown])
    alike = [shown, *(run for run in others if runs.comparison_group(known[run]) == group)]
    return next(filter(None, map(extra_measurements.crosscheck, alike)), {})


def compare_ways(check: dict[str, Any], pair: str, otherwise: float = 0.0) -> pd.DataFrame:
    """The rows of one of PAIRS, as `crosscheck` has them, with `at`, the case's number in the
    record. `otherwise` is the variance that A/A controls of the run show beyond chance, for a check
    that has none of its own.
    """
    first, second = PAIRS[pair]
    times = _times(check)
    cells = [cell for cell, ways in times.items() if {first, second} <= ways.keys()]
    contrasts = _contrasts(times, cells, pair, otherwise)
    rows = []
    for (store, at, workload), contrast, verdict in zip(cells, contrasts, _verdicts(contrasts)):
        own, other = (times[store, at, workload][way] for way in (first, second))
        ratio = stats.ratio(own, other)
        if contrast:
            ratio = ratio.within(contrast.low, contrast.high)
            if contrast.beside(ratio.value) is not contrast.difference:
                verdict = Bias.NOISY  # readers see the medians, which point the other way
        about, case = check["stores"][store], check["cases"][at]
        rows.append(
            {"pair": pair, "store": store, "at": at}
            | {what: about.get(what, "") for what in ("name", "family", "engine")}
            | Case(case["keys"], case["order"], case["value_bytes"])._asdict()
            | {"workload": workload, "own": float(np.median(own)), "other": float(np.median(other))}
            | {"ratio": ratio.value, "low": ratio.low, "high": ratio.high, "rounds": ratio.n}
            | {"smallest": contrast.tells if contrast else inf, "verdict": verdict}
            | {"differs": verdict.is_shown}
        )
    return pd.DataFrame(rows, columns=[*COLUMNS, "at"])


def biased(check: dict[str, Any]) -> list[Cell]:
    """The stores, numbers of cases, and workloads at which a fresh kernel differs from JMH for
    certain.
    """
    found = compare_ways(check, "harness")
    found = found[found["differs"].astype(bool)]
    return list(found[["store", "at", "workload"]].itertuples(index=False, name=None))


def mean(ratios: Iterable[float]) -> stats.Estimate:
    """The geometric mean of the ratios of two ways, with Student's interval over them."""
    logs = np.log(np.asarray(list(ratios), float))
    if not len(logs):
        return stats.NOTHING
    middle = float(np.exp(logs.mean()))
    if len(logs) < 2:
        return stats.Estimate(middle, nan, nan, 1)
    error = logs.std(ddof=1) / np.sqrt(len(logs))
    times = float(np.exp(quantile((1 + stats.CONFIDENCE) / 2, len(logs) - 1) * error))
    return stats.Estimate(middle, middle / times, middle * times, len(logs))


def _times(check: dict[str, Any]) -> Times:
    found: Times = {}
    for store, about in check["stores"].items():
        for at, ways in enumerate(about["cases"]):
            for way, workloads in ways.items():
                for workload, values in workloads.items():
                    if values:
                        found.setdefault((store, at, workload), {})[way] = values
    return found


def _contrasts(
    times: Times, cells: list[Cell], pair: str, otherwise: float
) -> list[Contrast | None]:
    """The two ways of a pair in some cells. In a fit the ways stand for model.Fit's stores."""
    ways = PAIRS[pair]
    made = [
        model.fit({way: dict(enumerate(own[way])) for way in IN_ROUNDS if way in own})
        for own in times.values()
    ]
    fits = dict(zip(times, model.moderate(made)))
    twice = [
        (fit, ISOLATED, AGAIN) for fit in fits.values() if {ISOLATED, AGAIN} <= set(fit.stores)
    ]
    between = model.excess(twice) if twice else otherwise
    if ALONE in ways:
        own, other = ([np.array(times[cell][way], float) for cell in cells] for way in ways)
        return moderated.of_samples(list(zip(own, other)), between)
    return [replace(fits[cell], between=between).compare(*ways) for cell in cells]


def _verdicts(contrasts: Iterable[Contrast | None]) -> list[Bias]:
    """Return what each comes to, as one of so many."""
    contrasts = list(contrasts)
    adjusted = moderated.discoveries(each.p_value if each else 1.0 for each in contrasts)
    return [
        _verdict(contrast, by_chance < LEVEL) if contrast else Bias.NOISY
        for contrast, by_chance in zip(contrasts, adjusted)
    ]


def _verdict(contrast: Contrast, differs: bool) -> Bias:
    if contrast.is_within(AIM):
        return Bias.WITHIN
    if not differs:
        return Bias.NOISY
    return Bias.BEYOND if contrast.low > AIM or contrast.high < 1 / AIM else Bias.BIASED
