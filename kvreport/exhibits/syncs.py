"""Synchronous writes on the LevelDB page (C09, C10, C19): the calls that prove them, the device
that they wait for, and other file systems.
"""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.base.markdown import prose
from kvreport.base.text import join_words, number, significant
from kvreport.charts.chapter import Chapter
from kvreport.charts.tables import MISSING, table
from kvreport.data import published, sidecars
from kvreport.exhibits.leveldb import THREE
from kvreport.exhibits.tables import nothing

TIERS = {"os": "asynchronous", "on": "synchronous"}
COUNTED = ["store", "name", "sync", "calls", "which", "problem"]
DISK = ["mount", "type", "device", "is_tmpfs", "write_cache"]
RATES = [*DISK, "store", "entries_per_s", "problem"]


def counted(chapter: Chapter) -> pd.DataFrame:
    """System calls that wait for the device, a row for each store and value of sync that was
    watched: store, name; sync, "os" or "on"; calls, for each write, NaN with a problem; which, the
    calls' names; problem, why nothing was counted, or empty.
    """
    rows = []
    counts = sidecars.syscalls(chapter.run.name, chapter.section)["counts"] if chapter.run else {}
    for store, each in counts.items():
        for case in each["cases"] if store in chapter.stores else []:
            problem = case["problem"] or ""
            calls = nan if problem else sidecars.calls_per_write(case)
            which = join_words(case["calls"])
            sync = case["settings"].get("sync")
            rows.append([store, chapter.name(store), sync, calls, which, problem])
    return pd.DataFrame(rows, columns=COUNTED)


def problem(chapter: Chapter) -> str | None:
    """Why the section's system calls were not counted at all; None where they were."""
    if chapter.run is None:
        return chapter.missing()
    return sidecars.syscalls(chapter.run.name, chapter.section)["problem"]


def calls(chapter: Chapter) -> Markdown:
    """System calls that wait for the device for each write, asynchronous and synchronous."""
    if not chapter.measured:
        return nothing(chapter)
    rows = []
    for _, watched in counted(chapter).groupby("store", sort=False):
        by_sync = {row["sync"]: row for row in watched.to_dict("records")}
        rows.append(
            [
                watched["name"].iloc[0],
                *(calls_of(by_sync.get(sync)) for sync in TIERS),
                by_sync["on"]["which"] if "on" in by_sync else "none",
            ]
        )
    if not rows:
        return table(["no counts"], [[prose(problem(chapter) or "nothing was counted")]])
    heads = [f">{tier}, calls a write" for tier in TIERS.values()]
    return table(["store", *heads, "which, when synchronous"], rows)


def calls_of(row: dict | None) -> str:
    """A cell of that table."""
    return "n/a" if row is None else row["problem"] or significant(row["calls"])


def filesystems(chapter: Chapter) -> pd.DataFrame:
    """Synchronous writes on each file system, a row for each of them and store: mount, type and
    device; is_tmpfs, whether it is memory; write_cache, as the kernel sees it, or empty; store;
    entries_per_s, NaN with a problem; problem, why there is no rate, or empty.
    """
    rows = []
    rates = sidecars.filesystems(chapter.run.name, chapter.section)["rates"] if chapter.run else []
    for each in rates:
        disk, why = each["filesystem"], each["problem"] or ""
        rate = nan if why else each["entries_per_s"]
        rows.append([*(disk.get(name, "") for name in DISK), each["store"], rate, why])
    found = pd.DataFrame(rows, columns=RATES).fillna({"write_cache": ""})
    return found.astype({"is_tmpfs": bool})


def by_filesystem(chapter: Chapter) -> Markdown:
    """C19: synchronous writes a second on each file system, here and on the page."""
    if not chapter.measured:
        return nothing(chapter)
    names = {store: chapter.name(store) for store in THREE if store in chapter.stores}
    rows = []
    for _, found in filesystems(chapter).groupby("mount", sort=False):
        by_store = {row["store"]: row for row in found.to_dict("records")}
        disk = found.iloc[0].to_dict()
        rates = [rate_of(by_store.get(store)) for store in names]
        rows.append([f"{disk['type']} on {disk['device']}", *rates, waits(disk)])
    for exhibit, disk_then in (("C09", "ext3"), ("C19", "ext4")):
        then = {store: value for store, (value, _) in published.page(exhibit).items()}
        rates = [number(then[store]) if store in then else MISSING for store in names]
        rows.append([f"2011: {disk_then}", *rates, "a disc with its cache off"])
    heads = [f">{name}, entries/s" for name in names.values()]
    return table(["file system", *heads, "what a sync waits for"], rows)


def rate_of(row: dict | None) -> str:
    """A cell of that table."""
    return MISSING if row is None else row["problem"] or number(row["entries_per_s"])


def waits(disk: dict) -> str:
    """What a sync on a file system waits for, as a cell of that table."""
    if disk["is_tmpfs"]:
        return "nothing: it is memory, so what is left is the store's own work"
    return f"the device ({disk['write_cache'] or 'write cache unknown'})"
