"""Each store as set here and as its vendor ships it, for chapters that name the most of it."""

import pandas as pd

from kvreport.analysis import contrasts
from kvreport.analysis.stats import Difference
from kvreport.charts.chapter import Chapter
from kvreport.data.cases import Case

SHIPPED = "defaults=on"
COMPARED = ["store", "workload", "own", "shipped", "ratio", "low", "high", "difference"]


def compared(chapter: Chapter, case: Case) -> pd.DataFrame:
    """A row for each store and workload that both settings measured; empty where nothing is.

    store (its name), workload
    own, shipped      ns/entry with this project's settings and with the vendor's
    ratio, low, high  shipped over own, with its interval
    difference        of shipped from own: a stats.Difference
    """
    if not chapter.measured:
        return pd.DataFrame(columns=COMPARED)
    own, shipped = (
        {
            (row["store"], row["workload"]): row
            for row in chapter.case(each).to_dict("records")
            if row["status"] == "ok"
        }
        for each in (case, case._replace(settings=SHIPPED))
    )
    rows = []
    for (store, workload), row in own.items():
        other = shipped.get((store, workload))
        if other is None or not chapter.is_store(store):
            continue
        ratio, difference = contrasts.compare(chapter, other, row)
        rows.append(
            [
                chapter.name(store),
                workload,
                row["value"],
                other["value"],
                ratio.value,
                ratio.low,
                ratio.high,
                difference,
            ]
        )
    return pd.DataFrame(rows, columns=COMPARED).astype({"ratio": float})  # even without a row


def untold(rows: pd.DataFrame) -> pd.DataFrame:
    """Of rows of `compared` those of single trials, which show no difference, that are further
    apart than the furthest that is measurable: by store, the workload that is furthest.
    """
    most = rows.loc[rows["difference"] == Difference.GREATER, "ratio"].max()
    single = rows[rows["low"].isna() & ~(rows["ratio"] <= max(1.0, most))]
    return single.sort_values("ratio", ascending=False).drop_duplicates("store")
