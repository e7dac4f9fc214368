"""Trials that fail for the machine's sake: its disk filled up meanwhile, or something outside
killed their kernel, as Linux does when memory runs out.

Such a trial says nothing of the store. It is recorded as spoiled, and the next call measures it
again. A store that itself took more than the section foresees has failed, whatever filled up.
"""

import contextlib
import math
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

from kvreport.measure import limits
from kvreport.measure.environment import size
from kvreport.measure.plan import Plan

LOOK_SECONDS = 0.5
FULL_BYTES = 16 << 20  # of a disk that has no more left, nobody can write much
FULL = re.compile(r"no space left|ENOSPC|disk (is )?full|not enough space", re.I)
QUOTA = re.compile(r"quota exceeded|EDQUOT", re.I)
KILLED = re.compile(r"SIGKILL|insufficient memory|Out of Memory Error|cannot allocate memory", re.I)
ANONYMOUS = re.compile(r"^RssAnon:\s+(\d+) kB", re.M)
SPOILED = "spoiled by the machine: "


class Watch:
    """The least that the machine had left while a trial ran, and the most that the trial took, in
    bytes.
    """

    def __init__(self, work: Path):
        self.work = work
        self.process: int | None = None  # of the kernel, once it is there
        self.disk = self.memory = math.inf
        self.taken_disk = self.taken_memory = 0

    def look(self) -> None:
        """Now."""
        room = os.statvfs(self.work)
        self.disk = min(self.disk, room.f_bavail * room.f_frsize)
        self.memory = min(self.memory, limits.memory_available())
        if self.process:
            self.taken_memory = max(self.taken_memory, anonymous(self.process))
        if self.disk < FULL_BYTES:  # only then, as it takes time where files are many
            self.taken_disk = max(self.taken_disk, taken(self.work))


@contextlib.contextmanager
def watching(work: Path) -> Iterator[Watch]:
    """Looks twice a second until it is left."""
    watch, ended = Watch(work), threading.Event()

    def look() -> None:
        while not ended.wait(LOOK_SECONDS):
            watch.look()

    thread = threading.Thread(target=look, daemon=True)
    watch.look()
    thread.start()
    try:
        yield watch
    finally:
        ended.set()
        thread.join()


def marked(record: dict, seen: Watch, plan: Plan) -> dict:
    """The record of a trial; of one that the machine spoiled with that reason, and without the
    number of a harness, so that it stands for nothing.
    """
    every = [result for case in record["cases"] for result in case["results"]]
    failed = [each for each in (record, *every) if each["status"] == "failed"]
    if record["status"] != "failed" or not (
        cause := why([each["reason"] for each in failed], seen, plan)
    ):
        return record
    for each in failed:
        each["reason"] = f"{SPOILED}{cause} ({each['reason']})"
    return record | {"harness": None}


def why(reasons: list[str], seen: Watch, plan: Plan) -> str | None:
    """The fault of the machine for which a trial failed, of these reasons; None where it was the
    store's. To keep within a memory limit of its own kernel is the store's affair.
    """
    told = " ".join(reasons)
    full = seen.disk < FULL_BYTES or (FULL.search(told) and seen.disk < plan.disk_bytes)
    if QUOTA.search(told) or full:
        if seen.taken_disk > plan.disk_bytes:
            return None
        return f"its disk was full, with {size(seen.disk)} left"
    most = max(plan.cached_bytes, plan.least_bytes)
    if KILLED.search(told) and not plan.memory_bytes and seen.taken_memory <= most:
        return (
            f"its kernel was killed, or had no memory, with {size(seen.memory)} left and"
            f" {size(seen.taken_memory)} its own"
        )
    return None


def taken(folder: Path) -> int:
    """Bytes on disk of the files in a folder, which may go meanwhile."""
    blocks = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                blocks += os.lstat(os.path.join(place, name)).st_blocks
    return blocks * 512


def anonymous(process: int) -> int:
    """Bytes of memory that a process has to itself, mapped files aside; 0 where none can tell."""
    try:
        found = ANONYMOUS.search(Path(f"/proc/{process}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) << 10 if found else 0
