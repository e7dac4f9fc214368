"""The disk as a power cut could have left it.

A disk keeps what it wrote before a flush. Of the writes since then it may have kept any, in any
order, and the one that it was at only in part: a device writes a sector whole, and no more
(https://www.kernel.org/doc/html/latest/block/writeback_cache_control.html).
"""

import errno
import itertools
import mmap
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from kvreport.base.errors import UserError
from kvreport.crash.block_log import BlockLog, Flush, Mark, Write

KINDS = ("everything", "flushed", "subset", "reordered", "torn")
UNITS = (512, 4096)  # bytes that a device writes whole: a sector, or a page of flash
BLOCK = 4096  # bytes: how finely an image is sparse
USED = re.compile(rb"\x01+")


@dataclass(frozen=True)
class Image:
    """What is left of a log after a power cut.

    cut   how many of the log's events came before it
    kind  which of the writes after the last flush the disk has: one of KINDS
          everything  all of them
          flushed     none
          subset      each with probability 1/2, in their order
          reordered   the same in any order: of two writes of one place the earlier may win
          torn        a subset, and one write of which some sectors are missing
    seed  of what else is random
    """

    cut: int
    kind: str
    seed: int


def random_image(log: BlockLog, seed: int, first: int | None = None) -> Image:
    """An image of a log: always the same for a seed.

    The cut comes with equal probability before or after any event from the one with the index
    `first` on; without it, from the first mark on. Raises UserError where a log has no mark.
    """
    random = Random(f"{seed}")
    begin = first_mark(log) if first is None else first
    return Image(random.randint(begin, len(log.events)), random.choice(KINDS), seed)


def first_mark(log: BlockLog) -> int:
    """The index of the first mark among the events. Raises UserError where there is none."""
    for index, event in enumerate(log.events):
        if isinstance(event, Mark):
            return index
    raise UserError("No commit was acknowledged: there is nothing that a power cut could lose.")


def acknowledged(log: BlockLog, cut: int) -> int | None:
    """The number of the last commit that was acknowledged before a cut; None before the first."""
    for index in reversed(range(cut)):
        event = log.events[index]
        if isinstance(event, Mark):
            return event.number
    return None


def survivors(image: Image, pending: Sequence[Write]) -> list[Write]:
    """Of the writes since the last flush what an image has, in the order in which it was kept."""
    if image.kind == "everything":
        return list(pending)
    if image.kind == "flushed":
        return []
    random = Random(f"{image.seed} writes")
    if image.kind == "torn":
        return _torn(random, pending)
    kept = [write for write in pending if random.random() < 0.5]
    if image.kind == "reordered":
        random.shuffle(kept)
    return kept


def _torn(random: Random, pending: Sequence[Write]) -> list[Write]:
    unit = random.choice(UNITS)
    cuttable = [index for index, write in enumerate(pending) if len(_sectors(write, unit)) > 1]
    torn = random.choice(cuttable) if cuttable else None
    kept: list[Write] = []
    for index, write in enumerate(pending):
        if index == torn:
            kept += _part(random, _sectors(write, unit))
        elif random.random() < 0.5:
            kept.append(write)
    return kept


def _sectors(write: Write, unit: int) -> list[Write]:
    """A write, cut where the disk's units begin."""
    end = write.offset + len(write.data)
    inner = range((write.offset // unit + 1) * unit, end, unit)
    bounds = [write.offset, *inner, end]
    return [
        Write(begin, write.data[begin - write.offset : until - write.offset])
        for begin, until in itertools.pairwise(bounds)
    ]


def _part(random: Random, sectors: list[Write]) -> list[Write]:
    """Some sectors and not all: the first few, or any."""
    some = random.randint(1, len(sectors) - 1)
    return sectors[:some] if random.random() < 0.5 else random.sample(sectors, some)


class Builder:
    """Builds images of one log. What was durable at the last flush is carried from one to the next,
    so that many cost little where their cuts ascend.
    """

    def __init__(self, log: BlockLog):
        self.log = log
        self._restart()

    def build(self, image: Image, file: int) -> None:
        """Writes an image to an empty file, open as `file`: sparse, and as long as the disk. Raises
        OSError.
        """
        if image.cut < self.at:
            self._restart()
        self._advance(image.cut)
        os.ftruncate(file, self.log.size)
        with memoryview(self.durable) as durable:
            for used in USED.finditer(self.used):
                begin, end = used.start() * BLOCK, used.end() * BLOCK
                with durable[begin:end] as run:
                    _put(file, run, begin)
        for write in survivors(image, self.pending):
            _put(file, write.data, write.offset)

    def _restart(self) -> None:
        self.at = 0
        self.durable = mmap.mmap(-1, self.log.size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.used = bytearray(-(-self.log.size // BLOCK))  # 1 for a block that is not all zeros
        self.pending: list[Write] = []

    def _advance(self, cut: int) -> None:
        for index in range(self.at, cut):
            event = self.log.events[index]
            if isinstance(event, Write):
                self.pending.append(event)
            elif isinstance(event, Flush):
                for write in self.pending:
                    self._keep(write)
                self.pending.clear()
        self.at = cut

    def _keep(self, write: Write) -> None:
        end = write.offset + len(write.data)
        first, last = write.offset // BLOCK, -(-end // BLOCK)
        if self.used.find(1, first, last) < 0 and write.data == bytes(len(write.data)):
            return  # zeros where zeros are, as mkfs writes them by the megabyte
        self.durable[write.offset : end] = write.data
        self.used[first:last] = b"\x01" * (last - first)


def _put(file: int, data: bytes | memoryview, offset: int) -> None:
    if os.pwrite(file, data, offset) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
