"""What the charts read of a tidy frame's rows, and the Altair chart that comes of it."""

import functools
import json
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import pandas as pd
from altair import Chart, TopLevelMixin
from altair.utils import schemapi

from kvreport.charts.figures import Figure, Panels
from kvreport.charts.palette import colour
from kvreport.data.cases import ACCESS_PATH, BASELINE, CONTROL

GREY = "#6b7280"  # of a store whose family has no colour
LAYOUT = ("concat", "datasets", "columns")
OK = "ok"
STATUS = {"n/a": "na", "na": "na", "failed": "failed"}  # by verdict or status; all else is a value

P = ParamSpec("P")
R = TypeVar("R")


def coloured(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the colour of each store, by its family, and whether it is the flat file, a
    further row of its engine (`side`) or a control; controls are left out.
    """
    rows = rows[rows["family"] != CONTROL]
    family, engine = (rows[name].fillna("").astype(str) for name in ("family", "engine"))
    return rows.assign(
        colour=[colour(*each) for each in zip(rows["store"], [GREY] * len(rows), family, engine)],
        is_baseline=family == BASELINE,
        side=family == ACCESS_PATH,
    )


def panels_of(rows: pd.DataFrame, panel: str | None) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each panel, in the order in which they come; one without a name where `panel`
    is None.
    """
    if panel is None:
        return [("", rows)]
    return [(str(name), group) for name, group in rows.groupby(panel, sort=False)]


def needed(rows: pd.DataFrame, *columns: str | None) -> None:
    """Raises ValueError with the columns that a chart asks for and a frame has not."""
    lacking = [name for name in columns if name is not None and name not in rows]
    if lacking:
        raise ValueError(
            f"the frame has no column {', '.join(lacking)}; it has {', '.join(map(str, rows))}"
        )


def unchecked(draw: Callable[P, R]) -> Callable[P, R]:
    """Have Altair take a chart of ours as it is: it would validate every part of it against the
    schema whenever anything is added, which takes most of the time of a large one.
    """

    @functools.wraps(draw)
    def drawn(*args: P.args, **named: P.kwargs) -> R:
        with schemapi.debug_mode(False):
            return draw(*args, **named)

    return drawn


def plain(figure: Figure) -> Chart | Panels:
    """The figure's Altair chart; in its usermeta its layouts for narrow pages and for paper, where
    they are others, as JSON, which Altair does not copy whenever anything is added.
    """
    others = {"narrow": figure.narrow, "paper": figure.paper}
    layouts = {name: layout_of(chart) for name, chart in others.items() if chart is not None}
    if layouts:
        figure.chart.usermeta = layouts
    return figure.chart


def layout_of(chart: TopLevelMixin) -> str:
    """Return what of a chart stands in the usermeta of another, of which it is a layout."""
    spec = chart.to_dict(validate=False)
    return json.dumps({part: spec[part] for part in LAYOUT if part in spec})


def layout(spec: dict, name: str) -> dict:
    """The parts of a specification that its layout for narrow pages, or for paper, replaces."""
    return json.loads((spec.get("usermeta") or {}).get(name, "{}"))
