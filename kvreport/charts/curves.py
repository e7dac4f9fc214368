"""Figures of what varies: curves over a size or a batch. They look and answer as kvreport.charts'
do.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log10
from typing import Any

import altair as alt
import pandas as pd

from kvreport.charts.bars import LOG_FROM, TICK_LABEL, arrowheads, extent, round_ticks
from kvreport.charts.figures import (
    Figure,
    PanelChart,
    chart_of,
    composed,
    layered,
    placeholder,
    records,
)

WIDTHS = {1: 500, 2: 214, 3: 112}  # px of a plot, by panels in a row
NARROW = 216  # px of a plot on a narrow page
HEIGHT, LABELS, LINE = 230, 92, 13  # px: of a plot; of the column of labels; of a label
ENDING_WIDTH = 4  # px: of the part of a load after its last put
ENDING = " · thick, pale part below a point: last commit and close"


@dataclass(frozen=True)
class Curves:
    """One panel of curves, one a store.

    rows   store, name, colour, x, value, low, high; `mark` where a source published a value, else
           NaN; `until`, where there is one: a load's value without its last commit and close
    x, y   titles of the axes with their units
    ticks  x values to be named, with their names
    even   x values are places in a row, not sizes on a logarithmic axis
    level  the values' axis is linear, whatever their spread;  start: where a linear axis begins
    at     an x value to be marked by a line, with the line's name
    of     what a curve is, where it is no store
    height of the plot, px
    named  the stores that have their name at the end of their curve; None for all
    as_others  whether another panel of the figure has a logarithmic axis, which this then has, too
    """

    title: str
    rows: pd.DataFrame
    x: str
    y: str
    ticks: dict[float, str]
    even: bool = False
    level: bool = False
    start: float = 0
    at: tuple[float, str] | None = None
    of: str = "store"
    height: int = HEIGHT
    named: frozenset[str] | None = None
    as_others: bool = False

    @property
    def ends(self) -> bool:
        """Return whether a point has a part that is drawn apart."""
        return "until" in self.rows and bool(self.rows["until"].notna().any())

    @property
    def shown(self) -> pd.Series:
        return pd.concat([self.rows["value"], self.rows["mark"]]).dropna().astype(float)

    @property
    def log(self) -> bool:
        spread = self.as_others or self.shown.max() / self.shown.min() > LOG_FROM
        return not self.level and spread

    @property
    def domain(self) -> list[float]:
        least, most = extent(self.shown, self.rows[["low", "high"]])
        return (
            [least / 1.3, most * 1.3]
            if self.log
            else [self.start, self.start + (most - self.start) * 1.06]
        )

    def labels(self) -> list[dict]:
        """Each curve's name at its end, moved apart where they would overlap."""
        rows = self.rows if self.named is None else self.rows[self.rows["store"].isin(self.named)]
        last = (
            rows.dropna(subset="value")
            .sort_values("x")
            .groupby("store")
            .last()
            .sort_values("value")
        )
        low, high = self.domain
        place = (
            (lambda v: log10(v / low) / log10(high / low))
            if self.log
            else (lambda v: (v - low) / (high - low))
        )
        value = (
            (lambda p: low * (high / low) ** p) if self.log else (lambda p: low + p * (high - low))
        )
        gap, places = LINE / self.height, [place(v) for v in last["value"]]
        for i in range(1, len(places)):
            places[i] = max(places[i], places[i - 1] + gap)
        if places and places[-1] > 1:
            places[-1] = 1
            for i in range(len(places) - 2, -1, -1):
                places[i] = min(places[i], places[i + 1] - gap)
        return [
            {"name": row["name"], "colour": row["colour"], "at": value(p)}
            for p, row in zip(places, last.to_dict("records"))
        ]


def curves(panels: list[Curves], columns: int = 2) -> Figure:
    """Panels of curves, so many in a row (`columns`), or one alone."""
    panels = [panel for panel in panels if len(panel.rows.dropna(subset="value"))]
    if not panels:
        return placeholder()
    if any(panel.log for panel in panels):
        panels = [replace(panel, as_others=True) for panel in panels]
    columns = min(columns, len(panels))
    return composed(
        frame_of(panels),
        [_curves(panel, WIDTHS[columns]) for panel in panels],
        columns,
        [_curves(panel, NARROW) for panel in panels],
    )


