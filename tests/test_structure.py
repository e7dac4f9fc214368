"""Layout, lint, types, imports between the rooms, and a room's own words."""

import ast
import importlib
import re
import subprocess
import sys
from collections import defaultdict

import nbformat
import pytest

from kvreport.base.paths import BIN, ROOT

CHECKS = {
    "lint": [sys.executable, "-m", "ruff", "check"],
    "layout": [sys.executable, "-m", "ruff", "format", "--check"],
    "types": [sys.executable, "-m", "mypy"],
    "imports": [BIN / "lint-imports", "--no-cache", "--no-logo"],
}
COLUMNS = 100
ROOMS = sorted(folder.parent.name for folder in (ROOT / "kvreport").glob("*/__init__.py"))


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_a_tool_finds_nothing_wrong(check):
    done = subprocess.run(check, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def sources():
    """What people read, with a name: Java, Python, the cells of notebooks, and prose, in which the
    rows of a table are lines of their own.
    """
    for folder in ("jbang", "kvreport", "tests", "mutants"):
        for pattern in ("*.java", "*.py"):
            for file in sorted((ROOT / folder).rglob(pattern)):
                yield file.relative_to(ROOT), file.read_text()
    for file in (ROOT / "index.ipynb", *sorted((ROOT / "notebooks").rglob("*.ipynb"))):
        for cell in nbformat.read(file, as_version=4).cells:
            yield f"{file.name}, cell {cell.id}", cell.source
    for file in ROOT.glob("*.md"):
        yield file.name, re.sub(r"^ *\|.*", "", file.read_text(), flags=re.MULTILINE)


def test_no_line_is_too_long():
    assert not [
        f"{name}:{number}"
        for name, text in sources()
        for number, line in enumerate(text.splitlines(), 1)
        if len(line) > COLUMNS
    ]


PRINTS = re.compile(r"(?<!\.)\b(click\.echo|print|Console|sys\.std\w+\.write)\(")
# before the environment is there, and in whatever Python Quarto has
WITHOUT_PACKAGES = {"bootstrap.py", "place.py", "prerender.py"}


def test_what_is_printed_is_printed_in_one_place():
    at = {
        file.name for file in (ROOT / "kvreport").rglob("*.py") if PRINTS.search(file.read_text())
    }
    assert at == {"terminal.py"} | WITHOUT_PACKAGES


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_is_in_it(room):
    assert importlib.import_module(f"kvreport.{room}").__doc__


SHARED_NAMES = {  # of functions and classes in three modules or more: may only become fewer
    *("main", "shown", "enable", "crosscheck", "number", "read"),
}


def test_a_public_name_means_one_thing():
    modules = defaultdict(list)
    for file in (ROOT / "kvreport").rglob("*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].append(file.name)
    assert {name for name, files in modules.items() if len(files) > 2} == SHARED_NAMES


def test_docstrings_of_functions_begin_with_a_verb_or_a_noun():
    assert not [
        f"{file.name}:{node.lineno}"
        for file in (ROOT / "kvreport").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.FunctionDef)
        and re.match(r"(What|Whether|How|Where|Which|Why)\b", ast.get_docstring(node) or "")
    ]
