"""What published versions found of the sources' statements, read from the tables of their pages."""

import re
from html.parser import HTMLParser
from pathlib import Path

from kvreport.base.errors import UserError
from kvreport.base.files import Unreadable, read_text
from kvreport.base.paths import shown
from kvreport.data import versions

TABLE = re.compile(r"tbl-(?:claims-\d+|a26)")  # the labels of tables of statements
STATEMENT, HERE = "the source’s statement", "here"  # the heads of the columns that are read


def verdicts(folder: Path) -> dict[str, dict[str, str]]:
    """The verdicts of a version on its own measurements, in its own words: by the label of the
    table, by statement, as its page prints both; without what follows a colon. Raises UserError
    where a page is not as it was published.
    """
    published = versions.manifest(folder)
    found: dict[str, dict[str, str]] = {}
    for page in published["pages"]:
        file = folder / page
        if versions.sha256(file) != published["files"][page]["sha256"]:
            raise UserError(f"{shown(file)} is not what was published: take it from a backup.")
        try:
            found |= of_page(read_text(file))
        except Unreadable as problem:
            raise UserError(f"{shown(file)} is damaged ({problem}).") from None
    return found


def of_page(text: str) -> dict[str, dict[str, str]]:
    """The same of one page."""
    reader = _Tables()
    reader.feed(text)
    found = {}
    for label, table in reader.tables.items():
        heads, rows = (table or [[]])[0], table[1:]
        if STATEMENT in heads and HERE in heads:
            says, here = heads.index(STATEMENT), heads.index(HERE)
            whole = [row for row in rows if len(row) == len(heads)]
            found[label] = {row[says]: row[here].partition(":")[0] for row in whole}
    return found


class _Tables(HTMLParser):
    """The tables with one of the labels: rows of cells, the text of each in one line."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self._label: str | None = None
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        label = dict(attrs).get("id") or ""
        if tag == "figure" and TABLE.fullmatch(label):
            self._label = label
            self.tables[label] = []
        elif self._label and tag == "tr":
            self.tables[self._label].append([])
        elif self._label and tag in ("td", "th"):
            self._cell = []

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "figure":
            self._label = None
        elif self._label and self._cell is not None and tag in ("td", "th"):
            rows = self.tables[self._label]
            if rows:
                rows[-1].append(" ".join("".join(self._cell).split()))
            self._cell = None
