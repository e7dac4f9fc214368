"""What surprised in the measurements, for the first page: where an effect is largest that a reader
would not look for. The sentences are the page's.
"""

from typing import Any

import pandas as pd

from kvreport.analysis.stats import Difference
from kvreport.charts import chapter
from kvreport.data import facts
from kvreport.data.cases import Case
from kvreport.data.needs import PURE_JAVA
from kvreport.exhibits import fairness, latency, rankings
from kvreport.exhibits.answer import Answer

RANDOM = Case("int", "random")
LARGE = Case("int", "random", 2026)


def of_settings(section: str = "12-fairness") -> dict[str, Any] | None:
    """The store and workload at which its vendor's settings cost most, or gain most, over this
    project's: store, workload, ratio, single (whether of single trials); None without any.
    """
    rows = fairness.compared(chapter.of(section), RANDOM)
    told = rows[rows["difference"].isin([Difference.GREATER, Difference.LESS])]
    found = pd.concat([told, fairness.untold(rows)])
    if found.empty:
        return None
    far = found["ratio"].map(lambda ratio: max(ratio, 1 / ratio))
    most = found.iloc[int(far.argmax())]
    return {
        "store": most["store"],
        "workload": most["workload"],
        "ratio": float(most["ratio"]),
        "single": bool(pd.isna(most["low"])),
    }


def of_waiting(section: str = "11-latency") -> dict[str, Any] | None:
    """The store whose slowest get in a thousand waits longest over what it takes by itself: name,
    ratio, load (in words); None where nothing was timed in both loops.
    """
    test = chapter.of(section)
    tails = latency.tails(test, RANDOM, "get").dropna(subset="ratio")
    if tails.empty:
        return None
    most = tails.iloc[int(tails["ratio"].argmax())]
    load = latency.load(test, RANDOM)
    return {"name": most["name"], "ratio": float(most["ratio"]), "load": load}


def of_more(section: str = "05-medium-values") -> dict[str, Any] | None:
    """The first workload at which another store takes least, or most, with as many entries as the
    source: a row of rankings.orders, with entries and fewer_entries; None where none is.
    """
    more, fewer = chapter.in_full(section), chapter.of(section)
    orders = rankings.orders(more, fewer, LARGE)
    turned = orders[orders["turned"].astype(bool)].to_dict("records")
    if not turned:
        return None
    first = {str(name): value for name, value in turned[0].items()}
    return first | {"entries": more.entries(LARGE)[1], "fewer_entries": fewer.entries(LARGE)[1]}


def of_java(needs: Answer) -> dict[str, Any] | None:
    """At how many of the needs that native stores have a place in too, one without native code is
    best or level with the best: all, and the needs' names; None where it is fewer than half.
    """
    both = [
        ranking
        for ranking in needs.measured.values()
        if ranking.need.only != PURE_JAVA
        and len({facts.lacks(place.store, PURE_JAVA) for place in ranking.places}) == 2
    ]
    names = [
        ranking.need.name
        for ranking in both
        if any(not facts.lacks(place.store, PURE_JAVA) for place in ranking.best)
    ]
    return {"all": len(both), "needs": names} if both and 2 * len(names) >= len(both) else None
