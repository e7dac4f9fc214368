"""The two programs of a crash test (kv.cli.Crash), each in a JVM of its own: one commits
transactions and says which, the other says which of them are left.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kvreport.data.crashes import BATCH
from kvreport.measure.jvm import die_with_launcher
from kvreport.toolchain import libraries
from kvreport.toolchain.jdk import QUICK_TO_START, crash_flags, find_jdk, first_error

MAIN = "kv.cli.Crash"
LIMIT_SECONDS = 10  # in which a database is opened and read
SHORT_SECONDS = 3  # the same after a database at which nothing came
FLAGS = (
    "-Xmx512m",
    "-XX:+DisplayVMOutputToStderr",  # also what a JVM says when it dies
    "-XX:-UsePerfData",  # named by a process's number, which others have in other namespaces
)
DATABASE = "db"  # the database's folder, in another


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

    def recoveries(self) -> list[bool]:
        """Return whether to make the vendor's recovery call, in the order in which that is
        tried.
        """
        return [False, True] if "recovery" in self.store else [False]


class Program:
    """A program that runs, with what goes to and comes from it; see `started`."""

    def __init__(self, process: subprocess.Popen, errors: IO[str]):
        assert process.stdin and process.stdout
        self.process, self.errors = process, errors
        self.heard, self.said = process.stdin, process.stdout
        self.words: list[str] = []
        self.is_late = False

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Kills it where this takes longer; then it `is_late`."""

        def end() -> None:
            self.is_late = True
            self.kill()

        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()

    def numbers(self) -> Iterator[int]:
        """The numbers that it prints, a line each; other lines are kept as its `words`, as native
        code, too, prints there.
        """
        for line in self.said:
            if line.strip().isdecimal():
                yield int(line)
            else:
                self.words.append(line)

    def tell(self, line: str) -> None:
        with contextlib.suppress(BrokenPipeError):  # it has ended
            self.heard.write(f"{line}\n")

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def why_it_ended(self) -> str:
        """A clause; kills it where it still runs."""
        said = first_error(self.end())
        return "it did not end in time" if self.is_late else said

    def end(self) -> str:
        """Kills it where it still runs; returns its `words` and errors."""
        self.kill()
        self.process.wait()
        self.errors.seek(0)
        return "".join(self.words) + self.errors.read()


@contextlib.contextmanager
def started(command: list[str | Path], folder: Path | None = None) -> Iterator[Program]:
    """A program that is dead in the end, with all that it started."""
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
            preexec_fn=die_with_launcher if sys.platform == "linux" else None,
        ) as process,
    ):
        program = Program(process, errors)
        try:
            yield program
        finally:
            program.kill()


def run_commits(
    command: list[str | Path], folder: Path, on_commit: Callable[[int], None], limit: float
) -> tuple[int, str]:
    """Runs a program that commits to its end, in a folder: its exit, negative for the signal that
    ended it, and what it printed that was no number, with its errors.

    The program prints the number of each commit, on a line, once the commit is durable by its word,
    and waits for a line before it goes on: until `on_commit`, called with the number, has returned.

    limit  seconds, after which the program is killed
    """
    with started(command, folder) as program:
        with program.within(limit):
            for number in program.numbers():
                on_commit(number)
                program.tell("ok")
            code = program.process.wait()
        return code, program.end()


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
        """Return what it says to a line; `nothing` where it ends of it ("crash"), or says nothing
        in time ("hang").
        """
        if self.program is None:
            self.program = self.stack.enter_context(started(self.command))
        program = self.program
        with program.within(self.limit):
            program.tell(line)
            said = next((each for each in program.said if each.startswith("{")), None)
        if said and not program.is_late:
            return json.loads(said)
        if program.is_late:
            self.limit = min(self.limit, SHORT_SECONDS)
        how = "hang" if program.is_late else "crash"
        found = nothing(how, first_error(program.end()))
        self.end()
        return found


class Examiner(contextlib.AbstractContextManager):
    """Says what is left in one database after another."""

    def __init__(self, subject: Subject, temporary: Path):
        self.programs = {
            recovering: Answering(subject.command("examine", temporary, recovering=recovering))
            for recovering in subject.recoveries()
        }

    def __exit__(self, *_: object) -> None:
        for program in self.programs.values():
            program.end()

    def examine(self, folder: Path, acknowledged: int) -> dict:
        """Return what kv.crash.Found says of a database, of whose transactions those up to a number
        were `acknowledged`. `failed` is "crash" where it brought the JVM down, and "hang" where
        nothing came in time. `recovered` says whether it took the vendor's recovery call, which is
        made where it fails without.
        """
        found: dict = {}
        for recovering, program in self.programs.items():
            if recovering:
                self.programs[False].end()  # as one that failed may hold the database's lock
            again = program.answer(f"{acknowledged} {folder}")
            again |= {"recovered": recovering, "acknowledged": acknowledged}
            if not again["failed"]:
                return again
            found = found or again
        return found


def nothing(failed: str, reason: str) -> dict:
    """Return what is found where nothing can be looked at."""
    counts = dict.fromkeys(("last", "lost", "holes", "torn", "wrong"), 0)
    others = {"acknowledged": 0, "example": None, "open_seconds": 0.0, "recovered": False}
    return {"failed": failed, "reason": reason, **counts, **others}
