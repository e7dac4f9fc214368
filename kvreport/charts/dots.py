"""Stores in their order, each with its value, an interval and what a source published."""

import textwrap
from functools import partial
from math import ceil

import altair as alt
import pandas as pd

from kvreport.base.text import number
from kvreport.charts import panels
from kvreport.charts.panels import PAPER, Panel, Panels, ValueAxis, unchecked
from kvreport.charts.rows import STORE, coloured, ending_in, needed, panels_of, valued

OK = "ok"
STATUS = {"n/a": "na", "na": "na", "failed": "failed"}  # by verdict or status; all else is a value
RANK = {OK: 0, "na": 1, "failed": 2}
ALIKE = 3  # rows without a value for one reason are one row

HEIGHT = 820  # px: the most that a figure takes
LEGIBLE = 0.85  # of its size on a page, at least, is a picture on paper: else it has less in it
ON_PAPER = 6  # panels that it then has
HEAD = 95  # px of the height: the figure's title
PANEL_EXTRA = 48  # px of the height: a panel's title, axis and distance to the next
COLUMNS, STEPS = 2, (12, 17)  # panels in a row; least and most px for a store's row
PLOT_WIDTH = 142  # px; the column of values takes the rest of a panel
UNIT_GAP = 14  # px between the end of an axis and its unit
PALE_END = 0.4  # opacity of the end of a bar
ENDING = {"ending_percent": "of it last commit and close, %"}  # of a load


Groups = list[tuple[str, pd.DataFrame]]  # the rows of each panel, by its name


@unchecked
def dots(
    rows: pd.DataFrame,
    x: str = "median",
    panel: str | None = None,
    unit: str = "ns an entry",
    low: str | None = "low",
    high: str | None = "high",
    then: str | None = None,
    ending: str | None = None,
    more_is_better: bool = False,
    line: float | None = None,
) -> alt.Chart | Panels:
    """Draws a row for each store, the best first: a dot on a logarithmic axis where the values
    spread widely, else a bar, its interval, its value beside it, and the flat file as a line.

    rows   one row a store and panel, as ranking.compare gives them: store, name, family, engine and
           the columns named here; `verdict` or `status`, and `reason`, of those without a value
    x      the column of values, with its `unit`;  low, high: of the interval, or None
    panel  a column that tells the panels apart and names them
    then   a column of what a source published, drawn as a tick
    ending a column with the share of a value, from 0 to 1, that is drawn apart: of a load its last
           commit and close
    line   a value that is drawn as a dashed line in place of the flat file's

    Raises ValueError for a column that is not there.
    """
    needed(rows, *STORE, x, panel, then, ending)
    shown = valued(coloured(rows).reset_index(drop=True), x, low, high, then, ending)
    verdict = shown["verdict"] if "verdict" in shown else shown.get("status", pd.Series(dtype=str))
    status = verdict.map(STATUS).reindex(shown.index).fillna(OK)
    shown = shown.assign(
        value=shown["value"].where(status == OK),
        label=shown["value"].map(number),
        status=status,
        reason=shown["reason"].fillna("") if "reason" in shown else "",
    )
    shown = _in_one_row(shown[shown["value"].notna() | (shown["status"] != OK)], panel)
    if shown.empty:
        return panels.placeholder()
    told = {"value": unit, "low": "interval from", "high": "to"}
    told |= {"mark": "published"} if then else {}
    groups = [
        (name, _ranked(_beside_line(group, line), more_is_better))
        for name, group in panels_of(shown, panel)
    ]
    draw = partial(_panels, unit=unit, told=told, rate=more_is_better)
    engines = [(name, group[~group["side"]]) for name, group in groups[:ON_PAPER]]
    is_legible = LEGIBLE * _sizes(groups, HEIGHT)[1] <= PAPER
    less = [] if is_legible else draw(engines, PAPER)
    return panels.laid_out(draw(groups, HEIGHT), COLUMNS, paper=less)


