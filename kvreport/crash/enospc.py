"""The disk fills up while a store commits (S05): from a moment on there is hardly any room left
(ENOSPC), as where another program takes it. A commit that finds none must say that it failed; what
was acknowledged is to be there when the database is opened once there is room again.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

from kvreport.base.paths import CACHE
from kvreport.base.scratch import scratch
from kvreport.crash import mounts, power, power_loss, series
from kvreport.crash.programs import (
    DATABASE,
    Examiner,
    Stopped,
    Subject,
    heeded,
)
from kvreport.toolchain.jdk import first_error

MODULE = "kvreport.crash.enospc"
TOGETHER = 10  # tries whose databases one JVM looks at
SHARE = 0.9  # of the transactions, in which the disk fills up
LEFT_BYTES = 64 << 10  # at most, of what is free from then on


def tries(subject: Subject, seeds: range) -> series.Tries:
    """Fills the disk once for each seed, and looks at what is left. Raises Stopped."""
    return series.isolated(MODULE, subject, seeds)


def looked_at(subject: Subject, seeds: range) -> series.Tries:
    """The tries, in a program that has mounts of its own."""
    found = []
    with scratch(CACHE) as folder, Examiner(subject, folder) as examiner:
        for seed in seeds:
            with disk() as at:
                acknowledged = filled(subject, folder, at, Random(f"full {seed}"))
                left = examiner.examine(at / DATABASE, acknowledged)
            left |= {"acknowledged": acknowledged} | subject.reported(acknowledged)
            found.append((seed, left))
    return found


@contextlib.contextmanager
def disk() -> Iterator[Path]:
    """The folder of an empty file system in memory, which is gone when this is left."""
    file = os.memfd_create("disk")
    try:
        os.truncate(file, power.SIZE)
        mounts.formatted(Path(f"/proc/{os.getpid()}/fd/{file}"), power_loss.FILE_SYSTEM)
        with mounts.mounted(file, power_loss.FILE_SYSTEM) as at:
            yield at
    finally:
        os.close(file)


def filled(subject: Subject, folder: Path, at: Path, drawn: Random) -> int:
    """Has a program commit on a disk that fills up at the drawn moment, and gives the room back
    when it has ended. Returns the number of the last transaction that it acknowledged.
    """
    after, left = drawn.randrange(1, int(SHARE * subject.transactions)), drawn.randrange(LEFT_BYTES)
    ballast = at / "ballast"
    acknowledged = 0

    def heed(number: int) -> None:
        nonlocal acknowledged
        acknowledged = number
        if number == after:
            fill(ballast, left)

    command = subject.command("commit", folder, "--wait", DATABASE)
    _, words = heeded(command, at, heed, series.LIMIT_SECONDS)
    if not ballast.exists():
        raise Stopped(first_error(words))
    ballast.unlink()
    return acknowledged


def fill(ballast: Path, left: int) -> None:
    """Takes all the room of a file system but so many bytes."""
    mounts.write_back(ballast.parent)  # what waits to be written has its room
    with ballast.open("wb") as file:
        there = os.fstatvfs(file.fileno())
        with contextlib.suppress(OSError):  # it took what it could get
            os.posix_fallocate(file.fileno(), 0, there.f_bfree * there.f_frsize - left)


if __name__ == "__main__":
    series.serve(looked_at)
