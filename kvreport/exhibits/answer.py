"""The answers of kvreport.analysis.answers as chapters that have not been written anew yet, and the
stores' portraits, say them.
"""

from collections.abc import Iterable
from functools import cached_property

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis.answers import BEST, answers
from kvreport.analysis.summary import named
from kvreport.base.markdown import Marked, joined, marked
from kvreport.base.text import join_words, number
from kvreport.data.needs import needs


class Answer:
    """All needs, or those of one chapter."""

    def __init__(self, lost: Iterable[str] = (), chapter: str = ""):
        self.chapter = chapter

    @classmethod
    def of_chapter(cls, name: str) -> "Answer":
        """Of the needs whose sentence opens a chapter, as the book's references name it."""
        return cls(chapter=name)

    @cached_property
    def ranked(self) -> pd.DataFrame:
        """Of kvreport.analysis.answers."""
        found = answers()
        chapters = {need.id: need.chapters[0] for need in needs()}
        return found[found["id"].map(chapters) == self.chapter] if self.chapter else found

    def sentences(self) -> Markdown:
        """A list with a sentence for each need that is not in the picture alone."""
        return self._list(self.ranked[self.ranked["said"].astype(bool)])

    def findings(self) -> Markdown:
        """The same of all, for the chapter that has the evidence."""
        return self._list(self.ranked)

    def _list(self, rows: pd.DataFrame) -> Markdown:
        lines = [
            marked("- {}: {}.", str(need).capitalize(), named(own) or "too noisy to say")
            for need, own in rows.groupby("need", sort=False)
        ]
        return Markdown("\n".join(map(str, lines)))

    def standing(self, store: str) -> Marked:
        """Where a store (its id) stands at each need, in a sentence; "" where it has no place at
        any, as one that another stands for.
        """
        rows = self.ranked[self.ranked["store"] == store]
        first = rows.loc[rows["verdict"].isin(BEST), "need"]
        behind = rows[rows["verdict"] == "slower"]
        noisy = rows.loc[rows["verdict"] == "too noisy", "need"]
        parts = [f"Best here, or level with it, at {join_words(first)}"] * bool(len(first))
        parts += [
            ", ".join(
                f"{number(ratio)}× the best at {need}"
                for need, ratio in zip(behind["need"], behind["ratio"])
            )
        ] * bool(len(behind))
        if not parts:
            return Marked("")
        parts += [f"too noisy to place at {join_words(noisy)}"] * bool(len(noisy))
        return Marked(joined("; ", parts) + ".")
