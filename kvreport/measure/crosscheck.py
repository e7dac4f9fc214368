"""The harness checked against JMH, a kernel of its own for each store against one that measured
other stores before, and a pass timed by hand against a trial's.

The same adapters and data are measured in four ways, in turns: by JMH in its own forks, in a fresh
kernel, in a kernel that all of these stores share, and by the cell with which a notebook times a
store by hand. Where the fresh kernel is biased for certain, that workload is measured in a fifth
way, alone in a kernel, as a fork of JMH has it. The values are kept beside a run's trials, in
data/runs/<run>/crosscheck.json.
"""

import contextlib
import json
import statistics
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpec

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.scratch import scratch
from kvreport.base.terminal import Terminal
from kvreport.data import runs, sidecars
from kvreport.data.cases import WORKLOADS
from kvreport.data.sidecars import ALONE, HAND, ISOLATED, JMH, SHARED
from kvreport.measure import jvm
from kvreport.measure.alone import alone
from kvreport.measure.kernel import from_archive, measuring, spec
from kvreport.measure.launcher import interruptible
from kvreport.toolchain import fingerprint as tokens
from kvreport.toolchain import libraries
from kvreport.toolchain.jdk import find_jdk
from kvreport.toolchain.stores import Built, build, catalog, union, write

STORES = ("FlatFile", "LmdbJavaBb", "LevelDbJni", "RocksDb", "MvStore")
VERSION = "1.37"
FORKS, VALUE_BYTES = 5, 100
SECTION = "crosscheck"
LIMIT_SECONDS = 1_800  # of a kernel, or of all JMH forks of a store in a round
IMPORTS = "import kv.cli.*;\nimport kv.store.*;\nimport kv.trial.*;"
console = Terminal()

Biased = Callable[[dict], list[tuple[str, str]]]
Values = dict[str, dict[str, float]]  # ns an entry, by store and workload


@dataclass(frozen=True)
class Conditions:
    """What all ways of measuring share: the run's profile and seed, the profile's numbers, and the
    catalogue.
    """

    profile: str
    seed: int
    settings: dict[str, Any]
    known: dict[str, Any]

    @property
    def stores(self) -> dict[str, dict]:
        return self.known["stores"]


def measure(run: str | None, stores: list[str] | None, biased: Biased) -> None:
    """Measures what a run lacks of the check, a round at a time, and keeps each round as it ends.

    `biased` names the stores and workloads that differ from JMH for certain: these are measured
    alone, too. Raises UserError.
    """
    name = run or runs.selected_run()
    environment, known = runs.load(name, SECTION).environment, catalog()
    profile = environment["profile"]
    conditions = Conditions(profile, environment["seed"], known["profiles"][profile], known)
    ids = _chosen(stores, conditions)
    built = build([paths.CROSS_CHECK])[paths.CROSS_CHECK.stem]
    if built.failed:
        raise UserError(f"The JMH benchmarks do not build: {built.failed}")
    found = _continued(name, ids, conditions)
    file = sidecars.crosscheck_file(name)
    with interruptible(), alone():
        while found["rounds"] < FORKS:
            _round(found, ids, built, conditions)
            write(file, found)
        for store, workload in biased(found):
            while (made := len(found["stores"][store].get(ALONE, {}).get(workload, []))) < FORKS:
                console.print(
                    f"{conditions.stores[store]['name']} is biased at {workload}; that alone,"
                    f" {made + 1} of {FORKS}"
                )
                add(found, ALONE, kernel([store], [workload], conditions))
                write(file, found)
    console.print(f"The cross-check is in {paths.shown(file)}; `make render` shows it.")


def _chosen(stores: list[str] | None, conditions: Conditions) -> list[str]:
    """The stores to check: those that are named, or those of STORES that there are."""
    ids = stores or [store for store in STORES if store in conditions.stores]
    for store in ids:
        if store not in conditions.stores:
            known = ", ".join(conditions.stores)
            raise UserError(f"There is no store {store} to check; there are {known}.")
    return ids


