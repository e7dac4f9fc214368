"""A section of the report as its measure notebook declares it, and the log of a run that the notebook carries into the book."""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.scratch import scratch
from kvreport.data import runs
from kvreport.measure import jvm
from kvreport.measure.kernel import from_archive, spec
from kvreport.toolchain.jdk import QUICK_TO_START
from kvreport.toolchain.stores import union

LOG_SECONDS = 120
SOURCE_ENTRIES = 1_000_000  # what a profile's number of entries stands for
KEPT_BYTES = 24  # of an entry, at most: its key and its place in two orders, which kv.Data keeps off the heap
JVM_BYTES = (
    256 << 20
)  # resident beside the heap: code, classes, threads, and what the notebook's kernel keeps
ONLY_IF_NAMED = (
    "control",
    "no store",
    "side",
)  # families that take part only where a notebook names their stores


@dataclass(frozen=True)
class Section:
    """A measure notebook. Its metadata say in `kvreport` which stores it is for ("*": all, and the `controls` it names), how large its largest data set is,
    and, by profile, which of the profile's settings it has others of (`profiles`)."""

    file: Path

    @property
    def id(self) -> str:
        """Number and name: "04-small-values"."""
        return self.file.stem

    @property
    def cells(self) -> list[str]:
        """The notebook's code, a cell each."""
        return [cell.source for cell in self.notebook().cells if cell.cell_type == "code"]

    def entries(self, settings: dict) -> int:
        """Entries of its largest data set under a profile, as kv.Profile.entries computes them."""
        largest = self.notebook().metadata.kvreport.largest
        return max(
            1,
            min(
                largest.entries * settings["entries"] // SOURCE_ENTRIES,
                settings["data_bytes"] // largest.entry_bytes,
            ),
        )

    def flat_bytes(self, settings: dict) -> int:
        """Keys and values of its largest data set under a profile."""
        return self.entries(settings) * self.notebook().metadata.kvreport.largest.entry_bytes

    def settings(self, profile: str, profiles: dict) -> dict:
        """A profile's settings as this section has them, and `kept_bytes`, what the harness keeps of the entries off the heap. With `memory` in its
        notebook's metadata: the heap that it names, and `memory_bytes`, which the whole process may use: the heap, what the JVM itself needs, and
        room for a share of the data."""
        own = self.notebook().metadata.kvreport
        settings, wanted = (
            profiles[profile] | own.get("profiles", {}).get(profile, {}),
            own.get("memory"),
        )
        settings |= {"kept_bytes": self.entries(settings) * KEPT_BYTES}
        if not wanted:
            return settings
        return settings | {
            "heap": wanted.heap,
            "memory_bytes": jvm.bytes_of(wanted.heap)
            + JVM_BYTES
            + int(wanted.share_of_data * self.flat_bytes(settings)),
        }

    def files(self, settings: dict) -> int:
        """Files that its largest data set makes where entries are files of their own; 0 where none are."""
        largest = self.notebook().metadata.kvreport.largest
        return self.entries(settings) if largest.get("files") else 0

    @property
    def holds_all(self) -> bool:
        """Whether stores are given all entries at once, and so have to hold them in memory."""
        return self.notebook().metadata.kvreport.get("holds_all", False)

    @property
    def counts_system_calls(self) -> bool:
        """Whether the calls that make loads durable are to be counted, too."""
        return self.notebook().metadata.kvreport.get("system_calls", False)

    @property
    def stores_by_filesystem(self) -> list[str]:
        """The stores whose synchronous writes are to be made on each file system, too."""
        return self.notebook().metadata.kvreport.get("filesystems", [])

    def log_is_of(self, run: str) -> bool:
        """Whether the log in the notebook is of a run as it is recorded; with nothing recorded there is none to be of."""
        trials = runs.load(run, self.id).trials
        return not trials or self.notebook().metadata.kvreport.get("log") == self.stamp(run, trials)

    def stamp(self, run: str, trials: list[dict]) -> str:
        """SHA-256 of what the log of a run follows from."""
        return hashlib.sha256(json.dumps([run, self.cells, trials]).encode()).hexdigest()

    def notebook(self) -> nbformat.NotebookNode:
        return nbformat.read(self.file, as_version=4)

    def stores(self, known: dict, wanted: list[str] | None = None) -> list[str]:
        """The ids of the stores to measure: the notebook's, or the wanted ones. Raises UserError for one that is unknown."""
        every = sorted(known["stores"] | known["failed"])
        declared = self.notebook().metadata.kvreport.stores
        if declared == "*":
            declared = [
                store
                for store in every
                if known["stores"].get(store, {}).get("family") not in ONLY_IF_NAMED
            ]
            declared += [
                store
                for store in self.notebook().metadata.kvreport.get("controls", [])
                if store in every
            ]
        for store in (ids := wanted or declared):
            if store not in every:
                raise UserError(f"There is no store {store}; there are {', '.join(every)}.")
        return list(dict.fromkeys(ids))

    def fingerprint(self, code: str) -> str:
        """SHA-256 of a store's code with this notebook's: what a trial's figures depend on."""
        return hashlib.sha256("\0".join([code, *self.cells]).encode()).hexdigest()


