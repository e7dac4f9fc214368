"""A data frame as a cell shows it: a table of Markdown, which page and paper render alike."""

import pandas as pd
from IPython import get_ipython
from IPython.display import Markdown

from kvreport.base.markdown import Marked
from kvreport.base.text import significant
from kvreport.charts.tables import MISSING, Table, table

MOST = 200  # rows that are shown of a frame


def enable() -> None:
    """Has a kernel show frames so, and not as HTML, for which Quarto would fetch scripts."""
    if shell := get_ipython():
        formatters = shell.display_formatter.formatters
        formatters["text/html"].for_type(pd.DataFrame, lambda _: None)
        formatters["text/markdown"].for_type(pd.DataFrame, shown)


def shown(frame: pd.DataFrame) -> str:
    """Return a frame as a pipe table that is folded where it is long; one of more than MOST rows
    has the first of them.
    """
    more = f"\n\n{len(frame):,} rows, of which {MOST} are shown." if len(frame) > MOST else ""
    return whole(frame.head(MOST), False)._repr_markdown_() + more


def whole(frame: pd.DataFrame, is_whole: bool = True) -> Table:
    """Return a frame as a pipe table that is never folded: numbers with three significant digits,
    to the right. One that has lost all its columns, as nothing was measured, says so.
    """
    if frame.columns.empty:
        frame = pd.DataFrame({"results": ["none was measured"]})
    numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    heads = [f">{name}" if right else f"{name}" for name, right in zip(frame.columns, numeric)]
    rows = [
        [MISSING if pd.isna(each) else _text(each) for each in row]
        for row in frame.itertuples(index=False)
    ]
    return table(heads, rows, is_whole)


def _text(value: object) -> str:
    if isinstance(value, Markdown):
        return Marked(value.data)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value if isinstance(value, str) else str(value)  # what is Marked stays so
    if isinstance(value, int) or float(value).is_integer():
        return f"{value:,.0f}"
    return significant(value) if abs(value) < 1000 else f"{value:,.0f}"
