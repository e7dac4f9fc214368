"""What is measured beside a run's trials and kept in files of its own, read back.

data/runs/<run>/<section>.syscalls.json     calls that wait for the device, counted
                                            (measure.syscalls)
data/runs/<run>/<section>.filesystems.json  synchronous writes by file system (measure.filesystems)
data/runs/<run>/crosscheck.json             the harness beside JMH (measure.crosscheck)
"""

from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import Unreadable, read_json
from kvreport.base.paths import shown
from kvreport.data import harness

# the ways in which the cross-check measures; older ones lack the last
JMH, ISOLATED, SHARED, ALONE, HAND = "jmh", "isolated", "shared", "alone", "hand"
OTHER_FILESYSTEM = (  # an environment variable: a folder on a second file system
    "KVREPORT_WORK_OTHER"
)


def plan_file(run: str, section: str) -> Path:
    """Where a run says what a section set out to measure."""
    return paths.RUNS / run / f"{section}.plan.json"


def plan(run: str, section: str) -> dict | None:
    """What a section set out to measure: `stores`, ids or "*" for all. None where a run does not
    say.
    """
    file = plan_file(run, section)
    return _read(file, "delete it, and measuring the section writes it") if file.exists() else None


def syscalls_file(run: str, section: str) -> Path:
    """Where a section's counted system calls are."""
    return paths.RUNS / run / f"{section}.syscalls.json"


def syscalls(run: str, section: str) -> dict:
    """What was counted; with a `problem` when nothing was. Raises UserError for a damaged file."""
    file = syscalls_file(run, section)
    if not file.exists():
        return {"problem": "this run has not counted system calls", "counts": {}}
    content = _read(file, "delete it, and measuring the section counts again")
    for store, counted in content["counts"].items():
        counted["code"] = harness.store_code(store, counted["code"])
    of_all = {"entries": content.get("entries"), "loads": content.get("loads")}
    for case in [case for store in content["counts"].values() for case in store["cases"]]:
        case |= of_all | case  # older files say entries and loads once, of all cases
    return content


def calls_per_write(counted: dict) -> float:
    """Calls that wait for the device, for each entry written, of a case as it was counted."""
    return sum(counted["calls"].values()) / (counted["entries"] * counted["loads"])


def filesystems_file(run: str, section: str) -> Path:
    """Where a section's rates by file system are."""
    return paths.RUNS / run / f"{section}.filesystems.json"


def filesystems(run: str, section: str) -> dict:
    """What was measured: `rates`, one for each file system and store. Raises UserError."""
    file = filesystems_file(run, section)
    if not file.exists():
        return {"rates": []}
    content = _read(file, "delete it, and measuring the section measures again")
    for rate in content["rates"]:
        rate["code"] = harness.store_code(rate["store"], rate["code"])
    return content


def crosscheck_file(run: str) -> Path:
    """Where a run's cross-check is."""
    return paths.RUNS / run / "crosscheck.json"


def crosscheck(run: str) -> dict | None:
    """What was measured of the cross-check; None when nothing was. Raises UserError."""
    file = crosscheck_file(run)
    if not file.exists():
        return None
    return _read(file, "delete it, and `kvreport crosscheck` makes it again")


def _read(file: Path, remedy: str) -> dict:
    try:
        content = read_json(file)
    except Unreadable as problem:
        raise UserError(f"{shown(file)} is damaged ({problem}): {remedy}.") from None
    if not isinstance(content, dict):
        raise UserError(f"{shown(file)} is damaged (it holds no object): {remedy}.")
    return content
