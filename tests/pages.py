"""What a rendered report must do in a browser and on paper, whichever engine made it; for every
test that renders one.
"""

import contextlib
import os
import re
import warnings
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pypdf
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from kvreport.base.paths import ROOT, THEME
from kvreport.render.sources import write_scripts
from kvreport.toolchain.browser import HOW_TO_GET, find_browser

DESK, PHONE = 1280, 390  # px, the width of the window
OF_ONE_TEMPLATE = 4  # pages of stores, and logs
# scripts of Quarto's own that browsers do not load from disk; nothing here needs them
QUARTOS_MODULES = re.compile(r"/site_libs/quarto-html/|/shared/[0-9a-f]+-(quarto|tabsets)\.js")
LOCAL = ("file:", "data:", "blob:")
PATIENCE_MS = 10_000  # for a chart to be drawn on a busy machine
POLL_MS = 50
CHARTS = "JSON.parse(document.getElementById('kv-charts').textContent)"  # once unpacked
MARKS = ".kv-chart svg g[class*='role-mark'] path, .kv-chart svg g[class*='role-mark'] rect"


UNDRAWN = f"""(theme) => Object.keys({CHARTS}.specs).filter((figure) =>
  !document.querySelector(`#${{figure}} .kv-chart[data-drawn=${{theme}}]`))"""
EMPTY_CHARTS = f"""(undrawn) => Object.entries({CHARTS}.specs).flatMap(([figure, spec]) => {{
  const all = (what) => [...document.querySelectorAll(`#${{figure}} ${{what}}`)];
  if (undrawn.includes(figure)) {{
    return [];
  }}
  if ('mark' in spec) {{ // a figure without data says why
    const says = all('.kv-chart svg text').some((text) => text.textContent.trim());
    return says ? [] : [`${{figure}} says nothing`];
  }}
  const marks = `{MARKS}`.split(', ').flatMap(all).map((mark) => mark.getBoundingClientRect());
  const notes = all(".kv-chart svg g[class*='role-mark'] text");
  return marks.some((box) => box.width && box.height)
    || notes.some((note) => note.textContent.includes('n/a: '))
    ? [] : [`${{figure}} has no marks, and no row says why`];
}})"""


CONTENT = """() => {
  const main = document.querySelector('main').cloneNode(true);
  for (const part of main.querySelectorAll('script, style, nav, svg, .code-fold > summary, button,'
      + '.anchorjs-link, .screen-reader-only, h1, #title-block-header, .front')) {
    part.remove();
  }
  const all = (what) => [...main.querySelectorAll(what)];
  return {
    text: main.textContent.replace(/\\s+/g, ' ').trim(),
    names: all('[id]').map((each) => each.id)
      .filter((id) => /^(fig|tbl|sec)-/.test(id) && !id.includes('-caption-')).sort(),
    links: all('a[href]').map((each) => each.getAttribute('href')),
    pictures: all('img').length,
    tables: all('table').length,
  };
}"""  # of a page, without what an engine adds to it
CUT_OFF = """() => {
  for (const each of document.querySelectorAll('main details')) {
    each.open = true;
  }
  return [...document.querySelectorAll('main table')]
    .filter((table) => table.scrollWidth > table.parentElement.clientWidth + 2)
    .map((table) => (table.closest('figure') ?? table).textContent.trim().slice(0, 40));
}"""  # the tables of a page that are wider than what they stand in


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium that is installed here; without one the test is skipped with a warning,
    or fails where CI is true.
    """
    browser = find_browser()
    if browser is None:
        missing = f"no Chromium to open the pages in ({HOW_TO_GET})"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        warnings.warn(f"The pages are not tested: {missing}")
        pytest.skip(missing)
    write_scripts(ROOT)  # which a fresh checkout lacks, and pages of the theme load
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        yield started
        started.close()


def faults(browser: Browser, folder: Path) -> list[str]:
    """What is wrong with the pages in a folder, opened from disk: a sentence each, naming the
    page. Of the stores' pages and of the logs, which one template makes, the first few are opened.
    """
    found = broken_links(folder)
    files = sorted(folder.rglob("*.html"))
    of_stores = [file for file in files if file.name.startswith("store-")]
    of_logs = [file for file in files if file.parent.name == "measure"]
    alike = {*of_stores[OF_ONE_TEMPLATE:], *of_logs[OF_ONE_TEMPLATE:]}
    for width in (DESK, PHONE):
        window = {"width": width, "height": 900}
        page = browser.new_page(viewport=window, color_scheme="light")
        for file in [each for each in files if each not in alike]:
            found += [
                f"{file.relative_to(folder)} at {width} px: {fault}"
                for fault in faults_of_page(page, file)
            ]
    return found


def contents(folder: Path) -> dict[str, dict]:
    """What the pages in a folder have to say, by page: text, names, links, pictures, tables."""
    found = {}
    with chromium() as browser:
        page = browser.new_page()
        page.route("**/*.js", lambda route: route.abort())
        for file in sorted(folder.rglob("*.html")):
            page.goto(file.as_uri(), wait_until="domcontentloaded")
            name = file.relative_to(folder).as_posix()
            found[name] = shown = page.evaluate(CONTENT)
            # Quarto leaves out a name where it is a page's first, and writes the way from the root
            shown["links"] = [
                urljoin(f"/{name}", urlsplit(link).path) if not urlsplit(link).scheme else link
                for link in shown["links"]
                if not link.startswith("#cb")
            ]
    return found


def complaint(message: ConsoleMessage) -> list[str]:
    """What a page's console says that is wrong with it: one sentence, or none."""
    wrong = message.type in ("error", "warning")
    known = QUARTOS_MODULES.search(message.text + message.location["url"])
    return [f"console: {message.text}"] if wrong and not known else []