def _in_one_row(rows: pd.DataFrame, panel: str | None) -> pd.DataFrame:
    """The rows, those of a panel that have no value for one and the same reason as one of them."""
    reasons = rows[rows["status"] != OK].groupby([*([panel] if panel else []), "status", "reason"])
    for _, alike in reasons:
        if len(alike) >= ALIKE:
            names = ", ".join(alike["name"])
            one = alike.head(1).assign(
                name=f"{len(alike)} stores", reason=alike["reason"] + ": " + names
            )
            rows = pd.concat([rows.drop(alike.index), one])
    return rows


def _beside_line(rows: pd.DataFrame, line: float | None) -> pd.DataFrame:
    """A panel's rows with the value of its line, that of the flat file unless another is given."""
    if line is not None:
        return rows.assign(baseline=line, is_baseline=False)
    flat = rows.loc[rows["is_baseline"], "value"].min()
    if flat <= rows["value"].min():  # a large load can be faster than the flat file's
        named = rows["label"] + rows["is_baseline"].map({True: " · baseline", False: ""})
        rows = rows.assign(label=named)
    return rows.assign(baseline=flat)


def _ranked(rows: pd.DataFrame, most_first: bool) -> pd.DataFrame:
    """The lowest first, or the highest, then what the store cannot do, then what failed."""
    ranked = rows.assign(rank=rows["status"].map(RANK))
    by, ascending = ["rank", "value", "name"], [True, not most_first, True]
    return ranked.sort_values(by, ascending=ascending, ignore_index=True)


def short(reason: str, status: str, width: int = 34) -> str:
    """Say why a row has no value, as far as it fits a panel; tables give it whole."""
    return textwrap.shorten(
        {"na": "n/a: ", "failed": "failed: "}[status] + reason, width, placeholder="…"
    )


def _sizes(groups: Groups, room: int) -> tuple[int, int]:
    """The heights of a store's row at which panels fit such a height, and of the figure, px."""
    count, lines = max(len(rows) for _, rows in groups), ceil(len(groups) / COLUMNS)
    fitting = (room - HEAD - PANEL_EXTRA * lines) // (lines * count)
    step = max(STEPS[0], min(STEPS[1], fitting))
    return step, HEAD + lines * (step * count + PANEL_EXTRA)


def _panels(groups: Groups, room: int, unit: str, told: dict[str, str], rate: bool) -> list[Panel]:
    """The panels in so much room, px;  told: the titles of columns in tooltips;  rate: whether
    values are rates, of which more are better.
    """
    frames = [rows for _, rows in groups]
    values, ends = ("value", "mark", "baseline", "until"), ("low", "high")
    axes = panels.value_axes(frames, values, ends, log_room=(1.2, 1.15), room=(0, 1.04))
    step, _ = _sizes(groups, room)
    return [
        _panel(title, rows, axis, unit, told, rate, step)
        for (title, rows), axis in zip(groups, axes)
    ]


def _panel(
    title: str,
    rows: pd.DataFrame,
    axis: ValueAxis,
    unit: str,
    told: dict[str, str],
    rate: bool,
    step: int,
) -> Panel:
    good, without = rows[rows["status"] == OK], rows[rows["status"] != OK]
    y = panels.name_axis(rows["name"])
    depth = step * len(good) if len(without) else "height"
    layers = []
    if len(good):
        if ending_in(rows):
            good, told = _with_endings(good, rate), told | ENDING
        layers = _values(good, axis, unit, told, y, depth)
    if len(without):
        notes = without[["name"]].assign(
            note=[short(*each) for each in zip(without["reason"], without["status"])],
            why=without["reason"],
        )
        hover = [alt.Tooltip("name:N", title="store"), alt.Tooltip("why:N", title="reason")]
        layers.append(
            panels.chart_of(notes)
            .mark_text(align="left", fontStyle="italic", opacity=0.75)
            .encode(y=y, x=alt.value(2), text="note:N", tooltip=hover)
        )
    heading = [title, "log scale" * bool(len(good) and axis.log)]
    return panels.panel_of(layers, heading, PLOT_WIDTH, step * len(rows))


