"""What something was made from, noted in .cache/stamps: where that is the same now, it need not be
made again. So are pages prepared, the draft rendered, and notebooks taken into the tree.

Preparing takes seconds, even where there is nothing to do: half of them to import what it takes,
which this module does not need. So the sources' sizes and times stand for what is in them.
"""

import hashlib
import os
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from kvreport.base import paths
from kvreport.base.paths import ROOT
from kvreport.render.place import BOOK

Result = TypeVar("Result")

MADE = ("draft", "__pycache__")  # folders that follow from the sources, beside hidden ones
OURS = "KVREPORT_"  # begins the environment variables that choose what is shown


def once(root: Path, pages: list[str], prepare: Callable[[], Result]) -> Result | None:
    """Prepares pages of the book in `root`, or all of it (no pages), where anything has changed
    since that was last done.
    """
    before = state(root)
    whole, these = str(root), "\n".join([str(root), *pages])
    if is_current(whole, before) or is_current(these, before):
        return None
    result = prepare()
    note(these, before)  # which never comes again where anything was written meanwhile
    return result


def state(root: Path, *more: str) -> str:
    """SHA-256 of what a render follows from: name, size and times of each file of the project and
    of the book in `root`, our environment variables, the installed packages, and more that is
    given. Empty where they cannot be listed.
    """
    asked = {name: os.environ[name] for name in os.environ if name.startswith(OURS)}
    variables = sorted((asked | {BOOK: str(root)}).items())
    try:
        packages = os.stat(sysconfig.get_path("purelib")).st_mtime_ns
        lines = [line for folder in {ROOT, root} for line in _files(str(folder))]
    except OSError:  # of a file that goes meanwhile, for one
        return ""
    text = "\n".join([sys.version, str(packages), str(variables), *more, *sorted(lines)])
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


def _files(folder: str) -> Iterator[str]:
    """A line for each file: whoever writes to it changes its ctime, which no program can set
    back.
    """
    for each in os.scandir(folder):
        if each.name.startswith(".") or each.name in MADE:
            continue
        if each.is_dir(follow_symlinks=False):
            yield from _files(each.path)
        else:
            about = each.stat(follow_symlinks=False)
            yield f"{each.path} {about.st_size} {about.st_mtime_ns} {about.st_ctime_ns}"


def is_current(what: str, now: str) -> bool:
    """Return whether something was noted to be made from what there is now; never where that is
    empty.
    """
    try:
        return bool(now) and file_of(what).read_bytes() == now.encode()
    except OSError:
        return False


def note(what: str, now: str) -> None:
    """Notes what something was made from."""
    file = file_of(what)
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}-{os.getpid()}")
    partial.write_text(now)
    partial.replace(file)


def file_of(what: str) -> Path:
    """Return where it is noted; two things have two files."""
    return paths.CACHE / "stamps" / hashlib.sha256(what.encode()).hexdigest()[:16]
