"""What a commit takes at each tier (S02), beside what the device takes for the same bytes.

Each store at each tier commits for some seconds in a JVM of its own, in several rounds, each in
another order; nothing else may run. Where each commit has to be on the device, commits that share
the way there are timed as well, and commits on other file systems. Calls that wait for the device
are counted apart, where strace is there. All is kept in data/runs/<run>/crashes.json, and belongs
to the stores' code.
"""

import json
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from kvreport.base import paths
from kvreport.base.files import write_json
from kvreport.base.scratch import scratch
from kvreport.base.unpacking import place, unpacking
from kvreport.crash import disks, isolation, mounts
from kvreport.crash.isolation import Stopped
from kvreport.crash.programs import DATABASE, Subject
from kvreport.crash.record import na_where_missing, subject_of, undisturbed
from kvreport.crash.selection import VALUE_BYTES, Wanted
from kvreport.data import crashes
from kvreport.data.crashes import BATCH
from kvreport.measure import jvm
from kvreport.measure.syscalls import SYNCS
from kvreport.toolchain.jdk import first_error

ROUNDS = 3
TRANSACTIONS = 20_000  # which are committed over and over
WARM_UP, SECONDS = 1.0, 2.0  # of a round
LIMIT_SECONDS = 60
CALL = re.compile(rf"^\d+\s+(?:{'|'.join(SYNCS)})\(", re.MULTILINE)  # of strace: a call begins
BARE = "BareFile"  # kv.crash.BareFile
THREADS, MANY_ENTRIES = 8, 100  # that commit at once; of a transaction


@dataclass(frozen=True)
class Way:
    """How commits are timed.

    place       in which of a subject's fields, by name, they are kept
    threads     that commit at once
    batch       entries of a transaction
    filesystem  one of mounts.MKFS, in a file; None for that of the project
    """

    place: tuple[str, ...]
    threads: int = 1
    batch: int = BATCH
    filesystem: str | None = None

    @property
    def given(self) -> dict[str, int]:
        """Return what is kept of it with its times."""
        given = {"transactions": TRANSACTIONS * BATCH // self.batch, "value_bytes": VALUE_BYTES}
        return given | {"threads": self.threads, "batch": self.batch}


ALONE = Way(("price",))
ON_DEVICE = (
    Way(("group", "threads"), threads=THREADS),
    Way(("group", "entries"), batch=MANY_ENTRIES),
)


@dataclass
class Task:
    """What is timed: a store at a tier, in a way, and what is kept of it."""

    each: Wanted
    way: Way
    kept: dict

    @property
    def subject(self) -> Subject:
        transactions = self.way.given["transactions"]
        return Subject(self.each.store, self.each.sync, transactions, VALUE_BYTES, self.way.batch)

    def time_round(self, disk: Path) -> None:
        self.kept["rounds"].append(timed(self.subject, self.way, disk))

    def count_syncs(self, _: Path) -> None:
        self.kept["syncs"] = syncs(self.subject, self.way.threads)


def record_commits(run: str, known: dict, wanted: list[Wanted]) -> None:
    """Times what a run lacks. Raises UserError for a damaged file."""
    kept = crashes.begun(run)
    bare = known["stores"]["FlatFile"] | {"id": BARE, "code": "", "settings": {"sync": ""}}
    tiers = [Wanted(bare, sync, crashes.KILL) for sync in ("off", "os", "on")]
    elsewhere = [Way(("filesystems", kind), filesystem=kind) for kind in disks.available()]
    tasks = [
        _task(kept, each, way)
        for each in [*tiers, *wanted]
        for way in [ALONE, *([*ON_DEVICE, *elsewhere] if each.sync == "on" else [])]
    ]
    work: list[tuple[Task, Callable[[Task, Path], None]]] = [
        (task, Task.time_round)
        for turn in range(ROUNDS)
        for task in random.Random(turn).sample(tasks, len(tasks))
        if len(task.kept["rounds"]) <= turn
    ]
    work += [
        (task, Task.count_syncs)
        for task in (tasks if shutil.which("strace") else [])
        if task.kept["syncs"] is None and not task.way.filesystem
    ]
    titled = (("Timing commits", item) for item in work)
    with scratch(paths.WORK) as folder:
        for task, measure in undisturbed(titled, len(work)):
            if not task.kept["problem"]:
                try:
                    measure(task, folder)
                except Stopped as problem:
                    task.kept["problem"] = str(problem)
            write_json(crashes.file(run), kept)


def timed(subject: Subject, way: Way, disk: Path) -> dict:
    """One round of a store at a tier, as kv.crash.Price has it. Raises Stopped.

    disk  a folder for file systems in files
    """
    if way.filesystem is None:
        with scratch(paths.WORK) as folder, unpacking(folder) as temporary:
            return price(price_command(subject, way.threads, temporary, folder), temporary)
    file = disk / way.filesystem
    if not file.exists():
        disks.write_zeros(file)
    place = {"file": str(file), "kind": way.filesystem}
    return isolation.ask(__name__, {"subject": asdict(subject), "threads": way.threads, **place})


def timed_in_file(file: str, kind: str, subject: dict, threads: int) -> dict:
    """The same on a new file system in a file, in a program that has mounts of its own."""
    mounts.formatted(Path(file), kind)
    with mounts.mounted(Path(file), kind, direct=True) as at, scratch(place()) as temporary:
        return price(price_command(Subject(**subject), threads, temporary, at), temporary)


def price_command(
    subject: Subject, threads: int, temporary: Path, folder: Path, warm_up: float = WARM_UP
) -> list[str | Path]:
    """The command that times commits to a database in a folder."""
    limits = ("--warm-up", str(warm_up), "--seconds", str(SECONDS), "--threads", str(threads))
    return subject.command("price", temporary, *limits, str(folder / DATABASE), quick=False)


def price(command: list[str | Path], folder: Path) -> dict:
    """The JSON that a program prints. Raises Stopped."""
    try:
        done = jvm.run_java(command, folder, LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        raise Stopped(f"no commits within {LIMIT_SECONDS} s") from None
    answer = next((line for line in done.stdout.splitlines() if line.startswith("{")), None)
    if done.returncode or answer is None:
        raise Stopped(first_error(done.stderr))
    return json.loads(answer)


def syncs(subject: Subject, threads: int) -> float:
    """Calls a commit that wait for the device: of all that the program makes, the few among them
    with which a database is opened and closed. Raises Stopped.
    """
    with scratch(paths.WORK) as folder, unpacking(folder) as temporary:
        trace = folder / "trace"
        watch = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", f"trace={','.join(SYNCS)}"]
        command = price_command(subject, threads, temporary, folder, warm_up=0)
        commits = price([*watch, "-o", trace, *command], folder)["commits"]
        if not commits:
            raise Stopped("no commit ended while they were counted")
        return len(CALL.findall(trace.read_text(errors="replace"))) / commits


def _task(kept: dict, each: Wanted, way: Way) -> Task:
    """Return what is kept of a way of timing, or has to be found out."""
    entries = subject_of(kept, each)
    for name in way.place[:-1]:
        entries = entries.setdefault(name, {})
    usual = {"threads": 1, "batch": BATCH}
    if not way.given.items() <= (usual | entries.get(way.place[-1], {})).items():
        entries[way.place[-1]] = way.given | {"rounds": [], "syncs": None, "problem": None}
    return Task(each, way, na_where_missing(each, entries[way.place[-1]]))


if __name__ == "__main__":
    isolation.reply(timed_in_file)
