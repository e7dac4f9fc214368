"""What a disk did, in the order in which it did it: kept in a compact binary file.

The file begins with MAGIC and the bytes of the disk. An event is a letter, a number, the length of
the data that follow, these data, and a CRC-32 of them all; the last event is the number of those
before it, so that a file that is cut short is noticed. Numbers are little-endian.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kvreport.base.errors import UserError
from kvreport.base.files import Unreadable, read_bytes
from kvreport.base.paths import shown

MAGIC = b"kvblock1"
HEADER = struct.Struct("<8sQ")
EVENT = struct.Struct("<cQI")
CHECKSUM = struct.Struct("<I")
WRITE, FLUSH, MARK, END = b"W", b"F", b"M", b"E"


@dataclass(frozen=True, slots=True)
class Write:
    """Data that the disk took, at `offset` bytes; it need not keep them before a flush."""

    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Flush:
    """The disk made all writes before it durable."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The store acknowledged the commit of this number."""

    number: int


Event = Write | Flush | Mark


@dataclass(frozen=True)
class BlockLog:
    """What a disk of `size` bytes did."""

    size: int
    events: tuple[Event, ...]


class Writer:
    """Writes a log, event by event; the file is whole once it is closed. Raises OSError."""

    def __init__(self, file: Path, size: int):
        self.file, self.count = file.open("wb"), 0
        self.file.write(HEADER.pack(MAGIC, size))

    def append(self, event: Event) -> None:
        if isinstance(event, Write):
            self._append(WRITE, event.offset, event.data)
        elif isinstance(event, Mark):
            self._append(MARK, event.number)
        else:
            self._append(FLUSH, 0)
        self.count += 1

    def close(self) -> None:
        self._append(END, self.count)
        self.file.close()

    def _append(self, letter: bytes, number: int, data: bytes = b"") -> None:
        head = EVENT.pack(letter, number, len(data))
        self.file.write(head)
        self.file.write(data)
        self.file.write(CHECKSUM.pack(zlib.crc32(data, zlib.crc32(head))))


def read(file: Path) -> BlockLog:
    """A whole log. Raises UserError where the file is missing, damaged or cut short."""
    try:
        content = read_bytes(file)
        if len(content) < HEADER.size or not content.startswith(MAGIC):
            raise Unreadable("it does not begin as one")
        return BlockLog(HEADER.unpack_from(content)[1], tuple(_events(content)))
    except Unreadable as problem:
        raise UserError(
            f"{shown(file)} is no whole log of a disk ({problem}): record it again."
        ) from None


def _events(content: bytes) -> Iterator[Event]:
    at, count = HEADER.size, 0
    while True:
        begin = at + EVENT.size
        if begin > len(content):
            raise Unreadable("it is cut short")
        letter, number, length = EVENT.unpack_from(content, at)
        end = begin + length
        if end + CHECKSUM.size > len(content):
            raise Unreadable("it is cut short")
        (checksum,) = CHECKSUM.unpack_from(content, end)
        if checksum != zlib.crc32(memoryview(content)[at:end]):
            raise Unreadable(f"damaged at byte {at:,}")
        at = end + CHECKSUM.size
        if letter == END:
            if number != count or at != len(content):
                raise Unreadable(f"its end at byte {end:,} is out of place")
            return
        count += 1
        if letter == WRITE:
            yield Write(number, content[begin:end])
        else:
            yield Mark(number) if letter == MARK else Flush()
