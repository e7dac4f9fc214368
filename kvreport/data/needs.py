"""What a program may need of a store, and which measurements say who has it: data/needs.toml."""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import own_toml, read_text
from kvreport.base.paths import shown
from kvreport.base.text import join_words
from kvreport.data import scripts
from kvreport.data.cases import Case
from kvreport.data.schemas import validator

FIRST_LOOK = "17-first-look"  # the section that has cells of most needs, small
TIME, SPACE, TAIL, CPU = "time", "space", "p99.9", "cpu"  # what is measured of a need
# facts without which a store is left out; the last is known by its family
ORDERED, PURE_JAVA, UPDATES = "ordered", "pure Java", "updates"
TRANSACTIONS, PROCESSES = "transactions", "processes"


@dataclass(frozen=True)
class Cell:
    """A case of a section. Of several workloads each store is taken at the one that is quickest for
    it.
    """

    section: str
    case: Case
    workloads: tuple[str, ...]


@dataclass(frozen=True)
class Need:
    """
    name      two or three words
    measure   TIME, SPACE, TAIL or CPU
    cells     whose costs' geometric mean ranks the stores
    chapters  where the evidence is, as the book's references name them
    only      ORDERED, PURE_JAVA or UPDATES: the others are left out
    said      whether the first page's table has a line on it, and not only the picture a column
    small     whether little data tell anything of it, so that the first look may answer it
    """

    id: str
    name: str
    measure: str
    cells: tuple[Cell, ...]
    chapters: tuple[str, ...]
    only: str | None = None
    said: bool = True
    small: bool = True

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections that its cells are of, each once."""
        return tuple(dict.fromkeys(cell.section for cell in self.cells))


@functools.cache
def needs() -> tuple[Need, ...]:
    """All needs, in the file's order. Raises UserError where it is damaged, or names what is not
    there.
    """
    content = own_toml(paths.NEEDS, validator("needs"))
    found = tuple(_need(**each) for each in content["need"])
    for complaint in _complaints(found):
        raise UserError(f"{shown(paths.NEEDS)}: {complaint}.")
    return found


def _complaints(found: tuple[Need, ...]) -> Iterator[str]:
    """Return what needs say that cannot be, though each part of them could, a few words each."""
    sections = [file.stem for file in paths.CHAPTERS.glob("[0-9]*.ipynb")]
    workloads, settings = list(scripts.workloads()), _settings()
    for at, need in enumerate(found):
        if need.id in [other.id for other in found[:at]]:
            yield f"the id {need.id} stands twice"
        for cell in need.cells:
            names = [each.partition("=")[0] for each in cell.case.settings.split(", ") if each]
            for kind, known, named in (
                ("section", sections, [cell.section]),
                ("workload", workloads, cell.workloads),
                ("setting", settings, names),
            ):
                for name in set(named) - set(known):
                    yield (
                        f"{need.id} names the {kind} {name}, which is none; there are"
                        f" {join_words(sorted(known))}"
                    )


def _settings() -> list[str]:
    """The names that settings have in records."""
    text = read_text(paths.JBANG_KV / "store" / "Setting.java")
    return re.findall(r'@SerializedName\("(\w+)"\)', text)


def _need(cells: list[dict[str, Any]], chapters: list[str], **fields: Any) -> Need:
    return Need(cells=tuple(_cell(**each) for each in cells), chapters=tuple(chapters), **fields)


def _cell(section: str, workload: list[str], **case: Any) -> Cell:
    return Cell(section, Case(**{"keys": "string", "order": "random"} | case), tuple(workload))
