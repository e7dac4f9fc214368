"""Sentences as templates over named numbers.

    fill("{{ slower }} of {{ pairs | count('pair') }} are slower", slower=4, pairs=21)

The template is Jinja2's. Its filters are kvreport.base.text's functions (`ratio | number`, `names |
join_words`, `n | count("store")`, `ns | duration`), each of which writes a number as the report
does, and `rows | each("{{ store }} {{ ns | number }}")`, which fills a template for every row. In a
loop, `separator(loop)` is what follows an item: a comma, "and", or nothing. A name that the
template uses and the numbers lack is an error, never a gap.
"""

import functools
import re
from collections.abc import Iterable
from typing import Any

import jinja2

from kvreport.base import text

FILTERS = ("count", "duration", "format_range", "join_words", "number", "significant", "some")
ITEM = re.compile(r"\n\s*(?=- )")  # where an item of a list begins


def each(rows: Iterable[Any], template: str) -> list[str]:
    """The template filled with every row: a mapping, or an object with fields."""
    return [fill(template, **(row if isinstance(row, dict) else vars(row))) for row in rows]


def separator(loop: Any) -> str:
    """What follows an item of a list in words, by Jinja's `loop`."""
    return {1: "", 2: " and "}.get(loop.revindex, ", ")


_environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
_environment.filters |= {name: getattr(text, name) for name in FILTERS} | {"each": each}
_environment.globals["separator"] = separator
_compiled = functools.cache(_environment.from_string)


def fill(template: str, **numbers: Any) -> str:
    """The template with its numbers. Line breaks are blanks, so that a cell may wrap its words,
    except between paragraphs and before the items of a list.

    Raises jinja2.UndefinedError where it uses a name that is not given.
    """
    filled = _compiled(template).render(numbers)
    paragraphs = [
        "\n".join(" ".join(item.split()) for item in ITEM.split(paragraph))
        for paragraph in filled.split("\n\n")
    ]
    return "\n\n".join(paragraphs).strip()
