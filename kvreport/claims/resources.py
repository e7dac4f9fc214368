"""Checks of what stores take besides time: space, CPU cores, open files, memory."""

from collections.abc import Callable, Mapping

from kvreport.claims.checks import Check
from kvreport.claims.evidence import Evidence, Key
from kvreport.claims.finding import Finding, Verdict, combined, not_measured, passes
from kvreport.claims.ranks import RANDOM
from kvreport.data.cases import Case

Test = Callable[[float], bool]


def _all_pass(
    evidence: Evidence,
    whos: list[str],
    values: Mapping[str, float],
    test: Test,
    item: str,
    untold: str = "",
) -> Finding:
    """A value of every store of these engines passes a test; `item` is the template of one:
    `store`, `value`. untold: why a value that does not pass is no failure, where it is none.
    """
    otherwise = Verdict.NOT_MEASURED if untold else Verdict.FAILS
    found = {who: evidence.of(who, dict(values)) for who in whos}
    if not any(found.values()):
        return not_measured()
    verdicts = [
        combined(Verdict.HOLDS if test(value) else otherwise for value in of_store.values())
        for of_store in found.values()
    ]
    sizes = {store: value for of_store in found.values() for store, value in of_store.items()}
    numbers = {
        "item": item,
        "rows": [
            {"store": evidence.names[store], "value": sizes[store]}
            for store in sorted(sizes, key=lambda store: sizes[store])
        ],
        "missing": [who for who, of_store in found.items() if not of_store],
        "untold": "" if all(map(test, sizes.values())) else untold,
    }
    return Finding(tuple(verdicts), ALL_PASS, numbers, ALL_PASS_SUMMARY)


ALL_PASS_SUMMARY = """
{%- if rows | length < 3 %}{{ rows | each(item) | join_words }}
{%- else %}{{ rows | length }} stores, from {{ [rows[0], rows[-1]] | each(item) | join(" to ") }}
{%- endif %}"""
ALL_PASS = """
{{ rows | each(item) | join_words }}
{%- if missing %}; {{ missing | join_words }} not measured{% endif %}
{%- if untold %}; {{ untold }}{% endif %}
"""


def overhead(stores: list[str], test: Test, case: Case = RANDOM) -> Check:
    """The percentages over the flat array of all these (stores' ids or engines) pass a test. Sizes
    repeat, so intervals are not needed.
    """
    return lambda evidence: _all_pass(
        evidence,
        stores,
        evidence.overheads.get(case, {}),
        test,
        "{{ store }} {{ '+' if value > 0 }}{{ value | number }}%",
    )


def busy(whos: list[str], key: Key, test: Test, untold: str = "") -> Check:
    """The CPU cores that these engines keep busy during a workload pass a test. untold: why it is
    no failure where they do not.
    """
    return lambda evidence: _all_pass(
        evidence,
        whos,
        evidence.cores.get(key, {}),
        test,
        "{{ store }} {{ value | number }} cores",
        untold,
    )


def holding(whos: list[str], key: Key, test: Test, entries: int = 0) -> Check:
    """The files that these engines hold open during a workload pass a test. entries: of how many
    that is said; fewer refute nothing.
    """

    def check(evidence: Evidence) -> Finding:
        found = _all_pass(
            evidence,
            whos,
            evidence.files.get(key, {}),
            test,
            "{{ store }} {{ '{:,.0f}'.format(value) }} files",
        )
        fewer = found.verdict is Verdict.FAILS and evidence.has_fewer(key[0], entries)
        return not_measured(too_few(entries)) if fewer else found

    return check


def too_few(entries: int) -> str:
    """Why something said of so many entries was not tested."""
    return f"it is said of {entries:,} entries, and there are fewer here"


SHRUNK_SUMMARY = """
{%- if larger %}{{ larger | length }} of {{ rows | length }} stores take relatively more
{%- else %}all of {{ rows | length }} stores take relatively less{% endif %}"""
SHRUNK = """
{%- if larger -%} more in {{ larger | each(item) | some }}
{%- else -%} less in all of {{ rows | length }}: {{ rows | each(item) | some }}{% endif %}
"""


def shrinks(before: Case, after: Case) -> Check:
    """Each store's percentage over the flat array is less in one case than in another."""

    def check(evidence: Evidence) -> Finding:
        was, now = evidence.overheads.get(before, {}), evidence.overheads.get(after, {})
        rows = {
            store: {"store": evidence.names[store], "was": was[store], "now": now[store]}
            for store in was
            if store in now
        }
        larger = [row for store, row in rows.items() if now[store] >= was[store]]
        item = "{{ store }} {{ '%.1f' | format(was) }}% to {{ '%.1f' | format(now) }}%"
        if not rows:
            return not_measured()
        numbers = {"rows": list(rows.values()), "larger": larger, "item": item}
        return Finding((passes(not larger),), SHRUNK, numbers, SHRUNK_SUMMARY)

    return check


def runs_out(store: str, cases: list[Case], entries: int) -> Check:
    """A store cannot load a case of so many entries at all; fewer refute nothing."""

    def check(evidence: Evidence) -> Finding:
        reasons = [
            evidence.failed[case][store] for case in cases if store in evidence.failed.get(case, {})
        ]
        if reasons:
            return Finding(
                (Verdict.HOLDS,),
                "{{ reasons | join('; ') }}",
                {"reasons": list(dict.fromkeys(reasons))},
            )
        loaded = [case for case in cases if store in evidence.by_store((case, "write"))]
        if not loaded:
            return not_measured()
        if all(evidence.has_fewer(case, entries) for case in loaded):
            return not_measured(too_few(entries))
        return Finding(
            (Verdict.FAILS,),
            "it loads them, at {{ loads | each('{{ ns | number }} ns/entry ({{ case }})') "
            "| join_words }}",
            {
                "loads": [
                    {"case": case, "ns": evidence.by_store((case, "write"))[store].value}
                    for case in loaded
                ]
            },
        )

    return check
