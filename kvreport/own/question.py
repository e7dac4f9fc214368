"""A reader's question as TOML: what a program keeps, what it does with it, and which stores may
answer. Each key has one entry in KEYS, which is also its documentation.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from kvreport.base.errors import UserError
from kvreport.base.files import Unreadable, damaged, read_text
from kvreport.base.paths import shown
from kvreport.base.text import join_words
from kvreport.data import facts
from kvreport.data.needs import ORDERED, PROCESSES, PURE_JAVA, TRANSACTIONS, UPDATES

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
TITLE = re.compile(r"[^<>&\\`*_\[\]{}|#$^~@]{1,120}")  # as it is in Markdown, too
FILE = "a name of a-z, 0-9 and '-', as sessions.toml"
OPERATIONS = ("get", "put", "insert", "delete", "range", "floor", "modify")
CONSTRAINTS = (ORDERED, TRANSACTIONS, PROCESSES, PURE_JAVA, UPDATES)
COMMITS = {"none": "off", "process": "os", "disk": "on"}  # the tiers, as kv.store.Setting has them
LINE = re.compile(r" \(at line (\d+), column \d+\)$")


@dataclass(frozen=True)
class Key:
    """A key of the TOML: what its value has to be, in words and as a check, what it is where it is
    not given (REQUIRED: it has to be), and what it means.
    """

    allowed: str
    fits: Callable[[Any], bool]
    default: Any
    meaning: str


REQUIRED = object()


def _whole(least: int, most: int) -> tuple[str, Callable[[Any], bool]]:
    def fits(value: Any) -> bool:
        return type(value) is int and least <= value <= most

    return f"a whole number from {least:,} to {most:,}", fits


def _number(least: float, most: float) -> tuple[str, Callable[[Any], bool]]:
    def fits(value: Any) -> bool:
        return type(value) in (int, float) and least <= value <= most

    return f"a number from {least:,g} to {most:,g}", fits


def _one_of(*values: str) -> tuple[str, Callable[[Any], bool]]:
    return _quoted(values), lambda value: value in values


def _quoted(values: Iterable[str]) -> str:
    return join_words([f'"{each}"' for each in values], "or")


def _some_of(*values: str) -> tuple[str, Callable[[Any], bool]]:
    def fits(value: Any) -> bool:
        return isinstance(value, list) and all(each in values for each in value)

    return f"a list of {_quoted(values)}", fits


def _shares(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and set(value) <= set(OPERATIONS)
        and all(type(each) in (int, float) and 0 < each <= 1 for each in value.values())
        and isclose(sum(value.values()), 1, abs_tol=1e-6)
    )


def _ids(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, str) and re.fullmatch(r"[A-Za-z]\w*", each) for each in value
    )


def _line(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable() and bool(TITLE.fullmatch(value))


KEYS = {
    "question": Key(
        "a line of text without any of <>&\\`*_[]{}|#$^~@", _line, REQUIRED, "the title of the page"
    ),
    "entries": Key(*_whole(100, 100_000_000), REQUIRED, "entries that are loaded before"),
    "value_bytes": Key(*_whole(1, 1_000_000), REQUIRED, "bytes of each value"),
    "mix": Key(
        f"shares of {join_words(OPERATIONS)} that add up to 1, as {{ get = 0.9, put = 0.1 }}",
        _shares,
        REQUIRED,
        "what is done: get a value; put: overwrite one; insert: add an entry; delete one that was"
        " inserted; range: read entries from a key on; floor: find the last key up to another;"
        " modify: get a value and overwrite it",
    ),
    "keys": Key(*_one_of("int", "string"), "string", "4-byte integers, or 16 digits"),
    "order": Key(
        *_one_of("random", "sequential"), "random", "in which the entries are loaded before"
    ),
    "compressible": Key(
        "true or false", lambda value: type(value) is bool, False, "whether values halve"
    ),
    "range_entries": Key(*_whole(1, 100_000), 100, "entries of a range, at most"),
    "popularity": Key(
        *_one_of("zipfian", "uniform", "latest"),
        "zipfian",
        "which entries are asked for: a few keys often, all alike, or those inserted last",
    ),
    "threads": Key(*_whole(1, 64), 1, "that do this at once"),
    "commit": Key(
        *_one_of(*COMMITS), "process", "what each write survives: nothing, the process, the machine"
    ),
    "data_over_memory": Key(
        *_number(0.25, 64), None, "how many times the memory the data are; all fits unless given"
    ),
    "only": Key(*_some_of(*CONSTRAINTS), [], "leave out stores that are not so"),
    "stores": Key(
        "a list of stores' ids, as `kvreport list stores` has them", _ids, [], "measured"
    ),
    "minutes": Key(*_number(1, 10_000), 8, "to spend, page included"),
}


@dataclass(frozen=True)
class Question:
    """What a TOML asks; `name` is its file's. Keys are as KEYS has them."""

    name: str
    values: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def stores_of(self, known: dict) -> list[str] | None:
        """The ids of the stores to measure, of a catalogue's: those named, without those that lack
        a constraint; None for all that a section measures. Raises UserError where none is left.
        """
        lacking = set(self["only"])
        if not lacking:
            return self["stores"] or None
        ids = self["stores"] or [
            store for store, of in known["stores"].items() if store in facts.known()
        ]
        able = [store for store in ids if not self.lacks(store, known["stores"].get(store, {}))]
        if not able:
            raise UserError(
                f"No store is {join_words(sorted(lacking))}: leave something out of `only`."
            )
        return able

    def lacks(self, store: str, described: dict) -> bool:
        """Return whether a store is not as `only` wants it."""
        family = described.get("family", "")
        return any(facts.lacks(store, family, fact) for fact in self["only"])


