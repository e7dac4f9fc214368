"""One trial: one store, one fresh Java kernel, whatever happens to it a record.

The kernel runs the code cells of the section's measure notebook on that store's class path alone. It writes the record itself;
where it cannot, because it died, ran out of time or could not start, the record is made here from what it had saved so far.
"""

import contextlib
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from jupyter_client.kernelspec import KernelSpec

from kvreport.base import paths
from kvreport.base.scratch import scratch
from kvreport.data import runs
from kvreport.measure import jvm, memory
from kvreport.measure.kernel import measuring

STARTS = 2  # of a kernel that does not come up: on a busy machine another program may take the port that was chosen for it
UNKNOWN = {
    "family": "unknown",
    "colour": "#6b7280",
    "library": "",
    "about": "",
    "cannot": {},
    "options": [],
    "settings": {},
    "fixed": {},
}


@dataclass(frozen=True)
class Trial:
    """What to measure and where to put it. `store` is the store's entry in the catalogue, `cells` the notebook's Java code."""

    section: str
    cells: list[str]
    store: dict
    number: int
    position: int
    profile: str
    settings: dict
    seed: int
    code: str
    run: Path

    @property
    def id(self) -> str:
        return self.store["id"]

    @property
    def file(self) -> Path:
        return runs.trial_file(self.run, self.section, self.id, self.number)

    @property
    def log(self) -> Path:
        return paths.CACHE / "logs" / self.run.name / self.section / f"{self.id}-{self.number}.log"

    def orders(self, work: Path) -> dict[str, str]:
        """What the notebook is to do."""
        return {
            "KV_STORES": self.id,
            "KV_TRIAL": str(self.number),
            "KV_POSITION": str(self.position),
            "KV_PROFILE": self.profile,
            "KV_SEED": str(self.seed),
            "KV_MODE": "isolated",
            "KV_CODE": self.code,
            "KV_RUN_DIR": str(self.run),
            "KV_WORK_DIR": str(work),
        }

    def kernel(self, work: Path, before: list[str]) -> KernelSpec:
        """The store's kernel, with words `before` its command."""
        heap, limit = (
            self.settings["heap"],
            [f"{runs.MEMORY}{self.settings['memory_bytes']}"] if before else [],
        )
        kept = f"-XX:MaxDirectMemorySize={jvm.bytes_of(heap) + self.settings['kept_bytes']}"  # Java's own limit is the heap's size, which the entries may exceed
        made = measuring([self.store], work, heap, kept, *limit)
        made.argv = [*before, *made.argv]
        return made


def measure(trial: Trial, tell: Callable[[str], None]) -> dict:
    """Makes a trial and returns its record, which is on disk by then. `tell` receives each line that the kernel prints."""
    started, clock = datetime.now(UTC), time.monotonic()
    with scratch(paths.WORK) as work:
        code, reason = trial.code, "the notebook ended without recording anything"
        for _ in range(STARTS):
            try:
                run_notebook(trial, work, tell)
                break
            except jvm.NotStarted as failure:
                reason, code = (
                    str(failure),
                    "",
                )  # no code's fault: it is tried again, now and when the section is next measured
            except jvm.Failure as failure:
                reason, code = str(failure), trial.code
                break
        if not trial.file.exists():
            saved = work / f"{trial.id}-{trial.number}.partial.json"
            record = json.loads(saved.read_text()) if saved.exists() else blank(trial, started)
            record |= {
                "status": "failed",
                "reason": reason,
                "code": code,
                "seconds": time.monotonic() - clock,
            }
            runs.write(trial.file, record, "trial")
    return runs.read_trial(trial.file)


def give_up(trial: Trial, reason: str) -> dict:
    """Records a trial that cannot even be tried."""
    record = blank(trial, datetime.now(UTC)) | {"reason": reason}
    runs.write(trial.file, record, "trial")
    return record


def blank(trial: Trial, started: datetime) -> dict:
    """The record of a trial that measured nothing."""
    store = {name: trial.store.get(name, otherwise) for name, otherwise in UNKNOWN.items()}
    store |= {
        "id": trial.id,
        "name": trial.store.get("name", trial.id),
        "version": "",
        "engine": "",
    }
    return {
        "format": 3,
        "section": trial.section,
        "trial": trial.number,
        "position": trial.position,
        "mode": "isolated",
        "profile": trial.profile,
        "seed": trial.seed,
        "started": f"{started:%Y-%m-%dT%H:%M:%SZ}",
        "seconds": 0.0,
        "status": "failed",
        "reason": None,
        "store": store,
        "jars": [],
        "jvm": None,
        "code": trial.code,
        "cases": [],
    }


def run_notebook(trial: Trial, work: Path, tell: Callable[[str], None]):
    """Runs the notebook's cells until the trial is recorded. Raises jvm.Failure."""
    trial.log.parent.mkdir(parents=True, exist_ok=True)
    try:
        limit = (
            memory.limited(trial.settings["memory_bytes"])
            if "memory_bytes" in trial.settings
            else contextlib.nullcontext([])
        )
        with (
            open(trial.log, "wb") as log,
            limit as before,
            jvm.started(trial.kernel(work, before), trial.orders(work), work, log) as manager,
            contextlib.closing(
                jvm.Kernel(manager, log, trial.settings["limit_seconds"], trial.store["name"], tell)
            ) as kernel,
        ):
            kernel.wait()
            for cell in trial.cells:
                kernel.execute(cell, trial.file.exists)
                if trial.file.exists():
                    return
    finally:
        for report in work.glob(jvm.CRASH_REPORTS):
            shutil.move(report, trial.log.with_suffix(".hs_err.log"))
