"""A series of tries that need mounts of their own, made by a program that has them."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict

from kvreport.crash import mounts
from kvreport.crash.programs import Stopped, Subject

LIMIT_SECONDS = 1_800
Tries = list[tuple[int, dict]]


def isolated(module: str, subject: Subject, seeds: range) -> Tries:
    """Has a module, which calls `serve` as a program, make tries. Raises Stopped."""
    if reason := mounts.can_run():
        raise Stopped(reason)
    asked = {"subject": asdict(subject), "first": seeds.start, "end": seeds.stop}
    done = subprocess.run(
        mounts.isolated(sys.executable, "-m", module),
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
    )
    if done.returncode:
        raise Stopped((done.stderr.strip().splitlines() or ["it says nothing"])[-1])
    return [(seed, found) for seed, found in json.loads(done.stdout)]


def serve(tries: Callable[[Subject, range], Tries]) -> None:
    """Makes the tries that standard input asks for, and prints what was found."""
    asked = json.load(sys.stdin)
    try:
        found = tries(Subject(**asked["subject"]), range(asked["first"], asked["end"]))
    except Stopped as problem:
        sys.exit(str(problem))
    json.dump(found, sys.stdout)