def faults_of_page(page: Page, file: Path) -> list[str]:
    """What is wrong with one page, at the width that the browser's window has."""
    found: list[str] = []
    heard = {
        "console": lambda message: found.extend(complaint(message)),
        "pageerror": lambda error: found.append(f"script: {error}"),
        "request": lambda request: found.extend(
            [] if request.url.startswith(LOCAL) else [f"asks {request.url}"]
        ),
    }
    for event, listener in heard.items():
        page.on(event, listener)
    page.goto(file.as_uri())
    found += faults_of_charts(page, "light")
    wide = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    if wide > 0:
        found.append(f"the page is {wide} px wider than the window")
    if page.viewport_size["width"] == DESK:
        found += [f"its table {table} is cut off" for table in page.evaluate(CUT_OFF)]
        page.locator(".quarto-color-scheme-toggle:visible").first.click()
        if not page.evaluate("document.body.classList.contains('quarto-dark')"):
            found.append("the toggle does not make it dark")
        found += faults_of_charts(page, "dark")
        page.evaluate("localStorage.clear()")
    for event, listener in heard.items():
        page.remove_listener(event, listener)
    return found


def until(page: Page, words: str) -> None:
    """Waits until a page says that something is so. Asked from outside: Playwright's own way
    evaluates words within the page when it asks again, which the page's policy forbids.
    """
    for _ in range(PATIENCE_MS // POLL_MS):
        if page.evaluate(f"Boolean({words})"):
            return
        page.wait_for_timeout(POLL_MS)
    raise TimeoutError(words)


def faults_of_charts(page: Page, theme: str) -> list[str]:
    """Every specification of the page must have become a chart with marks, in the theme's colours,
    that answers to the pointer.
    """
    source = page.locator("#kv-charts")
    if not source.count():
        return []
    try:
        until(page, f"{CHARTS}.specs")
    except TimeoutError:
        return ["the charts' data are not unpacked"]
    with contextlib.suppress(TimeoutError):
        until(page, f"({UNDRAWN})('{theme}').length === 0")
    undrawn = page.evaluate(f"({UNDRAWN})('{theme}')")
    found = [f"{figure} is not drawn {theme}" for figure in undrawn]
    return found + page.evaluate(EMPTY_CHARTS, undrawn) + dead_links_of_charts(page)


def dead_links_of_charts(page: Page) -> list[str]:
    """Links that the page's script put into charts, and that lead to no file or no name in it."""
    addresses = page.evaluate(
        "[...new Set([...document.querySelectorAll('.kv-chart svg a')]"
        ".map(a => new URL(a.getAttribute('href'), document.baseURI).href))]"
    )
    found = []
    for address in addresses:
        parts = urlsplit(address)
        file = Path(unquote(parts.path))
        names = Addresses(file.read_text()).names if file.is_file() else set()
        if not file.is_file() or (parts.fragment and parts.fragment not in names):
            found.append(f"a chart links to {address.rpartition('/')[2]}, which leads nowhere")
    return found


def tooltip_of(page: Page, figure: str) -> str:
    """What a chart's tooltip says when the pointer is on its first mark."""
    page.wait_for_selector(f"#{figure} .kv-chart[data-drawn]")
    page.locator(f"#{figure}").locator(MARKS).first.hover()
    page.wait_for_selector("#vg-tooltip-element.visible")
    return page.inner_text("#vg-tooltip-element")


class Addresses(HTMLParser):
    """A page's names and what it refers to."""

    def __init__(self, text: str):
        super().__init__()
        self.names, self.references = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.names.add(given.get("id"))
        self.references += [given[name] for name in ("href", "src") if given.get(name)]


def broken_links(folder: Path) -> list[str]:
    """Every relative address in the pages that leads to no file, or to no name in it."""
    pages = {file.resolve(): Addresses(file.read_text()) for file in folder.rglob("*.html")}
    broken = []
    for file, page in pages.items():
        for reference in page.references:
            parts = urlsplit(reference)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            known = pages[target].names if target in pages else None
            if not target.is_file() or (
                parts.fragment and known is not None and parts.fragment not in known
            ):
                broken.append(
                    f"{file.relative_to(folder.resolve())} links to {reference}, which leads"
                    " nowhere"
                )
    return broken


def pdf_pages(pdf: Path) -> Iterator[str]:
    """The text of each page of a PDF, with its line breaks and runs of spaces made one space: one
    by one, as a page takes a while.
    """
    for page in pypdf.PdfReader(pdf).pages:
        yield " ".join(page.extract_text().split())


def raster_images(pdf: Path) -> int:
    """How many pictures of a PDF are made of pixels; charts must not be."""
    return sum(len(page.images) for page in pypdf.PdfReader(pdf).pages)


OVERLAPS = """() => {
  const box = document.querySelector("svg").getBoundingClientRect();
  const texts = [...document.querySelectorAll("svg text")]
    .filter(t => t.textContent.trim() && t.getAttribute("opacity") !== "0");
  const rects = texts.map(t => [t.textContent, t.getBoundingClientRect()]);
  const outside = r => r.left < box.left || r.right > box.right
    || r.top < box.top || r.bottom > box.bottom;
  const out = rects.filter(([_, r]) => outside(r)).map(([t]) => `${t} is cut off`);
  rects.forEach(([a, r], i) => rects.slice(i + 1).forEach(([b, s]) => {
    const w = Math.min(r.right, s.right) - Math.max(r.left, s.left),
      h = Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top);
    if (w > 0 && h > 0.35 * Math.min(r.height, s.height)) out.push(`${a} and ${b} overlap`);
  }));
  return {out, width: box.width, height: box.height, texts: texts.length};
}"""


def crowded(page: Page, picture: str, folder: Path) -> dict:
    """What is cut off or overlaps in a figure's picture, in the report's fonts; its width and
    height, px, and how many texts it has.
    """
    fonts = (THEME / "fonts").as_uri()
    faces = "".join(
        f"@font-face {{font-family: 'Source Sans Pro'; src: url({fonts}/SourceSansPro-{name}.otf);"
        f" {style}}}"
        for name, style in [
            ("Regular", ""),
            ("Bold", "font-weight: bold"),
            ("It", "font-style: italic"),
        ]
    )
    file = folder / "figure.html"
    file.write_text(f"<meta charset='utf-8'><style>{faces}</style>{picture}")
    page.goto(file.as_uri())
    page.evaluate("() => document.fonts.ready")
    return page.evaluate(OVERLAPS)
