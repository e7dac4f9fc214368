"""Tables: Markdown pipe tables, numbers to the right with their unit in the header."""

import re
from collections.abc import Sequence

import pandas as pd
from IPython.display import Markdown

from kvreport.base.markdown import escape

LONG = 12  # rows of a table that is shown without being asked for
WIDEST = 40  # characters of a cell that count for the width of its column
HEAD_LINES = 3  # that a header may take where there is room
PAGE = 115  # characters that a line of the PDF's tables holds
GAP = 3  # of them, those that the gap between two columns takes
MISSING = "–"
MARKS = re.compile(r"\\(\W)|\[(.*?)\]\(.*?\)|[*`]")  # what takes no room in a cell


class Table(Markdown):
    """A pipe table with the frame of what it prints: `frame`, as text, a column for each header.

    As a cell's result one of more than LONG rows is folded on a page, and the PDF says where it is,
    unless it is to be seen whole.
    """

    def __init__(self, markdown: str, frame: pd.DataFrame, whole: bool = False):
        super().__init__(markdown)
        self.frame, self.whole = frame, whole

    def _repr_markdown_(self) -> str:
        rows = len(self.frame)
        if self.whole or rows <= LONG:
            return self.data
        return "\n\n".join(
            [
                folded(f"The numbers: {rows:,} rows", self.data),
                '::: {.content-visible when-format="typst"}',
                f"Its {rows:,} rows are in the HTML edition.",
                ":::",
            ]
        )


def table(columns: list[str], rows: list[list], whole: bool = False) -> Table:
    """A pipe table; a column whose header starts with ">" is set to the right. Headers and cells
    are text, but for those that are Marked. `whole`: however long, it is what a reader came for.

    The dashes are as wide as the columns are to be, as pandoc sets long tables in their proportion.
    """
    heads = [column.removeprefix(">") for column in columns]
    cells = [[escape(cell) for cell in row] for row in rows]
    shown = [escape(head) for head in heads]
    widths = column_widths(shown, cells)
    rule = [
        "-" * (width - 1) + ":" if column.startswith(">") else ":" + "-" * width
        for column, width in zip(columns, widths)
    ]
    every: list[Sequence[str]] = [shown, rule, *cells]
    markdown = "\n".join("| " + " | ".join(row) + " |" for row in every)
    return Table(markdown, pd.DataFrame(rows, columns=pd.Index(heads), dtype=object), whole)


def folded(title: str, markdown: str) -> str:
    """Markdown that a page shows where it is asked for, under a title of ours, and the PDF not."""
    return "\n\n".join(
        [
            ':::: {.content-visible when-format="html"}',
            f'::: {{.callout-note collapse="true" title="{title}"}}',
            markdown,
            ":::",
            "::::",
        ]
    )


def column_widths(heads: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    """Characters for each column: as its cells take; where a line does not hold them, less for
    those that have words to break at.
    """
    texts = [[MARKS.sub(r"\1\2", row[i]) for row in cells] for i in range(len(heads))]
    least = [
        max(4, *(len(word) for text in (head, *column) for word in text.split()))
        for head, column in zip(heads, texts)
    ]
    wanted = [
        max([low, len(head) // HEAD_LINES, *(min(len(text), WIDEST) for text in column)])
        for low, head, column in zip(least, heads, texts)
    ]
    spare = sum(wanted) - sum(least)
    kept = 1 - min(1, max(0, sum(wanted) + GAP * len(heads) - PAGE) / spare) if spare else 1
    return [GAP + low + round(kept * (want - low)) for low, want in zip(least, wanted)]
