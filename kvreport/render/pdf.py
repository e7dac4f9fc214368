"""The offline engine's PDF: the whole book as one Typst document."""

import json
from pathlib import Path
from typing import Any

import typst
from pandocfilters import Header, Plain, RawBlock, RawInline

from kvreport.render.book import Book, Chapter
from kvreport.render.crossref import Document, Target, as_content, resolve
from kvreport.render.pandoc import pandoc

INTERNAL = "internal error"
LESS = (0, 7, 13, 23)  # points by which pages are shorter


def raw(text: str) -> dict:
    return RawBlock("typst", text)


def inline(text: str) -> dict:
    return RawInline("typst", text)


def quoted(text: str) -> str:
    """A Typst string literal."""
    return json.dumps(text, ensure_ascii=False)


class TypstWriter:
    """Writes what pandoc has no notion of for Typst; figures carry the same numbers as on the
    pages.
    """

    format = "typst"

    def __init__(self, documents: list[Document]):
        self.documents = documents

    def address(self, here: Chapter, there: Chapter, anchor: str) -> str:
        return f"#{anchor or there.anchor}" if there.printed else ""

    def float(
        self, kind: str, identifier: str, target: Target, caption: list, content: list
    ) -> list:
        name, place = ("Figure", "bottom") if kind == "fig" else ("Table", "top")
        opening = (
            f'#figure(kind: "quarto-float-{kind}", supplement: [{name}], numbering: _ =>'
            f" {quoted(target.number)}, caption: figure.caption(position: {place})["
        )
        return [
            Plain([inline(opening), *caption, inline("])[")]),
            as_content(content),
            raw(f"] <{identifier}>"),
        ]

    def callout(self, kind: str, title: str, content: list, folded: bool) -> list:
        opening = raw(f"#callout({quoted(kind)}, {quoted(title)})[")
        return [opening, as_content(content), raw("]")]

    def block(self, name: str, content: Any, document: Document) -> list | None:
        match name:
            case "Header":
                level, (identifier, classes, _), title = content
                # names that pandoc made up may repeat from chapter to chapter, and Typst wants each
                # once
                own = identifier if identifier.startswith("sec-") else ""
                anchor = document.chapter.anchor if level == 1 else own
                return [Header(level, [anchor, classes, []], title)]
            case "Image":
                (_, _, attributes), _, (path, _) = content
                place = (Path(document.chapter.page).parent / path).as_posix()
                text = dict(attributes).get("alt", "")
                return [inline(f"#image({quoted(place)}, alt: {quoted(text)})")]
            case "CodeBlock" if "cell-code" in content[0][1]:
                return []
        return None


def write_pdf(
    book: Book, documents: list[Document], targets: dict[str, Target], folder: Path, colophon: str
) -> list[str]:
    """Writes the PDF into a folder that holds the pictures at their pages' places; returns what is
    dangling.
    """
    writer = TypstWriter(documents)
    part: str | None = None
    blocks: list[dict] = []
    problems: list[str] = []
    for document in filter(lambda each: each.chapter.printed, documents):
        if document.chapter.part and document.chapter.part != part:
            name = quoted(document.chapter.part)
            if document.chapter.appendix:
                blocks.append(raw(f"#show: appendices.with({name})"))
            blocks.append(raw(f"#part({name})"))
        part = document.chapter.part
        resolved, dangling = resolve(document, targets, writer)
        blocks += resolved
        problems += dangling
    theme, front = book.root / "report" / "theme", book.config["book"]
    source = folder / "book.typ"
    pandoc(
        blocks,
        "typst",
        "--standalone",
        f"--template={theme / 'offline/book.typ'}",
        f"--lua-filter={theme / 'paper.lua'}",
        *(f"--include-in-header={theme / name}" for name in ("pdf.typ", "book.typ")),
        output=source,
        variables={
            "book-title": quoted(front["title"]),
            "subtitle": quoted(front.get("subtitle", "")),
            "author": quoted(front.get("author", "")),
            "identity": quoted(book.footer),
            "colophon": quoted(colophon),
            "lang": quoted(book.config.get("lang", "en")),
        },
    )
    set_in_type(source, folder / book.pdf, theme / "fonts")
    source.unlink()
    return problems


def set_in_type(source: Path, pdf: Path, fonts: Path) -> None:
    """Makes the PDF, with pages that are a little shorter where Typst fails over its own tags: it
    does where some pages end, whatever is on them (typst/typst#8487, #8776).
    """
    for less in LESS:
        try:
            typst.compile(
                source,
                output=pdf,
                root=source.parent,
                font_paths=[fonts],
                ignore_system_fonts=True,
                sys_inputs={"less": str(less)},
            )
            return
        except typst.TypstError as failure:
            if INTERNAL not in str(failure) or less == LESS[-1]:
                raise
