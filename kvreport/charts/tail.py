"""Percentiles of single operations: a small panel for each store, with its own curves in its colour
over those of all others in grey, so that each can be followed where many cross.
"""

from collections.abc import Sequence
from functools import partial

import altair as alt
import pandas as pd

from kvreport.base.text import number
from kvreport.charts import panels
from kvreport.charts.lines import place_axis, value_channel
from kvreport.charts.palette import GREY, HUES
from kvreport.charts.panels import Panel, Panels, ValueAxis, unchecked
from kvreport.charts.rows import STORE, coloured, needed

COLUMNS, NARROW_COLUMNS = 4, 2  # panels in a row
WIDTH, NARROW = 124, 112  # px of a plot
LEAST, MOST, ROOM = 60, 110, 660  # px of a plot's height; of the figure's, without its title
EXTRA = 46  # px of the height: a panel's title, axis and distance to the next
OTHERS = HUES[GREY][0]
DASHES: tuple[list[float], ...] = ([4, 3], [1.5, 2.5])  # of curves that stand beside a store's own
UNIT, OVER = "µs", "of operations"
DRAWN = ["store", "name", "colour", "x", "value", "low", "high", "start", "end", "at"]
LABELLED = ("50%", "99%", "max")
SMALL = {"titleFontSize": 9, "titleFontWeight": "normal", "labelFontSize": 9, "labelFlush": True}


@unchecked
def tail(
    rows: pd.DataFrame,
    thick: str,
    others: Sequence[str] = (),
    at: float = 99.9,
) -> alt.Chart | Panels:
    """Draws the percentiles of single operations, a small panel for each store over all others in
    grey, the best first, with the value at `at` percent beside its name.

    rows    as tails.latencies gives them: store, name, family, engine, loop, percentile, ns, trial;
            rows of a trial give the range of the trials
    thick   the loop that is drawn thick, and by which the stores are sorted;  others: thin, dashed

    Raises ValueError for a column that is not there.
    """
    needed(rows, *STORE, "loop", "percentile", "ns", "trial")
    shown = coloured(rows).assign(value=rows["ns"] / 1e3)
    points = sorted(shown["percentile"].unique())
    names = ["max" if point == 100 else f"{point:g}%" for point in points]
    places = dict(zip(points, range(1, len(points) + 1)))
    shown = shown.assign(
        x=shown["percentile"].map(places), at=shown["percentile"].map(dict(zip(points, names)))
    )
    by = ["store", "loop", "x"]
    spread = shown.dropna(subset="trial").groupby(by)["value"].agg(low="min", high="max")
    whole = shown[shown["trial"].isna()].merge(spread.reset_index(), on=by, how="left")
    whole = whole.dropna(subset="value")
    if whole.empty:
        return panels.placeholder()
    [axis] = panels.value_axes([whole], ("value",), ("low", "high"))
    whole = whole.assign(
        start=whole["low"].clip(*axis.domain), end=whole["high"].clip(*axis.domain)
    )
    first = whole[whole["loop"] == thick]
    there = first[first["x"] == places.get(at, 1)].sort_values(["value", "name"])
    values = there.set_index("store")["value"].map(number)
    order = dict.fromkeys([*there["store"], *first["store"]])  # tables say why others have none
    ticks: dict[float, str] = dict(zip(places.values(), names))
    labels = [place for place, name in ticks.items() if name in LABELLED]
    height = max(LEAST, min(MOST, ROOM // -(-len(order) // COLUMNS) - EXTRA))
    draw = partial(
        _panel,
        loops=(thick, *others),
        grey=panels.chart_of(first[["store", "name", "x", "value"]]),
        axis=axis,
        x=place_axis(ticks, OVER, True, values=labels, **SMALL),
        height=height,
    )
    stores = [(whole[whole["store"] == store], values.get(store, "–")) for store in order]
    wide, narrow = (
        [
            draw(rows, value, width=width, labelled=n % columns == 0)
            for n, (rows, value) in enumerate(stores)
        ]
        for width, columns in ((WIDTH, COLUMNS), (NARROW, NARROW_COLUMNS))
    )
    return panels.laid_out(wide, COLUMNS, narrow, NARROW_COLUMNS)


def _panel(
    own: pd.DataFrame,
    value: str,
    loops: Sequence[str],
    grey: alt.Chart,
    axis: ValueAxis,
    x: alt.X,
    width: int,
    height: int,
    labelled: bool,
) -> Panel:
    """A store's panel, with its value in the title; labelled: whether its axis has labels."""
    extent = 30 if labelled else 0
    sides = {"labels": labelled, "ticks": labelled, "minExtent": extent, "maxExtent": extent}
    y = alt.Y("value:Q", scale=axis.scale, axis=axis.axis(title=None, gridOpacity=0.5, **sides))
    colour = alt.Color("colour:N", scale=None)
    main, *other = (
        panels.chart_of(own.loc[own["loop"] == loop, DRAWN]).encode(x=x, color=colour)
        for loop in loops
    )
    hover = panels.tooltip({"value": f"{loops[0]}, {UNIT}"}, alt.Tooltip("at:N", title=OVER))
    behind = grey.mark_line(strokeWidth=1, opacity=0.3, color=OTHERS)
    layers = [
        behind.encode(x=x, y=y, detail="store:N"),
        *(
            each.mark_line(strokeWidth=1.2, strokeDash=dash).encode(y=y)
            for each, dash in zip(other, DASHES)
        ),
        *panels.intervals(main, partial(value_channel, axis)),
        main.mark_line(strokeWidth=2.2).encode(y=y),
        main.mark_circle(size=26, opacity=1).encode(y=y, tooltip=hover),
    ]
    title = [own["name"].iloc[0], f"{value} {UNIT}"]
    return panels.panel_of(layers, title, width, height, frame="group", anchor="start", fontSize=11)
