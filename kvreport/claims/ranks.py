"""Checks of one store's times against others': who leads, by what factor."""

from collections.abc import Iterable, Sequence
from math import inf, nan

from kvreport.analysis import stats
from kvreport.claims.checks import Check
from kvreport.claims.evidence import APART, Evidence, Key, Time, fastest, within
from kvreport.claims.finding import Finding, Verdict, combined, not_measured, passes
from kvreport.claims.pairs import Pair, all_less, pair
from kvreport.data.cases import CASES, WORKLOADS, Case

READS = WORKLOADS[1:]
RANDOM = Case("int", "random")


def every(
    keys: Sequence[str] = ("int", "string"),
    orders: Sequence[str] = ("sequential", "random"),
    workloads: Sequence[str] = WORKLOADS,
) -> list[Key]:
    """Test 4's cases with these keys and orders, and workloads of each."""
    cases = [case for case in CASES if case.keys in keys and case.order in orders]
    return at(cases, workloads)


def at(cases: Iterable[Case], workloads: Sequence[str]) -> list[Key]:
    """Each case with each workload."""
    return [(case, workload) for case in cases for workload in workloads]


def leads(keys: list[Key], who: str, against: str | None = None, ordered: bool = False) -> Check:
    """For each case and workload, an engine's fastest store is faster than every store that is not
    its own.

    `against` narrows the others to one engine, `ordered` to stores that keep their keys in order.
    """

    def compared(evidence: Evidence, key: Key) -> Pair:
        where = f"{key[1]} of {key[0]}"
        ours = evidence.candidates(key, who)
        others = evidence.candidates(key, against, but=who, ordered=ordered)
        if not ours or not others:
            return Pair(where, Verdict.NOT_MEASURED)
        mine, other = fastest(ours), fastest(others)
        names = evidence.names[mine.store], evidence.names[other.store]
        return pair(where, mine, other, *names, comparisons=len(ours) + len(others) - 1)

    def check(evidence: Evidence) -> Finding:
        pairs = [compared(evidence, key) for key in keys]
        ahead = f"is ahead of {evidence.display_name(against)}" if against else "leads"
        return all_less(pairs, f"{evidence.display_name(who)} {ahead}")

    return check


FACTOR = """
{%- if first == other %}{{ first }} takes {{ times | number }} times as long
{%- else %}{{ first }} takes {{ times | number }} times as long as {{ other }}{% endif %}
{%- if low == low %} ({{ low | format_range(high) }}){% endif -%}
: {{ ns | number }} against {{ other_ns | number }} ns/entry
"""


def factor(
    key: Key, who: str, against: str, low: float, high: float, than: Key | None = None
) -> Check:
    """An engine's best time over another's (or its own in another case) lies between two bounds."""

    def check(evidence: Evidence) -> Finding:
        mine, other = evidence.best(key, who), evidence.best(than or key, against)
        if not mine or not other:
            return not_measured()
        if not mine.is_comparable(other):
            return not_measured(APART)
        between = _trials_ratio(mine, other)
        if between.has_interval:
            verdict = within(between.low, between.high, low, high)
        elif mine.values:
            verdict = Verdict.INCONCLUSIVE
        else:
            verdict = passes(low <= between.value <= high)
        return Finding(
            (verdict,),
            FACTOR,
            {
                "first": evidence.names[mine.store],
                "other": evidence.names[other.store],
                "ns": mine.value,
                "other_ns": other.value,
                "times": between.value,
                "low": between.low,
                "high": between.high,
            },
        )

    return check


def _trials_ratio(mine: Time, other: Time) -> stats.Estimate:
    """The ratio of two times; published ones are taken as they stand, without their errors."""
    if mine.values:
        return mine.over(other)
    return stats.Estimate(mine.value / other.value, nan, nan, 0)


def at_least(key: Key, who: str, against: str, times: float, than: Key | None = None) -> Check:
    """An engine's best time is at least so many times another's."""
    return factor(key, who, against, times, inf, than)


def close(key: Key, whos: list[str], most: float) -> Check:
    """The best times of these engines are within a factor of one another."""

    def check(evidence: Evidence) -> Finding:
        found = [time for time in (evidence.best(key, who) for who in whos) if time]
        if len(found) < len(whos):
            return not_measured()
        first, *_, last = sorted(found, key=lambda time: time.value)
        inner = factor(key, last.store, first.store, 0, most)(evidence)
        return inner.after("slowest against fastest")

    return check


def best_batch(store: str, share: str, load: Case) -> Check:
    """A store loads fastest with one share of the entries in a batch, of those measured."""

    def check(evidence: Evidence) -> Finding:
        found = {
            case.settings.removeprefix("batch="): times[store]
            for case, workload in evidence.times
            for times in [evidence.by_store((case, workload))]
            if workload == "write"
            and store in times
            and "batch=" in case.settings
            and case._replace(settings="") == load
        }
        others = [time for other, time in found.items() if other != share]
        if share not in found or not others:
            return not_measured()
        rows = [{"share": part, "ns": time.value} for part, time in found.items()]
        return Finding(
            (combined(found[share].is_less(time, len(others)) for time in others),),
            "{{ batches | each('{{ share }}: {{ ns | number }}') | join(', ') }} ns/entry",
            {"batches": sorted(rows, key=lambda row: float(row["share"].rstrip("%")))},
        )

    return check
