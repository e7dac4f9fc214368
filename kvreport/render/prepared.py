"""Whether sources are still as they were when they were last prepared and found in order.

Preparing takes seconds, even where there is nothing to do: half of them to import what it takes,
which this module does not need. So the files' sizes and times are kept in .cache/prepared.
"""

import hashlib
import os
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from kvreport.base.paths import CACHE, ROOT
from kvreport.render.place import BOOK

Result = TypeVar("Result")

MADE = ("draft", "__pycache__")  # folders that follow from the sources, beside hidden ones
OURS = "KVREPORT_"  # begins the environment variables that choose what is shown


def once(root: Path, pages: list[str], prepare: Callable[[], Result]) -> Result | None:
    """Prepares pages of the book in `root`, or all of it (no pages), where anything has changed
    since that was last done.
    """
    before = state(root)
    if is_prepared(root, pages, before):
        return None
    result = prepare()
    note(root, pages, before)  # which never comes again where anything was written meanwhile
    return result


def state(root: Path) -> str:
    """SHA-256 of what a render follows from: name, size and times of each file of the project and
    of the book in `root`, our environment variables, and the installed packages. Empty where they
    cannot be listed.
    """
    asked = {name: os.environ[name] for name in os.environ if name.startswith(OURS)}
    variables = sorted((asked | {BOOK: str(root)}).items())
    try:
        packages = os.stat(sysconfig.get_path("purelib")).st_mtime_ns
        lines = [line for folder in {ROOT, root} for line in _files(str(folder))]
    except OSError:  # of a file that goes meanwhile, for one
        return ""
    text = "\n".join([sys.version, str(packages), str(variables), *sorted(lines)])
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


def is_prepared(root: Path, pages: list[str], now: str) -> bool:
    """Whether these pages of a book, or all of it (no pages), were found in order in that state."""
    return bool(now) and now in (_kept(_file(root, pages)), _kept(_file(root, [])))


def note(root: Path, pages: list[str], now: str) -> None:
    """Notes that these pages of a book, or all of it, are in order in that state."""
    file = _file(root, pages)
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}-{os.getpid()}")
    partial.write_text(now)
    partial.replace(file)


def _file(root: Path, pages: list[str]) -> Path:
    name = hashlib.sha256("\n".join([str(root), *pages]).encode()).hexdigest()
    return CACHE / "prepared" / name[:16]


def _kept(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""
