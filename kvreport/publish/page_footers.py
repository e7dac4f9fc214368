"""What a published version's pages have over the draft's: a foot with the version's files, links
from figures to their rows, and the script that says when a newer version is there (exhibit B10,
June's banner). It is put into the finished pages, whichever engine made them.
"""

import html
import json
import posixpath
import shutil
from collections.abc import Callable
from pathlib import Path

from kvreport.base.paths import THEME
from kvreport.publish.minify import CHARTS

SCRIPT = "report/theme/version.js"
LINKS = {  # of a version's foot, after its data and its PDF
    "Citation": "CITATION.cff",
    "Manifest": "manifest.json",
    "All versions": "../index.html",
}


def dress(
    folder: Path,
    pages: list[str],
    version: str,
    pdf: str,
    rows_of: Callable[[str, list[dict]], str],
) -> None:
    """Dresses the pages in a version's folder.

    rows_of  writes the rows that a figure (by its name, "fig-a09") shows, of such sources as
             export.figure_rows has, and gives the address of their file from the version's folder;
             empty where there are none
    """
    (folder / SCRIPT).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(THEME / "versions" / Path(SCRIPT).name, folder / SCRIPT)
    links = {"Data": "data/index.html", "PDF": pdf} | LINKS
    for page in pages:
        root = posixpath.relpath(".", posixpath.dirname(page) or ".")
        text = (folder / page).read_text()
        for figure, sources in figures(text, Path(page).stem).items():
            if address := rows_of(figure, sources):
                text = with_link(text, figure, f"{root}/{address}")
        linked = [f'<a href="{root}/{address}">{name}</a>' for name, address in links.items()]
        foot = " · ".join([f"Version {version}", *linked])
        text = before("</main>", text, f'<p class="kv-version">{foot}</p>\n')
        scripts = (
            f'<script src="{root}/../versions.js"></script>\n<script src="{root}/{SCRIPT}"'
            f' data-version="{version}" data-root="{root}"'
            f' data-page="{html.escape(page)}"></script>\n'
        )
        (folder / page).write_text(before("</body>", text, scripts))


def figures(text: str, section: str) -> dict[str, list[dict]]:
    """A page's figures with the rows they are drawn from: those that they name, or all of the
    section that the page is named for.
    """
    found = CHARTS.search(text)
    specs = json.loads(found["data"])["specs"] if found else {}
    return {
        figure: spec.get("usermeta", {}).get("rows", [{"section": section}])
        for figure, spec in specs.items()
    }


def with_link(text: str, figure: str, address: str) -> str:
    """A page with a link at the end of a figure's caption."""
    link = f' <a class="kv-rows" href="{address}">Rows of this figure (CSV, compressed)</a>'
    at = text.find(f'id="{figure}"')
    end = text.find("</figcaption>", at)
    return text if -1 in (at, end) else text[:end] + link + text[end:]


def before(mark: str, text: str, added: str) -> str:
    """A text with something put before the last of a mark, which it must have."""
    head, found, tail = text.rpartition(mark)
    if not found:
        raise ValueError(f"a page has no {mark}")
    return head + added + found + tail
