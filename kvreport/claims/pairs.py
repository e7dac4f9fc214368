"""Pairs of times of which the first is said to be less: a store and another, or a store in two
cases.
"""

from dataclasses import dataclass
from math import nan
from typing import Any

from kvreport.analysis.model import MARGIN
from kvreport.claims.evidence import APART, Time, trials_needed
from kvreport.claims.finding import Finding, Verdict, not_measured, takes

MARGIN_PERCENT = f"a difference of {MARGIN - 1:.0%}"


@dataclass(frozen=True)
class Pair:
    """
    where         what is compared, in words
    verdict       whether the first takes measurably less time than the other
    ns, other_ns  their times, ns/entry; NaN where not measured
    times         the other over the first
    needed        trials that would tell a ratio of model.MARGIN, as evidence.trials_needed has them
    first, other  the stores' names where two are compared, else ""
    """

    where: str
    verdict: Verdict
    ns: float = nan
    other_ns: float = nan
    times: float = nan
    first: str = ""
    other: str = ""
    needed: float | None = None


def pair(
    where: str, less: Time, more: Time, first: str = "", other: str = "", comparisons: int = 1
) -> Pair:
    """Two times as a pair, chosen from so many comparisons."""
    return Pair(
        where,
        less.is_less(more, comparisons),
        less.value,
        more.value,
        more.value / less.value,
        first,
        other,
        trials_needed(less, more, comparisons=comparisons),
    )


ITEM = """
{{- where }} (
{%- if first %}{{ first }} {{ ns | number }}, {{ other }} {{ other_ns | number }}
{%- else %}{{ ns | number }} against {{ other_ns | number }}{% endif %} ns/entry)
"""
ALONE = (
    """
{%- if first and verdict == "holds" -%}
{{ other }} takes {{ times | number }} times as long as {{ first }}: {{ other_ns | number }} against
{{ ns | number }} ns/entry
{%- elif first -%}
{{ first }} takes {{ ns | number }} ns/entry, {{ other }} {{ other_ns | number }}
{%- else -%}
{{ ns | number }} against {{ other_ns | number }} ns/entry
{%- if verdict == "holds" %}, a factor of {{ times | number }}{% endif %}{% endif %}
{%- if verdict == "too noisy to say" %} (inconclusive
{%- if takes %}; {{ takes }}{% endif %}){% endif %}
{%- if verdict == "not measured" %} ("""
    + APART
    + """){% endif %}"""
)
ALONE_SUMMARY = """
{%- if first and verdict == "holds" -%}
{{ other }} takes {{ times | number }} times as long as {{ first }}
{%- elif first and verdict == "does not hold" -%}
{{ first }} takes {{ (1 / times) | number }} times as long as {{ other }}
{%- elif first -%}
{{ first }} {{ ns | number }}, {{ other }} {{ other_ns | number }} ns/entry
{%- else -%}
{{ ns | number }} against {{ other_ns | number }} ns/entry{% endif %}"""
MANY_SUMMARY = """
{%- set factors = ahead | map(attribute="times") | list -%}
{{ what }} in {{ ahead | length or "none" }} of {{ pairs | length }}
{%- if ahead %}, by {{ factors | min | format_range(factors | max) }} times{% endif %}"""
MANY = (
    MANY_SUMMARY
    + """
{%- if behind %}; but not at {{ behind | each(item) | some }}{% endif %}
{%- if unclear %}; inconclusive at {{ unclear | each(item) | some }}
{%- if takes %} ({{ takes }}){% endif %}{% endif %}
{%- if missing %}; not measured: {{ missing | map(attribute="where") | list | some }}{% endif %}
"""
)


def all_less(pairs: list[Pair], what: str) -> Finding:
    """Whether the first of every pair takes measurably less time; `what` says so of some: "LMDB
    leads".
    """
    known = [pair for pair in pairs if pair.ns == pair.ns]
    cells = tuple(pair.verdict for pair in pairs)
    unclear = [pair.needed for pair in pairs if pair.verdict is Verdict.INCONCLUSIVE]
    what_it_takes = {"takes": takes(unclear, MARGIN_PERCENT)}
    if not known:
        return not_measured()
    if len(pairs) == 1:
        return Finding(cells, ALONE, vars(known[0]) | what_it_takes, ALONE_SUMMARY)
    numbers: dict[str, Any] = {"what": what, "pairs": pairs, "item": ITEM} | {
        name: [pair for pair in pairs if pair.verdict is each]
        for name, each in zip(
            ("ahead", "behind", "unclear", "missing"),
            (Verdict.HOLDS, Verdict.FAILS, Verdict.INCONCLUSIVE, Verdict.NOT_MEASURED),
        )
    }
    return Finding(cells, MANY, numbers | what_it_takes, MANY_SUMMARY)
