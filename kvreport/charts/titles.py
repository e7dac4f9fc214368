"""Titles that state what is to be seen, in lines that fit the page."""

from altair import TitleParams

from kvreport.charts.figures import NARROW_TITLE, WIDE_TITLE, lines


def title(text: str, subtitle: str = "") -> TitleParams:
    """A chart's title, for `chart.properties(title=...)`: what is to be seen, and where it comes
    from.
    """
    return _title(text, subtitle, WIDE_TITLE)


def narrow(wide: dict | str) -> dict:
    """The title of a specification in the lines of a narrow page."""
    given = {"text": wide} if isinstance(wide, str) else wide
    text, subtitle = (_joined(given.get(part, "")) for part in ("text", "subtitle"))
    return _title(text, subtitle, NARROW_TITLE).to_dict()


def _joined(part: str | list[str]) -> str:
    return part if isinstance(part, str) else " ".join(part)


def _title(text: str, subtitle: str, widths: tuple[int, int]) -> TitleParams:
    return TitleParams(
        lines(text, widths[0]),
        subtitle=lines(subtitle, widths[1]),
        fontSize=15,
        offset=12,
        subtitlePadding=5,
    )
