"""A section of the report: its measure notebook, whose Java cells say what is measured."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import nbformat

from kvreport.base import notebooks, paths
from kvreport.base.errors import UserError
from kvreport.data.needs import FIRST_LOOK

# begins a cell that a trial leaves out: what a reader runs for himself
BY_HAND = "//| by-hand: true"
FIRST_ROUNDS = 3  # of the first look
OWN_ROUNDS = 2  # of a reader's own question: single trials would tell nothing apart


@dataclass(frozen=True)
class Section:
    """A measure notebook."""

    file: Path

    @property
    def id(self) -> str:
        """Number and name: "04-small-values"."""
        return self.file.stem

    @property
    def is_lesson(self) -> bool:
        """Return whether it shows by hand what no trial measures; it has no number then."""
        return not self.id[0].isdigit()

    @property
    def least_rounds(self) -> int:
        """The rounds that are made whatever they take, where there is a time to spend: of the first
        look, and of a reader's own question, which go ahead of all else.
        """
        if self.file.parent != paths.MEASURE:
            return OWN_ROUNDS
        return FIRST_ROUNDS if self.id == FIRST_LOOK else 0

    def notebook(self) -> nbformat.NotebookNode:
        """The notebook as it is on the disk."""
        return notebooks.read_notebook(self.file)

    @cached_property
    def cells(self) -> list[str]:
        """The code that a trial runs, a cell each."""
        code = [cell.source for cell in self.notebook().cells if cell.cell_type == "code"]
        return [source for source in code if not source.startswith(BY_HAND)]

    @property
    def stamp(self) -> str:
        """SHA-256 of that code."""
        return hashlib.sha256("\0".join(self.cells).encode()).hexdigest()


def sections() -> list[Section]:
    """All there are, in order."""
    return [Section(file) for file in sorted(paths.MEASURE.glob("[0-9]*.ipynb"))]


def lessons() -> list[Section]:
    """The notebooks beside them that show by hand what no trial measures."""
    return [Section(file) for file in sorted(paths.MEASURE.glob("[!0-9]*.ipynb"))]


def find_log(name: str) -> Section:
    """The section of that number or name, or the lesson. Raises UserError."""
    return next((lesson for lesson in lessons() if lesson.id == name), None) or find_section(name)


def find_section(name: str) -> Section:
    """The section of that number or name: "4", "04" or "04-small-values". Raises UserError."""
    for section in sections():
        number = section.id.split("-")[0]
        if name in (section.id, number, number.lstrip("0") or "0"):
            return section
    known = ", ".join(section.id for section in sections())
    raise UserError(f"There is no section {name or repr(name)}; there are {known}.")
