"""What commits and openings took, as tidy frames: a row for each round, in the columns of
`frames.results` where they mean the same, so that `ranking.compare` and `change` take them.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from kvreport.data import crashes
from kvreport.data.cases import Case

ALONE = ("price",)
WAYS = {ALONE: "", ("group", "threads"): "", ("group", "entries"): ""}
WAYS |= {("filesystems", kind): kind for kind in ("ext4", "xfs", "btrfs")}
OF = ["run", "section", "store", "name", "family", "engine", "trial", *Case._fields, "workload"]
OF += ["status", "reason", "sync"]
HOW = ["threads", "batch", "filesystem"]
CANNOT = ("n/a: ", "cannot run this case")  # in problems: by design, or the machine lacks something
TOOK = ["ns_per_entry", "per_second", "p50_ns", "p99_ns", "p999_ns", "max_ns", "syncs", "written"]


def commits(source: str | None = None) -> pd.DataFrame:
    """Return what a commit took: one row for each round of a store, tier and way to commit, and one
    with the `reason` where there is none.

    source      a run of data/runs; None for the one that the report shows them of
    sync        what a commit is to survive: off (nothing), os (its process), on (a power cut)
    threads     that commit at once;  batch: entries of a transaction;  filesystem: in a file, or
                empty for the one that the project is on
    settings    the same in one column, as "sync=on" and, where they are not 1, 10 and empty,
                "batch=100", "filesystem=xfs" and "threads=8"
    per_second  commits a second, of all threads;  ns_per_entry: the same for each entry
    p50_ns, p99_ns, p999_ns, max_ns  of one transaction and its commit
    syncs       calls a commit that wait for the device, counted apart;  written: bytes a commit
                that the process sent to the device

    The store BareFile is a file to which the same bytes are appended.
    """
    rows = [
        of | way | round
        for run, subject in _subjects(source)
        for of in [_of(run, subject, "commit")]
        for path, kind in WAYS.items()
        if (found := _at(subject, path)) is not None
        for way in [_way(of["sync"], found, kind)]
        for round in _rounds(found, of["sync"])
    ]
    return _typed(rows, [*OF, *HOW, *TOOK])


def reopenings(source: str | None = None) -> pd.DataFrame:
    """Until a database can be read again: one row for each opening, by how it had ended, and one
    with the `reason` where there is none.

    source     as `commits` has it
    entries    in it;  ended: closed or killed;  ns: until it is open and the entry that was
               committed last has been got
    recovered  whether that took its vendor's recovery call
    """
    rows = []
    for run, subject in _subjects(source):
        of = _of(run, subject, "open")
        for size in subject.get("reopenings", []):
            about = of | {"entries": size["entries"], "recovered": size["recovered"]}
            for ended in ("closed", "killed"):
                about = about | {"ended": ended, "settings": f"ended={ended}"}
                rows += [
                    about | {"trial": trial, "ns": seconds * 1e9}
                    for trial, seconds in enumerate(size[ended])
                ] or [about | _without(size["problem"])]
    return _typed(rows, [*OF, "entries", "ended", "recovered", "ns"])


def _subjects(source: str | None) -> Iterator[tuple[str, dict]]:
    run = source or crashes.shown_crashes()
    found = crashes.read_crashes(run) if run else None
    for subject in found["subjects"] if found else ():
        yield str(run), subject


def _of(run: str, subject: dict, workload: str) -> dict[str, Any]:
    """Return what all rows of a store at a tier have in common."""
    of, case = subject["store"], Case("int", "random")
    about = {name: of[name] for name in ("name", "family", "engine")}
    about |= {"run": run, "section": "crashes", "store": subject["id"], "workload": workload}
    return about | case._asdict() | {"sync": subject["sync"] or "off", "status": "ok", "reason": ""}


def _at(subject: dict, path: tuple[str, ...]) -> dict | None:
    """Return what is kept of one way to commit; None where it was not asked for."""
    found: dict | None = subject
    for name in path:
        found = (found or {}).get(name)
    return found


def _way(sync: str, found: dict, filesystem: str) -> dict[str, Any]:
    """The columns of HOW, and `settings`, which has those that are not the usual."""
    usual = {"batch": crashes.BATCH, "filesystem": "", "threads": 1}
    way = {name: found.get(name, usual[name]) for name in usual} | {"filesystem": filesystem}
    told = {name: value for name, value in way.items() if value != usual[name]} | {"sync": sync}
    settings = ", ".join(f"{name}={told[name]}" for name in sorted(told))
    return way | {"settings": settings, "value_bytes": found["value_bytes"]}


def _rounds(found: dict, sync: str) -> list[dict[str, Any]]:
    """The rounds of one way to commit, or why there are none."""
    batch = found.get("batch", crashes.BATCH)
    rounds = [
        {name: each[name] for name in ("p50_ns", "p99_ns", "p999_ns", "max_ns")}
        | {"trial": trial, "per_second": each["commits"] / each["seconds"]}
        | {"ns_per_entry": each["seconds"] * 1e9 / (each["commits"] * batch)}
        | {"syncs": found["syncs"], "written": _each(each["written_bytes"], each["commits"])}
        for trial, each in enumerate(found["rounds"])
    ]
    return rounds or [_without(found["problem"])]


def _each(written: int | None, commits: int) -> float | None:
    return None if written is None else written / commits


def _without(problem: str | None) -> dict[str, Any]:
    """Return why there is no value: by design where the store cannot do it."""
    told = problem or "not timed"
    cannot = any(words in told for words in CANNOT)
    return {"trial": 0, "status": "na" if cannot else "failed", "reason": told}


def _typed(rows: list[dict], columns: list[str]) -> pd.DataFrame:
    """The rows with all columns, of the types that they have with rows, too."""
    whole = {*("trial", "value_bytes", "threads", "batch", "entries")}
    real = {*TOOK, "ns"}
    types = {
        name: "int64" if name in whole else "float64" if name in real else "str"
        for name in columns
        if name != "recovered"
    }
    return pd.DataFrame(rows, columns=columns).astype(types)
