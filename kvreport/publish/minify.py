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
LOGS, STORES = "notebooks/measure/", "notebooks/chapters/store-"  # whose code is half of that file
FIRST = 600  # letters of a store's page: what the report says of it, before its code
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
        entries = without_code(json.loads(found.read_text()))
        found.write_text(json.dumps(entries, separators=(",", ":"), ensure_ascii=False))
    search = folder / SEARCH  # the offline engine's
    if search.exists():
        data = search.read_text().removeprefix(ASSIGNED).removesuffix(";\n")
        search.write_text(f"{ASSIGNED}{packed(data)};\n")


def without_code(entries: list[dict]) -> list[dict]:
    """Return what Quarto's search finds, but for the logs' code and the stores'."""
    return [
        each | {"text": each["text"][:FIRST]} if each["href"].startswith(STORES) else each
        for each in entries
        if not each["href"].startswith(LOGS)
    ]


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
