"""A section of the report: its measure notebook, whose Java cells say what is measured."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import nbformat

from kvreport.base import notebooks, paths
from kvreport.base.errors import UserError

# begins a cell that a trial leaves out: what a reader runs for himself
BY_HAND = "//| by-hand: true"


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
