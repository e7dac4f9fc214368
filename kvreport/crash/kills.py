"""A process is killed while it commits (S03): SIGKILL at a moment that a seed decides. What the
system had by then stays, as the machine goes on.
"""

import random
import time
from pathlib import Path

from kvreport.base import paths
from kvreport.base.scratch import scratch
from kvreport.base.unpacking import place, unpacking
from kvreport.crash.programs import (
    DATABASE,
    LIMIT_SECONDS,
    Examiner,
    Stopped,
    Subject,
    started,
)
from kvreport.measure import jvm

TOGETHER = 20  # tries whose databases one JVM looks at
SHARE = 0.9  # of the transactions, in which the kill falls: the rest is there to be under way


def tries(subject: Subject, seeds: range) -> list[tuple[int, dict]]:
    """Kills the program that commits once for each seed, and looks at what is left."""
    found = []
    with scratch(place()) as temporary, Examiner(subject, temporary) as examiner:
        for seed in seeds:
            jvm.raise_if_stopping()
            with scratch(paths.WORK) as folder:
                acknowledged = kill(subject, folder, random.Random(f"kill {seed}"))
                left = examiner.examine(folder / DATABASE, acknowledged)
            found.append((seed, left | {"acknowledged": acknowledged}))
    return found


def kill(subject: Subject, folder: Path, drawn: random.Random) -> int:
    """Kills the program at the drawn moment: some time after the acknowledgement of the drawn
    transaction. Returns the number of the last one that it had acknowledged by then.
    """
    until, wait = drawn.randrange(int(SHARE * subject.transactions)), 2 * drawn.random()
    with (
        unpacking(folder) as temporary,
        started(
            subject.command("commit", temporary, str(folder / DATABASE)), LIMIT_SECONDS
        ) as program,
    ):
        begun, number = time.monotonic(), -1
        while number < until:
            line = program.line()
            if line is None:
                raise Stopped(program.killed())
            if not line.isdecimal():  # native code, too, prints there
                continue
            number = int(line)
            begun = begun if number else time.monotonic()
        took = (time.monotonic() - begun) / max(number, 1)
        time.sleep(wait * took)
        program.killed()
        while (line := program.line()) is not None:
            number = int(line) if line.isdecimal() else number
        return number
