"""Renders the report: with Quarto where there is one, else with the offline engine."""

import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.parallel import parallel_map
from kvreport.base.scratch import PREFIX, scratch
from kvreport.base.terminal import echo, report_progress
from kvreport.render import offline, place, stamps, store_pages
from kvreport.render.book import Book, Chapter, load_book
from kvreport.render.quarto import find_quarto
from kvreport.render.sources import prepare_sources
from kvreport.render.tree import build_tree

FORMATS = ("html", "typst")
RENDERED = "the draft"  # of which is noted what it was made from


def render(
    formats: tuple[str, ...] = FORMATS,
    chapter: str | None = None,
    root: Path | None = None,
    output: Path | None = None,
) -> None:
    """Renders HTML and PDF ("typst"), or the HTML page of one chapter, and says where they are.

    root    of the book; by default the project's, of which the tree of render.tree is rendered
    output  folder for it; by default the one that the book declares

    Raises UserError with a sentence for each thing that would render wrongly; what was rendered
    before is then still there. Where nothing has changed since, it stays as it is.
    """
    started = time.monotonic()
    own = root is None
    whole = own and chapter is None
    if root is None:
        root, output = build_tree(), output or paths.DRAFT
        chapter = None if chapter is None else os.path.relpath(paths.ROOT / chapter, paths.ROOT)
    book = load_book(root).into(output)
    one = None if chapter is None else book.chapter(chapter)
    formats = ("html",) if one else formats
    made = [one.page if one else "index.html"] if "html" in formats else []
    made += [book.pdf] if "typst" in formats else []
    shown = " and ".join(os.path.relpath(book.output / name) for name in made)
    quarto = find_quarto()
    if whole or not quarto:
        pages = [one.source] if one else []
        made_ready = stamps.once(root, pages, lambda: prepare_sources(root, pages or None))
        book = (made_ready or book).into(output)
    state = stamps.state(root, str(quarto or offline.name()), str(book.output), *formats)
    there = all((book.output / name).exists() for name in made)
    if whole and there and stamps.is_current(RENDERED, state):
        be = "are" if len(made) > 1 else "is"
        echo(f"Nothing to render: {shown} {be} up to date.")
        return
    if own:
        stamps.note(RENDERED, "")  # as long as it is neither the one nor the other
    if quarto and whole and set(formats) == set(FORMATS):
        with_two_quartos(quarto, book)
    elif quarto:
        with_quarto(quarto, book, formats, one)
    else:
        report_progress(f"Rendering with {offline.name()}")
        offline.render_offline(book, formats, one)
    if whole:
        stamps.note(RENDERED, state)
    echo(f"Rendered in {time.monotonic() - started:.1f} s: {shown}")


def with_quarto(
    quarto: Path, book: Book, formats: tuple[str, ...], chapter: Chapter | None
) -> None:
    """Has Quarto render, which runs the pre-render step itself. The output folder changes once all
    of it is made. Raises UserError where that fails.
    """
    if chapter or len(formats) == 1:  # it then leaves what else is in the folder
        only = [chapter.source, "--to", "html"] if chapter else ["--to", formats[0], "--no-clean"]
        run_quarto(quarto, book, *only)
        store_pages.cut(book.output)
        return
    with scratch(book.output.parent) as folder:
        run_quarto(quarto, book.into(folder / book.output.name))
        store_pages.cut(folder / book.output.name)
        place.replace(book.output, folder / book.output.name)


def with_two_quartos(quarto: Path, book: Book) -> None:
    """The same with the pages and the PDF made at once, which takes little more than the pages. The
    PDF is made in a copy of the tree, which is prepared: Quarto writes beside its sources.
    """
    with scratch(book.output.parent) as folder:
        pages, paper = book.into(folder / "pages"), book.into(folder / "paper")
        paper = replace(paper, root=folder / "tree")
        without = shutil.ignore_patterns(".quarto", f"{PREFIX}*")
        shutil.copytree(book.root, paper.root, symlinks=True, ignore=without)

        def make(format: str) -> None:
            run_quarto(quarto, pages if format == "html" else paper, "--to", format, ready=True)

        list(parallel_map(make, FORMATS))
        (paper.output / book.pdf).rename(pages.output / book.pdf)
        store_pages.cut(pages.output)
        place.replace(book.output, pages.output)


def run_quarto(quarto: Path, book: Book, *what: str, ready: bool = False) -> None:
    """Calls Quarto, which prints what it does. Where the book is `ready`, its pre-render step has
    nothing to do.
    """
    command: list[str | Path] = [quarto, "render", *what]
    if book.elsewhere:
        command += ["--output-dir", os.path.relpath(book.output, book.root)]
    environment = os.environ | {"QUARTO_PYTHON": sys.executable, place.BOOK: str(book.root)}
    if ready:
        environment[place.READY] = "yes"
    if subprocess.run(command, cwd=book.root, env=environment).returncode:
        raise UserError("Quarto could not render the report; its last lines above say why.")
