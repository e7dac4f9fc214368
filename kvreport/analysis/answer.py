"""Which stores are best at each need (data.needs), and which of them nothing tells apart.

A need's cost is the geometric mean of what its cells cost, so that none counts more because its
entries are larger. Stores are compared with the best by the fits of the cells (analysis.model): the
log ratio is the mean of the cells', its variance the sum of theirs over the square of their number.
What a session adds is taken to be the same in each cell, as it comes from one machine and one
kernel: it does not become less by more cells. Degrees of freedom are Satterthwaite's (1946),
critical values Dunnett's. Space scatters by store: there each has a variance of its own.

A store shares the first rank where the interval of its ratio to the best reaches down to
model.MARGIN: a difference that may be as small as that is none to choose by. One that does so only
because its interval is wide has no rank: it is too noisy to place. Where that is so of all but the
best, the best has none either.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import exp, log, nan, sqrt

import numpy as np
import pandas as pd

from kvreport.analysis import costs, latency, model, moderated
from kvreport.analysis.results import STAND_FOR, SectionResults, of_case
from kvreport.data.needs import (
    CPU,
    FIRST_LOOK,
    ORDERED,
    PURE_JAVA,
    SPACE,
    TAIL,
    TIME,
    UPDATES,
    Cell,
    Need,
)

PERCENTILE = 99.9  # of TAIL
NOTHING = "nothing of it is measured"
LACKING = {
    ORDERED: "keeps its keys in no order",
    PURE_JAVA: "has native code",
    UPDATES: "is written once, and then made anew",
}


@dataclass(frozen=True)
class Place:
    """A store at a need: its cost over the best one's, with a 95% interval, NaN of single trials.

    tied    whether nothing tells it from the best
    noisy   whether that is for noise alone, so that it has no rank
    """

    store: str
    name: str
    ratio: float
    low: float = nan
    high: float = nan
    tied: bool = False
    noisy: bool = False


@dataclass(frozen=True)
class Ranking:
    """The stores at a need, the best first.

    left_out  why a store has no place, by name
    problem   why nobody has one; "" where somebody has
    trials    of each store, at least; sections: what was measured, of one machine and profile
    scatter   how a ratio to the best scatters; None of single trials
    """

    need: Need
    places: tuple[Place, ...] = ()
    left_out: Mapping[str, str] | None = None
    problem: str = ""
    trials: int = 0
    sections: tuple[str, ...] = ()
    scatter: model.Scatter | None = None

    @property
    def comparisons(self) -> int:
        """How many stores are compared with the best."""
        return max(1, len(self.places) - 1)

    @property
    def tells(self) -> float:
        """The smallest ratio to the best that would be told four times in five; NaN of single
        trials.
        """
        if self.scatter is None:
            return nan
        return self.scatter.smallest_ratio(self.trials, self.comparisons)

    def trials_needed(self, ratio: float) -> int | None:
        """How many trials of each would tell a ratio so; None where nobody would make so many, or
        nobody can say.
        """
        if self.scatter is None:
            return None
        return self.scatter.trials_needed(ratio, self.comparisons)

    @property
    def best(self) -> list[Place]:
        """Those that share the first rank."""
        return [place for place in self.places if place.tied and not place.noisy]

    @property
    def following(self) -> Place | None:
        """The first that is behind."""
        return next((place for place in self.places if not place.tied), None)

    def of(self, name: str) -> Place | None:
        """A store's place."""
        return next((place for place in self.places if place.name == name), None)


def rank(
    need: Need,
    sections: Mapping[str, SectionResults],
    lacks: Callable[[str, str], bool],
) -> Ranking:
    """Ranks the stores that all cells of a need have something of.

    sections  by name, those without measurements included
    lacks     whether a store (its id) is without what the need asks for
    """
    cells = _comparable(need, sections)
    if not cells:
        return Ranking(need, problem=NOTHING)
    fits, left_out = [], {}
    names: dict[str, str] = {}
    for cell in cells:
        section = sections[cell.section]
        names |= {store: engine_name(store, section.name(store)) for store in section.engines}
        fits.append(_fit(section, cell, need.measure))
    for store in list(names):
        reason = _reason(need, store, cells, fits, sections, lacks)
        if reason:
            left_out[names.pop(store)] = reason
    used = tuple(dict.fromkeys(cell.section for cell in cells))
    if not names:
        return Ranking(need, left_out=left_out, problem=NOTHING, sections=used)
    trials = min(len(fit.logs[store]) for fit in fits for store in names)
    places = _places(fits, names)
    if trials < 2:  # of some store, though others may have more
        places = tuple(
            replace(each, low=nan, high=nan, tied=each is places[0], noisy=False) for each in places
        )
        return Ranking(need, places, left_out, "", trials, used)
    return Ranking(need, places, left_out, "", trials, used, _scatter(fits, places))


