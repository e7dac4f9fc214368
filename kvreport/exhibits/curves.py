"""Figures of what varies: curves over a size or a batch, and pairs of a setting off and on. They
look and answer as kvreport.charts' do.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log10

import altair as alt
import pandas as pd

from kvreport.exhibits.charts import (
    LOG_FROM,
    TICK_LABEL,
    Figure,
    PanelChart,
    arrowheads,
    chart_of,
    composed,
    extent,
    placeholder,
    records,
    round_ticks,
)

WIDTHS = {1: 500, 2: 214, 3: 112}  # px of a plot, by panels in a row
NARROW = {"curves": 216, "pairs": 130}  # px of a plot on a narrow page
HEIGHT, LABELS, LINE = 230, 92, 13  # px: of a plot; of the column of labels; of a label
ROW, NAMES = 20, 108  # px: of a pair; of the column of names
ENDS = [f"{when}{end}" for when in ("before", "after") for end in ("", "_low", "_high")]


@dataclass(frozen=True)
class Curves:
    """One panel of curves, one a store.

    rows   store, name, colour, x, value, low, high; `mark` where a source published a value, else
           NaN
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


def curves(
    id: str, panels: list[Curves], title: str = "", subtitle: str = "", columns: int = 2
) -> Figure:
    """Panels of curves, so many in a row (`columns`), or one alone."""
    panels = [panel for panel in panels if len(panel.rows.dropna(subset="value"))]
    if not panels:
        return placeholder(id, "Nothing was measured that could be drawn.")
    if any(panel.log for panel in panels):
        panels = [replace(panel, as_others=True) for panel in panels]
    columns = min(columns, len(panels))
    return composed(
        id,
        _frame(panels),
        [_curves(panel, WIDTHS[columns]) for panel in panels],
        columns,
        title,
        subtitle,
        [_curves(panel, NARROW["curves"]) for panel in panels],
    )


