"""Stores by columns, a colour and a few words in each cell."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from kvreport.charts import panels
from kvreport.charts.panels import Panel, Panels, unchecked
from kvreport.charts.rows import needed, panels_of

NONE = "–"

FIT = 8  # columns that stand side by side at the width of WIDE
DARK = 0.45  # of the scale: words on cells below it are white
INK = ("#1f2933", "#ffffff")
SCHEME = ("#0f6b66", "#eef3f1")  # of the least value and of the most
FRAME = "#d00000"


class Look(NamedTuple):
    """Sizes in px: of a cell, of the column of names, of letters; angle: of the heads, degrees."""

    column: int = 74
    row: int = 22
    names: int = 108
    letters: int = 10
    angle: int = 0


WIDE, MANY, SLIM = Look(), Look(46, angle=-35), Look(23, 20, 84, 9, -90)
NARROW = 230  # px of a plot that a narrow page has room for in full size


@unchecked
def heat(
    rows: pd.DataFrame,
    x: str,
    value: str,
    label: str | None = None,
    panel: str | None = None,
    colours: Mapping[str, str] | None = None,
    framed: str | None = None,
    frame: str = FRAME,
) -> alt.Chart | Panels:
    """Draws a cell for each store and value of `x`: the less, the darker.

    rows     one row a store and column: name and the columns named here, the stores and the columns
             in the order in which they come
    value    of which the colour is, on a logarithmic scale where these are numbers
    label    a column with the words in a cell; None for the value itself
    panel    a column that tells the panels apart, which stand side by side and share the names
    colours  the colour of each value, where values are words
    framed   a column of truth values: which cells have a frame, of the colour `frame`

    Raises ValueError for a column that is not there.
    """
    needed(rows, "name", x, value, label, panel, framed)
    if rows.empty:
        return panels.placeholder()
    fill = _scaled(rows[value]) if colours is None else rows[value].map(colours)
    fill = fill.astype(object).where(fill.notna(), None)
    words = rows[value]
    if colours is None:
        words = words.map("{:.3g}".format).where(words.notna(), NONE)
    shown = rows[["name", x]].assign(
        value=rows[value],
        words=rows[label] if label else words,
        fill=fill,
        ink=fill.map(_ink),
        framed=rows[framed] if framed else False,
        panel=rows[panel] if panel else "",
    )
    names = list(dict.fromkeys(rows["name"]))
    many = panel is None and shown[x].nunique() > FIT
    look = MANY if many else WIDE
    groups = panels_of(shown, "panel")
    wide = [
        _grid(group, x, names, frame, title, look._replace(names=0) if at else look)
        for at, (title, group) in enumerate(groups)
    ]
    widest = max(group[x].nunique() for _, group in groups)
    slimmer = WIDE._replace(column=max(MANY.column, min(WIDE.column, NARROW // widest)))
    narrow = [
        _grid(group, x, own, frame, title, SLIM if many else slimmer)
        for title, group in groups
        for own in [[name for name in names if name in set(group["name"])]]
    ]
    return panels.laid_out(wide, len(wide), narrow)


def _scaled(values: pd.Series) -> pd.Series:
    """The colours of numbers, at their places between the least and the most."""
    scaled = np.log(values.astype(float))
    share = (scaled - scaled.min()) / ((scaled.max() - scaled.min()) or 1)
    return share.map(_between, na_action="ignore")


def _between(share: float) -> str:
    """The colour at such a share of SCHEME."""
    parts = zip(*([int(end[at : at + 2], 16) for at in (1, 3, 5)] for end in SCHEME))
    return "#" + "".join(f"{round(low + share * (high - low)):02x}" for low, high in parts)


def _ink(fill: str | None) -> str:
    """Choose the colour of words on a colour, by its luminance."""
    if not isinstance(fill, str):
        return "#808080"
    red, green, blue = (int(fill[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return INK[0.3 * red + 0.59 * green + 0.11 * blue < DARK]


def _grid(
    rows: pd.DataFrame, x: str, names: list[str], frame: str, title: str, look: Look
) -> Panel:
    columns = list(dict.fromkeys(rows[x]))
    room: dict[str, Any] = {
        "minExtent": look.names,
        "maxExtent": look.names,
        "labelLimit": look.names - 6,
    }
    stores = alt.Axis(domain=False, ticks=False, **room)
    across = alt.X(f"{x}:N", title=None)
    across = across.axis(orient="top", labelAngle=look.angle, domain=False, ticks=False)
    down = alt.Y("name:N", title=None, axis=stores if look.names else None)
    base = panels.chart_of(rows).encode(
        x=across.scale(domain=columns, paddingInner=0.04, paddingOuter=0),
        y=down.scale(domain=names, paddingInner=0.08, paddingOuter=0),
        tooltip=[alt.Tooltip("name:N", title="store"), f"{x}:N", "value:N"],
    )
    cells = base.transform_filter("isValid(datum.fill)").mark_rect()
    framed = base.transform_filter("datum.framed")
    words = base.mark_text(fontSize=look.letters)
    layers = [
        cells.encode(color=alt.Color("fill:N", scale=None)),
        framed.mark_rect(filled=False, stroke=frame, strokeWidth=2),
        words.encode(text="words:N", color=alt.Color("ink:N", scale=None)),
    ]
    return panels.panel_of(layers, [title], look.column * len(columns), look.row * len(names))
