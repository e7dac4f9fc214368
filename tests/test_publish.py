"""Publishing, end to end, in a copy of the project with a small book and a made-up run: frozen,
proved, refused, replaced by a newer one.
"""

import functools
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pages
import pytest
import samples
import synthetic
import yaml

from kvreport.base.paths import ROOT
from kvreport.data import versions
from kvreport.publish import bundle

pytestmark = pytest.mark.end_to_end

SECTION = "03-batch-sizes"
CHAPTER, LOG, CHANGES = (
    f"notebooks/chapters/{SECTION}",
    f"notebooks/measure/{SECTION}",
    "notebooks/chapters/changes",
)
FIRST, REVISED, SECOND = "2026-01-05", "2026-01-05.2", "2026-02-05"
BOOK = [{"part": "The tests", "chapters": [f"{CHAPTER}.ipynb", f"{CHANGES}.ipynb"]}]
STAMP = """
import nbformat
from kvreport.base import notebooks
from kvreport.data import runs
from kvreport.measure import log, section
for each in section.sections():
    notebook, run = each.notebook(), runs.run_of(each.id)
    stamp = log.stamp_of(each, run, runs.load(run, each.id).trials)
    notebooks.note(notebook, stamp, timed=log.hand_stamp(notebook))
    nbformat.write(notebook, each.file)
"""
FAIL = """
import shutil
from pathlib import Path
from kvreport.publish import publishing as publish
from kvreport.render import engines
def fail(*_, **__): raise OSError('no space left')
def interrupt(*_): raise KeyboardInterrupt
move, rendered, kept = Path.rename, publish.rendered, Path('rendered')
def once(book, made, name):
    if not kept.exists():
        rendered(book, kept, name)
    shutil.copytree(kept, made)
    return 'rendered once'
"""
RENDERED = "publish.rendered = once; "
FAILURES = {  # where publishing fails, as a replacement of one of its parts
    # whichever there is
    "by the engine": "engines.with_quarto = engines.offline.render_offline = fail",
    "while data are written": f"{RENDERED}publish.export.write_parquet = fail",
    "while it is put in its place": (
        f"{RENDERED}Path.rename = lambda one, other: fail() if one.name == 'versions.js' and"
        " one.parent.name.startswith('.kvreport-') else move(one, other)"
    ),
    "by Ctrl-C": f"{RENDERED}publish.dress = interrupt",
}
# the copy's package, loaded once: each call is a fork
CALLS = """
import json, os, pathlib, signal, sys
from kvreport import cli
from kvreport.measure import machine_lock
from kvreport.publish import publishing
machine_lock.PLACE = pathlib.Path('place')  # so that nothing is said of what else is measured here
for line in sys.stdin:
    words, arguments, *files = json.loads(line)
    if not (child := os.fork()):
        signal.alarm(600)
        for number, file in enumerate((os.devnull, *files)):
            os.dup2(os.open(file, os.O_WRONLY if number else os.O_RDONLY), number)
        sys.argv = ['-c', *arguments]
        exec(words)
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Project:
    """A copy of the project."""

    def __init__(self, folder: Path):
        self.folder, self.report = folder, folder / "report"
        self.printed = folder.with_name("stdout"), folder.with_name("stderr")

    @functools.cached_property
    def process(self) -> subprocess.Popen:
        path = os.pathsep.join([str(self.folder), os.environ.get("PYTHONPATH", "")])
        return subprocess.Popen(
            [sys.executable, "-c", CALLS],
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": path, "KVREPORT_RUN": ""},
        )

    def python(self, words: str, *arguments: str) -> subprocess.CompletedProcess:
        for file in self.printed:
            file.write_text("")
        self.process.stdin.write(json.dumps([words, arguments, *map(str, self.printed)]) + "\n")
        self.process.stdin.flush()
        code = int(self.process.stdout.readline())
        return subprocess.CompletedProcess(
            words, code, *(each.read_text() for each in self.printed)
        )

    def call(self, *arguments: str) -> subprocess.CompletedProcess:
        return self.python("cli.main()", *arguments)

    def does(self, *arguments: str) -> str:
        done = self.call(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def refuses(self, *arguments: str) -> str:
        """The one sentence that a command says when it refuses; nothing published may have
        changed.
        """
        before = self.published()
        done = self.call(*arguments)
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, (
            done.stdout + done.stderr
        )
        assert self.published() == before
        return done.stderr

    def published(self) -> dict[str, bytes]:
        """Everything in report/ but the draft and the theme."""
        return {
            name: file.read_bytes()
            for file in sorted(self.report.rglob("*"))
            if file.is_file()
            and not (name := file.relative_to(self.report).as_posix()).startswith(
                ("draft/", "theme/")
            )
        }

    def measure(self, run: str, factor: float = 1.0):
        """A made-up run of one section, in which LevelDB takes so many times as long to write; its
        log is the notebook's.
        """
        synthetic.write_run(self.folder / "data" / "runs", run)
        for folder in (self.folder / "data" / "runs" / run).iterdir():
            if folder.is_dir() and folder.name != SECTION:
                shutil.rmtree(folder)
        for file in (self.folder / "data" / "runs" / run).glob("*/LevelDbJni-*.json"):
            record = json.loads(file.read_text())
            record["store"]["version"] = f"{factor}"
            for case in record["cases"]:
                for result in case["results"]:
                    result["iteration_ns"] = [round(ns * factor) for ns in result["iteration_ns"]]
            file.write_text(json.dumps(record))


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Iterator[Project]:
    """With nothing published yet."""
    made = Project(tmp_path_factory.mktemp("project") / "copy")
    samples.copy_project(made.folder, "tests", "shared", "latest", "versions.js*")
    (made.report / "index.html").unlink(
        missing_ok=True
    )  # of the versions that the project itself has published
    declaration = yaml.safe_load((made.folder / "_quarto.yml").read_text())
    declaration["book"] |= {"chapters": ["index.ipynb", *BOOK], "appendices": [f"{LOG}.ipynb"]}
    (made.folder / "_quarto.yml").write_text(yaml.safe_dump(declaration))
    front = nbformat.read(made.folder / "index.ipynb", 4)
    text = "\n".join(cell.source for cell in front.cells if cell.cell_type == "markdown")
    quoted = "\n".join(line for line in text.splitlines() if line.startswith(">"))
    front.cells = [nbformat.v4.new_markdown_cell(f"# Welcome {{.unnumbered}}\n\n{quoted}")]
    nbformat.write(front, made.folder / "index.ipynb")
    for notebook in (made.folder / "notebooks" / "measure").glob("*.ipynb"):
        if notebook.stem not in (SECTION, "00-harness"):
            notebook.unlink()
    for source in (LOG, CHAPTER):
        file = made.folder / f"{source}.ipynb"
        for name in ("sec-bias", "sec-driven", "sec-price"):  # of chapters that this book lacks
            file.write_text(file.read_text().replace(f"@{name}", "the whole report"))
    (made.folder / ".cache" / "quarto-out-of-reach").touch()
    made.measure("2026-01-02-lab")
    yield made
    made.process.communicate()


@pytest.fixture(scope="module")
def first(project) -> Path:
    """The first version."""
    project.does("render")
    assert project.python(STAMP).returncode == 0
    printed = project.does("publish", "--date", FIRST, "--allow-missing")
    assert re.search(rf"Published report/{FIRST}: \d+ files, [\d.]+ MB", printed)
    return project.report / FIRST


@pytest.fixture(scope="module")
def newer(project, first) -> Path:
    """A version of other measurements, published after the first and its revision."""
    project.does("publish", "--date", FIRST, "--revision", "--allow-missing")
    project.measure("2026-02-02-lab", 1.5)
    assert project.python(STAMP).returncode == 0
    project.does("render")
    project.does("publish", "--date", SECOND, "--allow-missing")
    return project.report / SECOND


def test_what_is_stale_or_missing_is_named_and_nothing_is_published(project):
    assert project.published() == {}
    printed = project.refuses("publish", "--allow-missing")
    assert (
        f"{CHAPTER}.ipynb, {CHANGES}.ipynb and {LOG}.ipynb are older than the data or the code"
        " behind" in printed
    )
    project.does("render")
    assert "Nothing to render" in project.does("render")
    (project.report / "draft" / "index.html").unlink()
    assert "Rendered in" in project.does("render"), "a page is missing"
    project.does("render", f"{CHAPTER}.ipynb")
    assert "Rendered in" in project.does("render"), "one page may be newer than the others"
    assert f"{LOG}.ipynb is older" in project.refuses("publish", "--allow-missing")
    assert project.python(STAMP).returncode == 0
    assert (
        "Nothing is measured of 00-harness: measure it (`make section S=00 PROFILE=smoke`)"
        in project.refuses("publish")
    )
    assert "5.1.2026 is no date: write it as 20" in project.refuses("publish", "--date", "5.1.2026")


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_publish_that_fails_leaves_everything_as_it_was(project, first, failure):
    before = project.published()
    done = project.python(f"{FAIL}{failure}\npublish.publish('{FIRST}', True, True)")
    assert done.returncode != 0 and (
        "no space left" in done.stderr or "KeyboardInterrupt" in done.stderr
    ), done.stderr
    assert project.published() == before and not list(project.report.glob(".kvreport-*"))
    assert "version: Draft" in (project.folder / "_variables.yml").read_text()


def test_a_version_holds_everything_behind_it(project, first):
    manifest = json.loads((first / "manifest.json").read_text())
    assert manifest["version"] == manifest["date"] == FIRST
    assert manifest["missing"] == ["00-harness"]
    proved = project.does("verify", str(first))
    assert re.match(r"\S+ is whole: \d+ files and \d+ shared as published on \S+, by its", proved)
    with zipfile.ZipFile(first / "data" / "unversioned.zip") as held:
        names, store = held.namelist(), "jbang/stores/LevelDbJni.java"
        recorded = [name for name in names if name.startswith("data/runs/2026-01-02-lab/")]
        assert len(recorded) == 1 + 3 * len(synthetic.STORES)
        for name in (*recorded, store):
            assert held.read(name) == (project.folder / name).read_bytes()
        cells = json.loads((project.folder / f"{CHAPTER}.ipynb").read_text())["cells"]
        packed = json.loads(held.read(f"{CHAPTER}.ipynb"))["cells"]
    assert [cell["source"] for cell in packed] == [cell["source"] for cell in cells]
    assert not any(cell.get("outputs") for cell in packed)
    text = (first / "CITATION.cff").read_text()
    cited = yaml.safe_load(text)
    assert "*" not in text, "no aliases, which readers of the format refuse"
    assert {"cff-version", "message", "title", "authors", "version"} <= cited.keys()
    assert str(cited["date-released"]) == FIRST
    author = yaml.safe_load((ROOT / "_quarto.yml").read_text())["book"]["author"]
    assert cited["authors"] == [{"name": author}]
    assert cited["license"] == cited["preferred-citation"]["license"] == "CC-BY-4.0"
    front = (first / "index.html").read_text()
    assert f"Version {FIRST}" in front
    assert f"version {FIRST}, profile smoke, measured on lab." in front
    paper = pages.pdf_pages(first / "embedded-key-value-stores.pdf")
    assert f"Version {FIRST}" in next(paper)
    assert any("To cite it: The Embedded Key-Value Stores Report" in page for page in paper)
    rows = gzip.decompress((first / "data/figures/fig-a06.csv.gz").read_bytes()).decode()
    assert 'href="../../data/figures/fig-a06.csv.gz"' in (first / f"{CHAPTER}.html").read_text()
    assert rows.startswith("section,store,keys,order,value_bytes,settings,content,workload,name,")
    assert len(rows.splitlines()) > 100


def test_versions_follow_one_another(project, newer):
    listed = json.loads((project.report / "versions.json").read_text())
    names = [SECOND, REVISED, FIRST]
    assert listed["latest"] == SECOND and [each["version"] for each in listed["versions"]] == names
    assert listed["versions"][0]["stores"]["LevelDB"] == "org.example:leveldbjni:1.5"
    assert listed["versions"][2]["measured"] == ["2026-01-02", "2026-01-02"]
    assert all(
        (project.report / each[what]).is_file()
        for each in listed["versions"]
        for what in ("html", "pdf", "csv", "parquet", "jmh", "citation", "manifest")
    )
    index = (project.report / "index.html").read_text()
    at = [index.index(f'"{name}/index.html"') for name in names]
    assert at == sorted(at)
    assert "LevelDB 1.5" in index and "not measured</dt><dd>00-harness" in index
    for day, sentence in {
        "2026-01-07": f"Versions follow one another, and {SECOND} is published already",
        SECOND: f"{SECOND} is published, and a published version is never changed: --revision"
        f" publishes {SECOND}.2 beside it.",
    }.items():
        assert sentence in project.refuses("publish", "--date", day, "--allow-missing")
    shared = {file.name: file for file in (project.report / "shared").iterdir()}
    for version in names:
        manifest = versions.manifest(project.report / version)
        assert manifest["shared"].keys() == shared.keys() and not manifest["records"]
        assert not list((project.report / version).rglob("*.css"))
    for name, file in shared.items():
        assert versions.sha256(file).startswith(name.partition("-")[0])


def test_a_version_says_what_changed_since_the_one_before(project, newer):
    text = " ".join(re.sub("<[^>]+>", " ", (newer / f"{CHANGES}.html").read_text()).split())
    assert re.search(
        rf"Against version {REVISED}, of \d+ results that both have 8 became slower, 0 became"
        r" faster",
        text,
    )
    assert re.search(
        r"LevelDB, library\s+org.example:leveldbjni:1.0\s+org.example:leveldbjni:1.5", text
    )
    first_text = " ".join((project.report / REVISED / f"{CHANGES}.html").read_text().split())
    assert "No version of other measurements is published before this one" in first_text
    printed = project.call("compare", FIRST, "latest", "--fail-on-regression", "10%")
    assert printed.returncode == 1 and "slower: LevelDB, write" in printed.stdout
    assert "There is no version, run or folder 2026-03-03; versions: " in project.refuses(
        "compare", "2026-03-03", FIRST
    )


def test_older_versions_say_so_from_disk_and_are_untouched(browser, project, newer):
    page = browser.new_page()
    for version in (FIRST, REVISED):
        page.goto((project.report / version / f"{CHAPTER}.html").as_uri())
        assert f"it is version {version}" in page.inner_text("main .kv-outdated")
        page.click(".kv-outdated a")
        assert page.url.endswith(f"report/{SECOND}/{CHAPTER}.html")
        assert not page.locator(".kv-outdated").count()
    page.goto((project.report / "latest" / f"{CHAPTER}.html").as_uri() + "#fig-a06")
    page.wait_for_url(f"**/{SECOND}/{CHAPTER}.html#fig-a06")
    (project.report / "versions.js").rename(project.report / "hidden.js")
    page.goto((project.report / FIRST / "index.html").as_uri())
    assert "Welcome" in page.inner_text("main") and not page.locator(".kv-outdated").count(), (
        "without the list there is no banner, and nothing breaks"
    )
    (project.report / "hidden.js").rename(project.report / "versions.js")
    for version in (FIRST, REVISED, SECOND):
        project.does("verify", f"report/{version}")


def test_every_published_page_works_from_disk(browser, project, newer):
    host = shutil.copytree(
        project.report, project.folder / "host" / "base", ignore=shutil.ignore_patterns("draft")
    )
    shutil.rmtree(host / "theme")
    assert pages.broken_links(host) == []
    names = ("index.html", f"{CHAPTER}.html", f"{CHANGES}.html", "data/index.html")
    page = browser.new_page(viewport={"width": pages.PHONE, "height": 800})
    for file in [host / "index.html", *(host / SECOND / name for name in names)]:
        assert of_book(pages.faults_of_page(page, file)) == [], file


def of_book(faults: list[str]) -> list[str]:
    """Faults without links to the stores' pages, which this small book has not."""
    return [each for each in faults if not re.search(r"store-\w+\.html", each)]