def _frame(panels: "Sequence[Curves] | Sequence[Pairs]") -> pd.DataFrame:
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
    title = f"{panel.title} · {panel.y}" + (" · log scale" if panel.log else "")
    return alt.layer(*layers).properties(
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


@dataclass(frozen=True)
class Pairs:
    """One panel of pairs, one a store: what it takes before and after a change.

    rows  store, name, colour, before, before_low, before_high, after, after_low, after_high, change
          (a text), and what was published in 2016: mark_before, mark_after, or NaN; `note`, where
          there is one: why a pair has no value, in whose place it is drawn
    by    the column by which rows are sorted, the least first
    level      the values' axis is linear, whatever their spread;  upto: how far it goes at least
    as_others  whether another panel of the figure has a logarithmic axis, which this then has, too
    """

    title: str
    rows: pd.DataFrame
    unit: str
    by: str = "before"
    level: bool = False
    upto: float = 0
    as_others: bool = False

    @property
    def shown(self) -> pd.Series:
        columns = ("before", "after", "mark_before", "mark_after")
        return pd.concat([self.rows[name] for name in columns]).dropna().astype(float)

    @property
    def log(self) -> bool:
        least, most = self.shown.min(), self.shown.max()
        return not self.level and least > 0 and (self.as_others or most / least > LOG_FROM)

    @property
    def domain(self) -> list[float]:
        least, most = extent(self.shown, self.rows[ENDS])
        if self.log:
            return [least / 1.2, most * 1.2]
        end = max(most, self.upto)
        return [-0.04 * end, 1.08 * end]  # a circle at zero stays clear of its name


def pairs(
    id: str,
    panels: list[Pairs],
    title: str = "",
    subtitle: str = "",
    width: int = 400,
    columns: int = 1,
) -> Figure:
    """Panels of pairs, so many in a row: a hollow circle before, a full one after, and what that
    comes to.
    """
    panels = [panel for panel in panels if len(panel.rows) and len(panel.shown)]
    if not panels:
        return placeholder(id, "Nothing was measured that could be drawn.")
    if any(panel.log for panel in panels):
        panels = [replace(panel, as_others=True) for panel in panels]
    return composed(
        id,
        _frame(panels),
        [_pairs(panel, width) for panel in panels],
        columns,
        title,
        subtitle,
        [_pairs(panel, NARROW["pairs"]) for panel in panels],
    )


def _pairs(panel: Pairs, width: int) -> PanelChart:
    rows, domain = panel.rows.sort_values(panel.by), panel.domain
    rows = rows.assign(**{f"{end}_in": rows[end].clip(*domain) for end in ENDS})
    scale = alt.Scale(type="log" if panel.log else "linear", domain=domain, nice=False)
    axis = alt.Axis(
        values=round_ticks(domain, panel.log),
        labelExpr=TICK_LABEL,
        title=panel.unit,
        grid=True,
        gridOpacity=0.5,
    )
    y = alt.Y(
        "name:N",
        scale=alt.Scale(domain=list(rows["name"]), padding=0.15),
        title=None,
        axis=alt.Axis(
            domain=False, ticks=False, labelLimit=NAMES - 6, minExtent=NAMES, maxExtent=NAMES
        ),
    )
    without = rows[["before", "after"]].isna().any(axis=1)
    base = chart_of(records(rows[~without])).encode(y=y)
    colour = alt.Color("colour:N", scale=None)
    tooltip = [
        alt.Tooltip("name:N", title="store"),
        *(
            alt.Tooltip(f"{field}:Q", title=f"{title}, {panel.unit}", format=",.4~g")
            for field, title in (
                ("before", "before"),
                ("before_low", "interval from"),
                ("before_high", "to"),
                ("after", "after"),
                ("after_low", "interval from"),
                ("after_high", "to"),
                ("mark_before", "2016, before"),
                ("mark_after", "2016, after"),
            )
        ),
    ]

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    def at(y: alt.Y, field: str) -> dict[str, alt.X | alt.Y]:
        return {"x": x(field), "y": y}

    layers = [
        base.mark_rule(strokeWidth=3, opacity=0.35).encode(x=x("before"), x2="after", color=colour)
    ]
    for when, place in (
        ("before", alt.Y("name:N", bandPosition=0.3)),
        ("after", alt.Y("name:N", bandPosition=0.7)),
    ):  # one above the other, as they may overlap
        low, high = f"{when}_low", f"{when}_high"
        layers.append(
            base.transform_filter(f"isValid(datum.{low})")
            .mark_rule()
            .encode(x=x(f"{low}_in"), x2=f"{high}_in", y=place)
        )
        layers += arrowheads(
            base,
            (low, f"{low}_in", "left"),
            (high, f"{high}_in", "right"),
            place=partial(at, place),
        )
    layers += [
        base.mark_point(size=46, filled=False, strokeWidth=2, opacity=1).encode(
            x=x("before"), color=colour, tooltip=tooltip
        ),
        base.mark_circle(size=52, opacity=1).encode(x=x("after"), color=colour, tooltip=tooltip),
    ]
    layers += [
        base.transform_filter(f"isValid(datum.{mark})")
        .mark_tick(thickness=thick, size=11)
        .encode(x=x(mark))
        for mark, thick in (("mark_before", 1), ("mark_after", 2.5))
        if rows[mark].notna().any()
    ]
    beside = base.mark_text(align="left", dx=8)
    layers.append(beside.encode(x=alt.value("width"), text="change:N"))
    if without.any():
        layers.append(
            chart_of(records(rows.loc[without, ["store", "name", "note"]]))
            .mark_text(align="left", fontStyle="italic", opacity=0.75)
            .encode(y=y, x=alt.value(2), text="note:N")
        )
    title = panel.title + (" · log scale" if panel.log else "")
    return alt.layer(*layers).properties(
        width=width,
        height=ROW * len(rows),
        title=alt.TitleParams(title, frame="bounds", offset=4, fontSize=12),
    )
