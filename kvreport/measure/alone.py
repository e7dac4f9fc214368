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


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Keeps other measurements of this user waiting until this process ends, however it ends.

    Raises UserError where there is one already, unless the user wants both at once.
    """
    holder = own_folder() / "measured"  # the checkout that is being measured
    try:
        held = FileLock(PLACE / "lock").acquire(timeout=0)
    except Timeout:
        if os.environ.get(BESIDE):
            yield
            return
        raise UserError(
            f"Another measurement runs on this machine, of {_text(holder)}: two at once distort"
            " each other, so wait until it has ended, or ask for it with --beside-another."
        ) from None
    with held:
        holder.write_text(str(ROOT))
        yield


def _text(file: Path) -> str:
    try:
        return one_line(file.read_text(errors="replace"))
    except OSError:  # it has only begun
        return "another checkout"


def own_folder() -> Path:
    """The folder of the lock. Raises UserError where it is not the user's alone: anybody may make
    it, or lead it elsewhere, where it has to be.
    """
    PLACE.mkdir(mode=0o700, exist_ok=True)
    found = PLACE.lstat()
    # a link, too, is one that all can use
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
        raise UserError(
            f"{PLACE} is not a folder that only you can use: remove it, or have its owner do so."
        )
    return PLACE
