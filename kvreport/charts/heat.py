"""Stores by columns, a colour and a few words in each cell."""

from collections.abc import Mapping
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from kvreport.charts.figures import Panels, placeholder, records
from kvreport.charts.rows import layout_of, needed, panels_of, plain, unchecked

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


@unchecked
def heat(
    rows: pd.DataFrame,
    x: str,
    value: str,
    label: str | None = None,
    log: bool = True,
    panel: str | None = None,
    colours: Mapping[str, str] | None = None,
    framed: str | None = None,
    frame: str = FRAME,
) -> alt.Chart | alt.LayerChart | alt.FacetChart | alt.ConcatChart | Panels:
    """Draws a cell for each store and value of `x`: the less, the darker.

    rows     one row a store and column: name and the columns named here, the stores and the columns
             in the order in which they come
    value    of which the colour is, on a logarithmic scale where `log`
    label    a column with the words in a cell; None for the value itself
    panel    a column that tells the panels apart, which stand side by side and share the names
    colours  the colour of each value, where values are words
    framed   a column of truth values: which cells have a frame, of the colour `frame`

    Raises ValueError for a column that is not there.
    """
    needed(rows, "name", x, value, label, panel, framed)
    if rows.empty:
        return plain(placeholder())
    fill, words = _scaled(rows[value], log) if colours is None else _named(rows[value], colours)
    shown = rows[["name", x]].assign(
        value=rows[value],
        words=rows[label] if label else words,
        fill=fill,
        ink=fill.map(_ink),
        framed=rows[framed] if framed else False,
        panel=rows[panel] if panel else "",
    )
    names = list(dict.fromkeys(rows["name"]))
    panels = panels_of(shown, "panel")
    many = panel is None and shown[x].nunique() > FIT
    if panel is None and not many:
        return _grid(shown, x, names, frame)
    look = MANY if many else WIDE
    wide = [
        _grid(group, x, names, frame, title, look._replace(names=0) if at else look)
        for at, (title, group) in enumerate(panels)
    ]
    slim = alt.concat(
        *[
            _grid(group, x, own, frame, title, SLIM if many else WIDE)
            for title, group in panels
            for own in [[name for name in names if name in set(group["name"])]]
        ],
        columns=1,
    )
    usermeta = {"narrow": layout_of(slim)}
    return alt.concat(*wide, columns=len(wide), spacing=14, usermeta=usermeta)


def _scaled(values: pd.Series, log: bool) -> tuple[pd.Series, pd.Series]:
    """The colours of numbers, and they themselves as words."""
    known = values.astype(float)
    scaled = known.map(np.log) if log else known
    share = (scaled - scaled.min()) / ((scaled.max() - scaled.min()) or 1)
    words = known.map("{:.3g}".format).where(known.notna(), NONE)
    fill = [_between(each) if each == each else None for each in share]
    return pd.Series(fill, values.index, dtype=object), words


def _named(values: pd.Series, colours: Mapping[str, str]) -> tuple[pd.Series, pd.Series]:
    fill = [colours.get(each) for each in values]
    return pd.Series(fill, values.index, dtype=object), values


def _between(share: float) -> str:
    """The colour at such a share of SCHEME."""
    parts = zip(*([int(end[at : at + 2], 16) for at in (1, 3, 5)] for end in SCHEME))
    return "#" + "".join(f"{round(low + share * (high - low)):02x}" for low, high in parts)


def _ink(fill: str | None) -> str:
    """Of words on a colour, by its luminance."""
    if fill is None:
        return "#808080"
    red, green, blue = (int(fill[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return INK[0.3 * red + 0.59 * green + 0.11 * blue < DARK]


def _grid(
    rows: pd.DataFrame, x: str, names: list[str], frame: str, title: str = "", look: Look = WIDE
) -> alt.LayerChart | alt.FacetChart:
    columns = list(dict.fromkeys(rows[x]))
    stores = alt.Axis(
        domain=False,
        ticks=False,
        minExtent=look.names,
        maxExtent=look.names,
        labelLimit=look.names - 6,
    )
    base = alt.Chart(alt.InlineData(values=records(rows))).encode(
        x=alt.X(f"{x}:N", title=None)
        .axis(orient="top", labelAngle=look.angle, domain=False, ticks=False)
        .scale(domain=columns, paddingInner=0.04, paddingOuter=0),
        y=alt.Y("name:N", title=None, axis=stores if look.names else None).scale(
            domain=names, paddingInner=0.08, paddingOuter=0
        ),
        tooltip=[alt.Tooltip("name:N", title="store"), f"{x}:N", "value:N"],
    )
    cells = base.transform_filter("isValid(datum.fill)")
    return alt.layer(
        cells.mark_rect().encode(color=alt.Color("fill:N", scale=None)),
        base.transform_filter("datum.framed").mark_rect(filled=False, stroke=frame, strokeWidth=2),
        base.mark_text(fontSize=look.letters).encode(
            text="words:N", color=alt.Color("ink:N", scale=None)
        ),
    ).properties(
        width=look.column * len(columns),
        height=look.row * len(names),
        title=alt.TitleParams(title, frame="bounds", offset=4, fontSize=12),
    )
