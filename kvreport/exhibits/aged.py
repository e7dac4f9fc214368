"""Fresh and aged: reads and size after a load, and after every entry was overwritten three
times.
"""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import contrasts, stats
from kvreport.analysis.results import of_case
from kvreport.analysis.stats import Difference
from kvreport.base.text import number
from kvreport.data.cases import Case
from kvreport.exhibits.before_after import Pairs, pairs
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import describe
from kvreport.exhibits.figures import Figure, placeholder
from kvreport.exhibits.tables import MISSING, STATUS, interval, nothing, rounded, table

# what is read fresh and aged; before harness 13 values were only reached
TOUCHING, REACHING = ("readKeyXxh64", "readXxh64"), ("readKey", "readSeq")
SAME = "no difference found"
COMPARED = ["store", "name", "workload", "fresh", "aged", "ratio", "low", "high", "difference"]
SIZES = ["store", "name", "fresh", "aged", "growth"]


def reads(chapter: Chapter) -> tuple[str, str]:
    """The workloads that get by key and that scan, of a database that was just loaded."""
    return TOUCHING if chapter.measured and TOUCHING[0] in chapter.workloads else REACHING


def aging(chapter: Chapter) -> dict[str, str]:
    """The workload that each fresh one is compared with."""
    return {"write": "overwrite"} | dict(zip(reads(chapter), ("readKeyAged", "readSeqAged")))


def compared(chapter: Chapter, case: Case) -> pd.DataFrame:
    """A row for each store, the flat file included, and workload that was measured fresh and aged;
    empty where nothing is.

    store, name       its id, and its name as figures have it
    workload          the fresh one; aging has the aged one
    fresh, aged       ns/entry
    ratio, low, high  aged over fresh, with its interval
    difference        of aged from fresh: a stats.Difference
    """
    if not chapter.measured:
        return pd.DataFrame(columns=COMPARED)
    good = _good(chapter, case)
    rows = []
    for fresh, aged in aging(chapter).items():
        for store in chapter.stores:
            before, after = good.get((store, fresh)), good.get((store, aged))
            if before and after:
                ratio, difference = contrasts.compare(chapter, after, before)
                rows.append(
                    [
                        store,
                        before["name"],
                        fresh,
                        before["value"],
                        after["value"],
                        ratio.value,
                        ratio.low,
                        ratio.high,
                        difference,
                    ]
                )
    return pd.DataFrame(rows, columns=COMPARED)


def _good(chapter: Chapter, case: Case) -> dict[tuple[str, str], dict]:
    """The rows of Chapter.plot_rows that have values, by store and workload."""
    rows = chapter.plot_rows(chapter.case(case))
    return {
        (row["store"], row["workload"]): row
        for row in rows[rows["status"] == "ok"].to_dict("records")
    }


def figure_of(chapter: Chapter, id: str, case: Case) -> Figure:
    """Reads before and after, by key and in a scan. Its title is the chapter's."""
    if not chapter.measured:
        return placeholder(id, chapter.missing())
    found, good = compared(chapter, case), _good(chapter, case)
    panels = [
        Pairs(
            f"{fresh} · hollow: fresh, full: aged",
            _paired(found[found["workload"] == fresh], good, aging(chapter)),
            "ns/entry",
        )
        for fresh in reads(chapter)
    ]
    return pairs(
        id,
        panels,
        subtitle=f"{chapter.provenance('Aged', case)}, {describe(case)} · thin lines: "
        f"{stats.interval_name(chapter.trial_count)}, hollow above, full below",
    )


def _paired(
    rows: pd.DataFrame, good: dict[tuple[str, str], dict], aged: dict[str, str]
) -> pd.DataFrame:
    """Rows of `compared` in the columns of before_after.Pairs; `aged` as aging has it."""
    found = [
        {
            "store": row["store"],
            "name": row["name"],
            "colour": good[row["store"], row["workload"]]["colour"],
            "ratio": row["ratio"],
            "difference": row["difference"],
            "mark_before": nan,
            "mark_after": nan,
            "change": f"× {number(row['ratio'])}" if row["difference"].measurable else SAME,
        }
        | {
            f"{when}{end}": good[row["store"], workload][column]
            for when, workload in (
                ("before", row["workload"]),
                ("after", aged[row["workload"]]),
            )
            for end, column in (("", "value"), ("_low", "low"), ("_high", "high"))
        }
        for row in rows.to_dict("records")
    ]
    return pd.DataFrame(found, columns=None if found else ["store", "name"])


def slower(rows: pd.DataFrame, workload: str) -> dict[str, float]:
    """Of the rows of `compared`, what an aged workload takes measurably longer in: times, by the
    store's name, the most first.
    """
    found = rows[(rows["workload"] == workload) & (rows["difference"] == Difference.GREATER)]
    found = found.sort_values("ratio", ascending=False)
    return dict(zip(found["name"], found["ratio"].astype(float)))


def sizes(chapter: Chapter, case: Case) -> pd.DataFrame:
    """A row for each store, the flat file included, whose size is known fresh and aged; empty where
    nothing is measured.

    store, name  its id and name
    fresh, aged  bytes on disk per byte of keys and values, closed: medians over trials
    growth       aged over fresh, times; NaN where there was nothing
    """
    if not chapter.measured:
        return pd.DataFrame(columns=SIZES)
    space = of_case(chapter.loads, case).dropna(subset="aged_bytes")
    shares = space[["store"]].assign(
        fresh=space["closed_bytes"] / space["flat_bytes"],
        aged=space["aged_bytes"].astype(float) / space["flat_bytes"],
    )
    found = shares.groupby("store").median().reset_index()
    return found.assign(
        name=[chapter.name(store) for store in found["store"]],
        growth=found["aged"] / found["fresh"].where(found["fresh"] > 0),
    )[SIZES]


def table_of(chapter: Chapter, case: Case) -> Markdown:
    """Each store's times and sizes, fresh and aged."""
    if not chapter.measured:
        return nothing(chapter)
    results = {
        (row["store"], row["workload"]): row for row in chapter.case(case).to_dict("records")
    }
    ratios = {
        (row["store"], row["workload"]): row for row in compared(chapter, case).to_dict("records")
    }
    space = {row["store"]: row for row in sizes(chapter, case).to_dict("records")}
    shown = [each for each in chapter.stores if chapter.is_store(each) or chapter.is_baseline(each)]
    rows = []
    for store in shown:
        for fresh, aged in aging(chapter).items():
            ratio, first = ratios.get((store, fresh)), fresh == "write"
            size = space.get(store) if first else None
            rows.append(
                [
                    chapter.name(store) if first else "",
                    f"{fresh}, {aged}",
                    *(_time(results.get((store, workload))) for workload in (fresh, aged)),
                    number(ratio["ratio"]) if ratio else MISSING,
                    interval(ratio) if ratio else MISSING,
                    *(rounded(size[when], 2) if size else "" for when in ("fresh", "aged")),
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
        rows,
    )


def _time(row: dict | None) -> str:
    if not row:
        return MISSING
    good = row["status"] == "ok"
    return number(row["value"]) if good else f"{STATUS[row['status']]}: {row['reason']}"
