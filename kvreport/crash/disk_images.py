"""The disk as a power cut could have left it.

A disk keeps what it wrote before a flush. Of the writes since then it may have kept any, in any
order, and the one that it was at only in part: a device writes a sector whole, and no more
(https://www.kernel.org/doc/html/latest/block/writeback_cache_control.html).
"""

import contextlib
import errno
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from kvreport.base.errors import UserError
from kvreport.crash.block_log import BlockLog, Flush, Mark, Write

KINDS = ("everything", "flushed", "subset", "reordered", "torn")
UNITS = (512, 4096)  # bytes that a device writes whole: a sector, or a page of flash


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


def random_image(log: BlockLog, seed: int) -> Image:
    """An image of a log: always the same for a seed. The cut comes with equal probability before or
    after any event from the first mark on. Raises UserError where a log has no mark.
    """
    random = Random(f"{seed}")
    return Image(random.randint(first_mark(log), len(log.events)), random.choice(KINDS), seed)


def first_mark(log: BlockLog) -> int:
    """The index of the first mark among the events. Raises UserError where there is none."""
    for index, event in enumerate(log.events):
        if isinstance(event, Mark):
            return index
    raise UserError("No commit was acknowledged: there is nothing that a power cut could lose.")


def acknowledged(log: BlockLog, cut: int) -> int:
    """The number of the last commit that was acknowledged before a cut; 0 before the first."""
    before = reversed(log.events[:cut])
    return next((event.number for event in before if isinstance(event, Mark)), 0)


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


def images_of(log: BlockLog, wanted: Iterable[Image]) -> Iterator[tuple[Image, int]]:
    """Each image in a file in memory, sparse and as long as the disk, in the order of their cuts:
    so that what was durable at the last flush is carried from one to the next. A file is gone when
    the next is asked for. Raises OSError.
    """
    begin, pending = 0, list[Write]()
    with memory_file(log.size) as durable:
        for image in sorted(wanted, key=lambda image: (image.cut, image.seed)):
            for event in log.events[begin : image.cut]:
                if isinstance(event, Write):
                    pending.append(event)
                elif isinstance(event, Flush):
                    _put(durable, pending)
                    pending.clear()
            begin = image.cut
            with memory_file(log.size) as file:
                _put(file, _written(durable))
                _put(file, survivors(image, pending))
                yield image, file


@contextlib.contextmanager
def memory_file(size: int) -> Iterator[int]:
    """A file in memory, all zeros, without a name that could be left behind: its descriptor."""
    file = os.memfd_create("disk")
    try:
        os.truncate(file, size)
        yield file
    finally:
        os.close(file)


def _written(file: int) -> Iterator[Write]:
    """The parts of a sparse file that were written."""
    end = 0
    while True:
        try:
            begin = os.lseek(file, end, os.SEEK_DATA)
        except OSError as problem:
            if problem.errno == errno.ENXIO:  # the rest is a hole
                return
            raise
        end = os.lseek(file, begin, os.SEEK_HOLE)
        yield Write(begin, os.pread(file, end - begin, begin))


def _put(file: int, writes: Iterable[Write]) -> None:
    for write in writes:
        if os.pwrite(file, write.data, write.offset) != len(write.data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
