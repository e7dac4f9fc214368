"""How the size of values decides who writes fastest: time to write and write amplification
against it.
"""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import contrasts, costs, terms
from kvreport.base.text import number
from kvreport.charts.chapter import Chapter, comparable, provenance
from kvreport.charts.curves import ENDING, Curves, curves
from kvreport.charts.figures import Figure, placeholder
from kvreport.charts.tables import MISSING, table
from kvreport.data.cases import Case
from kvreport.exhibits.tables import interval, nothing

ROWS = [
    *("store", "name", "colour", "x", "us", "low", "high", "amplification", "section"),
    *("engine", "until", "entries"),
]
FASTEST = ["value_bytes", "names"]


def figure(chapters: list[Chapter], id: str) -> Figure:
    """Time to write and write amplification against the size of values, int keys in random order,
    of the stores that keep an order. Its title is the chapter's.
    """
    if not any(chapter.measured for chapter in chapters):
        return placeholder(id, chapters[0].missing())
    frame = rows_of(chapters)
    ticks = {size: f"{size / 1000:.2g}" for size in sorted(frame["x"].unique())}
    panels = [
        Curves(
            "write",
            frame.assign(value=frame["us"], mark=nan),
            "size of a value, KB",
            "µs/entry",
            ticks,
        ),
        Curves(
            "write amplification",
            frame.assign(value=frame["amplification"], mark=nan, low=nan, high=nan, until=nan),
            "size of a value, KB",
            "OS bytes written per user byte",
            ticks,
            level=True,
        ),
    ]
    return curves(
        id,
        panels,
        subtitle=f"{provenance(comparable(chapters), 'Crossover')} · 4-byte int keys, random order"
        f" · {terms.survives([Case('int', 'random')])} · medians; the rankings show which"
        f" differences are measurable{ENDING if panels[0].ends else ''}",
    ).drawn_from(
        *(
            {"section": chapter.section, "keys": "int", "order": "random", "settings": ""}
            for chapter in comparable(chapters)
        )
    )


def fastest(chapters: list[Chapter]) -> pd.DataFrame:
    """Of the stores that were measured at every size, those that none is measurably faster than to
    write an entry: a row for each size, value_bytes, and their names, the best median first.
    """
    rows, by_id = rows_of(chapters), {chapter.section: chapter for chapter in chapters}
    whole = rows[rows.groupby("store")["x"].transform("nunique") == rows["x"].nunique()]
    found = []
    for size, loads in whole.groupby("x"):
        chapter = by_id[loads["section"].iloc[0]]
        results = chapter.case(Case("int", "random", loads["x"].iloc[0]))
        written = results[(results["workload"] == "write") & results["store"].isin(loads["store"])]
        names = [chapter.name(row["store"]) for row in contrasts.fastest(chapter, written)]
        found.append([size, names])
    return pd.DataFrame(found, columns=FASTEST)


def entries(chapters: list[Chapter]) -> dict[int, int]:
    """How many entries there were of each size of values: runs cap the bytes of a case."""
    most = rows_of(chapters).groupby("x")["entries"].max()
    return {int(size): int(many) for size, many in zip(most.index, most)}


def left_out(chapters: list[Chapter]) -> list[Chapter]:
    """Those measured on another machine or at another profile than the figure shows."""
    shown = comparable(chapters)
    return [chapter for chapter in chapters if chapter.measured and chapter not in shown]


def rows_of(chapters: list[Chapter]) -> pd.DataFrame:
    """A row for each engine and size; empty where nothing is measured.

    store, name, colour, engine  of an engine's bindings, the one that has most sizes; only stores
                                 that can be scanned, in two sizes or more
    x              bytes of a value
    us, low, high  µs to write an entry, with its interval;  until: without the load's last commit
                   and close, NaN where these were not timed
    section        in which that was measured;  entries: how many
    amplification  OS bytes written per user byte
    """
    rows = []
    for chapter in comparable(chapters):
        ordered = set(
            chapter.results.loc[
                (chapter.results["workload"] == "readSeq") & (chapter.results["status"] == "ok"),
                "store",
            ]
        )
        for case in chapter.cases:
            if (case.keys, case.order, case.settings) != ("int", "random", ""):
                continue
            written = costs.medians(costs.of_loads(chapter, case))[costs.WRITTEN]
            for row in chapter.plot_rows(chapter.case(case)).to_dict("records"):
                if (
                    row["workload"] == "write"
                    and row["status"] == "ok"
                    and row["store"] in ordered
                    and not row["is_baseline"]
                ):
                    rows.append(
                        {name: row[name] for name in ("store", "name", "colour")}
                        | {
                            "x": case.value_bytes,
                            "us": row["value"] / 1e3,
                            "low": row["low"] / 1e3,
                            "high": row["high"] / 1e3,
                            "section": chapter.section,
                            "amplification": written.get(row["store"], nan),
                            "engine": _engine(chapter.stores[row["store"]]),
                            "until": row["value"] * (1 - row["ending"]) / 1e3,
                            "entries": row["entries"],
                        }
                    )
    frame = pd.DataFrame(rows, columns=ROWS)
    sizes = frame.groupby(["engine", "store"])["x"].nunique().reset_index()
    most = sizes.sort_values("x", ascending=False, kind="stable").groupby("engine").head(1)
    return frame[frame["store"].isin(most.loc[most["x"] > 1, "store"])]


def _engine(store: dict) -> str:
    """What bindings of one engine share, of a store's record: "LMDB" of "LMDB 0.9.33"."""
    return (store["engine"] or store["name"]).split()[0]


def table_of(chapters: list[Chapter]) -> Markdown:
    """The numbers of the crossover."""
    if not any(chapter.measured for chapter in chapters):
        return nothing(chapters[0])
    rows = rows_of(chapters).sort_values(["x", "us"])
    return table(
        [
            ">value, bytes",
            ">entries, number",
            "store",
            ">µs/entry",
            ">95% interval, µs/entry",
            ">OS bytes written per user byte",
        ],
        [
            [
                f"{row['x']:,}",
                f"{row['entries']:,}",
                row["name"],
                number(row["us"]),
                interval(row),
                number(row["amplification"]) or MISSING,
            ]
            for row in rows.to_dict("records")
        ],
    )
