"""The small files below /proc and /sys in which Linux says what it knows."""

from pathlib import Path


def read(file: str | Path) -> str | None:
    """A small file's text; None where there is none, or nothing in it."""
    try:
        return Path(file).read_text(errors="replace").strip() or None
    except OSError:
        return None


def number(text: str | None) -> int | None:
    """A whole number; None for any other text, as "max"."""
    return int(text) if text and text.isdecimal() else None


def chosen(options: str | None) -> str | None:
    """The choice in brackets: "madvise" of "always [madvise] never"."""
    return options and options.partition("[")[2].partition("]")[0]


def facts(text: str | None, separator: str | None = None) -> dict[str, str]:
    """Return what lines say that have a name and a value, with a separator or a blank between them;
    of a name that stands twice the first.
    """
    found: dict[str, str] = {}
    for line in (text or "").splitlines():
        name, *value = line.split(separator, 1)
        if value:
            found.setdefault(name.strip(), value[0].strip())
    return found
