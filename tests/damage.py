"""What can happen to a file that others write: for tables of tests, by name, each a function that
does it to a file.
"""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

Damage = Callable[[Path], Any]


def instead(make: Damage) -> Damage:
    """Puts something else in the file's place."""

    def damage(file: Path) -> None:
        file.unlink()
        make(file)

    return damage


def rewritten(change: Callable[[bytes], bytes]) -> Damage:
    """Changes the bytes."""
    return lambda file: file.write_bytes(change(file.read_bytes()))


def replaced(old: bytes, new: bytes) -> Damage:
    """Puts other bytes in the place of the first of some, which have to be there."""

    def change(content: bytes) -> bytes:
        assert old in content, old
        return content.replace(old, new, 1)

    return rewritten(change)


def edited(change: Callable[[Any], Any]) -> Damage:
    """Changes what a file holds as JSON, in place."""

    def damage(file: Path) -> None:
        content = json.loads(file.read_text())
        change(content)
        file.write_text(json.dumps(content))

    return damage


def with_values(**values: Any) -> Damage:
    """Gives names of a JSON object other values."""
    return edited(lambda content: content.update(values))


def without(name: str) -> Damage:
    """Takes a name out of a JSON object."""
    return edited(lambda content: content.pop(name))


def _bind(file: Path) -> None:
    here = os.getcwd()
    os.chdir(file.parent)  # the name of a socket may not be long
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(file.name)
    finally:
        os.chdir(here)


NO_FILE = {  # in place of a file
    "a named pipe": instead(os.mkfifo),
    "a socket": instead(_bind),
    "a device": instead(lambda file: file.symlink_to("/dev/zero")),
    "a folder": instead(os.mkdir),
    "a loop of links": instead(lambda file: file.symlink_to(file)),
    "a link to nowhere": instead(lambda file: file.symlink_to("nowhere")),
}
NO_TEXT = {  # of any file that holds text
    "not UTF-8": rewritten(lambda content: content[:9] + b"\xff" + content[9:]),
    "BOM": rewritten(lambda content: b"\xef\xbb\xbf" + content),
}
NO_JSON = {
    "empty": rewritten(lambda content: b""),
    "truncated": rewritten(lambda content: content[: len(content) // 2]),
    "deep": rewritten(lambda content: b"[" * 100_000),
    "zeros": rewritten(lambda content: bytes(len(content))),
    "a name twice": rewritten(lambda content: b'{"format": 1, "format": 1}'),
    "NaN": rewritten(lambda content: b'{"format": NaN}'),
    "a number out of bounds": rewritten(lambda content: b'{"format": 1e999}'),
    "two documents": rewritten(lambda content: content + content),
}
OTHER_JSON = {  # JSON, and not what is meant
    "a list": rewritten(lambda content: b"[]"),
    "a text": rewritten(lambda content: b'"{}"'),
    "null": rewritten(lambda content: b"null"),
    "an empty object": rewritten(lambda content: b"{}"),
}
ANY_JSON = NO_FILE | NO_TEXT | NO_JSON | OTHER_JSON
