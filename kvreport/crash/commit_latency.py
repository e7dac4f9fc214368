"""What a commit takes at each tier (S02), beside what the device takes for the same bytes.

Each store at each tier commits for some seconds in a JVM of its own, in several rounds, each in
another order; nothing else may run. Where each commit has to be on the device, commits that share
the way there are timed as well, and commits on other file systems. Calls that wait for the device
are counted apart, where strace is there. All is kept in data/runs/<run>/crashes.json, and belongs
to the stores' code.
"""

import contextlib
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.progress import track

from kvreport.base import paths
from kvreport.base.scratch import scratch
from kvreport.base.terminal import Terminal
from kvreport.base.unpacking import place, unpacking
from kvreport.crash import disks
from kvreport.crash.programs import DATABASE, Stopped, Subject
from kvreport.crash.record import VALUE_BYTES, Wanted, na_where_missing, subject_of
from kvreport.data import crashes
from kvreport.data.crashes import BATCH
from kvreport.measure import jvm
from kvreport.measure.launcher import interruptible
from kvreport.measure.machine_lock import alone
from kvreport.measure.syscalls import SYNCS
from kvreport.toolchain.jdk import first_error
from kvreport.toolchain.stores import write

ROUNDS = 3
TRANSACTIONS = 20_000  # which are committed over and over
WARM_UP, SECONDS = 1.0, 2.0  # of a round
LIMIT_SECONDS = 60
CALL = re.compile(r"^\d+\s+(\w+)\(")  # a line of strace that begins a call
BARE = "BareFile"  # kv.crash.BareFile
THREADS, MANY_ENTRIES = 8, 100  # that commit at once; of a transaction
console = Terminal()


@dataclass(frozen=True)
class Way:
    """How commits are timed.

    place       in which of a subject's fields, by name, they are kept
    threads     that commit at once
    batch       entries of a transaction
    filesystem  one of disks.KINDS, in a file; None for that of the project
    """

    place: tuple[str, ...]
    threads: int = 1
    batch: int = BATCH
    filesystem: str | None = None

    @property
    def given(self) -> dict[str, int]:
        """What is kept of it with its times."""
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

    subject: Subject
    way: Way
    kept: dict


def record(run: str, known: dict, wanted: list[Wanted]) -> None:
    """Times what a run lacks. Raises UserError for a damaged file."""
    kept = crashes.begun(run)
    bare = known["stores"]["FlatFile"] | {"id": BARE, "code": "", "settings": {"sync": ""}}
    tiers = [Wanted(bare, sync, crashes.KILL, 0) for sync in ("off", "os", "on")]
    with interruptible(), alone(), scratch(paths.WORK) as folder:
        elsewhere = [Way(("filesystems", kind), filesystem=kind) for kind in disks.available()]
        tasks = [
            _task(kept, each, way)
            for each in [*tiers, *wanted]
            for way in [ALONE, *([*ON_DEVICE, *elsewhere] if each.sync == "on" else [])]
        ]
        missing = [
            task
            for turn in range(ROUNDS)
            for task in random.Random(turn).sample(tasks, len(tasks))
            if len(task.kept["rounds"]) <= turn
        ]
        for task in track(
            missing, "Timing commits", console=console, disable=not console.is_terminal
        ):
            jvm.raise_if_stopping()
            if not task.kept["problem"]:
                with _problem_of(task):
                    task.kept["rounds"].append(timed(task.subject, task.way, folder))
            write(crashes.file(run), kept)
        for task in tasks if shutil.which("strace") else []:
            if task.kept["syncs"] is None and not (task.kept["problem"] or task.way.filesystem):
                jvm.raise_if_stopping()
                with _problem_of(task):
                    task.kept["syncs"] = syncs(task.subject, task.way.threads)
                write(crashes.file(run), kept)


@contextlib.contextmanager
def _problem_of(task: Task) -> Iterator[None]:
    try:
        yield
    except Stopped as problem:
        task.kept["problem"] = str(problem)


def timed(subject: Subject, way: Way, disk: Path) -> dict:
    """One round of a store at a tier, as kv.crash.Price has it. Raises Stopped.

    disk  a folder for file systems in files
    """
    if way.filesystem is None:
        with scratch(paths.WORK) as folder, unpacking(folder) as temporary:
            return priced(subject, way.threads, temporary, folder / DATABASE)
    asked = {"subject": asdict(subject), "threads": way.threads}
    return disks.isolated(__name__, disk / way.filesystem, way.filesystem, asked)


def priced(subject: Subject, threads: int, temporary: Path, database: Path) -> dict:
    """The same in a folder that is there."""
    answer = run(price_command(subject, threads, temporary, database), temporary)
    return json.loads(answer)


def price_command(
    subject: Subject, threads: int, temporary: Path, database: Path, warm_up: float = WARM_UP
) -> list[str | Path]:
    """The command that times commits."""
    limits = ("--warm-up", str(warm_up), "--seconds", str(SECONDS), "--threads", str(threads))
    return subject.command("price", temporary, *limits, str(database), quick=False)


def run(command: list[str | Path], folder: Path) -> str:
    """The line of JSON that a program prints. Raises Stopped."""
    try:
        done = jvm.run(command, folder, LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        raise Stopped(f"no commits within {LIMIT_SECONDS} s") from None
    answer = next((line for line in done.stdout.splitlines() if line.startswith("{")), None)
    if done.returncode or answer is None:
        raise Stopped(first_error(done.stderr))
    return answer


def syncs(subject: Subject, threads: int) -> float:
    """Calls a commit that wait for the device: of all that the program makes, the few among them
    with which a database is opened and closed. Raises Stopped.
    """
    with scratch(paths.WORK) as folder, unpacking(folder) as temporary:
        command = price_command(subject, threads, temporary, folder / DATABASE, warm_up=0)
        price = json.loads(run([*watch(folder), *command], folder))
        if not price["commits"]:
            raise Stopped("no commit ended while they were counted")
        return counted(folder) / price["commits"]


def watch(folder: Path) -> list[str | Path]:
    """The beginning of a command that has its calls written down in a folder."""
    calls = ["-e", f"trace={','.join(SYNCS)}"]
    return ["strace", "-f", "-qq", "--seccomp-bpf", *calls, "-o", folder / "trace"]


def counted(folder: Path) -> int:
    """How many of them there were."""
    lines = (folder / "trace").read_text(errors="replace").splitlines()
    return sum(1 for line in lines if (found := CALL.match(line)) and found[1] in SYNCS)


def _task(kept: dict, each: Wanted, way: Way) -> Task:
    """What is kept of a way of timing, or has to be found out."""
    given = way.given
    subject = Subject(each.store, each.sync, given["transactions"], VALUE_BYTES, way.batch)
    entries = subject_of(kept, each)
    for name in way.place[:-1]:
        entries = entries.setdefault(name, {})
    entry = entries.get(way.place[-1])
    usual = {"threads": 1, "batch": BATCH}
    if entry is None or not given.items() <= (usual | entry).items():
        entry = given | {"rounds": [], "syncs": None, "problem": None}
        entries[way.place[-1]] = entry
    return Task(subject, way, na_where_missing(each, entry))


if __name__ == "__main__":
    try:
        with disks.mounted_here() as (asked, at), scratch(place()) as temporary:
            subject = Subject(**asked["subject"])
            json.dump(priced(subject, asked["threads"], temporary, at / DATABASE), sys.stdout)
    except Stopped as problem:
        sys.exit(str(problem))
