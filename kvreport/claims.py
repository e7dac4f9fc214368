"""What the sources state, each as a named check: it holds, does not hold, or cannot be told. kvreport.statements has them.

Every check runs on two bodies of evidence, this report's own trials and the figures that the source itself published, so
that a reader sees whether a sentence was true of its own data before seeing whether it is true here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from math import isnan, nan

from kvreport import published, stats
from kvreport.cases import CASES, Case
from kvreport.chapter import WORKLOADS, Chapter
from kvreport.published import JULY, JUNE
from kvreport.text import listing, number, span

HOLDS, FAILS, UNKNOWN = "holds", "does not hold", "cannot tell"
READS = WORKLOADS[1:]
CLOSE = 1.05  # two single shots closer than this cannot be told apart
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
        if isnan(self.high) or isnan(other.high):  # a single shot: taken as it stands, unless it is too close to call
            apart = self.value / other.value
            return "less" if apart < 1 / CLOSE else "greater" if apart > CLOSE else UNKNOWN
        return "less" if self.high < other.low else "greater" if self.low > other.high else UNKNOWN

    def alike(self, other: "Time") -> str:
        """Whether the two are within a quarter of each other, as a verdict."""
        if self.values:
            between = stats.ratio(self.values, other.values)
            low, high = between.low, between.high
        elif isnan(self.high) or isnan(other.high):
            low = high = self.value / other.value
        else:
            low, high = self.low / other.high, self.high / other.low
        if low > ALIKE or high < 1 / ALIKE:
            return FAILS
        return HOLDS if low >= 1 / ALIKE and high <= ALIKE else UNKNOWN


@dataclass(frozen=True)
class Evidence:
    """Times by case and workload, and sizes by case, of stores only: neither limit nor controls."""

    times: dict[tuple[Case, str], list[Time]]
    overheads: dict[Case, dict[str, float]]  # percent over the flat array
    names: dict[str, str]
    brands: dict[str, str]  # by store, as names
    failed: dict[Case, dict[str, str]] = field(default_factory=dict)  # why a store's load failed
    cores: dict[tuple[Case, str], dict[str, float]] = field(default_factory=dict)  # CPU time of the whole process over time

    def best(self, key, who: str | None = None, but: str | None = None, ordered: bool = False) -> Time | None:
        """The fastest store of those meant by `who` (an engine or a store's id), or of all not meant by `but`.

        With `ordered`, only of stores that keep their keys in order.
        """
        able = {time.store for time in self.times.get((key[0], "readSeq"), [])}
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
    times = {(Case(*key[:-1]), key[-1]): [Time(row["store"], row["value"], row["values"]) for row in rows.to_dict("records")]
             for key, rows in good.groupby([*stats.CASE, "workload"])}
    space = chapter.space[(chapter.space["status"] == "ok") & chapter.space["store"].isin(stores)]
    sizes = {Case(*key): dict(zip(rows["store"], rows["overhead"])) for key, rows in space.groupby(stats.CASE)}
    bad = chapter.results[(chapter.results["status"] == "failed") & (chapter.results["workload"] == "write")]
    failed = {Case(*key): dict(zip(rows["store"], rows["reason"])) for key, rows in bad.groupby(stats.CASE)}
    return Evidence(times, sizes, {store: chapter.name(store) for store in stores}, {store: chapter.brand(store) for store in stores},
                    failed, _cores(chapter, stores))


def _cores(chapter: Chapter, stores: list[str]) -> dict[tuple[Case, str], dict[str, float]]:
    frame = chapter.run.frame
    frame = frame[(frame["section"] == chapter.section) & (frame["status"] == "ok") & frame["store"].isin(stores)]
    busy = (frame["cpu_user_ns"] + frame["cpu_system_ns"]) / frame["iteration_ns"].map(sum)
    medians = busy.groupby([frame[name] for name in [*stats.CASE, "workload", "store"]]).median()
    found = {}
    for (*case, workload, store), cores in medians.items():
        found.setdefault((Case(*case), workload), {})[store] = cores
    return found


def printed(edition: str, tests: tuple[int, ...]) -> Evidence:
    """A source's own evidence from some of its tests: JMH's means with their 99.9% errors, and sizes after close."""
    times, sizes, names = {}, {}, {}
    for test in tests:
        for (store, case, workload), was in published.times(edition, test).items():
            times.setdefault((case, workload), []).append(Time(store, was.value, (), was.low, was.high))
            names[store] = was.system
        for (store, case), was in published.sizes(edition, test).items():
            sizes.setdefault(case, {})[store] = 100 * (was.value / case.flat - 1)
            names.setdefault(store, was.system)
    return Evidence(times, sizes, names, {store: name.split()[0] for store, name in names.items()})


def together(parts: list[Evidence]) -> Evidence:
    """The evidence of several chapters as one; of a case that two of them have, the first counts."""
    joined = [{} for _ in fields(Evidence)]
    for part in reversed(parts):
        for whole, each in zip(joined, fields(Evidence)):
            whole |= getattr(part, each.name)
    return Evidence(*joined)


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


@dataclass(frozen=True)
class Statements:
    """What the sources state on some of their tests."""

    tests: tuple[int, ...]
    claims: tuple[Claim, ...]


def leads(keys: list, who: str, against: str | None = None, ordered: bool = False) -> Callable[[Evidence], Finding]:
    """For each case and workload, an engine's fastest store is faster than every store that is not its own.

    `against` narrows the others to one engine, `ordered` to stores that keep their keys in order.
    """
    def check(evidence: Evidence) -> Finding:
        outcomes, factors = {"less": [], "greater": [], UNKNOWN: []}, []
        for key in keys:
            mine, other = evidence.best(key, who), evidence.best(key, against, but=who, ordered=ordered)
            outcome = mine.compare(other) if mine and other else UNKNOWN
            shown = f"{evidence.told(mine)}, {evidence.told(other)}" if mine and other else "not measured"
            outcomes[outcome].append(f"{key[1]} of {key[0]} ({shown})")
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


def overhead(stores: list[str], test: Callable[[float], bool], case=Case("int", "random")) -> Callable[[Evidence], Finding]:
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
    for (case, workload), times in evidence.times.items():
        strings = {time.store: time for time in evidence.times.get((case._replace(keys="string"), workload), [])}
        pairs += [((case.order, workload), strings[time.store], time) for time in times if case.keys == "int" and time.store in strings]
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
    pairs = []
    for (case, workload), gets in evidence.times.items():
        if workload == "readKey":
            scans = {time.store: time for time in evidence.times.get((case, "readSeq"), [])}
            pairs += [(f"{evidence.names[get.store]} ({case})", scans[get.store], get) for get in gets if get.store in scans]
    return _ordered(pairs, "scans are faster")


def slower_with(before: Case, after: Case, workload: str = "write", who: str = "LMDB") -> Callable[[Evidence], Finding]:
    """Each store of an engine takes longer in one case than in another: what a setting costs."""
    return lambda evidence: _ordered(_both(evidence, before, after, workload, who), "slower")


def inconclusive(before: Case, after: Case, workload: str = "write", who: str = "LMDB") -> Callable[[Evidence], Finding]:
    """The stores of an engine do not agree on which of two cases is faster."""
    def check(evidence: Evidence) -> Finding:
        pairs = _both(evidence, before, after, workload, who)
        outcomes = [less.compare(more) for _, less, more in pairs]
        agreed = bool(pairs) and len(set(outcomes)) == 1 and outcomes[0] != UNKNOWN
        return Finding(UNKNOWN if not pairs else FAILS if agreed else HOLDS, _ordered(pairs, "slower").why)
    return check


def _both(evidence: Evidence, before: Case, after: Case, workload: str, who: str) -> list[tuple[str, Time, Time]]:
    was = {time.store: time for time in evidence.times.get((before, workload), []) if evidence.meant(who, time.store)}
    return [(evidence.names[time.store], was[time.store], time) for time in evidence.times.get((after, workload), []) if time.store in was]


def _ordered(pairs: list[tuple[str, Time, Time]], what: str) -> Finding:
    """Whether in each pair (name, less, more) the first time is measurably less than the second."""
    factors, behind, unknown = [], [], []
    for name, less, more in pairs:
        outcome = less.compare(more)
        if outcome == "less":
            factors.append(more.value / less.value)
        else:
            (behind if outcome == "greater" else unknown).append(f"{name} ({number(more.value)} against {number(less.value)} ns/entry)")
    parts = [f"{what} in {len(factors)} of {len(pairs)} pairs" + (f", by a factor of {span(min(factors), max(factors))}" if factors else "")]
    if behind:
        parts.append(f"the other way round: {some(behind)}")
    if unknown:
        parts.append(f"no telling: {some(unknown)}")
    return Finding(FAILS if behind else UNKNOWN if unknown or not factors else HOLDS, "; ".join(parts) if pairs else "not measured")


def grows(stores: list[str], steps: list[tuple[Case, Case]], test: Callable[[float], bool]) -> Callable[[Evidence], Finding]:
    """From one case to the next, the bytes an entry of these stores grow by a factor that passes a test."""
    def check(evidence: Evidence) -> Finding:
        told, verdicts = [], []
        for who in stores:
            factors = [(100 + evidence.overheads[after][store]) * after.flat / ((100 + evidence.overheads[before][store]) * before.flat)
                       for before, after in steps for store in evidence.overheads.get(before, {})
                       if evidence.meant(who, store) and store in evidence.overheads.get(after, {})]
            verdicts.append(UNKNOWN if not factors else HOLDS if all(map(test, factors)) else FAILS)
            told.append(f"{who} by a factor of {min(factors):.4f} to {max(factors):.4f}" if factors else f"{who} not measured")
        return Finding(FAILS if FAILS in verdicts else UNKNOWN if UNKNOWN in verdicts else HOLDS, listing(told))
    return check


def shrinks(before: Case, after: Case) -> Callable[[Evidence], Finding]:
    """Each store's percentage over the flat array is less in one case than in another."""
    def check(evidence: Evidence) -> Finding:
        was, now = evidence.overheads.get(before, {}), evidence.overheads.get(after, {})
        told = {store: f"{evidence.names[store]} {was[store]:.1f}% to {now[store]:.1f}%" for store in was if store in now}
        grown = [text for store, text in told.items() if now[store] >= was[store]]
        why = f"more in {some(grown)}" if grown else f"less in all of {len(told)}: {some(list(told.values()))}"
        return Finding(FAILS if grown else HOLDS if told else UNKNOWN, why if told else "not measured")
    return check


def best_batch(store: str, share: str, load: Case) -> Callable[[Evidence], Finding]:
    """A store loads fastest with one of the batches that it was given."""
    def check(evidence: Evidence) -> Finding:
        found = {case.settings.removeprefix("batch="): time for (case, workload), times in evidence.times.items() for time in times
                 if time.store == store and workload == "write" and case._replace(settings="") == load and "batch=" in case.settings}
        others = {other: time for other, time in found.items() if other != share}
        if share not in found or not others:
            return Finding(UNKNOWN, "not measured")
        outcomes = [found[share].compare(time) for time in others.values()]
        told = listing(f"{part} {number(time.value)}" for part, time in sorted(found.items(), key=lambda item: float(item[0].rstrip("%"))))
        return Finding(FAILS if "greater" in outcomes else UNKNOWN if UNKNOWN in outcomes else HOLDS, f"{told} ns/entry")
    return check


def factor(key: tuple[Case, str], who: str, against: str, low: float, high: float, than: tuple[Case, str] | None = None) -> Callable[[Evidence], Finding]:
    """An engine's best time over another's (or its own in another case) lies between two bounds."""
    def check(evidence: Evidence) -> Finding:
        mine, other = evidence.best(key, who), evidence.best(than or key, against)
        if not mine or not other:
            return Finding(UNKNOWN, "not measured")
        between = stats.ratio(mine.values, other.values) if mine.values else stats.Estimate(mine.value / other.value, nan, nan, 1)
        inside = low <= between.value <= high
        if between.has_interval:
            apart = between.high < low or between.low > high
            verdict = HOLDS if low <= between.low and between.high <= high else FAILS if apart else UNKNOWN
        else:
            verdict = UNKNOWN if mine.values else HOLDS if inside else FAILS
        return Finding(verdict, f"{evidence.told(mine)}, {evidence.told(other)} ns/entry, a factor of {number(between.value)}"
                       + (f" ({span(between.low, between.high)})" if between.has_interval else ""))
    return check


def close(key: tuple[Case, str], whos: list[str], most: float) -> Callable[[Evidence], Finding]:
    """The best times of these engines are within a factor of one another."""
    def check(evidence: Evidence) -> Finding:
        found = [evidence.best(key, who) for who in whos]
        if None in found:
            return Finding(UNKNOWN, "not measured")
        first, last = min(found, key=lambda time: time.value), max(found, key=lambda time: time.value)
        inner = factor(key, last.store, first.store, 0, most)(evidence)
        return Finding(inner.verdict, f"slowest against fastest: {inner.why}")
    return check


def runs_out(store: str, cases: list[Case]) -> Callable[[Evidence], Finding]:
    """A store cannot load a case at all."""
    def check(evidence: Evidence) -> Finding:
        reasons = [evidence.failed[case][store] for case in cases if store in evidence.failed.get(case, {})]
        good = [f"{number(time.value)} ns/entry ({case})" for case in cases for time in evidence.times.get((case, "write"), []) if time.store == store]
        if reasons:
            return Finding(HOLDS, "; ".join(dict.fromkeys(reasons)))
        return Finding(FAILS, f"it loads them, at {listing(good)}") if good else Finding(UNKNOWN, "no figures")
    return check


def busy(whos: list[str], key: tuple[Case, str], test: Callable[[float], bool]) -> Callable[[Evidence], Finding]:
    """The CPU cores that these engines keep busy during a workload pass a test."""
    def check(evidence: Evidence) -> Finding:
        found = [(store, cores) for store, cores in evidence.cores.get(key, {}).items() for who in whos if evidence.meant(who, store)]
        verdict = UNKNOWN if not found else HOLDS if all(test(cores) for _, cores in found) else FAILS
        return Finding(verdict, listing(f"{evidence.names[store]} {cores:.2f} cores" for store, cores in found) if found else "no figures")
    return check


def all_of(*checks: Callable[[Evidence], Finding]) -> Callable[[Evidence], Finding]:
    """Every one of some checks holds."""
    def check(evidence: Evidence) -> Finding:
        found = [each(evidence) for each in checks]
        verdicts = [finding.verdict for finding in found]
        return Finding(FAILS if FAILS in verdicts else UNKNOWN if UNKNOWN in verdicts else HOLDS, "; ".join(finding.why for finding in found))
    return check


def every(keys=("int", "string"), orders=("sequential", "random"), workloads=WORKLOADS) -> list[tuple[Case, str]]:
    return [(case, workload) for case in CASES if case.keys in keys and case.order in orders for workload in workloads]


def some(items, most: int = 3) -> str:
    """The first few, and how many more there are."""
    return listing(items) if len(items) <= most else f"{'; '.join(items[:most])}; and {len(items) - most} more"


def findings(statements: Statements, *chapters: Chapter) -> list[tuple[Claim, Finding, Finding]]:
    """Each claim with what the source's own figures say to it, and what this report's chapters do."""
    own = {edition: printed(edition, statements.tests) for edition in published.NAMES}
    here = together([measured(chapter) for chapter in chapters if chapter.measured])
    return [(claim, claim.check(own[claim.edition]), claim.check(here)) for claim in statements.claims]
