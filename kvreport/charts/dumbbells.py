"""A change of each store: before it and after."""

from math import nan

import altair as alt
import pandas as pd

from kvreport.base.text import number
from kvreport.charts import panels
from kvreport.charts.dots import short
from kvreport.charts.panels import Panel, Panels, ValueAxis, unchecked
from kvreport.charts.rows import STORE, coloured, needed, panels_of

UNTOLD = "no difference found"
WIDTH, NARROW = 400, 130  # px: of a plot, and of one on a narrow page
ROW = 20  # px of a pair
VALUES = ("before", "after", "mark_before", "mark_after")
ENDS = tuple(f"{when}{end}" for when in ("before", "after") for end in ("", "_low", "_high"))


@unchecked
def dumbbells(
    rows: pd.DataFrame,
    panel: str | None = None,
    unit: str = "ns an entry",
    by: str = "before",
    then: tuple[str, str] | None = None,
) -> alt.Chart | Panels:
    """Draws a hollow circle before and a full one after for each store, with intervals, and beside
    them how many times as long it takes, where that can be told.

    rows   as ranking.change gives them
    panel  a column that tells the panels apart and names them
    by     "before" or "after": by which the stores are sorted, the least first
    then   columns of what a source published, before and after, drawn as ticks, the second thick

    Raises ValueError for a column that is not there.
    """
    needed(rows, *STORE, "before", "after", "ratio", panel, *(then or ()))
    shown = coloured(rows)
    told = shown["verdict"].isin(("slower", "faster"))
    shown = shown.assign(
        change=[
            f"× {number(ratio)}" if known else UNTOLD for ratio, known in zip(shown["ratio"], told)
        ],
        note=[short(why, "na") if isinstance(why, str) else "–" for why in shown["reason"]],
        mark_before=shown[then[0]].astype(float) if then else nan,
        mark_after=shown[then[1]].astype(float) if then else nan,
    )
    groups = [
        (title, group.sort_values(by))
        for title, group in panels_of(shown, panel)
        if group[[*VALUES]].notna().any(axis=None)
    ]
    if not groups:
        return panels.placeholder()
    axes = panels.value_axes(
        [group for _, group in groups], VALUES, ENDS, log_room=(1.2, 1.2), room=(-0.04, 1.08)
    )  # a circle at zero stays clear of its name
    drawn = [_panel(*each, axis, unit) for each, axis in zip(groups, axes)]
    return panels.laid_out(drawn, 1, panels.of_width(drawn, NARROW))


def _panel(title: str, rows: pd.DataFrame, axis: ValueAxis, unit: str) -> Panel:
    rows = panels.on_axis(rows, axis, **{f"{end}_in": end for end in ENDS})
    values_axis = axis.axis(title=unit, grid=True, gridOpacity=0.5)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=axis.scale, axis=values_axis)

    y = panels.name_axis(rows["name"])
    without = rows[["before", "after"]].isna().any(axis=1)
    base = panels.chart_of(rows[~without]).encode(y=y)
    colour = alt.Color("colour:N", scale=None)
    titles = ["before", "interval from", "to", "after", "interval from", "to"]
    titles += ["2016, before", "2016, after"]
    told = {field: f"{title}, {unit}" for field, title in zip((*ENDS, *VALUES[2:]), titles)}
    hover = panels.tooltip(told)
    layers = [
        base.mark_rule(strokeWidth=3, opacity=0.35).encode(x=x("before"), x2="after", color=colour)
    ]
    for when, height in ("before", 0.3), ("after", 0.7):  # one above the other: they may overlap
        ends = f"{when}_low", f"{when}_high"
        beside = alt.Y("name:N", bandPosition=height)
        layers += panels.intervals(base, x, ends, (f"{ends[0]}_in", f"{ends[1]}_in"), y=beside)
    layers += [
        base.mark_point(size=46, filled=False, strokeWidth=2, opacity=1).encode(
            x=x("before"), color=colour, tooltip=hover
        ),
        base.mark_circle(size=52, opacity=1).encode(x=x("after"), color=colour, tooltip=hover),
    ]
    layers += [
        base.transform_filter(f"isValid(datum.{mark})")
        .mark_tick(thickness=thick, size=11)
        .encode(x=x(mark))
        for mark, thick in (("mark_before", 1), ("mark_after", 2.5))
        if rows[mark].notna().any()
    ]
    words = base.mark_text(align="left", dx=8)
    layers.append(words.encode(x=alt.value("width"), text="change:N"))
    if without.any():
        layers.append(
            panels.chart_of(rows.loc[without, ["store", "name", "note"]])
            .mark_text(align="left", fontStyle="italic", opacity=0.75)
            .encode(y=y, x=alt.value(2), text="note:N")
        )
    return panels.panel_of(layers, [title, "log scale" * axis.log], WIDTH, ROW * len(rows))
