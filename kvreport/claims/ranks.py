"""Checks of one store's times against others': who leads, by what factor."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import exp, inf, log, nan

from kvreport.analysis import stats
from kvreport.base.templates import fill
from kvreport.claims.checks import Check
from kvreport.claims.evidence import APART, Evidence, Key, Time, fastest, trials_needed, within
from kvreport.claims.finding import Finding, Verdict, not_measured, passes, takes
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


FACTOR_SUMMARY = """
{%- if first == other %}{{ first }} takes {{ times | number }} times as long
{%- if own %} with {{ own }} as with {{ than }}{% endif %}
{%- else %}{{ first }} takes {{ times | number }} times as long as {{ other }}{% endif %}"""
FACTOR = (
    FACTOR_SUMMARY
    + """
{%- if low == low %} ({{ low | format_range(high) }}){% endif -%}
: {{ ns | number }} against {{ other_ns | number }} ns/entry
{%- if takes %} (inconclusive; {{ takes }}){% endif %}
"""
)


def factor(
    key: Key, who: str, against: str, low: float, high: float, than: Key | None = None
) -> Check:
    """An engine's best time over another's (or its own in another case) lies between two bounds.
    The best are chosen from several, and their interval is as wide as that asks for.
    """

    def check(evidence: Evidence) -> Finding:
        ours, others = evidence.candidates(key, who), evidence.candidates(than or key, against)
        if not ours or not others:
            return not_measured()
        found = lies_between(
            evidence, fastest(ours), fastest(others), low, high, len(ours) + len(others) - 1
        )
        if not than or found.verdict is Verdict.NOT_MEASURED:
            return found
        own, base = different(key, than)
        return replace(found, numbers=found.numbers | {"own": own, "than": base})

    return check


def different(key: Key, other: Key) -> tuple[str, str]:
    """What only the one and only the other has, of two cases and workloads."""
    said = [
        [*each.settings.split(", "), each.order, f"{each.value_bytes:,}-byte values", workload]
        for each, workload in (key, other)
    ]
    own, than = (
        [part for part in mine if part and part not in others]
        for mine, others in (said, said[::-1])
    )
    return ", ".join(own) or "no setting", ", ".join(than) or "no setting"


def lies_between(
    evidence: Evidence, mine: Time, other: Time, low: float, high: float, comparisons: int
) -> Finding:
    """Whether a time over another, chosen from so many comparisons, lies between two bounds."""
    if not mine.is_comparable(other):
        return not_measured(APART)
    between, told = _trials_ratio(mine, other, comparisons), ""
    if between.has_interval:
        verdict = within(between.low, between.high, low, high)
    elif mine.values:
        verdict = Verdict.INCONCLUSIVE
    else:
        verdict = passes(low <= between.value <= high)
    if verdict is Verdict.INCONCLUSIVE:
        bound = min(filter(None, (low, high)), key=lambda each: abs(log(each / between.value)))
        apart = exp(abs(log(bound / between.value)))
        needed = trials_needed(mine, other, apart, comparisons)
        told = takes([needed], f"that from {fill('{{ bound | number }}', bound=bound)}")
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
            "takes": told,
            "own": "",
            "than": "",
        },
        FACTOR_SUMMARY,
    )


def _trials_ratio(mine: Time, other: Time, comparisons: int) -> stats.Estimate:
    """The ratio of two times; published ones are taken as they stand, without their errors."""
    if mine.values:
        return mine.over(other, comparisons)
    return stats.Estimate(mine.value / other.value, nan, nan, 0)


def at_least(key: Key, who: str, against: str, times: float, than: Key | None = None) -> Check:
    """An engine's best time is at least so many times another's."""
    return factor(key, who, against, times, inf, than)


def close(key: Key, whos: list[str], most: float) -> Check:
    """The best times of these engines are within a factor of one another."""

    def check(evidence: Evidence) -> Finding:
        able = [times for who in whos if (times := evidence.candidates(key, who))]
        if len(able) < len(whos):
            return not_measured()
        first, *_, last = sorted(map(fastest, able), key=lambda time: time.value)
        several = sum(map(len, able)) - 1
        found = lies_between(evidence, last, first, 0, most, several)
        return found.after("slowest against fastest")

    return check
