"""A disk that records what it does: one file, `disk`, at a mount point of its own.

    python -m kvreport.crash.fuse_disk MOUNTPOINT LOG BYTES

It speaks the kernel's protocol of file systems in user space, whose numbers and structures are in
include/uapi/linux/fuse.h of Linux. The file is found by its name, not listed. It is all zeros at
first, and kept in memory; each write and each flush (fsync) goes to the log once it is done.

It prints `ok` when the disk is there, and after each of the lines that it takes:

    mark N       the store acknowledged commit N
    fail write   all writes from now on fail (EIO)
    fail flush   likewise
    end          the log is whole; nothing is added to it

It ends when its input does, or when it is unmounted. Whoever started it unmounts it.
"""

import ctypes
import errno
import mmap
import os
import selectors
import stat
import struct
import sys
from pathlib import Path

from kvreport.crash.block_log import Event, Flush, LogWriter, Mark, Write
from kvreport.crash.mounts import FUSE, leave_mounts, mount

NAME = "disk"
ROOT_ID, DISK_ID = 1, 2  # of the two nodes
FOREVER = 1 << 32  # seconds for which the kernel may remember what never changes
MAJOR, MINOR = 7, 31  # of the protocol; the kernel adapts to an older minor version
MOST_BYTES = 1 << 20  # of a write
ASYNC_READ, BIG_WRITES, ASYNC_DIO, MAX_PAGES = 1 << 0, 1 << 5, 1 << 15, 1 << 22
DIRECT_IO = 1 << 0  # FOPEN_DIRECT_IO: nothing is cached between the loop device and this disk
LOOKUP, FORGET, GETATTR, SETATTR, OPEN, READ, WRITE = 1, 2, 3, 4, 14, 15, 16
RELEASE, FSYNC, INIT, BATCH_FORGET = 18, 20, 26, 42
IN_HEADER = struct.Struct("=IIQQ4I")  # length, operation, unique, node, uid, gid, pid, ...
OUT_HEADER = struct.Struct("=IiQ")  # length, -error, unique
INIT_IN = struct.Struct("=4I")  # major, minor, bytes of read-ahead, flags
INIT_OUT = struct.Struct("=4I2H2I2H8I")
ENTRY = struct.Struct("=4Q2I")  # node, generation, seconds for which name and attributes hold
VALID = struct.Struct("=QII")  # seconds for which attributes hold
ATTRIBUTES = struct.Struct("=6Q10I")
OPENED = struct.Struct("=QII")  # handle, flags
TRANSFER = struct.Struct("=QQIIQII")  # of a read or write: handle, offset, size, ...
WRITTEN = struct.Struct("=II")
PR_SET_IO_FLUSHER = 57  # <linux/prctl.h>


class Disk:
    """The disk's content and its log."""

    def __init__(self, size: int, log: LogWriter):
        self.size = size
        self.content = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.log: LogWriter | None = log
        self.failing: set[str] = set()

    def write(self, offset: int, data: bytes) -> None:
        """Raises OSError where it is to fail, or goes past the end."""
        self._fail("write")
        if offset + len(data) > self.size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.content[offset : offset + len(data)] = data
        self._log(Write(offset, data))

    def flush(self) -> None:
        """Raises OSError where it is to fail."""
        self._fail("flush")
        self._log(Flush())

    def obey(self, line: str) -> None:
        """Does what a line asks for. Raises ValueError where it asks for nothing."""
        match line.split():
            case ["mark", number]:
                self._log(Mark(int(number)))
            case ["fail", ("write" | "flush") as operation]:
                self.failing.add(operation)
            case ["end"] if self.log:
                self.log.close()
                self.log = None
            case _:
                raise ValueError(f"no order to a disk: {line}")

    def _fail(self, operation: str) -> None:
        if operation in self.failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def _log(self, event: Event) -> None:
        if self.log:
            self.log.append(event)


