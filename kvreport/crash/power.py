"""Power cuts: a store's commits are recorded on a disk, and its recovery is tried on what a power
cut could have left of it.

All of this runs in a program that was started by `mounts.isolated`.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from kvreport.crash import block_log, disk_images, fuse_disk, mounts
from kvreport.crash.block_log import BlockLog
from kvreport.crash.disk_images import Image
from kvreport.crash.programs import heeded

SIZE = (
    8 << 30
)  # bytes of a disk, some of which stores want to stay free; what is written takes memory
UNBUFFERED = 0  # nothing is left to be written to a program that has ended
NOT_MOUNTED = "file system does not mount"
Verdict = TypeVar("Verdict")


@dataclass(frozen=True)
class Recording:
    """What a disk did while a program committed to it.

    log   from mkfs to the end of the program
    exit  of the program, negative for the signal that ended it
    words what it printed that was no number, and its errors
    """

    log: BlockLog
    exit: int
    words: str


class RecordedDisk:
    """A disk in a process of its own, see `fuse_disk`."""

    def __init__(self, process: subprocess.Popen, file: Path):
        self.process, self.file = process, file

    def order(self, line: str) -> None:
        """Gives the disk a line, and waits until it is done. Raises RuntimeError if it is not."""
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):  # it has ended, and answers nothing
            self.process.stdin.write(f"{line}\n")
        self.await_answer()

    def await_answer(self) -> None:
        assert self.process.stdout
        answer = self.process.stdout.readline()
        if answer != "ok\n":
            raise RuntimeError(f"the recorded disk ended: {answer}")


@contextlib.contextmanager
def recorded_disk(log: Path, size: int) -> Iterator[RecordedDisk]:
    """A disk of `size` bytes, all zeros, that writes a log."""
    with mounts.mount_point() as at:
        try:
            with subprocess.Popen(
                [sys.executable, "-m", fuse_disk.__name__, at, log, str(size)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                bufsize=UNBUFFERED,
            ) as process:
                disk = RecordedDisk(process, at / fuse_disk.NAME)
                disk.await_answer()
                yield disk
        finally:
            mounts.unmount(at)


def record(
    command: list,
    log: Path,
    *,
    kind: str = "ext4",
    options: str = "",
    size: int = SIZE,
    orders: Mapping[int, str] | None = None,
    written_back: Container[int] = (),
    limit: float = 600,
) -> Recording:
    """Runs a program in a folder of a recorded disk, to its end.

    The program prints the number of each commit, on a line, once the commit is durable by its word,
    and waits for a line before it goes on.

    log      the file that keeps what the disk did
    kind     of the file system, one of mounts.MKFS, mounted with `options`
    orders   a line for the disk by the number of the commit after which it is given, as
             {10: "fail flush 1 EIO"}; see `fuse_disk`
    written_back  the numbers of commits after which the system writes back what it has, as it
             does by itself after some seconds
    limit    seconds, after which the program is killed

    Raises UserError where there can be no such file system, mounts.NotMounted where it has no such
    option, OSError where the machine refuses, RuntimeError where the disk's process was ended.
    """
    with recorded_disk(log, size) as disk:
        mounts.formatted(disk.file, kind)
        file = os.open(disk.file, os.O_RDWR)
        try:
            with mounts.mounted(file, kind, options, direct=True) as folder:

                def heed(number: int) -> None:
                    disk.order(f"mark {number}")
                    if orders and number in orders:
                        disk.order(orders[number])
                    if number in written_back:
                        mounts.write_back(folder)

                code, words = heeded(command, folder, heed, limit)
                disk.order("end")
        finally:
            os.close(file)
    return Recording(block_log.read(log), code, words)


def examined(
    log: BlockLog,
    wanted: Iterable[Image],
    examine: Callable[[Path, int | None], Verdict],
    *,
    kind: str = "ext4",
    options: str = "",
) -> Iterator[tuple[Image, Verdict | str]]:
    """Each image with what `examine` makes of it, or with NOT_MOUNTED; in the order of their cuts.

    examine  takes the folder at which the file system is mounted, and may write to it, and the
             number of the last commit that was acknowledged, None before the first

    The memory of an image is free before the next one is built. Raises OSError.
    """
    builder = disk_images.Builder(log)
    for image in sorted(wanted, key=lambda image: (image.cut, image.seed)):
        file = os.memfd_create("image")  # in memory, and without a name that could be left behind
        try:
            builder.build(image, file)
            with mounts.mounted(file, kind, options) as folder:
                verdict: Verdict | str = examine(folder, disk_images.acknowledged(log, image.cut))
        except mounts.NotMounted:
            verdict = NOT_MOUNTED
        finally:
            os.close(file)
        yield image, verdict
