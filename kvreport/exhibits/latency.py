"""What a closed loop hides of single gets and puts, for chapters that name the most of it."""

from math import nan

import pandas as pd

from kvreport.analysis import latency
from kvreport.analysis.latency import RESPONSE, SERVICE, at_rate, rates
from kvreport.charts.chapter import Chapter
from kvreport.data.cases import Case

TAIL = 99.9  # the percentile of which sentences speak
TAILS = ["store", "name", "service", "response", "ratio"]


def tails(chapter: Chapter, case: Case, what: str) -> pd.DataFrame:
    """What one in a thousand gets or puts (`what`) of each store takes at least, a row for each
    store that has either: store, name; service, in a closed loop, and response, from when it was
    due (at the common rate, where there is one), ns, NaN where too few were timed; ratio, response
    over service.
    """
    rows = []
    found = _both_loops(chapter, case) if chapter.measured else {}
    for store in filter(chapter.is_store, chapter.stores):
        loops = (found.get((store, loop[what])) for loop in (SERVICE, RESPONSE))
        service, response = (each.at(TAIL) if each else nan for each in loops)
        rows.append([store, chapter.name(store), service, response, response / service])
    return pd.DataFrame(rows, columns=TAILS).dropna(subset=["service", "response"], how="all")


def _both_loops(chapter: Chapter, case: Case) -> dict[tuple[str, str], latency.Latencies]:
    """Closed loops, and the open ones at the common rate."""
    open_loops = latency.merged(chapter, at_rate(case, _common(chapter, case)))
    return open_loops | latency.merged(chapter, case)


def _common(chapter: Chapter, case: Case) -> int:
    """The rate at which stores are compared: the least that was measured, which most can keep; 0
    where each had half its own.
    """
    return min(rates(chapter, case), default=0)


def load(chapter: Chapter, case: Case) -> str:
    """At which rate the open loops are due that stores are compared by, in words."""
    due = _common(chapter, case) if chapter.measured else 0
    return f"{due:,} operations a second" if due else "half the rate of the closed loop"
