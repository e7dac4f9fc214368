"""Programs with mounts and processes of their own, and questions to modules that run as such.

What is mounted there goes with its processes, however they end; so nothing is left behind by a
program that is killed.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kvreport.base.errors import UserError

OUTSIDE = "KVREPORT_OUTSIDE"  # of an isolated program: the mounts that it left
OWN_MOUNTS = Path("/proc/self/ns/mnt")
LIMIT_SECONDS = 1_800  # of an answer


class Stopped(Exception):
    """Why something could not be tried or timed, as who tried it said."""


def isolated(*command: str | Path) -> list[str]:
    """A command with what has it run with mounts and processes of its own, all of which end with it
    and with the thread that starts it. It is to be ended by SIGKILL, as unshare(1) blocks others.
    """
    return [
        *("setpriv", "--pdeathsig", "KILL"),
        *("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"),
        *("env", f"{OUTSIDE}={OWN_MOUNTS.readlink()}"),
        *map(str, command),
    ]


def is_isolated() -> bool:
    """Return whether this program has mounts of its own, by `isolated`."""
    return os.environ.get(OUTSIDE, str(OWN_MOUNTS.readlink())) != str(OWN_MOUNTS.readlink())


def ask(module: str, question: dict) -> Any:
    """The answer of a module that calls `reply` when it is run. Raises Stopped."""
    done = subprocess.run(
        isolated(sys.executable, "-m", module),
        input=json.dumps(question),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
    )
    if done.returncode:
        raise Stopped((done.stderr.strip().splitlines() or ["no reason is given"])[-1])
    return json.loads(done.stdout)


def reply(answer: Callable[..., Any]) -> None:
    """Prints what a function makes of the question on standard input, whose fields it takes."""
    try:
        found = answer(**json.load(sys.stdin))
    except (Stopped, UserError) as problem:
        sys.exit(str(problem))
    json.dump(found, sys.stdout)
