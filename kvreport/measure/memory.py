"""A limit on a command's memory, and so on the page cache that it fills: a control group of Linux,
where one may be made.

A group made through the kernel's own files, of version 1 or 2, takes root's rights; a scope of
systemd is open to any user who has a session.
"""

import contextlib
import functools
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
MEMBERS = "cgroup.procs"
ENTER = f'echo $$ > "$0/{MEMBERS}" && exec "$@"'  # a shell's, which then becomes the command
TRIED = 64 << 20  # bytes: enough for `true`
PATIENCE_SECONDS = 5  # until the kernel has let go of a group whose processes were killed


class NotLimited(Exception):
    """Why memory cannot be limited here: a clause."""


@contextlib.contextmanager
def limited(size: int) -> Iterator[list[str]]:
    """Words to put before a command, which has then, with all that it starts, `size` bytes of
    memory. Raises NotLimited.
    """
    tried: list[str] = []
    for make in (
        lambda: group(GROUPS / "memory", {"memory.limit_in_bytes": size}),
        lambda: group(GROUPS, {"memory.max": size, "memory.swap.max": 0}),
        lambda: contextlib.nullcontext(scope(size)),
    ):
        with contextlib.ExitStack() as stack:
            try:
                way = stack.enter_context(make())
                subprocess.run([*way, "true"], check=True, capture_output=True, text=True)
            except OSError as problem:
                tried.append(problem.strerror or "it does not start")
            except subprocess.CalledProcessError as problem:
                tried.append((problem.stderr.strip().splitlines() or ["it does not work"])[-1])
            else:
                yield way
                return
    raise NotLimited(
        "no control group with a memory limit can be made here, neither as root nor with"
        f" systemd-run ({'; '.join(dict.fromkeys(tried))})"
    )


@contextlib.contextmanager
def group(parent: Path, limits: dict[str, int]) -> Iterator[list[str]]:
    """A control group below another, with limits by the name of their file. Raises OSError."""
    folder = parent / f"kvreport-{os.getpid()}-{time.monotonic_ns()}"
    folder.mkdir()
    try:
        for name, value in limits.items():
            with open(folder / name, "r+") as file:  # which is there, or this is no control group
                file.write(str(value))
        yield ["sh", "-c", ENTER, str(folder)]
    finally:
        patience = time.monotonic() + PATIENCE_SECONDS
        while folder.exists():
            try:
                folder.rmdir()
            except OSError:
                if time.monotonic() > patience:
                    break
                time.sleep(0.05)


def scope(size: int) -> list[str]:
    """The same as a scope of systemd, which goes when its processes have gone. Raises OSError where
    there is none.
    """
    if not shutil.which("systemd-run"):
        raise FileNotFoundError(2, "systemd-run is not there")
    user = [] if os.geteuid() == 0 else ["--user"]
    limits = ["-p", f"MemoryMax={size}", "-p", "MemorySwapMax=0"]
    return ["systemd-run", *user, "--scope", "--quiet", "--collect", *limits, "--"]


@functools.cache
def why_not() -> str | None:
    """Return why memory cannot be limited here; None where it can."""
    try:
        with limited(TRIED):
            return None
    except NotLimited as problem:
        return str(problem)
