"""One measurement at a time on a machine, whatever checkout it is of: each of two would measure the
other as well.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from kvreport.base.errors import UserError
from kvreport.base.paths import ROOT
from kvreport.base.text import one_line

BESIDE = "KVREPORT_BESIDE_ANOTHER"  # set: the user wants to measure all the same
# The same for all sessions of a user, as neither XDG_RUNTIME_DIR nor TMPDIR is.
PLACE = Path("/tmp") / f"kvreport-{os.geteuid()}"
LOCK, HOLDER = "lock", "measured"  # files there: the latter has the checkout that is being measured
PATIENCE_SECONDS = 1  # as who only asks whether it is held has it, too, for a moment


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Keeps other measurements of this user waiting until this process ends, however it ends.

    Raises UserError where there is one already, unless the user wants both at once.
    """
    make_place()
    try:
        held = FileLock(PLACE / LOCK).acquire(timeout=PATIENCE_SECONDS)
    except Timeout:
        if os.environ.get(BESIDE):
            yield
            return
        raise UserError(
            f"Another measurement runs on this machine, of {holder()}: two at once distort"
            " each other, so wait until it has ended, or ask for it with --beside-another."
        ) from None
    with held:
        (PLACE / HOLDER).write_text(str(ROOT))
        yield


def measured() -> str | None:
    """The checkout that is being measured on this machine by this user; None where none is."""
    if not (PLACE / LOCK).exists() or not is_own():
        return None
    try:
        FileLock(PLACE / LOCK).acquire(timeout=0).lock.release()
    except Timeout:
        return holder()
    return None


def holder() -> str:
    """Return what the holder of the lock has written of itself."""
    try:
        return one_line((PLACE / HOLDER).read_text(errors="replace"))
    except OSError:  # it has only begun
        return "another checkout"


def make_place() -> None:
    """Makes the folder of the lock. Raises UserError where it is not the user's alone."""
    PLACE.mkdir(mode=0o700, exist_ok=True)
    if not is_own():
        raise UserError(
            f"{PLACE} is not a folder that only you can use: remove it, or have its owner do so."
        )


def is_own() -> bool:
    """Return whether the folder is the user's alone: anybody may make it, or lead it elsewhere,
    where it has to be. A link counts as a folder that all can use.
    """
    found = PLACE.lstat()
    return found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077
