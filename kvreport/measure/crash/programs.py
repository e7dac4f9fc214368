"""The two programs of a crash test (kv.cli.Crash), each in a JVM of its own: one commits
transactions and says which, the other says which of them are left.
"""

import contextlib
import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kvreport.measure.jvm import die_with_launcher
from kvreport.toolchain import libraries
from kvreport.toolchain.jdk import QUICK_TO_START, crash_flags, find_jdk

MAIN = "kv.cli.Crash"
SHORT_SECONDS = 3  # the same after a database at which nothing came
LIMIT_SECONDS = 10  # in which a database is opened and read, or a transaction is committed
FLAGS = (
    "-Xmx512m",
    "-XX:+DisplayVMOutputToStderr",  # also what a JVM says when it dies
    "-XX:-UsePerfData",  # named by a process's number, which others have in other namespaces
)
BATCH = 10  # entries of a transaction
DATABASE = "db"  # the database's folder, in another


class Stopped(Exception):
    """The program that commits ended by itself; what it said last."""


@dataclass(frozen=True)
class Subject:
    """A store that commits in a certain way.

    store  as the catalogue describes it, with how to run it
    sync   how far a commit has to get, "off", "os" or "on"; None where the store has no such
           setting
    transactions, value_bytes   what it is given
    """

    store: dict
    sync: str | None
    transactions: int
    value_bytes: int

    def command(
        self, program: str, temporary: Path, *more: str, quick: bool = True
    ) -> list[str | Path]:
        """The command line of one of the programs of kv.cli.Crash.

        temporary   a folder for what it unpacks, which a program that is killed leaves there
        quick       whether it is to start quickly, rather than to run fast
        """
        asked = [] if self.sync is None else ["--sync", self.sync]
        return [
            find_jdk().java,
            *self.store["runtime_options"],
            *(QUICK_TO_START if quick else ()),
            *crash_flags(),
            *FLAGS,
            f"-Djava.io.tmpdir={temporary}",
            "-cp",
            libraries.class_path(self.store["class_path"]),
            MAIN,
            program,
            *("--store", self.store["id"], *asked),
            *("--transactions", str(self.transactions), "--batch", str(BATCH)),
            *("--value-bytes", str(self.value_bytes)),
            *more,
        ]


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
        return telling(self.errors.read().decode(errors="replace"))


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


def telling(words: str) -> str:
    """The first line that tells why a program ended."""
    lines = [line.strip("# \t") for line in words.splitlines()]
    causes = (line for line in lines if "SIG" in line or "Exception" in line or "Error" in line)
    return next(causes, next(filter(None, lines), "it said nothing"))


class Examiner(contextlib.AbstractContextManager):
    """Says what is left in one database after another. One that brings its JVM down costs itself
    alone: the next is looked at by a new one.
    """

    def __init__(self, subject: Subject, temporary: Path):
        self.subject, self.temporary = subject, temporary
        self.stack = contextlib.ExitStack()
        self.limit = LIMIT_SECONDS
        self.program: Program | None = None

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def examine(self, folder: Path, acknowledged: int) -> dict:
        """What kv.crash.Found says of a database, of whose transactions those up to a number were
        acknowledged. `failed` is "crash" where it brought the JVM down, and "hang" where nothing
        came within LIMIT_SECONDS.
        """
        if self.program is None:
            command = self.subject.command("examine", self.temporary)
            self.program = self.stack.enter_context(started(command, self.limit))
        failed = "crash"
        try:
            self.program.heard.write(f"{acknowledged} {folder}\n".encode())
            while (line := self.program.line()) is not None:
                if line.startswith("{"):  # native code, too, prints there
                    return json.loads(line)
        except BrokenPipeError:
            pass
        except TimeoutError:
            failed, self.limit = "hang", SHORT_SECONDS
        reason = self.program.killed()
        self.stack.close()
        self.program = None
        return nothing(failed, reason)


def nothing(failed: str, reason: str) -> dict:
    """What is found where nothing can be looked at."""
    counts = dict.fromkeys(("last", "lost", "holes", "torn", "wrong"), 0)
    others = {"acknowledged": 0, "example": None, "open_seconds": 0.0}
    return {"failed": failed, "reason": reason, **counts, **others}
