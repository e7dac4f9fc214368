"""How far the harness is from JMH: the verdict on what measure.crosscheck recorded.

A round of the check measures each store in each way, so what the machine does during it hits all of
them: of a store, case and workload, log time ~ way + round, with a variance that is drawn towards
what all have (analysis.model). A fit is of one store, as ways are compared within a store, and a
pass of a flat file scatters otherwise than one of SQLite. Stores are measured twice in fresh
kernels; what those two differ by beyond chance is added to every difference. What was measured
alone, after the rounds, has no round in common with the rest: its ratios are those of two samples,
whose variances are likewise drawn together (analysis.moderated).

That nothing was found shows nothing. A ratio is within the aim where two one-sided tests at 5% say
so; it is off where its interval leaves out 1, by more than chance gives in as many comparisons
(p-values adjusted after Benjamini and Hochberg). Else it is too noisy to say.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import scipy.stats

from kvreport.analysis import model, moderated, stats
from kvreport.analysis.model import Contrast, Fit, Scatter
from kvreport.analysis.results import SectionResults, loaded
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.data import runs
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

Cell = tuple[str, int, str]  # a store, the number of a case, and a workload


class Bias(StrEnum):
    """What a ratio of two ways to measure comes to."""

    WITHIN = "within 5%"
    BIASED = "biased, perhaps within 5%"
    BEYOND = "beyond 5%"
    NOISY = "too noisy to say"

    @property
    def is_shown(self) -> bool:
        """Whether there is one for certain."""
        return self in (Bias.BIASED, Bias.BEYOND)


@dataclass(frozen=True)
class Compared:
    """A store's time in one way over that in another.

    store, at, case, workload  `at` is the case's number in the record
    own, other  ns an entry, medians;  ratio: of these, with its interval; n: rounds
    smallest    the smallest ratio that so many rounds tell in four of five; infinite where nothing
                is left over to judge it by
    """

    store: str
    at: int
    case: Case
    workload: str
    own: float
    other: float
    ratio: stats.Estimate
    smallest: float
    verdict: Bias


def frame(section: str = "04-small-values") -> pd.DataFrame:
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
    rows = []
    own, found = _shown(section)
    between = own.between if own and own.measured else 0.0
    for pair, (first, second) in PAIRS.items() if found else ():
        for each in compare(found, first, second, between):
            about = found["stores"][each.store]
            rows.append(
                {"pair": pair, "store": each.store, "name": about["name"]}
                | {what: about.get(what, "") for what in ("family", "engine")}
                | each.case._asdict()
                | {"workload": each.workload, "own": each.own, "other": each.other}
                | {"ratio": each.ratio.value, "low": each.ratio.low, "high": each.ratio.high}
                | {"rounds": each.ratio.n, "smallest": each.smallest, "verdict": each.verdict}
                | {"differs": each.verdict.is_shown}
            )
    check = pd.DataFrame(rows, columns=COLUMNS).astype({"differs": bool})
    again = retried(check)[["pair", *KEY, "alone", "explained"]]
    return check.merge(again, on=["pair", *KEY], how="left")


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


def _shown(section: str) -> tuple[SectionResults | None, dict[str, Any]]:
    """The section that the report shows, and the cross-check beside it; empty where none is."""
    try:
        own = SectionResults(section, loaded(runs.run_of(section), paths.RUNS))
    except UserError:  # nothing is measured
        return None, {}
    return own, own.crosscheck or {}


def compare(found: dict[str, Any], first: str, second: str, otherwise: float) -> list[Compared]:
    """Each store's time in the first way over that in the second, of every case and workload that
    both measured. `otherwise` is the variance that A/A controls of the run show beyond chance, for
    a check that has none of its own.
    """
    cells = [
        (store, at, workload)
        for store, of in found["stores"].items()
        for at, ways in enumerate(of["cases"])
        for workload, values in ways.get(first, {}).items()
        if values and ways.get(second, {}).get(workload)
    ]
    between = _between(found, otherwise)
    if ALONE in (first, second):
        contrasts = _of_samples(found, cells, (first, second), between)
    else:
        contrasts = _in_rounds(found, cells, (first, second), between)
    verdicts = _verdicts(contrasts)
    compared = []
    for (store, at, workload), contrast, verdict in zip(cells, contrasts, verdicts):
        own, other = (found["stores"][store]["cases"][at][way][workload] for way in (first, second))
        ratio = stats.ratio(own, other)
        if contrast:
            ratio = ratio.within(contrast.low, contrast.high)
            if contrast.beside(ratio.value) is not contrast.difference:
                verdict = Bias.NOISY  # readers see the medians, which point the other way
        compared.append(
            Compared(
                store,
                at,
                case_of(found, at),
                workload,
                float(np.median(own)),
                float(np.median(other)),
                ratio,
                contrast.scatter.smallest_ratio(ratio.n) if contrast else float("inf"),
                verdict,
            )
        )
    return compared


def biased(found: dict[str, Any]) -> list[tuple[str, int, str]]:
    """The stores, numbers of cases, and workloads at which a fresh kernel differs from JMH for
    certain.
    """
    return [
        (each.store, each.at, each.workload)
        for each in compare(found, ISOLATED, JMH, 0.0)
        if each.verdict.is_shown
    ]


def mean(ratios: Iterable[float]) -> stats.Estimate:
    """The geometric mean of the ratios of two ways, with Student's interval over them."""
    logs = np.log(np.asarray(list(ratios), float))
    if not len(logs):
        return stats.NOTHING
    middle = float(np.exp(logs.mean()))
    if len(logs) < 2:
        return stats.Estimate(middle, nan, nan, 1)
    reach = scipy.stats.t.ppf((1 + stats.CONFIDENCE) / 2, len(logs) - 1) * scipy.stats.sem(logs)
    times = float(np.exp(reach))
    return stats.Estimate(middle, middle / times, middle * times, len(logs))


