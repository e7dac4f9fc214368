"""What the sources state, each as a named check: it holds, does not hold, or cannot be told.
kvreport.statements has them.

Every check runs on two bodies of evidence, this report's own trials and the figures that the source
itself published, so that a reader sees whether a sentence was true of its own data before seeing
whether it is true here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import nan

from kvreport.analysis import stats
from kvreport.analysis.results import SectionResults
from kvreport.analysis.stats import Difference
from kvreport.base.text import format_range, join_words, number
from kvreport.claims.evidence import (
    FAILS,
    HOLDS,
    UNKNOWN,
    Evidence,
    Time,
    measured,
    merged,
    printed,
)
from kvreport.data.cases import CASES, WORKLOADS, Case

READS = WORKLOADS[1:]
APART = "measured on two machines or at two profiles"  # why figures are not set against one another
RANDOM = Case("int", "random")
Check = Callable[[Evidence], "Finding"]


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
    check: Check


@dataclass(frozen=True)
class Statements:
    """What the sources state on some of their tests."""

    tests: tuple[int, ...]
    claims: tuple[Claim, ...]


def leads(keys: list, who: str, against: str | None = None, ordered: bool = False) -> Check:
    """For each case and workload, an engine's fastest store is faster than every store that is not
    its own.

    `against` narrows the others to one engine, `ordered` to stores that keep their keys in order.
    """

    def check(evidence: Evidence) -> Finding:
        outcomes, factors = {each: [] for each in Difference}, []
        for key in keys:
            mine, other = (
                evidence.best(key, who),
                evidence.best(key, against, but=who, ordered=ordered),
            )
            outcome = mine.compare(other) if mine and other else Difference.INCONCLUSIVE
            shown = (
                f"{evidence.told(mine)}, {evidence.told(other)} ns/entry"
                if mine and other
                else "not measured"
            )
            outcomes[outcome].append(f"{key[1]} of {key[0]} ({shown})")
            if outcome == Difference.LESS:
                factors.append(other.value / mine.value)
        parts = []
        if factors and len(keys) == 1:
            parts.append(f"{shown}, a factor of {number(factors[0])}")
        elif factors:
            parts.append(
                f"{evidence.display_name(who)} is ahead in {len(factors)} of {len(keys)}, by a"
                f" factor of"
                f" {format_range(min(factors), max(factors))}"
            )
        if outcomes[Difference.GREATER]:
            parts.append(f"behind at {some(outcomes['greater'])}")
        if outcomes[Difference.INCONCLUSIVE]:
            parts.append(f"inconclusive at {some(outcomes[Difference.INCONCLUSIVE])}")
        return Finding(
            FAILS
            if outcomes[Difference.GREATER]
            else UNKNOWN
            if outcomes[Difference.INCONCLUSIVE]
            else HOLDS,
            "; ".join(parts),
        )

    return check


def overhead(stores: list[str], test: Callable[[float], bool], case: Case = RANDOM) -> Check:
    """The percentages over the flat array of all these (stores' ids or engines) pass a test. Sizes
    repeat, so intervals are not needed.
    """

    def check(evidence: Evidence) -> Finding:
        known = evidence.overheads.get(case, {})
        found = [
            [(over, store) for store, over in known.items() if evidence.matches(who, store)]
            for who in stores
        ]
        sizes = sorted(size for sizes in found for size in sizes)
        if not all(test(over) for over, _ in sizes):
            verdict = FAILS
        else:
            verdict = HOLDS if all(found) else UNKNOWN
        return Finding(
            verdict,
            join_words(
                [f"{evidence.names[store]} {over:+.1f}%" for over, store in sizes]
                + [f"{who} not measured" for who, sizes in zip(stores, found) if not sizes]
            ),
        )

    return check


def string_like_int(evidence: Evidence) -> Finding:
    """Each store takes about as long for string keys as for int keys."""
    pairs = []
    for (case, workload), times in evidence.times.items():
        strings = {
            time.store: time
            for time in evidence.times.get((case._replace(keys="string"), workload), [])
        }
        pairs += [
            ((case.order, workload), strings[time.store], time)
            for time in times
            if case.keys == "int" and time.store in strings
        ]
    verdicts = [string.is_close(integer) for _, string, integer in pairs]
    if not pairs:
        return Finding(UNKNOWN, "not measured")
    (order, workload), string, integer = max(
        pairs, key=lambda p: max(p[1].value / p[2].value, p[2].value / p[1].value)
    )
    why = (
        f"{verdicts.count(HOLDS)} of {len(pairs)} pairs are within a quarter of each other and"
        f" {verdicts.count(FAILS)} are not; furthest apart is {evidence.names[string.store]} at"
        f" {workload}, {order} order: {number(string.value)} against {number(integer.value)}"
        " ns/entry"
    )
    return Finding(FAILS if FAILS in verdicts else UNKNOWN if UNKNOWN in verdicts else HOLDS, why)


def cursors_beat_keys(evidence: Evidence) -> Finding:
    """For each store, a scan takes less time an entry than reading by key."""
    pairs = []
    for (case, workload), gets in evidence.times.items():
        if workload == "readKey":
            scans = {time.store: time for time in evidence.times.get((case, "readSeq"), [])}
            pairs += [
                (f"{evidence.names[get.store]} ({case})", scans[get.store], get)
                for get in gets
                if get.store in scans
            ]
    return _ordered(pairs, "scans are faster")


def slower_with(before: Case, after: Case, workload: str = "write", who: str = "LMDB") -> Check:
    """Each store of an engine takes longer in one case than in another: what a setting costs."""
    return lambda evidence: _ordered(_both(evidence, before, after, workload, who), "slower")


def faster_with(whos: list[str], changes: list[tuple[Case, Case, str]]) -> Check:
    """Each of these stores is faster in the first case than in the second, at the workload named,
    in all of some changes.
    """

    def check(evidence: Evidence) -> Finding:
        pairs = [
            (f"{name}, {after.order} order", now, was)
            for after, before, workload in changes
            for who in whos
            for name, now, was in _both(evidence, after, before, workload, who)
        ]
        found, wanted = _ordered(pairs, "faster"), len(whos) * len(changes)
        if len(pairs) == wanted or not pairs:
            return found
        return Finding(
            FAILS if found.verdict == FAILS else UNKNOWN,
            f"{found.why}; {wanted - len(pairs)} not measured",
        )

    return check


def inconclusive(before: Case, after: Case, workload: str = "write", who: str = "LMDB") -> Check:
    """The stores of an engine do not agree on which of two cases is faster."""

    def check(evidence: Evidence) -> Finding:
        pairs = _both(evidence, before, after, workload, who)
        outcomes = [less.compare(more) for _, less, more in pairs]
        agreed = bool(pairs) and len(set(outcomes)) == 1 and outcomes[0].measurable
        return Finding(
            UNKNOWN if not pairs else FAILS if agreed else HOLDS, _ordered(pairs, "slower").why
        )

    return check


def _both(
    evidence: Evidence, before: Case, after: Case, workload: str, who: str
) -> list[tuple[str, Time, Time]]:
    was = {
        time.store: time
        for time in evidence.times.get((before, workload), [])
        if evidence.matches(who, time.store)
    }
    return [
        (evidence.names[time.store], was[time.store], time)
        for time in evidence.times.get((after, workload), [])
        if time.store in was
    ]


def _ordered(pairs: list[tuple[str, Time, Time]], what: str) -> Finding:
    """Whether in each pair (name, less, more) the first time is measurably less than the second."""
    factors, behind, unknown = [], [], []
    for name, less, more in pairs:
        outcome = less.compare(more)
        if outcome == Difference.LESS:
            factors.append(more.value / less.value)
        else:
            (behind if outcome == Difference.GREATER else unknown).append(
                f"{name} ({number(more.value)} against {number(less.value)} ns/entry)"
            )
    parts = [
        f"{what} in {len(factors)} of {len(pairs)} pairs"
        + (f", by a factor of {format_range(min(factors), max(factors))}" if factors else "")
    ]
    if behind:
        parts.append(f"the other way round: {some(behind)}")
    if unknown:
        parts.append(f"inconclusive: {some(unknown)}")
    return Finding(
        FAILS if behind else UNKNOWN if unknown or not factors else HOLDS,
        "; ".join(parts) if pairs else "not measured",
    )


def grows(
    stores: list[str], steps: list[tuple[Case, Case]], test: Callable[[float], bool]
) -> Check:
    """From one case to the next, the bytes an entry of these stores grow by a factor that passes a
    test.
    """

    def check(evidence: Evidence) -> Finding:
        told, verdicts = [], []
        for who in stores:
            factors: dict[str, list[float]] = {}
            for before, after in steps:
                was, now = evidence.overheads.get(before, {}), evidence.overheads.get(after, {})
                for store in [
                    store for store in was if evidence.matches(who, store) and store in now
                ]:
                    factors.setdefault(store, []).append(
                        (100 + now[store]) * after.flat / ((100 + was[store]) * before.flat)
                    )
            verdicts.append(
                UNKNOWN
                if not factors
                else (
                    HOLDS
                    if all(test(each) for found in factors.values() for each in found)
                    else FAILS
                )
            )
            ends = {
                store: dict.fromkeys((f"{min(found):.4f}", f"{max(found):.4f}"))
                for store, found in factors.items()
            }
            told += [
                f"{evidence.names[store]} by a factor of {' to '.join(each)}"
                for store, each in ends.items()
            ]
            told += [] if factors else [f"{who} not measured"]
        return Finding(
            FAILS if FAILS in verdicts else UNKNOWN if UNKNOWN in verdicts else HOLDS,
            join_words(told),
        )

    return check


def shrinks(before: Case, after: Case) -> Check:
    """Each store's percentage over the flat array is less in one case than in another."""

    def check(evidence: Evidence) -> Finding:
        was, now = evidence.overheads.get(before, {}), evidence.overheads.get(after, {})
        told = {
            store: f"{evidence.names[store]} {was[store]:.1f}% to {now[store]:.1f}%"
            for store in was
            if store in now
        }
        grown = [text for store, text in told.items() if now[store] >= was[store]]
        why = (
            f"more in {some(grown)}"
            if grown
            else f"less in all of {len(told)}: {some(list(told.values()))}"
        )
        return Finding(
            FAILS if grown else HOLDS if told else UNKNOWN, why if told else "not measured"
        )

    return check


def best_batch(store: str, share: str, load: Case) -> Check:
    """A store loads fastest with one of the batches that it was given."""

    def check(evidence: Evidence) -> Finding:
        found = {
            case.settings.removeprefix("batch="): time
            for (case, workload), times in evidence.times.items()
            for time in times
            if time.store == store
            and workload == "write"
            and case._replace(settings="") == load
            and "batch=" in case.settings
        }
        others = {other: time for other, time in found.items() if other != share}
        if share not in found or not others:
            return Finding(UNKNOWN, "not measured")
        outcomes = [found[share].compare(time) for time in others.values()]
        told = join_words(
            f"{part} {number(time.value)}"
            for part, time in sorted(found.items(), key=lambda item: float(item[0].rstrip("%")))
        )
        return Finding(
            FAILS
            if Difference.GREATER in outcomes
            else UNKNOWN
            if Difference.INCONCLUSIVE in outcomes
            else HOLDS,
            f"{told} ns/entry",
        )

    return check


def factor(
    key: tuple[Case, str],
    who: str,
    against: str,
    low: float,
    high: float,
    than: tuple[Case, str] | None = None,
) -> Check:
    """An engine's best time over another's (or its own in another case) lies between two bounds."""

    def check(evidence: Evidence) -> Finding:
        mine, other = evidence.best(key, who), evidence.best(than or key, against)
        if not mine or not other:
            return Finding(UNKNOWN, "not measured")
        if mine.comparison_group != other.comparison_group:
            return Finding(UNKNOWN, APART)
        between = (
            stats.ratio(mine.values, other.values)
            if mine.values
            else stats.Estimate(mine.value / other.value, nan, nan, 1)
        )
        inside = low <= between.value <= high
        if between.has_interval:
            apart = between.high < low or between.low > high
            verdict = (
                HOLDS
                if low <= between.low and between.high <= high
                else FAILS
                if apart
                else UNKNOWN
            )
        else:
            verdict = UNKNOWN if mine.values else HOLDS if inside else FAILS
        return Finding(
            verdict,
            f"{evidence.told(mine)}, {evidence.told(other)} ns/entry, a factor of"
            f" {number(between.value)}"
            + (f" ({format_range(between.low, between.high)})" if between.has_interval else ""),
        )

    return check


def close(key: tuple[Case, str], whos: list[str], most: float) -> Check:
    """The best times of these engines are within a factor of one another."""

    def check(evidence: Evidence) -> Finding:
        found = [evidence.best(key, who) for who in whos]
        if None in found:
            return Finding(UNKNOWN, "not measured")
        first, last = (
            min(found, key=lambda time: time.value),
            max(found, key=lambda time: time.value),
        )
        inner = factor(key, last.store, first.store, 0, most)(evidence)
        return Finding(inner.verdict, f"slowest against fastest: {inner.why}")

    return check


def runs_out(store: str, cases: list[Case]) -> Check:
    """A store cannot load a case at all."""

    def check(evidence: Evidence) -> Finding:
        reasons = [
            evidence.failed[case][store] for case in cases if store in evidence.failed.get(case, {})
        ]
        good = [
            f"{number(time.value)} ns/entry ({case})"
            for case in cases
            for time in evidence.times.get((case, "write"), [])
            if time.store == store
        ]
        if reasons:
            return Finding(HOLDS, "; ".join(dict.fromkeys(reasons)))
        return (
            Finding(FAILS, f"it loads them, at {join_words(good)}")
            if good
            else Finding(UNKNOWN, "no figures")
        )

    return check


def busy(whos: list[str], key: tuple[Case, str], test: Callable[[float], bool]) -> Check:
    """The CPU cores that these engines keep busy during a workload pass a test."""

    def check(evidence: Evidence) -> Finding:
        found = [
            (store, cores)
            for store, cores in evidence.cores.get(key, {}).items()
            for who in whos
            if evidence.matches(who, store)
        ]
        verdict = (
            UNKNOWN if not found else HOLDS if all(test(cores) for _, cores in found) else FAILS
        )
        return Finding(
            verdict,
            (
                join_words(f"{evidence.names[store]} {cores:.2f} cores" for store, cores in found)
                if found
                else "no figures"
            ),
        )

    return check


def holding(whos: list[str], key: tuple[Case, str], test: Callable[[float], bool]) -> Check:
    """The files that these engines hold open during a workload pass a test."""

    def check(evidence: Evidence) -> Finding:
        found = [
            (store, files)
            for store, files in evidence.files.get(key, {}).items()
            for who in whos
            if evidence.matches(who, store)
        ]
        verdict = (
            UNKNOWN if not found else HOLDS if all(test(files) for _, files in found) else FAILS
        )
        return Finding(
            verdict,
            (
                join_words(f"{evidence.names[store]} {files:,.0f} files" for store, files in found)
                if found
                else "no figures"
            ),
        )

    return check


def all_of(*checks: Check) -> Check:
    """Every one of some checks holds."""

    def check(evidence: Evidence) -> Finding:
        found = [each(evidence) for each in checks]
        verdicts = [finding.verdict for finding in found]
        return Finding(
            FAILS if FAILS in verdicts else UNKNOWN if UNKNOWN in verdicts else HOLDS,
            "; ".join(finding.why for finding in found),
        )

    return check


def every(
    keys=("int", "string"), orders=("sequential", "random"), workloads=WORKLOADS
) -> list[tuple[Case, str]]:
    return [
        (case, workload)
        for case in CASES
        if case.keys in keys and case.order in orders
        for workload in workloads
    ]


def some(items, most: int = 3) -> str:
    """The first few, and how many more there are."""
    return (
        join_words(items)
        if len(items) <= most
        else f"{'; '.join(items[:most])}; and {len(items) - most} more"
    )


def findings(
    statements: Statements, *chapters: SectionResults
) -> list[tuple[Claim, Finding, Finding]]:
    """Each claim with what the source's own figures say to it, and what this report's
    chapters do.
    """
    own = {
        edition: printed(edition, statements.tests)
        for edition in {claim.edition for claim in statements.claims}
    }
    here = merged([measured(chapter) for chapter in chapters if chapter.measured])
    return [
        (claim, claim.check(own[claim.edition]), claim.check(here)) for claim in statements.claims
    ]
