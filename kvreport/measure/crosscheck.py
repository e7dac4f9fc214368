"""The harness checked against JMH, a kernel of its own for each store against one that measured
other stores before, and a pass timed by hand against a trial's.

The same adapters and data, a few cases of each, are measured in several ways
(measure.crosscheck_drivers), in shuffled order in each round: by JMH in its own forks, in a fresh
kernel, in another one (an A/A control), by the cell with which a notebook times a store by hand,
and in a kernel that all of these stores share. Where the fresh kernel is biased for certain, that
workload is measured in one more way, alone in a kernel, as a fork of JMH has it. The values are
kept beside a run's trials, in data/runs/<run>/crosscheck.json.
"""

import random
from collections.abc import Callable, Sequence

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import write_json
from kvreport.base.terminal import Terminal
from kvreport.data import extra_measurements, runs
from kvreport.data.cases import Case
from kvreport.data.extra_measurements import AGAIN, ALONE, HAND, ISOLATED, JMH, OF_STORE, SHARED
from kvreport.measure.crosscheck_drivers import (
    CHECKED,
    SECTION,
    VERSION,
    Conditions,
    Values,
    by_hand,
    jmh,
    kernel,
)
from kvreport.measure.launcher import interruptible
from kvreport.measure.machine_lock import alone
from kvreport.toolchain import availability
from kvreport.toolchain import fingerprint as tokens
from kvreport.toolchain.catalogue import catalog
from kvreport.toolchain.stores import Built, build

# the baseline, and stores of each family: a tree that is mapped and one on the heap, trees of
# sorted tables, a tree in a log, a hash table
STORES = ("FlatFile", "LmdbJavaBb", "MvStore", "RocksDb", "Xodus", "ChronicleMap")
CASES = (Case("int", "random"), Case("string", "sequential", 2026))
FORKS, ORDERS = 5, 6  # rounds; orders that are tried of stores that share a kernel
console = Terminal()

Biased = Callable[[dict], list[tuple[str, int, str]]]


def measure_crosscheck(name: str, stores: list[str] | None, biased: Biased) -> None:
    """Measures what a run lacks of the check, a round at a time, and keeps each round as it ends.

    `biased` names the stores, cases (by number) and workloads that differ from JMH for certain:
    these are measured alone, too. Raises UserError.
    """
    environment, known = runs.load(name, SECTION).environment, catalog()
    profile = environment["profile"]
    conditions = Conditions(profile, environment["seed"], known["profiles"][profile], known)
    ids = _chosen(stores, conditions)
    built = build([paths.CROSS_CHECK])[paths.CROSS_CHECK.stem]
    if built.failed:
        raise UserError(f"The JMH benchmarks do not build: {built.failed}")
    found = _continued(name, ids, conditions)
    file = extra_measurements.crosscheck_file(name)
    with interruptible(), alone():
        while found["rounds"] < FORKS:
            _round(found, ids, built, conditions)
            write_json(file, found)
        for store, at, workload in biased(found):
            alone_there = found["stores"][store]["cases"][at].setdefault(ALONE, {})
            while (made := len(alone_there.get(workload, []))) < FORKS:
                console.print(
                    f"{conditions.stores[store]['name']} is biased at {workload} ({CASES[at]});"
                    f" that alone, {made + 1} of {FORKS}"
                )
                _add(found, ALONE, kernel([store], [workload], [CASES[at]], conditions), at)
                write_json(file, found)
    console.print(f"The cross-check is in {paths.shown(file)}; `make render` shows it.")


def _chosen(stores: list[str] | None, conditions: Conditions) -> list[str]:
    """The stores to check: those that are named, or those of STORES that there are, without those
    that are n/a here. Raises UserError where there is none.
    """
    ids = stores or [store for store in STORES if store in conditions.stores]
    for store in ids:
        if store not in conditions.stores:
            known = ", ".join(conditions.stores)
            raise UserError(f"There is no store {store} to check; there are {known}.")
    lacking = {store: availability.missing(conditions.known, store) for store in ids}
    for store, missing in lacking.items():
        if missing:
            console.print(f"{conditions.stores[store]['name']} is {availability.NA}{missing}.")
    if ids and all(lacking.values()):
        raise UserError("None of these stores can run here: name another.")
    return [store for store in ids if not lacking[store]]


