"""Counts the system calls by which a store makes a load durable: the proof that "sync=on" syncs and
"off" does not.

strace watches a small load, outside every timed trial. Its counts are kept beside a run's trials,
in data/runs/<run>/<section>.syscalls.json, and belong to the same code as they.
"""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from rich.progress import track

from kvreport.base import paths
from kvreport.base.files import write_json
from kvreport.base.parallel import parallel_map
from kvreport.base.scratch import scratch
from kvreport.base.terminal import Terminal
from kvreport.base.unpacking import unpacking
from kvreport.data import extra_measurements, runs
from kvreport.measure import jvm
from kvreport.measure.store_script import script_command
from kvreport.toolchain import libraries
from kvreport.toolchain.jdk import QUICK_TO_START, first_error

SYNCS = ("fsync", "fdatasync", "msync", "sync_file_range", "syncfs", "sync")
# returns when the data are on the device, as a write and fdatasync together
DURABLE_WRITE = "write to O_DSYNC file"
TRACED = ",".join([*SYNCS, "openat", "write", "pwrite64", "pwritev", "writev"])
STRACE = ("strace", "-f", "-y", "-qq", "--seccomp-bpf", "-e", f"trace={TRACED}")
ENTRIES, FEW = 2_000, 200  # of the load; few where each batch is a commit of its own
WAITING = ("sync", "metaSync", "writeMap")  # settings that decide which calls are made
LIMIT_SECONDS = 120
MISSING = "strace is not there: install the package strace"
console = Terminal()


def measure_syscalls(section: str, run: str, known: dict) -> None:
    """Counts for each store and each synced case of the run's trials, and the same without sync,
    what is not counted yet.
    """
    counts = extra_measurements.syscalls(run, section)["counts"]
    missing = []
    for trial in {each["store"]["id"]: each for each in runs.load(run, section).trials}.values():
        id, code, settings = trial["store"]["id"], trial["store"]["code"], watched(trial)
        if id in known["stores"] and settings and counts.get(id, {}).get("code") != code:
            missing.append((id, code, settings))
    if not missing:
        return
    found = {"format": 1, "section": section, "tool": None, "problem": None, "counts": counts}
    if not shutil.which("strace"):
        console.print(f"System calls are not counted: {MISSING}.")
        if not counts:
            write_json(extra_measurements.syscalls_file(run, section), found | {"problem": MISSING})
        return

    def counted(each: tuple[str, str, list[dict]]) -> tuple[str, dict]:
        id, code, settings = each
        cases = [{"settings": each} | count(known["stores"][id], each) for each in settings]
        return id, {"code": code, "cases": cases}

    made = parallel_map(counted, missing)
    counts |= dict(
        track(
            made,
            "Counting system calls",
            len(missing),
            console=console,
            disable=not console.is_terminal,
        )
    )
    version = subprocess.run(["strace", "--version"], capture_output=True, text=True).stdout
    found |= {"tool": version.splitlines()[0]}
    write_json(extra_measurements.syscalls_file(run, section), found)


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
    found = {"entries": entries, "loads": 1, "calls": {}}
    arguments = ["readSeq", "--entries", entries, "--profile", "smoke"]
    for name, value in settings.items():
        arguments += ["--set", f"{name}={value}"]
    with scratch(paths.WORK) as work, unpacking(work) as unpacked:
        trace, class_path = work / "trace", libraries.class_path(store["class_path"])
        script = script_command(store, class_path, QUICK_TO_START, arguments, work, unpacked)
        try:
            asked = jvm.run_java([*STRACE, "-o", trace, *script], work, LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            return found | {"problem": f"it took more than {LIMIT_SECONDS} s"}
        if asked.returncode or not trace.exists():
            return found | {"problem": first_error(asked.stderr)}
        made = calls(trace.read_text(errors="replace"), work)
        return found | {"calls": made, "problem": None}


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
