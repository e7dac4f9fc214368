"""What is kept in .cache to save time: JSON with its own checksum, so that what is damaged counts
as not there and is made again.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from kvreport.base.files import Unreadable, read_text, write_atomically

HEAD = '{"sha256": "%s",'  # of all that follows, which with a brace before it is what was kept
LENGTH = len(HEAD % hashlib.sha256().hexdigest())


def keep(file: Path, content: dict) -> None:
    """Keeps an object."""
    keep_text(file, json.dumps(content, indent=1))


def kept(file: Path) -> dict[str, Any] | None:
    """The object that was kept; None where there is none, or not all of it."""
    text = kept_text(file)
    return None if text is None else json.loads(text)


def keep_text(file: Path, text: str) -> None:
    """The same of an object that is JSON already."""
    rest = text.lstrip().removeprefix("{")
    write_atomically(file, _head(rest) + rest)


def kept_text(file: Path) -> str | None:
    """The same, as JSON."""
    try:
        text = read_text(file)
    except Unreadable:
        return None
    head, rest = text[:LENGTH], text[LENGTH:]
    return "{" + rest if head == _head(rest) else None


def _head(rest: str) -> str:
    return HEAD % hashlib.sha256(rest.encode()).hexdigest()
