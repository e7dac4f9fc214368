"""The log of a section: its notebook, executed on what is recorded, for the book's appendix.

The cells that measure show what their trials printed, as the records keep it; nothing is measured
again for it. Cells that a reader runs by hand are executed as they stand.
"""

import hashlib
import json
import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from kvreport.base import notebooks, paths
from kvreport.base.errors import UserError
from kvreport.base.files import write_atomically
from kvreport.base.scratch import scratch
from kvreport.data import records, runs
from kvreport.measure import jvm
from kvreport.measure.kernel import showing
from kvreport.measure.section import Section

LOG_SECONDS = 300
STAMP = "kvreport_log"  # in the executed notebook's metadata: what its outputs follow from


def executed(section: Section) -> Path:
    """Where the executed notebook of a section is, beside the tracked one."""
    return paths.CACHE / "notebooks" / "measure" / section.file.name


def write_log(section: Section, run: str, heap: str, known: dict) -> bool:
    """Executes a section's notebook on a run and keeps it; tells whether that was to be done.

    heap   of the kernel, as Java's flags have it
    known  the catalogue
    """
    trials = runs.load(run, section.id).trials if (paths.RUNS / run).exists() else []
    stamp = stamp_of(section, run, trials)
    if not trials or is_of(executed(section), stamp) or is_of(section.file, stamp):
        return False
    notebook = section.notebook()
    execute(notebook, section, run, trials, heap, known)
    notebook.metadata[STAMP] = stamp
    notebooks.note(notebook)
    write_atomically(executed(section), nbformat.writes(notebook) + "\n")
    return True


def is_of(file: Path, stamp: str) -> bool:
    """Whether a notebook's outputs are those that a stamp stands for, and no person's."""
    if not file.exists():
        return False
    notebook = nbformat.read(file, as_version=4)
    return notebook.metadata.get(STAMP) == stamp and not notebooks.is_by_hand(notebook)


def stamp_of(section: Section, run: str, trials: list[dict]) -> str:
    """SHA-256 of what the log of a run follows from."""
    cells = [cell.source for cell in section.notebook().cells]
    return hashlib.sha256(json.dumps([run, cells, trials]).encode()).hexdigest()


def execute(
    notebook: nbformat.NotebookNode,
    section: Section,
    run: str,
    trials: list[dict],
    heap: str,
    known: dict,
) -> None:
    """Runs a notebook's cells, all stores in one kernel, and leaves in them what it prints."""
    stores = sorted({trial["store"]["id"] for trial in trials} & known["stores"].keys())
    profile = records.read_environment(paths.RUNS / run / records.ENVIRONMENT)["profile"]
    language = notebook.metadata.get("language_info", {})
    with scratch(paths.WORK) as work, open(os.devnull, "wb") as nowhere:
        orders = {
            "KV_STORES": ",".join(stores),
            "KV_RUN_DIR": str(work / "run"),
            "KV_RUN_NAME": run,
            "KV_WORK_DIR": str(work),
            "KV_PROFILE": profile,
            "KV_SOURCES": str(paths.ROOT / "jbang"),
        }
        for each in trials:  # in today's form, which is the only one that Java reads
            file = records.trial_file(
                work / "run", each["section"], each["store"]["id"], each["trial"]
            )
            records.write(file, each, "trial")
        with jvm.started(showing(known, work, heap), orders, work, nowhere) as manager:
            client = NotebookClient(
                notebook,
                km=manager,
                timeout=LOG_SECONDS,
                coalesce_streams=True,
                record_timing=False,
            )
            try:
                client.execute()
            except (
                CellExecutionError,
                CellTimeoutError,
                DeadKernelError,
                AssertionError,  # a client that lost its kernel
            ) as failure:
                raise UserError(
                    f"The log of {section.id} cannot be made: "
                    f"{paths.shown(section.file)} does not run ({gist(notebook, failure)})."
                ) from failure
    notebook.metadata.language_info = language  # what the kernel put there names the JDK
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "text/markdown" in output.get("data", {}):
                output.data.pop("text/plain", None)  # the same once more


def gist(notebook: nbformat.NotebookNode, failure: Exception) -> str:
    """The error that a cell ended with, in a line; of a kernel that died, what is known."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                words = f"cell {cell.id}: {output.ename}: {output.evalue}".splitlines()
                return words[0]
    return (str(failure).strip() or "its kernel was lost").splitlines()[0]
