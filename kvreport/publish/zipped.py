"""ZIP archives: made so that the same content gives the same bytes, and unpacked with distrust."""

import re
import struct
import zipfile
import zlib
from pathlib import Path

from kvreport.base.errors import UserError
from kvreport.base.text import one_line

LARGEST = 2 << 30  # bytes of all files unpacked; versions have some tens of millions
MOST = 100_000  # files
NAME = re.compile(r"(?:(?!\.{1,2}(?:/|$))[^/\\:\0]{1,255}(?:/|$))+")  # that stays within its folder
EPOCH = (1980, 1, 1, 0, 0, 0)  # of the files in them
DAMAGE = (  # what zipfile raises of an archive that is none, encrypted, or has a file in a file
    *(zipfile.BadZipFile, EOFError, zlib.error, struct.error, ValueError, RuntimeError),
    *(FileExistsError, IsADirectoryError, NotADirectoryError),
)


def archive(file: Path, files: dict[str, bytes]) -> None:
    """Writes an archive of some files, by their names in it."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, content, zipfile.ZIP_DEFLATED)


def unpack(file: Path, folder: Path) -> None:
    """Unpacks an archive into a folder: files and folders alone, and of none more than the archive
    states. Raises UserError for one that is damaged, and, with nothing unpacked, for one that holds
    what no archive of ours does.
    """
    try:
        with zipfile.ZipFile(file) as packed:
            if complaint := _what_is_wrong_with(packed.infolist()):
                raise UserError(f"{file} is not unpacked: {one_line(complaint)}.")
            packed.extractall(folder)
    except DAMAGE:
        raise UserError(f"{file} is no archive, or damaged: take it from a backup.") from None


def _what_is_wrong_with(entries: list[zipfile.ZipInfo]) -> str | None:
    names = [entry.orig_filename for entry in entries]
    if len(names) > MOST or sum(entry.file_size for entry in entries) > LARGEST:
        return f"it holds more than {MOST:,} files or {LARGEST >> 20:,} MiB"
    if len(set(names)) < len(names):
        return "a name stands twice in it"
    odd = next((name for name in names if not NAME.fullmatch(name)), None)
    return None if odd is None else f"{odd[:255]} leads out of it, or is no name"
