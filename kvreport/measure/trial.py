"""One trial: one store, one fresh Java kernel, whatever happens to it a record.

The kernel runs the code cells of the section's measure notebook on that store's class path alone.
It writes the record itself; where it cannot, because it died, ran out of time or could not start,
the record is made here from what it had saved so far.
"""

import contextlib
import json
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
from kvreport.measure import jvm, memory, spoiled
from kvreport.measure.kernel import measuring
from kvreport.measure.plan import Plan

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
        """Where its record is."""
        return records.trial_file(self.run, self.plan.section, self.id, self.number)

    @property
    def log(self) -> Path:
        """Where everything goes that its kernel prints."""
        folder = paths.CACHE / "logs" / self.run.name / self.plan.section
        return folder / f"{self.id}-{self.number}.log"

    def orders(self, work: Path) -> dict[str, str]:
        """What the notebook is to do, as environment variables."""
        return {
            "KV_STORES": self.id,
            "KV_TRIAL": str(self.number),
            "KV_POSITION": str(self.position),
            "KV_PROFILE": self.plan.profile,
            "KV_SEED": str(self.seed),
            "KV_MODE": "isolated",
            "KV_HARNESS": str(self.harness),
            "KV_CODE": self.timed_path,
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


def measure(trial: Trial, report: Callable[[str], None]) -> dict:
    """Makes a trial and returns its record, which is on disk by then.

    `report` receives each line that the kernel prints.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    with scratch(paths.WORK) as work, spoiled.watching(work) as watch:
        harness: int | None = trial.harness
        reason = "the notebook ended without recording anything"
        for _ in range(STARTS):
            try:
                run_notebook(trial, work, report, watch)
                break
            except jvm.NotStarted as failure:
                # no code's fault: it is tried again, now and when the section is next measured
                reason, harness = str(failure), None
            except jvm.Failure as failure:
                reason, harness = str(failure), trial.harness
                break
        if not trial.file.exists():
            saved = work / f"{trial.id}-{trial.number}.partial.json"
            record = json.loads(saved.read_text()) if saved.exists() else blank(trial, started)
            record |= {
                "status": "failed",
                "reason": reason,
                "harness": harness,
                "seconds": time.monotonic() - clock,
            }
            records.write(trial.file, record, "trial")
        record = records.read_trial(trial.file)
        if marked := spoiled.marked(record, watch, trial.plan.need, bool(trial.plan.memory_bytes)):
            records.write(trial.file, marked, "trial")
    return records.read_trial(trial.file)


def give_up(trial: Trial, reason: str) -> dict:
    """Records a trial that cannot even be tried."""
    record = blank(trial, datetime.now(UTC)) | {"reason": reason}
    records.write(trial.file, record, "trial")
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
    trial: Trial, work: Path, report: Callable[[str], None], watch: spoiled.Watch
) -> None:
    """Runs the notebook's cells until the trial is recorded. Raises jvm.Failure."""
    trial.log.parent.mkdir(parents=True, exist_ok=True)
    size = trial.plan.memory_bytes
    limit: AbstractContextManager[list[str]] = (
        memory.limited(size) if size else contextlib.nullcontext([])
    )
    try:
        with (
            open(trial.log, "wb") as log,
            limit as before,
            jvm.started(trial.kernel(work, before), trial.orders(work), work, log) as manager,
            contextlib.closing(
                jvm.Kernel(manager, log, trial.plan.limit_seconds, trial.name, report)
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
            shutil.move(crash, trial.log.with_suffix(".hs_err.log"))
