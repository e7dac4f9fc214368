"""Who is first and last: leaders, extremes and ties of a case, rankings (B03 to B09), and how much
of the sources' data a run has.
"""

from collections import Counter
from math import nan
from typing import Any

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import contrasts
from kvreport.analysis.stats import Difference
from kvreport.base.text import number
from kvreport.charts.bars import ranked
from kvreport.charts.chapter import Chapter
from kvreport.charts.tables import MISSING, table
from kvreport.claims.evidence import Evidence, measured
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.exhibits.tables import STATUS, nothing

LEADERS = ["workload", "leader"]
EXTREMES = ["workload", "fastest", "least", "slowest", "most", "baseline"]
OVERHEADS = ["name", "overhead"]
GROWTH = ["name", "before", "after", "times"]
PAIRS = ["workload", "first", "other", "ratio", "low", "high", "difference"]
ORDERS = ["workload", "names", "fewer", "turned", "ns"]
SPREADS = ["name", "workload", "keys", "order", "value_bytes", "times"]


def leaders(chapter: Chapter, case: Case) -> pd.DataFrame:
    """A row for each workload of a case that any store has a result of; empty where nothing is
    measured.

    workload
    leader    the engine that is measurably faster than all others; "" where none is
    """
    if not chapter.measured:
        return pd.DataFrame(columns=LEADERS)
    evidence = measured(chapter)
    rows = [
        [workload, _leader(evidence, (case, workload))]
        for workload in chapter.workloads
        if evidence.best((case, workload))
    ]
    return pd.DataFrame(rows, columns=LEADERS)


def _leader(evidence: Evidence, key: tuple[Case, str]) -> str:
    stores = evidence.candidates(key)
    best = evidence.best(key)
    if best is None:
        return ""
    engine = evidence.engines[best.store]
    others = evidence.candidates(key, but=engine)  # each, as the second best is not the noisiest
    found = {best.compare(other, len(stores) - 1) for other in others}
    return engine if found == {Difference.LESS} else ""


def level(chapter: Chapter, case: Case, workloads: tuple[str, ...]) -> list[str]:
    """The stores that none is measurably faster than at any of some workloads of a case, those with
    the best median at the first of them first; empty where there are none.
    """
    if not chapter.measured:
        return []
    rows = chapter.case(case)
    rows = rows[rows["store"].map(chapter.is_store).astype(bool)]
    first = [
        [chapter.name(row["store"]) for row in contrasts.fastest(chapter, of_one)]
        for workload in workloads
        for of_one in [rows[rows["workload"] == workload]]
    ]
    return [name for name in first[0] if all(name in names for names in first)]


def extremes(
    chapter: Chapter, case: Case, workloads: tuple[str, ...] = ("write", "readKey", "readSeq")
) -> pd.DataFrame:
    """A row for each of some workloads of a case that a store succeeded at.

    workload
    fastest, slowest  names of stores;  least, most: what an entry takes them, ns
    baseline          what it takes the flat file, ns/entry; NaN without one
    """
    if not chapter.measured:
        return pd.DataFrame(columns=EXTREMES)
    rows = chapter.case(case)
    rows = rows[rows["status"] == "ok"]
    found = []
    for workload in workloads:
        timed = rows[rows["workload"] == workload].sort_values(["value", "store"])
        stores = timed[timed["store"].map(chapter.is_store).astype(bool)].to_dict("records")
        baseline = timed[timed["store"].map(chapter.is_baseline).astype(bool)]["value"]
        if stores:
            first, last = stores[0], stores[-1]
            found.append(
                [
                    workload,
                    chapter.name(first["store"]),
                    first["value"],
                    chapter.name(last["store"]),
                    last["value"],
                    baseline.min(),
                ]
            )
    return pd.DataFrame(found, columns=EXTREMES)


