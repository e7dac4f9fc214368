"""The book as `_quarto.yml` declares it, and its chapters as Markdown."""

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from kvreport.base import notebooks
from kvreport.base.errors import UserError
from kvreport.base.files import Unreadable, damaged, parse_yaml, read_text, read_yaml
from kvreport.base.markdown import plain
from kvreport.render.declaration import VARIABLES, declaration

LABELLED = ("fig-", "tbl-")
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
LETTERS = 26  # that Quarto gives appendices; the next is "["
HEADING = re.compile(r"^# +(?P<title>.+?) *(?:\{(?P<attributes>[^}]*)\})? *$", re.MULTILINE)
VARIABLE = re.compile(r"\{\{< *var +([\w-]+) *>\}\}")


@dataclass(frozen=True)
class Chapter:
    """One source of the book: its path from the root, its part's title, its number ("3", "A" or ""
    where it has none), its title and the name of its first heading.
    """

    source: str
    part: str | None
    number: str
    title: str
    anchor: str
    appendix: bool

    @property
    def page(self) -> str:
        """The HTML page, at the same place under the output folder as the source is under the
        root.
        """
        return str(PurePosixPath(self.source).with_suffix(".html"))

    @property
    def printed(self) -> bool:
        """Return whether the PDF has it: logs and details are on the pages alone, as
        report/theme/leftout.lua has it for Quarto.
        """
        return not self.anchor.startswith(("sec-log", "sec-details"))


@dataclass
class Book:
    """`_quarto.yml` with its variables filled in, and the chapters in reading order, the first page
    first.
    """

    root: Path
    config: dict
    chapters: list[Chapter] = field(default_factory=list)
    elsewhere: Path | None = None  # the output folder, where it is not the declared one

    @property
    def output(self) -> Path:
        return self.elsewhere or self.root / self.config["project"]["output-dir"]

    def into(self, folder: Path | None) -> "Book":
        """The same book, to be rendered into another folder than the declared one, if one is
        given.
        """
        return replace(self, elsewhere=folder)

    @property
    def pdf(self) -> str:
        return f"{self.config['book']['output-file']}.pdf"

    @property
    def footer(self) -> str:
        """The line at every page's foot: which measurements the report shows."""
        return self.config["book"].get("page-footer", {}).get("left", "")

    def chapter(self, source: str) -> Chapter:
        """The chapter made from a source, named from the root or absolutely. Raises UserError for
        one the book does not have.
        """
        wanted = (self.root / source).resolve()
        for chapter in self.chapters:
            if (self.root / chapter.source).resolve() == wanted:
                return chapter
        names = ", ".join(chapter.source for chapter in self.chapters)
        raise UserError(f"{source} is not a chapter of the book; _quarto.yml lists {names}.")


def load_book(root: Path) -> Book:
    """Reads the book's declaration. Raises UserError when it or a chapter that it lists is missing
    or damaged.
    """
    book = Book(root, filled(declaration(root), variables_of(root)))
    declared = list(entries(book.config["book"].get("chapters", []), appendix=False))
    declared += entries(book.config["book"].get("appendices", []), appendix=True)
    numbered = {False: 0, True: 0}
    for source, part, appendix in declared:
        if not os.path.lexists(root / source):
            raise UserError(
                f"_quarto.yml lists the chapter {source}, and there is no such file: write it or"
                " take it out."
            )
        heading = HEADING.search(first_markdown(root / source))
        if not heading:
            raise UserError(
                f"The chapter {source} has no title: begin its first text with a line like '#"
                " Title'."
            )
        attributes = (heading["attributes"] or "").split()
        number = ""
        if ".unnumbered" not in attributes:
            numbered[appendix] += 1
            if numbered[True] > LETTERS:
                raise UserError(
                    f"_quarto.yml lists more than {LETTERS} appendices, and each has a letter: make"
                    f" {source} a chapter, or take one out."
                )
            number = chr(ord("@") + numbered[True]) if appendix else str(numbered[False])
        made_up = "chapter-" + re.sub(r"\W", "-", source)
        anchor = next((name[1:] for name in attributes if name.startswith("#")), made_up)
        book.chapters.append(
            Chapter(source, part, number, re.sub(r"[*`]", "", heading["title"]), anchor, appendix)
        )
    return book


def filled(declared: Any, known: dict) -> Any:
    """Return what a YAML file declares, with Quarto's variables in its texts filled in as text."""
    if isinstance(declared, str):
        return plain(fill_in(declared, known)) if VARIABLE.search(declared) else declared
    if isinstance(declared, list):
        return [filled(each, known) for each in declared]
    if isinstance(declared, dict):
        return {name: filled(each, known) for name, each in declared.items()}
    return declared


