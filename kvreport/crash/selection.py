"""Which crashes are to be tried: of every store that keeps its data in files, or of those that are
named.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from kvreport.base.errors import UserError
from kvreport.crash import fault_injection
from kvreport.crash.programs import Subject
from kvreport.data.crashes import FAULT, FULL, KILL, KINDS, POWER

# values of the setting `sync`, by what a commit survives, as the stores' facts call it
TIERS = {"none": "off", "process": "os", "commit": "on"}
NO_STORES = ("control", "limit", "no store", "side")  # families: one way to an engine stands for it
TRIES = {KILL: 200, POWER: 300, FAULT: 20, FULL: 20}
TRIES_ON_DEVICE = 1_000  # power cuts where each commit is to be on the device
MANY, FEW = 2_000, 300  # transactions: few where each waits for the device
VALUE_BYTES = 100


@dataclass(frozen=True)
class Wanted:
    """What is to be tried: a store of the catalogue at a tier, a kind of crash, how often."""

    store: dict
    sync: str | None
    kind: str
    tries: int = 0

    @property
    def subject(self) -> Subject:
        waits = self.sync == "on" or self.kind in (POWER, FAULT)
        return Subject(self.store, self.sync, FEW if waits else MANY, VALUE_BYTES)

    def one(self, seed: int) -> dict:
        """The try of a seed, made by itself. Raises Stopped."""
        ((_, found),) = fault_injection.tries(self.kind, self.subject, range(seed, seed + 1))
        return found

    def series(self, made: int) -> Iterator[range]:
        """The seeds of what is left to be tried, those together that are made together."""
        size = fault_injection.TOGETHER[self.kind]
        while made < self.tries:
            end = min(self.tries, made - made % size + size)
            yield range(made, end)
            made = end


def wanted(
    known: dict,
    stores: list[str] | None,
    tiers: list[str] | None = None,
    kinds: list[str] | None = None,
    tries: int | None = None,
) -> list[Wanted]:
    """Return what is to be tried, in the stores' order; None stands for all, and for as many tries
    as are usual. Raises UserError where a store has no such tier.
    """
    chosen = [
        Wanted(_known(known, store), sync, kind, tries or usual_tries(kind, sync))
        for kind in kinds or KINDS
        for store in stores or persistent(known)
        for sync in _syncs(_known(known, store), tiers)
        if kind != FAULT or sync == "on"  # others do not wait for the device, and cannot know
    ]
    if not chosen:
        raise UserError(
            f"None of the stores has the tier {' or '.join(tiers or ())}: leave --tier out to try"
            " those that there are."
        )
    return chosen


def usual_tries(kind: str, sync: str | None) -> int:
    """Return how often a kind of crash is tried at a tier, unless it is said."""
    return TRIES_ON_DEVICE if (kind, sync) == (POWER, "on") else TRIES[kind]


def persistent(known: dict) -> list[str]:
    """The ids of the stores whose crashes are of interest."""
    return [id for id, store in known["stores"].items() if store["family"] not in NO_STORES]


def _known(known: dict, store: str) -> dict:
    if store in known["stores"]:
        return known["stores"][store]
    if store in known["failed"]:
        raise UserError(f"{store} {known['failed'][store]}")
    raise UserError(f"There is no store {store}; there are {', '.join(persistent(known))}.")


def _syncs(store: dict, tiers: list[str] | None) -> list[str | None]:
    """The values of `sync` of those tiers that a store has; None where it has no such setting."""
    if "sync" not in store["settings"]:
        return [None] if tiers is None or "none" in tiers else []
    return [sync for tier, sync in TIERS.items() if tiers is None or tier in tiers]
