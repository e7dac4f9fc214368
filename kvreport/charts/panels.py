"""Panels: layers over one axis of values, and how panels lie on a page, on a phone and on paper.

All charts of the library but a reader's own are made of these.
"""

import functools
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any, ParamSpec, TypeVar

import altair as alt
import pandas as pd
from altair.utils import schemapi

PAPER = 790  # px: the highest picture that a page of the PDF holds with a caption of some lines
NOTHING = "Nothing was measured that could be drawn."
NAME_WIDTH = 108  # px of the column of names
HEADING = {"frame": "bounds", "offset": 4, "fontSize": 12}  # of a panel
# a panel whose largest value is more than this many times the smallest has a logarithmic axis
LOG_FROM = 20
# an interval is drawn this many times beyond the largest and smallest value at most; tooltips and
# tables have it whole
REACH = 2
# a tick in Vega's words: 0.1 and not 100m, 10k and not 10000, never 1e+2
TICK_LABEL = "format(datum.value, datum.value < 1000 ? '~f' : '~s')"
FEWEST = 3  # ticks of a logarithmic axis
STEPS_WITHIN = (  # a power of ten, from the coarsest
    *((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)),
    (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9),
    (*(step / 10 for step in range(10, 20)), *(step / 2 for step in range(4, 20))),
)

Panel = dict[str, Any]  # a specification of layers with the datasets that it names
P = ParamSpec("P")
R = TypeVar("R")


class Panels(alt.TopLevelMixin, alt.TopLevelConcatSpec):
    """Panels in rows: an Altair chart whose parts are specifications already. `alt.layer` and
    `alt.concat` copy each part of a part whenever anything is added, most of a large chart's time.
    """

    def to_dict(self, validate: bool = True, **more: Any) -> dict[str, Any]:
        """The specification as it is: the tests validate what the library draws."""
        return super().to_dict(validate=False, **more)


def unchecked(draw: Callable[P, R]) -> Callable[P, R]:
    """Have Altair take a chart of ours as it is: it would validate every part of it against the
    schema whenever anything is added, which takes most of the time of a large one.
    """

    @functools.wraps(draw)
    def drawn(*args: P.args, **named: P.kwargs) -> R:
        with schemapi.debug_mode(False):
            return draw(*args, **named)

    return drawn


# --- a panel ---


@dataclass(frozen=True)
class ValueAxis:
    """The axis of a panel's values, which are all above zero where it is logarithmic."""

    log: bool
    domain: list[float]

    @property
    def scale(self) -> alt.Scale:
        return alt.Scale(type="log" if self.log else "linear", domain=self.domain, nice=False)

    @property
    def ticks(self) -> list[float]:
        return round_ticks(self.domain, self.log)

    def axis(self, **more: Any) -> alt.Axis:
        """Its ticks and how they are written."""
        return alt.Axis(values=self.ticks, labelExpr=TICK_LABEL, **more)


def value_axes(
    panels: Sequence[pd.DataFrame],
    values: Sequence[str],
    intervals: Sequence[str],
    log_room: tuple[float, float] = (1.3, 1.3),
    room: tuple[float, float] = (0.0, 1.06),
) -> list[ValueAxis]:
    """The axis of each panel, on which all columns `values` lie and the ends of intervals unless
    they reach so far that it would show little else. One that spreads widely gives all a
    logarithmic axis. log_room: by what the ends of such an axis are beyond; room: the ends of a
    linear one, in shares of its largest value.
    """
    shown = [_numbers(rows, values) for rows in panels]
    wide = any(0 < each.min() < each.max() / LOG_FROM for each in shown)
    axes = []
    for rows, each in zip(panels, shown):
        least, most = each.min(), each.max()
        log = wide and bool(least > 0)
        ends = _numbers(rows, intervals).clip(least / REACH, most * REACH)
        if len(ends):
            least, most = min(least, ends.min()), max(most, ends.max())
        below, above = log_room
        linear = [room[0] * most, room[1] * most or 1]
        axes.append(ValueAxis(log, [least / below, most * above] if log else linear))
    return axes


def _numbers(rows: pd.DataFrame, columns: Sequence[str]) -> pd.Series:
    return pd.Series(rows.reindex(columns=[*columns]).to_numpy(float).ravel()).dropna()


def round_ticks(domain: list[float], log: bool) -> list[float]:
    """Powers of ten, and numbers between until there are FEWEST; on a linear axis a few round
    numbers from zero.
    """
    low, high = domain
    if log:
        decades = range(floor(log10(low)), floor(log10(high)) + 1)
        finer = (
            [at for power in decades for step in steps if low <= (at := step * 10.0**power) <= high]
            for steps in STEPS_WITHIN
        )
        return next((ticks for ticks in finer if len(ticks) >= FEWEST), [low, high])
    unit = 10.0 ** floor(log10(high / 2))
    step = next(unit * size for size in (1, 2, 5, 10) if high / (unit * size) < 5)
    return [step * times for times in range(floor(high / step) + 1)]