def read_question(file: Path) -> Question:
    """The question that a file asks. Raises UserError: the line, what is wrong, what is allowed."""
    if not NAME.fullmatch(file.stem):
        raise UserError(f"{shown(file)} names the page, and has to have {FILE}.")
    try:
        text = read_text(file)
        given = tomllib.loads(text)
    except Unreadable as problem:
        raise damaged(file, problem) from None
    except tomllib.TOMLDecodeError as problem:
        raise UserError(_at(file, *_syntax(str(problem)))) from None
    for key, value in given.items():
        _check(file, text, key, value)
    if missing := [key for key, of in KEYS.items() if of.default is REQUIRED and key not in given]:
        raise UserError(
            f"{shown(file)} says nothing of {missing[0]}: {KEYS[missing[0]].allowed},"
            f" {KEYS[missing[0]].meaning}."
        )
    values = {key: given.get(key, of.default) for key, of in KEYS.items()}
    if "range_entries" in given and "range" not in values["mix"]:
        raise UserError(
            _at(file, _line_of(text, "range_entries"), "range_entries needs a range in the mix")
        )
    return Question(file.stem, values)


def _check(file: Path, text: str, key: str, value: Any) -> None:
    if key not in KEYS:
        known = join_words(KEYS, "or")
        raise UserError(_at(file, _line_of(text, key), f"there is no {key}; write {known}"))
    if not KEYS[key].fits(value):
        said = f"{key} is {_written(value)}, and has to be {KEYS[key].allowed}"
        raise UserError(_at(file, _line_of(text, key), said))


def _written(value: Any) -> str:
    """A value as JSON has it, shortened."""
    words = json.dumps(value, default=str, ensure_ascii=False)
    return words if len(words) <= 60 else words[:57] + "..."


def _syntax(problem: str) -> tuple[int | None, str]:
    """The line of an error in the TOML, and what it is."""
    found = LINE.search(problem)
    what = LINE.sub("", problem)
    return (int(found[1]) if found else None), f"it is no TOML: {what[:1].lower()}{what[1:]}"


def _line_of(text: str, key: str) -> int | None:
    """The line that a key of the TOML stands in."""
    written = re.compile(rf'\s*\[*\s*["\']?{re.escape(key)}["\']?\s*[=.\]]')
    lines: Iterable[tuple[int, str]] = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if written.match(line)), None)


def _at(file: Path, line: int | None, what: str) -> str:
    return f"{shown(file)}{f', line {line}' if line else ''}: {what}."
