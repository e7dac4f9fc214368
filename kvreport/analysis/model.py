"""The statistical model: stores compared within a case and workload, log time ~ store + round.

`fits` is the one way in: from rows of trials to a Fit for each cell. What it comes to is asked of a
Fit, of the Mean of several, or of `changed` between two: each answers with a Contrast.

A round has one trial of each store, so what the machine does during a round hits all of them, and
the round is a block: its effect drops out of every difference (Box, Hunter and Hunter 2005, chapter
4; Kalibera and Jones 2013). Trials that failed leave the design unbalanced; it is solved by least
squares. What is left over has a variance of the cell, drawn towards what the section's have in
common (analysis.moderated), times a factor of the store: some stores scatter three times as much as
others wherever they are measured (analysis.scatter). So a few trials of many stores say together
what none could alone, and one that is restless is not given the calm of the others.

A store that is measured twice under two names is a negative control: any difference is none. What
its pairs differ by beyond what the model expects is a variance that trials of one session do not
show, estimated by moments (DerSimonian and Laird 1986) and added to that of every difference, as
empirical calibration does (Schuemie et al. 2014). It stands in for a flat noise floor, which a wide
interval passed as easily as a narrow one.

One store in two cases or workloads is compared by the log ratio of the two in each of its trials
(`changed`). Its stores scatter by round and for themselves, both of which its mean has in it: the
variance is that of a two-way layout with random rounds, its degrees of freedom Satterthwaite's
(1946).
"""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import inf, log, sqrt

import numpy as np
import pandas as pd

from kvreport.analysis import moderated, scatter
from kvreport.analysis.contrast import MOST_FREEDOM, Contrast
from kvreport.data.cases import NO_STORES

Trials = Mapping[str, Mapping[int, float]]  # ns an entry by store and round


@dataclass(frozen=True)
class Fit:
    """The stores of one case and workload.

    logs        of ns an entry, by store and round
    effects     of the stores, in their order
    solution    the inverse of the normal equations of these
    there       1 for each trial, in an array of stores and rounds
    variance    of what is left over, and its degrees of freedom
    factors     of that variance, by store, each with the degrees of freedom that it is known by;
                1 of those that have none
    between     the variance of a difference that the session adds
    blocks      whether rounds have effects
    """

    stores: tuple[str, ...]
    logs: Mapping[str, Mapping[int, float]]
    effects: np.ndarray
    solution: np.ndarray
    there: np.ndarray
    variance: float
    freedom: float
    factors: scatter.Factors = field(default_factory=dict)
    between: float = 0.0
    blocks: bool = True

    def effect(self, store: str) -> float:
        """A store's, in logarithms."""
        return float(self.effects[self.stores.index(store)])

    def error(self, store: str, other: str) -> float:
        """The variance of the difference of two stores, by their trials."""
        return self.spread(store, other)[0]

    def spread(self, store: str, other: str) -> tuple[float, float]:
        """The variance of the difference of two stores, by their trials, and its degrees of
        freedom.
        """
        weights = self.solution @ self._signs(store, other)
        of_trials = self.there * weights[:, None]
        if self.blocks:  # but for the first round, as `fit` has it
            later = of_trials[:, 1:]
            later -= self.there[:, 1:] * later.sum(axis=0) / self.there[:, 1:].sum(axis=0)
        parts = (of_trials**2).sum(axis=1) * [self.factor(each)[0] for each in self.stores]
        return self.variance * float(parts.sum()), self._freedom(parts)

    def of_trial(self, store: str, other: str) -> float:
        """The variance of the difference of two stores in a round."""
        return self.variance * (self.factor(store)[0] + self.factor(other)[0])

    def factor(self, store: str) -> tuple[float, float]:
        """The factor of a store's variance, and the degrees of freedom that it is known by."""
        return self.factors.get(store, (1.0, inf))

    def compare(self, store: str, other: str, comparisons: int = 1) -> Contrast | None:
        """A store's time over another's, one of so many comparisons with that other; None where
        nothing is left over to judge it by.
        """
        if not {store, other} <= set(self.stores) or self.freedom < 1:
            return None
        middle = float(self._signs(store, other) @ self.effects)
        error, freedom = self.spread(store, other)
        between = self.between if store != other else 0.0
        error, variance = sqrt(error + between), self.of_trial(store, other)
        return Contrast(middle, error, variance, freedom, between, comparisons)

    def alone(self, store: str) -> tuple[float, float, float]:
        """The mean of a store's logarithms, its variance and the degrees of freedom of that: 0 of
        single trials.
        """
        logs = self.logs[store]
        mean = sum(logs.values()) / len(logs)
        if self.freedom < 1:
            return mean, 0.0, 0
        own = np.array([each == store for each in self.stores], float)
        variance = self.variance * self.factor(store)[0] / len(logs)
        return mean, variance, min(self._freedom(own), MOST_FREEDOM)

    def each_by_itself(self) -> "Fit":
        """The same, each store with a variance of its own: where what one of them scatters says
        nothing of the others.
        """
        logs = [np.array(list(self.logs[store].values())) for store in self.stores]
        fewest = min(map(len, logs), default=0)
        if fewest < 2:
            return replace(self, freedom=0)
        own = [max(float(each.var(ddof=1)), moderated.LEAST) for each in logs]
        return replace(
            self,
            effects=np.array([each.mean() for each in logs]),
            solution=np.diag([1 / len(each) for each in logs]),
            variance=1.0,
            freedom=2 * (fewest - 1),
            factors={store: (each, inf) for store, each in zip(self.stores, own)},
            blocks=False,
        )

    def residuals(self) -> pd.DataFrame:
        """Return what is left over, a row for each store and a column for each round."""
        logs = pd.DataFrame(self.logs, columns=self.stores).T
        left = logs.sub(self.effects, axis=0)
        return left - left.mean()

    def _signs(self, store: str, other: str) -> np.ndarray:
        signs = np.zeros(len(self.stores))
        signs[self.stores.index(store)] = 1
        signs[self.stores.index(other)] -= 1
        return signs

    def _freedom(self, parts: np.ndarray) -> float:
        """The degrees of freedom of a sum of parts by store, which have the cell's variance in
        common.
        """
        shares = parts / parts.sum() if parts.sum() else parts
        if self.freedom < 1:
            return 0.0
        factors = sum(share**2 / self.factor(store)[1] for share, store in zip(shares, self.stores))
        doubt = 1 / self.freedom + float(factors)
        return 1 / doubt if doubt else inf


