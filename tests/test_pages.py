"""The rendered sample book in headless Chromium, opened from disk."""

import shutil

import pages
import pytest
import samples
from axe_playwright_python.sync_playwright import Axe

from kvreport.base import paths
from kvreport.render import book, offline, sources
from kvreport.render.engines import FORMATS

pytestmark = pytest.mark.end_to_end


@pytest.fixture(scope="module")
def draft(tmp_path_factory):
    sources.write_scripts(samples.ROOT)
    declared = book.load_book(samples.make(tmp_path_factory.mktemp("book")))
    offline.render_offline(declared, FORMATS, None)
    return declared.output


def test_the_pages_open_from_disk_without_a_fault(browser, draft):
    assert pages.faults(browser, draft) == []


def test_charts_answer_to_the_pointer_and_search_finds_a_section(browser, draft):
    page = browser.new_page()
    page.goto((draft / "notebooks/chapters/figures.html").as_uri())
    assert "ns/entry" in pages.tooltip_of(page, "fig-x1")
    page.fill("#search", "callout emphasis")
    page.click("#found a")
    assert page.url.endswith("figures.html#sec-storage")


def test_a_store_s_name_in_a_chart_leads_to_its_heading(browser, draft):
    page = browser.new_page()
    page.goto((draft / "notebooks/chapters/figures.html").as_uri())
    page.wait_for_selector("#fig-x1 .kv-chart[data-drawn]")
    links = page.locator("#fig-x1 .kv-chart svg a")
    assert set(links.all_text_contents()) == {"LMDB"} and links.count() == 2, "one a panel"
    assert page.locator("#fig-x1 .kv-chart svg a:not([tabindex])").count() == 1
    assert page.get_attribute("#fig-x1 .kv-chart", "role") == "group"
    links.last.click()
    page.wait_for_url("**/figures.html#sec-storage")


def test_a_phone_gets_the_layout_that_a_chart_names_for_it(browser, draft):
    titles = {}
    for width in (pages.DESK, pages.PHONE):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto((draft / "notebooks/chapters/figures.html").as_uri())
        page.wait_for_selector("#fig-x1 .kv-chart[data-drawn]")
        page.wait_for_timeout(500)  # a chart that finds its box too narrow draws itself once more
        titles[width] = page.locator("#fig-x1 .kv-chart svg .role-title-text").all_text_contents()
    assert "Reading and writing" in titles[pages.DESK] and "For a phone" in titles[pages.PHONE]


DAMAGE = {
    '"fig-x1":': '"fig-lost":',
    "</body>": '<script src="https://example.org/x.js"></script></body>',
    'href="../../index.html"': 'href="../../gone.html"',
    "figures.html#fig-x1": "figures.html#fig-x9",
    "figures.html#sec-storage": "figures.html#sec-gone",
    "</main>": '<svg width="2000" height="9"></svg></main>',
}
FAULTS = [
    "chart fig-lost: this page has no figure",
    "fig-lost is not drawn light",
    "asks https://example.org/x.js",
    "gone.html, which leads nowhere",
    "#fig-x9, which leads nowhere",
    "a chart links to figures.html#sec-gone, which leads nowhere",
    "px wider than the window",
]


def test_the_page_checks_see_what_is_broken(browser, draft, tmp_path, monkeypatch):
    broken = shutil.copytree(draft, tmp_path / "draft")
    for page in broken.rglob("*.html"):
        text = page.read_text()
        for good, bad in DAMAGE.items():
            text = text.replace(good, bad)
        page.write_text(text)
    monkeypatch.setattr(pages, "PATIENCE_MS", 1500)
    found = pages.faults(browser, broken)
    assert [fault for fault in FAULTS if not any(fault in line for line in found)] == []


def test_without_a_browser_the_checks_are_skipped_with_a_warning_and_fail_in_ci(monkeypatch):
    monkeypatch.setattr(pages, "find_browser", lambda: None)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no Chromium"), pages.chromium():
        pass
    monkeypatch.delenv("CI")
    with (
        pytest.warns(UserWarning, match="The pages are not tested"),
        pytest.raises(pytest.skip.Exception),
        pages.chromium(),
    ):
        pass


# --- for people who use a keyboard, a screen reader or little contrast ---

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
WAYS = [(pages.DESK, "light"), (pages.PHONE, "dark")]


def violations(page) -> list[str]:
    """What axe finds on a page (WCAG 2.1, levels A and AA): a line for each rule, with the first
    place that breaks it.
    """
    found = Axe().run(page, options=RULES).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found]


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
