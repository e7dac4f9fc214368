"""Test 2: the space that values take, around the sizes at which it steps (A05, B01)."""

from collections.abc import Sequence
from itertools import pairwise
from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import terms
from kvreport.base.text import number
from kvreport.charts.before_after import ENDS, Pairs, pairs
from kvreport.charts.chapter import Chapter
from kvreport.charts.figures import Figure, placeholder
from kvreport.charts.tables import MISSING, table
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.data.published import JULY
from kvreport.exhibits.charts import exhibit_of
from kvreport.exhibits.tables import STATUS, nothing

OVERHEADS = ["store", "name", "colour", "x", "value_bytes", "value", "low", "high", "mark"]
COMPARED = ["store", "name", "value", "overhead", "entries", "value_bytes", "then", "apart"]
IN_TWO = 150  # px of a plot of which two stand in a row
STEP = 10  # bytes: sizes no further apart are the two sides of a step
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
    """A05, B01: percent over the flat array on both sides of each step, a panel for each: sizes of
    values that are next to each other. Its title is the chapter's.
    """
    exhibit = exhibit_of(id)
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    rows = overheads(chapter, sizes, edition)
    most = float(pd.concat([rows["value"], rows["mark"]]).max())
    panels = [
        Pairs(
            f"{before:,} bytes (hollow), {after:,} bytes (full)",
            _step(rows, before, after),
            "% over the flat array",
            by="after",
            level=True,
            upto=most,
        )
        for before, after in pairwise(sizes)
        if after - before <= STEP
    ]
    return pairs(
        id,
        panels,
        subtitle=f"{chapter.provenance(exhibit)}, int keys in random order ·"
        f" {terms.survives(chapter.cases)} · ticks: the report of {published.NAMES[edition]}, thin"
        " before the step, thick after",
        width=IN_TWO,
        columns=2,
    )


def _step(rows: pd.DataFrame, before: int, after: int) -> pd.DataFrame:
    """Rows of `overheads` at two sizes in the columns of before_after.Pairs."""
    names = {"value": "", "low": "_low", "high": "_high"}
    sides = []
    for when, size in (("before", before), ("after", after)):
        own = rows[rows["value_bytes"] == size].set_index(["store", "name", "colour"])
        renamed = {column: f"{when}{end}" for column, end in names.items()}
        sides.append(own.rename(columns=renamed | {"mark": f"mark_{when}"}))
    kept = [[*ENDS[:3], "mark_before"], [*ENDS[3:], "mark_after"]]
    both = pd.concat([side[columns] for side, columns in zip(sides, kept)], axis=1).reset_index()
    points = both["after"] - both["before"]
    return both.assign(
        change=[f"{each:+z.1f} points" for each in points], note="failed: the table says why"
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
