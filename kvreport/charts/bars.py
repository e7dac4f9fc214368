"""Small panels of sorted rows, one row a store, beside the flat file's line as the baseline."""

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, floor, isnan, log10

import altair as alt
import pandas as pd

from kvreport.charts.figures import (
    PAPER,
    UNIT_GAP,
    Figure,
    PanelChart,
    Panels,
    chart_of,
    composed,
    layered,
    panels_in,
    placeholder,
    records,
)

LEGIBLE = 0.85  # of its size on a page, at least, is a picture on paper: else it has less in it
ON_PAPER = 6  # panels that it then has, of those of PRINTED first
PRINTED = ("write", "bulkLoad", "readKeyXxh64", "readXxh64", "readKey", "readSeq")
HEAD = 95  # px of the height: the figure's title
PANEL_EXTRA = 48  # px of the height: a panel's title, axis and distance to the next
COLUMNS, STEPS = 2, (12, 17)  # panels in a row; least and most px for a store's row
NAME_WIDTH, PLOT_WIDTH = 108, 142  # the column of values takes the rest of a panel
FEWEST = 3  # ticks of a logarithmic axis
STEPS_WITHIN = (  # a power of ten, from the coarsest
    *((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)),
    (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9),
    (*(step / 10 for step in range(10, 20)), *(step / 2 for step in range(4, 20))),
)
# a panel whose largest value is more than this many times the smallest has a logarithmic axis
LOG_FROM = 20
# an interval is drawn this many times beyond the largest and smallest value at most; tooltips and
# tables have it whole
REACH = 2
# a tick in Vega's words: 0.1 and not 100m, 10k and not 10000, never 1e+2
TICK_LABEL = "format(datum.value, datum.value < 1000 ? '~f' : '~s')"
PALE_END = 0.4  # opacity of the end of a bar
ENDING = ("ending_percent", "of it last commit and close, %", ",.3~g")  # of a load
HEIGHT = 820  # px: what fits a page of the PDF


@dataclass(frozen=True)
class Panel:
    """One panel: rows in one unit.

    rows        what Chapter.plot_rows gives, with label (set beside the row), mark (a published
                value, or NaN) and the tooltip's columns; those whose `pale` is true stand back;
                `until`, where there is one: a load's value without its last commit and close
    most_first  whether more is better
    linear      whether the axis begins at zero, whatever the spread: where the values are
                differences
    as_others   whether another panel of the figure has a logarithmic axis, which this then has, too
    """

    title: str
    rows: pd.DataFrame
    unit: str
    tooltip: tuple[tuple[str, str, str], ...]  # column, title with its unit, format
    most_first: bool = False
    linear: bool = False
    as_others: bool = False

    @cached_property
    def log(self) -> bool:
        """Return whether the spread asks for a logarithmic axis, which cannot show a zero."""
        spread = self.as_others or self.shown.min() < self.shown.max() / LOG_FROM
        return not self.linear and spread and self.shown.min() > 0

    @property
    def baseline(self) -> float:
        """The flat file's value, or NaN."""
        return float(self.rows["baseline"].iloc[0])

    @cached_property
    def shown(self) -> pd.Series:
        """Every value that must lie on the axis."""
        rows = self.rows[self.rows["status"] == "ok"]
        everything = [rows["value"], rows["mark"], pd.Series([self.baseline])]
        if self.ends:
            everything.append(rows["until"][rows["until"] > 0])
        return pd.concat(everything).dropna().astype(float)

    @cached_property
    def ends(self) -> bool:
        """Return whether a row has a part that is drawn apart."""
        return "until" in self.rows and bool(self.rows["until"].notna().any())

    @cached_property
    def domain(self) -> list[float]:
        """The ends of the axis."""
        least, most = extent(self.shown, self.rows[["low", "high"]])
        return [least / 1.2, most * 1.15] if self.log else [0, most * 1.04 or 1]


def extent(shown: pd.Series, intervals: pd.DataFrame) -> tuple[float, float]:
    """Least and most that an axis has to show: every value, and the intervals unless they reach so
    far that it would show little else.
    """
    least, most = shown.min(), shown.max()
    ends = intervals.stack().dropna().astype(float).clip(least / REACH, most * REACH)
    return (min(least, ends.min()), max(most, ends.max())) if len(ends) else (least, most)


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