@dataclass(frozen=True)
class Mean:
    """The geometric mean of what some stores take in several cases, compared as in one: a log ratio
    is the mean of the cases', its variance that of their sum over the square of their number, its
    degrees of freedom Satterthwaite's (1946). Cases that one virtual machine measured have what is
    left over in common, as it shows. What a session adds is taken to be the same in
    each, as it comes from one machine and one kernel: it does not become less by more cases.

    fits      of the cases
    clusters  of each fit, whose trials are those of the same virtual machines: its section
    """

    fits: tuple[Fit, ...]
    stores: tuple[str, ...]
    clusters: tuple[str, ...]

    def effect(self, store: str) -> float:
        """A store's, in logarithms."""
        return sum(fit.effect(store) for fit in self.fits) / len(self.fits)

    def compare(self, store: str, other: str, comparisons: int = 1) -> Contrast | None:
        """A store's time over another's, as Fit has it."""
        if any(fit.freedom < 1 for fit in self.fits):
            return None
        many = len(self.fits)
        variances, freedoms = zip(*(fit.spread(store, other) for fit in self.fits))
        errors = np.sqrt(variances) / many
        variance = float(errors @ self._together @ errors)
        between = (sum(sqrt(fit.between) for fit in self.fits) / many) ** 2 * (store != other)
        spread = float((errors**4 / freedoms).sum())
        freedom = float((errors**2).sum()) ** 2 / spread if spread else MOST_FREEDOM
        of_trials = np.sqrt([fit.of_trial(store, other) for fit in self.fits]) / many
        of_trial = float(of_trials @ self._together @ of_trials)
        middle, error = self.effect(store) - self.effect(other), sqrt(variance + between)
        return Contrast(middle, error, of_trial, freedom, between, comparisons)

    @functools.cached_property
    def _together(self) -> np.ndarray:
        """The correlations of what is left over of the fits."""
        found = np.eye(len(self.fits))
        for one, other in combinations(range(len(self.fits)), 2):
            if self.clusters[one] == self.clusters[other]:
                left = self.fits[one].residuals(), self.fits[other].residuals()
                found[one, other] = found[other, one] = scatter.correlation(*left)
        return found


def fits(rows: pd.DataFrame, cell: Sequence[str], value: str = "ns_per_entry") -> dict[tuple, Fit]:
    """The fit of each cell that some columns tell apart, of rows as frames.results has them, the
    variances drawn together over all of them.
    """
    made = {
        key: fit_of(group, value)
        for key, group in rows.groupby(list(cell), sort=False, dropna=False)
    }
    return dict(zip(made, moderate(made.values())))


def fit_of(group: pd.DataFrame, value: str) -> Fit:
    """The fit of a cell, with the variance of what is a store and no second name of one: a flat
    file's says nothing of theirs.
    """
    whole = fit(trials_of(group, value))
    stores = fit(trials_of(group[~group["family"].isin(NO_STORES)], value))
    own = stores if stores.freedom else whole
    return replace(whole, variance=own.variance, freedom=own.freedom)


