"""The whole way, as a user goes it: real kernels measure, the chapters compute, the renderer
renders, a browser opens the pages.

In a copy of the project, with the environment and the built stores of this one.
"""

import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pages
import pytest
import samples

from kvreport.base.paths import CACHE
from kvreport.data import records, runs
from kvreport.measure import memory
from kvreport.toolchain import catalogue

pytestmark = pytest.mark.end_to_end

STORES = ("FlatFile", "LmdbJavaBb", "ChronicleMap")  # in Test 4
EVERYWHERE = ("LmdbJavaBb", "Memory")  # in every section that has them, one trial of each
LIMIT_SECONDS = 900

OF_A_CHECKOUT = {"book", "logs", "notebooks"}  # of what is cached, that which the copy makes anew


def kvreport(project: Path, *arguments: str) -> str:
    """Runs the command line of the copy and returns what it said."""
    words = "from kvreport.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", words, *arguments],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        env=os.environ | {"PYTHONPATH": str(project), "KVREPORT_HOST": "test", "KVREPORT_RUN": ""},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    catalogue.catalog()  # so that the copy finds everything built
    copy = samples.copy_project(tmp_path_factory.mktemp("project") / "copy")
    for each in CACHE.iterdir():
        if each.name not in OF_A_CHECKOUT:
            (copy / ".cache" / each.name).symlink_to(each)
    return copy


def asked_of(stores: tuple[str, ...]) -> list[str]:
    return ["--profile", "smoke", *(word for store in stores for word in ("--store", store))]


def make_report(project: Path) -> str:
    """As a kernel takes seconds to start, what more stores add is seen in Test 4."""
    return kvreport(project, "report", "--rounds", "1", *asked_of(EVERYWHERE))


@pytest.fixture(scope="module")
def report(project) -> str:
    for section, stores_of in ("04", STORES), ("02", STORES[:1]):
        kvreport(project, "measure", section, "--rounds", "1", *asked_of(stores_of))
    return make_report(project)


@pytest.fixture(scope="module")
def draft(project, report) -> Path:
    return project / "report" / "draft"


def test_the_run_is_complete_and_says_where_the_report_is(project, report, draft):
    [run] = (file.parent for file in (project / "data" / "runs").glob("*/environment.json"))
    trials = [records.read_trial(file) for file in sorted(run.glob("*/*.json"))]
    measured = {(trial["section"], trial["store"]["id"]) for trial in trials}
    assert {each for each in measured if each[0] < "16"} == {  # later ones are none of this test's
        ("00-harness", "Memory"),
        ("01-lmdb-settings", "LmdbJavaBb"),
        ("02-value-sizes", "FlatFile"),
        *(("04-small-values", store) for store in STORES),
        ("05-medium-values", "LmdbJavaBb"),
        ("06-large-values", "LmdbJavaBb"),
        ("07-leveldb-page", "LmdbJavaBb"),
        ("08-threads", "LmdbJavaBb"),
        *(("11-latency", store) for store in EVERYWHERE),
        ("13-cold", "LmdbJavaBb"),
        ("14-aged", "LmdbJavaBb"),
        *(("15-beyond-memory", "LmdbJavaBb") for _ in [1] if memory.why_not() is None),
    }
    assert all(
        any(flag.startswith(runs.MEMORY) for flag in trial["jvm"]["flags"])
        == (trial["section"] == "15-beyond-memory")
        for trial in trials
    )
    assert (
        shutil.which("strace") is None
        or '"msync"' in (run / "01-lmdb-settings.syscalls.json").read_text()
    )
    assert not [
        (trial["section"], trial["store"]["id"], trial["reason"])
        for trial in trials
        if trial["status"] != "ok" or trial["mode"] != "isolated" or not trial["jars"]
    ]
    assert "Built" not in report, "a copy takes what its cache has"
    assert str(Path("report/draft/index.html")) in report and (draft / "index.html").is_file()
    told = (run / "environment.json").read_text() + "".join(
        file.read_text() for file in run.glob("*/*.json")
    )
    assert str(project) not in told, "records name no folder of the machine"


