"""Counts the system calls by which a store makes a load durable: the proof that "sync=on" syncs and
"off" does not.

strace watches a small load, outside every timed trial. Its counts are kept beside a run's trials,
in data/runs/<run>/<section>.syscalls.json, and belong to the same code as they.
"""

import contextlib
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from rich.progress import track

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.parallel import parallel_map
from kvreport.base.scratch import scratch
from kvreport.base.terminal import Terminal
from kvreport.base.unpacking import unpacking
from kvreport.data import extra_measurements, runs
from kvreport.toolchain import libraries
from kvreport.toolchain.jdk import QUICK_TO_START, find_jdk, first_error
from kvreport.toolchain.stores import write

SYNCS = ("fsync", "fdatasync", "msync", "sync_file_range", "syncfs", "sync")
# returns when the data are on the device, as a write and fdatasync together
DURABLE_WRITE = "write to O_DSYNC file"
TRACED = ",".join([*SYNCS, "openat", "write", "pwrite64", "pwritev", "writev"])
ENTRIES, FEW = 2_000, 200  # of the load; few where each batch is a commit of its own
WAITING = ("sync", "metaSync", "writeMap")  # settings that decide which calls are made
LIMIT_SECONDS = 120
MISSING = "strace is not there: install the package strace"
console = Terminal()


def record(section: str, run: str, known: dict) -> None:
    """Counts for each store and each synced case of the run's trials, and the same without sync,
    what is not counted yet.
    """
    file = extra_measurements.syscalls_file(run, section)
    trials = {
        trial["store"]["id"]: trial for trial in runs.load(run, section).trials if trial["cases"]
    }
    wanted = {
        store: (trial["store"]["code"], settings)
        for store, trial in trials.items()
        if store in known["stores"]
        if (settings := watched(trial))
    }
    kept: dict = {"counts": {}}
    with contextlib.suppress(UserError):  # what is damaged is counted again
        kept = extra_measurements.syscalls(run, section)
    missing = [
        store
        for store, (code, _) in wanted.items()
        if kept["counts"].get(store, {}).get("code") != code
    ]
    if not missing:
        return
    if not shutil.which("strace"):
        console.print(f"System calls are not counted: {MISSING}.")
        if not kept["counts"]:
            write(
                file,
                {"format": 1, "section": section, "tool": None, "problem": MISSING, "counts": {}},
            )
        return

    def counted(store: str) -> dict:
        code, settings = wanted[store]
        return {
            "code": code,
            "cases": [
                {"settings": each} | count(known["stores"][store], each) for each in settings
            ],
        }

    for store, found in zip(
        missing,
        track(
            parallel_map(counted, missing),
            "Counting system calls",
            len(missing),
            console=console,
            disable=not console.is_terminal,
        ),
    ):
        kept["counts"][store] = found
    version = subprocess.run(
        ["strace", "--version"], capture_output=True, text=True
    ).stdout.splitlines()[0]
    write(
        file,
        {
            "format": 1,
            "section": section,
            "tool": version,
            "problem": None,
            "counts": kept["counts"],
        },
    )


def watched(trial: dict) -> list[dict]:
    """The settings of a trial's cases to count calls under: none, and those that name a sync; of
    those alike in what waits the first.
    """
    found: dict[tuple, dict] = {}
    for case in trial["cases"]:
        settings = case["settings"]
        if (not settings or "sync" in settings) and any(
            result["status"] != "na" for result in case["results"]
        ):
            found.setdefault(tuple(settings.get(name) for name in WAITING), settings)
    return list(found.values())


def count(store: dict, settings: dict) -> dict:
    """Runs a store's script under strace: `calls` made, by name, in one small load (`loads`) of
    `entries`, or the `problem`.

    The script is asked for a scan, before which it loads all entries once; where loads are
    measured, those that warm up are smaller.
    """
    entries = FEW if "batch" in settings else ENTRIES
    about = {"entries": entries, "loads": 1}
    with scratch(paths.WORK) as work, unpacking(work) as unpacked:
        trace = work / "trace"
        changes = [
            part for name, value in settings.items() for part in ("--set", f"{name}={value}")
        ]
        command = [
            "strace",
            "-f",
            "-y",
            "-qq",
            "--seccomp-bpf",
            "-e",
            f"trace={TRACED}",
            "-o",
            str(trace),
            find_jdk().java,
            *QUICK_TO_START,
            *store["runtime_options"],
            f"-Djava.io.tmpdir={unpacked}",
            "-cp",
            libraries.class_path(store["class_path"]),
            store["main"],
            "readSeq",
            "--entries",
            str(entries),
            "--profile",
            "smoke",
            "--work",
            str(work),
            *changes,
        ]
        try:
            asked = subprocess.run(
                command, capture_output=True, text=True, timeout=LIMIT_SECONDS, cwd=work
            )
        except subprocess.TimeoutExpired:
            return about | {"calls": {}, "problem": f"it took more than {LIMIT_SECONDS} s"}
        if asked.returncode or not trace.exists():
            return about | {"calls": {}, "problem": first_error(asked.stderr)}
        return about | {"calls": calls(trace.read_text(errors="replace"), work), "problem": None}


def calls(trace: str, folder: Path) -> dict[str, int]:
    """The calls in what strace wrote that wait for the device, by name; of files, those in a folder
    only.
    """
    durable: set[str] = set()
    found: Counter[str] = Counter()
    for line in trace.splitlines():
        match = re.match(r"\d+\s+(\w+)\((.*)", line.replace("<unfinished ...>", ""))
        if not match:
            continue
        name, rest = match.groups()
        if name == "openat":
            opened = re.search(r"O_D?SYNC.*= \d+<(.+?)>", rest)
            durable |= {opened[1]} if opened else set()
        elif name == "msync":
            found[name] += "MS_SYNC" in rest
        else:
            target = re.match(r"\d+<(.+?)>", rest)
            file = target[1] if target else ""
            inside = file.startswith(str(folder))
            if name in SYNCS:
                found[name] += inside
            elif inside and file in durable:
                found[DURABLE_WRITE] += 1
    return {name: number for name, number in sorted(found.items()) if number}
