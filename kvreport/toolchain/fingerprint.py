"""What ran, as a hash: of what each workload runs of the harness, and of a store's script.

Two sources have the same hash when their Java tokens are the same. Comments and layout are not
tokens, and neither is the prose with which a store describes itself: the strings with a blank, and
the links, in the method that returns its descriptor. JBang's directives count, though Java takes
them for comments, as they name the libraries and the flags; but for lines of native code for other
platforms than Linux on x86-64, which stand beside that for it. What is no Java counts byte by byte.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tree_sitter import Node

from kvreport.base import paths
from kvreport.data import scripts
from kvreport.data.scripts import parser

COMMON = ("store", "data")  # the packages of kv of which every workload runs all
LOOPS = ("bench", "workloads")  # of these a workload runs what its class uses
DIRECTIVE = re.compile(rb"^//(?:DEPS|JAVA|RUNTIME_OPTIONS|COMPILE_OPTIONS|REPOS)\b.*", re.MULTILINE)
OF_OTHERS = re.compile(rb"//DEPS( \S+[:-](?:linux-arm64|macos)\S*)+")  # a whole line
# the type that the method returns with which a store describes itself
DESCRIPTION = b"StoreDescriptor"
PROSE = re.compile(rb'"(?:https?://|[^"]* )', re.DOTALL)


def timed_path(of: dict[str, str]) -> str:
    """The hash of the harness's timed path: of what all workloads run."""
    return _together(f"{name} {code}" for name, code in sorted(of.items()))


def workloads() -> dict[str, str]:
    """By workload, the hash of what it runs: kv.store and kv.data, and its class with what that
    uses of the clock, the loops and the sinks.
    """
    common = [digest([file]) for name in COMMON for file in _package(name)]
    hashes = {name: digest([file]) for name, file in _loops().items()}
    return {
        workload: _together([*common, *(hashes[name] for name in sorted(used))])
        for workload, used in classes().items()
    }


def classes() -> dict[str, set[str]]:
    """By workload, its class and those of the clock, the loops and the sinks that it uses."""
    loops = _loops()
    uses = {
        name: loops.keys() & {token.decode() for token in tokens(file)}
        for name, file in loops.items()
    }
    return {workload: _reached(type_, uses) for workload, type_ in scripts.workloads().items()}


def _reached(start: str, uses: dict[str, set[str]]) -> set[str]:
    reached, ahead = {start}, [start]
    while ahead:
        new = uses[ahead.pop()] - reached
        reached |= new
        ahead += new
    return reached


def _loops() -> dict[str, Path]:
    return {file.stem: file for name in LOOPS for file in _package(name)}


def _package(name: str) -> list[Path]:
    return sorted((paths.JBANG_KV / name).glob("*.java"))


def _together(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def core() -> str:
    """The hash of all of jbang/kv, timed or not, with what sections say they measure."""
    return digest(sorted(paths.JBANG_KV.rglob("*.java")))


def store(sources: Iterable[Path]) -> str:
    """The hash of a store: of its script and of what that names, the harness apart, which names
    the schema of records.
    """
    harness = (paths.JBANG_KV, paths.SCHEMA)
    return digest(file for file in sources if not any(map(file.is_relative_to, harness)))


def digest(files: Iterable[Path]) -> str:
    """SHA-256 over the names and the tokens of files."""
    found = hashlib.sha256()
    for file in files:
        found.update(file.name.encode() + b"\0")
        for token in tokens(file):
            found.update(token + b"\0")
    return found.hexdigest()


def tokens(file: Path) -> list[bytes]:
    """A Java file's directives and tokens; any other file's content."""
    content = file.read_bytes()
    if file.suffix != ".java":
        return [content]
    directives = [b" ".join(line.split()) for line in DIRECTIVE.findall(content)]
    directives = [line for line in directives if not OF_OTHERS.fullmatch(line)]
    root = parser().parse(content).root_node
    imports = [node for node in root.children if node.type == "import_declaration"]
    code = [node for node in root.children if node.type != "import_declaration"]
    named = sorted(b" ".join(_leaves(node, False)) for node in imports)  # their order is layout
    return [*sorted(directives), *named, *(leaf for node in code for leaf in _leaves(node, False))]


def _leaves(node: Node, describes: bool) -> Iterator[bytes]:
    if node.type in ("line_comment", "block_comment"):
        return
    text = node.text or b""
    if node.type == "string_literal":
        yield b'"' if describes and PROSE.match(text) else text
        return
    if node.type == "method_declaration":
        returns = node.child_by_field_name("type")
        describes = returns is not None and returns.text == DESCRIPTION
    if not node.children:
        yield text
    for child in node.children:
        yield from _leaves(child, describes)