class Server:
    """Answers the kernel's requests, which come from /dev/fuse, open as `device`."""

    def __init__(self, disk: Disk, device: int):
        self.disk, self.device = disk, device
        self.buffer = bytearray(MOST_BYTES + mmap.PAGESIZE)
        self.answers = {
            INIT: self._init,
            LOOKUP: self._lookup,
            GETATTR: self._attributes,
            SETATTR: self._attributes,
            OPEN: self._open,
            READ: self._read,
            WRITE: self._write,
            FSYNC: self._fsync,
            RELEASE: lambda node, body: b"",
        }

    def serve_one(self) -> bool:
        """Answers a request, if there is one; False once the file system is unmounted."""
        try:
            length = os.readv(self.device, [self.buffer])
        except OSError as problem:
            if problem.errno in (errno.EAGAIN, errno.ENOENT, errno.EINTR):  # it was taken back
                return True
            if problem.errno == errno.ENODEV:
                return False
            raise
        _, operation, unique, node, *_ = IN_HEADER.unpack_from(self.buffer)
        if operation in (FORGET, BATCH_FORGET):  # which wait for no answer
            return True
        error, answer = 0, b""
        try:
            if operation not in self.answers:
                raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
            with memoryview(self.buffer)[IN_HEADER.size : length] as body:
                answer = self.answers[operation](node, body)
        except OSError as problem:
            error = problem.errno or errno.EIO
        try:
            header = OUT_HEADER.pack(OUT_HEADER.size + len(answer), -error, unique)
            os.writev(self.device, [header, answer])
        except OSError as problem:
            if problem.errno != errno.ENOENT:  # nobody waits any more
                raise
        return True

    def _init(self, node: int, body: memoryview) -> bytes:
        _, _, read_ahead, offered = INIT_IN.unpack_from(body)
        flags = offered & (ASYNC_READ | BIG_WRITES | ASYNC_DIO | MAX_PAGES)
        pages = MOST_BYTES // mmap.PAGESIZE
        at_once = 64, 48  # requests in the background, and from when on that is called congested
        return INIT_OUT.pack(
            MAJOR, MINOR, read_ahead, flags, *at_once, MOST_BYTES, 1, pages, *[0] * 9
        )

    def _lookup(self, node: int, body: memoryview) -> bytes:
        if node != ROOT_ID or bytes(body) != f"{NAME}\0".encode():
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        return ENTRY.pack(DISK_ID, 0, FOREVER, FOREVER, 0, 0) + self._packed(DISK_ID)

    def _attributes(self, node: int, body: memoryview) -> bytes:
        return VALID.pack(FOREVER, 0, 0) + self._packed(node)

    def _packed(self, node: int) -> bytes:
        is_disk = node == DISK_ID
        size = self.disk.size if is_disk else 0
        mode = stat.S_IFREG | 0o600 if is_disk else stat.S_IFDIR | 0o700
        links = 1 if is_disk else 2
        times, owner_and_device = [0] * 6, [0] * 3
        return ATTRIBUTES.pack(
            node, size, size // 512, *times, mode, links, *owner_and_device, mmap.PAGESIZE, 0
        )

    def _open(self, node: int, body: memoryview) -> bytes:
        return OPENED.pack(0, DIRECT_IO, 0)

    def _read(self, node: int, body: memoryview) -> bytes:
        _, offset, size, *_ = TRANSFER.unpack_from(body)
        return self.disk.content[offset : offset + size]

    def _write(self, node: int, body: memoryview) -> bytes:
        _, offset, size, *_ = TRANSFER.unpack_from(body)
        self.disk.write(offset, bytes(body[TRANSFER.size : TRANSFER.size + size]))
        return WRITTEN.pack(size, 0)

    def _fsync(self, node: int, body: memoryview) -> bytes:
        self.disk.flush()
        return b""


def serve(server: Server, orders: int, answers: int) -> None:
    """Serves the kernel, and the lines of one descriptor with answers on another, until either
    ends.
    """
    rest = b""
    with selectors.DefaultSelector() as ready:
        ready.register(server.device, selectors.EVENT_READ)
        ready.register(orders, selectors.EVENT_READ)
        os.write(answers, b"ok\n")
        while True:
            for key, _ in ready.select():
                if key.fd == server.device:
                    if not server.serve_one():
                        return
                    continue
                more = os.read(orders, 1 << 16)
                if not more:
                    return
                *lines, rest = (rest + more).split(b"\n")
                for line in lines:
                    server.disk.obey(line.decode())
                    os.write(answers, b"ok\n")


def main() -> None:
    at, log, size = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    # The kernel never waits for this disk in order to find memory for it.
    ctypes.CDLL(None).prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0)
    disk = Disk(size, LogWriter(log, size))
    device = os.open(FUSE, os.O_RDWR | os.O_NONBLOCK)
    mount("kvreport", at, "fuse", f"fd={device},rootmode=40000,user_id=0,group_id=0")
    leave_mounts()
    serve(Server(disk, device), sys.stdin.fileno(), sys.stdout.fileno())


if __name__ == "__main__":
    main()