def _continued(run: str, ids: list[str], conditions: Conditions) -> dict:
    """What the run has of this check; an empty one where that was of other code or stores."""
    found = sidecars.crosscheck(run)
    code = fingerprint()
    scripts = {store: conditions.stores[store]["code"] for store in ids}
    if (
        found
        and found.get("code") == code
        and {store: of["code"] for store, of in found["stores"].items()} == scripts
    ):
        return found
    return {
        "format": 1,
        "code": code,
        "profile": conditions.profile,
        "entries": conditions.settings["entries"],
        "value_bytes": VALUE_BYTES,
        "jmh": VERSION,
        "rounds": 0,
        "stores": {
            store: {
                "code": scripts[store],
                "name": conditions.stores[store]["name"],
                "colour": conditions.stores[store]["colour"],
            }
            for store in ids
        },
    }


def _round(found: dict, ids: list[str], built: Built, conditions: Conditions) -> None:
    """Measures every store once in each way. In the shared kernel each store comes after others,
    and not always the same.
    """
    turn = found["rounds"] % len(ids)
    order = ids[turn:] + ids[:turn]
    for store in order:
        of = conditions.stores[store]
        console.print(f"Round {found['rounds'] + 1} of {FORKS}: {of['name']}")
        add(found, JMH, jmh(built, of, conditions.settings))
        add(found, ISOLATED, kernel([store], WORKLOADS, conditions))
        add(found, HAND, by_hand(of, conditions))
    add(found, SHARED, kernel(order, WORKLOADS, conditions))
    found["rounds"] += 1


def fingerprint() -> str:
    """Of the benchmarks and the timed path: figures of others cannot stand beside theirs."""
    timed = [file for name in tokens.TIMED for file in (paths.JBANG_KV / name).glob("*.java")]
    return tokens.digest([paths.CROSS_CHECK, *sorted(timed)])


def add(found: dict, way: str, measured: Values) -> None:
    """Puts one value, in ns an entry, beside the others of its store, way and workload."""
    for store, workloads in measured.items():
        for workload, ns in workloads.items():
            found["stores"][store].setdefault(way, {}).setdefault(workload, []).append(ns)


def supported(store: dict) -> list[str]:
    """The workloads that a store of the catalogue supports."""
    return [workload for workload in WORKLOADS if workload not in store["unsupported"]]


