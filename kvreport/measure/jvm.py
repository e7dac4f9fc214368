"""A Java kernel that runs: started, spoken to, and dead when it is left, whatever happens to it or
to this program.
"""

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty
from typing import BinaryIO

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

from kvreport.base.text import brief
from kvreport.base.unpacking import unpacking
from kvreport.toolchain.jdk import first_error

START_SECONDS = 60
POLL_SECONDS = 0.5
HIDDEN_OPTIONS = (
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
)  # a shell may slip them into every JVM
CRASH_REPORTS = "hs_err_pid*.log"  # where HotSpot puts them: the current directory
OUT_OF_MEMORY = re.compile(r"java\.lang\.OutOfMemoryError(?:: ([^\n]+))?")
# JJava's thread that runs cells: without it none ends, though the process lives on
LOST_SHELL = 'OutOfMemoryError thrown from the UncaughtExceptionHandler in thread "Shell-'
LOG_TAIL_BYTES = 1 << 16
LOG_BYTES, LINE = 1 << 24, 1 << 13  # of a log, and characters of its lines, at most
UNPACKED = "{unpacked}"  # in a kernel's command: the folder for what libraries unpack
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)
# Set when the program is told to stop. A signal handler that raises would break Jupyter's client
# wherever it happens to be.
stopping = threading.Event()


def heap(size: str) -> list[str]:
    """The flags of a heap of one size ("2g"), all of whose pages are there before anything is
    timed: with pages that come as they are needed, loads that leave much garbage took up to twice
    as long, and how long depended on how many passes had gone before.
    """
    return [f"-Xms{size}", f"-Xmx{size}", "-XX:+AlwaysPreTouch"]


class Failure(Exception):
    """Why the kernel did not get to the end: a clause for a record's reason, of which a store may
    have written a part.
    """

    def __init__(self, why: str):
        super().__init__(brief(why))


class NotStarted(Failure):
    """The kernel did not come up, which says nothing about the store."""


class TimeIsUp(Failure):
    """The limit was reached."""


def launched(manager: KernelManager) -> dict:
    """Return what Jupyter knows of a kernel that it has launched here: `process`, `pgid` and `cwd`.

    The manager's type promises a provisioner of any kind, which has none of these.
    """
    return vars(manager.provisioner)


@contextlib.contextmanager
def started(
    spec: KernelSpec, orders: dict[str, str], work: Path, log: BinaryIO
) -> Iterator[KernelManager]:
    """Starts a kernel; at the end it is killed, with all that it started, as it has nothing to
    save.

    orders  environment variables that tell the notebook what to do, beside this process's own
    work    its current directory, so that what it leaves does not lie about
    log     receives what the process prints past Jupyter: native code, the JVM itself

    Raises NotStarted.
    """
    manager = KernelManager(connection_file=str(work / "kernel.json"))
    manager._kernel_spec = spec  # which has no public setter
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in HIDDEN_OPTIONS and not name.startswith("KV_")
    }
    with unpacking(work) as unpacked:
        spec.argv = [word.replace(UNPACKED, str(unpacked)) for word in spec.argv]
        try:
            try:
                manager.start_kernel(
                    env=kept | orders,
                    cwd=str(work),
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    preexec_fn=die_with_launcher if sys.platform == "linux" else None,
                )
            except OSError as problem:  # on a full disk it has no connection file
                raise NotStarted(f"the kernel did not start ({problem.strerror})") from None
            yield manager
        finally:
            if manager.has_kernel:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(launched(manager)["pgid"], signal.SIGKILL)
                launched(manager)["process"].wait()
            with contextlib.suppress(KeyError):  # of a connection that was not made
                manager.cleanup_resources()


def await_start(manager: KernelManager, log: BinaryIO) -> None:
    """Waits until a kernel that was started answers. Raises NotStarted with what the JVM says of
    why it does not, and KeyboardInterrupt as Kernel.wait.
    """
    with contextlib.closing(Kernel(manager, log, START_SECONDS, "", lambda _: None)) as kernel:
        kernel.wait()


def die_with_launcher():
    """Asks Linux to kill this process when the launcher ends, however it ends; runs in the kernel's
    process before Java.
    """
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def raise_if_stopping():
    """Raises KeyboardInterrupt, in a place that is fit for it, when the program has been told to
    stop.
    """
    if stopping.is_set():
        raise KeyboardInterrupt


def run_java(command: list, work: Path, limit: float) -> subprocess.CompletedProcess:
    """Runs a program that may take minutes, in a folder; at the end it is dead, with all that it
    started.

    Raises TimeoutExpired after `limit` seconds, and KeyboardInterrupt when this program is told to
    stop.
    """
    with subprocess.Popen(
        command,
        cwd=work,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=die_with_launcher if sys.platform == "linux" else None,
    ) as process:
        try:
            end = time.monotonic() + limit
            while time.monotonic() < end:
                raise_if_stopping()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    out, err = process.communicate(timeout=POLL_SECONDS)
                    return subprocess.CompletedProcess(command, process.returncode, out, err)
            raise subprocess.TimeoutExpired(command, limit)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


