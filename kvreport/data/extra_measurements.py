"""What is measured beside a run's trials and kept in files of its own, read back.

data/runs/<run>/<section>.plan.json         what the section set out to measure (measure.launcher)
data/runs/<run>/<section>.syscalls.json     calls that wait for the device, counted
                                            (measure.syscalls)
data/runs/<run>/<section>.filesystems.json  synchronous writes by file system (measure.filesystems)
data/runs/<run>/crosscheck.json             the harness beside JMH (measure.crosscheck)
data/runs/<run>/crashes.json                what crashes left (kvreport.crash, data.crashes)
"""

import os
from collections.abc import Callable
from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import Unreadable, read_json
from kvreport.base.paths import shown
from kvreport.base.text import one_line
from kvreport.data.records import refuse_newer, what_is_wrong

# the ways in which the cross-check measures
JMH, ISOLATED, SHARED, ALONE = "jmh", "isolated", "shared", "alone"
HAND, AGAIN = "hand", "again"
CHECK_FORMAT = 2
OF_STORE = ("code", "name", "colour", "family")  # what the cross-check says of a store
# an environment variable: a folder on a second file system
OTHER_FILESYSTEM = "KVREPORT_WORK_OTHER"


def plan_file(run: str, section: str) -> Path:
    """Return where a run says what a section set out to measure."""
    return paths.RUNS / run / f"{section}.plan.json"


def plan(run: str, section: str) -> dict | None:
    """Return what a section set out to measure: `stores`, ids or "*" for all. None where a run does
    not say. Raises UserError.
    """
    return read_sidecar(plan_file(run, section), "plan", "measuring the section writes it", section)


def syscalls_file(run: str, section: str) -> Path:
    """Return where a section's counted system calls are."""
    return paths.RUNS / run / f"{section}.syscalls.json"


def syscalls(run: str, section: str) -> dict:
    """Return what was counted; with a `problem` when nothing was. Raises UserError for a damaged
    file.
    """
    file, remedy = syscalls_file(run, section), "measuring the section counts again"
    content = read_sidecar(file, "syscalls", remedy, section)
    return content or {"problem": "this run has not counted system calls", "counts": {}}


def calls_per_write(counted: dict) -> float:
    """Calls that wait for the device, for each entry written, of a case as it was counted."""
    return sum(counted["calls"].values()) / (counted["entries"] * counted["loads"])


def filesystems_file(run: str, section: str) -> Path:
    """Return where a section's rates by file system are."""
    return paths.RUNS / run / f"{section}.filesystems.json"


def filesystems(run: str, section: str) -> dict:
    """Return what was measured: `rates`, one for each file system and store. Raises UserError."""
    file, remedy = filesystems_file(run, section), "measuring the section measures again"
    return read_sidecar(file, "filesystems", remedy, section) or {"rates": []}


def crosscheck_file(run: str) -> Path:
    """Return where a run's cross-check is."""
    return paths.RUNS / run / "crosscheck.json"


def crosscheck(run: str) -> dict | None:
    """Return what was measured of the cross-check; None when nothing was. Raises UserError."""
    remedy = "`kvreport crosscheck` makes it again"
    return read_sidecar(crosscheck_file(run), "crosscheck", remedy, complain=_miscounted)


def _miscounted(content: dict) -> str | None:
    if any(len(of["cases"]) != len(content["cases"]) for of in content["stores"].values()):
        return "a store has not as many cases as there are"
    return None


def read_sidecar(
    file: Path,
    schema: str,
    remedy: str,
    section: str | None = None,
    complain: Callable[[dict], str | None] = lambda content: None,
) -> dict | None:
    """Return what a file holds; None where there is none. Raises UserError.

    remedy    what happens once it is deleted
    section   that it is of, where it is of one
    complain  names what its schema accepts and cannot be
    """
    if not os.path.lexists(file):  # a loop of links is there, and is named
        return None
    try:
        content = read_json(file)
        refuse_newer(file, content, schema)
        complaint = what_is_wrong(content, schema) or complain(content)
        if not complaint and section and content.get("section", section) != section:
            complaint = f"it is of section {content['section']}"
    except Unreadable as problem:
        complaint = str(problem)
    if complaint:
        reason = one_line(complaint)
        raise UserError(f"{shown(file)} is damaged ({reason}): delete it, and {remedy}.")
    return content
