"""The harness checked against JMH, and a kernel of its own for each store against one that measured
other stores before.

The same adapters and data are measured in three ways, in turns: by JMH in its own forks, in a fresh
kernel, and in a kernel that all of these stores share. Where the fresh kernel is certainly biased,
that workload is measured in a fourth way, alone in a kernel, as a fork of JMH has it. What they
give is kept beside a run's trials, in data/runs/<run>/crosscheck.json.
"""

import contextlib
import hashlib
import json
import os
import statistics
import subprocess
from collections.abc import Callable, Sequence

from rich.console import Console

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.scratch import scratch
from kvreport.data import runs, sidecars
from kvreport.data.cases import WORKLOADS
from kvreport.data.sidecars import ALONE, ISOLATED, JMH, SHARED
from kvreport.measure import jvm
from kvreport.measure.kernel import measuring
from kvreport.measure.launcher import interruptible
from kvreport.toolchain import fingerprint
from kvreport.toolchain.jdk import find_jdk
from kvreport.toolchain.stores import Built, build, catalog, union, write

STORES = ("FlatFile", "LmdbJavaBb", "LevelDbJni", "RocksDb", "MvStore")
VERSION = "1.37"
FORKS, VALUE_BYTES = 5, 100
SECTION = "crosscheck"
LIMIT_SECONDS = 1_800  # of a kernel, or of all JMH forks of a store in a round
console = Console(stderr=True, highlight=False)


Biased = Callable[[dict], list[tuple[str, str]]]


def measure(run: str | None, stores: list[str] | None, biased: Biased) -> None:
    """Measures what a run lacks of the check, a round at a time, and keeps each round as it ends.

    `biased` names the stores and workloads that differ from JMH for certain: these are measured
    alone, too. Raises UserError.
    """
    name = run or runs.selected_run()
    environment, known = runs.load(name, SECTION).environment, catalog()
    for store in (ids := stores or [store for store in STORES if store in known["stores"]]):
        if store not in known["stores"]:
            raise UserError(
                f"There is no store {store} to check; there are {', '.join(known['stores'])}."
            )
    built = build([paths.CROSS_CHECK])[paths.CROSS_CHECK.stem]
    if built.failed:
        raise UserError(f"The JMH benchmarks cannot be built: {built.failed}")
    settings = known["profiles"][environment["profile"]]
    found = sidecars.crosscheck(name)
    code, scripts = stamp(), {store: known["stores"][store]["code"] for store in ids}
    if (
        not found
        or found.get("code") != code
        or {store: of["code"] for store, of in found["stores"].items()} != scripts
    ):
        found = {
            "format": 1,
            "code": code,
            "profile": environment["profile"],
            "entries": settings["entries"],
            "value_bytes": VALUE_BYTES,
            "jmh": VERSION,
            "rounds": 0,
            "stores": {
                store: {
                    "code": scripts[store],
                    "name": known["stores"][store]["name"],
                    "colour": known["stores"][store]["colour"],
                }
                for store in ids
            },
        }
    with interruptible():
        while found["rounds"] < FORKS:
            turn = found["rounds"] % len(ids)
            order = (
                ids[turn:] + ids[:turn]
            )  # each store comes after others, and not always the same, in the shared kernel
            for store in order:
                console.print(
                    f"Round {found['rounds'] + 1} of {FORKS}: {known['stores'][store]['name']}",
                    soft_wrap=True,
                )
                add(found, JMH, jmh(built, known["stores"][store], settings))
                add(found, ISOLATED, kernel([store], WORKLOADS, environment, settings, known))
            add(found, SHARED, kernel(order, WORKLOADS, environment, settings, known))
            found["rounds"] += 1
            write(sidecars.crosscheck_file(name), found)
        for store, workload in biased(found):
            while (made := len(found["stores"][store].get(ALONE, {}).get(workload, []))) < FORKS:
                console.print(
                    f"{known['stores'][store]['name']} is biased at {workload}; that alone,"
                    f" {made + 1} of {FORKS}",
                    soft_wrap=True,
                )
                add(found, ALONE, kernel([store], [workload], environment, settings, known))
                write(sidecars.crosscheck_file(name), found)
    console.print(
        f"The cross-check is in {paths.shown(sidecars.crosscheck_file(name))}; `make render`"
        " shows it.",
        soft_wrap=True,
    )


