"""Synchronous writes by file system (C19): the section's own load on the work directory's file
system and on each other one that can be had here without special rights.

A script of each store makes the load in a JVM of its own, outside the section's trials, on every
file system alike. The rates are kept in data/runs/<run>/<section>.filesystems.json and belong to
the same code as the trials.
"""

import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from rich.progress import track

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.scratch import scratch
from kvreport.base.terminal import Terminal
from kvreport.base.unpacking import unpacking
from kvreport.data import extra_measurements, records, runs
from kvreport.data.cases import on_page
from kvreport.data.extra_measurements import OTHER_FILESYSTEM
from kvreport.measure import environment, jvm
from kvreport.measure.plan import Plan
from kvreport.toolchain import libraries
from kvreport.toolchain.availability import NA
from kvreport.toolchain.jdk import find_jdk, first_error
from kvreport.toolchain.stores import write

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
    described = environment.filesystem(folder)
    return described["type"], described["mount"]


def record(plan: Plan, run: str, known: dict) -> None:
    """Measures what is missing: each store that the plan names, on each file system. One whose
    trials are n/a, as this machine lacks something, is n/a here, too.
    """
    recorded = runs.load(run, plan.section)
    there = {trial["store"]["id"]: trial for trial in recorded.trials}
    wanted = {
        store: known["stores"][store]["code"]
        for store in plan.filesystems
        if store in there and store in known["stores"]
    }
    lacking = {
        store: f"{NA}{there[store]['reason']}"
        for store in wanted
        if there[store]["status"] == records.NA
    }
    kept = {
        (each["filesystem"]["mount"], each["store"]): each
        for each in extra_measurements.filesystems(run, plan.section)["rates"]
        if (each["problem"] or "").startswith(NA) == (each["store"] in lacking)
    }
    missing = [
        (folder, store)
        for folder in places()
        for store in wanted
        if kept.get((environment.filesystem(folder)["mount"], store), {}).get("code")
        != wanted[store]
    ]
    if not missing:
        return
    profile = recorded.environment["profile"]
    for folder, store in track(
        missing, "Syncing on each file system", console=console, disable=not console.is_terminal
    ):
        described = environment.filesystem(folder)
        kept[described["mount"], store] = {
            "filesystem": described,
            "store": store,
            "code": wanted[store],
        } | (
            {"problem": lacking[store]}
            if store in lacking
            else rate(known["stores"][store], folder, profile, known["profiles"][profile])
        )
    write(
        extra_measurements.filesystems_file(run, plan.section),
        {"format": 1, "section": plan.section, "rates": list(kept.values())},
    )


def rate(store: dict, folder: Path, profile: str, settings: dict) -> dict:
    """One load of synchronous writes: `entries`, `entries_per_s` of the median pass, `passes`; or
    the `problem`.
    """
    case, entries = (
        on_page("sequential", sync="on"),
        max(1, PAGE_ENTRIES * settings["entries"] // SOURCE_ENTRIES),
    )
    changes = [part for each in case.settings.split(", ") for part in ("--set", each)]
    try:
        with scratch(folder) as work, unpacking(work) as unpacked:
            asked = jvm.run(
                [
                    find_jdk().java,
                    *store["runtime_options"],
                    *jvm.heap(settings["heap"]),
                    f"-Djava.io.tmpdir={unpacked}",
                    "-cp",
                    libraries.class_path(store["class_path"]),
                    store["main"],
                    "write",
                    "--keys",
                    case.keys,
                    "--order",
                    case.order,
                    "--content",
                    case.content,
                    "--entries",
                    str(entries),
                    "--profile",
                    profile,
                    "--work",
                    str(work),
                    "--json",
                    *changes,
                ],
                work,
                settings["limit_seconds"],
            )
        result = json.loads(asked.stdout)["cases"][0]["results"][0]
    except subprocess.TimeoutExpired:
        return {"problem": f"it took more than {settings['limit_seconds']} s"}
    except ValueError:
        return {"problem": first_error(asked.stderr)}
    if result["status"] != "ok":
        return {"problem": result["reason"]}
    return {
        "entries": entries,
        "entries_per_s": entries / statistics.median(result["iteration_ns"]) * 1e9,
        "passes": len(result["iteration_ns"]),
        "problem": None,
    }