def figure(panels: list[Panel]) -> Figure:
    """Panels, two in a row."""
    count = max((len(panel.rows) for panel in panels), default=0)
    if not count:
        return placeholder()
    if any(panel.log for panel in panels):
        panels = [replace(panel, as_others=True) for panel in panels]
    lines = ceil(len(panels) / COLUMNS)
    step = max(STEPS[0], min(STEPS[1], (HEIGHT - HEAD - PANEL_EXTRA * lines) // (lines * count)))
    frame = pd.concat([panel.rows.assign(panel=panel.title) for panel in panels], ignore_index=True)
    charts = [_panel(panel, step) for panel in panels]
    whole = composed(frame, charts, COLUMNS)
    high = HEAD + lines * (step * count + PANEL_EXTRA)
    return replace(whole, paper=_on_paper(panels)) if LEGIBLE * high > PAPER else whole


def _on_paper(panels: list[Panel]) -> Panels:
    """The panels that matter most with a row for each engine."""
    ranks = {workload: at for at, workload in enumerate(PRINTED)}
    first = sorted(panels, key=lambda panel: ranks.get(panel.title.split(" ")[0], len(ranks)))
    kept = [panel for panel in panels if panel in first[:ON_PAPER]]
    engines = [replace(panel, rows=_engines_of(panel.rows)) for panel in kept]
    count = max(len(panel.rows) for panel in engines)
    lines = ceil(len(engines) / COLUMNS)
    step = max(STEPS[0], min(STEPS[1], (PAPER - HEAD - PANEL_EXTRA * lines) // (lines * count)))
    return panels_in([_panel(panel, step) for panel in engines], COLUMNS)


def _engines_of(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[~rows["side"].astype(bool)] if "side" in rows else rows


def ranked(rows: pd.DataFrame, most_first: bool = False) -> pd.DataFrame:
    """Rows as they are drawn and listed: the lowest first, or the highest, then what the store
    cannot do, then what failed.
    """
    rank = rows["status"].map({"ok": 0, "na": 1, "failed": 2})
    return (
        rows.assign(rank=rank)
        .sort_values(["rank", "value", "name"], ascending=[True, not most_first, True])
        .drop(columns="rank")
        .reset_index(drop=True)
    )


def short(reason: str, status: str, width: int = 34) -> str:
    """Return why a row has no value, as far as it fits a panel; tables give it whole."""
    return textwrap.shorten(
        {"na": "n/a: ", "failed": "failed: "}[status] + reason, width, placeholder="…"
    )


def _panel(panel: Panel, step: int) -> PanelChart:
    rows = ranked(panel.rows, panel.most_first)
    good, without = rows[rows["status"] == "ok"], rows[rows["status"] != "ok"]
    y = alt.Y(
        "name:N",
        scale=alt.Scale(domain=list(rows["name"]), padding=0.15),
        title=None,
        axis=alt.Axis(
            domain=False,
            ticks=False,
            labelLimit=NAME_WIDTH - 6,
            minExtent=NAME_WIDTH,
            maxExtent=NAME_WIDTH,
        ),
    )
    depth = step * len(good) if len(without) else "height"
    layers = _values(panel, good, y, depth) if len(good) else []
    if len(without):
        notes = [
            {"name": row["name"], "note": short(row["reason"], row["status"]), "why": row["reason"]}
            for row in without.to_dict("records")
        ]
        layers.append(
            chart_of(notes)
            .mark_text(align="left", fontStyle="italic", opacity=0.75)
            .encode(
                y=y,
                x=alt.XValue(2),
                text=alt.Text("note:N"),
                tooltip=[
                    alt.Tooltip("name:N", title="store"),
                    alt.Tooltip("why:N", title="reason"),
                ],
            )
        )
    title = " · ".join(filter(None, [panel.title, "log scale" * bool(len(good) and panel.log)]))
    heading = alt.TitleParams(title, frame="bounds", offset=4, fontSize=12)
    return layered(layers, heading, width=PLOT_WIDTH, height=step * len(rows))


def _values(panel: Panel, good: pd.DataFrame, y: alt.Y, depth: int | str) -> list[alt.Chart]:
    """The layers of the rows that have values; depth: how far down those go, px, or "height"."""
    good = good.assign(start=good["low"].clip(*panel.domain), end=good["high"].clip(*panel.domain))
    good = good.assign(ink=1 - 0.6 * good.get("pale", pd.Series(False, good.index)).astype(float))
    told = panel.tooltip
    if panel.ends:
        told = (*told, ENDING)
        until = good["until"].fillna(good["value"])
        ends = pd.concat([until, good["value"]], axis=1)
        share = until / good["value"]  # of a rate, what is left of it by the ending
        good = good.assign(
            until=until,
            full=ends.min(axis=1),
            whole=ends.max(axis=1),
            pale_ink=PALE_END * good["ink"],
            ending_percent=100 * (1 - (1 / share if panel.most_first else share)),
        )
    if panel.baseline <= good["value"].min():  # a large load can be faster than the flat file's
        good["label"] += good["is_baseline"].map({True: " · baseline", False: ""})
    columns = dict.fromkeys(
        [
            "store",
            "name",
            "colour",
            "is_baseline",
            "baseline",
            "label",
            "value",
            "low",
            "high",
            "mark",
            "start",
            "end",
            "ink",
            *(["until", "full", "whole", "pale_ink"] if panel.ends else []),
            *(field for field, *_ in told),
        ]
    )
    rows = records(good[list(columns)])
    tooltip = [alt.Tooltip("name:N", title="store")] + [
        alt.Tooltip(f"{field}:Q", title=title, format=form) for field, title, form in told
    ]
    base = chart_of(rows).encode(y=y, x=_x(panel, "value"))
    colour, ink = alt.Color("colour:N", scale=None), alt.Opacity("ink:Q", scale=None)
    top, bottom = alt.YValue(0), alt.Y2Value(depth)
    layers = [
        chart_of([{"at": tick} for tick in round_ticks(panel.domain, panel.log)])
        .mark_rule(opacity=0.13)
        .encode(x=_x(panel, "at"), y=top, y2=bottom)
    ]
    has_baseline = not isnan(panel.baseline)
    if panel.log and has_baseline:
        # a bar has no base on such an axis; a line from the baseline shows how many times it is
        layers.append(
            base.mark_rule(strokeWidth=3, opacity=0.4).encode(x2=alt.X2("baseline"), color=colour)
        )
    elif not panel.log:
        bars = base.mark_bar(height={"band": 0.72}).encode(color=colour, tooltip=tooltip)
        if panel.ends:  # the whole, paler, below the part that is drawn in full
            pale = alt.Opacity("pale_ink:Q", scale=None)
            layers.append(bars.encode(x=_x(panel, "whole"), opacity=pale))
            layers.append(bars.encode(x=_x(panel, "full"), opacity=ink))
        else:
            layers.append(bars.encode(opacity=ink))
    layers.append(
        base.transform_filter("isValid(datum.low)")
        .mark_rule()
        .encode(x=_x(panel, "start"), x2=alt.X2("end"))
    )
    layers += arrowheads(
        base,
        ("low", "start", "left"),
        ("high", "end", "right"),
        place=lambda field: {"x": _x(panel, field)},
    )
    if panel.log:
        layers.append(base.mark_circle(size=46).encode(color=colour, opacity=ink, tooltip=tooltip))
        if panel.ends:  # no bar to be drawn in two parts
            last = base.mark_rule(strokeWidth=3)
            layers.append(last.encode(x=_x(panel, "until"), x2=alt.X2("value"), color=colour))
    if good["mark"].notna().any():
        layers.append(
            base.transform_filter("isValid(datum.mark)")
            .mark_rule(strokeWidth=2)
            .encode(
                x=_x(panel, "mark"),
                y=alt.Y("name:N", bandPosition=0.1),
                y2=alt.Y2("name", bandPosition=0.9),
            )
        )
    if has_baseline:
        line = chart_of([{"baseline": panel.baseline}]).encode(x=_x(panel, "baseline"))
        layers.append(line.mark_rule(strokeDash=[3, 3]).encode(y=top, y2=bottom))
    beside = base.mark_text(align="left", dx=8)
    layers.append(beside.encode(x=alt.XValue("width"), text=alt.Text("label:N")))
    return layers


def arrowheads(
    base: alt.Chart, *ends: tuple[str, str, str], place: Callable[[str], dict]
) -> list[alt.Chart]:
    """Heads where the line of an interval ends at the panel's edge and the interval goes on. ends:
    where it ends, where its line does, which way.
    """
    return [
        base.transform_filter(f"isValid(datum.{low}) && datum.{low} != datum.{shown}")
        .mark_point(shape=f"triangle-{way}", size=22, filled=True, opacity=1)
        .encode(**place(shown))
        for low, shown, way in ends
    ]


def _x(panel: Panel, field: str) -> alt.X:
    """The value axis; its unit stands after the tick labels, below the column of values."""
    scale = alt.Scale(type="log" if panel.log else "linear", domain=panel.domain, nice=False)
    return alt.X(
        f"{field}:Q",
        title=panel.unit,
        scale=scale,
        axis=alt.Axis(
            grid=False,
            values=round_ticks(panel.domain, panel.log),
            labelExpr=TICK_LABEL,
            titleAnchor="start",
            titleAlign="left",
            titleX=PLOT_WIDTH + UNIT_GAP,
            titleY=7,
            titleBaseline="top",
            titleFontWeight="normal",
            titleFontSize=11,
        ),
    )
