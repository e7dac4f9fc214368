"""Which crashes are to be tried: of every store that keeps its data in files, or of those that are
named.
"""

from kvreport.base.errors import UserError
from kvreport.crash.record import KINDS, Wanted
from kvreport.data.crashes import FAULT, FULL, KILL, POWER

# values of the setting `sync`, by what a commit survives, as the stores' facts call it
TIERS = {"none": "off", "process": "os", "commit": "on"}
NO_STORES = ("control", "limit", "no store", "side")  # families: one way to an engine stands for it
TRIES = {KILL: 200, POWER: 300, FAULT: 20, FULL: 20}
TRIES_ON_DEVICE = 1_000  # power cuts where each commit is to be on the device


def wanted(
    known: dict,
    stores: list[str] | None,
    tiers: list[str] | None,
    kinds: list[str] | None,
    tries: int | None,
) -> list[Wanted]:
    """What is to be tried, in the stores' order; None stands for all, and for as many tries as are
    usual. Raises UserError where a store has no such tier.
    """
    chosen = [
        Wanted(_known(known, store), sync, kind, tries or usual(kind, sync))
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


def usual(kind: str, sync: str | None) -> int:
    """How often a kind of crash is tried at a tier, unless it is said."""
    return TRIES_ON_DEVICE if (kind, sync) == (POWER, "on") else TRIES[kind]


def persistent(known: dict) -> list[str]:
    """The ids of the stores whose crashes are of interest."""
    return [id for id, store in known["stores"].items() if store["family"] not in NO_STORES]


def _known(known: dict, store: str) -> dict:
    try:
        return known["stores"][store]
    except KeyError:
        if store in known["failed"]:
            raise UserError(f"{store} {known['failed'][store]}") from None
        raise UserError(
            f"There is no store {store}; there are {', '.join(persistent(known))}."
        ) from None


def _syncs(store: dict, tiers: list[str] | None) -> list[str | None]:
    """The values of `sync` of those tiers that a store has; None where it has no such setting."""
    if "sync" not in store["settings"]:
        return [None] if tiers is None or "none" in tiers else []
    return [sync for tier, sync in TIERS.items() if tiers is None or tier in tiers]
