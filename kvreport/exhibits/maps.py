"""Plain maps (D02): ten runs of generating, filling, serialising and saving, one by one, beside
MVStore.
"""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import stats
from kvreport.base.text import format_range, join_words, number, significant
from kvreport.data import published
from kvreport.data.runs import results
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import Figure, exhibit_of, placeholder
from kvreport.exhibits.curves import Curves, curves
from kvreport.exhibits.tables import MISSING, STATUS, interval, nothing, table

STEPS = {
    "generate": "generate",
    "fill": "fill",
    "serialise": "serialise",
    "save": "write and delete",
    "total": "total",
}  # and the source's names
LAST = 10  # runs
COLUMNS = ["store", "name", "colour", "x", "value", "low", "high", "mark"]


def runs_of(chapter: Chapter, step: str) -> pd.DataFrame:
    """A row for each map and run of its first good trial: x the run from 1, ns of the pass,
    entries, user_bytes.
    """
    rows, seen = [], set()
    for trial in sorted(chapter.trials, key=lambda trial: trial["trial"]):
        for _, result in results(trial):
            store = trial["store"]["id"]
            if result["workload"] == step and result["status"] == "ok" and store not in seen:
                seen.add(store)
                rows += [
                    {
                        "store": store,
                        "name": chapter.name(store),
                        "colour": chapter.stores[store]["colour"],
                        "x": run,
                        "ns": ns,
                        "entries": result["entries"],
                        "user_bytes": result["user_bytes"],
                    }
                    for run, ns in enumerate(result["iteration_ns"], 1)
                ]
    return pd.DataFrame(
        rows, columns=["store", "name", "colour", "x", "ns", "entries", "user_bytes"]
    )


def figure(chapter: Chapter, id: str) -> Figure:
    """D02: the ten runs of each map, a panel for each step in the source's unit."""
    exhibit = exhibit_of(id)
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    ticks = {run: str(run) for run in range(1, LAST + 1)}
    panels = []
    for step, unit in (
        ("fill", "ns/entry"),
        ("serialise", "GB/s"),
        ("save", "GB/s"),
        ("total", "µs/entry"),
    ):
        rows = runs_of(chapter, step)
        then = {
            (was.store, was.run): was.in_unit(unit) for was in published.maps() if was.step == step
        }
        values = (
            rows["user_bytes"] / rows["ns"]
            if unit == "GB/s"
            else rows["ns"] / rows["entries"] / {"ns/entry": 1, "µs/entry": 1e3}[unit]
        )
        panels.append(
            Curves(
                STEPS[step],
                rows.assign(
                    value=values,
                    low=nan,
                    high=nan,
                    mark=[then.get((row.store, row.x), nan) for row in rows.itertuples()],
                ),
                "run",
                unit,
                ticks,
                even=True,
            )
        )
    return curves(
        id,
        panels,
        headline(chapter),
        f"{chapter.provenance(exhibit)} · {published.MAPS_CASE.value_bytes}-byte values · ticks:"
        " the source's first and last run",
    )


def headline(chapter: Chapter) -> str:
    rows = runs_of(chapter, "total")
    if not len(rows):
        return "No map was measured"
    middle = (rows["ns"] / rows["entries"] / 1e3).groupby(rows["name"]).median().sort_values()
    return (
        f"In all a run takes from {number(middle.iloc[0])} µs/entry ({middle.index[0]}) to"
        f" {number(middle.iloc[-1])} µs/entry ({middle.index[-1]})"
    )


def summary(chapter: Chapter) -> str:
    """How the first run compares with the others, and how much of the time was garbage
    collection.
    """
    rows = runs_of(chapter, "total")
    if not len(rows):
        return "No map was measured."
    told = []
    for name, runs in rows.groupby("name"):
        first, others = runs["ns"].iloc[0], runs["ns"].iloc[1:]
        told.append(
            f"{name} {number(first / others.median())} times"
            f" ({format_range(others.min() / others.median(), others.max() / others.median())})"
        )
    return (
        "The first run's total over the median of the others, with the range of those others in"
        f" brackets: {join_words(told)}. {collected(chapter)}"
    )


def collected(chapter: Chapter) -> str:
    """The share of the runs' time in which the garbage collector ran."""
    shares = {}
    for trial in chapter.trials:
        for _, result in results(trial):
            gc = (result.get("observed") or {}).get("gc_ms")
            if result["workload"] == "total" and gc:
                shares.setdefault(trial["store"]["name"], []).append(
                    1e8 * sum(gc) / sum(result["iteration_ns"])
                )
    return (
        "Garbage collection took, of the time of all runs, "
        + join_words(
            f"{format_range(min(found), max(found))}% ({name})" for name, found in shares.items()
        )
        + "."
        if shares
        else ""
    )


def steps(chapter: Chapter) -> Markdown:
    """Each map and step: time, rates and overhead, and what the source printed."""
    if not chapter.measured:
        return nothing(chapter)
    serialised = {}
    for trial in chapter.trials:
        for _, result in results(trial):
            if (result.get("observed") or {}).get("bytes") and result["workload"] == "serialise":
                serialised.setdefault(trial["store"]["id"], []).append(
                    result["observed"]["bytes"] / result["user_bytes"]
                )
    rows = []
    for store in chapter.stores:
        mine = chapter.results[chapter.results["store"] == store].set_index("workload", drop=False)
        for i, (step, words) in enumerate(STEPS.items()):
            if step not in mine.index:
                continue
            row = mine.loc[step].to_dict()
            good = row["status"] == "ok"
            then = [was for was in published.maps() if (was.store, was.step) == (store, step)]
            factors = serialised.get(store, []) if step == "serialise" else []
            rows.append(
                [
                    chapter.name(store) if i == 0 else "",
                    words,
                    number(row["ms"]) if good else f"{STATUS[row['status']]}: {row['reason']}",
                    number(row["value"]) if good else MISSING,
                    interval(row) if good else MISSING,
                    significant(1 / row["value"]) if good else MISSING,
                    significant(row["gbs"]) if good else MISSING,
                    f"{stats.estimate(factors).value:.4f}" if factors else MISSING,
                    (
                        number(sum(was.in_unit("ns/entry") for was in then) / len(then))
                        if then
                        else MISSING
                    ),
                ]
            )
    return table(
        [
            "map",
            "step",
            ">ms/run",
            ">ns/entry",
            ">95% interval, ns/entry",
            ">GE/s",
            ">GB/s",
            ">overhead factor, times",
            ">published, ns/entry",
        ],
        rows,
    )
