"""Sentences computed from a section's results, for titles and text. What cannot be told apart is
never ranked.
"""

from kvreport.analysis import stats
from kvreport.analysis.stats import Difference
from kvreport.base.text import format_range, join_words, number
from kvreport.claims import checks as claims
from kvreport.data.cases import CASES, Case
from kvreport.exhibits.chapter import Chapter


def leaders(chapter: Chapter, case: Case) -> dict[str, str | None]:
    """For each workload of a case, the engine that is faster than all others, or None where that
    cannot be told.
    """
    evidence = claims.measured(chapter)
    found = {}
    for workload in chapter.workloads:
        key = case, workload
        best = evidence.best(key)
        other = best and evidence.best(key, but=evidence.engines[best.store])
        found[workload] = (
            evidence.engines[best.store] if other and best.compare(other) == "less" else None
        )
    return found


def headline(chapter: Chapter, case: Case) -> str:
    """What a case's figure shows, in a sentence without its full stop."""
    found = leaders(chapter, case)
    led = {
        engine: [workload for workload, leader in found.items() if leader == engine]
        for engine in dict.fromkeys(found.values())
    }
    tied = led.pop(None, [])
    if not led:
        return "No engine is measurably faster than all others at any workload"
    sentences = [
        f"{engine} is fastest at"
        f" {'every workload' if len(won) == len(chapter.workloads) > 1 else join_words(won)}"
        for engine, won in led.items()
    ]
    return join_words(sentences) + (
        f"; no engine leads measurably at {join_words(tied, 'or')}" if tied else ""
    )


def storage_headline(chapter: Chapter, case: Case) -> str:
    """What the storage figure shows of a case: the one that the source printed."""
    sizes = sorted(
        (over, store) for store, over in claims.measured(chapter).overheads.get(case, {}).items()
    )
    if not sizes:
        return "No store's size could be measured"
    (least, small), (most, large) = sizes[0], sizes[-1]
    taken = _range(least, chapter.name(small), most, chapter.name(large))
    return (
        f"With {case.keys} keys in {case.order} order, stores take {taken} more than a flat array"
    )


def case(chapter: Chapter, case: Case) -> str:
    """A paragraph on a case: who leads, how far from the limit and from the last."""
    rows = chapter.case(case)
    rows = rows[rows["status"] == "ok"]
    told = []
    for workload, doing in {
        "write": "Writing an entry takes",
        "readKey": "getting one by key",
        "readSeq": "going on to the next in a scan",
    }.items():
        timed = rows[rows["workload"] == workload]
        stores, baseline = (
            timed[timed["store"].map(chapter.is_store)],
            timed.loc[timed["store"].map(chapter.is_baseline), "value"],
        )
        if len(stores):
            first, last = stores.loc[stores["value"].idxmin()], stores.loc[stores["value"].idxmax()]
            told.append(
                f"{doing} from {number(first['value'])} ns ({chapter.name(first['store'])}) to"
                f" {number(last['value'])} ns ({chapter.name(last['store'])})"
                + (f", the flat file {number(baseline.iloc[0])} ns" if len(baseline) else "")
            )
    return f"{headline(chapter, case)}." + (f" {'; '.join(told)}." if told else "")


def pair(chapter: Chapter, of: Case, first: str, other: str) -> str:
    """How two stores compare at each workload of a case."""
    rows = chapter.case(of)
    rows = rows[rows["status"] == "ok"]
    found = {
        store: {row["workload"]: row for row in rows[rows["store"] == store].to_dict("records")}
        for store in (first, other)
    }
    told = []
    for workload in chapter.workloads:
        if workload in found[first] and workload in found[other]:
            values = found[other][workload]["values"], found[first][workload]["values"]
            outcome = stats.compare(*values, chapter.floor)
            told.append(
                f"{workload} × {number(stats.ratio(*values).value)}"
                if outcome != Difference.INCONCLUSIVE
                else f"{workload} inconclusive"
            )
    return (
        f"{chapter.name(other)} against {chapter.name(first)}, times as long: {', '.join(told)}."
        if told
        else "Not both were measured."
    )


def pair_headline(chapter: Chapter, of: Case, first: str, other: str) -> str:
    """The range of how two stores compare over the workloads of a case; empty when there is nothing
    to compare.
    """
    if not chapter.measured:
        return ""
    rows = chapter.case(of)
    rows = rows[rows["status"] == "ok"]
    ratios = (
        rows[rows["store"] == other].set_index("workload")["value"]
        / rows[rows["store"] == first].set_index("workload")["value"]
    ).dropna()
    return (
        f"{chapter.name(other)} takes {format_range(ratios.min(), ratios.max())} times as long as"
        f" {chapter.name(first)}"
        if len(ratios)
        else ""
    )


def storage(chapter: Chapter) -> str:
    """A paragraph on sizes: the extremes of each case, and what random order adds."""
    evidence = claims.measured(chapter)
    told = []
    for case in CASES:
        sizes = sorted(
            (over, chapter.name(store)) for store, over in evidence.overheads.get(case, {}).items()
        )
        if sizes:
            told.append(f"{case.keys} keys in {case.order} order {_range(*sizes[0], *sizes[-1])}")
    if not told:
        return "No store's size could be measured."
    before, after = (
        evidence.overheads.get(Case("int", order), {}) for order in ("sequential", "random")
    )
    grown = {}
    for store in sorted(before.keys() & after, key=after.get, reverse=True):
        factor = (100 + after[store]) / (100 + before[store])
        if factor > 1.05:
            grown.setdefault(number(factor), []).append(chapter.name(store))
    where = (
        join_words(f"{join_words(names)} ({factor} times)" for factor, names in grown.items())
        if grown
        else "no store"
    )
    return (
        f"Over the flat array stores take, with {join_words(told)}. Written in random order, int"
        f" keys"
        f" take over 5% more space than in sequential order in {where}."
    )


def _range(least: float, small: str, most: float, large: str) -> str:
    first, last = f"{least:.1f}%", f"{most:.1f}%"
    return f"{first} (all)" if first == last else f"{first} ({small}) to {last} ({large})"


def number_range(ends: tuple[int, int]) -> str:
    """1,000 to 2,000, or one number where both are alike."""
    return " to ".join(dict.fromkeys(f"{end:,}" for end in ends))
