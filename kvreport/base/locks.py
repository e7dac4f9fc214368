"""What does not stay is held by a lock that dies with the program that holds it, however that ends.

A process number would not do: the system gives it to another program once it is free, and in a
container every program may have the same.
"""

import contextlib
import fcntl
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path


def create(folder: Path, prefix: str, suffix: str) -> tuple[int, Path]:
    """A new file with a name of its own and the permissions that the user's files have, open and
    locked until its descriptor is closed.
    """
    while True:
        file = folder / f"{prefix}{secrets.token_hex(6)}{suffix}"
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle, file
        os.close(handle)  # before the lock was had, somebody took it for abandoned


@contextlib.contextmanager
def abandoned(file: Path) -> Iterator[bool]:
    """Hold a lock until this is left, if nobody else does; tell whether that is so."""
    try:
        handle = os.open(file, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # gone by now, or no file of ours
        yield False
        return
    try:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield True
            return
        yield False
    finally:
        os.close(handle)


def remove_abandoned(files: Iterable[Path]) -> None:
    """Removes those files whose lock nobody holds."""
    for file in files:
        with abandoned(file) as free:
            if free:
                file.unlink(missing_ok=True)
