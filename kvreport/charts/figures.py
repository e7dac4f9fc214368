"""Finished charts as pictures (SVG, for the PDF and wherever nothing runs) and as specifications,
which `Scripts` hands to the page's script.

Text, axis and grid colours come from report/theme/charts.json, so that the script can set them for
light and dark; the stores' colours come from the stores.
"""

import json
from collections.abc import Iterable
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
# of the theme, in the order that a page with figures needs; each engine adds that of tables itself
SCRIPTS = ("vega", "stores", "charts")


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


def stores(frames: Iterable[pd.DataFrame], driven: str = DRIVEN) -> dict[str, dict]:
    """The stores in rows of charts, by their names there, which may have more to them ("MapDB
    (2/3)"): store, the id; own, the name without more; colour; side, whether it is a further row of
    an engine or a control; driven, the address of how it was driven, empty if the book does not
    tell. Rows that are named for their workload are left out.
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
                        "driven": f"{driven}#{anchor(store)}" if driven else "",
                    }
    return found


def anchor(store: str) -> str:
    """The name of a store's heading in the appendix on how each was driven."""
    return f"sec-driven-{store.lower()}"


def _config() -> dict:
    return own_json(THEME / "charts.json")