def stamp() -> str:
    """Of the benchmarks and the harness: figures of others cannot stand beside theirs."""
    made_of = f"{fingerprint.timed_path()} {fingerprint.digest([paths.CROSS_CHECK])}"
    return hashlib.sha256(made_of.encode()).hexdigest()


def add(found: dict, way: str, measured: dict[str, dict[str, float]]) -> None:
    """Puts one value, in ns an entry, beside the others of its store, way and workload."""
    for store, workloads in measured.items():
        for workload, ns in workloads.items():
            found["stores"][store].setdefault(way, {}).setdefault(workload, []).append(ns)


def jmh(built: Built, store: dict, settings: dict) -> dict[str, dict[str, float]]:
    """One fork of each workload that the store can do: the median of its iterations."""
    able = [workload for workload in WORKLOADS if workload not in store["unsupported"]]
    options, class_path = union(
        [{"runtime_options": built.runtime_options, "class_path": built.class_path}, store]
    )
    with scratch(paths.WORK) as work:
        result = work / "jmh.json"
        command = [
            find_jdk().java,
            *options,
            *jvm.heap(settings["heap"]),
            f"-Dkv.work={work}",
            f"-Djava.io.tmpdir={work}",
            "-cp",
            os.pathsep.join(class_path),
            "org.openjdk.jmh.Main",
            rf"jmh\.CrossCheck\.({'|'.join(able)})$",
            "-p",
            f"store={store['id']}",
            "-p",
            f"entries={settings['entries']}",
            "-p",
            f"valueBytes={VALUE_BYTES}",
            "-f",
            "1",
            "-wi",
            "1",
            "-w",
            f"{max(1, round(1000 * settings['warmup_seconds']))}ms",
            "-i",
            str(settings["iterations"]),
            "-r",
            f"{max(1, round(1000 * settings['measure_seconds'] / settings['iterations']))}ms",
            "-foe",
            "true",
            "-v",
            "SILENT",
            "-rf",
            "json",
            "-rff",
            str(result),
        ]
        try:
            ran = jvm.run(command, work, LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            raise UserError(f"JMH took more than {LIMIT_SECONDS} s with {store['name']}.") from None
        if ran.returncode or not result.exists():
            said = (ran.stderr or ran.stdout).strip().splitlines() or ["it says nothing"]
            raise UserError(f"JMH does not measure {store['name']}: {said[-1]}")
        return {store["id"]: parsed(result.read_text(), settings["entries"])}


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


def kernel(
    stores: list[str], workloads: Sequence[str], environment: dict, settings: dict, known: dict
) -> dict[str, dict[str, float]]:
    """The median pass of each of these workloads, in one kernel that measures these stores one
    after the other.
    """
    chosen = [known["stores"][store] for store in stores]
    named = ", ".join(f"Workload.named({json.dumps(each)})" for each in workloads)
    cells = (
        "import kv.cli.*;\nimport kv.store.*;\nimport kv.trial.*;",
        'var notebook = Notebook.of("quick");',
        (
            f'notebook.measure(Section.of("{SECTION}").cases(List.of({named}), new'
            f" CaseSpec(KeyKind.INT, Order.RANDOM, notebook.profile().entries, {VALUE_BYTES})));"
        ),
    )
    with scratch(paths.WORK) as work, open(work / "kernel.log", "wb") as log:
        orders = {
            "KV_STORES": ",".join(stores),
            "KV_PROFILE": environment["profile"],
            "KV_SEED": str(environment["seed"]),
            "KV_MODE": SHARED if len(stores) > 1 else ISOLATED,
            "KV_RUN_DIR": str(work / "run"),
            "KV_WORK_DIR": str(work),
        }
        try:
            with (
                jvm.started(
                    measuring(chosen, work, settings["heap"]), orders, work, log
                ) as manager,
                contextlib.closing(
                    jvm.Kernel(manager, log, LIMIT_SECONDS, "", lambda _: None)
                ) as session,
            ):
                session.wait()
                for cell in cells:
                    session.execute(cell)
        except jvm.Failure as failure:
            raise UserError(f"The kernel of {', '.join(stores)} failed: {failure}.") from None
        return {
            store: passes(json.loads((work / "run" / SECTION / f"{store}-1.json").read_text()))
            for store in stores
        }


def passes(trial: dict) -> dict[str, float]:
    """ns an entry by workload: the median pass of a trial of one case."""
    return {
        result["workload"]: statistics.median(result["iteration_ns"]) / result["entries"]
        for result in trial["cases"][0]["results"]
        if result["status"] == "ok"
    }
