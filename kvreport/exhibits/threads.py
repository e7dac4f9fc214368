"""Multithreaded writes (D01): the same entries, split among one to twelve threads."""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import costs, stats
from kvreport.base.text import count, join_words, number, significant
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.data.published import COMPARISON, THREADED
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import Figure, exhibit_of, placeholder
from kvreport.exhibits.curves import Curves, curves
from kvreport.exhibits.tables import MISSING, STATUS, interval, nothing, table

TIMES = "times as fast as with one"
COLUMNS = [
    "store",
    "name",
    "colour",
    "x",
    "status",
    "reason",
    "value",
    "low",
    "high",
    "speed_up",
    "speed_low",
    "speed_high",
    "outcome",
    "cpu",
    "cores",
    "entries",
]


def figure(chapter: Chapter, id: str) -> Figure:
    """D01: time against threads, the speed-up against one thread, CPU time, and the speed-up that
    the source's figures give.
    """
    exhibit = exhibit_of(id)
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    frame, then = rows_of(chapter), printed(chapter)
    ticks = {n: str(n) for n in sorted({*frame["x"], *then["x"]})}
    mark = processors(chapter), f"{count(processors(chapter), 'processor')} here"

    def panel(title: str, rows: pd.DataFrame, unit: str, **columns: str) -> Curves:
        chosen = rows.assign(
            mark=nan, **{name: rows[column] if column else nan for name, column in columns.items()}
        )
        return Curves(title, chosen, "threads", unit, ticks, at=None if rows is then else mark)

    panels = [
        panel("Load, here", frame, "s"),
        panel("Speed-up, here", frame, TIMES, value="speed_up", low="speed_low", high="speed_high"),
        panel("CPU time, here", frame, "µs/entry", value="cpu", low="", high=""),
        panel("Speed-up, as published", then, TIMES, value="speed_up", low="", high=""),
    ]
    return curves(
        id,
        panels,
        headline(frame),
        f"{chapter.provenance(exhibit)} · string keys in random order, {THREADED.value_bytes}-byte"
        f" values · thin lines: {stats.interval_name(chapter.trial_count)}",
    )


