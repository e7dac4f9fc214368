"""Test 2: the space that values take, around the sizes at which it steps (A05, B01)."""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.base.text import format_range, join_words, number
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.data.published import JULY
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import Figure, exhibit_of, placeholder
from kvreport.exhibits.curves import Curves, curves
from kvreport.exhibits.tables import MISSING, STATUS, nothing, table

NEAR = 2  # percent: what a size may differ from the one published


def figure(chapter: Chapter, id: str, sizes: list[int], edition: str = JULY) -> Figure:
    """A05, B01: percent over the flat array against the size of values, which are set side by
    side.
    """
    exhibit = exhibit_of(id)
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    then, rows = published.sizes(edition, chapter.test), []
    for place, size in enumerate(sizes, 1):
        case = Case("int", "random", size)
        for row in chapter.plot_rows(chapter.sizes(case)).to_dict("records"):
            was = then.get((row["store"], case))
            if not row["is_baseline"]:
                low, high = (100 * (row[end] / row["flat"] - 1) for end in ("low", "high"))
                rows.append(
                    {name: row[name] for name in ("store", "name", "colour")}
                    | {
                        "x": place,
                        "value": row["overhead"],
                        "low": low,
                        "high": high,
                        "mark": 100 * (was.value / case.flat - 1) if was else nan,
                    }
                )
    frame = pd.DataFrame(
        rows, columns=["store", "name", "colour", "x", "value", "low", "high", "mark"]
    )
    worst = frame.loc[frame["value"].idxmax()] if frame["value"].notna().any() else None
    title = (
        f"{worst['name']} takes up to {worst['value']:.0f}% more than a flat array, at"
        f" {sizes[int(worst['x']) - 1]:,} bytes"
        if worst is not None
        else "No size could be measured"
    )
    panel = Curves(
        "After close",
        frame,
        "bytes of a value",
        "% over the flat array",
        {i: f"{size:,}" for i, size in enumerate(sizes, 1)},
        even=True,
        level=True,
    )
    return curves(
        id,
        [panel],
        title,
        f"{chapter.provenance(exhibit)}, int keys in random order · tick: the report of"
        f" {published.NAMES[edition]}",
    )


def then_and_now(chapter: Chapter, sizes: list[int], edition: str = JULY) -> Markdown:
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


def compared(chapter: Chapter, sizes: list[int], edition: str = JULY) -> pd.DataFrame:
    """A row for each size and store: value (bytes an entry), overhead, then, apart (percent of
    then), entries.
    """
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
    return pd.DataFrame(
        rows,
        columns=["store", "name", "value", "overhead", "entries", "value_bytes", "then", "apart"],
    )


def nearness(chapter: Chapter, sizes: list[int], edition: str = JULY) -> str:
    """How many of the sizes are those of 2016, and which are not."""
    found = compared(chapter, sizes, edition).dropna(subset="apart")
    if not len(found):
        return "No size stands beside one of 2016."
    far = found[found["apart"].abs() > NEAR]
    told = "; ".join(
        f"{row.name_} at {row.value_bytes:,} bytes ({row.apart:+.1f}%)"
        for row in far.rename(columns={"name": "name_"}).itertuples()
    )
    return (
        f"Of {len(found)} sizes {len(found) - len(far)} are within {NEAR}% of those of"
        f" {published.NAMES[edition]}"
        + (
            f"; not {told}."
            if told
            else f"; the furthest is {found['apart'].abs().max():.2f}% away."
        )
    )


def later(chapter: Chapter, store: str, than: str, sizes: list[int]) -> str:
    """At which sizes a store takes noticeably more space than another of its engine, and that it
    does not at the rest.
    """
    found = {}
    for size in sizes:
        known = (
            chapter.sizes(Case("int", "random", size))
            .dropna(subset="value")
            .set_index("store")["value"]
        )
        if {store, than} <= set(known.index):
            found[size] = known[store] / known[than]
    if not found:
        return ""
    more = {size: factor for size, factor in found.items() if factor > 1 + NEAR / 100}
    if not more:
        return (
            f"{chapter.name(store)} takes the space of {chapter.name(than)} at all {len(found)}"
            " sizes."
        )
    told = (
        f"{chapter.name(store)} takes {format_range(min(more.values()), max(more.values()))}"
        f" times the"
        f" space of {chapter.name(than)} with values of {join_words(f'{size:,}' for size in more)}"
        " bytes"
    )
    return told + (
        "." if len(more) == len(found) else "; at the other sizes both take about the same."
    )
