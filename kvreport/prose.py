"""Sentences computed from a section's results, for titles and text. What cannot be told apart is never ranked."""

from kvreport import claims
from kvreport.chapter import CASES, LIMIT, WORKLOADS, Chapter
from kvreport.text import count, listing, number


def leaders(chapter: Chapter, keys: str, order: str) -> dict[str, str | None]:
    """For each workload of a case, the engine that is faster than all others, or None where that cannot be told."""
    evidence = claims.measured(chapter)
    found = {}
    for workload in WORKLOADS:
        key = keys, order, workload
        best = evidence.best(key)
        other = best and evidence.best(key, but=evidence.brands[best.store])
        found[workload] = evidence.brands[best.store] if other and best.compare(other) == "less" else None
    return found


def headline(chapter: Chapter, keys: str, order: str) -> str:
    """What a case's figure shows, in a sentence without its full stop."""
    found = leaders(chapter, keys, order)
    led = {engine: [workload for workload, leader in found.items() if leader == engine] for engine in dict.fromkeys(found.values())}
    tied = led.pop(None, [])
    if not led:
        return "No engine is measurably faster than all others at any workload"
    sentences = [f"{engine} is fastest at {'every workload' if len(won) == len(WORKLOADS) else listing(won)}" for engine, won in led.items()]
    return listing(sentences) + (f"; no engine leads measurably at {listing(tied, 'or')}" if tied else "")


def storage_headline(chapter: Chapter, keys: str = "int", order: str = "random") -> str:
    """What the storage figure shows of the case that the source printed."""
    sizes = sorted((over, store) for store, over in claims.measured(chapter).overheads.get((keys, order), {}).items())
    if not sizes:
        return "No store's size could be measured"
    (least, small), (most, large) = sizes[0], sizes[-1]
    return (f"With {keys} keys in {order} order, stores take {least:.1f}% ({chapter.name(small)}) to {most:.0f}% "
            f"({chapter.name(large)}) more than a flat array")


def case(chapter: Chapter, keys: str, order: str) -> str:
    """A paragraph on a case: who leads, how far from the limit and from the last."""
    rows = chapter.case(keys, order)
    rows = rows[rows["status"] == "ok"]
    told = []
    for workload, doing in {"write": "Writing an entry takes", "readKey": "getting one by key", "readSeq": "going on to the next in a scan"}.items():
        timed = rows[rows["workload"] == workload]
        stores, limit = timed[~timed["store"].map(chapter.is_control)], timed.loc[timed["store"] == LIMIT, "value"]
        if len(stores):
            first, last = stores.loc[stores["value"].idxmin()], stores.loc[stores["value"].idxmax()]
            told.append(f"{doing} from {number(first['value'])} ns ({chapter.name(first['store'])}) to {number(last['value'])} ns "
                        f"({chapter.name(last['store'])})" + (f", the flat file {number(limit.iloc[0])} ns" if len(limit) else ""))
    return f"{headline(chapter, keys, order)}. {'; '.join(told)}."


def storage(chapter: Chapter) -> str:
    """A paragraph on sizes: the extremes of each case, and what random order adds."""
    evidence = claims.measured(chapter)
    told = []
    for keys, order in CASES:
        sizes = sorted((over, chapter.name(store)) for store, over in evidence.overheads[keys, order].items())
        if sizes:
            told.append(f"{keys} keys in {order} order {sizes[0][0]:.1f}% ({sizes[0][1]}) to {sizes[-1][0]:.0f}% ({sizes[-1][1]})")
    before, after = evidence.overheads["int", "sequential"], evidence.overheads["int", "random"]
    grown = {}
    for store in sorted(before.keys() & after, key=after.get, reverse=True):
        factor = (100 + after[store]) / (100 + before[store])
        if factor > 1.05:
            grown.setdefault(number(factor), []).append(chapter.name(store))
    if grown:
        told.append(f"{listing(f'{listing(names)} ({factor} times)' for factor, names in grown.items())}")
        return f"Over the flat array stores take, with {listing(told[:-1])}. Int keys written in random order take more space than in sequential order in {told[-1]}."
    return f"Over the flat array stores take, with {listing(told)}. Random order takes more space than sequential order, for int keys, in no store (by more than 5%)."


def verdicts(chapter: Chapter) -> str:
    """How many of the sources' statements hold."""
    here = [finding.verdict for _, _, finding in claims.findings(chapter)]
    return (f"Of {count(len(here), 'statement')}, {here.count(claims.HOLDS)} hold here, {here.count(claims.FAILS)} do not hold, "
            f"and of {here.count(claims.UNKNOWN)} these measurements cannot tell.")
