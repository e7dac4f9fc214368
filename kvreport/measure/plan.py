"""What a section measures, as its notebook's Java cells say: asked of Java, and kept.

The cells are run in a kernel that is told to plan (KV_PLAN names a folder): where a trial would be
measured, kv.cli.Notebook writes the plan instead. The answer depends on the cells, on jbang/kv and
on the profile, and is kept in .cache/plans under a hash of these.
"""

import contextlib
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

from kvreport.base import cached, paths
from kvreport.base.errors import UserError
from kvreport.base.files import write_atomically
from kvreport.base.scratch import scratch
from kvreport.data.cases import Case
from kvreport.measure import jvm, limits
from kvreport.measure.kernel import planning
from kvreport.measure.section import Section

EVERY = "*"  # in place of stores' ids: every store that is not an aside
ASIDES = ("control", "no store", "side")  # families that take part only where a section names them
LIMIT_SECONDS = 60
DISK_FACTOR = 4  # a store's files, logs and those about to be merged included, to its bare entries
NATIVE_BYTES = 10**9  # of a JVM and a store beside the heap: code, keys, caches, write buffers
FILE_BYTES = 4096  # of the last block of each file, at most
TABLE_BYTES = 32 << 20  # of the data, for each of which a tree may keep a file open


@dataclass(frozen=True)
class Plan:
    """What a section measures at a profile; kv.trial.Section documents each field.

    stores           ids, with EVERY for all stores
    trials           of each store, where no other number and no time is asked for
    limit_seconds    after which a trial is stopped
    heap             of the JVM, as its flags have it: "2g"
    heap_bytes       the same in bytes
    memory_bytes     that the whole process may use; None for no limit
    flat_bytes       keys and values of the largest data set
    entries          of the largest data set
    kept_bytes       that the harness keeps of the entries, off the heap
    files            that the largest data set makes where entries are files of their own, else 0
    holds_all        whether stores are given all entries at once and so have to hold them
    system_calls     whether the calls that make loads durable are counted, too
    filesystems      stores whose synchronous writes are measured on each file system, too
    cases            the data sets, each with the names of its workloads
    """

    section: str
    profile: str
    stores: list[str]
    trials: int
    limit_seconds: int
    heap: str
    heap_bytes: int
    memory_bytes: int | None
    flat_bytes: int
    entries: int
    kept_bytes: int
    files: int
    holds_all: bool
    system_calls: bool
    filesystems: list[str]
    cases: list[dict]

    def stores_of(self, known: dict, wanted: list[str] | None = None) -> list[str]:
        """The ids of the stores to measure: the section's, or the wanted ones. Raises UserError."""
        every = sorted(known["stores"] | known["failed"] | known.get("unavailable", {}))
        declared: list[str] = []
        for store in wanted or self.stores:
            if store != EVERY:
                declared.append(store)
                continue
            declared += [
                each for each in every if known["stores"].get(each, {}).get("family") not in ASIDES
            ]
        for store in declared:
            if store not in every:
                raise UserError(
                    f"There is no store {store or repr(store)}; there are {', '.join(every)}."
                )
        return list(dict.fromkeys(declared))

    @property
    def disk_bytes(self) -> int:
        """The room for a store's files that there has to be."""
        return max(self.flat_bytes * DISK_FACTOR, self.flat_bytes + self.files * FILE_BYTES)

    @property
    def open_files(self) -> int:
        """The files that a store may have open."""
        return min(limits.KERNEL_FILES + self.flat_bytes // TABLE_BYTES, limits.OPEN_FILES)

    @property
    def cached_bytes(self) -> int:
        """The memory in which the data stay cached."""
        return self.heap_bytes + self.kept_bytes + 2 * self.flat_bytes

    @property
    def least_bytes(self) -> int:
        """The memory to run at all: stores that are given all data at once hold them by the batch,
        and again to sort them.
        """
        held = self.flat_bytes if self.holds_all else 0
        return self.heap_bytes + NATIVE_BYTES + self.kept_bytes + 2 * held

    def covers(self, record: dict) -> bool:
        """Return whether a trial's record is of these cases and workloads: of all of them if it is
        whole.
        """
        planned = {
            (*_key(case), case["entries"], workload)
            for case in self.cases
            for workload in case["workloads"]
        }
        found = {
            (*_key(case), case["entries"], result["workload"])
            for case in record["cases"]
            for result in case["results"]
        }
        return found == planned if record["status"] == "ok" else found <= planned


def _key(case: dict) -> tuple:
    settings = ", ".join(f"{name}={value}" for name, value in case["settings"].items())
    return tuple(Case(case["keys"], case["order"], case["value_bytes"], settings, case["content"]))


def plans(sections: Iterable[Section], profile: str, known: dict) -> dict[str, Plan]:
    """The plan of each section by its id. Raises UserError where a notebook does not run."""
    files = {
        section: paths.CACHE / "plans" / f"{section.id}-{profile}-{_stamp(section, known)}.json"
        for section in sections
    }
    missing = [section for section, file in files.items() if _read(file) is None]
    if missing:
        for section, text in _asked(missing, profile, known).items():
            write_atomically(files[section], text)
    return {section.id: plan for section, file in files.items() if (plan := _read(file))}


def _stamp(section: Section, known: dict) -> str:
    return hashlib.sha256(f"{section.stamp} {known['core']}".encode()).hexdigest()[:16]


def _read(file: Path) -> Plan | None:
    kept = cached.kept(file)
    try:
        return Plan(**{field.name: kept[field.name] for field in fields(Plan)}) if kept else None
    except KeyError:  # of another version of this
        return None


def _asked(sections: list[Section], profile: str, known: dict) -> dict[Section, str]:
    """Runs the notebooks' cells, one after the other, in a kernel that plans."""
    with scratch(paths.WORK) as work, open(work / "kernel.log", "wb") as log:
        orders = {"KV_PLAN": str(work), "KV_PROFILE": profile, "KV_WORK_DIR": str(work)}
        with (
            jvm.started(planning(known, work), orders, work, log) as manager,
            contextlib.closing(
                jvm.Kernel(manager, log, LIMIT_SECONDS * len(sections), "", lambda _: None)
            ) as kernel,
        ):
            try:
                kernel.wait()
                return {each: _plan_of(each, kernel, work) for each in sections}
            except jvm.Failure as failure:
                raise UserError(f"What the sections measure cannot be asked: {failure}.") from None


def _plan_of(section: Section, kernel: jvm.Kernel, work: Path) -> str:
    file = work / f"{section.id}.json"
    try:
        for cell in section.cells:
            kernel.execute(cell, file.exists)
            if file.exists():
                return file.read_text()
    except jvm.Failure as failure:
        raise UserError(f"{paths.shown(section.file)} does not run: {failure}.") from None
    raise UserError(
        f"{paths.shown(section.file)} measures nothing named {section.id}: its section's id "
        "has to be the file's name, and a cell has to call notebook.measure(section)."
    )
