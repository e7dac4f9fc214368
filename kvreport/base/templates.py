"""Sentences as templates over named numbers.

    fill("{{ slower }} of {{ pairs | count('pair') }} are slower", slower=4, pairs=21)

The template is Jinja2's. Its filters are kvreport.base.text's functions (`ratio | number`, `names |
join_words`, `n | count("store")`, `ns | duration`), each of which writes a number as the report
does, and `rows | each("{{ store }} {{ ns | number }}")`, which fills a template for every row. In a
loop, `separator(loop)` is what follows an item: a comma, "and", or nothing. A name that the
template uses and the numbers lack is an error, never a gap.

`fill` makes text, for titles and terminals. `fill_markdown` makes Markdown of a template that is
Markdown: what it is filled with is text, and comes out as that text.
"""

import functools
import re
from collections.abc import Iterable
from typing import Any

import jinja2
from markupsafe import Markup

from kvreport.base import markdown, text
from kvreport.base.markdown import Marked, escape

FILTERS = ("count", "duration", "format_range", "join_words", "number", "significant", "some")
ITEM = re.compile(r"\n\s*(?=- )")  # where an item of a list begins


def each(rows: Iterable[Any], template: str) -> list[str]:
    """The template filled with every row: a mapping, or an object with fields."""
    return [fill(template, **(row if isinstance(row, dict) else vars(row))) for row in rows]


def each_markdown(rows: Iterable[Any], template: str) -> list[Marked]:
    """The same, as Markdown."""
    return [
        fill_markdown(template, **(row if isinstance(row, dict) else vars(row))) for row in rows
    ]


def separator(loop: Any) -> str:
    """What follows an item of a list in words, by Jinja's `loop`."""
    return {1: "", 2: " and "}.get(loop.revindex, ", ")


def _environment(marks: bool, **filters: Any) -> jinja2.Environment:
    made = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=marks)
    made.filters |= {name: getattr(text, name) for name in FILTERS} | filters
    made.globals["separator"] = separator
    return made


def _finalized(value: Any) -> Any:
    """What an expression of a template comes to, as Markdown; numbers and what is undefined are
    left to Jinja. Markup is what it has of a macro, whose texts came through here before.
    """
    if isinstance(value, (Markup, int, float, jinja2.Undefined)):
        return value
    text = str(value)  # of which a template may put blanks at the ends: ", ", " and 3"
    before, after = (" " if end.isspace() else "" for end in (text[:1], text[1:][-1:]))
    return Markup(f"{before}{escape(value)}{after}")


_texts = _environment(False, each=each)
_marked = _environment(
    True,
    each=each_markdown,
    code=markdown.code,
    join_words=markdown.join_words,
    some=markdown.some,
    join=lambda values, between="": markdown.joined(between, values),
)
_marked.finalize = _finalized
_text_of = functools.cache(_texts.from_string)
IN_CODE = re.compile(r"`\{\{ *([^{}`|]+?) *\}\}`")  # a value that a template shows as code


@functools.cache
def _markdown_of(template: str) -> jinja2.Template:
    return _marked.from_string(IN_CODE.sub(r"{{ (\1) | code }}", template))


def fill(template: str, **numbers: Any) -> str:
    """The template with its numbers. Line breaks are blanks, so that a cell may wrap its words,
    except between paragraphs and before the items of a list.

    Raises jinja2.UndefinedError where it uses a name that is not given.
    """
    return _wrapped(_text_of(template).render(numbers))


def fill_markdown(template: str, **numbers: Any) -> Marked:
    """The same, of a template in Markdown with texts that are none."""
    return Marked(_wrapped(_markdown_of(template).render(numbers)))


def _wrapped(filled: str) -> str:
    paragraphs = [
        "\n".join(" ".join(item.split()) for item in ITEM.split(paragraph))
        for paragraph in filled.split("\n\n")
    ]
    return "\n\n".join(paragraphs).strip()
