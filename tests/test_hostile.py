"""What comes from elsewhere is text: on pages, on paper, in a terminal and in YAML."""

import html.parser
import itertools
import json
import re
import shutil

import hostile
import pages
import pytest
import synthetic
import yaml
from chapters import NO_PICTURE

from kvreport.base import markdown, paths
from kvreport.base.text import visible
from kvreport.charts import figures as drawn
from kvreport.charts.tables import table
from kvreport.data import published
from kvreport.render import cite, offline
from kvreport.render.book import filled, load_book, variables_of
from kvreport.render.crossref import words
from kvreport.render.pandoc import parse
from kvreport.render.sources import write_scripts, write_variables

OWN_SCRIPT = re.compile(
    r"((\.\./)*\.\.?/)?report/theme/(offline/offline|vega|stores|charts|tables|ranking|chooser)\.js"
)
# chapters whose figures are drawn, one for each kind of panel; that takes Altair and Vega long
DRAWN = {"08-threads", "09-plain-maps", "12-fairness", "14-aged"}
TABS = 8  # of a browser, open at once
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
        known = given.get("type") == "application/json" or OWN_SCRIPT.fullmatch(
            given.get("src") or ""
        )
        if tag == "script" and not known:
            self.found.append(f"script {given}")
        if tag in ELEMENTS and given.get("rel") != "stylesheet":
            self.found.append(f"{tag} {given}")
        for name, value in attributes:
            scheme = re.match(r"\s*([a-z][a-z0-9+.-]*):", value or "", re.IGNORECASE)
            if name.startswith("on") or (name == "style" and "evil" in (value or "")):
                self.found.append(f"{name} of {tag}")
            if name in SOURCES and (
                "evil" in (value or "") or (scheme and scheme[1] not in ("https", "http"))
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
        for token, whole in ((hostile.TOKEN, hostile.SEEN), ("Sh0rt", visible(hostile.SHORT)))
        for found in re.finditer(token, flat)
        # of a launcher's warning a page has what stands before its advice
        if not flat.startswith((whole, f"{whole.partition(': ')[0]}."), found.start())
    ]


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """The book, its chapters executed on the hostile run and on hostile figures of the sources,
    rendered by the offline engine.
    """
    runs, root = tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("book")
    figures = tmp_path_factory.mktemp("sources") / "published"
    hostile.write_run(runs)
    hostile.write_figures(figures)
    shutil.copytree(paths.THEME, root / "report" / "theme")
    shutil.copy(paths.ROOT / "_quarto.yml", root)
    shutil.copytree(paths.MEASURE, root / "notebooks" / "measure")
    with hostile.figures_in(figures), pytest.MonkeyPatch.context() as patch:
        for notebook in (paths.ROOT / "index.ipynb", *sorted(paths.CHAPTERS.glob("*.ipynb"))):
            target = root / notebook.relative_to(paths.ROOT)
            composed = notebook.stem in DRAWN
            if not composed:
                patch.setattr(drawn, "picture", lambda spec: NO_PICTURE)
            hostile.save_chapter(notebook, target, runs, patch, composed)
            patch.undo()
        patch.setattr(paths, "RUNS", runs)
        write_variables(root)
        write_scripts(root)
        made = load_book(root)
        offline.render_offline(made, ("html", "typst"), None)
    return made


@pytest.mark.end_to_end
def test_nothing_of_a_hostile_run_is_live_and_all_of_it_is_read(book):
    files = [book.output / chapter.page for chapter in book.chapters]
    of_stores = sorted(book.output.rglob("store-*.html"))
    read, places = 0, {}
    for file in [*files, *of_stores]:
        page = Live(file.read_text())
        assert page.found == [], file.name
        text = "".join(page.text)
        assert misread(text) == [], file.name
        places[file.stem] = text.count(hostile.TOKEN)
        read += places[file.stem]
        for held in map(json.loads, page.json):
            parts = {"config", "specs", "stores", "key"}
            assert set(held) == parts or (held["points"] and held["stores"])
    assert (
        read > 200
        and places["methodology-details"]
        and any(places[file.stem] for file in of_stores)
    )
    search = (book.output / "search.js").read_text()
    json.loads(search.removeprefix("window.kvSearch = ").rstrip(";\n"))


@pytest.mark.end_to_end
def test_a_hostile_run_is_read_on_paper(book):
    counts = (page.count("alert(1)") for page in pages.pdf_pages(book.output / book.pdf))
    assert any(found > 50 for found in itertools.accumulate(counts)), "on its first pages already"