class Kernel:
    """Speaks with a kernel that was started, and knows what it last said.

    limit   seconds from `since`, or else from now, after which nothing more is waited for
    prefix  what the lines it prints begin with, to be left out
    report_progress  receives those lines, which also go to the log
    """

    def __init__(
        self,
        manager: KernelManager,
        log: BinaryIO,
        limit: int,
        prefix: str,
        report_progress: Callable[[str], None],
        since: float | None = None,
    ):
        self.process: subprocess.Popen = launched(manager)["process"]
        self.work = Path(launched(manager)["cwd"])
        self.log, self.limit, self.prefix, self.report_progress = (
            log,
            limit,
            prefix,
            report_progress,
        )
        self.began = time.monotonic()
        self.end_of_time = (since or self.began) + limit
        self.rest, self.last = "", "before the first result"
        self.client = manager.blocking_client()
        self.client.start_channels()

    def close(self):
        self.client.stop_channels()

    def wait(self):
        """Until the kernel answers and is heard: whatever it publishes shows both. Jupyter's own
        client would listen on, a fifth of a second and more, for what a trial does not miss.
        Raises NotStarted, and KeyboardInterrupt when the program is told to stop.
        """
        while time.monotonic() - self.began < START_SECONDS and self.process.poll() is None:
            self.client.kernel_info()  # once more, as what nobody heard is lost
            with contextlib.suppress(Empty):  # no answer yet
                self.client.get_iopub_msg(timeout=POLL_SECONDS)
                return
            raise_if_stopping()
        end = self.end() or f"no answer in {START_SECONDS} s"
        raise NotStarted(f"the kernel did not start ({end}): {first_error(self.printed())}")

    def execute(self, cell: str, done: Callable[[], bool] = lambda: False) -> None:
        """Runs a cell to its end, or until what it is for is `done` and the kernel silent: one
        whose heap a store has exhausted may have lost the thread that would tell of the end. Raises
        Failure when it throws, the kernel dies or the time is up, KeyboardInterrupt as `wait`.
        """
        self.note(f"[{time.monotonic() - self.began:.1f} s after the start] {cell.splitlines()[0]}")
        request = self.client.execute(cell, allow_stdin=False)
        while True:
            raise_if_stopping()
            if time.monotonic() > self.end_of_time:
                raise TimeIsUp(f"stopped at the time limit of {self.limit} s, {self.last}")
            try:
                message = self.client.get_iopub_msg(timeout=POLL_SECONDS)
            except Empty:
                if self.process.poll() is not None:
                    raise Failure(f"the kernel died ({self.end()}), {self.last}") from None
                if done():
                    return
                if LOST_SHELL in self.printed():
                    raise Failure(f"{self.full_heap()}, {self.last}") from None
                continue
            if message["parent_header"].get("msg_id") != request:
                continue
            content = message["content"]
            match message["msg_type"]:
                case "stream":
                    self.hear(content["text"])
                case "error":
                    why = brief(content["evalue"].partition(os.linesep)[0])
                    raise Failure(f"{content['ename']}: {why}, {self.last}")
                case "status" if content["execution_state"] == "idle":
                    return

    def hear(self, text: str) -> None:
        """Puts what was printed, in whatever pieces it comes, together into lines."""
        *lines, rest = (self.rest + text).split("\n")
        self.rest = rest[:LINE]
        for line in lines:
            self.note(line)
            if said := brief(line.removeprefix(self.prefix)):
                self.last = f"after: {said}"
                self.report_progress(said)

    def note(self, line: str) -> None:
        """Writes a line to the log, which is for people to read: no more than that."""
        if os.fstat(self.log.fileno()).st_size < LOG_BYTES:
            self.log.write(f"{line[:LINE]}\n".encode())
            self.log.flush()

    def end(self) -> str | None:
        """Return how the process ended, with what the JVM's own crash report gives as the cause;
        None while it runs.
        """
        code = self.process.poll()
        if code is None:
            return None
        for report in self.work.glob(CRASH_REPORTS):
            return cause(report.read_text(errors="replace"))
        if code == -signal.SIGKILL:
            return "SIGKILL, as the system does when memory runs out"
        if code < 0:
            return signal.Signals(-code).name
        return self.full_heap() or f"exit code {code}"

    def printed(self) -> str:
        """The last of what the process and its notebook printed."""
        with open(self.log.name, "rb") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - LOG_TAIL_BYTES))
            return log.read().decode(errors="replace")

    def full_heap(self) -> str | None:
        """That the JVM's own memory ran out, where it printed so."""
        found = OUT_OF_MEMORY.search(self.printed())
        return found and f"out of memory: {found[1] or 'the heap was full'}"


def cause(report: str) -> str:
    """The signal or error, and the frame in which it came, of HotSpot's crash report."""
    error = re.search(
        r"^#\s+(SIG\w+|Internal Error|There is insufficient memory|Out of Memory Error)",
        report,
        re.M,
    )
    frame = re.search(r"^# Problematic frame:\n# (.+)", report, re.M)
    return ", ".join(
        [error[1] if error else "a crash"]
        + ([f"problematic frame: {frame[1].strip()}"] if frame else [])
    )
