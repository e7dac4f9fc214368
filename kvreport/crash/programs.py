"""The two programs of a crash test (kv.cli.Crash), each in a JVM of its own: one commits
transactions and says which, the other says which of them are left.
"""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kvreport.data.crashes import BATCH
from kvreport.measure.jvm import die_with_launcher
from kvreport.toolchain import libraries
from kvreport.toolchain.jdk import QUICK_TO_START, crash_flags, find_jdk, first_error

MAIN = "kv.cli.Crash"
SHORT_SECONDS = 3  # the same after a database at which nothing came
LIMIT_SECONDS = 10  # in which a database is opened and read, or a transaction is committed
FLAGS = (
    "-Xmx512m",
    "-XX:+DisplayVMOutputToStderr",  # also what a JVM says when it dies
    "-XX:-UsePerfData",  # named by a process's number, which others have in other namespaces
)
DATABASE = "db"  # the database's folder, in another


class Stopped(Exception):
    """The program that commits ended by itself; what it said last."""


@dataclass(frozen=True)
class Subject:
    """A store that commits in a certain way.

    store  as the catalogue describes it, with how to run it; `recovery` where its vendor has a
           call for a database that does not open, see toolchain.recoveries; `missing` where this
           machine lacks something for it, see toolchain.availability
    sync   how far a commit has to get, "off", "os" or "on"; None where the store has no such
           setting
    transactions, value_bytes, batch   what it is given, the last in entries of a transaction
    """

    store: dict
    sync: str | None
    transactions: int
    value_bytes: int
    batch: int = BATCH

    def command(
        self,
        program: str,
        temporary: Path,
        *more: str,
        quick: bool = True,
        recovering: bool = False,
    ) -> list[str | Path]:
        """The command line of one of the programs of kv.cli.Crash.

        temporary   a folder for what it unpacks, which a program that is killed leaves there
        quick       whether it is to start quickly, rather than to run fast
        recovering  whether it is to make the vendor's recovery call before it opens a database
        """
        asked = [] if self.sync is None else ["--sync", self.sync]
        classes = self.store["class_path"]
        if recovering:
            asked += ["--recovery", self.store["recovery"]["name"]]
            classes = self.store["recovery"]["class_path"]
        return [
            find_jdk().java,
            *self.store["runtime_options"],
            *(QUICK_TO_START if quick else ()),
            *crash_flags(),
            *FLAGS,
            f"-Djava.io.tmpdir={temporary}",
            "-cp",
            libraries.class_path(classes),
            MAIN,
            program,
            *("--store", self.store["id"], *asked),
            *("--transactions", str(self.transactions), "--batch", str(self.batch)),
            *("--value-bytes", str(self.value_bytes)),
            *more,
        ]

    def reported(self, acknowledged: int) -> dict[str, bool]:
        """Whether a commit said that it failed: the program ends with it, before its last."""
        return {"reported": acknowledged < self.transactions}


class Program:
    """A program that runs, with what goes to and comes from it; see `started`."""

    def __init__(self, process: subprocess.Popen, errors: IO[bytes], limit: float):
        assert process.stdin and process.stdout
        self.process, self.errors, self.limit = process, errors, limit
        self.heard, self.said, self.rest = process.stdin, process.stdout, b""
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.said, selectors.EVENT_READ)

    def line(self) -> str | None:
        """The next whole line that it prints; None where it has ended. Raises TimeoutError where
        none comes within the limit.
        """
        end = time.monotonic() + self.limit
        while b"\n" not in self.rest:
            if not self.selector.select(end - time.monotonic()):
                raise TimeoutError
            read = os.read(self.said.fileno(), 1 << 16)
            if not read:
                return None
            self.rest += read
        line, _, self.rest = self.rest.partition(b"\n")
        return line.decode()

    def killed(self) -> str:
        """Kills it where it still runs; returns what it said of why it ended."""
        self.process.kill()
        self.process.wait()
        self.errors.seek(0)
        return first_error(self.errors.read().decode(errors="replace"))


@contextlib.contextmanager
def started(command: list[str | Path], limit: float) -> Iterator[Program]:
    """A program that is dead in the end. `limit`: seconds in which a line is to come."""
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            bufsize=0,
            preexec_fn=die_with_launcher if sys.platform == "linux" else None,
        ) as process,
    ):
        try:
            yield Program(process, errors, limit)
        finally:
            process.kill()