@pytest.mark.end_to_end
def test_a_browser_runs_nothing_of_a_hostile_run(browser, book):
    said: list[str] = []
    chapters = [each for each in book.chapters if not each.source.startswith("notebooks/measure")]
    for at in range(0, len(chapters), TABS):
        opened = [browser.new_page() for _ in chapters[at : at + TABS]]
        for page, chapter in zip(opened, chapters[at : at + TABS], strict=True):
            page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
            page.on("request", lambda r: said.append(r.url) if "evil" in r.url else None)
            page.goto((book.output / chapter.page).as_uri())
        page.wait_for_timeout(1000)  # so that what the charts' script draws is there, too
        assert said == [], [each.source for each in chapters[at : at + TABS]]
        for page in opened:
            page.close()


def test_hostile_figures_are_read_by_no_later_test(tmp_path):
    hostile.write_figures(tmp_path / "published")
    with pytest.raises(ZeroDivisionError), hostile.figures_in(tmp_path / "published"):
        assert published.read("rocksjava")["source"].str.contains(hostile.TOKEN).any()
        raise ZeroDivisionError("what renders them fails")
    assert not published.read("rocksjava")["source"].str.contains(hostile.TOKEN).any()


HOSTILE = [
    *(opening + hostile.PAYLOAD for opening in hostile.OPENINGS),
    *(
        "# x",
        "1. x",
        "- x",
        "+ x",
        "::: x",
        ": x",
        "(a) b",
        "(1) b",
        "a. b",
        "---",
        "...",
        "%",
        "==",
    ),
    *("`", "``", "a`b", "a|b", "a\\", "\\", "*", "_a_", "$1$", "@a", "[a]", "<a", "{.a}", "&amp;"),
    *("http://evil.example", "mailto:a@b.example", "javascript:x", "a  b", "\x1b[1m", "a\nb\n\nc"),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_of_data_reads_as_the_data(text):
    wanted = " ".join(visible(text).split())
    [block] = parse(markdown.escape(text))
    assert block["t"] == "Para" and words([block]) == wanted
    assert {each["t"] for each in block["c"]} <= {"Str", "Space"}
    [listed] = parse(table(["name"], [[text]]).data)
    assert listed["t"] == "Table" and words([listed]) == f"name {wanted}"
    assert words(parse(markdown.code(text))) == wanted


def test_what_is_live_does_not_come_through_the_reader():
    text = (
        "<script>a</script>\n\n```{=html}\n<iframe>\n```\n\n`x`{=typst} [a](javascript:b)"
        " <b onclick=c>d</b> [e]{onclick=f style=g} <!-- h --> [i](https://example.org)\n"
    )
    left = json.dumps(parse(text))
    for gone in ("script", "iframe", "typst", "onclick", "style"):
        assert gone not in left
    assert "https://example.org" in left


def test_variables_are_yaml_whatever_a_book_is_called(tmp_path, monkeypatch):
    runs, root = tmp_path / "runs", tmp_path / "book"
    monkeypatch.setattr(paths, "RUNS", runs)
    monkeypatch.delenv("KVREPORT_RUN", raising=False)
    monkeypatch.setenv(cite.VERSION, "2026-01-05")
    root.mkdir()
    (root / "_quarto.yml").write_text((paths.ROOT / "_quarto.yml").read_text())
    for left_over in (b'run: "lab "A""\n', b"\xff\xfe", b"- a\n", b"run: [\n"):
        (root / "_variables.yml").write_bytes(left_over)
        assert variables_of(root) in ({}, {"run": "lab"})
    name = synthetic.write_run(runs, "2026-01-02-lab", sections=[synthetic.SECTION])
    file = root / "_quarto.yml"
    title = '"Embedded key-value stores for the JVM"'
    file.write_text(file.read_text().replace(title, """'lab "A": {b} # c'"""))
    write_variables(root)
    said = yaml.safe_load((root / "_variables.yml").read_text())
    assert words(parse(said["run"])).startswith(f"Run {name}, profile smoke")
    assert 'lab "A": {b} # c' in words(parse(said["citation"]))
    declared = {"left": "{{< var version >}} · {{< var run >}}"}
    assert filled(declared, variables_of(root))["left"].startswith(
        f"Version 2026-01-05 · Run {name}, profile"
    )
