"""The report's figures: small panels of sorted rows, one row a store, beside the flat file's line
as the baseline.

A figure is one picture (SVG, for the PDF and wherever nothing runs) and one Vega-Lite
specification, which `interactive()` hands to the page's script. Text, axis and grid colours come
from report/theme/charts.json, so that the script can set them for light and dark; the stores'
colours come from the stores.
"""

import json
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil, floor, isnan, log10, nan
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from kvreport.analysis import stats
from kvreport.base.files import own_json
from kvreport.base.markdown import plain
from kvreport.base.paths import THEME
from kvreport.base.svg import lean
from kvreport.base.templates import fill
from kvreport.base.text import number, visible_all
from kvreport.data import published
from kvreport.data.cases import ACCESS_PATH, CONTROL, WORKLOADS, Case
from kvreport.exhibits import terms
from kvreport.exhibits.chapter import Chapter, shown_stores
from kvreport.exhibits.palette import IN_WORDS

DRIVEN = "stores-driven.html"  # the appendix's page, beside those of the chapters
WIDTH, HEIGHT = 680, 820  # px: what fits the column of a page and a page of the PDF
PAPER = 790  # px: the highest picture that a page of the PDF holds with a caption of some lines
LEGIBLE = 0.85  # of its size on a page, at least, is a picture on paper: else it has less in it
ON_PAPER = 6  # panels that it then has, of those of PRINTED first
PRINTED = ("write", "bulkLoad", "readKeyXxh64", "readXxh64", "readKey", "readSeq")
HEAD = 95  # px of the height: the figure's title
PANEL_EXTRA = 48  # px of the height: a panel's title, axis and distance to the next
UNIT_GAP = 14  # px between the end of an axis and its unit
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
WIDE_TITLE, NARROW_TITLE = (80, 104), (38, 48)  # characters in a line of title and of subtitle
STAY_TOGETHER = re.compile(
    r"(?<=\d) (?=(ns|µs|ms|s|[KMGT]?B|trials?|entries)\b)|(?<=×) | (?=·|t\))"
)  # spaces at which no line of a title ends
WHAT = {
    "write": "load every entry",
    "bulkLoad": "load in key order, by the loader",
    "readKey": "get by key, value not touched",
    "readKeyWritten": "the same, in the order of writing",
    "readSeq": "step forwards, value not touched",
    "readRev": "step backwards, value not touched",
    "readCrc": "scan, CRC32 of every byte",
    "readXxh64": "scan, XXH64 of every byte",
    "readKeyXxh64": "get by key, XXH64 of every byte",
}
KEYS = {"int": "4-byte int keys", "string": "16-byte string keys"}
SPEED = (
    ("value", "ns/entry", ",.4~g"),
    ("low", "interval from, ns/entry", ",.4~g"),
    ("high", "to, ns/entry", ",.4~g"),
    ("times", "times the flat file", ",.3~g"),
    ("mark", "published in 2016, ns/entry", ",.4~g"),
    ("ms", "ms a pass", ",.4~g"),
    ("gbs", "GB/s", ",.3~g"),
    ("trials", "trials", "d"),
)
PALE_END = 0.4  # opacity of the end of a bar
ENDING = ("ending_percent", "of it last commit and close, %", ",.3~g")  # of a load
SIZE = (
    ("value", "B/entry", ",.1f"),
    ("overhead", "% over the flat array", "+,.1f"),
    ("bytes", "bytes after close", ",d"),
    ("open_bytes", "bytes while open", ",d"),
    ("mark", "published in 2016, B/entry", ",.1f"),
    ("trials", "trials", "d"),
)

# of the theme, in the order that a page with figures needs; each engine adds that of tables itself
SCRIPTS = ("vega", "stores", "charts")
LESS = " · other ways to an engine and further workloads: HTML edition"  # of a picture on paper

PanelChart = alt.LayerChart | alt.FacetChart

_figures: dict[str, "Figure"] = {}  # those of the chapter, by id, as they were made last


