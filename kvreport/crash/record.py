"""Crashes of every store at every tier, tried as often as is wanted, and kept in
data/runs/<run>/crashes.json.

What has been tried is not tried again: a call that was stopped goes on, and one that wants more
adds to it. Each try is decided by its seed alone, from 0 on.
"""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.progress import Progress

from kvreport.base.errors import UserError
from kvreport.base.parallel import parallel_map
from kvreport.base.scratch import scratch
from kvreport.base.terminal import Terminal
from kvreport.base.text import one_line
from kvreport.base.unpacking import place
from kvreport.crash import enospc, io_errors, kills, power_loss
from kvreport.crash.programs import Stopped, Subject
from kvreport.data import crashes
from kvreport.measure import jvm
from kvreport.measure.launcher import interruptible
from kvreport.measure.machine_lock import alone
from kvreport.toolchain.availability import NA
from kvreport.toolchain.stores import write

MANY, FEW = 2_000, 300  # transactions: few where each waits for the device
VALUE_BYTES = 100
SEEDS = 3  # kept of each group of tries that ended alike
COUNTED = ("lost", "holes", "torn", "wrong")
UNKNOWN = "unknown"  # the engine of a store that this machine lacked something for
NUMBER = re.compile(r"\b0x[0-9a-f]+|(?<![A-Za-z])\d+")  # and no part of a name: org.h2
console = Terminal()


@dataclass(frozen=True)
class Kind:
    """A kind of crash.

    size   tries that are made together: of a series, whose seeds begin with a multiple of it
    tries  makes those of some seeds, each as Examiner.examine has it, with the number of
           transactions that were `acknowledged`; raises Stopped where they cannot be made
    """

    size: int
    tries: Callable[[Subject, range], list[tuple[int, dict]]]


KINDS = {
    crashes.KILL: Kind(kills.TOGETHER, kills.tries),
    crashes.POWER: Kind(power_loss.TOGETHER, power_loss.tries),
    crashes.FAULT: Kind(io_errors.TOGETHER, io_errors.tries),
    crashes.FULL: Kind(enospc.TOGETHER, enospc.tries),
}


@dataclass(frozen=True)
class Wanted:
    """What is to be tried: a store of the catalogue at a tier, a kind of crash, how often."""

    store: dict
    sync: str | None
    kind: str
    tries: int

    @property
    def subject(self) -> Subject:
        waits = self.sync == "on" or self.kind in (crashes.POWER, crashes.FAULT)
        return Subject(self.store, self.sync, FEW if waits else MANY, VALUE_BYTES)

    def one(self, seed: int) -> dict:
        """The try of a seed, made by itself. Raises Stopped."""
        ((_, found),) = KINDS[self.kind].tries(self.subject, range(seed, seed + 1))
        return found

    def series(self, made: int) -> Iterator[range]:
        """The seeds of what is left to be tried, those together that are made together."""
        size = KINDS[self.kind].size
        while made < self.tries:
            end = min(self.tries, made - made % size + size)
            yield range(made, end)
            made = end


def record(run: str, wanted: list[Wanted]) -> None:
    """Makes the tries that a run lacks. Raises UserError for a damaged file."""
    kept = crashes.begun(run)
    entries = [(each, entry_of(kept, each)) for each in wanted]
    work = [
        (each, entry, seeds) for each, entry in entries for seeds in each.series(entry["tries"])
    ]

    def made(item: tuple[Wanted, dict, range]) -> list[tuple[int, dict]] | Stopped:
        each, entry, seeds = item
        jvm.raise_if_stopping()
        try:
            return [] if entry["problem"] else KINDS[each.kind].tries(each.subject, seeds)
        except Stopped as problem:
            return problem

    with undisturbed() as progress:
        bar = progress.add_task("", total=sum(len(seeds) for *_, seeds in work))
        for (each, entry, seeds), found in zip(work, parallel_map(made, work)):
            progress.update(bar, description=f"{each.store['name']}, {each.sync}, {each.kind}")
            if isinstance(found, Stopped):
                entry["problem"] = entry["problem"] or str(found)
            elif not entry["problem"]:
                for seed, left in found:
                    add(entry["found"], seed, left)
                entry["tries"] = seeds.stop
            write(crashes.file(run), kept)
            progress.advance(bar, len(seeds))


@contextmanager
def undisturbed() -> Iterator[Progress]:
    """While nothing else is measured, and Ctrl-C ends it between two tries; shows progress."""
    with (
        interruptible(),
        alone(),
        Progress(console=console, disable=not console.is_terminal) as progress,
    ):
        yield progress


def add(groups: list[dict], seed: int, found: dict) -> None:
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
    """How a try ended: what all tries of its group have in common."""
    alike = {"failed": found["failed"], "reason": bare(found["reason"])}
    alike |= {f"any_{name}": found[name] > 0 for name in COUNTED}
    alike |= {name: found[name] for name in ("recovered", "reported") if name in found}
    return alike | {"committed": found["acknowledged"] > 0}


def bare(reason: str | None) -> str | None:
    """A reason without what is another each time: folders and numbers."""
    if reason is None:
        return None
    first = reason.strip().splitlines()[0] if reason.strip() else ""
    return NUMBER.sub("N", re.sub(r"/\S+/", "…/", first))[:300]


def subject_of(kept: dict, each: Wanted) -> dict:
    """A store at a tier among what is kept; a new one where it is none, or of another script. Under
    another recovery call its crashes are none, and what its commits take is what it was.
    """
    store = each.store
    is_this = {"id": store["id"], "sync": each.sync}
    subject = next((one for one in kept["subjects"] if is_this.items() <= one.items()), None)
    code = {"code": store["code"], "recovery": store.get("recovery", {}).get("code")}
    if subject is None or subject["code"] != store["code"]:
        kept["subjects"] = [one for one in kept["subjects"] if one is not subject]
        subject = (
            is_this
            | code
            | {
                "store": described(each.subject),
                "how": store["settings"].get("sync"),
                "crashes": {},
            }
        )
        kept["subjects"].append(subject)
    elif subject.get("recovery") != code["recovery"]:
        subject |= code | {"crashes": {}}
        subject.pop("reopenings", None)
    if subject["store"].get("engine") == UNKNOWN and "missing" not in store:
        subject["store"] = described(each.subject)
    return subject


def entry_of(kept: dict, each: Wanted) -> dict:
    """A kind of tries of a store at a tier among what is kept; a new one where it is not there."""
    subject = subject_of(kept, each)
    given: dict[str, int | str] = {
        "transactions": each.subject.transactions,
        "value_bytes": each.subject.value_bytes,
    }
    if each.kind != crashes.KILL:
        given["filesystem"] = power_loss.FILE_SYSTEM
    entry = subject["crashes"].get(each.kind)
    if entry is None or not given.items() <= entry.items():
        entry = given | {"tries": 0, "problem": None, "found": []}
        subject["crashes"][each.kind] = entry
    return na_where_missing(each, entry)


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
