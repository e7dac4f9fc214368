"""Where libraries unpack their native part. They load it from there, which a file system refuses
that is mounted `noexec`.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.scratch import scratch

NOEXEC = getattr(os, "ST_NOEXEC", 0)  # macOS has no such flag to show


def can_execute(folder: Path) -> bool:
    """Return whether what lies in a folder, or will, can be loaded and run."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return not os.statvfs(there).f_flag & NOEXEC


def place() -> Path:
    """The folder below which libraries are unpacked: the work folder or, where nothing could be
    loaded from that, the first other one from which it can. Raises UserError where none is.
    """
    for folder in (paths.WORK, paths.CACHE / "unpacked", Path(tempfile.gettempdir())):
        if can_execute(folder):
            return folder
    raise UserError(
        f"Native libraries can be loaded from none of {paths.WORK}, {paths.CACHE} and"
        f" {tempfile.gettempdir()}, which are mounted noexec: set KVREPORT_WORK or TMPDIR to a"
        " folder on a file system that is not."
    )


def notice() -> str | None:
    """That libraries are unpacked elsewhere than in the work folder, a sentence; None where they
    are not.
    """
    if place() == paths.WORK:
        return None
    return (
        f"The work folder is on a file system that is mounted noexec, so that native libraries are"
        f" unpacked below {paths.shown(place())}."
    )


@contextlib.contextmanager
def unpacking(work: Path) -> Iterator[Path]:
    """The folder for what libraries unpack while a program works in another: that one where they
    can be loaded from it, else one that is gone in the end. Raises UserError.
    """
    if can_execute(work):
        yield work
        return
    with scratch(place()) as folder:
        yield folder