def jmh(built: Built, store: dict, settings: dict) -> Values:
    """One fork of each workload that the store supports: the median of its iterations."""
    with scratch(paths.WORK) as work:
        result = work / "jmh.json"
        command = _jmh_command(built, store, settings, work, result)
        try:
            ran = jvm.run(command, work, LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            raise UserError(f"JMH took more than {LIMIT_SECONDS} s with {store['name']}.") from None
        if ran.returncode or not result.exists():
            lines = (ran.stderr or ran.stdout).strip().splitlines() or ["it printed nothing"]
            raise UserError(f"JMH does not measure {store['name']}: {lines[-1]}")
        return {store["id"]: parsed(result.read_text(), settings["entries"])}


def _jmh_command(built: Built, store: dict, settings: dict, work: Path, result: Path) -> list[str]:
    """JMH's command line: one fork, whose iterations go into the file `result`."""
    options, class_path = union(
        [{"runtime_options": built.runtime_options, "class_path": built.class_path}, store]
    )
    iteration_ms = 1000 * settings["measure_seconds"] / settings["iterations"]
    jmh_options = {
        "-f": 1,
        "-wi": 1,
        "-w": f"{max(1, round(1000 * settings['warmup_seconds']))}ms",
        "-i": settings["iterations"],
        "-r": f"{max(1, round(iteration_ms))}ms",
        "-foe": "true",
        "-v": "SILENT",
        "-rf": "json",
        "-rff": result,
    }
    parameters = {
        "store": store["id"],
        "entries": settings["entries"],
        "valueBytes": VALUE_BYTES,
    }
    return [
        str(find_jdk().java),
        *options,
        *jvm.heap(settings["heap"]),
        f"-Dkv.work={work}",
        f"-Djava.io.tmpdir={work}",
        "-cp",
        libraries.class_path(class_path),
        "org.openjdk.jmh.Main",
        rf"jmh\.CrossCheck\.({'|'.join(supported(store))})$",
        *(word for name, value in parameters.items() for word in ("-p", f"{name}={value}")),
        *(str(word) for option in jmh_options.items() for word in option),
    ]


def parsed(result: str, entries: int) -> dict[str, float]:
    """ns an entry by workload, from JMH's JSON: the median of the iterations of its one fork, whose
    unit is ns a pass.
    """
    return {
        each["benchmark"].rpartition(".")[2]: (
            statistics.median(each["primaryMetric"]["rawData"][0]) / entries
        )
        for each in json.loads(result)
    }


def kernel(stores: list[str], workloads: Iterable[str], conditions: Conditions) -> Values:
    """The median pass of each of these workloads, in one kernel that measures these stores one
    after the other, as a trial does.
    """
    chosen = [conditions.stores[store] for store in stores]
    named = ", ".join(f"Workload.named({json.dumps(each)})" for each in workloads)
    cells = (
        IMPORTS,
        'var notebook = Notebook.of("quick");',
        (
            f'notebook.measure(Section.of("{SECTION}").cases(List.of({named}), new'
            f" CaseSpec(KeyKind.INT, Order.RANDOM, notebook.profile().entries, {VALUE_BYTES})));"
        ),
    )
    with scratch(paths.WORK) as work:
        variables = {
            "KV_STORES": ",".join(stores),
            "KV_PROFILE": conditions.profile,
            "KV_SEED": str(conditions.seed),
            "KV_MODE": SHARED if len(stores) > 1 else ISOLATED,
            "KV_RUN_DIR": str(work / "run"),
            "KV_WORK_DIR": str(work),
        }
        _execute(
            measuring(chosen, work, conditions.settings["heap"]), variables, cells, work, stores
        )
        return {
            store: passes(json.loads((work / "run" / SECTION / f"{store}-1.json").read_text()))
            for store in stores
        }


def by_hand(store: dict, conditions: Conditions) -> Values:
    """The median pass of each workload that the store supports, timed as a reader times it: by a
    cell of its own each, in one kernel as JupyterLab starts it, with every store on its class path
    and the heap that the JVM chooses.
    """
    workloads = supported(store)
    options, class_path = union(conditions.stores.values())
    case = (
        f"var example = new CaseSpec(KeyKind.INT, Order.RANDOM, {conditions.settings['entries']},"
        f" {VALUE_BYTES});"
    )
    with scratch(paths.WORK) as work:
        cells = [IMPORTS, case]
        cells += [_hand_cell(store["id"], each, conditions.profile) for each in workloads]
        flags = [*from_archive(work), f"-Djava.io.tmpdir={work}"]
        lab = spec("Java", options, class_path, *flags)
        _execute(lab, {"KV_WORK_DIR": str(work)}, cells, work, [store["id"]])
        return {store["id"]: {each: float((work / each).read_text()) for each in workloads}}


def _hand_cell(store: str, workload: str, profile: str) -> str:
    """Times a workload as a cell of a measure notebook does, and leaves ns an entry in a file."""
    return (
        f'try (var bench = Bench.open(Notebook.store("{store}"), example,'
        f' Profile.named("{profile}"))) {{\n'
        f'    double ns = bench.time("{workload}").nsPerEntry();\n'
        f'    java.nio.file.Files.writeString(java.nio.file.Path.of("{workload}"), "" + ns);\n'
        "}"
    )


def _execute(
    spec: KernelSpec,
    variables: dict[str, str],
    cells: Iterable[str],
    work: Path,
    stores: list[str],
) -> None:
    """Runs cells in a kernel of its own. Raises UserError where one fails."""
    try:
        with (
            open(work / "kernel.log", "wb") as log,
            jvm.started(spec, variables, work, log) as manager,
            contextlib.closing(
                jvm.Kernel(manager, log, LIMIT_SECONDS, "", lambda _: None)
            ) as session,
        ):
            session.wait()
            for cell in cells:
                session.execute(cell)
    except jvm.Failure as failure:
        raise UserError(f"The kernel of {', '.join(stores)} failed: {failure}.") from None


def passes(trial: dict) -> dict[str, float]:
    """ns an entry by workload: the median pass of a trial of one case."""
    return {
        result["workload"]: statistics.median(result["iteration_ns"]) / result["entries"]
        for result in trial["cases"][0]["results"]
        if result["status"] == "ok"
    }
