"""Files that are read as what they should be, and written whole or not at all."""

import json
import os
import re
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from kvreport.base import locks
from kvreport.base.errors import UserError
from kvreport.base.paths import CACHE, shown
from kvreport.base.text import HIDDEN, one_line, visible_all

PARTIAL = ".tmp"  # ends the name of what is not written to the end
LARGEST = 2**53 - 1  # of whole numbers: above it a browser and a table would each read another one
LONG = re.compile("[0-9]{16}|[eE][+]?[0-9]{3}")  # where a number may be larger
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a symbolic link",
}


class Unreadable(Exception):
    """Why a file could not be read as what it should be: a few words, without its name."""


def kind_of(file: Path) -> str | None:
    """Return what is in the place of a file, links not followed; None where it is a file."""
    try:
        kind = stat.S_IFMT(file.lstat().st_mode)
    except OSError:
        return "nothing"
    return None if kind == stat.S_IFREG else KINDS.get(kind, "no file")


def damaged(file: Path, problem: Any) -> UserError:
    """Return what to say of a file of the project's own that is not what it should be."""
    remedy = "delete it, and it is made again" if file.is_relative_to(CACHE) else ""
    return UserError(
        f"{shown(file)} is damaged ({one_line(str(problem))}):"
        f" {remedy or f'restore it, as with `git checkout {shown(file)}`'}."
    )


def own_json(file: Path, check: Callable[[Any], Any] = lambda content: content) -> Any:
    """Return what a JSON file of the project's own holds, or what `check` makes of it. Raises
    UserError where it is damaged, which `check` says by an exception.
    """
    return _own(file, read_json, check)


def own_toml(file: Path, check: Callable[[Any], Any] = lambda content: content) -> Any:
    """The same of a TOML file."""
    return _own(file, lambda toml: tomllib.loads(read_text(toml), parse_float=_finite), check)


def _own(file: Path, read: Callable[[Path], Any], check: Callable[[Any], Any]) -> Any:
    try:
        return check(read(file))
    except UserError:  # which names the file itself
        raise
    except Unreadable as problem:
        raise damaged(file, problem) from None
    except Exception as problem:  # whatever a validator or a compiler of schemas comes to
        raise damaged(file, str(problem).replace("data", "it", 1)[:160]) from None


def read_text(file: Path) -> str:
    """The text of a file in UTF-8. Raises Unreadable, and never waits for what is no file."""
    try:
        text = read_bytes(file).decode()
    except UnicodeDecodeError:
        raise Unreadable("not in UTF-8") from None
    if text.startswith("\ufeff"):
        raise Unreadable("it begins with a byte order mark")
    return text


def read_bytes(file: Path) -> bytes:
    """The content of a file. Raises Unreadable, and never waits for what is no file."""
    try:
        kind = stat.S_IFMT(file.stat().st_mode)
        if kind != stat.S_IFREG:
            raise Unreadable(f"{KINDS.get(kind, 'no file')} and no file")
        return file.read_bytes()
    except (OSError, RuntimeError) as problem:  # pathlib raises the latter for a loop of links
        reason = getattr(problem, "strerror", None) or "a loop of symbolic links"
        raise Unreadable(reason[:1].lower() + reason[1:]) from None


def read_json(file: Path) -> Any:
    """The content of a file as JSON, its texts made visible. Raises Unreadable."""
    return visible_json(read_text(file))


def visible_json(text: str, proved: bool = False) -> Any:
    """The same of a text. `proved`: it was accepted before; it is parsed in a third of the time."""
    found = json.loads(text) if proved else parse_json(text)
    return visible_all(found) if "\\" in text or HIDDEN.search(text) else found


def parse_json(text: str) -> Any:
    """The meaning of a JSON text. Raises Unreadable: also for what the language allows and nobody
    could mean, a name twice, no number, or a number out of all bounds.
    """
    bounds: Any = {"parse_int": _bounded, "parse_float": _finite} if LONG.search(text) else {}
    try:
        return json.loads(text, parse_constant=_no_number, object_pairs_hook=_once, **bounds)
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except ValueError as problem:
        raise Unreadable(f"not JSON: {one_line(str(problem))}") from None


def read_yaml(file: Path) -> Any:
    """Return what a file holds as YAML. Raises Unreadable."""
    return parse_yaml(read_text(file))


def parse_yaml(text: str) -> Any:
    """Return what YAML says. Raises Unreadable: also for a name that stands twice, of which YAML
    would take the last.
    """
    try:
        return yaml.load(text, _Once)
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except (yaml.YAMLError, ValueError, TypeError) as problem:
        raise Unreadable(f"not YAML: {one_line(str(problem))}") from None


class _Once(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        found = super().construct_mapping(node, deep)
        if len(found) < len(node.value):
            raise ValueError("a name stands twice in a mapping")
        return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return found


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _bounded(digits: str) -> int:
    if len(digits) > 17 or abs(number := int(digits)) > LARGEST:
        raise ValueError("a number is too large")
    return number


def _finite(digits: str) -> float:
    number = float(digits)
    if number != number:
        raise ValueError("nan is no number")
    if abs(number) > LARGEST:
        raise ValueError("a number is too large")
    return number


def write_atomically(file: Path, content: str | bytes) -> None:
    """Writes a file so that whoever reads it finds the old content or the new, never a part.

    The folder is made where there is none; permissions are those that the user's files have. Raises
    OSError, which names the file.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = locks.create(file.parent, f".{file.name}-", PARTIAL)
        try:
            with open(handle, "wb") as whole:
                whole.write(content.encode() if isinstance(content, str) else content)
                whole.flush()
                partial.replace(file)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
    except OSError as problem:  # which names the file beside it, or of a full disk none
        problem.filename, problem.filename2 = str(file), None
        raise


def write_json(file: Path, content: dict) -> None:
    """Writes a JSON file whole or not at all."""
    write_atomically(file, json.dumps(content, indent=1))


def remove_partials(folder: Path) -> None:
    """Removes what killed programs did not write to the end, in a folder and those in it."""
    for place, _, names in os.walk(folder):  # which minds no folder that goes meanwhile
        locks.remove_abandoned(
            Path(place, name) for name in names if name.startswith(".") and name.endswith(PARTIAL)
        )