def pairs(chapter: Chapter, case: Case, first: str, other: str) -> pd.DataFrame:
    """How two stores compare: a row for each workload of a case that both succeeded at.

    workload
    first, other      ns/entry of either
    ratio, low, high  the other's over the first's, with its interval
    difference        of the other from the first: a stats.Difference
    """
    if not chapter.measured:
        return pd.DataFrame(columns=PAIRS)
    rows = chapter.case(case)
    rows = rows[rows["status"] == "ok"]
    of_first, of_other = (
        {row["workload"]: row for row in rows[rows["store"] == store].to_dict("records")}
        for store in (first, other)
    )
    found = []
    for workload in chapter.workloads:
        if workload in of_first and workload in of_other:
            one, two = of_first[workload], of_other[workload]
            ratio, difference = contrasts.compare(chapter, two, one)
            found.append(
                [
                    workload,
                    one["value"],
                    two["value"],
                    ratio.value,
                    ratio.low,
                    ratio.high,
                    difference,
                ]
            )
    return pd.DataFrame(found, columns=PAIRS)


def overheads(chapter: Chapter, case: Case) -> pd.DataFrame:
    """A row for each store whose size after close was measured, smallest first: its name, and its
    overhead, percent over the flat array.
    """
    if not chapter.measured:
        return pd.DataFrame(columns=OVERHEADS)
    rows = chapter.sizes(case)
    rows = rows[(rows["status"] == "ok") & rows["store"].map(chapter.is_store).astype(bool)]
    rows = rows.sort_values(["overhead", "store"])
    return rows.assign(name=rows["store"].map(chapter.name))[OVERHEADS].reset_index(drop=True)


def growth(chapter: Chapter, before: Case, after: Case) -> pd.DataFrame:
    """What stores take in one case against another of as many bytes of user data, the largest
    first: name, before and after (percent over the flat array), times (all bytes after over all
    before).
    """
    rows = overheads(chapter, before).merge(
        overheads(chapter, after), on="name", suffixes=("_before", "_after")
    )
    rows = rows.rename(columns={"overhead_before": "before", "overhead_after": "after"})
    rows = rows.assign(times=(100 + rows["after"]) / (100 + rows["before"]))
    return rows.sort_values("after", ascending=False)[GROWTH].reset_index(drop=True)


def trials(chapter: Chapter) -> pd.DataFrame:
    """How many trials each store had, failed ones included: name, trials."""
    counts = Counter(chapter.name(trial["store"]["id"]) for trial in chapter.trials)
    return pd.DataFrame(counts.items(), columns=["name", "trials"])


def scale(chapter: Chapter, source: int) -> dict[str, Any]:
    """How much data a measured section has against its source, what templates.CAPPED names.

    source, least, most  entries of the source and of the cases here;  gigabytes: the largest case
    profile              of the run
    trials               least and most of a store;  slow: the names of those with the fewest, if
                         others had more
    """
    (least, most), (few, many) = chapter.entries(), chapter.trial_counts
    counts = trials(chapter)
    return {
        "source": source,
        "least": least,
        "most": most,
        "gigabytes": chapter.results["user_bytes"].max() / 1e9,
        "profile": chapter.environment["profile"],
        "trials": (few, many),
        "slow": list(counts.loc[counts["trials"] < many, "name"]),
    }


def orders(
    more: Chapter,
    fewer: Chapter,
    case: Case,
    workloads: tuple[str, ...] = ("write", "readKey", "readSeq"),
) -> pd.DataFrame:
    """Which store takes least with more entries and with fewer, of those that both sections
    measured: a row for each of some workloads of a case.

    workload
    names   with more entries, the least first;  ns: what an entry takes each of them
    fewer   with fewer
    turned  whether the first or the last is another
    """
    if not more.measured or not fewer.measured:
        return pd.DataFrame(columns=ORDERS)
    rows = []
    for workload in workloads:
        large, small = (_by_time(each, case, workload) for each in (more, fewer))
        both = [store for store in large if store in small]
        if len(both) > 1:
            before = sorted(both, key=lambda store: small[store])
            ends = (both[0], both[-1]) != (before[0], before[-1])
            names = [[more.name(store) for store in each] for each in (both, before)]
            rows.append([workload, *names, ends, [large[store] for store in both]])
    return pd.DataFrame(rows, columns=ORDERS)


def _by_time(chapter: Chapter, case: Case, workload: str) -> dict[str, float]:
    """The stores that succeeded at a workload of a case with what an entry takes, the least
    first.
    """
    rows = chapter.case(case)
    rows = rows[(rows["workload"] == workload) & (rows["status"] == "ok")]
    rows = rows[rows["store"].map(chapter.is_store).astype(bool)].sort_values(["value", "store"])
    return dict(zip(rows["store"], rows["value"].astype(float)))


