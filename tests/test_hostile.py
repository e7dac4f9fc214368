"""What comes from elsewhere is text: on pages, on paper, in a terminal and in YAML."""

import html.parser
import json
import re
import shutil

import hostile
import pages
import pytest
import yaml

from kvreport.base import markdown, paths
from kvreport.base.text import visible
from kvreport.render import offline
from kvreport.render.book import load
from kvreport.render.crossref import harmless, words
from kvreport.render.pandoc import parse
from kvreport.render.sources import write_scripts, write_variables

OWN_SCRIPT = re.compile(r"(\.\./)*(\.|\.\.)/report/theme/(offline/offline|vega|charts)\.js")
ELEMENTS = {"iframe", "object", "embed", "base", "form", "applet", "frame", "link"}
SOURCES = "src", "href", "action", "formaction", "data", "poster", "srcdoc"


class Live(html.parser.HTMLParser):
    """What a page could run or fetch that is not the report's own, and its text."""

    def __init__(self, text: str):
        super().__init__()
        self.found: list[str] = []
        self.text: list[str] = []
        self.json: list[str] = []
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.inside = given.get("type") or tag if tag in ("script", "style") else ""
        if tag == "script" and given.get("type") != "application/json":
            if not OWN_SCRIPT.fullmatch(given.get("src") or ""):
                self.found.append(f"script {given}")
        if tag in ELEMENTS and given.get("rel") != "stylesheet":
            self.found.append(f"{tag} {given}")
        for name, value in attributes:
            scheme = re.match(r"\s*([a-z][a-z0-9+.-]*):", value or "", re.IGNORECASE)
            if name.startswith("on") or name == "style" and "evil" in (value or ""):
                self.found.append(f"{name} of {tag}")
            if name in SOURCES and (
                "evil" in value or (scheme and scheme[1] not in ("https", "http"))
            ):
                self.found.append(f"{name}={value} of {tag}")

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside == "application/json":
            self.json.append(data)
        elif not self.inside:
            self.text.append(data)


def misread(text: str) -> list[str]:
    """Where a page's text has the beginning of what is hostile and then not the whole of it."""
    flat = " ".join(text.split())
    return [
        flat[found.start() : found.start() + 900]
        for found in re.finditer(hostile.TOKEN, flat)
        if not flat.startswith(hostile.SEEN, found.start())
    ]


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """The book, its chapters executed on the hostile run, rendered by the offline engine."""
    runs, root = tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("book")
    hostile.write_run(runs)
    shutil.copytree(paths.THEME, root / "report" / "theme")
    for name in ("_quarto.yml", "index.qmd"):
        shutil.copy(paths.ROOT / name, root)
    shutil.copytree(paths.MEASURE, root / "notebooks" / "measure")
    with pytest.MonkeyPatch.context() as patch:
        for notebook in sorted(paths.CHAPTERS.glob("*.ipynb")):
            target = root / "notebooks" / "chapters" / notebook.name
            hostile.save_chapter(notebook, target, runs, patch)
        write_variables(root)
        write_scripts(root)
        made = load(root)
        offline.render(made, ("html", "typst"), None)
    return made


@pytest.mark.end_to_end
def test_nothing_of_a_hostile_run_is_live_and_all_of_it_is_read(book):
    files = [book.output / chapter.page for chapter in book.chapters]
    read, places = 0, {}
    for file in files:
        page = Live(file.read_text())
        assert page.found == [], file.name
        text = "".join(page.text)
        assert misread(text) == [], file.name
        places[file.stem] = text.count(hostile.TOKEN)
        read += places[file.stem]
        for data in page.json:
            assert set(json.loads(data)) == {"config", "specs", "links"}
    assert read > 200 and all(places[name] for name in ("methodology", "stores-driven", "index"))
    search = (book.output / "search.js").read_text()
    json.loads(search.removeprefix("window.kvSearch = ").rstrip(";\n"))


@pytest.mark.end_to_end
def test_a_hostile_run_is_read_on_paper(book):
    text = " ".join(pages.pdf_pages(book.output / book.pdf))
    assert text.count("<script>alert(1)</script>".replace(" ", "")) + text.count("alert(1)") > 50


@pytest.mark.end_to_end
def test_a_browser_runs_nothing_of_a_hostile_run(book):
    with pages.chromium() as browser:
        for chapter in book.chapters:
            if chapter.source.startswith("notebooks/measure"):
                continue
            page = browser.new_page()
            said: list[str] = []
            page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
            page.on("request", lambda r: said.append(r.url) if "evil" in r.url else None)
            page.goto((book.output / chapter.page).as_uri())
            assert pages.faults_of_charts(page, "light") == [] and said == [], chapter.source
            page.close()
