"""Commits that share their way to the device (S02): several threads at once, or more entries in a
transaction; and the same commits on other file systems.
"""

from dataclasses import dataclass
from statistics import median
from textwrap import shorten
from typing import Any

from kvreport.base.text import number
from kvreport.charts.tables import MISSING, Table, table
from kvreport.data import crashes
from kvreport.data.crashes import BATCH
from kvreport.exhibits.prices import BARE

NEVER_TIMED = (
    "No commit was timed so in the runs that this report shows: `kvreport commits` does that."
)
SHARED = 0.5  # syncs of several threads' commits, against those of one's, from which on they share
LONGEST = 120  # letters of a reason
FILESYSTEMS = ("ext4", "xfs", "btrfs")


@dataclass(frozen=True)
class Grouped:
    """A store whose commits are on the device when they return; rates a second, medians of rounds.

    alone, alone_syncs      commits of one thread, and syncs for each
    threads, thread_syncs   the same of several threads together; None where there are no such
    entries                 entries of one thread in large transactions; None as well
    many, batch             how many threads and entries a transaction these are
    why                     why there are none
    """

    store: str
    name: str
    alone: float
    alone_syncs: float | None
    threads: float | None
    thread_syncs: float | None
    entries: float | None
    many: int
    batch: int
    why: str

    @property
    def shares(self) -> bool:
        """Whether threads' commits share syncs: each has at most SHARED of those it has alone."""
        if self.alone_syncs is None or self.thread_syncs is None:
            return False
        return self.thread_syncs <= SHARED * self.alone_syncs


class Grouping:
    """The stores of a run whose commits were timed in groups."""

    def __init__(self, run: str | None):
        self.run = run
        found = crashes.read(run) if run else None
        subjects = found["subjects"] if found else []
        on_device = [each for each in subjects if each["sync"] == "on" and _rounds(each)]
        self.grouped = [_grouped(each) for each in on_device if each.get("group")]
        self.elsewhere = [each for each in on_device if each.get("filesystems")]

    @classmethod
    def shown(cls) -> "Grouping":
        """Those of the run that the report shows crashes of."""
        return cls(crashes.shown())

    @property
    def many(self) -> int:
        """How many threads committed at once."""
        return max((each.many for each in self.grouped), default=1)

    @property
    def batch(self) -> int:
        """Entries of a large transaction."""
        return max((each.batch for each in self.grouped), default=BATCH)

    def numbers(self) -> dict[str, Any]:
        """For sentences: who shares syncs among threads, and what that and large transactions are
        worth, in times.
        """
        stores = [each for each in self.grouped if each.store != BARE]
        sharing = [each for each in stores if each.shares]
        times = [each.threads / each.alone for each in sharing if each.threads]
        large = [each.entries / (BATCH * each.alone) for each in stores if each.entries]
        return {
            "stores": len(stores),
            "threads": self.many,
            "batch": self.batch,
            "usual": BATCH,
            "sharing": sorted((each.name for each in sharing), key=str.lower),
            "least": min(times, default=0),
            "most": max(times, default=0),
            "large": median(large) if large else None,
        }

    def table(self) -> Table:
        """Rates of one thread, of several, and of large transactions."""
        if not self.grouped:
            return table(["commits"], [[NEVER_TIMED]])
        rows = [
            [
                each.name,
                number(each.alone),
                _or_missing(each.threads, number),
                _or_missing(each.threads and each.threads / each.alone, number),
                _or_missing(each.alone_syncs, "{:.2f}".format),
                _or_missing(each.thread_syncs, "{:.2f}".format),
                number(BATCH * each.alone),
                _or_missing(each.entries, number),
                each.why,
            ]
            for each in sorted(self.grouped, key=lambda each: -(each.threads or each.alone))
        ]
        many = f"{self.many} threads"
        heads = ["store", ">commits/s, one thread", f">commits/s, {many}", ">times"]
        heads += [">syncs a commit, one thread", f">syncs a commit, {many}"]
        heads += [f">entries/s, {BATCH} a commit", f">entries/s, {self.batch} a commit", "why not"]
        return table(heads, rows)

    def filesystems(self) -> Table:
        """Median commits on each file system."""
        kinds = [kind for kind in FILESYSTEMS if any(kind in _elsewhere(s) for s in self.elsewhere)]
        if not kinds:
            return table(["commits"], [[NEVER_TIMED]])
        rows = []
        for subject in self.elsewhere:
            medians = {kind: _median(_elsewhere(subject).get(kind), "p50_ns") for kind in kinds}
            base = medians.get(kinds[0])
            times = [
                MISSING if other is None or not base else number(other / base)
                for other in list(medians.values())[1:]
            ]
            micros = [_or_missing(each and each / 1e3, number) for each in medians.values()]
            problems = (each["problem"] for each in _elsewhere(subject).values())
            why = next(filter(None, problems), "")
            why = shorten(why, LONGEST, placeholder=" …")
            rows.append((base or float("inf"), [subject["store"]["name"], *micros, *times, why]))
        heads = ["store", *(f">{kind}, µs" for kind in kinds)]
        heads += [*(f">{kind}, times {kinds[0]}" for kind in kinds[1:]), "why not"]
        return table(heads, [row for _, row in sorted(rows, key=lambda each: each[0])])


def _elsewhere(subject: dict) -> dict:
    return subject.get("filesystems", {})


def _rounds(subject: dict) -> list[dict]:
    return (subject.get("price") or {}).get("rounds", [])


def _grouped(subject: dict) -> Grouped:
    threads = subject["group"].get("threads") or {}
    entries = subject["group"].get("entries") or {}
    rate = _rate(entries)
    return Grouped(
        subject["id"],
        subject["store"]["name"],
        _rate(subject["price"]) or 0.0,
        subject["price"]["syncs"],
        _rate(threads),
        threads.get("syncs"),
        None if rate is None else rate * entries["batch"],
        threads.get("threads", 1),
        entries.get("batch", BATCH),
        threads.get("problem") or entries.get("problem") or "",
    )


def _rate(price: dict) -> float | None:
    """Commits a second, the median of the rounds; None where nothing was timed."""
    rounds = price.get("rounds", [])
    return median(each["commits"] / each["seconds"] for each in rounds) if rounds else None


def _median(price: dict | None, field: str) -> float | None:
    rounds = (price or {}).get("rounds", [])
    return median(each[field] for each in rounds) if rounds else None


def _or_missing(value: float | None, form: Any) -> str:
    return MISSING if value is None else form(value)
