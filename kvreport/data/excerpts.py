"""What of a store's script a reader has to see: how it is opened, written, got and scanned."""

import re
from pathlib import Path

import pandas as pd

from kvreport.base import paths
from kvreport.data import scripts
from kvreport.data.scripts import Method

OPEN, PUT, GET, SCAN, CLOSE = "open", "put", "get", "scan", "close"
METHODS = (OPEN, "empty", PUT, GET, SCAN, "serialise", "save")  # some are a plain map's alone
END, CALLED = "end", "called"
IN_C = {OPEN: "open_database", PUT: "put", GET: "get_(?:pinned|copied)", SCAN: "scan"}
ENTRY_POINTS = {"describe", "engine", "workloads", "main"}  # called by nothing that is timed
COLUMNS = ["part", "file", "owner", "language", "text"]

Found = tuple[Path, Method]


def excerpts(store: str, scans: bool = True) -> pd.DataFrame:
    """The methods of a store, as they are written, in the order in which they are to be read: one
    row each; none where its script is no longer here. `scans`: whether it has any.

    part   one of METHODS; END of how a load ends; CALLED of what all these call
    file   from the project's folder;  owner: the class;  language: java or c
    text   comments included
    """
    script = scripts.script_of(store)
    rows = _rows(script, scans) if script.exists() else []
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(script: Path, scans: bool) -> list[list[str]]:
    every = [
        (file, method)
        for file in scripts.own_sources(script)
        for method in scripts.methods(file)
        if method.name not in ENTRY_POINTS
    ]
    rows: list[list[str]] = []
    shown: list[Found] = []
    for name in METHODS:
        if name == SCAN and not scans:
            continue
        parts = {name: _of_name(name, script, every)}
        if name == PUT:
            parts[END] = _ends(every)
        rows += [_row(part, *each) for part, of in parts.items() for each in of]
        rows += _in_c(name, script)
        shown += [each for of in parts.values() for each in of]
    return rows + [_row(CALLED, *each) for each in _called(shown, every)]


def _row(part: str, file: Path, method: Method) -> list[str]:
    return [part, _shown(file), method.owner, "java", method.text]


def _shown(file: Path) -> str:
    return file.relative_to(paths.ROOT).as_posix()


def _of_name(name: str, script: Path, every: list[Found]) -> list[Found]:
    """The methods of a name: the script's own where it has one, else its family's."""
    found = [each for each in every if each[1].name == name]
    return [each for each in found if each[0] == script] or found


def _ends(every: list[Found]) -> list[Found]:
    """Return how the classes that put also end a load: a commit is there."""
    writers = {(file, method.owner) for file, method in every if method.name == PUT}
    return [each for each in every if each[1].name == CLOSE and (each[0], each[1].owner) in writers]


def _called(shown: list[Found], every: list[Found]) -> list[Found]:
    """The store's other methods that these call, and those that they call, in the files' order."""
    known, waiting = list(shown), list(shown)
    while waiting:
        text = waiting.pop()[1].text
        new = [each for each in every if each not in known and _calls(text, each[1])]
        known += new
        waiting += new
    return [each for each in every if each in known and each not in shown]


def _calls(text: str, method: Method) -> bool:
    """Return whether code calls a method: one that is named as those shown only by its class."""
    name = f"{method.owner}\\." if method.name in (*METHODS, CLOSE) else ""
    return re.search(rf"\b{name}{method.name}\(", text) is not None


def _in_c(name: str, script: Path) -> list[list[str]]:
    """The functions of a store's C program that stand for a method."""
    if name not in IN_C:
        return []
    body = rf"^\w[^\n;]*\b{IN_C[name]}\([^\n;]*{{\n(?:.*\n)*?}}"
    return [
        [name, _shown(file), "", "c", found[0]]
        for file in scripts.sources(script)
        if file.suffix == ".c"
        for found in re.finditer(body, file.read_text(), re.MULTILINE)
    ]
