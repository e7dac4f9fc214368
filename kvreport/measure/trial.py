"""One trial: one store, one fresh Java kernel, whatever happens to it a record.

The kernel runs the code cells of the section's measure notebook on that store's class path alone.
It writes the record itself. Where it dies, or the store throws an Error, after which a JVM is not
what it was, the case under way has failed and another kernel goes on with the next ones. Where none
can, because time is up or none starts, the record is made here from what was saved so far.
"""

import contextlib
import json
import re
import shutil
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from jupyter_client.kernelspec import KernelSpec

from kvreport.base import paths
from kvreport.base.scratch import scratch
from kvreport.data import records, runs
from kvreport.measure import environment_failure, jvm, memory, processor
from kvreport.measure.kernel import measuring
from kvreport.measure.plan import Plan

UNFINISHED = "unfinished"  # kv.trial.TrialRun: the reason of a case under way
# an error that the JVM throws where a class cannot be made
LINKAGE = re.compile(r"[\w.]*(LinkError|VersionError|InitializerError|DefFoundError)\b")
STARTS = 2  # of a kernel that does not come up: another program may take the port chosen for it
UNKNOWN: dict = {
    "family": "unknown",
    "colour": "#6b7280",
    "library": "",
    "about": "",
    "unsupported": {},
    "options": [],
    "settings": {},
    "fixed": {},
    "code": "",
}


@dataclass(frozen=True)
class Trial:
    """What to measure and where to put it.

    cells       the notebook's Java code
    store       the store's entry in the catalogue
    position    place in the order of the section's trials
    harness     the number of the harness, and `timed_path` the hash of its code
    workloads   by workload, the hash of what it runs
    run         the folder of the run
    """

    plan: Plan
    cells: list[str]
    store: dict
    number: int
    position: int
    seed: int
    harness: int
    timed_path: str
    workloads: dict[str, str]
    run: Path

    @property
    def id(self) -> str:
        """The store's."""
        return self.store["id"]

    @property
    def name(self) -> str:
        """The store's, as it is shown."""
        return self.store.get("name", self.id)

    @property
    def file(self) -> Path:
        """Return where its record is."""
        return records.trial_file(self.run, self.plan.section, self.id, self.number)

    def log(self, process: int) -> Path:
        """Return where everything goes that one of its kernels prints."""
        folder = paths.CACHE / "logs" / self.run.name / self.plan.section
        return folder / f"{self.id}-{self.number}{f'.{process}' if process > 1 else ''}.log"

    def saved(self, work: Path) -> Path:
        """The record so far, while it is made."""
        return work / f"{self.id}-{self.number}.partial.json"

    def orders(self, work: Path) -> dict[str, str]:
        """Return what the notebook is to do, as environment variables."""
        return {
            "KV_STORES": self.id,
            "KV_TRIAL": str(self.number),
            "KV_POSITION": str(self.position),
            "KV_PROFILE": self.plan.profile,
            "KV_SEED": str(self.seed),
            "KV_MODE": "isolated",
            "KV_HARNESS": str(self.harness),
            "KV_CODE": self.timed_path,
            "KV_WORKLOADS": json.dumps(self.workloads),
            "KV_STORE_CODE": self.store["code"],
            "KV_RUN_DIR": str(self.run),
            "KV_WORK_DIR": str(work),
        }

    def kernel(self, work: Path, before: list[str]) -> KernelSpec:
        """The store's kernel, with words `before` its command."""
        limit = [f"{runs.MEMORY}{self.plan.memory_bytes}"] if before else []
        # Java's own limit off the heap is the heap's size, which the entries may exceed
        off_heap = self.plan.heap_bytes + self.plan.kept_bytes
        direct = f"-XX:MaxDirectMemorySize={off_heap}"
        made = measuring([self.store], work, self.plan.heap, direct, *limit)
        made.argv = [*before, *made.argv]
        return made


def measure_trial(trial: Trial, report: Callable[[str], None]) -> dict:
    """Makes a trial and returns its record, which is on disk by then.

    `report` receives each line that the kernel prints.
    """
    started, clock, before = datetime.now(UTC), time.monotonic(), processor.look()
    with scratch(paths.WORK) as work, environment_failure.watching(work) as watch:
        processes, failure = run_kernels(trial, work, report, watch)
        if not trial.file.exists():
            saved = trial.saved(work)
            record = json.loads(saved.read_text()) if saved.exists() else blank(trial, started)
            record |= {
                "status": "failed",
                "reason": str(failure),
                # where none started it is no code's fault: the trial is made again by the next call
                "harness": None if isinstance(failure, jvm.NotStarted) else trial.harness,
                "seconds": time.monotonic() - clock,
            }
            records.write_record(trial.file, record, "trial")
        seen = {"processes": processes} | processor.between(before, processor.look())
        record = records.read_trial(trial.file) | seen
        records.write_record(
            trial.file, environment_failure.marked(record, watch, trial.plan), "trial"
        )
    return records.read_trial(trial.file)


