"""What crashes mean: a verdict of each try, and of each store at each tier, counts with intervals.

A verdict follows from facts alone (kv.crash.Found): what the store had acknowledged and what is
there. Whether that is what was promised depends on the tier and on what crashed.
"""

from collections import Counter
from dataclasses import dataclass
from enum import Enum

import pandas as pd
from scipy import stats

from kvreport.data import crashes, facts
from kvreport.data.crashes import ASKED

TIERS = ("process", "commit")
LEVEL = 0.95
CONTROL = "control"  # kv.store.StoreDescriptor


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


# nothing acknowledged is missing
KEPT = (Verdict.SURVIVES, Verdict.PART, Verdict.RECOVERED, Verdict.UNSTARTED)


@dataclass(frozen=True)
class Outcome:
    """What became of a store at a tier in all tries of a kind of crash.

    store, name  its id, and what it is called
    family       of stores; CONTROL where it is none, but made to hold the judge to
    engine       what ran, with its version
    how          what the setting `sync` does in it; None where it has no such setting
    sync         how far a commit had to get: "off", "os", "on"; None where it has no such setting
    tries        how many there were; of them `counts` by verdict
    recovered    how many took the vendor's recovery call
    reported     in how many a commit said that it failed; None where that was not noted
    problem      why there are none; None where there are
    worst        the groups of tries with the worst verdict
    """

    store: str
    name: str
    family: str
    engine: str
    how: str | None
    sync: str | None
    kind: str
    tries: int
    counts: Counter[Verdict]
    recovered: int
    reported: int | None
    problem: str | None
    worst: tuple[dict, ...]

    @property
    def promised(self) -> bool:
        """Whether its vendor promises a tier at which what is acknowledged survives this. Of a
        store without facts its own word counts.
        """
        known = facts.known().get(self.store)
        tiers = known["durability"]["tiers"] if known else TIERS
        return self.tier != "none" and self.tier in tiers

    @property
    def tier(self) -> str:
        """The tier that it asks for which is to survive this kind, as the facts call it: "none"
        where there is no such.
        """
        return ASKED[self.kind].get(self.sync or "", "none")

    @property
    def verdict(self) -> Verdict:
        """The worst of all tries."""
        return max(self.counts, key=lambda each: each.badness, default=Verdict.SURVIVES)

    @property
    def kept(self) -> bool:
        """Whether nothing acknowledged was missing in any try."""
        return self.verdict in KEPT

    @property
    def cost(self) -> int:
        """In how many tries something acknowledged was missing, or wrong."""
        return self.tries - sum(self.counts[each] for each in KEPT)

    def share(self) -> tuple[float, float]:
        """The interval of the share of crashes that cost something (Clopper and Pearson); where
        none did of n its upper end is near 3/n, the rule of three.
        """
        if not self.cost:
            return 0.0, float(1 - (1 - LEVEL) ** (1 / self.tries)) if self.tries else 1.0
        found = stats.binomtest(self.cost, self.tries).proportion_ci(LEVEL, method="exact")
        return float(found.low), float(found.high)


def outcomes(found: dict | None, kind: str) -> list[Outcome]:
    """What became of each store and tier of which a kind of crash was tried; by name and tier."""
    rows = []
    for subject in found["subjects"] if found else ():
        entry = subject["crashes"].get(kind)
        if entry is None:
            continue
        counts: Counter[Verdict] = Counter()
        for group in entry["found"]:
            counts[verdict(group)] += group["count"]
        worst = max(counts, key=lambda each: each.badness, default=None)
        rows.append(
            Outcome(
                subject["id"],
                subject["store"]["name"],
                subject["store"]["family"],
                subject["store"]["engine"],
                subject["how"],
                subject["sync"],
                kind,
                counts.total(),
                counts,
                sum(each["count"] for each in entry["found"] if each.get("recovered")),
                _reported(entry["found"]),
                entry["problem"],
                tuple(each for each in entry["found"] if verdict(each) is worst),
            )
        )
    return sorted(rows, key=lambda each: (each.name.lower(), ORDER.index(each.sync)))


def _reported(groups: list[dict]) -> int | None:
    if any("reported" not in each for each in groups):
        return None
    return sum(each["count"] for each in groups if each["reported"])


ORDER = (None, "off", "os", "on")

COLUMNS = ["run", "store", "name", "family", "engine", "sync", "kind", "tries", "kept", "low"]
COLUMNS += ["high", "reported", "promised", "verdict", "problem"]


def frame(source: str | None = None) -> pd.DataFrame:
    """What was left after crashes: one row for each store, tier and kind of crash that was tried.

    source     a run of data/runs; None for the one that the report shows them of
    sync       what a commit was asked to survive: off, os (its process), on (a power cut)
    kind       kill, power, fault (the device fails) or full
    tries      how many;  kept: in how many nothing acknowledged was missing or wrong
    low, high  the 95% interval of the share of crashes that cost something (Clopper and Pearson)
    reported   in how many a commit said that it failed; missing where that was not noted
    promised   whether the vendor promises that what is acknowledged survives this
    verdict    the worst of all tries;  problem: why there are none
    """
    run = source or crashes.shown()
    found = crashes.read(run) if run else None
    rows = []
    for each in (each for kind in crashes.KINDS for each in outcomes(found, kind)):
        about = [run, each.store, each.name, each.family, each.engine, each.sync, each.kind]
        told = [each.reported, each.promised, each.verdict.value if each.tries else None]
        rows.append(
            [*about, each.tries, each.tries - each.cost, *each.share(), *told, each.problem]
        )
    return pd.DataFrame(rows, columns=COLUMNS)
