"""What crashes left, and what commits and recoveries took, kept by store and tier in
data/runs/<run>/crashes.json.

What has been tried is not tried again: a call that was stopped goes on, and one that wants more
adds to it. What broke a promise is replayed, so that who doubts a finding will see the same by
`kvreport crash --seed`.
"""

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from rich.progress import Progress

from kvreport.base.errors import UserError
from kvreport.base.files import write_json
from kvreport.base.parallel import parallel_map
from kvreport.base.scratch import scratch
from kvreport.base.terminal import Terminal
from kvreport.base.text import one_line
from kvreport.base.unpacking import place
from kvreport.crash import fault_injection
from kvreport.crash.isolation import Stopped
from kvreport.crash.mounts import FILE_SYSTEM
from kvreport.crash.programs import Subject
from kvreport.crash.selection import Wanted
from kvreport.data import crashes
from kvreport.measure import jvm
from kvreport.measure.launcher import interruptible
from kvreport.measure.machine_lock import alone
from kvreport.toolchain.availability import NA

REPLAYS = 3  # of each group of tries that broke a promise
SEEDS = 3  # kept of each group of tries that ended alike
COUNTED = ("lost", "holes", "torn", "wrong")
UNKNOWN = "unknown"  # the engine of a store that this machine lacked something for
NUMBER = re.compile(r"\b0x[0-9a-f]+|(?<![A-Za-z])\d+")  # and no part of a name: org.h2
console = Terminal()
Item = TypeVar("Item")


def record_crashes(run: str, wanted: list[Wanted]) -> None:
    """Makes the tries that a run lacks. Raises UserError for a damaged file."""
    kept = crashes.begun(run)
    entries = [(each, entry_of(kept, each)) for each in wanted]
    work = [
        (each, entry, seeds) for each, entry in entries for seeds in each.series(entry["tries"])
    ]

    def made(each: Wanted, entry: dict, seeds: range) -> fault_injection.Tries:
        return [] if entry["problem"] else fault_injection.tries(each.kind, each.subject, seeds)

    for (_, entry, seeds), found in together(made, work):
        if isinstance(found, Stopped):
            entry["problem"] = entry["problem"] or str(found)
        elif not entry["problem"]:
            for seed, left in found:
                add_try(entry["found"], seed, left)
            entry["tries"] = seeds.stop
        write_json(crashes.file(run), kept)


def record_replays(run: str, wanted: list[Wanted]) -> None:
    """Tries again what broke a promise, where a run lacks that: of the seeds of each group so many
    replays, and in how many of them something acknowledged was missing again. What cannot be
    replayed stays without.
    """
    kept = crashes.begun(run)
    work = [
        (each, group)
        for each in wanted
        if each.sync in crashes.ASKED[each.kind]
        for group in entry_of(kept, each)["found"]
        if crashes.lost_something(group) and "replays" not in group
    ]

    def lost(each: Wanted, group: dict) -> int:
        seeds = [group["seeds"][number % len(group["seeds"])] for number in range(REPLAYS)]
        return sum(crashes.lost_something(ending(each.one(seed))) for seed in seeds)

    for (_, group), found in together(lost, work):
        if not isinstance(found, Stopped):
            group["replays"] = {"tries": REPLAYS, "lost": found}
            write_json(crashes.file(run), kept)


def together(
    make: Callable, work: list[tuple[Wanted, *tuple[Any, ...]]]
) -> Iterator[tuple[tuple, Any]]:
    """Pieces of work, done on all processors, each with what `make` made of it, or with the Stopped
    that it raised.
    """

    def made(item: tuple) -> Any:
        jvm.raise_if_stopping()
        try:
            return make(*item)
        except Stopped as problem:
            return problem

    titled = (
        (f"{each.store['name']}, {each.sync}, {each.kind}", ((each, *rest), found))
        for (each, *rest), found in zip(work, parallel_map(made, work))
    )
    return undisturbed(titled, len(work))


def undisturbed(titled: Iterable[tuple[str, Item]], total: int) -> Iterator[Item]:
    """Items one after another while nothing else is measured; shows progress, with each one's
    title. Ctrl-C ends it between two.
    """
    with (
        interruptible(),
        alone(),
        Progress(console=console, disable=not console.is_terminal) as progress,
    ):
        bar = progress.add_task("", total=total)
        for title, item in titled:
            jvm.raise_if_stopping()
            progress.update(bar, description=title)
            yield item
            progress.advance(bar)