def trials_of(group: pd.DataFrame, value: str) -> dict[str, dict[int, float]]:
    """The values of a cell that succeeded, by store and trial."""
    found: dict[str, dict[int, float]] = {}
    columns = (group[name] for name in ("status", "store", "trial", value))
    for status, store, trial, ns in zip(*columns):
        if status == "ok" and ns > 0:
            found.setdefault(store, {})[int(trial)] = float(ns)
    return found


def fit(trials: Trials) -> Fit:
    """The least squares of one case and workload, its own variance yet."""
    stores = tuple(sorted(store for store, by_round in trials.items() if by_round))
    logs = {store: {each: log(ns) for each, ns in trials[store].items()} for store in stores}
    rounds = sorted({each for store in stores for each in trials[store]})
    size, (there, values) = len(stores), np.zeros((2, len(stores), len(rounds)))
    for at, store in enumerate(stores):
        places = np.searchsorted(rounds, list(logs[store]))
        there[at, places], values[at, places] = 1, list(logs[store].values())
    later = there[:, 1:]  # the first round's effect is none, as stores have theirs
    share = later / later.sum(axis=0)
    # the rounds' effects eliminated from the normal equations: few stores are left of many rounds
    normal = np.diag(there.sum(axis=1)) - share @ later.T
    inverse = np.linalg.pinv(normal)
    effects = inverse @ (values.sum(axis=1) - share @ values[:, 1:].sum(axis=0))
    of_rounds = np.zeros(len(rounds))
    of_rounds[1:] = (values - there * effects[:, None])[:, 1:].sum(axis=0) / later.sum(axis=0)
    rank = len(rounds[1:]) + (int(np.linalg.matrix_rank(normal)) if size else 0)
    freedom = int(there.sum()) - rank
    left = float((there * (values - effects[:, None] - of_rounds) ** 2).sum())
    return Fit(
        stores,
        logs,
        effects,
        inverse,
        there,
        max(left / freedom, moderated.LEAST) if freedom else 0.0,
        freedom,
    )


def moderate(fits: Iterable[Fit]) -> list[Fit]:
    """The same fits, each variance drawn towards what all have in common, and with the factors of
    the stores.
    """
    fits = list(fits)
    own = [(each.variance, each.freedom) for each in fits if each.freedom]
    drawn = zip(*moderated.pooled(*zip(*own))) if own else iter(())

    def pooled(each: Fit) -> Fit:
        variance, freedom = next(drawn)
        return replace(each, variance=float(variance), freedom=float(freedom))

    fits = [pooled(each) if each.freedom else each for each in fits]
    factors = scatter.factors(
        [each.residuals() / sqrt(each.variance) for each in fits if each.freedom]
    )
    return [replace(each, factors=factors) for each in fits]


def excess(pairs: Iterable[tuple[Fit, str, str]]) -> float:
    """The variance that A/A pairs (a fit, and the two names of one store) show beyond what their
    fits expect: 0 of none.
    """
    beyond = [
        float(fit._signs(one, other) @ fit.effects) ** 2 - fit.error(one, other)
        for fit, one, other in pairs
    ]
    return max(0.0, float(np.mean(beyond))) if beyond else 0.0


def changed(first: Fit, second: Fit, store: str, comparisons: int = 1) -> Contrast | None:
    """One store's time in a case and workload over its time in another, paired by trial; None where
    it has not two trials with both.
    """
    ratios = {
        each: {
            at: first.logs[each][at] - second.logs[each][at]
            for at in first.logs[each].keys() & second.logs[each].keys()
        }
        for each in first.logs.keys() & second.logs.keys()
    }
    own = ratios.get(store, {})
    if len(own) < 2:
        return None
    rounds = sorted(own)
    table = np.array(
        [[each[at] for at in rounds] for each in ratios.values() if own.keys() <= each.keys()]
    )
    variance, freedom = _two_way(table)
    between = max(first.between, second.between)
    error = sqrt(variance / len(rounds) + between)
    middle = float(np.mean(list(own.values())))
    return Contrast(middle, error, variance, freedom, between, comparisons)


def _two_way(table: np.ndarray) -> tuple[float, float]:
    """The variance of one value in a table of stores by rounds, around its store's mean over
    rounds, and its degrees of freedom.
    """
    stores, rounds = table.shape
    by_round = table.mean(0)
    of_rounds = stores * float(by_round.var(ddof=1))  # mean squares
    left = table - table.mean(1, keepdims=True) - by_round + table.mean()
    freedom = (stores - 1) * (rounds - 1)
    of_rest = float((left**2).sum()) / freedom if freedom else 0.0
    parts = of_rounds / stores, (stores - 1) * of_rest / stores
    spread = parts[0] ** 2 / (rounds - 1) + (parts[1] ** 2 / freedom if freedom else 0)
    degrees = max(1.0, sum(parts) ** 2 / spread) if spread else rounds - 1
    return max(sum(parts), moderated.LEAST), degrees