def frame_of(panels: Sequence[Any]) -> pd.DataFrame:
    """The rows of all panels, each with the title of its own."""
    return pd.concat([panel.rows.assign(panel=panel.title) for panel in panels], ignore_index=True)


def _curves(panel: Curves, width: int) -> PanelChart:
    ends = [min(panel.ticks), max(panel.ticks)]
    tick_names = json.dumps({f"{tick:g}": name for tick, name in panel.ticks.items()})
    x_axis = alt.Axis(
        values=list(panel.ticks),
        labelExpr=f"({tick_names})[format(datum.value, '.12~g')]",
        grid=False,
        title=panel.x,
        labelOverlap=True,
    )
    x = alt.X(
        "x:Q",
        scale=(
            alt.Scale(domain=[ends[0] - 0.2, ends[1] + 0.2])
            if panel.even
            else alt.Scale(type="log", domain=[ends[0] / 1.06, ends[1] * 1.06], nice=False)
        ),
        axis=x_axis,
    )
    scale = alt.Scale(type="log" if panel.log else "linear", domain=panel.domain, nice=False)
    y_axis = alt.Axis(
        **({"tickCount": 5} if panel.start else {"values": round_ticks(panel.domain, panel.log)}),
        labelExpr=TICK_LABEL,
        title=None,
        gridOpacity=0.5,
    )
    y = alt.Y("value:Q", scale=scale, axis=y_axis)
    colour = alt.Color("colour:N", scale=None)
    rows = records(
        panel.rows.dropna(subset="value").assign(
            at=panel.rows["x"].map(panel.ticks),
            start=panel.rows["low"].clip(*panel.domain),
            end=panel.rows["high"].clip(*panel.domain),
            **({"shown_until": panel.rows["until"].clip(*panel.domain)} if panel.ends else {}),
        )
    )
    base = chart_of(rows).encode(x=x, color=colour)
    tooltip = [
        alt.Tooltip("name:N", title=panel.of),
        alt.Tooltip("at:N", title=panel.x or "at"),
        *(
            alt.Tooltip(f"{field}:Q", title=title, format=",.4~g")
            for field, title in (
                ("value", panel.y),
                ("low", "interval from"),
                ("high", "to"),
                ("mark", "published"),
                *([("until", "without last commit and close")] if panel.ends else []),
            )
        ),
    ]
    layers = [
        *_line(panel, x),
        base.mark_line(strokeWidth=1.6).encode(y=y, detail="store:N"),
        base.transform_filter("isValid(datum.low)")
        .mark_rule()
        .encode(y=alt.Y("start:Q", scale=scale), y2="end"),
        *arrowheads(
            base,
            ("low", "start", "down"),
            ("high", "end", "up"),
            place=lambda field: {"y": alt.Y(f"{field}:Q", scale=scale)},
        ),
        base.mark_circle(size=42, opacity=1).encode(y=y, tooltip=tooltip),
    ]
    if panel.ends:
        layers.insert(
            len(layers) - 1,
            base.transform_filter("isValid(datum.until)")
            .mark_rule(strokeWidth=ENDING_WIDTH, opacity=0.4)
            .encode(y=alt.Y("shown_until:Q", scale=scale), y2="value"),
        )
    if panel.rows["mark"].notna().any():
        layers.append(
            base.transform_filter("isValid(datum.mark)")
            .mark_tick(orient="horizontal", width=16, thickness=2)
            .encode(y=alt.Y("mark:Q", scale=scale), tooltip=tooltip)
        )
    layers.append(
        chart_of(panel.labels())
        .mark_text(align="left", dx=6)
        .encode(x=alt.value("width"), y=alt.Y("at:Q", scale=scale), text="name:N", color=colour)
    )
    parts = [panel.title, panel.y, "log scale" if panel.log else ""]
    title = " · ".join(filter(None, parts))
    return layered(
        layers,
        width=width,
        height=panel.height,
        title=alt.TitleParams(title, frame="bounds", offset=4, fontSize=12),
    )


def _line(panel: Curves, x: alt.X) -> list[alt.Chart]:
    """The line that marks an x value, and its name beside its foot."""
    if not panel.at:
        return []
    base = chart_of([{"x": panel.at[0], "name": panel.at[1]}]).encode(x=x)
    return [
        base.mark_rule(strokeDash=[3, 3]).encode(y=alt.value(0), y2=alt.value("height")),
        base.mark_text(align="left", dx=4, dy=-7, fontStyle="italic").encode(
            y=alt.value("height"), text="name:N"
        ),
    ]
