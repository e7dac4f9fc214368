"""A page for each store, cut out of the appendix on how each was driven."""

import json

import pages
import pytest
import samples

from kvreport.render import html, offline, store_pages
from kvreport.render.book import load_book


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    folder = samples.make(tmp_path_factory.mktemp("book"), alone=True)
    samples.add_stores(folder)
    declared = load_book(folder)
    offline.render_offline(declared, ("html",), None)
    return declared


def texts(folder) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.rglob("*.html")}


def test_each_store_has_a_page_and_every_link_leads_to_it(book):
    assert pages.broken_links(book.output) == []
    made = texts(book.output)
    alpha, beta = made["store-alpha.html"], made["store-beta.html"]
    assert "<title>Alpha – " in alpha and "<h1>Alpha</h1>" in alpha
    assert "<title>Beta &amp; Co. – " in beta and "<table" in beta
    code, whole = 'class="st">&quot;alpha&quot;', made["stores-driven.html"]
    assert code in alpha and code not in beta and code not in whole
    assert "Gamma" in whole and "Gamma" not in alpha + beta
    assert '<li><a href="store-alpha.html">Alpha</a></li>' in whole
    assert 'id="toc"' in whole and 'id="toc"' not in alpha, "whose contents are the appendix's"
    assert 'href="store-beta.html"' in alpha and 'href="stores-driven.html#sec-left-out"' in alpha
    assert 'href="#sec-left-out"' in whole
    assert 'href="store-alpha.html"' in made["figures.html"]
    for page in made.values():
        assert "#sec-driven-" not in page and page.count("<h1") == 1
    found = (book.output / html.SEARCH).read_text()
    entries = json.loads(found.removeprefix(html.ASSIGNED).removesuffix(";\n"))
    assert "notebooks/chapters/store-alpha.html" in {address for _, address, _ in entries}


def test_what_is_cut_stays_so_when_pages_are_made_again(book):
    before = texts(book.output)
    store_pages.cut(book.output)
    assert texts(book.output) == before
    for source in (samples.STORES, samples.FIGURES):
        offline.render_offline(book, ("html",), book.chapter(source))
        assert texts(book.output) == before


def test_an_appendix_without_stores_is_left_as_it_is(tmp_path):
    assert store_pages.pages("<main id='content'><h2 id='sec-left-out'>A</h2></main>") == {}
    store_pages.cut(tmp_path)
    assert list(tmp_path.iterdir()) == []