def at_first_look(need: Need, sections: Mapping[str, SectionResults]) -> Need:
    """The need with its cells as the first look has them, where that has more trials of each store
    than the need's own sections on the same machine; else the need as it is.
    """
    first = sections.get(FIRST_LOOK)
    if not need.small or first is None or not first.measured:
        return need
    own = [
        section.trial_count
        if (section := sections.get(name)) is not None
        and section.measured
        and section.comparison_group == first.comparison_group
        else 0
        for name in need.sections
    ]
    cells = tuple(replace(cell, section=FIRST_LOOK) for cell in need.cells)
    there = any(_is_measured(first, cell) for cell in cells)
    return replace(need, cells=cells) if there and min(own) < first.trial_count else need


def engine_name(store: str, name: str) -> str:
    """What a store of that name is called where engines are compared: LMDB, by whichever binding
    stands for it.
    """
    return next((engine for engine, stores in STAND_FOR.items() if store in stores), name)


def _comparable(need: Need, sections: Mapping[str, SectionResults]) -> list[Cell]:
    """The need's cells that are measured, on the machine and at the profile of the first."""
    there = [
        cell
        for cell in need.cells
        if (section := sections.get(cell.section)) is not None
        and section.measured
        and _is_measured(section, cell)
    ]
    group = [sections[cell.section].comparison_group for cell in there]
    return [cell for cell, of in zip(there, group) if of == group[0]]


def _is_measured(section: SectionResults, cell: Cell) -> bool:
    rows = section.case(cell.case)
    there = set(rows[rows["status"] == "ok"]["workload"]) & set(cell.workloads)
    return there == set(cell.workloads) if cell.shares else bool(there)


def _fit(section: SectionResults, cell: Cell, measure: str) -> model.Fit:
    if measure == TIME and len(cell.workloads) == 1:
        return section.fits[(*cell.case, cell.workloads[0])]
    fit = model.fit(_trials(section, cell, measure))
    return _each_by_itself(fit) if measure == SPACE else replace(fit, between=section.between)


def _each_by_itself(fit: model.Fit) -> model.Fit:
    """The same, each store with a variance of its own: most take the same space in every trial, and
    what one of them scatters says nothing of the others.
    """
    logs = [np.array(list(fit.logs[store].values())) for store in fit.stores]
    fewest = min(map(len, logs), default=0)
    if fewest < 2:
        return replace(fit, freedom=0)
    own = np.array([each.var(ddof=1) / len(each) for each in logs])
    variance = max(float(own.mean()), moderated.LEAST)
    return replace(
        fit,
        effects=np.array([each.mean() for each in logs]),
        unscaled=np.diag(own / variance),
        variance=variance,
        freedom=2 * (fewest - 1),
    )


def _trials(section: SectionResults, cell: Cell, measure: str) -> dict[str, dict[int, float]]:
    """What a cell cost, by store and round."""
    if measure == SPACE:
        loads = of_case(section.loads, cell.case)
        return _by_round(loads, (loads["closed_bytes"] / loads["flat_bytes"]).astype(float))
    if measure == CPU:
        spent = costs.of_loads(section, cell.case)
        return _by_round(spent, spent[costs.CPU])
    rows = of_case(section.frame, cell.case)
    rows = rows[(rows["status"] == "ok") & rows["workload"].isin(cell.workloads)]
    if measure == TAIL:
        tails = [latency.parsed(singles).at(PERCENTILE) for singles in rows["singles"]]
        return _by_round(rows, tails)
    if cell.shares:
        return _by_round(*_mixed(rows, cell))
    medians = rows.groupby(["store", "workload"])["ns_per_entry"].median()
    quickest = medians.sort_values().reset_index().drop_duplicates("store")
    rows = rows.merge(quickest[["store", "workload"]], on=["store", "workload"])
    return _by_round(rows, rows["ns_per_entry"])


