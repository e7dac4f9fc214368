"""The offline engine's PDF: the whole book as one Typst document."""

import json
from pathlib import Path

import typst

from kvreport.render.book import Book, Chapter
from kvreport.render.crossref import Document, element, resolve
from kvreport.render.pandoc import pandoc


def raw(text):
    return element("RawBlock", "typst", text)


def inline(text):
    return element("RawInline", "typst", text)


def quoted(text: str) -> str:
    """A Typst string literal."""
    return json.dumps(text, ensure_ascii=False)


class TypstWriter:
    """Writes what pandoc has no notion of for Typst; figures carry the same numbers as on the
    pages.
    """

    def __init__(self, documents: list[Document]):
        self.documents = documents

    def address(self, here: Chapter, there: Chapter, anchor: str) -> str:
        return f"#{anchor or there.anchor}"

    def float(self, kind, identifier, target, caption, content):
        name, place = ("Figure", "bottom") if kind == "fig" else ("Table", "top")
        opening = (
            f'#figure(kind: "quarto-float-{kind}", supplement: [{name}], numbering: _ =>'
            f" {quoted(target.number)}, caption: figure.caption(position: {place})["
        )
        return [
            element("Plain", [inline(opening), *caption, inline("])[")]),
            *content,
            raw(f"] <{identifier}>"),
        ]

    def callout(self, kind, title, content):
        return [raw(f"#callout({quoted(kind)}, {quoted(title)})["), *content, raw("]")]

    def block(self, node, document, inside):
        match node["t"]:
            case "Header":
                level, (identifier, classes, _), title = node["c"]
                # names that pandoc made up may repeat from chapter to chapter, and Typst wants each
                # once
                name = (
                    document.chapter.anchor
                    if level == 1
                    else identifier
                    if identifier.startswith("sec-")
                    else ""
                )
                return [element("Header", level, [name, classes, []], inside(title))]
            case "Image":
                (_, _, attributes), description, (path, _) = node["c"]
                place = (Path(document.chapter.page).parent / path).as_posix()
                return [
                    inline(
                        f"#image({quoted(place)}, alt: {quoted(dict(attributes).get('alt', ''))})"
                    )
                ]
            case "CodeBlock" if "cell-code" in node["c"][0][1]:
                return []
            case "RawBlock":
                return []
        return None


def write_pdf(
    book: Book, documents: list[Document], targets, folder: Path, colophon: str
) -> list[str]:
    """Writes the PDF into a folder that holds the pictures at their pages' places; returns what is
    dangling.
    """
    writer, blocks, problems, part = TypstWriter(documents), [], [], None
    for document in documents:
        if document.chapter.part and document.chapter.part != part:
            blocks += [raw("#show: appendices")] if document.chapter.appendix else []
            blocks.append(raw(f"#part({quoted(document.chapter.part)})"))
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
        f"--include-in-header={theme / 'pdf.typ'}",
        output=source,
        variables={
            "book-title": quoted(front["title"]),
            "subtitle": quoted(front.get("subtitle", "")),
            "author": quoted(front.get("author", "")),
            "identity": quoted(book.footer),
            "colophon": quoted(colophon),
            "lang": quoted(book.config.get("lang", "en")),
            "toc-depth": str(book.config.get("toc-depth", 3)),
        },
    )
    typst.compile(
        source,
        output=folder / book.pdf,
        root=folder,
        font_paths=[theme / "fonts"],
        ignore_system_fonts=True,
    )
    source.unlink()
    return problems
