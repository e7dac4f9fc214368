"""A version in fewer bytes: pictures without what nobody sees, the data of charts and of the search
compressed, cells aligned by a class, the PDF's objects packed.
"""

import base64
import json
import re
import zlib
from pathlib import Path

import pikepdf

from kvreport.base.svg import lean
from kvreport.render import html
from kvreport.render.html import ASSIGNED, SEARCH

CHARTS = re.compile(
    r'(?P<open><script type="application/json" id="kv-charts">)(?P<data>.*?)(?P<close></script>)',
    re.DOTALL,
)
FOUND_BY_QUARTO = "search.json"
CODE = "notebooks/measure/", "notebooks/chapters/stores-driven.html#"  # half of that file
LEVEL = 9


def slim(folder: Path) -> None:
    """Rewrites the pages, the pictures and the search data in a folder. The offline engine's
    pictures are lean already, Quarto's come from the notebooks as they are.
    """
    for file in sorted(folder.rglob("*.svg")):
        file.write_text(lean(file.read_text()))
    for file in sorted(folder.rglob("*.html")):
        text = CHARTS.sub(_with_packed_charts, file.read_text())
        file.write_text(html.lean(text))
    if (found := folder / FOUND_BY_QUARTO).exists():
        entries = [each for each in json.loads(found.read_text()) if not is_code(each["href"])]
        found.write_text(json.dumps(entries, separators=(",", ":"), ensure_ascii=False))
    search = folder / SEARCH  # the offline engine's
    if search.exists():
        data = search.read_text().removeprefix(ASSIGNED).removesuffix(";\n")
        search.write_text(f"{ASSIGNED}{packed(data)};\n")


def is_code(address: str) -> bool:
    """Whether a part of a page is the code of a log or a store, which the search leaves out."""
    return address.startswith(CODE)


def packed(data: str) -> str:
    """JSON as charts.js and offline.js unpack it."""
    return json.dumps({"deflate": base64.b64encode(zlib.compress(data.encode(), LEVEL)).decode()})


def _with_packed_charts(charts: re.Match[str]) -> str:
    return f"{charts['open']}{packed(charts['data'])}{charts['close']}"


def slim_pdf(file: Path) -> None:
    """Rewrites a PDF in place, nothing left out. Most of a tagged one is the tree in which a screen
    reader finds headings, tables and figures: tens of thousands of small objects, which Typst
    writes plainly.
    """
    packed = pikepdf.ObjectStreamMode.generate
    with pikepdf.open(file, allow_overwriting_input=True) as pdf:
        pdf.save(file, object_stream_mode=packed, recompress_flate=True, deterministic_id=True)