def _mixed(rows: pd.DataFrame, cell: Cell) -> tuple[pd.DataFrame, pd.Series]:
    """The trials that measured every operation of a mix, and what one of the mix takes in each."""
    each = rows.pivot_table(index=["store", "trial"], columns="workload", values="ns_per_entry")
    whole = each.reindex(columns=list(cell.workloads)).dropna()
    return whole.index.to_frame(index=False), (whole * list(cell.shares)).sum(axis=1)


def _by_round(rows: pd.DataFrame, values: Iterable[float]) -> dict[str, dict[int, float]]:
    found: dict[str, dict[int, float]] = {}
    for store, number, value in zip(rows["store"], rows["trial"], values):
        if value > 0:
            found.setdefault(store, {})[number] = float(value)
    return found


def _reason(
    need: Need,
    store: str,
    cells: list[Cell],
    fits: list[model.Fit],
    sections: Mapping[str, SectionResults],
    lacks: Callable[[str, str], bool],
) -> str:
    """Why a store has no place; "" where it has one."""
    for cell, fit in zip(cells, fits):
        section = sections[cell.section]
        if store not in section.engines:
            return f"not measured in {cell.section}"
        if need.only and lacks(store, need.only):
            return LACKING[need.only]
        if store not in fit.stores:
            rows = section.case(cell.case)
            rows = rows[(rows["store"] == store) & rows["workload"].isin(cell.workloads)]
            reasons = [each for each in rows["reason"] if isinstance(each, str) and each]
            return reasons[0] if reasons else "not measured"
    return ""


def _places(fits: list[model.Fit], names: Mapping[str, str]) -> tuple[Place, ...]:
    effects = {store: _mean(fits, store) for store in names}
    order = sorted(names, key=lambda store: (effects[store], names[store]))
    best = order[0]
    places = [Place(best, names[best], 1.0, 1.0, 1.0, tied=True)]
    for store in order[1:]:
        found = compare(fits, store, best, len(order) - 1)
        ratio = exp(effects[store] - effects[best])
        if found is None:
            places.append(Place(store, names[store], ratio))
            continue
        tied = found.low <= model.MARGIN
        noisy = tied and (ratio > model.PLACEABLE or found.high > model.WIDEST)
        places.append(Place(store, names[store], ratio, found.low, found.high, tied, noisy))
    if len(places) > 1 and all(place.noisy for place in places[1:]):
        places[0] = replace(places[0], noisy=True)
    return tuple(places)


def _scatter(fits: list[model.Fit], places: tuple[Place, ...]) -> model.Scatter | None:
    """How the ratio of the second to the best scatters, and so every other's."""
    if len(places) < 2:
        return None
    found = compare(fits, places[1].store, places[0].store)
    return found.scatter if found else None


def _mean(fits: list[model.Fit], store: str) -> float:
    return sum(fit.effect(store) for fit in fits) / len(fits)


def compare(
    fits: list[model.Fit], store: str, other: str, comparisons: int = 1
) -> model.Contrast | None:
    """The geometric mean of a store's cost over another's in several cells, one of so many
    comparisons with that other; None where a cell has nothing left over to judge it by.
    """
    if any(fit.freedom < 1 for fit in fits):
        return None
    many = len(fits)
    middle = _mean(fits, store) - _mean(fits, other)
    parts = [(fit.error(store, other) - fit.between) / many**2 for fit in fits]
    between = (sum(sqrt(fit.between) for fit in fits) / many) ** 2
    variance = sum(parts)
    spread = sum(part**2 / fit.freedom for part, fit in zip(parts, fits))
    freedom = variance**2 / spread if spread else 1e6
    scatter = model.Scatter(sum(2 * fit.variance for fit in fits) / many**2, freedom, between)
    return model.contrast(middle, sqrt(variance + between), scatter, comparisons)


def order(rankings: Mapping[str, Ranking]) -> list[str]:
    """The stores' names by what they are good for: at how many needs nothing is better, then by
    their mean log ratio.
    """
    ratios: dict[str, list[float]] = {}
    firsts: Counter[str] = Counter()
    for ranking in rankings.values():
        for place in ranking.places:
            ratios.setdefault(place.name, []).append(log(place.ratio))
            firsts[place.name] += place in ranking.best
    return sorted(
        ratios, key=lambda name: (-firsts[name], sum(ratios[name]) / len(ratios[name]), name)
    )
