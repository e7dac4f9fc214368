"""Checks of stores against themselves: the same store with other keys, workloads or settings."""

from kvreport.claims.checks import Check
from kvreport.claims.evidence import QUARTER, Evidence, Time, trials_needed
from kvreport.claims.finding import Finding, Verdict, not_measured, takes
from kvreport.claims.pairs import Pair, all_less, pair
from kvreport.data.cases import Case

SIMILAR_SUMMARY = """
{{ close }} of {{ pairs }} pairs are within a quarter of each other and {{ far }} are not"""
SIMILAR = (
    SIMILAR_SUMMARY
    + """; furthest apart is {{ store }} at {{ workload }} in {{ order }} order,
{{ string_ns | number }} ns/entry with string keys and {{ int_ns | number }} with int keys
{%- if takes %} ({{ takes }}){% endif %}
"""
)


def string_like_int(evidence: Evidence) -> Finding:
    """Each store takes about as long for string keys as for int keys."""
    pairs = [
        (case.order, workload, strings[store], integer)
        for case, workload in evidence.times
        if case.keys == "int"
        for strings in [evidence.by_store((case._replace(keys="string"), workload))]
        for store, integer in evidence.by_store((case, workload)).items()
        if store in strings
    ]
    if not pairs:
        return not_measured()
    verdicts = [string.is_close(integer) for *_, string, integer in pairs]
    order, workload, string, integer = max(
        pairs, key=lambda p: max(p[2].value / p[3].value, p[3].value / p[2].value)
    )
    noisy = [
        trials_needed(string, integer, QUARTER)
        for (*_, string, integer), verdict in zip(pairs, verdicts)
        if verdict is Verdict.INCONCLUSIVE
    ]
    numbers = {
        "takes": takes(noisy, "a quarter"),
        "pairs": len(pairs),
        "close": verdicts.count(Verdict.HOLDS),
        "far": verdicts.count(Verdict.FAILS),
        "store": evidence.names[string.store],
        "workload": workload,
        "order": order,
        "string_ns": string.value,
        "int_ns": integer.value,
    }
    return Finding(tuple(verdicts), SIMILAR, numbers, SIMILAR_SUMMARY)


def cursors_beat_keys(evidence: Evidence) -> Finding:
    """For each store, a scan takes less time an entry than reading by key."""
    pairs = [
        pair(f"{evidence.names[store]}, {case}", scans[store], get)
        for case, workload in evidence.times
        if workload == "readKey"
        for scans in [evidence.by_store((case, "readSeq"))]
        for store, get in evidence.by_store((case, workload)).items()
        if store in scans
    ]
    return all_less(pairs, "scans are faster")


def slower_with(before: Case, after: Case, workload: str = "", who: str = "LMDB") -> Check:
    """Each store of an engine takes longer in one case than in another: what a setting costs. At
    the load, unless a workload is named.
    """
    return lambda evidence: all_less(_pairs(evidence, before, after, workload, who), "slower")


def faster_with(whos: list[str], changes: list[tuple[Case, Case, str]]) -> Check:
    """Each of these stores is faster in the first case than in the second, at the workload named,
    in all of some changes.
    """

    def check(evidence: Evidence) -> Finding:
        pairs = []
        for after, before, workload in changes:
            for who in whos:
                order = f"{after.order} order"
                found = _both(evidence, after, before, workload, who)
                pairs += [pair(f"{name}, {order}", now, was) for name, now, was in found]
                if not found:
                    name = evidence.display_name(who)
                    pairs.append(Pair(f"{name}, {order}", Verdict.NOT_MEASURED))
        return all_less(pairs, "faster")

    return check


def _pairs(evidence: Evidence, before: Case, after: Case, workload: str, who: str) -> list[Pair]:
    return [
        pair(name, less, more) for name, less, more in _both(evidence, before, after, workload, who)
    ]


def _both(
    evidence: Evidence, before: Case, after: Case, workload: str, who: str
) -> list[tuple[str, Time, Time]]:
    """The name, and the times in both cases, of each store of an engine that was measured in both.
    What is named "" is the load: as the source did it, by appending, where that was measured.
    """
    workload = workload or ("bulkLoad" if evidence.by_store((before, "bulkLoad"), who) else "write")
    was = evidence.by_store((before, workload), who)
    now = evidence.by_store((after, workload), who)
    return [(evidence.names[store], was[store], now[store]) for store in now if store in was]
