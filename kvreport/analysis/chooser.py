"""What a mix of operations costs in each store, for the chooser of the first page.

The cost of an operation of a mix is the sum over get, put and scan of its share times what one
takes. Between two measured sizes of values the logarithm of a time is interpolated over the
logarithm of the size; nothing is extrapolated. The interval of a sum follows from its parts' by the
delta method, its degrees of freedom are Satterthwaite's (1946). Stores are compared with the best
as analysis.ranking does it, but that the errors of two stores are taken to be independent.

report/theme/ranking.js computes the same on the page from the same table;
tests/test_chooser_page.py holds the two to each other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import exp, log, sqrt
from typing import Any, NamedTuple

from kvreport.analysis import contrast
from kvreport.analysis.contrast import MARGIN
from kvreport.analysis.measured import Measured
from kvreport.analysis.model import Fit
from kvreport.analysis.ranking import FASTEST, LEVEL, NOISY, SINGLE, SLOWER
from kvreport.data.cases import Case

GET, PUT, SCAN = ("get", "put", "scan")
WORKLOADS = {GET: "readKeyXxh64", PUT: "write", SCAN: "readXxh64"}  # that touch every byte
NONE, PROCESS, COMMIT = ("none", "process", "commit")  # what a put survives
MEMORY, BEYOND = ("memory", "beyond")  # data that fit, and four times as much
LEVELDB_PAGE, BEYOND_MEMORY = "07-leveldb-page", "15-beyond-memory"
FREEDOMS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 40, 1e6)  # of the critical values in the table
PAGE = {  # settings of the LevelDB page's cases in which each put is committed
    f"sync={sync}, batch=1, compression=default, memory=4": tier
    for sync, tier in (("os", PROCESS), ("on", COMMIT))
}


class Query(NamedTuple):
    """What a program does.

    keys         "int" or "string";  order: "sequential" or "random", of keys
    value_bytes  of every value
    shares       of operations, which add up to 1: get, put, scan (one entry of it)
    tier         NONE, PROCESS or COMMIT: what a put has to survive
    regime       MEMORY or BEYOND
    """

    keys: str
    order: str
    value_bytes: float
    shares: Mapping[str, float]
    tier: str = NONE
    regime: str = MEMORY


class Estimate(NamedTuple):
    """The logarithm of a time in ns, its variance and the degrees of freedom of that: 0 of single
    trials.
    """

    log: float
    variance: float
    freedom: float


@dataclass(frozen=True)
class Ranked:
    """A store's cost of an operation of the mix, ns, with its interval, and its ratio to the best
    one's with its own; None of single trials. verdict: as analysis.ranking has it.
    """

    store: str
    cost: float
    low: float | None
    high: float | None
    ratio: float
    ratio_low: float | None
    ratio_high: float | None
    verdict: str


@dataclass
class Table:
    """What was measured, as the page has it too.

    points    by keys, order, tier, regime and operation (`key`), and store: [value_bytes, log ns,
              variance, degrees of freedom] each, by size
    space     by keys and order, and store: [value_bytes, bytes on disk per byte of data] each
    between   the variance that a session adds to a difference
    critical  contrast.critical by comparisons (from 1) and FREEDOMS
    sections  what it is from
    """

    points: dict[str, dict[str, list[list[float]]]] = field(default_factory=dict)
    space: dict[str, dict[str, list[list[float]]]] = field(default_factory=dict)
    between: float = 0.0
    critical: list[list[float]] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return vars(self) | {"freedoms": FREEDOMS, "margin": MARGIN}


def key(keys: str, order: str, tier: str, regime: str, operation: str) -> str:
    """Of a table's points. What a put survives changes no get and no scan."""
    return "|".join((keys, order, tier if operation == PUT else NONE, regime, operation))


def table(sections: Iterable[Measured]) -> Table:
    """Return what some sections measured of single operations, on the machine and at the profile of
    the first that has anything.
    """
    made, group = Table(), None
    for section in sections:
        if group in (None, section.group) and _add(made, section):
            group = section.group
            made.between = max(made.between, section.between)
            made.sections.append(section.section)
    for points in (*made.points.values(), *made.space.values()):
        for each in points.values():
            each.sort()
    stores = {store for points in made.points.values() for store in points}
    made.critical = [
        [contrast.critical(many, freedom) for freedom in FREEDOMS]
        for many in range(1, max(2, len(stores)))
    ]
    return made


def tables(sections: Iterable[Measured]) -> list[Table]:
    """A table for each machine and profile that some sections were measured at, in their order:
    what is measured on two is in no sum.
    """
    groups: dict[tuple, list[Measured]] = {}
    for section in sections:
        groups.setdefault(section.group, []).append(section)
    made = [table(group) for group in groups.values()]
    return [each for each in made if each.sections] or [Table()]


def _add(made: Table, section: Measured) -> bool:
    """Puts a section's times and sizes into a table; tells whether there are any."""
    found = False
    operations = {workload: operation for operation, workload in WORKLOADS.items()}
    for (*labels, workload), fit in section.fits.items():
        case, operation = Case(*labels), operations.get(workload)
        place = _place(section.section, case)
        if place is None or operation is None or (operation != PUT and place[0] != NONE):
            continue
        points = made.points.setdefault(key(case.keys, case.order, *place, operation), {})
        for store in fit.stores:
            if store in section.engines:
                points.setdefault(section.engines[store], []).append(_point(fit, store, case))
                found = True
        if operation == PUT and place == (NONE, MEMORY):
            _add_sizes(made, section, case)
    return found


