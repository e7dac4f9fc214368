"""What a disk did, in the order in which it did it: kept in a compact binary file.

The file begins with the bytes of the disk. An event is a letter, a number, the length of the data
that follow, and these data. Numbers are little-endian.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

SIZE = struct.Struct("<Q")
EVENT = struct.Struct("<cQI")
WRITE, FLUSH, MARK = b"W", b"F", b"M"


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


class LogWriter:
    """Writes a log, event by event; the file is whole once it is closed. Raises OSError."""

    def __init__(self, file: Path, size: int):
        self.file = file.open("wb")
        self.file.write(SIZE.pack(size))

    def append(self, event: Event) -> None:
        match event:
            case Write(offset, data):
                self.file.write(EVENT.pack(WRITE, offset, len(data)))
                self.file.write(data)
            case Mark(number):
                self.file.write(EVENT.pack(MARK, number, 0))
            case Flush():
                self.file.write(EVENT.pack(FLUSH, 0, 0))

    def close(self) -> None:
        self.file.close()


def read_log(file: Path) -> BlockLog:
    """A log that was closed."""
    with file.open("rb") as log:
        (size,) = SIZE.unpack(log.read(SIZE.size))
        return BlockLog(size, tuple(_events(log)))


def _events(log: IO[bytes]) -> Iterator[Event]:
    while head := log.read(EVENT.size):
        letter, number, length = EVENT.unpack(head)
        if letter == WRITE:
            yield Write(number, log.read(length))
        else:
            yield Mark(number) if letter == MARK else Flush()
