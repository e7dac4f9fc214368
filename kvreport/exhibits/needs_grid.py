"""How the picture of stores by needs is drawn: a cell for each place, and all of them."""

from math import isnan, log
from typing import Any

import altair as alt
import pandas as pd

from kvreport.analysis.answer import Place
from kvreport.charts.figures import PanelChart
from kvreport.charts.grids import Look, grid
from kvreport.charts.tables import MISSING

BEST, FAR, FARTHEST = (15, 107, 102), (238, 243, 241), 10  # colours of 1 and of so many times
WIDE = Look(column=46, row=22, names=112, size=11, heads=12, angle=-35)
SLIM = Look(column=23, row=20, names=78, size=9, heads=10, angle=-90)


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


def drawn(frame: pd.DataFrame, look: Look) -> PanelChart:
    """The rows of Answer.frame as a grid."""
    needed, stores = (list(dict.fromkeys(frame[each])) for each in ("need", "shown"))
    tooltip = [
        alt.Tooltip("name:N", title="store"),
        alt.Tooltip("need:N", title="need"),
        alt.Tooltip("label:N", title="times the best"),
        alt.Tooltip("low:Q", title="interval from", format=",.3~g"),
        alt.Tooltip("high:Q", title="to", format=",.3~g"),
        alt.Tooltip("why:N", title="why not"),
    ]
    return grid(frame, ("need", needed), ("shown", stores), ("tied", "#e0a100"), tooltip, look)