def spreads(chapter: Chapter) -> pd.DataFrame:
    """How far the measured passes of a trial lie apart, the furthest first: name (of the store),
    workload, keys, order, value_bytes, times (the slowest pass over the fastest).
    """
    if not chapter.measured:
        return pd.DataFrame(columns=SPREADS)
    passes = chapter.frame[chapter.frame["status"] == "ok"]
    passes = passes.assign(
        name=passes["store"].map(chapter.name),
        times=[max(each) / min(each) for each in passes["iteration_ns"]],
    )
    return passes.sort_values("times", ascending=False)[SPREADS].reset_index(drop=True)


def times(
    chapter: Chapter, case: Case, workload: str, then: tuple[str, Case] | None = None
) -> Markdown:
    """B04 to B09: implementation, ms a pass, times the fastest. What is shown to be as fast as the
    fastest (within model.MARGIN) is "Fastest", too. Where the trials do not say, the factor stands
    in parentheses.

    `then` names the edition and the case whose published times stand beside, per entry as ours.
    """
    if not chapter.measured:
        return nothing(chapter)
    if then and then[0] == published.JUNE:
        case, workload = chapter.as_in_june(case, workload)
    found = chapter.case(case)
    found = found[
        (found["workload"] == workload) & found["store"].map(chapter.is_store).astype(bool)
    ]
    good = found[found["status"] == "ok"].sort_values(["value", "store"])
    differences = _from_the_first(chapter, good)
    unclear = Difference.INCONCLUSIVE in differences.values()
    was = published.times(then[0], chapter.test) if then else {}
    rows = []
    for row in good.to_dict("records"):
        factor = f"× {number(row['value'] / good['value'].iloc[0])}"
        rank = {Difference.EQUIVALENT: "Fastest", Difference.INCONCLUSIVE: f"({factor})"}
        source = chapter.as_published(row["store"], case, workload)
        old = was.get((row["store"], then[1], source)) if then and source else None
        rows.append(
            [
                chapter.name(row["store"]),
                number(row["ms"]),
                number(row["value"]),
                rank.get(differences[row["store"]], factor),
                number(old.value if old else nan) or MISSING,
            ]
        )
    rows += [
        [chapter.name(row["store"]), STATUS[row["status"]], MISSING, row["reason"], MISSING]
        for row in found[found["status"] != "ok"].to_dict("records")
    ]
    return table(
        [
            "implementation",
            ">ms/pass",
            ">ns/entry",
            "times the fastest" + (" (in parentheses: too noisy to say)" if unclear else ""),
            ">2016, ns/entry",
        ],
        rows,
    )


def _from_the_first(chapter: Chapter, good: pd.DataFrame) -> dict[str, Difference]:
    """How each of some stores, the fastest first, compares with that, which is its own equal where
    it is told from any other.
    """
    if not len(good):
        return {}
    first, *others = good.to_dict("records")
    found = {row["store"]: contrasts.compare(chapter, row, first, len(others))[1] for row in others}
    told = not found or set(found.values()) != {Difference.INCONCLUSIVE}
    return {first["store"]: Difference.EQUIVALENT if told else Difference.INCONCLUSIVE} | found


def storage(chapter: Chapter, case: Case, then: tuple[str, Case]) -> Markdown:
    """B03: bytes an entry and percent over the array, ours and those of an edition's case."""
    if not chapter.measured:
        return nothing(chapter)
    was, rows = published.sizes(then[0], chapter.test), []
    for row in ranked(chapter.plot_rows(chapter.sizes(case))).to_dict("records"):
        old = was.get((row["store"], then[1]))
        good = row["status"] == "ok"
        rows.append(
            [
                row["name"],
                number(row["value"]) if good else STATUS[row["status"]],
                f"{row['overhead']:.2f}" if good else MISSING,
                number(old.value) if old else MISSING,
                f"{100 * (old.value / then[1].flat - 1):.2f}" if old else MISSING,
            ]
        )
    return table(
        ["implementation", ">B/entry", ">over the array, %", ">2016, B/entry", ">2016, over, %"],
        rows,
    )
