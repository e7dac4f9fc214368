"""Figures of a change: a pair for each store, before it and after. They look and answer as
kvreport.charts' do.
"""

from dataclasses import dataclass, replace
from functools import partial

import altair as alt
import pandas as pd

from kvreport.charts.bars import LOG_FROM, TICK_LABEL, arrowheads, extent, round_ticks
from kvreport.charts.curves import frame_of
from kvreport.charts.figures import (
    Figure,
    PanelChart,
    chart_of,
    composed,
    layered,
    placeholder,
    records,
)

NARROW = 130  # px of a plot on a narrow page
ROW, NAMES = 20, 108  # px: of a pair; of the column of names
ENDS = [f"{when}{end}" for when in ("before", "after") for end in ("", "_low", "_high")]


@dataclass(frozen=True)
class Pairs:
    """One panel of pairs, one a store: what it takes before and after a change.

    rows  store, name, colour, before, before_low, before_high, after, after_low, after_high, change
          (a text), and what was published in 2016: mark_before, mark_after, or NaN; `note`, where
          there is one: why a pair has no value, in whose place it is drawn
    by    the column by which rows are sorted, the least first
    as_others  whether another panel of the figure has a logarithmic axis, which this then has, too
    """

    title: str
    rows: pd.DataFrame
    unit: str
    by: str = "before"
    as_others: bool = False

    @property
    def shown(self) -> pd.Series:
        columns = ("before", "after", "mark_before", "mark_after")
        return pd.concat([self.rows[name] for name in columns]).dropna().astype(float)

    @property
    def log(self) -> bool:
        least, most = self.shown.min(), self.shown.max()
        return least > 0 and (self.as_others or most / least > LOG_FROM)

    @property
    def domain(self) -> list[float]:
        least, most = extent(self.shown, self.rows[ENDS])
        if self.log:
            return [least / 1.2, most * 1.2]
        return [-0.04 * most, 1.08 * most]  # a circle at zero stays clear of its name


def pairs(
    panels: list[Pairs],
    width: int = 400,
    columns: int = 1,
) -> Figure:
    """Panels of pairs, so many in a row: a hollow circle before, a full one after, and what that
    comes to.
    """
    panels = [panel for panel in panels if len(panel.rows) and len(panel.shown)]
    if not panels:
        return placeholder()
    if any(panel.log for panel in panels):
        panels = [replace(panel, as_others=True) for panel in panels]
    return composed(
        frame_of(panels),
        [_pairs(panel, width) for panel in panels],
        columns,
        [_pairs(panel, NARROW) for panel in panels],
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
    title = " · ".join(filter(None, [panel.title, "log scale" if panel.log else ""]))
    return layered(
        layers,
        width=width,
        height=ROW * len(rows),
        title=alt.TitleParams(title, frame="bounds", offset=4, fontSize=12),
    )