def sections() -> list[Section]:
    """All there are, in order."""
    return [Section(file) for file in sorted(paths.MEASURE.glob("[0-9]*.ipynb"))]


def find_section(name: str) -> Section:
    """The section of that number or name: "4", "04" or "04-small-values". Raises UserError."""
    for section in sections():
        if name in (section.id, number := section.id.split("-")[0], number.lstrip("0")):
            return section
    raise UserError(
        f"There is no section {name}; there are {', '.join(section.id for section in sections())}."
    )


def log(section: Section, run: str, known: dict):
    """Executes the notebook on a run in which everything is recorded, and keeps in its file what it prints: the run's log.

    Costs nothing when the file holds that already. Nothing is measured: stores that have no record are left out, and where
    none has one the log is empty.
    """
    recorded, notebook = runs.load(run, section.id), section.notebook()
    stamp = section.stamp(run, recorded.trials)
    if notebook.metadata.kvreport.get("log") == stamp:
        return
    if recorded.trials:
        execute(notebook, section, recorded, known)
    else:
        for cell in notebook.cells:
            cell |= {"outputs": [], "execution_count": None} if cell.cell_type == "code" else {}
    notebook.metadata.kvreport.log = stamp
    nbformat.write(notebook, section.file)


def execute(notebook: nbformat.NotebookNode, section: Section, recorded: runs.Run, known: dict):
    """Runs a notebook's cells on the records of a run, all stores in one kernel, and leaves in them what it prints."""
    stores = sorted({trial["store"]["id"] for trial in recorded.trials} & known["stores"].keys())
    orders = {
        "KV_STORES": ",".join(stores),
        "KV_RUN_DIR": str(paths.RUNS / recorded.name),
        "KV_WORK_DIR": str(paths.WORK),
        "KV_PROFILE": recorded.environment["profile"],
    }
    language = notebook.metadata.get("language_info", {})
    with (
        scratch(paths.WORK) as work,
        open(os.devnull, "wb") as nowhere,
        jvm.started(
            spec("Java", *union(known["stores"].values()), *from_archive(work), *QUICK_TO_START),
            orders,
            work,
            nowhere,
        ) as manager,
    ):
        client = NotebookClient(
            notebook, km=manager, timeout=LOG_SECONDS, coalesce_streams=True, record_timing=False
        )
        try:
            client.execute()
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as failure:
            raise UserError(
                f"The log of {section.id} cannot be made: {runs.shown(section.file)} does not run "
                f"({str(failure).strip().splitlines()[-1]})."
            ) from failure
    notebook.metadata.language_info = language  # what the kernel put there names the JDK
    for output in [output for cell in notebook.cells for output in cell.get("outputs", [])]:
        if "text/markdown" in output.get("data", {}):
            output.data.pop("text/plain", None)  # the same once more
