"""What is recorded beside the times of a section, for notebooks: the machine, the trials as they
were written, calls that wait for the device, and synchronous writes by file system.

Each is of the run that the report shows of the section; of nothing, it is empty.
"""

import contextlib
from math import nan

import pandas as pd

from kvreport.base.errors import UserError
from kvreport.base.text import join_words
from kvreport.data import frames, runs, sidecars

DISK = ["mount", "type", "device", "is_tmpfs", "write_cache"]
MACHINE = ["host", "model", "cores", "processors", "memory_bytes", "type", "device"]
MACHINE += ["is_tmpfs", "write_cache", "jdk"]
CALLS = ["store", "name", "settings", "calls", "per_write", "problem"]
RATES = [*DISK, "store", "entries_per_s", "problem"]


def records(section: str) -> list[dict]:
    """The trials of a section as they were written: what no column of `results` has, such as the
    options and settings of a store (`store`), or what a case observed (`cases`, `results`).
    """
    run = _run(section)
    return runs.load(run, section, bearing=True).trials if run else []


def machine(section: str) -> pd.Series:
    """What a section was measured on; missing values where it was not.

    host, model, cores   of the machine;  processors: hardware threads that could be used
    memory_bytes         of the machine;  jdk: the version of Java
    type, device, is_tmpfs, write_cache  the file system with the stores' files, and whether the
                         kernel takes the device to have a volatile cache ("write back") or none
    """
    run = _run(section)
    if not run:
        return pd.Series(nan, index=MACHINE, dtype=object)
    about = runs.runs()[run]
    cpu, disk = about["cpu"], about["filesystem"]
    named = {"processors": cpu["usable_threads"], "jdk": about["jdk"]["version"]}
    return pd.Series({**about, **cpu, **disk, **named}).reindex(MACHINE)


def syscalls(section: str) -> pd.DataFrame:
    """System calls that wait for the device, counted outside the timed trials: one row for each
    store and case that was watched; where none could be, one with the reason.

    settings   of the case, as "sync=on"
    calls      by name, of a load, as text;  per_write: how many for each entry that was written;
               missing with a `problem`
    """
    run = _run(section)
    found = sidecars.syscalls(run, section) if run else {"counts": {}, "problem": None}
    names = frames.results(section).drop_duplicates("store").set_index("store")["name"]
    rows = [
        {"store": store, "name": names.get(store, store), "problem": case["problem"] or ""}
        | {"settings": ", ".join(f"{name}={value}" for name, value in case["settings"].items())}
        | _calls(case)
        for store, each in found["counts"].items()
        for case in each["cases"]
    ]
    none = [{"problem": found["problem"]}] if found["problem"] else []
    return pd.DataFrame(rows or none, columns=CALLS).astype({"per_write": float})


def _calls(case: dict) -> dict:
    if case["problem"]:
        return {}
    made = {name: f"{times / case['loads']:.3g}" for name, times in case["calls"].items()}
    return {
        "calls": join_words(f"{times} × {name}" for name, times in made.items()),
        "per_write": sidecars.calls_per_write(case),
    }


def filesystems(section: str) -> pd.DataFrame:
    """Synchronous writes on every file system that could be had: one row for each of them and
    store; entries_per_s is missing with a `problem`.
    """
    run = _run(section)
    rates = sidecars.filesystems(run, section)["rates"] if run else []
    rows = [
        {name: each["filesystem"].get(name) for name in DISK}
        | {"store": each["store"], "problem": each["problem"] or ""}
        | {"entries_per_s": nan if each["problem"] else each["entries_per_s"]}
        for each in rates
    ]
    return pd.DataFrame(rows, columns=RATES).astype({"entries_per_s": float, "is_tmpfs": bool})


def _run(section: str) -> str:
    """The run that is shown of a section; "" where none has it."""
    with contextlib.suppress(UserError):
        return runs.shown_sections().get(section, "")
    return ""
