"""Sentences of a chapter, which its cells write as f-strings: text, whatever is in the data."""

from collections.abc import Iterable, Sequence
from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.base.markdown import escape, marked
from kvreport.base.text import join_words, number
from kvreport.charts import chapter

NOTHING = "*Not measured.*"


def md(markdown: str, **values: object) -> Markdown:
    """Markdown of your own. What data say, as names do, is for `sentence`, or goes in the braces of
    "**{name}** is fastest", where it is text: name=...
    """
    return Markdown(str(marked(markdown, **values)) if values else markdown)


def sentence(text: str, of: pd.DataFrame | None = None) -> Markdown:
    """A paragraph of text, which comes out as it is: the last expression of its cell. None where
    `of`, the rows that it is about, is empty: a chapter's finding has said so.
    """
    return Markdown("" if of is not None and of.empty else str(escape(text)))


def finding(text: str, more: str = "", of: pd.DataFrame | None = None) -> Markdown:
    """Return what a chapter has found, set off, and more about it; both are text, as in `sentence`.
    That nothing was measured, where `of`, the rows that it is about, is empty.
    """
    if of is not None and of.empty:
        return Markdown(NOTHING)
    return Markdown(str(marked("**{}** {}", text, more)).strip())


def provenance(section: str | Sequence[str], exhibits: str = "") -> Markdown:
    """Return where the figures of one or several sections come from: run, machine, number of
    trials, what may have distorted them, and which of a section's stores have none. `exhibits`
    names them, as "A07 to A12".
    """
    every = [chapter.of(each) for each in ([section] if isinstance(section, str) else section)]
    return chapter.opening(every, exhibits) if every else Markdown("")


def first(rows: pd.DataFrame) -> pd.Series:
    """The first row; of an empty frame one whose values are missing."""
    return rows.iloc[0] if len(rows) else pd.Series(nan, index=rows.columns, dtype=object)


def times(ratio: float, low: float | None = None, high: float | None = None) -> str:
    """A ratio as "1.84 times", with its interval where it has one: "1.84 times [1.65, 2.06]"."""
    known = low is not None and high is not None and low == low
    interval = f" [{number(low)}, {number(high)}]" if known and low and high else ""
    return f"{number(ratio)} times{interval}"


def join(names: Iterable[object], last: str = "and") -> str:
    """Names as text: "LMDB, Xodus and RocksDB"; none where there is none."""
    return join_words(map(str, names), last)