def add_try(groups: list[dict], seed: int, found: dict) -> None:
    """Adds what was found to the group of tries that ended alike: that failed at the same point for
    the same reason, took a recovery call, had something committed, or whose commits said that they
    failed, and in which the same kinds of things are missing or wrong.
    """
    alike = ending(found)
    group = next((each for each in groups if alike.items() <= each.items()), None)
    if group is None:
        group = alike | {"count": 0, "seeds": [], "example": None}
        group |= {name: [found[name], found[name]] for name in COUNTED}
        groups.append(group)
    group["count"] += 1
    group["seeds"] = [*group["seeds"], seed][:SEEDS]
    group["example"] = group["example"] or found["example"]
    for name in COUNTED:
        least, most = group[name]
        group[name] = [min(least, found[name]), max(most, found[name])]


def ending(found: dict) -> dict:
    """Return how a try ended: what all tries of its group have in common."""
    alike = {"failed": found["failed"], "reason": bare(found["reason"])}
    alike |= {f"any_{name}": found[name] > 0 for name in COUNTED}
    alike |= {name: found[name] for name in ("recovered", "reported") if name in found}
    return alike | {"committed": found["acknowledged"] > 0}


def bare(reason: str | None) -> str | None:
    """A reason without what is another each time: folders and numbers."""
    if reason is None:
        return None
    first = next(iter(reason.strip().splitlines()), "")
    return NUMBER.sub("N", re.sub(r"/\S+/", "…/", first))[:300]


def subject_of(kept: dict, each: Wanted) -> dict:
    """A store at a tier among what is kept; a new one where it is none, or of another script. Under
    another recovery call its crashes are none, and what its commits take is what it was.
    """
    store = each.store
    is_this = {"id": store["id"], "sync": each.sync}
    code = {"code": store["code"], "recovery": store.get("recovery", {}).get("code")}
    subject = next((one for one in kept["subjects"] if is_this.items() <= one.items()), None)
    if subject is None or subject["code"] != store["code"]:
        kept["subjects"] = [one for one in kept["subjects"] if one is not subject]
        subject = is_this | code | {"store": described(each.subject), "crashes": {}}
        subject["how"] = store["settings"].get("sync")
        kept["subjects"].append(subject)
    elif subject.get("recovery") != code["recovery"]:
        subject |= code | {"crashes": {}}
        subject.pop("reopenings", None)
    if subject["store"].get("engine") == UNKNOWN and "missing" not in store:
        subject["store"] = described(each.subject)
    return subject


def entry_of(kept: dict, each: Wanted) -> dict:
    """A kind of tries of a store at a tier among what is kept; a new one where it is not there."""
    subject = each.subject
    given: dict[str, int | str] = {
        "transactions": subject.transactions,
        "value_bytes": subject.value_bytes,
    }
    if each.kind != crashes.KILL:
        given["filesystem"] = FILE_SYSTEM
    entries = subject_of(kept, each)["crashes"]
    if not given.items() <= entries.get(each.kind, {}).items():
        entries[each.kind] = given | {"tries": 0, "problem": None, "found": []}
    return na_where_missing(each, entries[each.kind])


def na_where_missing(each: Wanted, entry: dict) -> dict:
    """An entry with a `problem`, which is that this machine lacks something for the store, as long
    as it does.
    """
    if missing := each.store.get("missing"):
        entry["problem"] = f"{NA}{missing}"
    elif (entry["problem"] or "").startswith(NA):
        entry["problem"] = None
    return entry


def described(subject: Subject) -> dict:
    """Name, library, version and engine of a store, as it says itself."""
    with scratch(place()) as temporary:
        asked = subprocess.run(
            subject.command("describe", temporary), capture_output=True, text=True, cwd=temporary
        )
    if asked.returncode:
        said = (asked.stderr.strip().splitlines() or ["it says nothing"])[0]
        raise UserError(f"{subject.store['id']} cannot say what it is: {one_line(said)}")
    of = json.loads(asked.stdout)
    return {name: of[name] for name in ("name", "family", "colour", "library", "version", "engine")}
