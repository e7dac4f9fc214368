"""What the sources state of Test 4, each as a named check: it holds, does not hold, or cannot be told.

Every check runs on two bodies of evidence, this report's own trials and the figures that the source itself published, so
that a reader sees whether a sentence was true of its own data before seeing whether it is true here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from kvreport import stats
from kvreport.chapter import CASES, WORKLOADS, Chapter, published
from kvreport.text import listing, number, span

HOLDS, FAILS, UNKNOWN = "holds", "does not hold", "cannot tell"
READS = WORKLOADS[1:]
ALIKE = 1.25  # two times are called alike when neither is more than a quarter above the other


@dataclass(frozen=True)
class Time:
    """A store's time in ns an entry, with what it takes to compare it: the trials' values, or a published interval."""

    store: str
    value: float
    values: tuple[float, ...] = ()
    low: float = float("nan")
    high: float = float("nan")

    def compare(self, other: "Time") -> str:
        """"less", "greater" or "cannot tell"."""
        if self.values:
            return stats.compare(self.values, other.values)
        return "less" if self.high < other.low else "greater" if self.low > other.high else "cannot tell"

    def alike(self, other: "Time") -> str:
        """Whether the two are within a quarter of each other, as a verdict."""
        if self.values:
            between = stats.ratio(self.values, other.values)
            low, high = between.low, between.high
        else:
            low, high = self.low / other.high, self.high / other.low
        if low > ALIKE or high < 1 / ALIKE:
            return FAILS
        return HOLDS if low >= 1 / ALIKE and high <= ALIKE else UNKNOWN


@dataclass(frozen=True)
class Evidence:
    """Times by (keys, order, workload) and sizes by (keys, order), of stores only: neither limit nor controls."""

    times: dict[tuple[str, str, str], list[Time]]
    overheads: dict[tuple[str, str], dict[str, float]]  # percent over the flat array
    names: dict[str, str]
    brands: dict[str, str]  # by store, as names

    def best(self, key, who: str | None = None, but: str | None = None, ordered: bool = False) -> Time | None:
        """The fastest store of those meant by `who` (an engine or a store's id), or of all not meant by `but`.

        With `ordered`, only of stores that keep their keys in order.
        """
        able = {time.store for time in self.times.get((*key[:2], "readSeq"), [])}
        found = [time for time in self.times.get(key, []) if (who is None or self.meant(who, time.store))
                 and not self.meant(but, time.store) and (not ordered or time.store in able)]
        return min(found, key=lambda time: time.value, default=None)

    def meant(self, who: str | None, store: str) -> bool:
        """Whether an engine's name, or a store's id, means this store. "LMDB" means "LMDB BB" even when it is measured alone."""
        return who in (store, self.brands[store], self.names[store].split()[0])

    def called(self, who: str) -> str:
        return self.names.get(who, who)

    def told(self, time: Time) -> str:
        return f"{self.names[time.store]} {number(time.value)}"


def measured(chapter: Chapter) -> Evidence:
    """This report's evidence."""
    stores = [store for store in chapter.stores if chapter.is_store(store)]
    good = chapter.results[(chapter.results["status"] == "ok") & chapter.results["store"].isin(stores)]
    times = {key: [Time(row["store"], row["value"], row["values"]) for row in rows.to_dict("records")]
             for key, rows in good.groupby([*stats.CASE, "workload"])}
    sizes = {case: {row.store: row.overhead for row in chapter.sizes(*case).itertuples() if row.status == "ok" and row.store in stores}
             for case in CASES}
    return Evidence(times, sizes, {store: chapter.name(store) for store in stores}, {store: chapter.brand(store) for store in stores})


def printed(edition: str = "2016-07") -> Evidence:
    """The source's own evidence: JMH's means with their 99.9% errors, and sizes after close."""
    table = published(edition)
    table = table[(table["keys"] != "") & (table["store_id"] != "")]
    key = ["keys", "order", "workload"]
    wide = table[table["unit"] == "ms/op"].pivot(index=[*key, "store_id"], columns="parameter", values="value")
    times = {}
    for (keys, order, workload, store), mean, error in wide[["mean time", "99.9% error of the mean"]].itertuples(name=None):
        times.setdefault((keys, order, workload), []).append(Time(store, mean, (), mean - error, mean + error))
    flat = {"int": 104e6, "string": 116e6}  # a million entries: a ms a million is a ns an entry
    sizes = {}
    for row in table[table["unit"] == "bytes"].itertuples():
        sizes.setdefault((row.keys, row.order), {})[row.store_id] = 100 * (row.value / flat[row.keys] - 1)
    names = dict(zip(table["store_id"], table["system"]))
    return Evidence(times, sizes, names, {store: name.split()[0] for store, name in names.items()})


@dataclass(frozen=True)
class Finding:
    verdict: str
    why: str


@dataclass(frozen=True)
class Claim:
    """A statement of a source, in our words, with the exhibits it is about and its check."""

    says: str
    edition: str
    figures: str
    check: Callable[[Evidence], Finding]


def leads(keys: list, who: str, against: str | None = None, ordered: bool = False) -> Callable[[Evidence], Finding]:
    """For each (keys, order, workload), an engine's fastest store is faster than every store that is not its own.

    `against` narrows the others to one engine, `ordered` to stores that keep their keys in order.
    """
    def check(evidence: Evidence) -> Finding:
        outcomes, factors = {"less": [], "greater": [], UNKNOWN: []}, []
        for key in keys:
            mine, other = evidence.best(key, who), evidence.best(key, against, but=who, ordered=ordered)
            outcome = mine.compare(other) if mine and other else UNKNOWN
            shown = f"{evidence.told(mine)}, {evidence.told(other)}" if mine and other else "not measured"
            outcomes[outcome].append(f"{key[2]} of {key[0]} keys in {key[1]} order ({shown})")
            if outcome == "less":
                factors.append(other.value / mine.value)
        parts = []
        if factors:
            parts.append(f"{evidence.called(who)} is ahead in {len(factors)} of {len(keys)}, by a factor of {span(min(factors), max(factors))}")
        if outcomes["greater"]:
            parts.append(f"behind at {some(outcomes['greater'])}")
        if outcomes[UNKNOWN]:
            parts.append(f"no telling at {some(outcomes[UNKNOWN])}")
        return Finding(FAILS if outcomes["greater"] else UNKNOWN if outcomes[UNKNOWN] else HOLDS, "; ".join(parts))
    return check


def overhead(stores: list[str], test: Callable[[float], bool], case=("int", "random")) -> Callable[[Evidence], Finding]:
    """The percentages over the flat array of all these (stores' ids or engines) pass a test. Sizes repeat, so intervals are not needed."""
    def check(evidence: Evidence) -> Finding:
        known = evidence.overheads.get(case, {})
        found = [[(over, store) for store, over in known.items() if evidence.meant(who, store)] for who in stores]
        sizes = sorted(size for sizes in found for size in sizes)
        if not all(test(over) for over, _ in sizes):
            verdict = FAILS
        else:
            verdict = HOLDS if all(found) else UNKNOWN
        return Finding(verdict, listing([f"{evidence.names[store]} {over:+.1f}%" for over, store in sizes]
                                        + [f"{who} not measured" for who, sizes in zip(stores, found) if not sizes]))
    return check


def string_like_int(evidence: Evidence) -> Finding:
    """Each store takes about as long for string keys as for int keys."""
    pairs = []
    for (keys, *rest), times in evidence.times.items():
        strings = {time.store: time for time in evidence.times.get(("string", *rest), [])}
        pairs += [(rest, strings[time.store], time) for time in times if keys == "int" and time.store in strings]
    verdicts = [string.alike(integer) for _, string, integer in pairs]
    if not pairs:
        return Finding(UNKNOWN, "not measured")
    (order, workload), string, integer = max(pairs, key=lambda p: max(p[1].value / p[2].value, p[2].value / p[1].value))
    why = (f"{verdicts.count(HOLDS)} of {len(pairs)} pairs are within a quarter of each other and {verdicts.count(FAILS)} are not; "
           f"furthest apart is {evidence.names[string.store]} at {workload}, {order} order: {number(string.value)} against "
           f"{number(integer.value)} ns/entry")
    return Finding(FAILS if FAILS in verdicts else UNKNOWN if UNKNOWN in verdicts else HOLDS, why)


def cursors_beat_keys(evidence: Evidence) -> Finding:
    """For each store, a scan takes less time an entry than reading by key."""
    factors, behind, unknown = [], [], []
    for keys, order in CASES:
        by_key = {time.store: time for time in evidence.times.get((keys, order, "readKey"), [])}
        for scan in evidence.times.get((keys, order, "readSeq"), []):
            get = by_key.get(scan.store)
            outcome = scan.compare(get) if get else UNKNOWN
            if outcome == "less":
                factors.append(get.value / scan.value)
            else:
                (behind if outcome == "greater" else unknown).append(f"{evidence.names[scan.store]} ({keys}, {order})")
    parts = [f"scans are faster in {len(factors)} of {len(factors) + len(behind) + len(unknown)} pairs"
             + (f", by a factor of {span(min(factors), max(factors))}" if factors else "")]
    if behind:
        parts.append(f"slower: {some(behind)}")
    if unknown:
        parts.append(f"no telling: {some(unknown)}")
    return Finding(FAILS if behind else UNKNOWN if unknown or not factors else HOLDS, "; ".join(parts))


def every(keys=("int", "string"), orders=("sequential", "random"), workloads=WORKLOADS) -> list[tuple[str, str, str]]:
    return [(*case, workload) for case in CASES if case[0] in keys and case[1] in orders for workload in workloads]


def some(items, most: int = 3) -> str:
    """The first few, and how many more there are."""
    return listing(items) if len(items) <= most else f"{'; '.join(items[:most])}; and {len(items) - most} more"


JULY, JUNE = "10 July 2016", "30 June 2016"
CLAIMS = [
    Claim("With int keys in sequential order LMDB is the fastest at everything, writing included", JULY, "@fig-a09",
          leads(every(["int"], ["sequential"]), "LMDB")),
    Claim("With string keys in sequential order LMDB is the fastest at everything too", JULY, "@fig-a10",
          leads(every(["string"], ["sequential"]), "LMDB")),
    Claim("With int keys in random order LMDB is the fastest at everything, even at writing", JULY, "@fig-a11",
          leads(every(["int"], ["random"]), "LMDB")),
    Claim("With string keys in random order nothing changes: LMDB is the fastest at everything", JULY, "@fig-a12",
          leads(every(["string"], ["random"]), "LMDB")),
    Claim("With int keys in random order LevelDB writes faster than LMDB", JUNE, "@fig-a11",
          leads([("int", "random", "write")], "LevelDbJni", against="LMDB")),
    Claim("LMDB is the fastest at every read workload", JULY, "@fig-a09 to @fig-a12", leads(every(workloads=READS), "LMDB")),
    Claim("LMDB writes 100-byte values faster than the other stores that keep keys in order", JULY, "@fig-a09 to @fig-a12",
          leads(every(workloads=["write"]), "LMDB", ordered=True)),
    Claim("A scan with a cursor beats reading by key, in every store and case", JULY, "@fig-a09 to @fig-a12", cursors_beat_keys),
    Claim("String keys perform as int keys do (within a quarter is taken as such)", JULY, "@fig-a09 to @fig-a12", string_like_int),
    Claim("LevelDB and RocksDB need less than 3% over a flat array", JULY, "@tbl-a08",
          overhead(["LevelDbJni", "RocksDb"], lambda over: over < 3)),
    Claim("LMDB needs around 65% over a flat array (60 to 70 are taken as such)", JULY, "@tbl-a08",
          overhead(["LMDB"], lambda over: 60 <= over <= 70)),
    Claim("Xodus takes 4.5 times the flat array (4 to 5 are taken as such)", JULY, "@tbl-a08",
          overhead(["Xodus"], lambda over: 300 <= over <= 400)),
]


def findings(chapter: Chapter) -> list[tuple[Claim, Finding, Finding]]:
    """Each claim with what the source's own figures say to it, and what this report's do."""
    own = {JULY: printed("2016-07"), JUNE: printed("2016-06")}
    here = measured(chapter)
    return [(claim, claim.check(own[claim.edition]), claim.check(here)) for claim in CLAIMS]
