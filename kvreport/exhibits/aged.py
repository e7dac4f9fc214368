"""Fresh and aged: reads and size after a load, and after every entry was overwritten three
times.
"""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import stats
from kvreport.analysis.results import of_case
from kvreport.analysis.stats import Difference
from kvreport.base.text import join_words, number
from kvreport.data.cases import Case
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import Figure, describe, placeholder
from kvreport.exhibits.curves import Pairs, pairs
from kvreport.exhibits.tables import MISSING, STATUS, interval, nothing, table

PAIRS = {"write": "overwrite", "readKey": "readKeyAged", "readSeq": "readSeqAged"}
SAME = "no difference found"


def changed(chapter: Chapter, case: Case, fresh: str) -> pd.DataFrame:
    """A row for each store that has a workload fresh and aged, in the columns of curves.Pairs;
    outcome: whether aged is less or greater.
    """
    rows = chapter.plot_rows(chapter.case(case))
    good = {
        (row["store"], row["workload"]): row
        for row in rows[rows["status"] == "ok"].to_dict("records")
    }
    found = []
    for store in chapter.stores:
        was, now = good.get((store, fresh)), good.get((store, PAIRS[fresh]))
        if was and now:
            between, outcome = (
                stats.ratio(now["values"], was["values"]),
                stats.compare(now["values"], was["values"], chapter.floor),
            )
            found.append(
                {
                    "store": store,
                    "name": was["name"],
                    "colour": was["colour"],
                    "outcome": outcome,
                    "ratio": between.value,
                    "mark_before": nan,
                    "mark_after": nan,
                    "change": SAME
                    if outcome == Difference.INCONCLUSIVE
                    else f"× {number(between.value)}",
                }
                | {
                    f"{when}{end}": row[column]
                    for when, row in (("before", was), ("after", now))
                    for end, column in (("", "value"), ("_low", "low"), ("_high", "high"))
                }
            )
    return pd.DataFrame(found, columns=None if found else ["store", "name", "outcome", "ratio"])


def figure_of(chapter: Chapter, id: str, case: Case) -> Figure:
    """Reads before and after: by key and in a scan."""
    if not chapter.measured:
        return placeholder(id, chapter.missing())
    panels = [
        Pairs(f"{fresh} · hollow: fresh, full: aged", changed(chapter, case, fresh), "ns/entry")
        for fresh in ("readKey", "readSeq")
    ]
    return pairs(
        id,
        panels,
        headline(chapter, case),
        f"{chapter.provenance('Aged', case)}, {describe(case)} · thin lines: "
        f"{stats.interval_name(chapter.trial_count)}, hollow above, full below",
    )


def headline(chapter: Chapter, case: Case) -> str:
    """Which stores read more slowly once they are aged, in a sentence without its full stop."""
    told = []
    for fresh, doing in (("readKey", "gets by key"), ("readSeq", "scans")):
        rows = changed(chapter, case, fresh)
        slower = rows[rows["outcome"] == "greater"].sort_values("ratio", ascending=False)
        if len(slower):
            named = zip(slower["name"], slower["ratio"], strict=True)
            words = join_words(f"{name} (× {number(ratio)})" for name, ratio in named)
            told.append(f"{doing} are slower in {words}")
    text = "; ".join(told) or "no store reads measurably more slowly"
    return f"Overwritten three times, {text}"


def sizes(chapter: Chapter, case: Case) -> dict[str, tuple[float, float]]:
    """Bytes on disk per byte of keys and values, closed, fresh and aged: medians over trials, by
    store.
    """
    space = of_case(chapter.loads, case).dropna(subset="aged_bytes")
    shares = space[["store"]].assign(
        fresh=space["closed_bytes"] / space["flat_bytes"],
        aged=space["aged_bytes"].astype(float) / space["flat_bytes"],
    )
    return {
        store: (row["fresh"], row["aged"])
        for store, row in shares.groupby("store").median().iterrows()
    }


def table_of(chapter: Chapter, case: Case) -> Markdown:
    """Each store's times and sizes, fresh and aged."""
    if not chapter.measured:
        return nothing(chapter)
    rows = {(row["store"], row["workload"]): row for row in chapter.case(case).to_dict("records")}
    large, lines = sizes(chapter, case), []
    for store in [
        store for store in chapter.stores if chapter.is_store(store) or chapter.is_baseline(store)
    ]:
        for i, (fresh, aged) in enumerate(PAIRS.items()):
            was, now = rows.get((store, fresh)), rows.get((store, aged))
            ratio = (
                stats.ratio(now["values"], was["values"])
                if was and now and was["values"] and now["values"]
                else stats.NOTHING
            )
            lines.append(
                [
                    chapter.name(store) if i == 0 else "",
                    f"{fresh}, {aged}",
                    *(_time(row) for row in (was, now)),
                    number(ratio.value) or MISSING,
                    interval(vars(ratio)),
                    *(
                        [f"{size:.2f}" for size in large[store]]
                        if i == 0 and store in large
                        else ["", ""]
                    ),
                ]
            )
    return table(
        [
            "store",
            "workloads",
            ">fresh, ns/entry",
            ">aged, ns/entry",
            ">aged over fresh, times",
            ">95% interval, times",
            ">bytes on disk per user byte, fresh",
            ">bytes per user byte, aged",
        ],
        lines,
    )


def _time(row: dict | None) -> str:
    return (
        MISSING
        if not row
        else (
            number(row["value"])
            if row["status"] == "ok"
            else f"{STATUS[row['status']]}: {row['reason']}"
        )
    )


def summary(chapter: Chapter, case: Case) -> str:
    """The headline, and how sizes changed."""
    grown = sorted(
        (
            (aged / fresh, chapter.name(store))
            for store, (fresh, aged) in sizes(chapter, case).items()
            if chapter.is_store(store) and fresh > 0
        ),
        reverse=True,
    )
    return f"{headline(chapter, case)}." + (
        f" On disk, closed, the databases are between {number(grown[-1][0])} ({grown[-1][1]}) and"
        f" {number(grown[0][0])} ({grown[0][1]}) times as large as after the load."
        if grown
        else ""
    )