def entries(listed, appendix, part=None):
    for entry in listed:
        if isinstance(entry, dict):
            yield from entries(entry["chapters"], appendix, entry["part"])
        else:
            yield entry, "Appendices" if appendix else part, appendix


def variables_of(root: Path) -> dict:
    """Return what `_variables.yml` holds, which the pre-render step writes: the `run` that is
    shown, as Markdown. Nothing where it cannot be read, as the next render writes it anew.
    """
    try:
        found = read_yaml(root / VARIABLES)
    except Unreadable:
        return {}
    return found if isinstance(found, dict) else {}


def fill_in(text: str, known: dict) -> str:
    """Quarto's `var` shortcodes, replaced by their values."""
    return VARIABLE.sub(lambda match: str(known.get(match[1], f"?var:{match[1]}")), text)


def cells_of(path: Path) -> list[dict]:
    """A notebook's cells; any other file is one Markdown cell. Raises UserError."""
    if path.suffix == ".ipynb":
        return notebooks.read_notebook(path).cells
    try:
        return [{"cell_type": "markdown", "source": read_text(path)}]
    except Unreadable as problem:
        raise damaged(path, problem) from None


def first_markdown(path: Path) -> str:
    return next((cell["source"] for cell in cells_of(path) if cell["cell_type"] == "markdown"), "")


def language_of(path: Path) -> str:
    """The programming language of a notebook's cells: "python" or "java"."""
    if path.suffix != ".ipynb":
        return ""
    metadata = notebooks.read_notebook(path).metadata
    spec = metadata.get("kernelspec", {})
    return (
        spec.get("language") or metadata.get("language_info", {}).get("name") or "python"
    ).lower()


def options_of(source: str) -> tuple[dict, str]:
    """A code cell's `#|` or `//|` options, and its code without them. Raises Unreadable."""
    lines = source.split("\n")
    count = next(
        (at for at, line in enumerate(lines) if not re.match(r"(#|//)\|", line)), len(lines)
    )
    declared = "\n".join(re.sub(r"^(#|//)\| ?", "", line) for line in lines[:count])
    options = parse_yaml(declared) or {}
    if not isinstance(options, dict):
        raise Unreadable("not YAML of names with values")
    return options, "\n".join(lines[count:]).strip("\n")


def markdown_of(path: Path, known: dict) -> tuple[str, dict[str, str]]:
    """A chapter as one Markdown text, made from its stored outputs, and its pictures: {path from
    the page: SVG}.

    `known` are the values of Quarto's variables.
    """
    language = language_of(path)
    pictures: dict[str, str] = {}
    parts: list[str] = []
    for position, cell in enumerate(cells_of(path), 1):
        if cell["cell_type"] == "markdown":
            parts.append(fill_in(cell["source"], known))
        elif cell["cell_type"] == "code":
            try:
                parts.append(code_cell(cell, language, position, f"{path.stem}_files", pictures))
            except Unreadable as problem:
                raise damaged(path, f"the options of cell {position}: {problem}") from None
    return "\n\n".join(parts) + "\n", pictures


def code_cell(cell, language, position, folder, pictures):
    options, source = options_of(cell["source"])
    shown = options.get("include", True)
    parts = []
    if shown and options.get("echo", True) and source:
        parts.append(fenced(source, f"{language} .cell-code"))
    if shown and options.get("output", True):
        label = str(options.get("label", ""))
        name = f"{folder}/{label or f'cell-{position}'}"
        body = "\n\n".join(
            output_markdown(output, f"{name}-{count}.svg", options, pictures)
            for count, output in enumerate(cell["outputs"], 1)
        )
        if label.startswith(LABELLED):
            body = f"::: {{#{label}}}\n{body}\n\n{options.get(f'{label[:3]}-cap', '')}\n:::"
        parts.append(body)
    return "\n\n".join(parts)


def output_markdown(output, picture, options, pictures):
    """One stored output as Markdown, of its representations the one that Quarto would take."""
    if output["output_type"] == "stream":
        return fenced(ANSI.sub("", output["text"]).rstrip(), "cell-output")
    data = output.get("data", {})
    if "text/markdown" in data:
        return data["text/markdown"]
    if "image/svg+xml" in data:
        pictures[picture] = data["image/svg+xml"]
        alt = (
            str(options.get("fig-alt", ""))
            .replace("\\", "\\\\")
            .replace('"', '\\"')
            .replace("\n", " ")
        )
        return f'![]({picture}){{alt="{alt}"}}'
    return fenced(data.get("text/plain", ""), "cell-output")


def fenced(text, classes):
    ticks = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 3)
    return f"{ticks} {{.{classes}}}\n{text}\n{ticks}"
