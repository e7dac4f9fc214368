"""Small multiples: a small panel for each store, with its own curves in its colour over those of
all others in grey, so that each can be followed where many cross. They look and answer as
kvreport.charts' do.
"""

import json
from dataclasses import dataclass

import altair as alt
import pandas as pd

from kvreport.base.text import number
from kvreport.charts.bars import LOG_FROM, TICK_LABEL, extent, round_ticks
from kvreport.charts.figures import (
    Figure,
    PanelChart,
    chart_of,
    composed,
    layered,
    placeholder,
    records,
)
from kvreport.charts.palette import GREY, HUES

COLUMNS = {"wide": 4, "narrow": 2}  # panels in a row
WIDTHS = {"wide": 124, "narrow": 112}  # px of a plot
LEAST, MOST, ROOM = 60, 110, 660  # px of a plot's height; of the figure's, without its title
EXTRA = 46  # px of the height: a panel's title, axis and distance to the next
OTHERS = HUES[GREY][0]
DASHES: tuple[list[float], ...] = ([4, 3], [1.5, 2.5])  # of curves that stand beside a store's own


@dataclass(frozen=True)
class Multiples:
    """Curves of the stores, in a panel for each.

    rows    store, name, colour, kind, x, value, low, high
    kinds   what a store's curves are, in words: the first, chart thick and of which the others' are
            shown in grey, and perhaps a second, chart thin and dashed, and a third, dotted
    x, y    title of the one axis with its unit, and the unit of the other
    ticks   x values, which are places in a row, with their names;  labels: those with a label
    last    the x value by which the panels are sorted and whose value each panel names
    """

    rows: pd.DataFrame
    kinds: tuple[str, ...]
    x: str
    y: str
    ticks: dict[float, str]
    labels: tuple[float, ...]
    last: float

    @property
    def shown(self) -> pd.Series:
        return self.rows["value"].dropna().astype(float)

    @property
    def log(self) -> bool:
        return 0 < self.shown.min() < self.shown.max() / LOG_FROM

    @property
    def domain(self) -> list[float]:
        least, most = extent(self.shown, self.rows[["low", "high"]])
        return [least / 1.3, most * 1.3] if self.log else [0, most * 1.06]

    def order(self) -> list[str]:
        """The stores that have a curve, the best at `last` first, then those without a value there;
        tables say why others have none.
        """
        first = self.rows[self.rows["kind"] == self.kinds[0]].dropna(subset="value")
        there = first[first["x"] == self.last].sort_values(["value", "name"])
        return list(dict.fromkeys([*there["store"], *first["store"]]))


def multiples(chart: Multiples) -> Figure:
    """A panel for each store, the best first, all with the same axes."""
    if not len(chart.shown):
        return placeholder()
    order = chart.order()
    rows = -(-len(order) // COLUMNS["wide"])
    height = max(LEAST, min(MOST, ROOM // rows - EXTRA))
    panels = {
        width: [
            _panel(chart, store, WIDTHS[width], height, at % COLUMNS[width] == 0)
            for at, store in enumerate(order)
        ]
        for width in COLUMNS
    }
    return composed(
        chart.rows.assign(panel=chart.rows["name"]),
        panels["wide"],
        COLUMNS["wide"],
        panels["narrow"],
        COLUMNS["narrow"],
    )


def _panel(chart: Multiples, store: str, width: int, height: int, first: bool) -> PanelChart:
    names = json.dumps({f"{tick:g}": name for tick, name in chart.ticks.items()})
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[min(chart.ticks) - 0.2, max(chart.ticks) + 0.2]),
        axis=alt.Axis(
            values=list(chart.labels),
            labelExpr=f"({names})[format(datum.value, '.12~g')]",
            grid=False,
            title=chart.x,
            titleFontSize=9,
            titleFontWeight="normal",
            labelFontSize=9,
            labelFlush=True,
        ),
    )
    scale = alt.Scale(type="log" if chart.log else "linear", domain=chart.domain, nice=False)
    y = alt.Y(
        "value:Q",
        scale=scale,
        axis=alt.Axis(
            values=round_ticks(chart.domain, chart.log),
            labelExpr=TICK_LABEL,
            labels=first,
            ticks=first,
            minExtent=30 if first else 0,
            maxExtent=30 if first else 0,
            title=None,
            gridOpacity=0.5,
        ),
    )
    rows = chart.rows.dropna(subset="value")
    main, *other = chart.kinds
    grey = chart_of(_records(rows[rows["kind"] == main]))
    layers = [
        grey.mark_line(strokeWidth=1, opacity=0.3, color=OTHERS).encode(x=x, y=y, detail="store:N")
    ]
    colour = alt.Color("colour:N", scale=None)
    own = rows[rows["store"] == store].assign(at=rows["x"].map(chart.ticks))
    for kind, dash in zip(other, DASHES):
        more = chart_of(_records(own[own["kind"] == kind])).encode(x=x, y=y, color=colour)
        layers.append(more.mark_line(strokeWidth=1.2, strokeDash=dash))
    base = chart_of(_records(own[own["kind"] == main])).encode(x=x, color=colour)
    layers += [
        base.transform_filter("isValid(datum.low)")
        .transform_calculate(
            start=f"max(datum.low, {chart.domain[0]})", end=f"min(datum.high, {chart.domain[1]})"
        )
        .mark_rule()
        .encode(y=alt.Y("start:Q", scale=scale), y2="end"),
        base.mark_line(strokeWidth=2.2).encode(y=y),
        base.mark_circle(size=26, opacity=1).encode(y=y, tooltip=_tooltip(chart)),
    ]
    return layered(
        layers,
        width=width,
        height=height,
        title=alt.TitleParams(
            _heading(chart, store), frame="group", anchor="start", offset=4, fontSize=11
        ),
    )


def _heading(chart: Multiples, store: str) -> str:
    """The store's name, and its value at the place by which panels are sorted."""
    own = chart.rows[chart.rows["store"] == store]
    there = own[(own["kind"] == chart.kinds[0]) & (own["x"] == chart.last)]["value"].dropna()
    name = own["name"].iloc[0]
    return f"{name} · {number(there.iloc[0]) if len(there) else '–'} {chart.y}"


def _tooltip(chart: Multiples) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("name:N", title="store"),
        alt.Tooltip("at:N", title=chart.x),
        alt.Tooltip("value:Q", title=f"{chart.kinds[0]}, {chart.y}", format=",.4~g"),
    ]


def _records(rows: pd.DataFrame) -> list[dict]:
    columns = ["store", "name", "colour", "x", "value", "low", "high"]
    kept = [*columns, *(["at"] if "at" in rows else [])]
    return records(rows[kept])
