"""The log of a section: its notebook, executed on what is recorded, for the book's appendix. A
lesson has one too, and nothing is recorded of it.

Nothing is measured again for it. The cell that measures shows what its trials printed, as the
records keep it. A cell in which a reader times a store by hand keeps the output that it has; it is
executed only where it has none, or where the notebook's code has changed since. The other cells for
readers are executed as they stand.
"""

import asyncio
import hashlib
import json
from copy import deepcopy
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from kvreport.base import notebooks, paths
from kvreport.base.errors import UserError
from kvreport.base.files import write_atomically
from kvreport.base.scratch import scratch
from kvreport.base.text import brief
from kvreport.data import records, runs
from kvreport.measure import jvm
from kvreport.measure.kernel import showing
from kvreport.measure.section import BY_HAND, Section

LOG_SECONDS = 300
TIMED = "timed"  # noted in the executed notebook: the code that its timed outputs are of
TIMES = "Bench.open("  # in such a cell
ASYNCHRONOUS = "jupyter_client.asynchronous.AsyncKernelClient"


def executed(section: Section) -> Path:
    """Return where the executed notebook of a section is, beside the tracked one."""
    return paths.CACHE / "notebooks" / "measure" / section.file.name


def write_log(section: Section, run: str, heap: str, known: dict) -> bool:
    """Executes a section's notebook on a run and keeps it, where that has not been done. Returns
    whether it was executed. Raises UserError where a cell fails, and KeyboardInterrupt when this
    program is told to stop. To be called in another thread than the main one, whose signals
    nbclient takes.

    heap   of the kernel, as Java's flags have it, where a cell times anything
    known  the catalogue
    """
    trials = runs.load(run, section.id).trials if (paths.RUNS / run).exists() else []
    stamp = stamp_of(section, "" if section.is_lesson else run, trials)
    made = is_of(executed(section), stamp) or is_of(section.file, stamp)
    if made or not (trials or section.is_lesson):
        return False
    notebook = section.notebook()
    untimed = keep_what_was_timed(notebook, section)
    try:
        execute(notebook, section, run, trials, heap if untimed else None, known)
    except (jvm.NotStarted, OSError) as problem:  # of a full disk, for one
        raise UserError(f"The log of {section.id} was not made: {problem}.") from None
    notebooks.note(notebook, inputs=stamp, **{TIMED: hand_stamp(notebook)})
    write_atomically(executed(section), nbformat.writes(notebook) + "\n")
    return True


def times_by_hand(section: Section) -> bool:
    """Return whether making a section's log would time anything, and so wants the machine to
    itself.
    """
    return bool(keep_what_was_timed(section.notebook(), section))


def is_of(file: Path, stamp: str) -> bool:
    """Return whether a notebook's outputs are those that a stamp stands for, and no person's."""
    if not notebooks.is_whole_notebook(file):
        return False
    notebook = notebooks.read_notebook(file)
    return notebooks.made_from(notebook) == stamp and not notebooks.is_by_hand(notebook)


def stamp_of(section: Section, run: str, trials: list[dict]) -> str:
    """SHA-256 of what the log of a run follows from."""
    cells = [cell.source for cell in section.notebook().cells]
    return _sha256([run, cells, trials])


def hand_stamp(notebook: NotebookNode) -> str:
    """SHA-256 of a notebook's code."""
    return _sha256([cell.source for cell in notebook.cells if cell.cell_type == "code"])


def _sha256(content: list) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def keep_what_was_timed(notebook: NotebookNode, section: Section) -> list[NotebookNode]:
    """Has the cells that time by hand keep the outputs that they have, in the tracked notebook or
    in the last log, where the code is still the same. Returns those that have none to keep.
    """
    before = _timed_before(section, hand_stamp(notebook))
    timing = timed_by_hand(notebook)
    for cell in timing:
        cell.outputs = before.get(cell.id, [])
    return [cell for cell in timing if not cell.outputs]


def timed_by_hand(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells in which a reader times a store."""
    return [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.source.startswith(BY_HAND) and TIMES in cell.source
    ]


def _timed_before(section: Section, stamp: str) -> dict[str, list[NotebookNode]]:
    for file in (section.file, executed(section)):
        if notebooks.is_whole_notebook(file):
            notebook = notebooks.read_notebook(file)
            if notebooks.noted(notebook, TIMED) == stamp:
                return {cell.id: cell.outputs for cell in timed_by_hand(notebook)}
    return {}


def execute(
    notebook: NotebookNode,
    section: Section,
    run: str,
    trials: list[dict],
    heap: str | None,
    known: dict,
) -> None:
    """Runs a notebook's cells, all stores in one kernel, and leaves in them what it prints; not
    those that keep what was timed.
    """
    kept = {cell.id for cell in timed_by_hand(notebook) if cell.outputs}
    ran = NotebookNode(notebook)
    ran.metadata = deepcopy(notebook.metadata)  # what the kernel puts there names the JDK
    ran.cells = [cell for cell in notebook.cells if cell.id not in kept]
    with scratch(paths.WORK) as work, open(work / "kernel.log", "wb") as printed:
        for each in trials:  # a copy, as the notebook may write where its records are
            file = records.trial_file(
                work / "run", each["section"], each["store"]["id"], each["trial"]
            )
            records.write_record(file, each, "trial")
        variables = _variables(run, trials, known, work)
        with jvm.started(showing(known, work, heap), variables, work, printed) as manager:
            jvm.await_start(manager, printed)
            manager.client_class = ASYNCHRONOUS  # another would keep the loop from its turns
            client = NotebookClient(
                ran,
                km=manager,
                timeout=LOG_SECONDS,
                coalesce_streams=True,
                record_timing=False,
            )
            try:
                asyncio.run(_executed(client))
            except (
                CellExecutionError,
                CellTimeoutError,
                DeadKernelError,
                AssertionError,  # a client that lost its kernel
            ) as failure:
                raise UserError(
                    f"The log of {section.id} was not made: "
                    f"{paths.shown(section.file)} does not run ({reason(notebook, failure)})."
                ) from failure
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "text/markdown" in output.get("data", {}):
                output.data.pop("text/plain", None)  # the same once more


async def _executed(client: NotebookClient) -> None:
    """Has a notebook executed. Raises KeyboardInterrupt when this program is told to stop."""
    work = asyncio.ensure_future(client.async_execute())
    while not (await asyncio.wait([work], timeout=jvm.POLL_SECONDS))[0]:
        if jvm.stopping.is_set():
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)  # nbclient says that it died
            jvm.raise_if_stopping()
    await work


def _variables(run: str, trials: list[dict], known: dict, work: Path) -> dict[str, str]:
    """The environment in which kv.cli.Notebook shows a run's trials."""
    stores = sorted({trial["store"]["id"] for trial in trials} & known["stores"].keys())
    profile = records.read_environment(paths.RUNS / run / records.ENVIRONMENT)["profile"]
    return {
        "KV_STORES": ",".join(stores),
        "KV_RUN_DIR": str(work / "run"),
        "KV_RUN_NAME": run,
        "KV_WORK_DIR": str(work),
        "KV_PROFILE": profile,
        "KV_SOURCES": str(paths.ROOT / "jbang"),
    }


def reason(notebook: NotebookNode, failure: Exception) -> str:
    """The error that a cell ended with, in a line; of a kernel that died, what is known."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                why = output.evalue.partition("\n")[0]
                return brief(f"cell {cell.id}: {output.ename}: {why}")
    return brief((str(failure).strip() or "its kernel was lost").splitlines()[0])
