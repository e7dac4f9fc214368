"""The stores' scripts as text: which files make a store, and its methods as they are written."""

import functools
import glob
import os
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from kvreport.base import paths
from kvreport.base.files import Unreadable, damaged, read_text

NAMES = re.compile(r"^//(SOURCES|FILES) (.+)", re.MULTILINE)


@dataclass(frozen=True)
class Method:
    """A method of a store: the class that has it, its name, and its text, comments included."""

    owner: str
    name: str
    text: str


def script_of(store: str) -> Path:
    """The script of a store in this project."""
    return paths.JBANG_STORES / f"{store}.java"


def sources(script: Path) -> list[Path]:
    """A script and what its //SOURCES and //FILES lines name, and theirs, each once. Raises
    UserError where one is no text.
    """
    found = [script]
    for file in found:
        try:
            text = read_text(file)
        except Unreadable as problem:
            raise damaged(file, problem) from None
        for _, line in NAMES.findall(text):
            patterns = (
                os.path.join(file.parent, pattern.rpartition("=")[2]) for pattern in line.split()
            )
            named = (
                Path(source).resolve()
                for pattern in patterns
                for source in sorted(glob.glob(pattern))
            )
            found += [source for source in dict.fromkeys(named) if source not in found]
    return found


def workloads() -> dict[str, str]:
    """All workloads by the names that records have, with the classes of kv.workloads."""
    text = read_text(paths.JBANG_KV / "workloads" / "Workloads.java")
    made = re.findall(r'\bnew (\w+)\((?:"(\w+)")?\)', text)
    return {name or type_[0].lower() + type_[1:]: type_ for type_, name in made}


def own_sources(script: Path) -> list[Path]:
    """The Java files of a store, the harness's apart: its script first."""
    return [
        file
        for file in sources(script)
        if file.suffix == ".java" and not file.is_relative_to(paths.JBANG_KV)
    ]


def methods(file: Path, names: set[str] | None = None) -> list[Method]:
    """The methods of those names in a Java file, or all that it has, in order."""
    found: list[Method] = []
    _collect(parser().parse(file.read_bytes()).root_node, file.stem, names, found)
    return found


def _collect(node: Node, owner: str, names: set[str] | None, found: list[Method]) -> None:
    if node.type in ("class_declaration", "record_declaration", "enum_declaration"):
        owner = _text(node.child_by_field_name("name"))
    if node.type == "method_declaration":
        name = _text(node.child_by_field_name("name"))
        if (names is None or name in names) and node.child_by_field_name("body") is not None:
            lines = " " * node.start_point.column + _text(node)
            found.append(Method(owner, name, textwrap.dedent(lines)))
            return
    for child in node.children:
        _collect(child, owner, names, found)


def _text(node: Node | None) -> str:
    return (node.text or b"").decode() if node else ""


@functools.cache
def parser() -> Parser:
    """Java's, of tree-sitter: it needs no JDK and does not depend on one."""
    return Parser(Language(tree_sitter_java.language()))
