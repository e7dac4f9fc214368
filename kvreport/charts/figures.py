"""The report's figures: each is one picture (SVG, for the PDF and wherever nothing runs) and one
Vega-Lite specification, which `Scripts` hands to the page's script.

Text, axis and grid colours come from report/theme/charts.json, so that the script can set them for
light and dark; the stores' colours come from the stores.
"""

import json
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from kvreport.base.files import own_json
from kvreport.base.paths import THEME
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
NOTHING = "Nothing was measured that could be drawn."
LESS = " · other ways to an engine and further workloads: HTML edition"  # of a picture on paper
WIDTH = 680  # px: what fits the column of a page


class Panels(alt.TopLevelMixin, alt.TopLevelConcatSpec):
    """Panels in rows: an Altair chart whose parts are specifications already. `alt.layer` and
    `alt.concat` copy each part of a part whenever anything is added, most of a large chart's time.
    """


@dataclass(frozen=True)
class PanelChart:
    """A panel's specification, and the rows that it names."""

    spec: dict
    datasets: dict


@dataclass(frozen=True)
class Figure:
    """What a chart of the library is made of.

    chart   the Altair chart;  frame: the rows that it shows; none where nothing could be drawn
    narrow  the chart on a narrow page, where it is another
    paper   the chart on paper, where the whole one would be too small to read
    """

    chart: alt.Chart | Panels
    frame: pd.DataFrame
    narrow: Panels | None = None
    paper: Panels | None = None


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


def stores(frames: Iterable[pd.DataFrame]) -> dict[str, dict]:
    """The stores in rows of charts, by their names there, which may have more to them ("MapDB
    (2/3)"): store, the id; own, the name without more; colour; side, whether it is a further row of
    an engine or a control; driven, the address of how it was driven. Rows that are named for their
    workload are left out.
    """
    known, found = shown_stores(), {}
    for frame in frames:
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


def _config() -> dict:
    return own_json(THEME / "charts.json")


def composed(
    frame: pd.DataFrame,
    panels: list[PanelChart],
    columns: int,
    narrow_panels: list[PanelChart] | None = None,
    narrow_columns: int = 1,
) -> Figure:
    """A figure of panels that show the rows of a frame, so many in a row; on a narrow page one in a
    row, or other panels where these are too wide for it, `narrow_columns` in a row.
    """
    chart = panels_in(panels, columns)
    narrow = _in_columns(narrow_panels, narrow_columns) if narrow_panels else None
    return Figure(chart, frame, narrow)


def layered(layers: Sequence[alt.Chart], title: alt.TitleParams, **sizes: int) -> PanelChart:
    """A panel of layers under its title."""
    context: dict[str, Any] = {"top_level": False, "datasets": {}, "pre_transform": False}
    specs = [each.to_dict(validate=False, context=context) for each in layers]
    return PanelChart({"layer": specs, "title": title.to_dict(), **sizes}, context["datasets"])


def panels_in(panels: Sequence[PanelChart], columns: int) -> Panels:
    """Panels of a wide page or of paper, so many in a row."""
    padding = {"left": 4, "top": 4, "bottom": 4, "right": 10}
    return _in_columns(panels, columns, 18, padding=padding)


def _in_columns(panels: Sequence[PanelChart], columns: int, apart: int = 14, **more: Any) -> Panels:
    return Panels(
        concat=[panel.spec for panel in panels],
        columns=columns,
        spacing={"row": 10, "column": apart},
        datasets={name: rows for panel in panels for name, rows in panel.datasets.items()},
        **more,
    )


def placeholder() -> Figure:
    """A figure that says that there is none."""
    chart = (
        alt.Chart(alt.InlineData(values=[{"text": NOTHING}]))
        .mark_text(fontStyle="italic")
        .encode(text="text:N")
    )
    return Figure(chart.properties(width=300, height=60), pd.DataFrame())


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
