"""What the system allows this program: memory, open files, and how large a file may be.

Memory is limited by control groups, the program's own and each above it that can be seen, and for a
process alone by `ulimit`. Sources: cgroups(7), the kernel's documents on cgroup-v1/memory and
cgroup-v2, getrlimit(2).
"""

import contextlib
import resource
from dataclasses import dataclass
from pathlib import Path

import psutil

from kvreport.base.errors import UserError
from kvreport.measure.linux import facts, number, read

SYSTEM = Path("/")
GROUPS = Path("sys/fs/cgroup")  # where every system mounts them
OF_GROUP = ("memory.max", "memory.high", "memory.limit_in_bytes")  # beyond `high` it hardly moves
USED = ("memory.current", "memory.usage_in_bytes")
CACHE = ("inactive_file", "active_file")  # in memory.stat: what the group gives back when it has to
OF_PROCESS = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
RESERVED_BYTES = 3 << 29  # of its address space, which a JVM takes beside its heap and never fills
KERNEL_FILES = 256  # that a Java kernel has open: its jars, its sockets, a store's first files
OPEN_FILES = 4096  # enough for an LSM tree that keeps all its tables open
FILES_REMEDY = "raise the limit, as with `ulimit -n 4096`, or have root do so"


@dataclass(frozen=True)
class Bound:
    """A limit of memory and what is left of it, in bytes."""

    limit: int
    left: int


def memory_allowed(root: Path = SYSTEM) -> int | None:
    """Bytes of memory that the system allows this program in all; None for no limit."""
    return min((bound.limit for bound in bounds(root)), default=None)


def memory_available(root: Path = SYSTEM) -> int:
    """Bytes of memory that a program can have now: what is left within the tightest limit."""
    return min([psutil.virtual_memory().available, *(bound.left for bound in bounds(root))])


def bounds(root: Path = SYSTEM) -> list[Bound]:
    """The limits that this program is under. One that is beyond the machine's memory is none."""
    every = [*filter(None, map(of_group, groups(root))), *of_process()]
    return [bound for bound in every if bound.limit < psutil.virtual_memory().total]


def groups(root: Path = SYSTEM) -> list[Path]:
    """The folders of the control groups whose memory this program's is part of, its own first, as
    far as they can be seen: of versions 1 and 2, where both are in use. In a container the path
    may be the one outside: of its endings, the first that is there is the group.

    root  the folder in which /proc and the rest are
    """
    found: list[Path] = []
    for line in (read(root / "proc/self/cgroup") or "").splitlines():
        _, controllers, path = f"{line}::".split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        mounted = root / GROUPS / ("memory" if controllers else "")
        parts = path.strip(":/").split("/")
        endings = (mounted.joinpath(*parts[at:]) for at in range(len(parts)))
        own = next((each for each in endings if each.is_dir()), mounted)
        found += [each for each in (own, *own.parents) if each.is_relative_to(mounted)]
    return found


def of_group(folder: Path) -> Bound | None:
    """The limit of a control group; None where it has none, or is not to be seen."""
    limits = [limit for name in OF_GROUP if (limit := number(read(folder / name))) is not None]
    if not limits:
        return None
    used = next(filter(None, (number(read(folder / name)) for name in USED)), 0)
    parts = facts(read(folder / "memory.stat"))
    cached = sum(int(parts.get(f"total_{name}") or parts.get(name) or 0) for name in CACHE)
    return Bound(min(limits), max(0, min(limits) - max(0, used - cached)))


def of_process() -> list[Bound]:
    """The limits that each process has for itself, and so a new one whole."""
    found = (resource.getrlimit(each)[0] for each in OF_PROCESS)
    return [
        Bound(limit, max(0, limit - RESERVED_BYTES))
        for limit in found
        if limit != resource.RLIM_INFINITY
    ]


def open_files() -> int | None:
    """Return how many files a program may have open, as the hard limit says, to which Java raises
    its own; None for any number.
    """
    return _limit(resource.RLIMIT_NOFILE, 1)


def file_bytes() -> int | None:
    """Return how large a file may become; None for any size."""
    return _limit(resource.RLIMIT_FSIZE, 0)


def _limit(which: int, hard: int) -> int | None:
    limit = resource.getrlimit(which)[hard]
    return None if limit == resource.RLIM_INFINITY else limit


def ensure_open_files() -> None:
    """Lets this program, and what it starts, have as many files open as the hard limit allows.
    Raises UserError where no kernel could start with that.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # macOS names a hard limit that it refuses
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    limit = open_files()
    if limit is not None and limit < KERNEL_FILES:
        raise UserError(
            f"At most {limit} files can be open and a kernel takes {KERNEL_FILES}: {FILES_REMEDY}."
        )
