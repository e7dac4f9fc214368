"""Folders for what does not stay, each with a lock beside it: what a killed program leaves is known
by that, and removed. Needs nothing but Python's own library, as `render.place` runs without more.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from kvreport.base import locks

PREFIX = ".kvreport-"
LOCK = ".lock"


@contextlib.contextmanager
def scratch(place: Path) -> Iterator[Path]:
    """A new folder in `place`, gone in the end."""
    place.mkdir(parents=True, exist_ok=True)
    remove_leftovers(place)
    handle, lock = locks.create(place, PREFIX, LOCK)
    folder = lock.with_suffix("")
    try:
        folder.mkdir()
        yield folder
    finally:
        _remove(folder, lock)
        os.close(handle)


def remove_leftovers(place: Path) -> None:
    """Removes the folders of programs that are gone."""
    for lock in place.glob(f"{PREFIX}*{LOCK}"):
        with locks.abandoned(lock) as free:
            if free:
                _remove(lock.with_suffix(""), lock)
    for folder in place.glob(f"{PREFIX}*"):  # the lock is made before its folder, and goes after it
        if folder.is_dir() and not folder.with_name(folder.name + LOCK).exists():
            shutil.rmtree(folder, ignore_errors=True)


def _remove(folder: Path, lock: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    lock.unlink(missing_ok=True)
