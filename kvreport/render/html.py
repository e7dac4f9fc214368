"""The offline engine's pages: one HTML page a chapter, with navigation, search data and what the
pages load.
"""

import html
import json
import posixpath
import re
import shutil
from itertools import chain
from pathlib import Path
from typing import Any

from pandocfilters import CodeBlock, Header, Plain, RawBlock, Space, Span, Str

from kvreport.base import svg as pictures
from kvreport.base.parallel import parallel_map
from kvreport.render.book import Book, Chapter
from kvreport.render.crossref import Document, Target, as_content, resolve, words
from kvreport.render.pandoc import pandoc

# pandoc's link of each line of code to itself, which nobody sees
LINE_ANCHOR = re.compile(r'<a href="#[\w-]+" aria-hidden="true" tabindex="-1"></a>')
# its name of each line of code, and of operators and brackets, which are most of a page of Java
LINE = re.compile(r'(?m)(^|<code[^>]*>)<span id="cb\d+-\d+">(.*)</span>(?=$|</code></pre>)')
OPERATOR = re.compile(r'<span class="op">([^<]*)</span>')
ALIGNED = re.compile(r'<(t[dh])\s+style="text-align: (left|right|center);">')
CLASSES = {"left": "", "right": ' class="r"', "center": ' class="c"'}  # as report/theme/kv.css
WIDE = re.compile(r'<(table|col)\s+style="width: ?(\d+%);?"')
ASSIGNED = "window.kvSearch = "  # the beginning of
SEARCH = "search.js"  # what the search box finds; offline.js loads it
ASSETS = (
    *("kv.css", "charts.js", "stores.js", "tables.js", "ranking.js", "chooser.js", "vega.js"),
    "fonts/*",
    *("offline/offline.css", "offline/offline.js"),
)


def raw(text: str) -> dict:
    return RawBlock("html", text)


class HtmlWriter:
    """Writes what pandoc has no notion of: numbered floats, callouts, folded code; and the address
    of everything.
    """

    format = "html"

    def __init__(self, documents: list[Document]):
        self.documents = documents

    def address(self, here: Chapter, there: Chapter, anchor: str) -> str:
        """Return where a chapter, or something named in it, is found from another."""
        return ("" if here == there and anchor else relative(here, there)) + (
            f"#{anchor}" if anchor else ""
        )

    def float(
        self, kind: str, identifier: str, target: Target, caption: list, content: list
    ) -> list:
        number = [Str(f"{target.text}:".replace(" ", "\u00a0")), Space()]
        below = [raw("<figcaption>"), Plain(number + caption), raw("</figcaption>")]
        shown = [as_content(content)]
        opening = raw(f'<figure id="{identifier}" class="figure quarto-float-{kind}">')
        return [opening, *(shown + below if kind == "fig" else below + shown), raw("</figure>")]

    def callout(self, kind: str, title: str, content: list, folded: bool) -> list:
        whole, head = ("details", "summary") if folded else ("aside", "p")
        opening = (
            f'<{whole} class="callout callout-{kind}"><{head}'
            f' class="callout-title">{html.escape(title)}</{head}>'
        )
        return [raw(opening), as_content(content), raw(f"</{whole}>")]

    def block(self, name: str, content: Any, document: Document) -> list | None:
        if name == "Header":
            level, (identifier, classes, attributes), title = content
            number = dict(attributes).get("number")
            mark = [Span(["", ["header-section-number"], []], [Str(number)]), Space()]
            return [Header(level, [identifier, classes, []], (mark if number else []) + title)]
        if name == "CodeBlock" and "cell-code" in content[0][1]:
            return [
                raw('<details class="code-fold"><summary>Code</summary>'),
                CodeBlock(*content),
                raw("</details>"),
            ]
        return None


def write_html(
    book: Book,
    documents: list[Document],
    targets: dict[str, Target],
    folder: Path,
    colophon: str,
    pdf: str,
    only: Chapter | None,
) -> list[str]:
    """Writes the pages (or only one), which link the PDF if there is one, into a folder; returns
    what is dangling, a sentence each.
    """
    writer = HtmlWriter(documents)

    def write(document: Document) -> tuple[list[str], list[list[str]]]:
        shown = only in (None, document.chapter)
        blocks, dangling = resolve(document, targets, writer, alone=only is not None)
        if shown:
            write_page(
                book, documents, document, blocks, folder, {"colophon": colophon, "pdf": pdf}
            )
        return dangling if shown else [], search_entries(document.chapter, blocks)

    dangling, entries = zip(*parallel_map(write, documents))
    theme = book.root / "report" / "theme"
    for asset in (file for pattern in ASSETS for file in theme.glob(pattern)):
        copy = folder / "report" / "theme" / asset.relative_to(theme)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(asset, copy)
    found = ASSIGNED + json.dumps(list(chain.from_iterable(entries)), ensure_ascii=False) + ";\n"
    (folder / SEARCH).write_text(found)
    return list(chain.from_iterable(dangling))