def _place(section: str, case: Case) -> tuple[str, str] | None:
    """The tier and the regime of a case; None for one that is no plain case of single stores."""
    if section == BEYOND_MEMORY and not case.settings:
        return NONE, BEYOND
    if section == LEVELDB_PAGE:
        return (PAGE[case.settings], MEMORY) if case.settings in PAGE else None
    plain = not case.settings and case.content == "random" and case.order != "dense"
    return (NONE, MEMORY) if plain else None


def _point(fit: Fit, store: str, case: Case) -> list[float]:
    return [case.value_bytes, *(float(f"{number:.6g}") for number in fit.alone(store))]


def _add_sizes(made: Table, section: Measured, case: Case) -> None:
    rows = section.of(case)
    loads = rows[(rows["workload"] == WORKLOADS[PUT]) & rows["closed_bytes"].notna()]
    sizes = (loads["closed_bytes"] / loads["flat_bytes"]).groupby(loads["store"]).median()
    for store, size in sizes.items():
        if store in section.engines:
            of = made.space.setdefault(f"{case.keys}|{case.order}", {})
            name = section.engines[store]
            of.setdefault(name, []).append([case.value_bytes, round(size, 4)])


# --- arithmetic, the same in ranking.js ---


def at_size(points: list[list[float]], value_bytes: float) -> Estimate | None:
    """The time at a size of values: interpolated between two that were measured, None outside."""
    for low, high in zip(points, points[1:] or points):
        if low[0] <= value_bytes <= high[0]:
            share = log(value_bytes / low[0]) / log(high[0] / low[0]) if high[0] > low[0] else 0.0
            weights = 1 - share, share
            parts = [weight**2 * each[2] for weight, each in zip(weights, (low, high))]
            single = any(w and not each[3] for w, each in zip(weights, (low, high)))
            return Estimate(
                weights[0] * low[1] + weights[1] * high[1],
                sum(parts),
                0 if single else satterthwaite(parts, [low[3], high[3]]),
            )
    return None


def satterthwaite(parts: list[float], freedoms: list[float]) -> float:
    """The degrees of freedom of a sum of variances."""
    spread = sum(part**2 / freedom for part, freedom in zip(parts, freedoms) if freedom)
    return min(sum(parts) ** 2 / spread, FREEDOMS[-1]) if spread else FREEDOMS[-1]


def cost(table: Table, query: Query, store: str) -> Estimate | None:
    """Return what an operation of a mix takes a store; None where a part of it is not measured."""
    found = {}
    for operation, share in query.shares.items():
        if share > 0:
            of = key(query.keys, query.order, query.tier, query.regime, operation)
            points = table.points.get(of, {}).get(store)
            estimate = at_size(points, query.value_bytes) if points else None
            if estimate is None:
                return None
            found[operation] = estimate
    total = sum(query.shares[each] * exp(found[each].log) for each in found)
    if not total:
        return None
    parts = [
        (query.shares[name] * exp(each.log) / total) ** 2 * each.variance
        for name, each in found.items()
    ]
    single = any(not each.freedom for each in found.values())
    freedoms = [each.freedom for each in found.values()]
    return Estimate(log(total), sum(parts), 0 if single else satterthwaite(parts, freedoms))


def critical(table: Table, comparisons: int, freedom: float) -> float:
    """Dunnett's critical value: the table's, linear in 1 / freedom between its columns."""
    row = table.critical[min(max(comparisons, 1), len(table.critical)) - 1]
    at = max(freedom, FREEDOMS[0])
    for (low, first), (high, second) in zip(zip(FREEDOMS, row), zip(FREEDOMS[1:], row[1:])):
        if at <= high:
            share = (1 / low - 1 / at) / (1 / low - 1 / high)
            return first + share * (second - first)
    return row[-1]


def rank(table: Table, query: Query, able: Iterable[str]) -> list[Ranked]:
    """Stores by the cost of a mix, the best first; those that have all of it measured."""
    costs = {store: found for store in able if (found := cost(table, query, store))}
    ranked = sorted(costs, key=lambda store: (costs[store].log, store))
    if not ranked:
        return []
    best = costs[ranked[0]]
    first, *others = [
        _ranked(table, store, costs[store], best, len(ranked) - 1, is_best=store == ranked[0])
        for store in ranked
    ]
    verdicts = [each.verdict for each in others]
    if SINGLE in verdicts[:1]:
        return [replace(each, verdict=SINGLE) for each in (first, *others)]
    if 2 * verdicts.count(NOISY) > len(others) - verdicts.count(SINGLE):
        first = replace(first, verdict=NOISY)
    return [first, *others]


def _ranked(
    table: Table, store: str, own: Estimate, best: Estimate, comparisons: int, is_best: bool
) -> Ranked:
    ns, ratio = exp(own.log), exp(own.log - best.log)
    if not own.freedom or not best.freedom:
        return Ranked(store, ns, None, None, ratio, None, None, FASTEST if is_best else SINGLE)
    reach = critical(table, 1, own.freedom) * sqrt(own.variance)
    interval = ns * exp(-reach), ns * exp(reach)
    if is_best:
        return Ranked(store, ns, *interval, 1.0, 1.0, 1.0, FASTEST)
    freedom = satterthwaite([own.variance, best.variance], [own.freedom, best.freedom])
    error = sqrt(own.variance + best.variance + table.between)
    apart = critical(table, comparisons, freedom) * error
    low, high = ratio * exp(-apart), ratio * exp(apart)
    verdict = SLOWER if low > MARGIN else LEVEL if high <= MARGIN else NOISY
    return Ranked(store, ns, *interval, ratio, low, high, verdict)
