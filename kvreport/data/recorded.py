"""What is recorded beside the times of a section, for notebooks: the machine, the trials as they
were written, rounds of deletes, calls that wait for the device, and synchronous writes by file
system.

Each is of the run that the report shows of the section; of nothing, it is empty.
"""

import contextlib
from math import nan

import pandas as pd

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import own_json
from kvreport.base.text import join_words
from kvreport.data import extra_measurements, frames, runs
from kvreport.data.cases import CONTROL, Case
from kvreport.data.rows import labels

DISK = ["mount", "type", "device", "is_tmpfs", "write_cache"]
MACHINE = ["host", "model", "cores", "processors", "memory_bytes", "type", "device"]
MACHINE += ["is_tmpfs", "write_cache", "jdk"]
CALLS = ["store", "name", "settings", "calls", "per_write", "problem"]
RATES = [*DISK, "store", "entries_per_s", "problem"]
OF_STORE = ["name", "family", "library", "version", "engine", "about", "options", "settings"]
OF_STORE += ["fixed", "unsupported"]
OF_JVM = ["vm", "heap_bytes", "gc", "flags"]
OF_TRIAL = ["trial", "mode", "started", "seconds", "status", "reason", "stolen", "busy_elsewhere"]
OF_TRIAL += ["clock_ghz", "jars", "cases"]
OF_ROUND = [
    "run",
    "section",
    "store",
    "name",
    "family",
    "engine",
    "trial",
    *Case._fields,
    "workload",
]
ROUND = ["round", "delete_ns", "write_ns", "open_bytes", "closed_bytes", "compacted_bytes"]
SIZES = ["entries", "flat_bytes"]
TRIAL = ["run", "section", "store", *OF_STORE, *OF_TRIAL, *OF_JVM]


def records(section: str) -> list[dict]:
    """The trials of a section as they were written: what no column of `results` has, such as the
    options and settings of a store (`store`), or what a case observed (`cases`, `results`).
    """
    run = _run(section)
    return runs.load(run, section, bearing=True).trials if run else []


def trials(section: str | None = None) -> pd.DataFrame:
    """The trials of a section, or of all: one row each, with what its store says of itself.

    options      a list of name, value, why, link;  settings: by what a case may change of it, what
                 that does;  fixed: by the one value that it has, why;  unsupported: by workload,
                 why it cannot do it
    jars         name and sha256 of each jar of its class path
    vm, gc, flags, heap_bytes    its Java virtual machine
    stolen, busy_elsewhere       shares of the processors' time that other guests and other programs
                                 had;  clock_ghz: the clock before and after
    cases        as the record has them (data/schema/trial.schema.json)
    """
    rows = []
    for name, run in _shown().items():
        for record in records(name) if section in (None, name) else ():
            store, jvm = record["store"], record["jvm"] or {}
            of_jvm = jvm and jvm | {"vm": "{vm} {version} ({vendor})".format(**jvm)}
            rows.append(
                {"run": run, "section": name, "store": store["id"]}
                | {what: store.get(what) for what in OF_STORE}
                | {what: record.get(what) for what in OF_TRIAL}
                | {what: of_jvm.get(what) for what in OF_JVM}
            )
    return pd.DataFrame(rows, columns=TRIAL)


def rounds(section: str) -> pd.DataFrame:
    """The rounds in which entries were deleted and others written: one row for each trial, case and
    round, and one, of the round 0, for the load before.

    delete_ns, write_ns       an entry that was deleted or written, its part of the commit included
    open_bytes, closed_bytes  disk blocks after the round
    compacted_bytes           the same, closed, after the vendor's compaction that followed the last
                              round; missing where there was none
    """
    rows = [
        {name: record["store"].get(name) for name in ("name", "family", "engine")}
        | {"run": _run(section), "section": section}
        | {"store": record["store"]["id"], "trial": record["trial"], "workload": made["workload"]}
        | labels(case)
        | {name: case[name] for name in SIZES}
        | {"compacted_bytes": _compacted(case) if made["workload"] == "churn" else nan}
        | each
        for record in records(section)
        for case in record["cases"]
        for made in case["results"]
        for each in _rounds_of(case, made)
    ]
    found = pd.DataFrame(rows, columns=[*OF_ROUND, *SIZES, *ROUND])
    return found.astype(dict.fromkeys([*SIZES, *ROUND], float))


