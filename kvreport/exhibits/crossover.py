"""Where large values turn the tables: time to write and write amplification against the size of
values.
"""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import costs, stats
from kvreport.base.text import join_words, number
from kvreport.exhibits.chapter import Chapter, comparable, provenance, tests
from kvreport.exhibits.charts import Figure, placeholder
from kvreport.exhibits.curves import Curves, curves
from kvreport.exhibits.tables import MISSING, interval, nothing, table


def figure(chapters: list[Chapter], id: str) -> Figure:
    """Time to write and write amplification against the size of values, int keys in random order,
    of the stores that keep an order.
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
            frame.assign(value=frame["amplification"], mark=nan, low=nan, high=nan),
            "size of a value, KB",
            "OS bytes written per user byte",
            ticks,
            level=True,
        ),
    ]
    whole = frame[frame.groupby("store")["x"].transform("nunique") == frame["x"].nunique()]
    by_store = {}
    for size, rows in whole.assign(status="ok", value=whole["us"]).groupby("x"):
        by_store.setdefault(
            join_words((row["name"] for row in stats.fastest(rows, rows["floor"].max())), "or"), []
        ).append(f"{size:,}")
    told = "; ".join(f"{name} at {join_words(sizes)} bytes" for name, sizes in by_store.items())
    title = (
        f"Of the stores with every size, the least time to write: {told}"
        if told
        else "No store has every size"
    )
    return curves(
        id,
        panels,
        title,
        f"{provenance(comparable(chapters), 'Crossover')} · 4-byte int keys, random order ·"
        f" medians;"
        " what trials cannot tell apart is in the rankings",
    ).drawn_from(
        *(
            {"section": chapter.section, "keys": "int", "order": "random", "settings": ""}
            for chapter in comparable(chapters)
        )
    )


def drawn(chapters: list[Chapter]) -> str:
    """Which sections the figure draws, and why not the others that were measured."""
    there = comparable(chapters)
    others = [chapter for chapter in chapters if chapter.measured and chapter not in there]
    sizes = sorted({case.value_bytes for chapter in others for case in chapter.cases})
    return f"Drawn {'are' if len(there) > 1 else 'is'} {tests(there)}." + (
        f" Values of {join_words(f'{size:,}' for size in sizes)} bytes are not: {tests(others)}"
        f" ran on"
        " another machine or at another profile, and more than the size would differ."
        if others
        else ""
    )


def rows_of(chapters: list[Chapter]) -> pd.DataFrame:
    """A row for each engine and size: x (bytes of a value), us (to write an entry), low, high,
    amplification.

    Of an engine's bindings, the one that has most sizes; only stores that can be scanned, in two
    sizes or more.
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
                            "values": row["values"],
                            "floor": chapter.floor,
                            "amplification": written.get(row["store"], nan),
                            "brand": (
                                chapter.stores[row["store"]]["engine"].split()[0] or row["name"]
                            ),
                        }
                    )
    frame = pd.DataFrame(
        rows,
        columns=[
            "store",
            "name",
            "colour",
            "x",
            "us",
            "low",
            "high",
            "values",
            "amplification",
            "floor",
            "brand",
        ],
    )
    counts = (
        frame.groupby(["brand", "store"])["x"].nunique().sort_values(ascending=False, kind="stable")
    )
    chosen = [
        store
        for (brand, store), sizes in counts.groupby(level="brand").head(1).items()
        if sizes > 1
    ]
    return frame[frame["store"].isin(chosen)]


def table_of(chapters: list[Chapter]) -> Markdown:
    """The numbers of the crossover."""
    if not any(chapter.measured for chapter in chapters):
        return nothing(chapters[0])
    rows = rows_of(chapters).sort_values(["x", "us"])
    return table(
        [
            ">value, bytes",
            "store",
            ">µs/entry",
            ">95% interval, µs/entry",
            ">OS bytes written per user byte",
        ],
        [
            [
                f"{row['x']:,}",
                row["name"],
                number(row["us"]),
                interval(row),
                number(row["amplification"]) or MISSING,
            ]
            for row in rows.to_dict("records")
        ],
    )