def heeded(
    command: list[str | Path], folder: Path, heed: Callable[[int], None], limit: float
) -> tuple[int, str]:
    """Runs a program that commits to its end, in a folder: its exit, negative for the signal that
    ended it, and what it printed that was no number, with its errors.

    heed   called with the number of each commit, once it is acknowledged; the program goes on when
           it has returned
    limit  seconds, after which the program is killed
    """
    with (
        tempfile.TemporaryFile("w+", errors="replace") as errors,
        subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            errors="replace",
            bufsize=0,  # nothing is left to be written to a program that has ended
            start_new_session=True,
        ) as program,
    ):
        timer = threading.Timer(limit, _kill_group, [program.pid])
        timer.start()
        try:
            assert program.stdin and program.stdout
            words = []
            for line in program.stdout:
                if not line.strip().isdecimal():
                    words.append(line)
                    continue
                heed(int(line))
                with contextlib.suppress(BrokenPipeError):  # it has ended
                    program.stdin.write("ok\n")
                    program.stdin.flush()
            code = program.wait()
        finally:
            timer.cancel()
            _kill_group(program.pid)
        errors.seek(0)
        return code, "".join(words) + errors.read()


def _kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


class Answering(contextlib.AbstractContextManager):
    """A program that answers each line it is given with JSON. One that dies of a line costs that
    line alone: the next goes to a new one.
    """

    def __init__(self, command: list[str | Path], limit: float = LIMIT_SECONDS):
        self.command, self.limit = command, limit
        self.stack = contextlib.ExitStack()
        self.program: Program | None = None

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Ends the program; the next line goes to a new one."""
        self.stack.close()
        self.program = None

    def answer(self, line: str) -> dict:
        """What it says to a line. Raises Died where it ends of it, or says nothing in time."""
        if self.program is None:
            self.program = self.stack.enter_context(started(self.command, self.limit))
        how = "crash"
        try:
            self.program.heard.write(f"{line}\n".encode())
            while (said := self.program.line()) is not None:
                if said.startswith("{"):  # native code, too, prints there
                    return json.loads(said)
        except BrokenPipeError:
            pass
        except TimeoutError:
            how, self.limit = "hang", min(self.limit, SHORT_SECONDS)
        reason = self.program.killed()
        self.end()
        raise Died(how, reason)


class Died(Exception):
    """A program that was to answer has died, or did not answer: "crash" or "hang", and why."""


class Examiner(contextlib.AbstractContextManager):
    """Says what is left in one database after another."""

    def __init__(self, subject: Subject, temporary: Path):
        self.plain = Answering(subject.command("examine", temporary))
        self.recovering = (
            Answering(subject.command("examine", temporary, recovering=True))
            if "recovery" in subject.store
            else None
        )

    def __exit__(self, *_: object) -> None:
        self.plain.end()
        if self.recovering:
            self.recovering.end()

    def examine(self, folder: Path, acknowledged: int) -> dict:
        """What kv.crash.Found says of a database, of whose transactions those up to a number were
        acknowledged. `failed` is "crash" where it brought the JVM down, and "hang" where nothing
        came in time. `recovered` says whether it took the vendor's recovery call, which is made
        where it fails without.
        """
        found = examined(self.plain, folder, acknowledged)
        if found["failed"] and self.recovering:
            self.plain.end()  # as one that failed may hold the database's lock
            again = examined(self.recovering, folder, acknowledged)
            if not again["failed"]:
                return again | {"recovered": True}
        return found | {"recovered": False}


def examined(program: Answering, folder: Path, acknowledged: int) -> dict:
    """What a program says of one database."""
    try:
        return program.answer(f"{acknowledged} {folder}")
    except Died as death:
        return nothing(*death.args)


def nothing(failed: str, reason: str) -> dict:
    """What is found where nothing can be looked at."""
    counts = dict.fromkeys(("last", "lost", "holes", "torn", "wrong"), 0)
    others = {"acknowledged": 0, "example": None, "open_seconds": 0.0, "recovered": False}
    return {"failed": failed, "reason": reason, **counts, **others}
