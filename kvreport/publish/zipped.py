"""ZIP archives: made so that the same content gives the same bytes, and unpacked with distrust."""

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from kvreport.base.errors import UserError
from kvreport.base.text import one_line

LARGEST = 2 << 30  # bytes of all files unpacked; versions have some tens of millions
MOST = 100_000  # files
LONGEST = 255  # bytes of a name, as file systems have it
KNOWN = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
EPOCH = (1980, 1, 1, 0, 0, 0)  # of the files in them


def archive(file: Path, files: dict[str, bytes]) -> None:
    """Writes an archive of some files, by their names in it."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, content, zipfile.ZIP_DEFLATED)


def unpack(file: Path, folder: Path) -> None:
    """Unpacks an archive into a folder. Raises UserError, with nothing unpacked, for one that is
    damaged, or holds what no archive of ours does.
    """
    try:
        with zipfile.ZipFile(file) as packed:
            if complaint := next(_complaints(packed.infolist()), None):
                raise UserError(f"{file} is not unpacked: {one_line(complaint)}.")
            packed.extractall(folder)
    except (zipfile.BadZipFile, EOFError, zlib.error, struct.error, ValueError):
        raise UserError(f"{file} is no archive, or damaged: take it from a backup.") from None


def _complaints(entries: list[zipfile.ZipInfo]) -> Iterator[str]:
    """What in an archive is not to be trusted, a few words each. More than an entry states is
    never unpacked of it.
    """
    if len(entries) > MOST or sum(entry.file_size for entry in entries) > LARGEST:
        yield f"it holds more than {MOST:,} files or {LARGEST >> 20:,} MiB"
    names = {entry.filename for entry in entries}
    if len(names) < len(entries):
        yield "a name stands twice in it"
    for entry in entries:
        name, kind = entry.orig_filename, stat.S_IFMT(entry.external_attr >> 16)
        parts = name.removesuffix("/").split("/")
        if {"", ".", ".."} & set(parts) or "\\" in name or ":" in name or "\0" in name:
            yield f"{name} leads out of it, or is no name"
        if any(len(part.encode(errors="replace")) > LONGEST for part in parts):
            yield f"{name[:LONGEST]}... is too long for a name"
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            yield f"{name} is a link or a device"
        if entry.flag_bits & 1 or entry.compress_type not in KNOWN:
            yield f"{name} is encrypted, or packed in another way than ours"
        if any("/".join(parts[:at]) in names for at in range(1, len(parts))):
            yield f"{name} is in what is a file"
