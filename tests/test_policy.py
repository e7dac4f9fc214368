"""What each page lets a browser do, opened from disk: show the report, and nothing that others put
into it.
"""

import pages
import pytest
import samples

from kvreport.publish.pages import page as made
from kvreport.render import offline, quarto, sources
from kvreport.render.book import load_book
from kvreport.render.engines import with_quarto

pytestmark = pytest.mark.end_to_end
ELSEWHERE = "http://evil.example/"
WATCH = """window.refused = [];
document.addEventListener('securitypolicyviolation', (e) => refused.push(e.effectiveDirective));"""
FETCHED = {  # markup, and the directive that refuses it
    f'<img src="{ELSEWHERE}x.png">': "img-src",
    f'<script src="{ELSEWHERE}x.js"></script>': "script-src-elem",
    f'<link rel="stylesheet" href="{ELSEWHERE}x.css">': "style-src-elem",
    f'<iframe src="{ELSEWHERE}"></iframe>': "frame-src",
    f'<object data="{ELSEWHERE}x"></object>': "object-src",
    f'<video src="{ELSEWHERE}x"></video>': "media-src",
    f'<base href="{ELSEWHERE}">': "base-uri",
    f'<form id="form" action="{ELSEWHERE}"></form>': "form-action",
    '<script src="injected.js"></script>': "script-src",  # what this evaluates
}
INLINE = {
    "<script>evil = 1</script>": "script-src-elem",
    '<img src="injected.png" onerror="evil = 2">': "script-src-attr",
    '<a id="link" href="javascript:evil = 3">x</a>': "script-src-elem",
    "<style>body { display: none }</style>": "style-src-elem",
    '<p style="display: none">x</p>': "style-src-attr",
}
INJECTED = f"""for (const run of [() => eval("evil = 4"), () => Function("evil = 5")(),
  () => setTimeout("evil = 6"), () => fetch("{ELSEWHERE}")])
  try {{ Promise.resolve(run()).catch(() => 0); }} catch {{ }}
"""


@pytest.fixture(scope="module")
def offline_draft(tmp_path_factory):
    sources.write_scripts(samples.ROOT)
    book = load_book(samples.make(tmp_path_factory.mktemp("book")))
    offline.render_offline(book, ("html",), None)
    for name, values in {
        "index.html": {"title": "T", "versions": [], "withdrawn": [], "picture": ""},
        "data.html": {"title": "T", "files": {}, "columns": {}, "commit": None},
        "latest.html": {"address": "index.html", "where": "the draft"},
    }.items():
        (book.output / f"of-versions-{name}").write_text(made(name, **values))
    return book.output


@pytest.fixture(scope="module")
def quarto_draft(tmp_path_factory):
    engine = quarto.installed_quarto() or pytest.skip("there is no Quarto")
    sources.write_scripts(samples.ROOT)
    book = load_book(samples.make(tmp_path_factory.mktemp("book"), alone=True))
    with_quarto(engine, book, ("html",), None)
    return book.output


@pytest.fixture(params=["offline", "quarto"])
def draft(request):
    return request.getfixturevalue(f"{request.param}_draft")


def opened(browser, file, asked=None):
    """A page that notes what its policy refuses, and in `asked` what it asks the network for."""
    context = browser.new_context(color_scheme="light")
    context.add_init_script(WATCH)
    context.route("http://**", lambda route: (asked.append(route.request.url), route.abort()))
    page = context.new_page()
    page.goto(file.as_uri())
    return page


def test_no_page_asks_for_what_its_policy_refuses(browser, draft):
    for file in sorted(draft.rglob("*.html")):
        page = opened(browser, file)
        assert page.locator("meta[http-equiv=Content-Security-Policy]").count() == 1, file
        if page.locator("#kv-charts").count():
            assert "ns/entry" in pages.tooltip_of(page, "fig-x1")
            assert page.locator("#vg-tooltip-element").bounding_box()["width"] < pages.PHONE
        if page.locator("#search").count():
            page.fill("#search", "callout emphasis")
            page.wait_for_selector("#found a")
        assert page.evaluate("refused") == [], file
        page.context.close()


def test_a_page_that_leads_on_does(browser, offline_draft):
    page = opened(browser, offline_draft / "of-versions-latest.html")
    page.wait_for_url("**/draft/index.html")


def test_what_is_injected_into_a_page_does_nothing(browser, draft, request):
    quartos = "quarto" in request.node.callspec.id
    harms = (
        FETCHED if quartos else INLINE | FETCHED
    )  # Quarto's pages have scripts of its own inline
    file = draft / "injected.html"
    text = (draft / "index.html").read_text()
    file.write_text(text.replace("</main>", f"{''.join(harms)}</main>"))
    (draft / "injected.js").write_text(INJECTED)
    asked = []
    page = opened(browser, file, asked)
    page.evaluate("window.link?.click(), form.submit()")
    wanted = sorted({*harms.values(), "connect-src"})
    pages.until(page, f"{wanted}.every((each) => refused.includes(each))")
    page.wait_for_timeout(100)  # for what a text that became a script would do
    assert asked == [] and page.evaluate("typeof evil") == "undefined"
    assert page.evaluate("refused.filter((each) => each == 'script-src').length") == 3
    assert page.is_visible("main")
    page.context.close()
    file.unlink()
