"""The ways in which the cross-check (measure.crosscheck) measures a store: by JMH in forks of its
own, in a kernel as a trial does, and by the cell with which a notebook times a store by hand.
"""

import contextlib
import json
import statistics
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpec

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.scratch import scratch
from kvreport.base.unpacking import unpacking
from kvreport.data.cases import Case
from kvreport.data.extra_measurements import ISOLATED, SHARED
from kvreport.data.rows import labels
from kvreport.measure import jvm
from kvreport.measure.kernel import from_archive, measuring, spec
from kvreport.toolchain import libraries
from kvreport.toolchain.catalogue import union
from kvreport.toolchain.jdk import find_jdk, first_error
from kvreport.toolchain.stores import Built

# of the benchmarks of jbang/jmh: puts; gets and scans that look at every byte; scans that do not
CHECKED = ("write", "readKeyXxh64", "readXxh64", "readSeq")
VERSION = "1.37"
SECTION = "crosscheck"
LIMIT_SECONDS = 7_200  # of a kernel, or of all JMH forks of a store in a round
# of JMH, each as long as the harness warms up: a fork has only loaded before, where in a kernel all
# that a store returns has been compared already
WARM_UPS = 5
IMPORTS = "import kv.cli.*;\nimport kv.store.*;\nimport kv.trial.*;"

Values = dict[str, list[dict[str, float]]]  # ns an entry by store, of each case, by workload


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

    def entries(self, case: Case) -> int:
        """Of a case, as the profile has them: so many as its data may have bytes."""
        return max(1, min(self.settings["entries"], self.settings["data_bytes"] // case.flat))

    def java(self, case: Case) -> str:
        """A case as a cell writes it."""
        return (
            f"new CaseSpec(KeyKind.{case.keys.upper()}, Order.{case.order.upper()},"
            f" {self.entries(case)}, {case.value_bytes})"
        )


def supported(store: dict, workloads: Iterable[str] = CHECKED) -> list[str]:
    """Those of the workloads that a store of the catalogue supports."""
    return [workload for workload in workloads if workload not in store["unsupported"]]


def jmh(built: Built, store: dict, case: Case, conditions: Conditions) -> dict[str, float]:
    """One fork of each workload that the store supports: the median of its iterations."""
    with scratch(paths.WORK) as work, unpacking(work) as unpacked:
        result = work / "jmh.json"
        folders = [f"-Dkv.work={work}", f"-Djava.io.tmpdir={unpacked}"]
        command = [*_jmh_command(built, store, case, conditions, folders), "-rff", str(result)]
        try:
            ran = jvm.run_java(command, work, LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            raise UserError(f"JMH took more than {LIMIT_SECONDS} s with {store['name']}.") from None
        if ran.returncode or not result.exists():
            said = first_error(ran.stderr or ran.stdout)
            raise UserError(f"JMH does not measure {store['name']}: {said}")
        return parsed(result.read_text(), conditions.entries(case))


def _jmh_command(
    built: Built, store: dict, case: Case, conditions: Conditions, folders: list[str]
) -> list[str]:
    """JMH's command line: one fork, whose iterations it prints as JSON."""
    settings = conditions.settings
    benchmarks = {"runtime_options": built.runtime_options, "class_path": built.class_path}
    options, class_path = union([benchmarks, store])
    iteration_ms = 1000 * settings["measure_seconds"] / settings["iterations"]
    words = [
        *("-f", 1, "-foe", "true", "-v", "SILENT", "-rf", "json"),
        *("-wi", WARM_UPS, "-w", f"{max(1, round(1000 * settings['warmup_seconds']))}ms"),
        *("-i", settings["iterations"], "-r", f"{max(1, round(iteration_ms))}ms"),
        *("-p", f"store={store['id']}", "-p", f"keys={case.keys.upper()}"),
        *("-p", f"order={case.order.upper()}", "-p", f"entries={conditions.entries(case)}"),
        *("-p", f"valueBytes={case.value_bytes}"),
    ]
    return [
        str(find_jdk().java),
        *options,
        *jvm.heap(settings["heap"]),
        *folders,
        "-cp",
        libraries.class_path(class_path),
        "org.openjdk.jmh.Main",
        rf"jmh\.CrossCheck\.({'|'.join(supported(store))})$",
        *map(str, words),
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


def kernel(
    stores: list[str], workloads: Iterable[str], cases: Sequence[Case], conditions: Conditions
) -> Values:
    """The median pass of each of these workloads in each case, in one kernel that measures these
    stores one after the other, as a trial does.
    """
    chosen = [conditions.stores[store] for store in stores]
    named = ", ".join(map(json.dumps, workloads))
    cells = (
        IMPORTS,
        'var notebook = Notebook.of("quick");',
        (
            f'notebook.measure(Section.of("{SECTION}").cases(List.of({named}),'
            f" {', '.join(map(conditions.java, cases))}));"
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
            store: passes(
                json.loads((work / "run" / SECTION / f"{store}-1.json").read_text()), cases
            )
            for store in stores
        }


def by_hand(store: dict, case: Case, conditions: Conditions) -> dict[str, float]:
    """The median pass of each workload that the store supports, timed as a reader times it: by a
    cell of its own each, in one kernel as JupyterLab starts it, with every store on its class path
    and the heap that the JVM chooses.
    """
    workloads = supported(store)
    options, class_path = union(conditions.stores.values())
    with scratch(paths.WORK) as work:
        cells = [IMPORTS, f"var example = {conditions.java(case)};"]
        cells += [_hand_cell(store["id"], each, conditions.profile) for each in workloads]
        flags = [*from_archive(work), f"-Djava.io.tmpdir={jvm.UNPACKED}"]
        lab = spec("Java", options, class_path, *flags)
        _execute(lab, {"KV_WORK_DIR": str(work)}, cells, work, [store["id"]])
        return {each: float((work / each).read_text()) for each in workloads}


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


def passes(trial: dict, cases: Sequence[Case]) -> list[dict[str, float]]:
    """ns an entry by workload, of each case in its order here: a trial has shuffled them. Raises
    UserError where one failed: a round is whole.
    """
    found = {Case(**labels(case)): case["results"] for case in trial["cases"]}
    for case, results in found.items():
        for result in results:
            if result["status"] == "failed":
                raise UserError(f"{result['workload']} failed ({case}): {result['reason']}")
    return [
        {
            result["workload"]: statistics.median(result["iteration_ns"]) / result["entries"]
            for result in found.get(case, [])
            if result["status"] == "ok"
        }
        for case in cases
    ]
