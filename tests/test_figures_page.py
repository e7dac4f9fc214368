"""Figures on a page: which stores they show, the one that is set off, what can be saved, and what a
reader is told who cannot see them.
"""

import csv
import html

import pages
import pandas as pd
import pytest
import synthetic

import kvreport as kv
from kvreport.base import paths
from kvreport.charts import figures, page

pytestmark = pytest.mark.end_to_end
WORDS = 'Sorted rows, "quoted" <b>'
ROWS = ".kv-chart svg .role-axis-label text"
FIGURES = {
    "a12": lambda: kv.dots(
        kv.compare(kv.results(synthetic.SECTION)).query("keys == 'string' and order == 'random'"),
        panel="workload",
    ).properties(title=kv.title("What is seen", "ns")),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A page with two figures, as a chapter's has them."""
    folder = tmp_path_factory.mktemp("page")
    with synthetic.shown(tmp_path_factory.mktemp("runs"), [synthetic.SECTION]):
        specs = {f"fig-{id}": page.finished(make().to_dict()) for id, make in FIGURES.items()}
        rows = [pd.DataFrame(each) for spec in specs.values() for each in spec["datasets"].values()]
        theme = f"{paths.ROOT.as_uri()}/report/theme"
        scripts = figures.Scripts(theme, specs, figures.stores(rows))._repr_mimebundle_()
        boxes = "".join(
            f'<figure id="fig-{id}"><p><img src="x.svg" alt="{html.escape(WORDS)}"></p></figure>'
            for id in FIGURES
        )
    style = (paths.THEME / "kv.css").as_uri()
    (folder / "page.html").write_text(
        f'<meta charset="utf-8"><link rel="stylesheet" href="{style}">'
        f'<body class="quarto-light"><main>{boxes}{scripts["text/markdown"]}</main>'
    )
    return folder / "page.html"


def opened(browser, address, width=pages.DESK):
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    page.goto(address)
    drawn(page)
    return page


def drawn(page):
    for id in FIGURES:
        page.wait_for_selector(f"#fig-{id} .kv-chart[data-drawn]")


def shown(page, id):
    """The stores that a figure names beside its rows, or above its panels."""
    texts = page.locator(f"#fig-{id} .kv-chart svg text").all_text_contents()
    names = [told[0] for told in synthetic.STORES.values()]
    return {each for each in names for text in texts if text.split(" (")[0].split(" · ")[0] == each}


def height(page, id):
    return page.locator(f"#fig-{id} svg").bounding_box()["height"]


@pytest.mark.parametrize("width", (pages.DESK, pages.PHONE))
def test_the_filter_rules_all_figures_and_the_address_keeps_it(browser, file, width):
    page = opened(browser, file.as_uri(), width)
    before, tall = {id: shown(page, id) for id in FIGURES}, height(page, "a12")
    assert before["a12"] > {"MapDB", "RocksDB", "LMDB BB"}
    page.locator(".kv-filter summary").click()
    for store in ("MapDb", "LevelDbJni"):
        page.locator(f'.kv-filter input[value="{store}"]').uncheck()
    pages.until(page, "!document.querySelector('#fig-a12 svg').textContent.includes('MapDB')")
    drawn(page)
    page.wait_for_timeout(200)
    for id in FIGURES:
        assert shown(page, id) == before[id] - {"MapDB", "LevelDB"}, id
    assert height(page, "a12") < tall, "no room is kept for what is gone"
    assert "of" in page.locator(".kv-filter summary").inner_text()
    other = opened(browser, page.url, width)
    assert {id: shown(other, id) for id in FIGURES} == {
        id: names - {"MapDB", "LevelDB"} for id, names in before.items()
    }
    page.locator('.kv-filter input[value="all"]').check()
    pages.until(page, "document.querySelector('#fig-a12 svg').textContent.includes('MapDB')")
    assert "stores=" not in page.url


@pytest.mark.parametrize("asked", ("nonsense", "%3Cb%3E", "", "NoStore,"))
def test_an_address_that_names_no_store_shows_all(browser, file, asked):
    page = opened(browser, f"{file.as_uri()}?stores={asked}")
    assert {"MapDB", "RocksDB"} < shown(page, "a12")
    assert page.locator('.kv-filter input[value="all"]').is_checked()


def test_a_click_sets_a_store_off_in_every_figure(browser, file):
    page = opened(browser, file.as_uri())
    back = ".kv-back"
    assert page.locator(back).count() == 0
    mark = page.locator("#fig-a12 .kv-chart svg g.mark-symbol.role-mark path").first
    name = mark.evaluate("(element) => element.__data__.datum.name")
    mark.dispatch_event("click")  # an interval may lie over it
    for id in FIGURES:
        of = f"#fig-{id} .kv-chart svg"
        datums = "(all) => all.map((each) => each.__data__.datum?.name ?? each.__data__.text)"
        off = set(page.locator(f"{of} .kv-off").evaluate_all(datums))
        away = set(page.locator(f"{of} .kv-back").evaluate_all(datums))
        assert off <= {name} and name not in away and len(away) > 2, id
        assert off == {name} or name not in shown(page, id), id
    mark.dispatch_event("click")
    assert page.locator(back).count() == 0


def test_a_figure_can_be_saved_as_it_is_shown(browser, file, tmp_path):
    page = opened(browser, f"{file.as_uri()}?stores=MapDb,RocksDb,LmdbJavaBb")
    saved = {}
    for way in ("SVG", "PNG", "CSV"):
        with page.expect_download() as download:
            page.locator("#fig-a12 .kv-save button", has_text=way).click()
        assert download.value.suggested_filename == f"fig-a12.{way.lower()}"
        download.value.save_as(tmp_path / way)
        saved[way] = (tmp_path / way).read_bytes()
    assert saved["SVG"].startswith(b"<svg") and b"RocksDB" in saved["SVG"]
    assert saved["PNG"].startswith(b"\x89PNG") and len(saved["PNG"]) > 10_000
    rows = list(csv.DictReader(saved["CSV"].decode().splitlines()))
    assert {row["name"] for row in rows} == {"MapDB", "RocksDB", "LMDB BB"}
    slow = [float(row["value"]) for row in rows if row["name"] == "MapDB"]
    assert len(slow) == len({row["panel"] for row in rows}) == 6 and min(slow) > 70_000


def test_a_reader_who_sees_no_figure_is_told_its_words(browser, file):
    page = opened(browser, file.as_uri())
    for id in FIGURES:
        box = page.locator(f"#fig-{id} .kv-chart")
        assert box.get_attribute("aria-label") == WORDS
        assert box.get_attribute("role") in ("img", "group")
        assert box.get_attribute("aria-roledescription") is None
        assert page.locator(f"#fig-{id} svg [aria-roledescription]").count() == 0