def rows_of(chapter: Chapter) -> pd.DataFrame:
    """A row for each store and number of threads, x: value, low and high in s; speed_up against one
    thread, with its interval and whether the time is measurably "less" or "greater"; cpu, µs of all
    threads an entry; cores, how many were busy.
    """
    rows = []
    for case in cases(chapter):
        spent = costs.medians(costs.of_workloads(chapter, case))
        alone = chapter.case(case._replace(settings="threads=1"))
        for row in chapter.plot_rows(chapter.case(case)).to_dict("records"):
            one = alone.loc[row["store"], "values"] if row["store"] in alone.index else ()
            between = stats.ratio(one, row["values"]) if one and row["values"] else stats.NOTHING
            seconds = {name: row[name] * row["entries"] / 1e9 for name in ("value", "low", "high")}
            rows.append(
                {
                    name: row[name]
                    for name in ("store", "name", "colour", "status", "reason", "entries")
                }
                | seconds
                | {
                    "x": threads(case),
                    "speed_up": between.value,
                    "speed_low": between.low,
                    "speed_high": between.high,
                    "outcome": stats.compare(row["values"], one, chapter.floor)
                    if between.n
                    else "",
                    "cpu": spent[costs.CPU].get(row["store"], nan) / 1e3,
                    "cores": spent[costs.CORES].get(row["store"], nan),
                }
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def printed(chapter: Chapter) -> pd.DataFrame:
    """What the source printed, in the same columns, as far as it goes; its names, and our
    colours.
    """
    then = published.times(COMPARISON, chapter.test)
    colours = {store: told["colour"] for store, told in chapter.stores.items()}
    rows = [
        {
            "store": store,
            "name": was.system,
            "colour": colours.get(store, "#6b7280"),
            "x": threads(case),
            "status": "ok",
            "value": was.value * published.THREADED_ENTRIES / 1e9,
            "speed_up": then[store, case._replace(settings="threads=1"), "write"].value / was.value,
        }
        for (store, case, _), was in then.items()
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def cases(chapter: Chapter) -> list[Case]:
    return sorted(
        (case for case in chapter.cases if case.settings.startswith("threads=")), key=threads
    )


def threads(case: Case) -> int:
    return int(case.settings.removeprefix("threads="))


def processors(chapter: Chapter) -> int:
    """Hardware threads that the measurement could use."""
    return chapter.run.environment["cpu"]["usable_threads"]


def headline(frame: pd.DataFrame) -> str:
    """Which store gains most from threads, if any does beyond what trials vary; a sentence without
    its full stop.
    """
    good = frame[(frame["status"] == "ok") & (frame["x"] > 1)].dropna(subset="speed_up")
    if not len(good):
        return "No store was measured with one thread and with several"
    good = good[good["outcome"] == "less"]
    if not len(good):
        return "No store is measurably faster with several threads than with one"
    best = good.loc[good["speed_up"].idxmax()]
    return (
        f"Of what trials can tell, {best['name']} gains most from threads:"
        f" {number(best['speed_up'])} times as fast with {best['x']} as with one"
    )


def summary(chapter: Chapter) -> str:
    """Which stores gain and lose from threads beyond what trials vary, and who is fastest."""
    frame = rows_of(chapter)
    good = frame[(frame["status"] == "ok") & frame["store"].map(chapter.is_store)]
    if not len(good):
        return "No store was measured."
    best = good.loc[good["value"].idxmin()]
    told = [
        f"The shortest load is {best['name']}'s, {significant(best['value'])} s with"
        f" {count(best['x'], 'thread')}."
    ]
    many = good[good["x"] > 1]
    for outcome, verb in (("less", "faster"), ("greater", "slower")):
        found = many[many["outcome"] == outcome]
        most = {
            name: rows.loc[
                rows["speed_up"].idxmax() if outcome == "less" else rows["speed_up"].idxmin()
            ]
            for name, rows in found.groupby("name")
        }
        told.append(
            f"Measurably {verb} with several threads than with one: "
            + (
                join_words(
                    f"{name} ({number(row['speed_up'])} times at {row['x']})"
                    for name, row in most.items()
                )
                if most
                else "no store"
            )
            + "."
        )
    return " ".join(told)


def loads(chapter: Chapter) -> Markdown:
    """Each store with each number of threads: time, speed-up, CPU, and the seconds that the source
    printed for a million entries.
    """
    if not chapter.measured:
        return nothing(chapter)
    then = {(row.store, row.x): row.value for row in printed(chapter).itertuples()}
    rows = []
    for row in rows_of(chapter).sort_values(["name", "x"]).to_dict("records"):
        good = row["status"] == "ok"
        speed = {"low": row["speed_low"], "high": row["speed_high"]}
        rows.append(
            [
                row["name"],
                row["x"],
                significant(row["value"]) if good else f"{STATUS[row['status']]}: {row['reason']}",
                seconds(row) if good else MISSING,
                number(row["speed_up"]) or MISSING,
                interval(speed),
                number(row["cpu"]) or MISSING,
                f"{row['cores']:.2f}" if good else MISSING,
                (
                    f"{then[row['store'], row['x']]:g}"
                    if (row["store"], row["x"]) in then
                    else MISSING
                ),
            ]
        )
    return table(
        [
            "store",
            ">threads",
            ">s",
            ">95% interval, s",
            f">{TIMES}",
            ">95% interval, times",
            ">CPU, µs/entry",
            ">CPU cores busy",
            ">published, s",
        ],
        rows,
    )


def seconds(row: dict) -> str:
    """An interval of seconds, which may be far below one."""
    return (
        MISSING
        if pd.isna(row["low"])
        else f"{significant(row['low'])} to {significant(row['high'])}"
    )


def ways(chapter: Chapter) -> str:
    """How each store takes several writers, as its script says."""
    return "\n".join(
        f"- **{told['name']}**: {told['settings']['threads']}."
        for told in chapter.stores.values()
        if "threads" in told["settings"]
    )