@dataclass(frozen=True)
class Figure:
    """A figure of a chapter; the last expression of its cell.

    id         as its cell's label has it, without "fig-"
    chart      the Altair chart, without its title
    frame      the rows that it shows, tidy
    title      what is to be seen;  subtitle: where it comes from
    numbers    what the title's template was filled with
    narrow     the chart on a narrow page, where it is another
    paper      the chart on paper, where the whole one would be too small to read
    sources    which rows of the results it shows, for the file of them in a published version: each
               has the `section` and may have fields of a case; without any, all rows of the section
               that its chapter is named for
    """

    id: str
    chart: alt.Chart | alt.ConcatChart
    frame: pd.DataFrame
    title: str = ""
    subtitle: str = ""
    numbers: dict = field(default_factory=dict)
    narrow: alt.ConcatChart | None = None
    paper: alt.ConcatChart | None = None
    sources: tuple[dict, ...] = ()

    def __post_init__(self) -> None:
        _figures[self.id] = self

    def titled(self, template: str, numbers: Callable[[], dict] | None = None) -> "Figure":
        """The same under a title, a template over numbers (base.templates). Where nothing could be
        drawn the numbers are not asked for, and there is no title.
        """
        if self.frame.empty:
            return self
        given = numbers() if numbers else {}
        return replace(self, title=fill(template, **given), numbers=given)

    def properties(self, **changes: Any) -> "Figure":
        """The same with properties of its Altair chart changed, as the chart's own `properties`
        does: `width` and `height`, px, are those of each panel on a wide page; a `title` takes the
        place of the one that it has. The page's script and the PDF show the change.

        For a property that a chart has not, Altair raises once the figure is shown.
        """
        changed, narrow, title = self.chart, self.narrow, self.title
        if isinstance(changes.get("title"), str):
            title = changes.pop("title")
        if isinstance(changed, alt.ConcatChart):
            sizes = {name: changes.pop(name) for name in ("width", "height") if name in changes}
            panels: list[Any] = changed.concat
            if sizes and narrow is None:
                narrow = _in_columns(panels)
            changed = changed.copy(deep=False)
            changed.concat = [_resized(panel, **sizes) for panel in panels]
        return replace(self, chart=changed.properties(**changes), narrow=narrow, title=title)

    def drawn_from(self, *sources: dict) -> "Figure":
        """The same with its `sources`."""
        return replace(self, sources=sources)

    @cached_property  # as it takes Altair half a second, and page and picture each ask for it
    def spec(self) -> dict:
        """The Vega-Lite specification, without the theme's configuration."""
        if self.frame.empty:
            spec = self.chart.to_dict()
            narrow = None
        else:
            spec = self.chart.properties(title=self._title(WIDE_TITLE)).to_dict()
            narrow = {"columns": 1, "title": self._title(NARROW_TITLE).to_dict()}
        if self.narrow is not None and narrow is not None:
            other = self.narrow.to_dict()
            narrow |= {name: other[name] for name in ("concat", "datasets", "columns")}
        about = ({"narrow": narrow} if narrow else {}) | (
            {"rows": list(self.sources)} if self.sources else {}
        )
        spec.pop("config", None)  # the theme's is applied when the figure is drawn
        return visible_all(spec | ({"usermeta": about} if about else {}))

    def svg(self) -> str:
        """The picture, as the PDF shows it, without what only parts of a page need."""
        if self.paper is None:
            return lean(picture(self.spec), PAPER)
        whole = self.paper.properties(title=self._title(WIDE_TITLE, LESS)).to_dict()
        whole.pop("config", None)
        return lean(picture(visible_all(whole)), PAPER)

    def _title(self, widths: tuple[int, int], more: str = "") -> alt.TitleParams:
        if self.chart.title is not alt.Undefined:  # a chapter has set one of its own
            return self.chart.title
        return alt.TitleParams(
            lines(self.title, widths[0]),
            subtitle=lines(self.subtitle + more, widths[1]),
            fontSize=15,
            offset=12,
            subtitlePadding=5,
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict:
        return {"image/svg+xml": self.svg(), "text/plain": f"Figure {self.id}"}


def picture(spec: dict) -> str:
    """The SVG of a figure's specification, in the theme's fonts and colours."""
    vl_convert.register_font_directory(str(THEME / "fonts"))
    version = "_".join(alt.SCHEMA_VERSION.split(".")[:2])
    return vl_convert.vegalite_to_svg(spec, vl_version=version, config=_config())


@dataclass(frozen=True)
class Scripts:
    """The elements that bring the figures of a page to life; theme: the folder of their scripts,
    from the page.
    """

    theme: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict:
        parts = {
            "config": _config(),
            "specs": specs(),
            "stores": stores(),
            "key": IN_WORDS,
        }
        data = json.dumps(parts, separators=(",", ":")).replace("<", "\\u003c")
        return {
            "text/plain": "",
            "text/markdown": "\n".join(
                [
                    f'<script type="application/json" id="kv-charts">{data}</script>',
                    *(f'<script src="{self.theme}/{name}.js"></script>' for name in SCRIPTS),
                ]
            ),
        }


def specs() -> dict[str, dict]:
    """The specification of each figure of the chapter so far, by its cell's label."""
    return {f"fig-{id}": figure.spec for id, figure in _figures.items()}


def stores() -> dict[str, dict]:
    """The stores in the figures so far, by their names there, which may have more to them ("MapDB
    (2/3)"): store, the id; own, the name without more; colour; side, whether it is a further row of
    an engine or a control; driven, the address of how it was driven. Rows that are named for their
    workload are left out.
    """
    known, found = shown_stores(), {}
    for frame in (figure.frame for figure in _figures.values()):
        if {"store", "name"} <= set(frame.columns):
            for store, name in zip(frame["store"], frame["name"]):
                if store in known and name not in WORKLOADS:
                    about = known[store]
                    side = about["family"] in (ACCESS_PATH, CONTROL)
                    found[name] = {
                        "store": store,
                        "own": about["name"],
                        "colour": about["colour"],
                        "side": side,
                        "driven": f"{DRIVEN}#{anchor(store)}",
                    }
    return found


def anchor(store: str) -> str:
    """The name of a store's heading in the appendix on how each was driven."""
    return f"sec-driven-{store.lower()}"


def interactive(book: str = "../../") -> Scripts:
    """What makes the figures so far answer to the pointer; the last cell of a notebook with
    figures. `book` is the book's folder, from the page.
    """
    return Scripts(f"{book}report/theme")


def _config() -> dict:
    return own_json(THEME / "charts.json")


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
        """Whether the spread asks for a logarithmic axis, which cannot show a zero."""
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
        """Whether a row has a part that is drawn apart."""
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


def figure(id: str, panels: list[Panel], title: str = "", subtitle: str = "") -> Figure:
    """Panels, two in a row, under a title that says what is to be seen and a subtitle that says
    where it comes from.
    """
    count = max((len(panel.rows) for panel in panels), default=0)
    if not count:
        return placeholder(id, "Nothing was measured that could be drawn.")
    if any(panel.log for panel in panels):
        panels = [replace(panel, as_others=True) for panel in panels]
    lines = ceil(len(panels) / COLUMNS)
    step = max(STEPS[0], min(STEPS[1], (HEIGHT - HEAD - PANEL_EXTRA * lines) // (lines * count)))
    frame = pd.concat([panel.rows.assign(panel=panel.title) for panel in panels], ignore_index=True)
    charts = [_panel(panel, step) for panel in panels]
    whole = composed(id, frame, charts, COLUMNS, title, subtitle)
    high = HEAD + lines * (step * count + PANEL_EXTRA)
    return replace(whole, paper=_on_paper(panels)) if LEGIBLE * high > PAPER else whole


def _on_paper(panels: list[Panel]) -> alt.ConcatChart:
    """The panels that matter most with a row for each engine."""
    ranks = {workload: at for at, workload in enumerate(PRINTED)}
    first = sorted(panels, key=lambda panel: ranks.get(panel.title.split(" ")[0], len(ranks)))
    kept = [panel for panel in panels if panel in first[:ON_PAPER]]
    engines = [replace(panel, rows=_engines_of(panel.rows)) for panel in kept]
    count = max(len(panel.rows) for panel in engines)
    lines = ceil(len(engines) / COLUMNS)
    step = max(STEPS[0], min(STEPS[1], (PAPER - HEAD - PANEL_EXTRA * lines) // (lines * count)))
    return _panels_in([_panel(panel, step) for panel in engines], COLUMNS)


def _engines_of(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[~rows["side"].astype(bool)] if "side" in rows else rows


def composed(
    id: str,
    frame: pd.DataFrame,
    panels: list[PanelChart],
    columns: int,
    title: str,
    subtitle: str,
    narrow_panels: list[PanelChart] | None = None,
    narrow_columns: int = 1,
) -> Figure:
    """A figure of panels that show the rows of a frame, so many in a row; on a narrow page one in a
    row, or other panels where these are too wide for it, `narrow_columns` in a row.
    """
    chart = _panels_in(panels, columns)
    narrow = _in_columns(narrow_panels, narrow_columns) if narrow_panels else None
    return Figure(id, chart, frame, title, subtitle, narrow=narrow)


def _panels_in(panels: list[PanelChart], columns: int) -> alt.ConcatChart:
    """Panels of a wide page or of paper, so many in a row."""
    return alt.concat(*panels, columns=columns, spacing={"row": 10, "column": 18}).properties(
        padding={"left": 4, "top": 4, "bottom": 4, "right": 10}
    )


def _in_columns(panels: list[PanelChart], columns: int = 1) -> alt.ConcatChart:
    return alt.concat(*panels, columns=columns, spacing={"row": 10, "column": 14})


def _resized(panel: PanelChart, **sizes: int) -> PanelChart:
    """The panel at another width or height, its axes' units where the axes end."""
    panel = panel.copy(deep=True).properties(**sizes)
    for x in [layer.encoding.x for layer in panel.layer if "width" in sizes]:
        axis = x["axis"] if isinstance(x, alt.X) else alt.Undefined
        if isinstance(axis, alt.Axis) and axis["titleX"] is not alt.Undefined:
            axis["titleX"] = sizes["width"] + UNIT_GAP
    return panel


def placeholder(id: str, text: str) -> Figure:
    """A figure that says why there is none; the text's Markdown is not drawn."""
    chart = (
        alt.Chart(alt.InlineData(values=[{"text": plain(text)}]))
        .mark_text(fontStyle="italic")
        .encode(text="text:N")
    )
    return Figure(id, chart.properties(width=WIDTH - 60, height=60), pd.DataFrame())


def lines(text: str, width: int) -> list[str]:
    """A title in lines of at most `width` characters, with a number and its unit in one, and a dot
    at the end of a line and not at its beginning.
    """
    together = STAY_TOGETHER.sub("\xa0", text)
    return [
        line.replace("\xa0", " ") for line in textwrap.wrap(together, width, break_on_hyphens=False)
    ]  # textwrap never breaks at \xa0


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
    """Why a row has no value, as far as it fits a panel; tables give it whole."""
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
                x=alt.value(2),
                text="note:N",
                tooltip=[
                    alt.Tooltip("name:N", title="store"),
                    alt.Tooltip("why:N", title="reason"),
                ],
            )
        )
    title = panel.title + (" · log scale" if len(good) and panel.log else "")
    return alt.layer(*layers).properties(
        width=PLOT_WIDTH,
        height=step * len(rows),
        title=alt.TitleParams(title, frame="bounds", offset=4, fontSize=12),
    )


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
    top, bottom = alt.value(0), alt.value(depth)
    layers = [
        chart_of([{"at": tick} for tick in round_ticks(panel.domain, panel.log)])
        .mark_rule(opacity=0.13)
        .encode(x=_x(panel, "at"), y=top, y2=bottom)
    ]
    has_baseline = not isnan(panel.baseline)
    if panel.log and has_baseline:
        # a bar has no base on such an axis; a line from the baseline shows how many times it is
        layers.append(
            base.mark_rule(strokeWidth=3, opacity=0.4).encode(x2="baseline", color=colour)
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
        .encode(x=_x(panel, "start"), x2="end")
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
            layers.append(last.encode(x=_x(panel, "until"), x2="value", color=colour))
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
    layers.append(beside.encode(x=alt.value("width"), text="label:N"))
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


def describe(case: Case) -> str:
    """A case in words: "4-byte int keys, random order, 2,026-byte values, writeMap=off, a commit
    survives nothing".
    """
    others = [f"{name}={value}" for name, value in terms.settings_of(case).items()]
    return ", ".join(
        [
            KEYS[case.keys],
            f"{case.order} order",
            f"{case.value_bytes:,}-byte values"
            + (" that compress to half" if case.content == "half" else ""),
            *(each for each in others if not each.startswith("sync=")),
            terms.survives([case]),
        ]
    )


def exhibit_of(id: str) -> str:
    """The exhibit in a caption's words that a figure shows: "E04" for e04-calls; "Beyond" for
    beyond, which is the report's own.
    """
    name = id.split("-")[0]
    return name.upper() if name[-1].isdigit() else name.capitalize()


def panel_title(workload: str) -> str:
    """A workload's name and, of those that the sources have, what it does."""
    return f"{workload} · {WHAT[workload]}" if workload in WHAT else workload


def workloads(chapter: Chapter, id: str, case: Case) -> Figure:
    """A panel for each workload of a case: ns an entry, with intervals over trials. Its title is
    the chapter's.
    """
    exhibit = exhibit_of(id)
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    results, panels = chapter.case(case), []
    then = published.times(published.JULY, chapter.test) if chapter.test in published.TESTS else {}
    for workload in chapter.workloads:
        rows = chapter.plot_rows(results[results["workload"] == workload])
        if rows.empty:  # of other cases of the section
            continue
        was = [
            then.get((store, case, chapter.as_published(store, case, workload)))
            for store in rows["store"]
        ]
        rows = rows.assign(
            label=rows["value"].map(number),
            mark=[one.value if one else nan for one in was],
            times=rows["value"] / rows["baseline"],
            until=rows["value"] * (1 - rows["ending"]),
        )
        panels.append(Panel(panel_title(workload), rows, "ns/entry", SPEED))
    return figure(
        id,
        panels,
        subtitle=f"{chapter.provenance(exhibit, case)}, {describe(case)} · thin line:"
        f" {stats.interval_name(chapter.trial_count)}"
        + (
            " · tick: July 2016"
            if any(panel.rows["mark"].notna().any() for panel in panels)
            else ""
        )
        + ends(panels),
    ).drawn_from({"section": chapter.section} | case._asdict())


def ends(panels: list[Panel]) -> str:
    """How the part after a load's last put is drawn; nothing where none is."""
    logs = {panel.log for panel in panels if panel.ends}
    ways = [way for log, way in ((True, "full colour"), (False, "paler bar")) if log in logs]
    what = (
        "what last commit and close take off"
        if any(panel.most_first for panel in panels)
        else "last commit and close"
    )
    return f" · {' or '.join(ways)} at a load's end: {what}" if ways else ""


def storage(
    chapter: Chapter, id: str, cases: Sequence[Case], was: dict[tuple[str, Case], float]
) -> Figure:
    """A panel for each case: bytes an entry after close; ticks show what a source published, `was`,
    in the same unit by store and case. Its title is the chapter's.
    """
    exhibit = exhibit_of(id)
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    panels = []
    for case in cases:
        rows = chapter.plot_rows(chapter.sizes(case))
        rows = rows.assign(
            label=[
                number(value) + ("" if is_baseline else f" · {overhead:+z.0f}%")
                for value, overhead, is_baseline in zip(
                    rows["value"], rows["overhead"], rows["is_baseline"]
                )
            ],
            mark=[was.get((store, case), nan) for store in rows["store"]],
        )
        panels.append(Panel(f"{KEYS[case.keys]}, {case.order} order", rows, "B/entry", SIZE))
    return figure(
        id,
        panels,
        subtitle=f"{chapter.provenance(exhibit, cases[0])} · {terms.survives(cases)} · tick: the"
        " report of 2016",
    ).drawn_from(*({"section": chapter.section} | case._asdict() for case in cases))


def records(frame: pd.DataFrame) -> list[dict]:
    """A frame's rows for a chart, each with what it has: nothing, not 0, in its tooltip."""
    rows = json.loads(frame.to_json(orient="records"))  # NaN becomes None
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def chart_of(rows: list[dict]) -> alt.Chart:
    """A chart of rows that its specification holds."""
    return alt.Chart(alt.InlineData(values=rows))
