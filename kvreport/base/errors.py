"""What a user reads in place of a stack trace when something is wrong that he can put right."""

import errno
import os
import re
import shutil
from pathlib import Path

from kvreport.base.paths import shown

REMEDIES = {  # of what a machine refuses, and the user can put right
    errno.ENOSPC: "free some space, and the same command goes on from there",
    errno.EDQUOT: "free some space, and the same command goes on from there",
    errno.EROFS: "make it writable, or use a copy of the project in a folder that is",
    errno.EACCES: "change its permissions or its owner",
    errno.EPERM: "change its permissions or its owner",
    errno.EFBIG: "raise the limit, as with `ulimit -f unlimited`",
    errno.EMFILE: "raise the limit of open files, as with `ulimit -n 4096`",
    errno.ENFILE: "end programs that have many files open",
    errno.ENAMETOOLONG: "choose a shorter one",
    errno.EIO: "its disk or its network fails, the system's log says how",
    errno.EBUSY: "it is in use, as where something is mounted: free it",
    errno.EISDIR: "a folder is in the place of a file, remove it",
    errno.ENOTDIR: "a file is in the place of a folder, remove it",
    errno.EEXIST: "a file is in the place of a folder, remove it",
}


class UserError(Exception):
    """One clear sentence: what is wrong and what to do. The command line prints it and exits with
    2.
    """


def sentence_of(problem: UserError | OSError) -> str | None:
    """Return what a user got wrong or a machine refuses, and what to do about it; None where it is
    a fault of the code.
    """
    if isinstance(problem, UserError):
        return str(problem)
    refusal = _first_of(problem)
    if refusal.errno not in REMEDIES:
        return None
    file = refusal.filename2 or refusal.filename  # of a replacement, the one to be replaced
    where = f"{shown(Path(os.fsdecode(file)))}: " if file else ""
    return f"{where}{refusal.strerror}: {REMEDIES[refusal.errno]}."


def _first_of(problem: OSError) -> OSError:
    """Of the refusals that copying a folder has put together the first, else the refusal."""
    if not isinstance(problem, shutil.Error):
        return problem
    _, target, why = problem.args[0][0]
    number = int((re.search(r"Errno (\d+)", why) or ["", "0"])[1])
    return OSError(number, os.strerror(number), target)
