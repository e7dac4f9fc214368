"""The offline engine: where there is no Quarto, pandoc and Typst make the same book from the same
sources.
"""

import contextlib
import shutil
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import typst

from kvreport.base.errors import UserError
from kvreport.base.scratch import scratch
from kvreport.render import place, store_pages
from kvreport.render.book import Book, Chapter
from kvreport.render.documents import read_documents
from kvreport.render.html import write_html
from kvreport.render.pandoc import version as pandoc_version
from kvreport.render.pdf import write_pdf


def name() -> str:
    """Return how the engine introduces itself, in the console and in what it makes."""
    return f"the offline engine (pandoc {pandoc_version()}, Typst {version('typst')})"


def render_offline(book: Book, formats: tuple[str, ...], chapter: Chapter | None) -> None:
    """Renders the whole book, or the HTML page of one chapter, into the output folder.

    What is there already stays until everything new is made. Raises UserError, a sentence for each
    broken reference or link.
    """
    documents, targets, problems = read_documents(book)
    if (
        chapter
    ):  # whose own names sources.prepare_sources has checked; the others' may be of another run
        problems = []
    colophon = f"Rendered by {name()}"
    whole = chapter is None and "typst" in formats
    with replacing(book.output, empty=whole) as folder:
        pdf = book.pdf if "typst" in formats or (folder / book.pdf).exists() else ""
        # the PDF takes its pictures from where the pages have them
        problems += write_html(book, documents, targets, folder, colophon, pdf, chapter)
        if "typst" in formats and not problems:
            try:
                problems += write_pdf(book, documents, targets, folder, colophon)
            except typst.TypstError as failure:
                raise UserError(
                    f"The PDF cannot be set: {failure.diagnostic or failure}"
                ) from failure
        if problems:
            raise UserError("\n".join(dict.fromkeys(problems)))
        store_pages.cut(folder)


@contextlib.contextmanager
def replacing(folder: Path, empty: bool) -> Iterator[Path]:
    """A copy of a folder to work on, or an empty one, which takes the folder's place at the end, or
    vanishes when the work fails.
    """
    with scratch(folder.parent) as beside:
        copy = beside / "new"
        if folder.exists() and not empty:
            shutil.copytree(folder, copy)
        else:
            copy.mkdir()
        yield copy
        place.replace(folder, copy)
