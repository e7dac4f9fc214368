"""Grids of cells: a row for each store, its columns, and in each cell a colour and a few words."""

from dataclasses import dataclass

import altair as alt
import pandas as pd

from kvreport.charts.figures import PanelChart, records


@dataclass(frozen=True)
class Look:
    """Sizes of a grid, in px.

    names        room for the rows' names; 0: they stand in a grid beside this one
    size, heads  letters of the cells, and of the columns' heads;  angle: of these, in degrees
    """

    column: int
    row: int
    names: int
    size: int
    heads: int
    angle: int = 0


def grid(
    rows: pd.DataFrame,
    columns: tuple[str, list[str]],
    names: tuple[str, list[str]],
    framed: tuple[str, str],
    tooltip: list[alt.Tooltip],
    look: Look,
) -> PanelChart:
    """Draws it: the cell of a row of `rows` has its fill, its label, and that in its ink.

    columns, names  the field of each, and its values in their order
    framed          the field of those with a frame, and the frame's colour
    """
    (across, heads), (down, stores), (marked, stroke) = columns, names, framed
    named = alt.Axis(
        domain=False,
        ticks=False,
        minExtent=look.names,
        maxExtent=look.names,
        labelLimit=look.names - 6,
        labelFontSize=look.size + 1,
    )
    base = alt.Chart(alt.InlineData(values=records(rows))).encode(
        x=alt.X(
            f"{across}:N",
            scale=alt.Scale(domain=heads, paddingInner=0.05, paddingOuter=0),
            title=None,
            axis=alt.Axis(
                orient="top",
                labelAngle=look.angle,
                domain=False,
                ticks=False,
                labelFontSize=look.heads,
            ),
        ),
        y=alt.Y(
            f"{down}:N",
            scale=alt.Scale(domain=stores, paddingInner=0.1, paddingOuter=0),
            title=None,
            axis=named if look.names else None,
        ),
        tooltip=tooltip,
    )
    return alt.layer(
        base.mark_rect().encode(color=alt.Color("fill:N", scale=None)),
        base.transform_filter(f"datum.{marked}").mark_rect(
            filled=False, stroke=stroke, strokeWidth=2
        ),
        base.mark_text(fontSize=look.size).encode(
            text="label:N", color=alt.Color("ink:N", scale=None)
        ),
    ).properties(width=look.column * len(heads), height=look.row * len(stores))
