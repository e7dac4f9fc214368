"""What crashes mean: a verdict of each try, and of each store at each tier, counts with intervals.

A verdict follows from facts alone (kv.crash.Found): what the store had acknowledged and what is
there. Whether that is what was promised depends on the tier and on what crashed.
"""

from collections import Counter
from enum import Enum
from typing import Any

import pandas as pd
from scipy.special import betaincinv

from kvreport.data import crashes, facts
from kvreport.data.crashes import ASKED

TIERS = ("process", "commit")
LEVEL = 0.95


class Verdict(Enum):
    """What is left after a crash, the better before the worse."""

    SURVIVES = "everything acknowledged is there"
    PART = "the same, and a part of the transaction under way"
    RECOVERED = "everything acknowledged is there after a recovery call"
    UNSTARTED = "it does not open, and nothing had been committed"
    LAST = "the last commits are lost"
    MORE = "commits are lost before others, or in part"
    UNUSABLE = "it does not open, or cannot be read or written"
    WRONG = "it gives wrong data, and no error"

    @property
    def badness(self) -> int:
        return list(Verdict).index(self)


# nothing acknowledged is missing
KEPT = (Verdict.SURVIVES, Verdict.PART, Verdict.RECOVERED, Verdict.UNSTARTED)
COLUMNS = {
    **dict.fromkeys(("run", "store", "name", "family", "engine", "how", "sync", "kind"), "str"),
    **dict.fromkeys(("tries", "kept", *(each.name.lower() for each in Verdict)), "int64"),
    **dict.fromkeys(("low", "high", "reported"), "float64"),
    "promised": "bool",
    "verdict": "str",
    **dict.fromkeys(("lost_least", "lost_most"), "float64"),
    **dict.fromkeys(("reason", "seeds"), "str"),
    "replays": "int64",
    "again": "int64",
    "problem": "str",
}


def verdict(group: dict) -> Verdict:
    """The verdict of tries that ended alike; fields as in data/schema/crashes.schema.json."""
    if group["failed"]:
        return Verdict.UNUSABLE if group.get("committed", True) else Verdict.UNSTARTED
    if group["any_wrong"]:
        return Verdict.WRONG
    if group["any_holes"] or (group["any_torn"] and group["any_lost"]):
        return Verdict.MORE
    if group["any_lost"]:
        return Verdict.LAST
    if group.get("recovered"):
        return Verdict.RECOVERED
    return Verdict.PART if group["any_torn"] else Verdict.SURVIVES


def frame(source: str | None = None) -> pd.DataFrame:
    """Return what was left after crashes: one row for each store, tier and kind of crash that was
    tried.

    source     a run of data/runs; None for the one that the report shows them of
    sync       what a commit was asked to survive: off, os (its process), on (a power cut); missing
               where the store has no tiers;  how: what the store does for that
    kind       kill, power, fault (the device fails) or full
    tries      how many;  kept: in how many nothing acknowledged was missing or wrong
    low, high  the 95% interval of the share of crashes that cost something (Clopper and Pearson)
    survives, part, recovered, unstarted, last, more, unusable, wrong
               how many tries had each verdict (analysis.crashes.Verdict)
    reported   in how many a commit said that it failed; missing where that was not noted
    promised   whether the vendor promises that what is acknowledged survives this
    verdict    the worst of all tries.  Of those: lost_least, lost_most, transactions of which
               something is missing; reason, what the store said most often; seeds, some of them
    replays    how often what broke a promise was tried again;  again: in how many it broke again
    problem    why there are no tries
    """
    run = source or crashes.shown_crashes()
    found = crashes.read_crashes(run) if run else None
    rows = [
        _about(subject) | {"run": run, "kind": kind} | _left(subject, kind, entry)
        for kind in crashes.KINDS
        for subject in _sorted(found)
        if (entry := subject["crashes"].get(kind)) is not None
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def share(cost: int, tries: int) -> tuple[float, float]:
    """The interval of the share of crashes that cost something (Clopper and Pearson); where none
    did of n its upper end is near 3/n, the rule of three.
    """
    if not cost:
        return 0.0, float(1 - (1 - LEVEL) ** (1 / tries)) if tries else 1.0
    tail, kept = (1 - LEVEL) / 2, tries - cost
    low = float(betaincinv(cost, kept + 1, tail))
    return low, float(betaincinv(cost + 1, kept, 1 - tail)) if kept else 1.0


ORDER = (None, "off", "os", "on")


def _sorted(found: dict | None) -> list[dict]:
    """The subjects by name and tier."""
    subjects = found["subjects"] if found else []
    return sorted(
        subjects, key=lambda each: (each["store"]["name"].lower(), ORDER.index(each["sync"]))
    )


def _about(subject: dict) -> dict[str, Any]:
    of = subject["store"]
    about = {"store": subject["id"], "how": subject["how"], "sync": subject["sync"]}
    return about | {name: of[name] for name in ("name", "family", "engine")}


def _left(subject: dict, kind: str, entry: dict) -> dict[str, Any]:
    """The numbers of one kind of crash of a store at a tier."""
    groups, counts = entry["found"], Counter[Verdict]()
    for group in groups:
        counts[verdict(group)] += group["count"]
    tries, kept = counts.total(), sum(counts[each] for each in KEPT)
    low, high = share(tries - kept, tries)
    noted = all("reported" in group for group in groups)
    replays = [group["replays"] for group in groups if "replays" in group]
    return {
        **{each.name.lower(): counts[each] for each in Verdict},
        "tries": tries,
        "kept": kept,
        "low": low,
        "high": high,
        "reported": sum(each["count"] for each in groups if each["reported"]) if noted else None,
        "promised": _promised(subject["id"], kind, subject["sync"]),
        "replays": sum(each["tries"] for each in replays),
        "again": sum(each["lost"] for each in replays),
        "problem": entry["problem"],
        **_worst(groups, max(counts, key=lambda each: each.badness, default=None)),
    }


def _worst(groups: list[dict], worst: Verdict | None) -> dict[str, Any]:
    """The worst tries, of which those that ended alike most often are described."""
    bad = [group for group in groups if verdict(group) is worst]
    if not bad:
        return {"verdict": None, "reason": None, "seeds": None}
    group = max(bad, key=lambda each: each["count"])
    return {
        "verdict": worst.value if worst else None,
        "lost_least": min(each["lost"][0] for each in bad),
        "lost_most": max(each["lost"][1] for each in bad),
        "reason": group["reason"] or group["example"],
        "seeds": ", ".join(map(str, group["seeds"])),
    }


def _promised(store: str, kind: str, sync: str | None) -> bool:
    """Return whether the vendor promises a tier at which what is acknowledged survives such a
    crash; of a store without facts its own word counts.
    """
    known = facts.known().get(store)
    tiers = known["durability"]["tiers"] if known else TIERS
    return ASKED[kind].get(sync or "") in tiers