def case_of(found: dict[str, Any], at: int) -> Case:
    """The case of that number."""
    case = found["cases"][at]
    return Case(case["keys"], case["order"], case["value_bytes"])


def _between(found: dict[str, Any], otherwise: float) -> float:
    """The variance that stores measured twice in fresh kernels show beyond chance."""
    twice = [
        (fit, ISOLATED, AGAIN)
        for fit in _fits(found).values()
        if {ISOLATED, AGAIN} <= set(fit.stores)
    ]
    return model.excess(twice) if twice else otherwise


def _fits(found: dict[str, Any]) -> dict[Cell, Fit]:
    """The fit of each store, case and workload, in which the ways stand for model.Fit's stores."""
    trials: dict[Cell, dict[str, dict[int, float]]] = {}
    for store, of in found["stores"].items():
        for at, ways in enumerate(of["cases"]):
            for way in IN_ROUNDS:
                for workload, values in ways.get(way, {}).items():
                    if values:
                        own = trials.setdefault((store, at, workload), {})
                        own[way] = dict(enumerate(values))
    fits = [model.fit(each) for each in trials.values()]
    return dict(zip(trials, model.moderate(fits)))


def _in_rounds(
    found: dict[str, Any], cells: list[Cell], ways: tuple[str, str], between: float
) -> list[Contrast | None]:
    """The contrasts of two ways that both have a value in each round."""
    fits = {cell: replace(fit, between=between) for cell, fit in _fits(found).items()}
    return [fits[cell].compare(*ways) for cell in cells]


def _of_samples(
    found: dict[str, Any], cells: list[Cell], ways: tuple[str, str], between: float
) -> list[Contrast | None]:
    """The contrasts of two ways that have no rounds in common."""
    pairs = []
    for store, at, workload in cells:
        first, second = (found["stores"][store]["cases"][at][way][workload] for way in ways)
        pairs.append((np.array(first, float), np.array(second, float)))
    errors, freedom = moderated.errors(pairs)
    contrasts: list[Contrast | None] = []
    for (first, second), error, degrees in zip(pairs, errors, freedom):
        if np.isnan(error):
            contrasts.append(None)
            continue
        middle = float(np.log(first).mean() - np.log(second).mean())
        scatter = Scatter(float(error**2) * min(len(first), len(second)), float(degrees), between)
        contrasts.append(model.contrast(middle, (error**2 + between) ** 0.5, scatter, 1))
    return contrasts


def _verdicts(contrasts: Iterable[Contrast | None]) -> list[Bias]:
    """What each comes to, as one of so many."""
    contrasts = list(contrasts)
    p_values = [each.p_value if each else 1.0 for each in contrasts]
    adjusted = scipy.stats.false_discovery_control(p_values)
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
