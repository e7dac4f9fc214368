"""File systems in a file, mounted where nobody else sees them: in a program of its own (see
`isolation`), with whose mounts the loop devices go.
"""

import contextlib
import ctypes
import errno
import fcntl
import functools
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kvreport.base.errors import UserError
from kvreport.base.paths import WORK
from kvreport.crash import isolation
from kvreport.crash.isolation import Stopped

FILE_SYSTEM = "ext4"  # of disks that crash
MKFS = {  # quick, and nothing left to do for the kernel in the background
    "ext4": "mkfs.ext4 -q -F -b 4096 -N 4096 -J size=4"
    " -E nodiscard,lazy_itable_init=0,lazy_journal_init=0",
    "xfs": "mkfs.xfs -q -f -K",
    "btrfs": "mkfs.btrfs -q -f -K",
}
DAMAGED = (  # what mount(2) says of a file system that is not whole
    errno.EUCLEAN,
    errno.EBADMSG,
    errno.EINVAL,
    errno.EIO,
)
FUSE, LOOP_CONTROL = "/dev/fuse", "/dev/loop-control"
LIBC = ctypes.CDLL(None, use_errno=True)
MNT_DETACH = 2  # <sys/mount.h>
CLONE_NEWNS = 0x20000  # <sched.h>
# <linux/loop.h>
LOOP_CTL_GET_FREE, LOOP_CONFIGURE = 0x4C82, 0x4C0A
LO_FLAGS_AUTOCLEAR, LO_FLAGS_DIRECT_IO = 4, 16
LOOP_CONFIG = struct.Struct("=II 5Q4I 64s64s32s 2Q 8Q")
ATTEMPTS = 50  # at a free loop device, where others look for one, too


class NotMounted(Exception):
    """The kernel refuses a file system, as it is damaged: a clause."""


def mount(source: str, at: Path, kind: str, options: str = "") -> None:
    """mount(2), in an isolated program only. Raises OSError."""
    if not isolation.is_isolated():
        raise RuntimeError("only a program that was started by `isolated` may mount anything")
    if LIBC.mount(source.encode(), bytes(at), kind.encode(), 0, options.encode()):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(at))


def unmount(at: Path) -> None:
    """Unmounts what is mounted at a folder: where it is in use, once it no longer is."""
    if LIBC.umount2(bytes(at), 0):
        LIBC.umount2(bytes(at), MNT_DETACH)


def leave_mounts() -> None:
    """Has this program keep the mounts that there are, and share in no later one. Raises OSError.

    What a file system's last user leaves by ending is unmounted in its end. A program that serves a
    disk must not be that user: the kernel would wait for it to answer, and it would never end.
    """
    if LIBC.unshare(CLONE_NEWNS):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def write_back(folder: Path) -> None:
    """Has the system write to the device what it has of the file system that a folder is on."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        LIBC.syncfs(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def mount_point() -> Iterator[Path]:
    """A new folder to mount something at, in memory that goes with this program."""
    place = WORK / "mounts"
    if not place.is_mount():
        place.mkdir(parents=True, exist_ok=True)
        mount("tmpfs", place, "tmpfs")
    at = Path(tempfile.mkdtemp(dir=place))
    try:
        yield at
    finally:
        at.rmdir()


def formatted(file: Path, kind: str = FILE_SYSTEM) -> None:
    """Makes an empty file system in a file, one of MKFS. Raises UserError."""
    done = subprocess.run([*MKFS[kind].split(), file], capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no reason is given"])[-1]
        raise UserError(f"{kind} cannot be made in a file: {said}.")


@contextlib.contextmanager
def mounted(file: Path, kind: str = FILE_SYSTEM, direct: bool = False) -> Iterator[Path]:
    """The folder at which the file system in a file is mounted, until this is left.

    direct   whether each write goes on to the file at once, and is in no cache before

    Raises NotMounted where the file system is damaged, OSError where nothing can be mounted.
    """
    with mount_point() as at:
        with loop_device(file, direct) as device:
            try:
                mount(device, at, kind)
            except OSError as problem:
                if problem.errno in DAMAGED:
                    raise NotMounted(problem.strerror) from None
                raise
        try:
            yield at
        finally:
            unmount(at)


def in_memory(file: int) -> Path:
    """The path of a file that has none but its descriptor."""
    return Path(f"/proc/{os.getpid()}/fd/{file}")


@contextlib.contextmanager
def loop_device(file: Path, direct: bool) -> Iterator[str]:
    """A block device whose content is in a file. It is gone when this is left and nothing is
    mounted from it. Raises OSError.
    """
    flags = LO_FLAGS_AUTOCLEAR | (LO_FLAGS_DIRECT_IO if direct else 0)
    with open_device(LOOP_CONTROL) as control, open_device(file) as content:
        config = LOOP_CONFIG.pack(content, 0, *[0] * 8, flags, b"", b"", b"", *[0] * 10)
        for attempt in reversed(range(ATTEMPTS)):
            name = f"/dev/loop{fcntl.ioctl(control, LOOP_CTL_GET_FREE)}"
            with open_device(name) as device:
                try:
                    fcntl.ioctl(device, LOOP_CONFIGURE, config)
                except OSError as problem:
                    if problem.errno != errno.EBUSY or not attempt:
                        raise
                    continue
                yield name
                return


@contextlib.contextmanager
def open_device(file: Path | str) -> Iterator[int]:
    """A descriptor for reading and writing."""
    descriptor = os.open(file, os.O_RDWR)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@functools.cache
def can_run() -> str | None:
    """Return why no power cut can be simulated here, in a sentence; None where it can."""
    if os.geteuid():
        return "Only root can simulate power cuts, as it takes mounts."
    for tool, package in {
        "setpriv": "util-linux",
        "unshare": "util-linux",
        "mkfs.ext4": "e2fsprogs",
    }.items():
        if not shutil.which(tool):
            return f"There is no {tool} to simulate power cuts with: install {package}."
    for device in (FUSE, LOOP_CONTROL):
        if not os.access(device, os.R_OK | os.W_OK):
            return f"There is no {device} here that can be used to simulate power cuts."
    try:
        isolation.ask(__name__, {})
    except Stopped as problem:
        reason = str(problem).rstrip(".")
        return f"Nothing can be mounted here to simulate power cuts on: {reason}."
    return None


def rehearse() -> None:
    """Mounts what a simulation mounts. Raises Stopped or UserError."""
    try:
        with mount_point() as at, open_device(FUSE) as device:
            mount("kvreport", at, "fuse", f"fd={device},rootmode=40000,user_id=0,group_id=0")
            unmount(at)
        with tempfile.TemporaryFile() as disk:
            disk.truncate(16 << 20)
            formatted(in_memory(disk.fileno()))
            with mounted(in_memory(disk.fileno())):
                pass
    except (OSError, NotMounted) as problem:
        raise Stopped(getattr(problem, "strerror", None) or str(problem)) from None


if __name__ == "__main__":
    isolation.reply(rehearse)