def on_axis(rows: pd.DataFrame, axis: ValueAxis, **columns: str) -> pd.DataFrame:
    """The rows with new columns: others, as far as they lie on an axis."""
    return rows.assign(**{name: rows[of].clip(*axis.domain) for name, of in columns.items()})


def chart_of(rows: pd.DataFrame) -> alt.Chart:
    """A chart of rows that its specification holds, each with what it has: nothing, not 0, in its
    tooltip. They are a tuple, as Altair copies a list with all that is in it whenever anything is
    added to a chart.
    """
    every = json.loads(rows.to_json(orient="records"))  # NaN becomes None
    known = ({name: each for name, each in row.items() if each is not None} for row in every)
    return alt.Chart(alt.InlineData(values=tuple(known)))


def name_axis(names: Iterable[str]) -> alt.Y:
    """A row for each name, from top to bottom."""
    room: dict[str, Any] = {
        "labelLimit": NAME_WIDTH - 6,
        "minExtent": NAME_WIDTH,
        "maxExtent": NAME_WIDTH,
    }
    axis = alt.Axis(domain=False, ticks=False, **room)
    return alt.Y("name:N", title=None, scale=alt.Scale(domain=list(names), padding=0.15), axis=axis)


def tooltip(values: dict[str, str], *more: alt.Tooltip) -> list[alt.Tooltip]:
    """A store's name and, by their columns' titles, its values."""
    numbers = (alt.Tooltip(f"{n}:Q", title=title, format=",.4~g") for n, title in values.items())
    return [alt.Tooltip("name:N", title="store"), *more, *numbers]


def intervals(
    base: alt.Chart,
    place: Callable[[str], alt.X | alt.Y],
    known: tuple[str, str] = ("low", "high"),
    shown: tuple[str, str] = ("start", "end"),
    **more: Any,
) -> list[alt.Chart]:
    """The line of each interval, with a head where it ends at the panel's edge and goes on.

    place  the channel of a column;  known: the columns with an interval's ends;  shown: those with
           the ends of its line;  more: the other channel, where it is not the chart's
    """
    along, ways = (
        ("x", ("left", "right")) if isinstance(place(""), alt.X) else ("y", ("down", "up"))
    )
    line = base.transform_filter(f"isValid(datum.{known[0]})").mark_rule()
    return [
        line.encode(**{along: place(shown[0]), f"{along}2": shown[1]}, **more),
        *(
            base.transform_filter(f"isValid(datum.{end}) && datum.{end} != datum.{at}")
            .mark_point(shape=f"triangle-{way}", size=22, filled=True, opacity=1)
            .encode(**{along: place(at)}, **more)
            for end, at, way in zip(known, shown, ways)
        ),
    ]


def panel_of(
    layers: Sequence[alt.Chart], title: Sequence[str], width: int, height: int, **heading: Any
) -> Panel:
    """A panel of layers under what of its title there is."""
    context: dict[str, Any] = {"top_level": False, "datasets": {}, "pre_transform": False}
    return {
        "layer": [each.to_dict(validate=False, context=context) for each in layers],
        "title": {"text": " · ".join(filter(None, title))} | HEADING | heading,
        "width": width,
        "height": height,
        "datasets": context["datasets"],
    }


# --- panels ---


def laid_out(
    panels: Sequence[Panel],
    columns: int,
    narrow: Sequence[Panel] = (),
    narrow_columns: int = 1,
    paper: Sequence[Panel] = (),
) -> Panels:
    """Panels, so many in a row; on a narrow page one in a row, or others where these are too wide
    for it; and those on paper, where the whole would be too small to read. What is other there
    stands in the usermeta, as JSON, which Altair does not copy whenever anything is added.
    """
    others = {
        "narrow": _in_columns(narrow, narrow_columns) if narrow else None,
        "paper": _in_columns(paper, columns) if paper else None,
    }
    layouts = {name: json.dumps(other) for name, other in others.items() if other}
    return Panels(
        **_in_columns(panels, columns),
        spacing={"row": 10, "column": 18},
        padding={"left": 4, "top": 4, "bottom": 4, "right": 10},
        usermeta=layouts or alt.Undefined,
    )


def _in_columns(panels: Sequence[Panel], columns: int) -> dict[str, Any]:
    specs = [{name: part for name, part in each.items() if name != "datasets"} for each in panels]
    datasets = {name: rows for each in panels for name, rows in each["datasets"].items()}
    return {"concat": specs, "columns": columns, "datasets": datasets}


def layout(spec: dict, name: str) -> dict:
    """The parts of a specification that its layout for narrow pages, or for paper, replaces."""
    return json.loads((spec.get("usermeta") or {}).get(name, "{}"))


def of_width(panels: Iterable[Panel], width: int) -> list[Panel]:
    """The same panels with plots of another width, px."""
    return [panel | {"width": width} for panel in panels]


def placeholder() -> alt.Chart:
    """A chart that says that there is none."""
    text = alt.Chart(alt.InlineData(values=[{"text": NOTHING}])).mark_text(fontStyle="italic")
    return text.encode(text="text:N").properties(width=300, height=60)
