"""File systems to time commits on: each in a file of its own on the project's disk, all of whose
blocks are there beforehand, so that they differ in nothing else.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.paths import shown
from kvreport.base.scratch import scratch
from kvreport.crash import mounts
from kvreport.crash.programs import Stopped

KINDS = tuple(mounts.MKFS)
BYTES = 7 << 30  # of a disk, of which Berkeley DB wants 5 GiB to stay free
SMALL_BYTES = 512 << 20  # of one that is only tried
CHUNK = bytes(16 << 20)


def available() -> list[str]:
    """The file systems that this machine can make and mount."""
    if mounts.can_run():
        return []
    with scratch(paths.WORK) as folder:
        return [kind for kind in KINDS if shutil.which(f"mkfs.{kind}") and works(folder, kind)]


def works(folder: Path, kind: str) -> bool:
    """Whether a file system can be made in a file of a folder, and mounted."""
    file = folder / kind
    file.touch()
    os.truncate(file, SMALL_BYTES)
    try:
        _run(__name__, file, kind, {})
    except (UserError, Stopped):
        return False
    return True


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


def isolated(module: str, file: Path, kind: str, asked: dict) -> dict:
    """Has a module, which calls `mounted_here` as a program, do something on a new file system in
    a file, which is made first where it is not there. Raises Stopped.
    """
    if not file.exists():
        write_zeros(file)
    return json.loads(_run(module, file, kind, asked))


def _run(module: str, file: Path, kind: str, asked: dict) -> str:
    mounts.formatted(file, kind)
    done = subprocess.run(
        mounts.isolated(sys.executable, "-m", module, file, kind),
        input=json.dumps(asked),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise Stopped((done.stderr.strip().splitlines() or ["it says nothing"])[-1])
    return done.stdout


@contextlib.contextmanager
def mounted_here() -> Iterator[tuple[dict, Path]]:
    """In such a program: what is asked of it, and the folder of the file system."""
    file, kind = sys.argv[1:]
    asked = json.load(sys.stdin)
    disk = os.open(file, os.O_RDWR)
    try:
        with mounts.mounted(disk, kind, direct=True) as at:
            yield asked, at
    finally:
        os.close(disk)


if __name__ == "__main__":
    with mounted_here():
        pass
