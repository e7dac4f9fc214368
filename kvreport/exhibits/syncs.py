"""Synchronous writes on the LevelDB page (C09, C10, C19): the calls that prove them, the device
that they wait for, and other file systems.
"""

from IPython.display import Markdown

from kvreport.base.text import join_words, number, significant
from kvreport.data import published, sidecars
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.leveldb import THREE
from kvreport.exhibits.tables import MISSING, nothing, table

CACHES = {
    "write back": (
        "The kernel takes its write cache to be volatile and has every sync flush it (`write"
        " back`)."
    ),
    "write through": (
        "The kernel takes it to have no volatile write cache, so a sync ends when the device has"
        " the data, and asks it to flush nothing (`write through`)."
    ),
    None: "Whether it has a volatile write cache the system does not tell.",
}
TIERS = {"os": "asynchronous", "on": "synchronous"}


def counted(chapter: Chapter) -> dict[str, dict[str, dict]]:
    """What was counted, by store and value of sync."""
    told = sidecars.syscalls(chapter.run.name, chapter.section)
    return {
        store: {case["settings"].get("sync"): case for case in each["cases"]}
        for store, each in told["counts"].items()
        if store in chapter.stores
    }


def calls(chapter: Chapter) -> Markdown:
    """System calls that wait for the device for each write, asynchronous and synchronous."""
    if not chapter.measured:
        return nothing(chapter)
    rows = []
    for store, cases in counted(chapter).items():
        rows.append(
            [
                chapter.name(store),
                *(calls_of(cases.get(sync)) for sync in TIERS),
                join_words((cases["on"]["calls"] if "on" in cases else {}) or ["none"]),
            ]
        )
    problem = sidecars.syscalls(chapter.run.name, chapter.section)["problem"]
    return (
        table(
            [
                "store",
                *(f">{name}, calls a write" for name in TIERS.values()),
                "which, when synchronous",
            ],
            rows,
        )
        if rows
        else table(["no counts"], [[problem or "nothing was counted"]])
    )


def calls_of(case: dict | None) -> str:
    return "n/a" if case is None else case["problem"] or significant(sidecars.calls_per_write(case))


def calls_summary(chapter: Chapter) -> str:
    """Whether each synchronous write of every store waits, and no asynchronous one does."""
    told = sidecars.syscalls(chapter.run.name, chapter.section)
    if told["problem"]:
        return f"There is no proof in this run: {told['problem']}."
    found = {
        sync: {
            chapter.name(store): sidecars.calls_per_write(cases[sync])
            for store, cases in counted(chapter).items()
            if sync in cases and not cases[sync]["problem"]
        }
        for sync in TIERS
    }
    idle = [name for name, each in found["on"].items() if each < 1]
    eager = [name for name, each in found["os"].items() if each >= 0.5]
    waiting = (
        f"{join_words(idle)} did not wait at each synchronous write"
        if idle
        else (
            f"each synchronous write of all {len(found['on'])} stores waited for the device at"
            " least once"
        )
    )
    return f"Watched with `strace` outside the timed trials, {waiting}, and " + (
        f"{join_words(eager)} waited at asynchronous ones, too."
        if eager
        else "asynchronous writes hardly ever did."
    )


def device(chapter: Chapter) -> str:
    """The device that the stores' files are on, and its write cache, as the kernel sees them."""
    disk = chapter.run.environment["filesystem"]
    if disk["is_tmpfs"]:
        return (
            f"The work directory is in memory ({disk['type']}), where a sync waits for nothing:"
            " these are no figures of synchronous writes."
        )
    cache = CACHES.get(disk.get("write_cache"), CACHES[None])
    return (
        f"The files are on {disk['type']}, on {disk['device']}. {cache} The page of 2011 had"
        " switched its discs' caches off."
    )


def by_filesystem(chapter: Chapter) -> Markdown:
    """C19: synchronous writes a second on each file system, here and on the page."""
    if not chapter.measured:
        return nothing(chapter)
    names = {store: chapter.stores[store]["name"] for store in THREE if store in chapter.stores}
    rows = []
    for found in measured(chapter).values():
        disk = next(iter(found.values()))["filesystem"]
        rows.append(
            [
                f"{disk['type']} on {disk['device']}",
                *(rate_of(found.get(store)) for store in names),
                waits(disk),
            ]
        )
    for exhibit, disk in (("C09", "ext3"), ("C19", "ext4")):
        then = {store: value for store, (value, _) in published.page(exhibit).items()}
        rows.append(
            [
                f"2011: {disk}",
                *(number(then[store]) if store in then else MISSING for store in names),
                "a disc with its cache off",
            ]
        )
    return table(
        [
            "file system",
            *(f">{name}, entries/s" for name in names.values()),
            "what a sync waits for",
        ],
        rows,
    )


def measured(chapter: Chapter) -> dict[str, dict[str, dict]]:
    """What was measured on each file system, by its mount and store."""
    found = {}
    for each in sidecars.filesystems(chapter.run.name, chapter.section)["rates"]:
        found.setdefault(each["filesystem"]["mount"], {})[each["store"]] = each
    return found


def rate_of(each: dict | None) -> str:
    return MISSING if each is None else each["problem"] or number(each["entries_per_s"])


def waits(disk: dict) -> str:
    if disk["is_tmpfs"]:
        return "nothing: it is memory, so what is left is the store's own work"
    return f"the device ({disk['write_cache'] or 'write cache not told'})"


def filesystems_summary(chapter: Chapter) -> str:
    """How many real file systems could be had, and why not more."""
    disks = [next(iter(found.values()))["filesystem"] for found in measured(chapter).values()]
    real = list(dict.fromkeys(disk["type"] for disk in disks if not disk["is_tmpfs"]))
    told = (
        f"This run has {join_words(real)} and no second file system on a device"
        if len(real) < 2
        else f"This run has {join_words(real)}"
    )
    if len(real) < 2:
        told += (
            ": making one takes special rights, and no other that anyone may write to was there."
            f" `{sidecars.OTHER_FILESYSTEM}` names a folder on one"
        )
    return told + (
        "; memory stands in the table to show what a store costs when a sync waits for nothing."
        if len(real) < len(disks)
        else "."
    )
