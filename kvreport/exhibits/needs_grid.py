"""How the picture of stores by needs is drawn: a cell for each place, and the grid of all."""

from math import isnan, log
from typing import Any

import altair as alt
import pandas as pd

from kvreport.analysis.answer import Place
from kvreport.exhibits.figures import PanelChart, records
from kvreport.exhibits.tables import MISSING

BEST, FAR, FARTHEST = (15, 107, 102), (238, 243, 241), 10  # colours of 1 and of so many times
WIDE, SLIM = (46, 22, 112, -35, 11), (23, 20, 78, -90, 9)  # px of a column, a row, names; degrees


def cell(place: Place | None) -> dict[str, Any]:
    """What a cell shows of a store's place, or of its having none: columns of Answer.frame, and
    label, fill and ink.
    """
    if place is None:
        return {"ratio": None, "low": None, "high": None, "tied": False, "noisy": False} | {
            "label": MISSING,
            "fill": "#00000000",
            "ink": "#7b8794",
        }
    share = min(1.0, log(place.ratio) / log(FARTHEST)) if place.ratio > 1 else 0.0
    rgb = [round(best + (far - best) * share) for best, far in zip(BEST, FAR)]
    return {
        "ratio": place.ratio,
        "low": None if isnan(place.low) else place.low,
        "high": None if isnan(place.high) else place.high,
        "tied": place.tied and not place.noisy,
        "noisy": place.noisy,
        "label": _label(place),
        "fill": "#{:02x}{:02x}{:02x}".format(*rgb),
        "ink": "#ffffff" if share < 0.45 else "#1f2933",
    }


def _label(place: Place) -> str:
    ratio = f"{place.ratio:.1f}" if place.ratio < 9.95 else f"{place.ratio:.0f}"
    return f"{ratio.removesuffix('.0')}{'?' if place.noisy else ''}"


def grid(
    frame: pd.DataFrame, column: int, row: int, names: int, angle: int, size: int
) -> PanelChart:
    """The rows of Answer.frame as a chart; sizes as in WIDE."""
    needed, stores = (list(dict.fromkeys(frame[each])) for each in ("need", "shown"))
    base = alt.Chart(alt.InlineData(values=records(frame))).encode(
        x=alt.X(
            "need:N",
            scale=alt.Scale(domain=needed, paddingInner=0.06, paddingOuter=0),
            title=None,
            axis=alt.Axis(
                orient="top", labelAngle=angle, domain=False, ticks=False, labelFontSize=size + 1
            ),
        ),
        y=alt.Y(
            "shown:N",
            scale=alt.Scale(domain=stores, paddingInner=0.1, paddingOuter=0),
            title=None,
            axis=alt.Axis(
                domain=False,
                ticks=False,
                minExtent=names,
                maxExtent=names,
                labelLimit=names - 6,
                labelFontSize=size + 1,
            ),
        ),
        tooltip=[
            alt.Tooltip("name:N", title="store"),
            alt.Tooltip("need:N", title="need"),
            alt.Tooltip("label:N", title="times the best"),
            alt.Tooltip("low:Q", title="interval from", format=",.3~g"),
            alt.Tooltip("high:Q", title="to", format=",.3~g"),
            alt.Tooltip("why:N", title="why not"),
        ],
    )
    return alt.layer(
        base.mark_rect().encode(color=alt.Color("fill:N", scale=None)),
        base.transform_filter("datum.tied").mark_rect(
            filled=False, stroke="#e0a100", strokeWidth=2
        ),
        base.mark_text(fontSize=size).encode(text="label:N", color=alt.Color("ink:N", scale=None)),
    ).properties(width=column * len(needed), height=row * len(stores))
