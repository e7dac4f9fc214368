"""Data as Markdown: the one place where a text that comes from elsewhere becomes part of a page.

What a run, a record, a published figure or a version says is other people's text. `escape` makes
Markdown of it that reads as that text and does nothing else: no markup, HTML, Typst, link,
citation, shortcode or attribute. `Marked` says that a text is Markdown already, as
markupsafe.Markup says it of HTML: it is left as it is wherever other texts are escaped.
"""

import re
import urllib.parse
from collections.abc import Callable, Iterable
from typing import Any

from kvreport.base import text as words
from kvreport.base.text import one_line, visible

# What can be markup anywhere. A colon followed by a letter begins an address, one followed by a
# colon a division, a hyphen by a hyphen a dash; alone they are left, so that the source is legible.
MARKUP = re.compile(
    r"""[\\`*_\[\]<>{}$@|~^"&]|(?<=:):|:(?=[\S])|-(?=-)|(?<=-)-|\.(?=\.)|(?<=\.)\."""
)
# what can be markup where a paragraph begins: a heading, a list, a definition
OPENING = re.compile(r"^(\(?(?:\d+|[A-Za-z#]+)(?=[.)](?:\s|$))|(?=[#%:=])|(?=[-+](?:\s|$)))(.)")
ESCAPED = re.compile(r"\\([^\sA-Za-z0-9])|`")  # or what begins or ends code
COMMAND = re.compile(r"`([\w =./:'-]+)`")  # what our own sentences say in code
# https, and a vendor's documentation that is served without it and that older records name
ADDRESS = re.compile(r"(?:https://[A-Za-z0-9]|http://www\.lmdb\.tech/)\S*")
PLAIN_CODE = re.compile(r"(?! )[^`|\\\n{}<>$]+(?<! )")  # what a code span holds as it is


class Marked(str):
    """A text that is Markdown, made of data by the functions below or written by us."""

    __slots__ = ()


def escape(value: Any) -> Marked:
    """A value as Markdown that shows it, in one line; what is Marked as it is."""
    if isinstance(value, Marked):
        return value
    line = one_line(str(value))
    return Marked(_opened(MARKUP.sub(r"\\\g<0>", line)))


def _opened(line: str) -> str:
    return OPENING.sub(lambda found: f"{found[1]}\\{found[2]}", line)


def marked(template: str, *values: Any, **named: Any) -> Marked:
    """Markdown of our own, a format string, with values that are escaped in its braces."""
    return Marked(
        template.format(
            *map(escape, values), **{name: escape(value) for name, value in named.items()}
        )
    )


def joined(between: str, values: Iterable[Any]) -> Marked:
    """Values as Markdown, with a separator of ours between them."""
    return Marked(between.join(map(escape, values)))


def code(value: Any) -> Marked:
    """A value as code, or as text where a code span could not hold it as it is."""
    line = one_line(str(value))
    return Marked(f"`{line}`") if PLAIN_CODE.fullmatch(line) else escape(line)


def link(value: Any, address: str) -> Marked:
    """A value that leads to an address; the value alone unless that is one of https."""
    if not ADDRESS.fullmatch(address) or visible(address) != address:
        return escape(value)
    return Marked(f"[{escape(value)}]({urllib.parse.quote(address, safe=':/?#@!&=+,;%~.-_')})")


def prose(sentence: str) -> Marked:
    """A sentence for people, such as an error's, as Markdown: commands in backticks are code, and
    everything else is text.
    """
    if isinstance(sentence, Marked):
        return sentence
    parts = COMMAND.split(sentence)
    shown = [
        f"`{part}`" if at % 2 else MARKUP.sub(r"\\\g<0>", visible(part).replace("\n", " "))
        for at, part in enumerate(parts)
    ]
    return Marked(_opened("".join(shown)))


def plain(markdown: str) -> str:
    """Return what Markdown of `escape` and `prose` reads as, for where it is not rendered."""
    return ESCAPED.sub(r"\1", markdown)


def keeping(of_texts: Callable[..., str]) -> Callable[..., Marked]:
    """A function of kvreport.base.text on texts, as one on Markdown."""

    def of_marked(texts: Iterable[Any], *more: Any) -> Marked:
        return Marked(of_texts([escape(each) for each in texts], *more))

    return of_marked


join_words = keeping(words.join_words)
some = keeping(words.some)


def fenced(lines: Iterable[str], language: str = "sh") -> Marked:
    """Lines as a listing, whatever backticks are in them."""
    text = "\n".join(" ".join(visible(each).split("\n")) for each in lines)
    ticks = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 3)
    return Marked(f"{ticks} {language}\n{text}\n{ticks}")
