"""Titles that state what is to be seen, in lines that fit the page."""

import re
import textwrap

from altair import TitleParams

WIDE, NARROW = (80, 104), (38, 48)  # characters in a line of title and of subtitle
STAY_TOGETHER = re.compile(
    r"(?<=\d) (?=(ns|µs|ms|s|[KMGT]?B|trials?|entries)\b)|(?<=×) | (?=·|t\))"
)  # spaces at which no line of a title ends


def title(text: str, subtitle: str = "") -> TitleParams:
    """A chart's title, for `chart.properties(title=...)`: what is to be seen, and where it comes
    from.
    """
    return _title(text, subtitle, WIDE)


def in_lines(given: dict | str, widths: tuple[int, int], more: str = "") -> dict:
    """The title of a specification in lines of such widths, with more words in its subtitle."""
    parts = {"text": given} if isinstance(given, str) else given
    text, subtitle = (
        part if isinstance(part, str) else " ".join(part)
        for part in (parts.get("text", ""), parts.get("subtitle", ""))
    )
    return _title(text, subtitle + more, widths).to_dict()


def split(text: str, width: int) -> list[str]:
    """A text in lines of at most `width` characters, with a number and its unit in one, and a dot
    at the end of a line and not at its beginning.
    """
    together = STAY_TOGETHER.sub("\xa0", text)
    return [
        line.replace("\xa0", " ") for line in textwrap.wrap(together, width, break_on_hyphens=False)
    ]  # textwrap never breaks at \xa0


def _title(text: str, subtitle: str, widths: tuple[int, int]) -> TitleParams:
    return TitleParams(
        split(text, widths[0]),
        subtitle=split(subtitle, widths[1]),
        fontSize=15,
        offset=12,
        subtitlePadding=5,
    )
