"""What a program may need of a store, and which measurements say who has it: data/needs.toml."""

import functools
from dataclasses import dataclass
from typing import Any

from kvreport.base import paths
from kvreport.base.files import own_toml
from kvreport.data.cases import Case
from kvreport.data.schemas import validator

FIRST_LOOK = "17-first-look"  # the section that has cells of most needs, small
TIME, MIX, SPACE, TAIL, CPU = "time", "mix", "space", "p99.9", "cpu"  # what is measured of a need
# facts without which a store is left out; the last is known by its family
ORDERED, PURE_JAVA, UPDATES = "ordered", "pure Java", "updates"


@dataclass(frozen=True)
class Cell:
    """A case of a section. Of several workloads each store is taken at the one that is quickest for
    it; of a mix each has its share.
    """

    section: str
    case: Case
    workloads: tuple[str, ...]
    shares: tuple[float, ...] = ()


@dataclass(frozen=True)
class Need:
    """
    name      two or three words;  purpose: completes "Take X ..."
    measure   TIME, MIX, SPACE, TAIL or CPU
    cells     whose costs' geometric mean ranks the stores
    chapters  where the evidence is, as the book's references name them
    only      ORDERED, PURE_JAVA or UPDATES: the others are left out
    said      whether the first page has a sentence on it, not only a column
    small     whether little data tell anything of it, so that the first look may answer it
    """

    id: str
    name: str
    purpose: str
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
    """All needs, in the file's order. Raises UserError where it is damaged."""
    content = own_toml(paths.NEEDS, validator("needs"))
    return tuple(_need(**each) for each in content["need"])


def _need(cells: list[dict[str, Any]], chapters: list[str], **fields: Any) -> Need:
    return Need(cells=tuple(_cell(**each) for each in cells), chapters=tuple(chapters), **fields)


def _cell(
    section: str,
    workload: list[str] | None = None,
    shares: dict[str, float] | None = None,
    **case: Any,
) -> Cell:
    mix = shares or {}
    of = Case(**{"keys": "string", "order": "random"} | case)
    return Cell(section, of, tuple(workload or mix), tuple(mix.values()))
