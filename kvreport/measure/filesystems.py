"""Synchronous writes by file system (C19): the section's own load on the work directory's file
system and on each other one that can be had here without special rights.

A script of each store makes the load in a JVM of its own, outside the section's trials, on every
file system alike. The rates are kept in data/runs/<run>/<section>.filesystems.json and belong to
the same code as the trials.
"""

import os
import statistics
import tempfile
from pathlib import Path

from rich.progress import track

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import write_json
from kvreport.base.terminal import Terminal
from kvreport.data import extra_measurements, records, runs
from kvreport.data.cases import on_page
from kvreport.data.extra_measurements import OTHER_FILESYSTEM
from kvreport.measure import environment
from kvreport.measure.plan import Plan
from kvreport.measure.store_script import ScriptFailed, script_results
from kvreport.toolchain import libraries
from kvreport.toolchain.availability import NA

OPEN_TO_ALL = (tempfile.gettempdir(), "/var/tmp", "/dev/shm")
SOURCE_ENTRIES = 1_000_000  # what a profile's number of entries stands for
PAGE_ENTRIES = 10_000  # of the LevelDB page's synchronous writes
console = Terminal()


def places() -> list[Path]:
    """The work directory, and a writable folder on each other file system. Raises UserError for one
    that is named and cannot be written.
    """
    named = os.environ.get(OTHER_FILESYSTEM)
    found = {device(paths.WORK): paths.WORK}
    for folder in map(Path, [named] if named else OPEN_TO_ALL):
        try:
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as problem:
            if named:
                raise UserError(
                    f"{OTHER_FILESYSTEM} names {folder}, which cannot be written"
                    f" ({problem.strerror}): name a folder that can, or none."
                ) from None
        else:
            found.setdefault(device(folder), folder)
    return list(found.values())


def device(folder: Path) -> tuple[str, str]:
    """The type of a folder's file system and where it is mounted."""
    described = environment.filesystem(folder)
    return described["type"], described["mount"]


def measure_filesystems(plan: Plan, run: str, known: dict) -> None:
    """Measures what is missing: each store that the plan names, on each file system. One whose
    trials are n/a, as this machine lacks something, is n/a here, too.
    """
    recorded = runs.load(run, plan.section)
    trials = {trial["store"]["id"]: trial for trial in recorded.trials}
    profile = recorded.environment["profile"]
    kept = {
        (each["filesystem"]["mount"], each["store"]): each
        for each in extra_measurements.filesystems(run, plan.section)["rates"]
    }
    missing = []
    for described, folder in ((environment.filesystem(folder), folder) for folder in places()):
        for id in plan.filesystems:
            store, trial = known["stores"].get(id), trials.get(id)
            if not store or not trial:
                continue
            lacking = f"{NA}{trial['reason']}" if trial["status"] == records.NA else None
            old = kept.get((described["mount"], id))
            was_lacking = old and (old["problem"] or "").startswith(NA)
            if not old or old["code"] != store["code"] or was_lacking != bool(lacking):
                new = {"filesystem": described, "store": id, "code": store["code"]}
                missing.append((new, store, folder, lacking))
    if not missing:
        return
    for new, store, folder, lacking in track(
        missing, "Syncing on each file system", console=console, disable=not console.is_terminal
    ):
        kept[new["filesystem"]["mount"], new["store"]] = new | (
            {"problem": lacking}
            if lacking
            else rate(store, folder, profile, known["profiles"][profile])
        )
    write_json(
        extra_measurements.filesystems_file(run, plan.section),
        {"format": 1, "section": plan.section, "rates": list(kept.values())},
    )


def rate(store: dict, folder: Path, profile: str, settings: dict) -> dict:
    """One load of synchronous writes: `entries`, `entries_per_s` of the median pass, `passes`; or
    the `problem`.
    """
    case = on_page("sequential", sync="on")
    entries = max(1, PAGE_ENTRIES * settings["entries"] // SOURCE_ENTRIES)
    options = {
        "--keys": case.keys,
        "--order": case.order,
        "--content": case.content,
        "--entries": entries,
        "--profile": profile,
    }
    arguments = ["write", *(word for option in options.items() for word in option)]
    arguments += [word for each in case.settings.split(", ") for word in ("--set", each)]
    class_path, limit = libraries.class_path(store["class_path"]), settings["limit_seconds"]
    try:
        [result] = script_results(store, class_path, settings["heap"], arguments, folder, limit)
    except ScriptFailed as problem:
        return {"problem": str(problem)}
    if result["status"] != "ok":
        return {"problem": result["reason"]}
    return {
        "entries": entries,
        "entries_per_s": entries / statistics.median(result["iteration_ns"]) * 1e9,
        "passes": len(result["iteration_ns"]),
        "problem": None,
    }
