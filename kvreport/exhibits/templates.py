"""Sentences as templates over named numbers: the words are in the chapters, the numbers computed.

    fill("{{ slower }} of {{ pairs | count('pair') }} are slower", slower=4, pairs=21)

The template is Jinja2's. Its filters are kvreport.base.text's functions (`ratio | number`, `names |
join_words`, `n | count("store")`, `ns | duration`), each of which writes a number as the report
does. In a loop, `separator(loop)` is what follows an item: a comma, "and", or nothing. A name that
the template uses and the numbers lack is an error, never a gap.
"""

import re
from typing import Any

import jinja2
import pandas as pd
from IPython.display import Markdown

from kvreport.base import text

FILTERS = ("count", "duration", "format_range", "join_words", "number", "significant")
ITEM = re.compile(r"\n\s*(?=- )")  # where an item of a list begins

_environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
_environment.filters |= {name: getattr(text, name) for name in FILTERS}


def separator(loop: Any) -> str:
    """What follows an item of a list in words, by Jinja's `loop`."""
    return {1: "", 2: " and "}.get(loop.revindex, ", ")


_environment.globals["separator"] = separator


def fill(template: str, **numbers: Any) -> str:
    """The template with its numbers. Line breaks are blanks, so that a cell may wrap its words,
    except between paragraphs and before the items of a list.

    Raises jinja2.UndefinedError where it uses a name that is not given.
    """
    filled = _environment.from_string(template).render(numbers)
    paragraphs = [
        "\n".join(" ".join(item.split()) for item in ITEM.split(paragraph))
        for paragraph in filled.split("\n\n")
    ]
    return "\n\n".join(paragraphs).strip()


class Sentence(Markdown):
    """Text of a chapter, with what it was filled with: `numbers`. Jupyter shows the text; a console
    shows the numbers too.
    """

    def __init__(self, template: str, **numbers: Any):
        super().__init__(fill(template, **numbers))
        self.template, self.numbers = template, numbers

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.numbers.items())
        return f"{self.data} ({given})" if given else self.data


def extremes(values: pd.Series) -> dict[str, dict[str, Any]]:
    """The least and the most of some values by store, for a sentence: {"least": {"store": "LMDB",
    "value": 1.2}, "most": ...}; empty where there are none.
    """
    known = values.dropna().astype(float).sort_values(kind="stable")
    if known.empty:
        return {}
    return {
        end: {"store": known.index[at], "value": float(known.iloc[at])}
        for end, at in (("least", 0), ("most", -1))
    }
