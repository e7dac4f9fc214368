"""Test 1: what LMDB's settings cost (A01 to A04), and the proof that durable loads sync."""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import contrasts, stats, terms
from kvreport.base.markdown import prose
from kvreport.base.text import join_words, number
from kvreport.charts.before_after import Pairs, pairs
from kvreport.charts.chapter import Chapter
from kvreport.charts.figures import Figure, placeholder
from kvreport.charts.tables import MISSING, table
from kvreport.data import published, sidecars
from kvreport.data.cases import Case
from kvreport.data.published import JULY
from kvreport.exhibits.charts import exhibit_of
from kvreport.exhibits.tables import STATUS, interval, nothing

NO_CHANGE = "no difference found"
CHANGED = [
    *("store", "name", "colour", "difference", "ratio", "change"),
    *(f"{when}{end}" for when in ("before", "after") for end in ("", "_low", "_high")),
    *("mark_before", "mark_after"),
]
WATCHED = ["name", "settings", "durable", "loads", "calls", "problem"]
NO_SYNC = "no sync (all other tests)"


def figure(chapter: Chapter, id: str, before: Case, after: Case, words: tuple[str, str]) -> Figure:
    """A01 to A04: each binding's load in two cases; `words` name what the hollow and the full
    circle stand for. Its title is the chapter's.
    """
    exhibit = exhibit_of(id)
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    return pairs(
        id,
        [
            Pairs(
                f"{load_of(chapter)} · hollow: {words[0]}, full: {words[1]}",
                changed(chapter, before, after),
                "ns/entry",
            )
        ],
        subtitle=f"{chapter.provenance(exhibit, before)} · {terms.survives([before, after])}"
        f" · thin lines: {stats.interval_name(chapter.trial_count)}, hollow above, full below ·"
        f" ticks: July 2016, the thicker {words[1]}",
    )


def load_of(chapter: Chapter) -> str:
    """The workload that loads as the source did, by appending; before harness 13 `write` did."""
    return "bulkLoad" if chapter.measured and "bulkLoad" in chapter.workloads else "write"


def changed(chapter: Chapter, before: Case, after: Case, workload: str = "") -> pd.DataFrame:
    """A row for each store that both cases were measured of, in the columns of before_after.Pairs;
    empty where nothing is. Of the load, unless another workload is named.

    before, after, and either with _low and _high  ns/entry with its interval
    ratio, difference        after over before, and a stats.Difference of after from before
    change                   the ratio as the figure has it, or that none is measurable
    mark_before, mark_after  published in July 2016, ns/entry; NaN without
    """
    if not chapter.measured:
        return pd.DataFrame(columns=CHANGED)
    workload = workload or load_of(chapter)
    was, now = (
        {
            row["store"]: row
            for row in chapter.plot_rows(chapter.case(case)).to_dict("records")
            if row["workload"] == workload and row["status"] == "ok"
        }
        for case in (before, after)
    )
    then = published.times(JULY, chapter.test)
    rows = []
    for store in was.keys() & now.keys():
        first, last = was[store], now[store]
        ratio, difference = contrasts.compare(chapter, last, first)
        source = chapter.as_published(store, before, workload)
        marks = [
            then[store, case, source].value if (store, case, source) in then else nan
            for case in (before, after)
        ]
        rows.append(
            {
                "store": store,
                "name": first["name"],
                "colour": first["colour"],
                "difference": difference,
                "ratio": ratio.value,
                "change": f"× {number(ratio.value)}" if difference.measurable else NO_CHANGE,
            }
            | {
                f"{when}{end}": row[column]
                for when, row in (("before", first), ("after", last))
                for end, column in (("", "value"), ("_low", "low"), ("_high", "high"))
            }
            | {"mark_before": marks[0], "mark_after": marks[1]}
        )
    return pd.DataFrame(rows, columns=CHANGED)


def loads(chapter: Chapter, cases: dict[str, Case]) -> Markdown:
    """The load of every binding in each of some cases: ns an entry, and what was published in July
    2016.
    """
    if not chapter.measured:
        return nothing(chapter)
    rows = [
        [record["name"], *(cell for case in cases.values() for cell in _load(chapter, store, case))]
        for store, record in chapter.stores.items()
    ]
    heads = [
        head
        for words in cases
        for head in (f">{words}, ns/entry", ">95% interval, ns/entry", ">2016, ns/entry")
    ]
    return table(["store", *heads], rows)


def _load(chapter: Chapter, store: str, case: Case) -> list[str]:
    """What a store's load takes in a case, ns an entry: here, its interval, and in July 2016."""
    rows = chapter.case(case)
    rows = rows[(rows["store"] == store) & (rows["workload"] == load_of(chapter))]
    was = published.times(JULY, chapter.test).get((store, case, "write"))
    then = number(was.value) if was else MISSING
    if rows.empty:
        return [MISSING, MISSING, then]
    row = rows.iloc[0].to_dict()
    if row["status"] != "ok":
        return [STATUS[row["status"]], MISSING, then]
    return [number(row["value"]), interval(row), then]


def counts(chapter: Chapter) -> dict:
    """The system calls that were counted beside the section, as sidecars.syscalls has them; with a
    `problem` where there are none.
    """
    if not chapter.run:
        return {"problem": chapter.missing(), "counts": {}}
    return sidecars.syscalls(chapter.run.name, chapter.section)


def watched(chapter: Chapter) -> pd.DataFrame:
    """A row for each store and case whose load was watched for calls that wait for the device.

    name             of the store
    settings         of the case
    durable          whether the load should have waited
    loads            how many were watched
    calls            how many of each call they made, together, by its name
    problem          why nothing was counted, or None
    """
    rows = [
        [
            chapter.name(store),
            ", ".join(f"{name}={value}" for name, value in case["settings"].items()) or NO_SYNC,
            case["settings"].get("sync") == "on",
            case["loads"],
            case["calls"],
            case["problem"],
        ]
        for store, counted in counts(chapter)["counts"].items()
        for case in counted["cases"]
    ]
    return pd.DataFrame(rows, columns=WATCHED)


def syncs(chapter: Chapter) -> Markdown:
    """The system calls that waited for the device, for each binding and case."""
    if problem := counts(chapter)["problem"]:
        return table(["no counts"], [[prose(problem)]])
    frame = watched(chapter)
    rows = []
    for row, first in zip(frame.to_dict("records"), ~frame["name"].duplicated()):
        calls = join_words(
            f"{made / row['loads']:.3g} × {name}" for name, made in row["calls"].items()
        )
        rows.append([row["name"] if first else "", row["settings"], row["problem"] or calls])
    return table(["store", "settings", "calls that wait for the device, in a load"], rows)
