"""Folders for what does not stay, each named for its process: what a killed one leaves is known by
that, and removed.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil

PREFIX = ".kvreport-"


@contextlib.contextmanager
def scratch(place: Path) -> Iterator[Path]:
    """A new folder in `place`, gone in the end."""
    place.mkdir(parents=True, exist_ok=True)
    remove_leftovers(place)
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=place))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_leftovers(place: Path) -> None:
    """Removes the folders of processes that are gone."""
    for folder in place.glob(f"{PREFIX}*"):
        pid = folder.name.removeprefix(PREFIX).partition("-")[0]
        if pid.isdigit() and not psutil.pid_exists(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)
