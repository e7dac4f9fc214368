"""The rendered sample book in headless Chromium, opened from disk."""

import shutil

import pages
import pytest
import samples

from kvreport.render import book, offline, sources
from kvreport.render.engines import FORMATS

pytestmark = pytest.mark.end_to_end


@pytest.fixture(scope="module")
def draft(tmp_path_factory):
    sources.write_scripts(samples.ROOT)
    declared = book.load_book(samples.make(tmp_path_factory.mktemp("book")))
    offline.render_offline(declared, FORMATS, None)
    return declared.output


def test_the_pages_open_from_disk_without_a_fault(draft):
    assert pages.faults(draft) == []


def test_charts_answer_to_the_pointer_and_search_finds_a_section(draft):
    with pages.chromium() as browser:
        page = browser.new_page()
        page.goto((draft / "notebooks/chapters/figures.html").as_uri())
        assert "ns/entry" in pages.tooltip_of(page, "fig-x1")
        page.fill("#search", "callout emphasis")
        page.click("#found a")
        assert page.url.endswith("figures.html#sec-storage")


def test_a_store_s_name_in_a_chart_leads_to_its_heading(draft):
    with pages.chromium() as browser:
        page = browser.new_page()
        page.goto((draft / "notebooks/chapters/figures.html").as_uri())
        page.wait_for_selector("#fig-x1 .kv-chart[data-drawn]")
        links = page.locator("#fig-x1 .kv-chart svg a")
        assert set(links.all_text_contents()) == {"LMDB"} and links.count() == 2, "one a panel"
        assert page.locator("#fig-x1 .kv-chart svg a:not([tabindex])").count() == 1
        assert page.get_attribute("#fig-x1 .kv-chart", "role") == "group"
        links.last.click()
        page.wait_for_url("**/figures.html#sec-storage")


def test_a_phone_gets_the_layout_that_a_chart_names_for_it(draft):
    with pages.chromium() as browser:
        titles = {}
        for width in (pages.DESK, pages.PHONE):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.goto((draft / "notebooks/chapters/figures.html").as_uri())
            page.wait_for_selector("#fig-x1 .kv-chart[data-drawn]")
            page.wait_for_timeout(
                500
            )  # a chart that finds its box too narrow draws itself once more
            titles[width] = page.locator(
                "#fig-x1 .kv-chart svg .role-title-text"
            ).all_text_contents()
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


def test_the_page_checks_see_what_is_broken(draft, tmp_path, monkeypatch):
    broken = shutil.copytree(draft, tmp_path / "draft")
    for page in broken.rglob("*.html"):
        text = page.read_text()
        for good, bad in DAMAGE.items():
            text = text.replace(good, bad)
        page.write_text(text)
    monkeypatch.setattr(pages, "PATIENCE_MS", 1500)
    found = pages.faults(broken)
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