def _continued(run: str, ids: list[str], conditions: Conditions) -> dict:
    """Return what the run has of this check; an empty one where that was of other code, cases or
    stores.
    """
    found = extra_measurements.crosscheck(run)
    code = fingerprint()
    scripts = {store: conditions.stores[store]["code"] for store in ids}
    cases = [
        {
            "keys": case.keys,
            "order": case.order,
            "value_bytes": case.value_bytes,
            "entries": conditions.entries(case),
        }
        for case in CASES
    ]
    if (
        found
        and (found.get("code"), found["cases"]) == (code, cases)
        and {store: of["code"] for store, of in found["stores"].items()} == scripts
    ):
        return found
    return {
        "format": extra_measurements.CHECK_FORMAT,
        "code": code,
        "profile": conditions.profile,
        "jmh": VERSION,
        "rounds": 0,
        "cases": cases,
        "stores": {
            store: {what: conditions.stores[store][what] for what in OF_STORE}
            | {"cases": [{} for _ in CASES]}
            for store in ids
        },
    }


def _round(found: dict, ids: Sequence[str], built: Built, conditions: Conditions) -> None:
    """Measures each store once in each way, in an order of its own. In the shared kernel each
    store comes after others, and not always the same.
    """
    order = random.Random(conditions.seed + found["rounds"])
    turns = [(store, way) for store in ids for way in (JMH, ISOLATED, AGAIN, HAND)]
    turns.append(("", SHARED))
    order.shuffle(turns)
    measured = []
    for store, way in turns:
        name = conditions.stores[store]["name"] if store else "all of them"
        console.print(f"Round {found['rounds'] + 1} of {FORKS}: {name}, {way}")
        if way == JMH:
            of = conditions.stores[store]
            values = {store: [jmh(built, of, case, conditions) for case in CASES]}
        elif way == HAND:  # of one case: what a cell and its kernel add is none of the data's
            values = {store: [by_hand(conditions.stores[store], CASES[0], conditions)]}
        elif store:
            values = kernel([store], CHECKED, CASES, conditions)
        else:
            values = _shared(ids, order, conditions)
        measured.append((way, values))
    for way, values in measured:  # a round that is broken off leaves nothing of itself
        _add(found, way, values)
    found["rounds"] += 1


def _shared(ids: Sequence[str], order: random.Random, conditions: Conditions) -> Values:
    """The times in a kernel that all stores share. What those before a store leave on the heap may
    be too much for it: they are then measured in another order.
    """
    for _ in range(ORDERS - 1):
        try:
            return kernel(order.sample(ids, len(ids)), CHECKED, CASES, conditions)
        except UserError as problem:
            console.print(f"{problem} They are measured in another order.")
    return kernel(order.sample(ids, len(ids)), CHECKED, CASES, conditions)


def fingerprint() -> str:
    """The hash of the benchmarks and of what is checked: figures of others cannot stand beside
    theirs.
    """
    codes = tokens.workloads()
    benchmarks = {"benchmarks": tokens.digest([paths.CROSS_CHECK])}
    return tokens.timed_path(benchmarks | {workload: codes[workload] for workload in CHECKED})


def _add(found: dict, way: str, measured: Values, first: int = 0) -> None:
    """Puts one value, in ns an entry, beside the others of its store, case, way and workload; what
    was measured begins with the case of that number.
    """
    for store, cases in measured.items():
        for at, workloads in enumerate(cases, first):
            for workload, ns in workloads.items():
                ways = found["stores"][store]["cases"][at]
                ways.setdefault(way, {}).setdefault(workload, []).append(ns)
