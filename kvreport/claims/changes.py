"""Checks of stores against themselves: the same store with other keys, workloads or settings."""

from kvreport.claims.evidence import QUARTER, Evidence, trials_needed
from kvreport.claims.finding import Finding, Verdict, not_measured, takes
from kvreport.claims.pairs import all_less, pair

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