def write_page(
    book: Book,
    documents: list[Document],
    document: Document,
    blocks: list,
    folder: Path,
    texts: dict[str, str],
) -> None:
    """Writes a chapter's page and its pictures. `texts` has what the engine says of itself."""
    chapter, at = document.chapter, [other.chapter for other in documents].index(document.chapter)
    page = folder / chapter.page
    page.parent.mkdir(parents=True, exist_ok=True)
    for picture, svg in document.pictures.items():
        (page.parent / picture).parent.mkdir(exist_ok=True)
        (page.parent / picture).write_text(pictures.lean(svg))
    root = posixpath.relpath(".", posixpath.dirname(chapter.page) or ".")
    around = {
        direction: neighbour.chapter
        for direction, step in (("previous", -1), ("next", 1))
        if 0 <= at + step < len(documents)
        for neighbour in [documents[at + step]]
    }
    front = book.config["book"] if at == 0 else {}
    texts |= {
        "root": root,
        "lang": book.config.get("lang", "en"),
        "book-title": book.config["book"]["title"],
        "pagetitle": chapter.title,
        "front-title": front.get("title", ""),
        "front-subtitle": front.get("subtitle", ""),
        "front-author": front.get("author", ""),
        "footer": book.footer,
    }
    variables = {name: html.escape(text) for name, text in texts.items()} | {
        "sidebar": sidebar(documents, chapter),
        "navigation": "".join(
            f'<a rel="{rel[:4]}" class="{rel}"'
            f' href="{relative(chapter, other)}">{titled(other)}</a>'
            for rel, other in around.items()
        ),
    }
    depth = str(book.config.get("toc-depth", 3))
    pandoc(
        blocks,
        "html5",
        "--standalone",
        "--toc",
        f"--toc-depth={depth}",
        "--mathml",
        f"--template={book.root / 'report/theme/offline/page.html'}",
        output=page,
        variables=variables,
    )
    page.write_text(lean(page.read_text()))


def lean(text: str) -> str:
    """A page of pandoc's with classes and widths in the place of styles, which the offline engine's
    policy does not let act and which are longer, and without what nobody sees.
    """
    text = ALIGNED.sub(lambda cell: f"<{cell[1]}{CLASSES[cell[2]]}>", text)
    text = LINE_ANCHOR.sub("", WIDE.sub(r'<\1 width="\2"', text))
    return LINE.sub(r"\1\2", OPERATOR.sub(r"\1", text))


def relative(here: Chapter, there: Chapter) -> str:
    """The address of one chapter's page from another's."""
    return posixpath.relpath(there.page, posixpath.dirname(here.page) or ".")


def titled(chapter: Chapter) -> str:
    """A chapter's number and title, as HTML."""
    number = f'<span class="chapter-number">{chapter.number}</span> ' if chapter.number else ""
    return number + html.escape(chapter.title)


def sidebar(documents: list[Document], here: Chapter) -> str:
    """The list of chapters, by part."""
    lines: list[str] = []
    part: str | None = None
    for chapter in (document.chapter for document in documents):
        if chapter.part and chapter.part != part:
            lines.append(f'<li class="part">{html.escape(chapter.part)}</li>')
        part = chapter.part
        current = ' aria-current="page"' if chapter == here else ""
        lines.append(f'<li><a href="{relative(here, chapter)}"{current}>{titled(chapter)}</a></li>')
    return "".join(lines)


def search_entries(chapter: Chapter, blocks: list) -> list[list[str]]:
    """Return what the search box finds: [title, address, text] for each section, its text without
    code.
    """
    entries: list[list[str]] = []
    for block in blocks:
        if block["t"] == "Header" or not entries:
            title = words(block["c"][2]) if block["t"] == "Header" else chapter.title
            anchor = f"#{block['c'][1][0]}" if block["t"] == "Header" and block["c"][0] > 1 else ""
            entries.append([title, chapter.page + anchor, ""])
        elif block["t"] not in ("CodeBlock", "RawBlock"):
            entries[-1][2] = f"{entries[-1][2]} {words([block])}".strip()
    return entries