QUESTION = """question = "Which of two?"
entries = 2_000
value_bytes = 100
mix = { get = 0.5, put = 0.2, insert = 0.1, delete = 0.1, range = 0.1 }
stores = ["LmdbJavaBb", "ChronicleMap"]
minutes = 1
"""


def test_a_question_of_ones_own_is_answered_on_a_page_of_its_own(project, report, browser):
    before = sorted((project / "data" / "runs").iterdir())
    (project / "mine.toml").write_text(QUESTION)
    said = kvreport(project, "measure", "mine.toml")
    assert "report/own/mine/index.html and report/own/mine/mine.pdf" in said
    made = project / "report" / "own" / "mine"
    text = html.unescape(re.sub("<[^>]*>", "", (made / "index.html").read_text()))
    assert "Which of two?" in text and "2,000 entries with string keys" in text
    assert "LMDB BB" in text and "Chronicle" in text
    assert not pages.faults(browser, made) and (made / "mine.pdf").read_bytes()[:4] == b"%PDF"
    own = project / "data" / "runs" / "own" / "mine"
    trials = [records.read_trial(file) for file in own.glob("*/1-mine/*.json")]
    assert len(trials) >= 4, "two rounds of both, whatever the time"
    assert sorted({*(project / "data" / "runs").iterdir()} - {own.parent}) == before


def test_the_pages_work_from_disk_without_a_network(browser, draft):
    assert not pages.faults(browser, draft)
    text = "".join(page.read_text() for page in (draft / "notebooks/chapters").glob("*.html"))
    figures = (
        [
            f"a{number:02}"
            for number in (*range(1, 8), *range(9, 14), 15, 16, 17, 19, 20, 22, 23, 25)
        ]
        + ["b01", "b02", "crossover"]
        + [
            "noise",
            "bias",
            "latency-get",
            "latency-put",
            "fairness",
            "cold",
            "aged",
            "costs-4",
            "costs-5",
            "shares",
        ]
    )
    listed = [
        "a08",
        "a14",
        "a18",
        "a21",
        "a24",
        "a26",
        *(f"b{number:02}" for number in range(3, 10)),
    ]
    missing = [
        id
        for id in [*(f"fig-{each}" for each in figures), *(f"tbl-{each}" for each in listed)]
        if f'id="{id}"' not in text
    ]
    assert not missing


def test_the_paper_has_the_same_figures_in_vectors(draft):
    [pdf] = draft.glob("*.pdf")
    assert not pages.raster_images(pdf)
    paper = pages.pdf_pages(pdf)
    assert "Embedded key-value stores for the JVM" in next(paper)
    measured = r"measured \d{4}-\d\d-\d\d on test · profile smoke · [^·]+ · 1 trial\b"
    wanted = {rf"{each}\. " for each in ("A07", "A08", "A09", "A10", "A11", "A12")}
    wanted |= {f"A07 to A12 · {measured}", "n/a: a hash table keeps no order"}
    while wanted:
        text = next(paper, None)
        assert text is not None, wanted
        wanted = {each for each in wanted if not re.search(each, text)}


def test_the_log_of_the_run_is_in_the_book(project, draft):
    [run] = (file.parent for file in (project / "data" / "runs").glob("*/environment.json"))
    page = (draft / "notebooks/measure/04-small-values.html").read_text()
    for store in STORES:
        trial = records.read_trial(run / "04-small-values" / f"{store}-1.json")
        assert trial["output"]
        for line in (trial["started"], *trial["output"]):
            assert html.escape(line, quote=False) in page


def test_a_second_call_measures_nothing_and_executes_nothing(project, report):
    before = {
        file: file.stat().st_mtime_ns
        for file in [*project.glob("notebooks/*/*.ipynb"), *project.glob("data/runs/*/*/*.json")]
    }
    asked = {
        file.parent for store in EVERYWHERE for file in project.glob(f"data/runs/*/*/{store}-*")
    }
    assert make_report(project).count("0 of them new") == len(asked), (
        "one for each section that has such stores"
    )
    assert {file: file.stat().st_mtime_ns for file in before} == before
