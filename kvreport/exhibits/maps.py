"""Plain maps (D02): ten runs of generating, filling, serialising and saving, one by one, beside
MVStore.
"""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import stats
from kvreport.base.text import number, significant
from kvreport.charts.chapter import Chapter
from kvreport.charts.curves import Curves, curves
from kvreport.charts.figures import Figure, placeholder
from kvreport.charts.tables import MISSING, table
from kvreport.data import published
from kvreport.data.runs import results
from kvreport.exhibits.charts import exhibit_of
from kvreport.exhibits.tables import STATUS, interval, nothing

STEPS = {
    "generate": "generate",
    "fill": "fill",
    "serialise": "serialise",
    "save": "write and delete",
    "total": "total",
}  # and the source's names
LAST = 10  # runs
PANELS = {"fill": "ns/entry", "serialise": "GB/s", "save": "GB/s", "total": "µs/entry"}  # units
RUNS = ["store", "name", "colour", "trial", "x", "ns", "ns_per_entry", "entries", "user_bytes"]
TOTALS = ["name", "ns_per_entry"]


def runs_of(chapter: Chapter, step: str) -> pd.DataFrame:
    """A row for each map, trial and run that succeeded: trial, its number; x the run from 1, ns of
    the pass and of an entry, entries, user_bytes.
    """
    rows: list[list] = []
    for trial in sorted(chapter.trials, key=lambda trial: trial["trial"]):
        for _, result in results(trial):
            store = trial["store"]["id"]
            if result["workload"] == step and result["status"] == "ok":
                entries, user_bytes = result["entries"], result["user_bytes"]
                shown = store, chapter.name(store), chapter.stores[store]["colour"]
                rows += [
                    [*shown, trial["trial"], run, ns, ns / entries, entries, user_bytes]
                    for run, ns in enumerate(result["iteration_ns"], 1)
                ]
    return pd.DataFrame(rows, columns=RUNS)


def first_trial(runs: pd.DataFrame) -> pd.DataFrame:
    """Of such rows those of each map's first trial, which a figure of single runs shows."""
    return runs[runs["trial"] == runs.groupby("store")["trial"].transform("min")]


def totals(chapter: Chapter) -> pd.DataFrame:
    """What a whole run takes each map, the least first, as the table has it: name; ns_per_entry,
    the median over trials of each trial's median run.
    """
    if not chapter.measured:
        return pd.DataFrame(columns=TOTALS)
    rows = chapter.results
    rows = rows[(rows["workload"] == "total") & (rows["status"] == "ok")].sort_values("value")
    named = rows.assign(name=rows["store"].map(chapter.name), ns_per_entry=rows["value"])
    return named[TOTALS].reset_index(drop=True)


def in_unit(rows: pd.DataFrame, unit: str) -> pd.Series:
    """The runs in ns or µs an entry, or in GB/s of the data's own bytes."""
    if unit == "GB/s":
        return rows["user_bytes"] / rows["ns"]
    return rows["ns_per_entry"] / {"ns/entry": 1, "µs/entry": 1e3}[unit]


def figure(chapter: Chapter, id: str) -> Figure:
    """D02: the ten runs of each map, a panel for each step in the source's unit. The title is the
    chapter's.
    """
    exhibit = exhibit_of(id)
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    ticks: dict[float, str] = {run: str(run) for run in range(1, LAST + 1)}
    panels = []
    for step, unit in PANELS.items():
        rows = first_trial(runs_of(chapter, step))
        then = {
            (was.store, was.run): was.in_unit(unit) for was in published.maps() if was.step == step
        }
        marks = [then.get(key, nan) for key in zip(rows["store"], rows["x"])]
        values = rows.assign(value=in_unit(rows, unit), low=nan, high=nan, mark=marks)
        panels.append(Curves(STEPS[step], values, "run", unit, ticks, even=True))
    return curves(
        id,
        panels,
        subtitle=f"{chapter.provenance(exhibit)} · {published.MAPS_CASE.value_bytes}-byte values ·"
        " ticks: the source's first and last run",
    )


def first_runs(chapter: Chapter) -> pd.DataFrame:
    """How a map's first run compares with the others of the same trial, in total: name; first,
    times the median of the others, the median over trials; low and high, the range of those others
    over it, in all trials.
    """
    shares = []
    for (name, _), runs in runs_of(chapter, "total").groupby(["name", "trial"]):
        others = runs["ns"].iloc[1:]
        middle = others.median()
        shares.append(
            [name, runs["ns"].iloc[0] / middle, others.min() / middle, others.max() / middle]
        )
    found = pd.DataFrame(shares, columns=["name", "first", "low", "high"]).groupby("name")
    return found.agg({"first": "median", "low": "min", "high": "max"}).reset_index()


def collections(chapter: Chapter) -> pd.DataFrame:
    """The share of a trial's runs in which the garbage collector ran, a row for each trial: name,
    percent.
    """
    rows = []
    for trial in chapter.trials:
        for _, result in results(trial):
            gc = (result.get("observed") or {}).get("gc_ms")
            if result["workload"] == "total" and gc:
                percent = 1e8 * sum(gc) / sum(result["iteration_ns"])
                rows.append([trial["store"]["name"], percent])
    return pd.DataFrame(rows, columns=["name", "percent"])


def overheads(chapter: Chapter) -> dict[str, list[float]]:
    """Serialised bytes over the data's own, one for each trial, by map."""
    found: dict[str, list[float]] = {}
    for trial in chapter.trials:
        for _, result in results(trial):
            serialised = (result.get("observed") or {}).get("bytes")
            if serialised and result["workload"] == "serialise":
                found.setdefault(trial["store"]["id"], []).append(serialised / result["user_bytes"])
    return found


def steps(chapter: Chapter) -> Markdown:
    """Each map and step: time, rates and overhead, and what the source printed."""
    if not chapter.measured:
        return nothing(chapter)
    serialised, rows = overheads(chapter), []
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
