"""What a user got wrong, or a machine refuses, is one sentence and the exit code 2."""

import errno
import os
import re
import shutil
from pathlib import Path

import click

from kvreport.base.errors import UserError
from kvreport.base.paths import shown
from kvreport.base.terminal import echo

REMEDIES = {  # of what a machine refuses, and the user can put right
    errno.ENOSPC: "free some space, and the same command goes on from there",
    errno.EDQUOT: "free some space, and the same command goes on from there",
    errno.EROFS: "make it writable, or use a copy of the project in a folder that is",
    errno.EACCES: "change its permissions or its owner",
    errno.EPERM: "change its permissions or its owner",
    errno.EIO: "its disk or its network fails, the system's log says how",
    errno.EBUSY: "it is in use, as where something is mounted: free it",
    errno.EISDIR: "a folder is in the place of a file, remove it",
    errno.ENOTDIR: "a file is in the place of a folder, remove it",
    errno.EEXIST: "a file is in the place of a folder, remove it",
}


def first_of(problem: OSError) -> OSError:
    """Of the refusals that copying a folder has put together the first, else the refusal."""
    if not isinstance(problem, shutil.Error):
        return problem
    _, target, why = problem.args[0][0]
    number = int((re.search(r"Errno (\d+)", why) or ["", "0"])[1])
    return OSError(number, os.strerror(number), target)


def sentence_of(problem: OSError) -> str:
    """What the machine refused, where, and what to do about it."""
    file = problem.filename2 or problem.filename  # of a replacement, the one to be replaced
    where = f"{shown(Path(os.fsdecode(file)))}: " if file else ""
    return f"{where}{problem.strerror}: {REMEDIES[problem.errno or 0]}."


class Commands(click.Group):
    """Says a user's mistake in its one sentence and ends with 2."""

    def invoke(self, context: click.Context) -> object:
        try:
            return super().invoke(context)
        except UserError as mistake:
            echo(str(mistake), err=True)
            context.exit(2)
        except OSError as problem:
            first = first_of(problem)
            if first.errno not in REMEDIES:
                raise
            echo(sentence_of(first), err=True)
            context.exit(2)
