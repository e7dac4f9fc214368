"""File systems to time commits on: each in a file of its own on the project's disk, all of whose
blocks are there beforehand, so that they differ in nothing else.
"""

import os
import shutil
from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.paths import shown
from kvreport.base.scratch import scratch
from kvreport.crash import isolation, mounts
from kvreport.crash.isolation import Stopped

BYTES = 7 << 30  # of a disk, of which Berkeley DB wants 5 GiB to stay free
SMALL_BYTES = 512 << 20  # of one that is only tried
CHUNK = bytes(16 << 20)


def available() -> list[str]:
    """The file systems that this machine can make and mount."""
    if mounts.can_run():
        return []
    with scratch(paths.WORK) as folder:
        return [
            kind for kind in mounts.MKFS if shutil.which(f"mkfs.{kind}") and works(folder, kind)
        ]


def works(folder: Path, kind: str) -> bool:
    """Return whether a file system can be made in a file of a folder, and mounted."""
    file = folder / kind
    file.touch()
    os.truncate(file, SMALL_BYTES)
    try:
        isolation.ask(__name__, {"file": str(file), "kind": kind})
    except Stopped:
        return False
    return True


def rehearse(file: str, kind: str) -> None:
    """Makes and mounts a file system. Raises UserError or Stopped where that cannot be."""
    mounts.formatted(Path(file), kind)
    try:
        with mounts.mounted(Path(file), kind, direct=True):
            pass
    except (OSError, mounts.NotMounted) as problem:
        raise Stopped(str(problem)) from None


def write_zeros(file: Path) -> None:
    """Makes a file all of whose blocks are on the device. Raises UserError without room for it."""
    if (free := shutil.disk_usage(file.parent).free) < BYTES:
        raise UserError(
            f"A disk to time commits on takes {BYTES >> 30} GiB, and {free >> 30} GiB are free in"
            f" {shown(file.parent)}: make room."
        )
    with file.open("wb") as disk:
        for _ in range(BYTES // len(CHUNK)):
            disk.write(CHUNK)
        os.fsync(disk.fileno())


if __name__ == "__main__":
    isolation.reply(rehearse)
