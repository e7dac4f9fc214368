"""Power cuts: a store's commits are recorded on a disk, and its recovery is tried on what a power
cut could have left of it.

All of this runs in a program that was started by `isolation.isolated`.
"""

import contextlib
import subprocess
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kvreport.crash import disk_images, fuse_disk, mounts
from kvreport.crash.block_log import BlockLog, read_log
from kvreport.crash.disk_images import Image
from kvreport.crash.programs import run_commits

SIZE = 8 << 30  # bytes of a disk, some of which stores want to stay free; what is written takes RAM


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


def record_disk(
    command: list,
    log: Path,
    *,
    size: int = SIZE,
    orders: Mapping[int, str] | None = None,
    written_back: Container[int] = (),
    limit: float = 600,
) -> Recording:
    """Runs a program in a folder of a recorded disk, to its end, see `run_commits`.

    log      the file that keeps what the disk did
    orders   a line for the disk by the number of the commit after which it is given, as
             {10: "fail flush"}; see `fuse_disk`
    written_back  the numbers of commits after which the system writes back what it has, as it
             does by itself after some seconds

    Raises UserError where there can be no file system, OSError where the machine refuses,
    RuntimeError where the disk's process was ended.
    """
    with recorded_disk(log, size) as (disk, order):
        mounts.formatted(disk)
        with mounts.mounted(disk, direct=True) as folder:

            def on_commit(number: int) -> None:
                order(f"mark {number}")
                if orders and number in orders:
                    order(orders[number])
                if number in written_back:
                    mounts.write_back(folder)

            code, words = run_commits(command, folder, on_commit, limit)
            order("end")
    return Recording(read_log(log), code, words)


@contextlib.contextmanager
def recorded_disk(log: Path, size: int) -> Iterator[tuple[Path, Callable[[str], None]]]:
    """A disk of `size` bytes, all zeros, in a process of its own that writes a log (`fuse_disk`):
    its file, and what gives it a line and waits until that is done; raises RuntimeError if it is
    not.
    """
    with mounts.mount_point() as at, contextlib.ExitStack() as stack:
        stack.callback(mounts.unmount, at)
        process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-m", fuse_disk.__name__, at, log, str(size)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                bufsize=0,  # nothing is left to be written to a program that has ended
            )
        )
        assert process.stdin and process.stdout
        heard, said = process.stdin, process.stdout

        def await_answer() -> None:
            if (answer := said.readline()) != "ok\n":
                raise RuntimeError(f"the recorded disk ended: {answer}")

        def order(line: str) -> None:
            with contextlib.suppress(BrokenPipeError):  # it has ended, and answers nothing
                heard.write(f"{line}\n")
            await_answer()

        await_answer()
        yield at / fuse_disk.NAME, order


def mounted_images(log: BlockLog, wanted: Iterable[Image]) -> Iterator[tuple[Image, Path | None]]:
    """Each image with the folder at which it is mounted, and may be written to, until the next is
    asked for; None where it does not mount. In the order of their cuts. Raises OSError.
    """
    for image, file in disk_images.images_of(log, wanted):
        with contextlib.ExitStack() as stack:
            try:
                at = stack.enter_context(mounts.mounted(mounts.in_memory(file)))
            except mounts.NotMounted:
                at = None
            yield image, at