def test_an_archive_stands_alone(browser, project, newer, tmp_path):
    file = tmp_path / "made.zip"
    nowhere = project.refuses("bundle", SECOND, "-o", str(tmp_path / "none" / "made.zip"))
    assert f"There is no folder {tmp_path}/none" in nowhere
    long = project.refuses("bundle", SECOND, "-o", str(tmp_path / f"{'x' * 300}.zip"))
    assert "File name too long: choose a shorter one" in long
    project.does("bundle", SECOND, "-o", str(file))
    assert bundle.verify(file).manifest["version"] == SECOND
    with zipfile.ZipFile(file) as packed:
        packed.extractall(tmp_path / "any")
    [top] = (tmp_path / "any").iterdir()
    assert pages.broken_links(top) == []
    page = browser.new_page(viewport={"width": pages.DESK, "height": 900})
    page.goto((top / "index.html").as_uri())
    page.wait_for_url(f"**/report/{SECOND}/index.html")
    chart = top / "report" / SECOND / f"{CHAPTER}.html"
    assert of_book(pages.faults_of_page(page, chart)) == []


def test_a_damaged_trial_costs_its_row_and_the_exit_code(project, first):
    """Last, as it damages the newest run, though it takes that back."""
    run = max((project.folder / "data" / "runs").iterdir())
    file = run / SECTION / "MapDb-1.json"
    whole = file.read_bytes()
    file.write_bytes(whole[:-9])
    done = project.call("render", f"{CHAPTER}.ipynb")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Rendered in" in done.stdout and "Traceback" not in done.stderr
    [said] = [line for line in done.stderr.splitlines() if file.name in line]  # Quarto says more
    assert f"{file.relative_to(project.folder)} is damaged (not JSON: " in said
    page = (project.report / "draft" / f"{CHAPTER}.html").read_text()
    assert "MapDb-1.json" in page and "RocksDB" in page
    file.write_bytes(whole)
