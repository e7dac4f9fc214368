"""The report's figures: each is one picture (SVG, for the PDF and wherever nothing runs) and one
Vega-Lite specification, which `interactive()` hands to the page's script.

Text, axis and grid colours come from report/theme/charts.json, so that the script can set them for
light and dark; the stores' colours come from the stores.
"""

import json
import re
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from kvreport.base.files import own_json
from kvreport.base.markdown import plain
from kvreport.base.paths import THEME
from kvreport.base.svg import lean
from kvreport.base.templates import fill
from kvreport.base.text import visible_all
from kvreport.charts.chapter import shown_stores
from kvreport.charts.palette import IN_WORDS
from kvreport.data.cases import ACCESS_PATH, CONTROL, WORKLOADS

DRIVEN = "stores-driven.html"  # the appendix's page, beside those of the chapters
PAPER = 790  # px: the highest picture that a page of the PDF holds with a caption of some lines
UNIT_GAP = 14  # px between the end of an axis and its unit
WIDE_TITLE, NARROW_TITLE = (80, 104), (38, 48)  # characters in a line of title and of subtitle
STAY_TOGETHER = re.compile(
    r"(?<=\d) (?=(ns|µs|ms|s|[KMGT]?B|trials?|entries)\b)|(?<=×) | (?=·|t\))"
)  # spaces at which no line of a title ends
# of the theme, in the order that a page with figures needs; each engine adds that of tables itself
SCRIPTS = ("vega", "stores", "charts")
LESS = " · other ways to an engine and further workloads: HTML edition"  # of a picture on paper
PanelChart = alt.LayerChart | alt.FacetChart
_figures: dict[str, "Figure"] = {}  # those of the chapter, by id, as they were made last
WIDTH = 680  # px: what fits the column of a page


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
    """The elements that bring the figures of a page to life.

    theme   the folder of their scripts, from the page
    specs   their specifications, by their cells' labels;  stores: of the stores in them, as
            `stores` has them
    """

    theme: str
    specs: dict[str, dict]
    stores: dict[str, dict]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict:
        parts = {
            "config": _config(),
            "specs": self.specs,
            "stores": self.stores,
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


def stores(frames: Iterable[pd.DataFrame] | None = None) -> dict[str, dict]:
    """The stores in rows, or in those of the figures so far, by their names there, which may have
    more to them ("MapDB (2/3)"): store, the id; own, the name without more; colour; side, whether
    it is a further row of an engine or a control; driven, the address of how it was driven. Rows
    that are named for their workload are left out.
    """
    known, found = shown_stores(), {}
    for frame in frames or [figure.frame for figure in _figures.values()]:
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
    return Scripts(f"{book}report/theme", specs(), stores())


def _config() -> dict:
    return own_json(THEME / "charts.json")


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
    chart = panels_in(panels, columns)
    narrow = _in_columns(narrow_panels, narrow_columns) if narrow_panels else None
    return Figure(id, chart, frame, title, subtitle, narrow=narrow)


def panels_in(panels: list[PanelChart], columns: int) -> alt.ConcatChart:
    """Panels of a wide page or of paper, so many in a row."""
    return alt.concat(
        *panels,
        columns=columns,
        spacing={"row": 10, "column": 18},
        padding={"left": 4, "top": 4, "bottom": 4, "right": 10},
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
    return Figure(id, chart.properties(width=300, height=60), pd.DataFrame())


def lines(text: str, width: int) -> list[str]:
    """A title in lines of at most `width` characters, with a number and its unit in one, and a dot
    at the end of a line and not at its beginning.
    """
    together = STAY_TOGETHER.sub("\xa0", text)
    return [
        line.replace("\xa0", " ") for line in textwrap.wrap(together, width, break_on_hyphens=False)
    ]  # textwrap never breaks at \xa0


def records(frame: pd.DataFrame) -> list[dict]:
    """A frame's rows for a chart, each with what it has: nothing, not 0, in its tooltip."""
    rows = json.loads(frame.to_json(orient="records"))  # NaN becomes None
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def chart_of(rows: list[dict]) -> alt.Chart:
    """A chart of rows that its specification holds: a tuple, as Altair copies a list with all that
    is in it whenever anything is added to a chart.
    """
    return alt.Chart(alt.InlineData(values=tuple(rows)))
