"""Multithreaded writes (D01): the same entries, split among one to twelve threads."""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import contrasts, costs, stats, terms
from kvreport.base.text import count, number, significant
from kvreport.charts.chapter import Chapter
from kvreport.charts.figures import Figure, placeholder
from kvreport.charts.multiples import Multiples, multiples
from kvreport.charts.tables import MISSING, table
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.data.published import COMPARISON, THREADED
from kvreport.exhibits.charts import exhibit_of
from kvreport.exhibits.tables import STATUS, interval, nothing, rounded

TIMES = "times as fast as with one"
HERE, THERE, PUTS = "here", "as published", "without last commit and close"
COLUMNS = [
    "store",
    "name",
    "colour",
    "is_store",
    "x",
    "status",
    "reason",
    "value",
    "low",
    "high",
    "speed_up",
    "speed_low",
    "speed_high",
    "puts_speed_up",
    "ending",
    "difference",
    "cpu",
    "cores",
    "entries",
]


def figure(chapter: Chapter, id: str) -> Figure:
    """D01: how many times as fast a load is with several threads as with one, here and as the
    source's figures give it: a panel for each store. The title is the chapter's.
    """
    exhibit = exhibit_of(id)
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    rows, then = rows_of(chapter), printed(chapter)
    here = rows[["store", "name", "colour", "x"]].assign(
        value=rows["speed_up"], low=rows["speed_low"], high=rows["speed_high"], kind=HERE
    )
    then = then[then["store"].isin(here["store"])]  # what has no place here is in the table
    there = then[["store", "colour", "x"]].assign(
        name=then["store"].map(dict(zip(here["store"], here["name"]))),
        value=then["speed_up"],
        low=nan,
        high=nan,
        kind=THERE,
    )
    puts = here.assign(value=rows["puts_speed_up"], low=nan, high=nan, kind=PUTS)
    puts = puts.dropna(subset="value")
    drawn = [here, *(each for each in (there, puts) if len(each))]
    both = pd.concat(drawn, ignore_index=True)
    counts, available = sorted(set(both["x"])), processors(chapter)
    place = {threads: at for at, threads in enumerate(counts, 1)}
    chart = Multiples(
        both.assign(x=both["x"].map(place)),
        (HERE, THERE, PUTS),
        "threads",
        "times",
        {at: str(threads) for threads, at in place.items()},
        tuple(place.values()),
        len(counts),
        most_first=True,
        at=place.get(available),
    )
    return multiples(
        id,
        chart,
        subtitle=f"{chapter.provenance(exhibit)} · string keys in random order,"
        f" {THREADED.value_bytes}-byte values · dotted line: {count(available, 'processor')} here"
        f" · {terms.survives(cases(chapter))}"
        f" · thick: here, with {stats.interval_name(chapter.trial_count)}; dashed: as published;"
        f" {f'dots: {PUTS}; ' if len(puts) else ''}grey: the other stores here · beside a name:"
        f" {TIMES}, at the most threads",
    )


def rows_of(chapter: Chapter) -> pd.DataFrame:
    """A row for each store and number of threads, x: value, low and high in s; is_store, which the
    control is not; speed_up against one thread, with its interval, and puts_speed_up, that of the
    loads without their last commit and close; ending, the share of a load that these take, NaN
    where they were not timed; difference, a Difference of the time from that of one thread, None
    without one; cpu, µs of all threads an entry; cores, how many were busy.
    """
    rows = []
    for case in cases(chapter) if chapter.measured else []:
        spent = costs.medians(costs.of_workloads(chapter, case))
        single = chapter.case(case._replace(settings="threads=1"))
        alone = {row["store"]: row for row in single.to_dict("records") if row["values"]}
        for row in chapter.plot_rows(chapter.case(case)).to_dict("records"):
            store, one = row["store"], alone.get(row["store"])
            between, difference, puts = stats.NOTHING, None, nan
            if one and row["values"]:
                between, difference = contrasts.compare(chapter, row, one)
                left = 1 - row["ending"]  # of the load, for its puts
                puts = (1 - one["ending"]) / left / between.value if left > 0 else nan
            rows.append(
                {name: row[name] for name in COLUMNS if name in row}
                | {name: row[name] * row["entries"] / 1e9 for name in ("value", "low", "high")}
                | {
                    "is_store": chapter.is_store(store),
                    "x": threads(case),
                    "speed_up": 1 / between.value,
                    "speed_low": 1 / between.high,
                    "speed_high": 1 / between.low,
                    "puts_speed_up": puts,
                    "ending": row["ending"],
                    "difference": difference,
                    "cpu": spent[costs.CPU].get(store, nan) / 1e3,
                    "cores": spent[costs.CORES].get(store, nan),
                }
            )
    types = {"is_store": bool} | dict.fromkeys(("value", "speed_up", "puts_speed_up"), float)
    return pd.DataFrame(rows, columns=COLUMNS).astype(types)


def printed(chapter: Chapter) -> pd.DataFrame:
    """What the source printed, in the same columns, as far as it goes; its names, and our
    colours.
    """
    then = published.times(COMPARISON, chapter.test)
    colours = {id: store["colour"] for id, store in chapter.stores.items()}
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
    """The cases that vary the number of threads, from the fewest."""
    return sorted(
        (case for case in chapter.cases if case.settings.startswith("threads=")), key=threads
    )


def threads(case: Case) -> int:
    """How many threads write in a case."""
    return int(case.settings.removeprefix("threads="))


def processors(chapter: Chapter) -> int:
    """Hardware threads that the measurement could use."""
    assert chapter.run is not None, "asked of a chapter without a run"
    return chapter.run.environment["cpu"]["usable_threads"]


def loads(chapter: Chapter) -> Markdown:
    """Each store with each number of threads: time, speed-up, CPU, and the seconds that the source
    printed for a million entries.
    """
    if not chapter.measured:
        return nothing(chapter)
    then = {(row["store"], row["x"]): row["value"] for row in printed(chapter).to_dict("records")}
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
                rounded(100 * row["ending"], 0),
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
            ">of it last commit and close, %",
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


def ways(chapter: Chapter) -> pd.DataFrame:
    """How each store takes several writers, as its script says: store, name, way."""
    rows = [
        [id, store["name"], store["settings"]["threads"]]
        for id, store in chapter.stores.items()
        if "threads" in store["settings"]
    ]
    return pd.DataFrame(rows, columns=["store", "name", "way"])
