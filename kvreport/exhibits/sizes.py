"""Test 2: the space that values take, around the sizes at which it steps (A05, B01)."""

from collections.abc import Sequence
from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.base.text import number
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.data.published import JULY
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import Figure, exhibit_of, placeholder
from kvreport.exhibits.curves import Curves, curves
from kvreport.exhibits.tables import MISSING, STATUS, nothing, table

OVERHEADS = ["store", "name", "colour", "x", "value_bytes", "value", "low", "high", "mark"]
COMPARED = ["store", "name", "value", "overhead", "entries", "value_bytes", "then", "apart"]
AGAINST = ["value_bytes", "store", "other", "times"]


def overheads(chapter: Chapter, sizes: Sequence[int], edition: str = JULY) -> pd.DataFrame:
    """A row for each store and size of values, without the flat file; empty where nothing is
    measured.

    store, name, colour
    x, value_bytes    the size's place among the sizes, from 1, and the size
    value, low, high  percent over the flat array after close, with its interval
    mark              what the edition published, or NaN
    """
    if not chapter.measured:
        return pd.DataFrame(columns=OVERHEADS)
    then, rows = published.sizes(edition, chapter.test), []
    for place, size in enumerate(sizes, 1):
        case = Case("int", "random", size)
        for row in chapter.plot_rows(chapter.sizes(case)).to_dict("records"):
            was = then.get((row["store"], case))
            if not row["is_baseline"]:
                low, high = (100 * (row[end] / row["flat"] - 1) for end in ("low", "high"))
                mark = 100 * (was.value / case.flat - 1) if was else nan
                names = [row["store"], row["name"], row["colour"]]
                rows.append([*names, place, size, row["overhead"], low, high, mark])
    return pd.DataFrame(rows, columns=OVERHEADS)


def figure(chapter: Chapter, id: str, sizes: Sequence[int], edition: str = JULY) -> Figure:
    """A05, B01: percent over the flat array against the size of values, which are set side by
    side. Its title is the chapter's.
    """
    exhibit = exhibit_of(id)
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    panel = Curves(
        "After close",
        overheads(chapter, sizes, edition),
        "bytes of a value",
        "% over the flat array",
        {i: f"{size:,}" for i, size in enumerate(sizes, 1)},
        even=True,
        level=True,
    )
    return curves(
        id,
        [panel],
        subtitle=f"{chapter.provenance(exhibit)}, int keys in random order · tick: the report of"
        f" {published.NAMES[edition]}",
    )


def then_and_now(chapter: Chapter, sizes: Sequence[int], edition: str = JULY) -> Markdown:
    """Bytes an entry for each store and size, ours and the published ones, and how far apart they
    are.
    """
    if not chapter.measured:
        return nothing(chapter)
    rows = []
    for row in compared(chapter, sizes, edition).to_dict("records"):
        rows.append(
            [
                f"{row['value_bytes']:,}",
                row["name"],
                number(row["value"]) or STATUS["failed"],
                f"{row['overhead']:.2f}" if row["value"] == row["value"] else MISSING,
                number(row["then"]) or MISSING,
                f"{row['apart']:+.2f}" if row["apart"] == row["apart"] else MISSING,
                f"{row['entries']:,}",
            ]
        )
    return table(
        [
            ">value, bytes",
            "store",
            ">B/entry",
            ">over the flat array, %",
            ">2016, B/entry",
            ">apart, %",
            ">entries",
        ],
        rows,
    )


def compared(chapter: Chapter, sizes: Sequence[int], edition: str = JULY) -> pd.DataFrame:
    """A row for each size and store; empty where nothing is measured.

    store, name, entries, value_bytes
    value, overhead  bytes an entry after close, NaN where it failed; percent over the flat array
    then, apart      bytes an entry as the edition published it, and percent that value is above it;
                     NaN without
    """
    if not chapter.measured:
        return pd.DataFrame(columns=COMPARED)
    then, rows = published.sizes(edition, chapter.test), []
    for size in sizes:
        case = Case("int", "random", size)
        for row in chapter.plot_rows(chapter.sizes(case)).sort_values("value").to_dict("records"):
            was = then.get((row["store"], case))
            rows.append(
                {name: row[name] for name in ("store", "name", "value", "overhead", "entries")}
                | {
                    "value_bytes": size,
                    "then": was.value if was else nan,
                    "apart": 100 * (row["value"] / was.value - 1) if was else nan,
                }
            )
    return pd.DataFrame(rows, columns=COMPARED)


def against(chapter: Chapter, store: str, other: str, sizes: Sequence[int]) -> pd.DataFrame:
    """A row for each size of which both of two stores were measured: value_bytes; store and other,
    their names; times, the bytes on disk of the store over the other's.
    """
    rows = []
    for size in sizes if chapter.measured else ():
        space = chapter.sizes(Case("int", "random", size))["value"].dropna()
        if store in space.index and other in space.index:
            times = space[store] / space[other]
            rows.append([size, chapter.name(store), chapter.name(other), times])
    return pd.DataFrame(rows, columns=AGAINST)
