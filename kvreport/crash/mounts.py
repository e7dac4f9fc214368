"""File systems in a file, mounted where nobody else sees them.

What is mounted here is mounted in a namespace that goes with its processes, however they end; a
loop device goes with the last mount of it. So nothing is left behind by a program that is killed.
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
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kvreport.base.errors import UserError
from kvreport.base.paths import WORK

OUTSIDE = "KVREPORT_OUTSIDE"  # of an isolated program: the mounts that it left
OWN_MOUNTS = Path("/proc/self/ns/mnt")
MKFS = {  # quick, and nothing left to do for the kernel in the background
    "ext4": "mkfs.ext4 -q -F -b 4096 -N 4096 -J size=4"
    " -E nodiscard,lazy_itable_init=0,lazy_journal_init=0",
    "xfs": "mkfs.xfs -q -f -K",
    "btrfs": "mkfs.btrfs -q -f -K",
}
OPTIONS = {"xfs": "nouuid"}  # as images of one disk have one UUID
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


def isolated(*command: str | Path) -> list[str]:
    """A command with what has it run with mounts and processes of its own, all of which end with it
    and with the thread that starts it. It is to be ended by SIGKILL, as unshare(1) blocks others.
    """
    return [
        *("setpriv", "--pdeathsig", "KILL"),
        *("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"),
        *("env", f"{OUTSIDE}={OWN_MOUNTS.readlink()}"),
        *map(str, command),
    ]


def is_isolated() -> bool:
    """Whether this program has mounts of its own, by `isolated`."""
    return os.environ.get(OUTSIDE, str(OWN_MOUNTS.readlink())) != str(OWN_MOUNTS.readlink())


def mount(source: str, at: Path, kind: str, options: str = "") -> None:
    """mount(2), in an isolated program only. Raises OSError."""
    if not is_isolated():
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


def formatted(file: Path, kind: str = "ext4") -> None:
    """Makes an empty file system in a file, one of MKFS. Raises UserError."""
    done = subprocess.run([*MKFS[kind].split(), file], capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no reason is given"])[-1]
        raise UserError(f"{kind} cannot be made in a file: {said}.")


@contextlib.contextmanager
def mounted(
    file: int, kind: str = "ext4", options: str = "", direct: bool = False
) -> Iterator[Path]:
    """The folder at which the file system in a file is mounted, until this is left.

    file     a descriptor, open for reading and writing
    options  of the file system, as "noauto_da_alloc", beside those in OPTIONS
    direct   whether each write goes on to the file at once, and is in no cache before

    Raises NotMounted where the file system is damaged or has no such option, OSError where nothing
    can be mounted.
    """
    options = ",".join(filter(None, [OPTIONS.get(kind), options]))
    with mount_point() as at:
        with loop_device(file, direct) as device:
            try:
                mount(device, at, kind, options)
            except OSError as problem:
                if problem.errno in DAMAGED:
                    raise NotMounted(problem.strerror) from None
                raise
        try:
            yield at
        finally:
            unmount(at)


@contextlib.contextmanager
def loop_device(file: int, direct: bool) -> Iterator[str]:
    """A block device whose content is in a file. It is gone when this is left and nothing is
    mounted from it. Raises OSError.
    """
    flags = LO_FLAGS_AUTOCLEAR | (LO_FLAGS_DIRECT_IO if direct else 0)
    config = LOOP_CONFIG.pack(file, 0, *[0] * 8, flags, b"", b"", b"", *[0] * 10)
    control = os.open(LOOP_CONTROL, os.O_RDWR)
    device, name = -1, ""
    try:
        for attempt in reversed(range(ATTEMPTS)):
            name = f"/dev/loop{fcntl.ioctl(control, LOOP_CTL_GET_FREE)}"
            device = os.open(name, os.O_RDWR)
            try:
                fcntl.ioctl(device, LOOP_CONFIGURE, config)
                break
            except OSError as problem:
                os.close(device)
                if problem.errno != errno.EBUSY or not attempt:
                    raise
    finally:
        os.close(control)
    try:
        yield name
    finally:
        os.close(device)


@functools.cache
def can_run() -> str | None:
    """Why no power cut can be simulated here, in a sentence; None where it can."""
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
    tried = subprocess.run(isolated(sys.executable, "-m", __name__), capture_output=True, text=True)
    if tried.returncode:
        said = (tried.stderr.strip().splitlines() or ["no reason is given"])[-1].rstrip(".")
        return f"Nothing can be mounted here to simulate power cuts on: {said}."
    return None


def rehearse() -> None:
    """Mounts what a simulation mounts. Raises OSError, UserError or NotMounted."""
    with mount_point() as at:
        device = os.open(FUSE, os.O_RDWR)
        mount("kvreport", at, "fuse", f"fd={device},rootmode=40000,user_id=0,group_id=0")
        os.close(device)
        unmount(at)
    with mount_point() as at, (at / "disk").open("wb+") as disk:
        try:
            disk.truncate(16 << 20)
            formatted(at / "disk")
            with mounted(disk.fileno()):
                pass
        finally:
            (at / "disk").unlink()


if __name__ == "__main__":
    try:
        rehearse()
    except (OSError, UserError, NotMounted) as problem:
        sys.exit(getattr(problem, "strerror", None) or str(problem))