def _rounds_of(case: dict, result: dict) -> list[dict]:
    made = (result.get("observed") or {}).get("rounds")
    if not made:
        return []
    half = result["entries"] / 2
    space = {name: case["space"][name] for name in ("open_bytes", "closed_bytes")}
    return [{"round": 0} | space] + [
        each | {"round": number} | {name: each[name] / half for name in ("delete_ns", "write_ns")}
        for number, each in enumerate(made, 1)
    ]


def _compacted(case: dict) -> float:
    """Bytes after the compaction of a case."""
    found = [
        result["observed"]["bytes"]
        for result in case["results"]
        if result["workload"] == "compact" and result["status"] == "ok"
    ]
    return found[0] if found else nan


def settings(section: str) -> pd.DataFrame:
    """Return what a case may vary of each store of a section: name, setting, changes (what it does,
    in the store's own terms), a row each; "compression=default only" where a store has one value.
    """
    stores = trials(section).drop_duplicates("store")
    stores = stores[stores["family"] != CONTROL]
    rows = [
        (store["name"], setting, changes)
        for store in stores.to_dict("records")
        for setting, changes in (
            *store["settings"].items(),
            *((f"{value} only", why) for value, why in (store["fixed"] or {}).items()),
        )
    ]
    return pd.DataFrame(rows, columns=["name", "setting", "changes"])


def machine(section: str) -> pd.Series:
    """Return what a section was measured on; missing values where it was not.

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


def machines() -> pd.DataFrame:
    """The runs that the report shows: one row each, the newest first, with the record of its
    machine (data/schema/environment.schema.json), whose parts have names as "cpu.model".

    sections  numbers of those that the report has of it, as a list
    """
    shown = _shown()
    known = runs.runs() if shown else {}
    rows = [
        known[run] | {"sections": [name[:2] for name, of in shown.items() if of == run]}
        for run in sorted(set(shown.values()), reverse=True)
    ]
    schema = own_json(paths.SCHEMA / "environment.schema.json")["properties"]
    parts = [
        f"{name}.{part}" if part else name
        for name, about in schema.items()
        for part in about.get("properties", {"": {}})
    ]
    found = pd.json_normalize(rows, max_level=1).reindex(columns=["sections", *parts])
    return found.astype(object)


def syscalls(section: str) -> pd.DataFrame:
    """System calls that wait for the device, counted outside the timed trials: one row for each
    store and case that was watched; where none could be, one with the reason.

    settings   of the case, as "sync=on"
    calls      by name, of a load, as text;  per_write: how many for each entry that was written;
               missing with a `problem`
    """
    run = _run(section)
    found = extra_measurements.syscalls(run, section) if run else {"counts": {}, "problem": None}
    names = frames.results(section).drop_duplicates("store").set_index("store")["name"]
    rows = [
        {"store": store, "name": names.get(store, store), "problem": case["problem"] or ""}
        | {"settings": ", ".join(f"{name}={value}" for name, value in case["settings"].items())}
        | _calls(case)
        for store, each in found["counts"].items()
        for case in each["cases"]
    ]
    none = [{"problem": found["problem"]}] if found["problem"] else []
    made = pd.DataFrame(rows or none, columns=CALLS, dtype=object)
    return made.astype({"per_write": float})


def _calls(case: dict) -> dict:
    if case["problem"]:
        return {}
    made = {name: f"{times / case['loads']:.3g}" for name, times in case["calls"].items()}
    return {
        "calls": join_words(f"{times} × {name}" for name, times in made.items()),
        "per_write": extra_measurements.calls_per_write(case),
    }


def filesystems(section: str) -> pd.DataFrame:
    """Synchronous writes on every file system that could be had: one row for each of them and
    store; entries_per_s is missing with a `problem`.
    """
    run = _run(section)
    rates = extra_measurements.filesystems(run, section)["rates"] if run else []
    rows = [
        {name: each["filesystem"].get(name) for name in DISK}
        | {"store": each["store"], "problem": each["problem"] or ""}
        | {"entries_per_s": nan if each["problem"] else each["entries_per_s"]}
        for each in rates
    ]
    return pd.DataFrame(rows, columns=RATES).astype({"entries_per_s": float, "is_tmpfs": bool})


def _run(section: str) -> str:
    """The run that is shown of a section; "" where none has it."""
    return _shown().get(section, "")


def _shown() -> dict[str, str]:
    with contextlib.suppress(UserError):
        return runs.shown_sections()
    return {}
