"""Pages that people can read who use a keyboard, a screen reader or little contrast: what axe finds
wrong with them (WCAG 2.1, levels A and AA), by engine's default theme and on a dark phone.
"""

import pages
import pytest
import samples
from axe_playwright_python.sync_playwright import Axe

from kvreport.base import paths
from kvreport.render import offline, sources
from kvreport.render.book import load_book

pytestmark = pytest.mark.end_to_end
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
WAYS = [(pages.DESK, "light"), (pages.PHONE, "dark")]


def violations(page) -> list[str]:
    """What axe finds on a page: a line for each rule, with the first place that breaks it."""
    found = Axe().run(page, options=RULES).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found]


@pytest.fixture(scope="module")
def draft(tmp_path_factory):
    sources.write_scripts(samples.ROOT)
    book = load_book(samples.make(tmp_path_factory.mktemp("book")))
    offline.render_offline(book, ("html",), None)
    return book.output


@pytest.fixture(scope="module")
def browser():
    with pages.chromium() as started:
        yield started


@pytest.mark.parametrize(("width", "scheme"), WAYS)
def test_axe_finds_nothing_wrong_with_a_page(browser, draft, width, scheme):
    for file in sorted(draft.rglob("*.html")):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        page.goto(file.as_uri())
        if page.locator("#kv-charts").count():
            page.wait_for_selector(".kv-chart[data-drawn]")
        assert violations(page) == [], file.name
        context.close()


def test_axe_sees_what_is_wrong(browser, tmp_path):
    file = tmp_path / "page.html"
    style = (paths.THEME / "kv.css").as_uri()
    file.write_text(
        f"<!DOCTYPE html><html lang='en'><title>T</title><link rel='stylesheet' href='{style}'>"
        "<main><img src='x.png'><p style='color: #ccc'>faint</p><input></main></html>"
    )
    page = browser.new_page()
    page.goto(file.as_uri())
    assert {each.partition(":")[0] for each in violations(page)} >= {
        "image-alt",
        "color-contrast",
        "label",
    }