def _with_endings(good: pd.DataFrame, rate: bool) -> pd.DataFrame:
    """The rows with their values in two parts, of which the latter is the ending."""
    until = good["until"].fillna(good["value"])
    share = until / good["value"]  # of a rate, what is left of it by the ending
    return good.assign(
        until=until,
        full=until.where(until < good["value"], good["value"]),
        whole=until.where(until > good["value"], good["value"]),
        ending_percent=100 * (1 - (1 / share if rate else share)),
    )


def _values(
    good: pd.DataFrame,
    axis: ValueAxis,
    unit: str,
    told: dict[str, str],
    y: alt.Y,
    depth: int | str,
) -> list[alt.Chart]:
    """The layers of the rows that have values; depth: how far down those go, px, or "height"."""
    x = partial(_x, axis, unit)
    ends = ["until", "full", "whole"] if "whole" in good else []
    columns = ["store", "name", "colour", "is_baseline", "baseline", "label"]
    columns += [*ends, "start", "end", *dict.fromkeys((*told, "mark"))]
    good = panels.on_axis(good, axis, start="low", end="high")
    base = panels.chart_of(good[columns]).encode(y=y, x=x("value"))
    colour, hover = alt.Color("colour:N", scale=None), panels.tooltip(told)
    down = {"y": alt.value(0), "y2": alt.value(depth)}
    grid = panels.chart_of(pd.DataFrame({"at": axis.ticks})).mark_rule(opacity=0.13)
    layers = [grid.encode(x=x("at"), **down)]
    baseline = good["baseline"].iloc[0]
    if not axis.log:
        # the whole, paler, below the part that is drawn in full
        parts = [("whole", PALE_END), ("full", 1)] if ends else [("value", 1)]
        for field, opacity in parts:
            bars = base.mark_bar(height={"band": 0.72}, opacity=opacity)
            layers.append(bars.encode(x=x(field), color=colour, tooltip=hover))
    elif baseline == baseline:
        # a bar has no base on such an axis; a line from the baseline shows how many times it is
        line = base.mark_rule(strokeWidth=3, opacity=0.4)
        layers.append(line.encode(x2="baseline", color=colour))
    layers += panels.intervals(base, x)
    if axis.log:
        layers.append(base.mark_circle(size=46, opacity=1).encode(color=colour, tooltip=hover))
        if ends:  # no bar to be drawn in two parts
            last = base.mark_rule(strokeWidth=3)
            layers.append(last.encode(x=x("until"), x2="value", color=colour))
    if good["mark"].notna().any():
        tick = base.transform_filter("isValid(datum.mark)").mark_rule(strokeWidth=2)
        top, bottom = alt.Y("name:N", bandPosition=0.1), alt.Y2("name", bandPosition=0.9)
        layers.append(tick.encode(x=x("mark"), y=top, y2=bottom))
    if baseline == baseline:
        dashed = panels.chart_of(pd.DataFrame({"baseline": [baseline]}))
        layers.append(dashed.mark_rule(strokeDash=[3, 3]).encode(x=x("baseline"), **down))
    beside = base.mark_text(align="left", dx=8)
    return [*layers, beside.encode(x=alt.value("width"), text="label:N")]


def _x(axis: ValueAxis, unit: str, field: str) -> alt.X:
    """The value axis; its unit stands after the tick labels, below the column of values."""
    below = {
        "titleAnchor": "start",
        "titleAlign": "left",
        "titleX": PLOT_WIDTH + UNIT_GAP,
        "titleY": 7,
        "titleBaseline": "top",
        "titleFontWeight": "normal",
        "titleFontSize": 11,
    }
    return alt.X(f"{field}:Q", title=unit, scale=axis.scale, axis=axis.axis(grid=False, **below))
