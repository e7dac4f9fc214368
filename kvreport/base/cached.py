"""What is kept in .cache to save time, as JSON: what is damaged counts as not there and is made
again.
"""

import json
from pathlib import Path
from typing import Any

from kvreport.base.files import Unreadable, read_text, write_atomically


def keep(file: Path, content: dict) -> None:
    """Keeps an object."""
    write_atomically(file, json.dumps(content, indent=1))


def kept(file: Path) -> dict[str, Any] | None:
    """The object that was kept; None where there is none, or not all of it."""
    try:
        found = json.loads(read_text(file))
    except (Unreadable, ValueError):
        return None
    return found if isinstance(found, dict) else None
