"""Files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path


def write_atomically(file: Path, content: str | bytes) -> None:
    """Writes a file so that whoever reads it finds the old content or the new, never a part.

    The folder is made where there is none; permissions are those that the user's files have.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}", suffix=".tmp")
    try:
        with open(handle, "wb") as whole:
            whole.write(content.encode() if isinstance(content, str) else content)
        os.chmod(partial, 0o666 & ~_umask())
        os.replace(partial, file)
    except BaseException:
        os.unlink(partial)
        raise


def _umask() -> int:
    mask = os.umask(0o022)  # there is no way to ask but to set it
    os.umask(mask)
    return mask