def run_kernels(
    trial: Trial, work: Path, report: Callable[[str], None], watch: environment_failure.Watch
) -> tuple[int, jvm.Failure]:
    """Runs kernels until the trial is recorded or nothing is left to go on with: how many, and what
    was wrong with the last one. Each that follows another has begun a further case.
    """
    processes, begun, began, saved = 0, 0, time.monotonic(), trial.saved(work)
    while True:
        processes += 1
        failure = run_kernel(trial, work, report, watch, processes, began)
        cases = json.loads(saved.read_text())["cases"] if saved.exists() else []
        if trial.file.exists() or not cases:
            return processes, failure
        name_cause(saved, str(failure))
        ended = isinstance(failure, jvm.NotStarted | jvm.TimeIsUp)
        if ended or not begun < len(cases) < len(trial.plan.cases):
            return processes, failure
        begun = len(cases)
        for left in work.iterdir():  # a database, for one, beside which another has no room
            if left.is_dir():
                shutil.rmtree(left)
            elif left != saved:
                left.unlink()


def run_kernel(
    trial: Trial,
    work: Path,
    report: Callable[[str], None],
    watch: environment_failure.Watch,
    process: int,
    began: float,
) -> jvm.Failure:
    """Runs the notebook in a kernel, of which a second is tried where the first does not start, and
    says what was wrong with it.
    """
    failure = jvm.Failure("the notebook ended without recording anything")
    for _ in range(STARTS):
        try:
            run_notebook(trial, work, report, watch, process, began)
            break
        except jvm.NotStarted as problem:
            failure = problem
        except jvm.Failure as problem:
            return problem
    return failure


def name_cause(saved: Path, reason: str) -> None:
    """Says in the record so far why the case under way has failed."""
    record = json.loads(saved.read_text())
    for case in record["cases"]:
        for result in case["results"]:
            if result["reason"] == UNFINISHED:
                result["reason"] = reason
    records.write_record(saved, record, "trial")


def give_up(trial: Trial, reason: str, status: str = "failed") -> dict:
    """Records a trial that cannot even be tried."""
    record = blank(trial, datetime.now(UTC)) | {"status": status, "reason": reason}
    records.write_record(trial.file, record, "trial")
    return record


def na_where(missing: Callable[[], str | None], trial: Trial, record: dict) -> dict:
    """The record of a trial, as n/a where all of it is, or its store's class could not be made, and
    the machine is `missing` something for the store.
    """
    found = {result["status"] for case in record["cases"] for result in case["results"]}
    class_failed = not found and LINKAGE.match(record["reason"] or "")
    if not (found == {"na"} or class_failed) or not (reason := missing()):
        return record
    record |= {"status": records.NA, "reason": reason, "output": []}
    records.write_record(trial.file, record, "trial")
    return record


def blank(trial: Trial, started: datetime) -> dict:
    """The record of a trial that measured nothing."""
    store = {name: trial.store.get(name, otherwise) for name, otherwise in UNKNOWN.items()}
    store |= {"id": trial.id, "name": trial.name, "version": "", "engine": ""}
    return {
        "format": records.TRIAL_FORMAT,
        "section": trial.plan.section,
        "trial": trial.number,
        "position": trial.position,
        "mode": "isolated",
        "profile": trial.plan.profile,
        "seed": trial.seed,
        "started": f"{started:%Y-%m-%dT%H:%M:%SZ}",
        "seconds": 0.0,
        "status": "failed",
        "reason": None,
        "store": store,
        "jars": [],
        "jvm": None,
        "harness": trial.harness,
        "code": trial.timed_path,
        "output": [],
        "cases": [],
    }


def run_notebook(
    trial: Trial,
    work: Path,
    report: Callable[[str], None],
    watch: environment_failure.Watch,
    process: int,
    began: float,
) -> None:
    """Runs the notebook's cells until the trial, which `began` then, is recorded. Raises
    jvm.Failure.
    """
    file = trial.log(process)
    file.parent.mkdir(parents=True, exist_ok=True)
    size = trial.plan.memory_bytes
    limit: AbstractContextManager[list[str]] = (
        memory.limited(size) if size else contextlib.nullcontext([])
    )
    try:
        with (
            open(file, "wb") as log,
            limit as before,
            jvm.started(trial.kernel(work, before), trial.orders(work), work, log) as manager,
            contextlib.closing(
                jvm.Kernel(manager, log, trial.plan.limit_seconds, trial.name, report, began)
            ) as kernel,
        ):
            watch.process = kernel.process.pid
            kernel.wait()
            for cell in trial.cells:
                kernel.execute(cell, trial.file.exists)
                if trial.file.exists():
                    return
    finally:
        for crash in work.glob(jvm.CRASH_REPORTS):
            shutil.move(crash, file.with_suffix(".hs_err.log"))
