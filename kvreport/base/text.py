"""Numbers and lists as the report writes them."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

# What a terminal or a browser obeys and nobody sees: control characters but for tabs and line
# breaks, changes of the direction of writing, marks of no width, and what is no character at all.
HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)

REASON = 400  # characters that anyone reads of what a store says; kv.trial.Trial has the same


def visible(text: str) -> str:
    """A text whose control characters are shown and not obeyed: ‹U+001B› for escape. Their own
    pictures are in few fonts.
    """
    return HIDDEN.sub(lambda found: f"‹U+{ord(found[0]):04X}›", text)


def one_line(text: str) -> str:
    """A text in one line, made visible: for a part of a sentence."""
    return " ".join(visible(text).split())


def brief(text: str) -> str:
    """A reason as a record has room for it: one line of REASON characters at most."""
    line = one_line(text[: 4 * REASON])
    return line if len(line) <= REASON else line[: REASON - 1].rstrip() + "…"


def visible_all(value: Any) -> Any:
    """Return what JSON holds, all texts in it and all names made visible."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list | tuple):
        return [visible_all(each) for each in value]
    if isinstance(value, dict):
        return {visible(name): visible_all(each) for name, each in value.items()}
    return value


def number(value: float) -> str:
    """A number with three significant digits, or all digits before the point: 1,234, 123, 12.3,
    1.23; below one two digits after it. Nothing for NaN.
    """
    if value != value:
        return ""
    size = abs(value)
    return f"{value:,.{0 if size >= 99.95 else 1 if size >= 9.995 else 2}f}"


def significant(value: float) -> str:
    """Three significant digits, however small: 11.1 · 0.880 · 0.0749."""
    return f"{value:#.3g}".rstrip(".")


def duration(ns: float) -> str:
    """Nanoseconds, in the unit in which a reader would say them: 640 ns, 12.3 µs, 2.50 s."""
    unit, size = next(
        ((unit, size) for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)) if ns >= size),
        ("ns", 1),
    )
    return f"{number(ns / size)} {unit}"


def format_range(low: Any, high: Any, words: Callable[[Any], str] = number) -> str:
    """Two numbers, "1.23 to 4.56", or one where they read the same; or what `words` makes
    of them.
    """
    first, last = words(low), words(high)
    return first if first == last else f"{first} to {last}"


def join_words(words: Iterable[str], last: str = "and") -> str:
    """a, b and c."""
    words = list(words)
    return (
        f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words) or "none"
    )


def count(n: int, noun: str, ending: str = "s") -> str:
    """One trial, three trials; small numbers in words."""
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    return f"{words[n] if n < len(words) else format(n, ',')} {noun}{'' if n == 1 else ending}"


def some(phrases: Sequence[str], most: int = 3) -> str:
    """The first few phrases, and how many more there are: a; b; c; and 4 more."""
    if len(phrases) <= most:
        return "; ".join(phrases)
    return f"{'; '.join(phrases[:most])}; and {len(phrases) - most} more"
