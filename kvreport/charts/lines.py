"""Values over a size, a rate, a batch or time: a curve for each store."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from kvreport.base.text import number
from kvreport.charts import panels
from kvreport.charts.panels import Panel, Panels, ValueAxis, unchecked
from kvreport.charts.rows import STORE, coloured, ending_in, needed, panels_of, valued

ALONE, BESIDE, NARROW = 500, 214, 216  # px of a plot: alone, of two in a row, on a narrow page
HEIGHT, LINE = 230, 13  # px: of a plot; of a curve's name
ENDING_WIDTH = 4  # px: of the part of a load after its last put


@unchecked
def lines(
    rows: pd.DataFrame,
    x: str,
    y: str = "median",
    panel: str | None = None,
    x_title: str = "",
    unit: str = "ns an entry",
    low: str | None = "low",
    high: str | None = "high",
    then: str | None = None,
    x_label: Callable[[float], str] = number,
    even: bool = False,
    ending: str | None = None,
) -> alt.Chart | Panels:
    """Draws a curve for each store over `x` on a logarithmic axis, with its name at the end.

    rows   one row a store, x and panel: store, name, family, engine and the columns named here
    then   a column of what a source published, drawn as a tick
    ending a column with the share of a value that is drawn apart, as `dots` has it
    x_label  names an x value;  even: these are places in a row, and the axis is not logarithmic

    Raises ValueError for a column that is not there.
    """
    needed(rows, *STORE, x, y, panel, then, ending)
    shown = valued(coloured(rows), y, low, high, then, ending)
    shown = shown.assign(x=shown[x].astype(float))
    ticks = {at: x_label(at) for at in sorted(shown["x"].dropna().unique())}
    shown = shown.assign(at=shown["x"].map(ticks))
    groups = [
        (title, group) for title, group in panels_of(shown, panel) if group["value"].notna().any()
    ]
    if not groups:
        return panels.placeholder()
    axes = panels.value_axes([each for _, each in groups], ("value", "mark"), ("low", "high"))
    across = place_axis(ticks, x_title or x, even, labelOverlap=True)
    columns = min(2, len(groups))
    drawn = [
        _panel(*each, axis, across, unit, ALONE if columns == 1 else BESIDE)
        for each, axis in zip(groups, axes)
    ]
    return panels.laid_out(drawn, columns, panels.of_width(drawn, NARROW))


def place_axis(ticks: dict[float, str], title: str, even: bool, **more: Any) -> alt.X:
    """The axis of what values are over, with the names of its ticks; even: they are places in a
    row, and it is not logarithmic.
    """
    names = json.dumps({f"{tick:g}": name for tick, name in ticks.items()})
    first, last = min(ticks), max(ticks)
    scale = (
        alt.Scale(domain=[first - 0.2, last + 0.2])
        if even
        else alt.Scale(type="log", domain=[first / 1.06, last * 1.06], nice=False)
    )
    named = f"({names})[format(datum.value, '.12~g')]"
    options: dict[str, Any] = {
        "values": list(ticks),
        "labelExpr": named,
        "grid": False,
        "title": title,
    } | more
    return alt.X("x:Q", scale=scale, axis=alt.Axis(**options))


def value_channel(axis: ValueAxis, field: str) -> alt.Y:
    """The values up, of which the axis is drawn elsewhere."""
    return alt.Y(f"{field}:Q", scale=axis.scale)


def _panel(
    title: str, rows: pd.DataFrame, axis: ValueAxis, x: alt.X, unit: str, width: int
) -> Panel:
    """A panel, of rows with the names `at` of their x values."""
    ends = ending_in(rows)
    parts = {"shown_until": "until"} if ends else {}
    shown = panels.on_axis(rows, axis, start="low", end="high", **parts)
    base = panels.chart_of(shown.dropna(subset="value"))
    colour = alt.Color("colour:N", scale=None)
    base = base.encode(x=x, color=colour)
    place = partial(value_channel, axis)
    y = alt.Y("value:Q", scale=axis.scale, axis=axis.axis(title=None, gridOpacity=0.5))
    told = {"value": unit, "low": "interval from", "high": "to", "mark": "published"}
    told |= {"until": "without last commit and close"} if ends else {}
    hover = panels.tooltip(told, alt.Tooltip("at:N", title=x["axis"]["title"]))
    layers = [
        base.mark_line(strokeWidth=1.6).encode(y=y, detail="store:N"),
        *panels.intervals(base, place),
    ]
    if ends:
        ending = base.transform_filter("isValid(datum.until)")
        ending = ending.mark_rule(strokeWidth=ENDING_WIDTH, opacity=0.4)
        layers.append(ending.encode(y=place("shown_until"), y2="value"))
    layers.append(base.mark_circle(size=42, opacity=1).encode(y=y, tooltip=hover))
    if rows["mark"].notna().any():
        mark = base.transform_filter("isValid(datum.mark)")
        mark = mark.mark_tick(orient="horizontal", width=16, thickness=2)
        layers.append(mark.encode(y=place("mark"), tooltip=hover))
    names = panels.chart_of(_names(rows, axis)).mark_text(align="left", dx=6)
    layers.append(names.encode(x=alt.value("width"), y=place("at"), text="name:N", color=colour))
    return panels.panel_of(layers, [title, unit, "log scale" * axis.log], width, HEIGHT)


def _names(rows: pd.DataFrame, axis: ValueAxis) -> pd.DataFrame:
    """Each curve's name at its end, moved apart where they would overlap."""
    last = rows.dropna(subset="value").sort_values("x").groupby("store").last()
    last = last.sort_values("value")
    low, high = np.log10(axis.domain) if axis.log else axis.domain
    value = np.log10(last["value"]) if axis.log else last["value"]
    places, gap = [*(value - low) / (high - low)], LINE / HEIGHT
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + gap)
    if places and places[-1] > 1:
        places[-1] = 1
        for i in range(len(places) - 2, -1, -1):
            places[i] = min(places[i], places[i + 1] - gap)
    at = low + np.array(places) * (high - low)
    return last[["name", "colour"]].assign(at=10**at if axis.log else at)
