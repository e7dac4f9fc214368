"""Stores by columns, a colour and a few words in each cell."""

import altair as alt
import numpy as np
import pandas as pd

from kvreport.charts.rows import needed

NONE = "–"
CELL = {"column": 74, "row": 22}  # px
DARK = 0.45  # of the scale: words on cells below it are white
INK = ("#1f2933", "#ffffff")
SCHEME = ("#0f6b66", "#eef3f1")  # of the least value and of the most


def heat(
    rows: pd.DataFrame, x: str, value: str, label: str | None = None, log: bool = True
) -> alt.LayerChart | alt.FacetChart:
    """Draws a cell for each store and value of `x`: the less, the darker.

    rows   one row a store and column: name and the columns named here, the stores and the columns
           in the order in which they come
    value  of which the colour is, on a logarithmic scale where `log`
    label  a column with the words in a cell; None for the value itself

    Raises ValueError for a column that is not there.
    """
    needed(rows, "name", x, value, label)
    known = rows[value].astype(float)
    words = rows[label] if label else known.map("{:.3g}".format).where(known.notna(), NONE)
    scaled = known.map(np.log) if log else known
    share = (scaled - scaled.min()) / ((scaled.max() - scaled.min()) or 1)
    shown = rows[["name", x]].assign(
        value=known, words=words, ink=share.map(lambda each: INK[bool(each < DARK)])
    )
    base = alt.Chart(shown).encode(
        x=alt.X(f"{x}:N", sort=list(dict.fromkeys(rows[x])), title=None).axis(
            orient="top", labelAngle=0, domain=False, ticks=False
        ),
        y=alt.Y("name:N", sort=list(dict.fromkeys(rows["name"])), title=None).axis(
            domain=False, ticks=False
        ),
        tooltip=[alt.Tooltip("name:N", title="store"), f"{x}:N", "words:N"],
    )
    scale = alt.Scale(type="log" if log else "linear", range=SCHEME)
    cells = base.transform_filter("isValid(datum.value)").mark_rect()
    words_on = base.mark_text().encode(text="words:N", color=alt.Color("ink:N", scale=None))
    return alt.layer(
        cells.encode(color=alt.Color("value:Q", scale=scale, legend=None)), words_on
    ).properties(width=alt.Step(CELL["column"]), height=alt.Step(CELL["row"]))
