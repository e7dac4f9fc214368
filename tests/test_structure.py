"""Layout, lint, types, imports between the rooms, and a room's own words."""

import importlib
import subprocess
import sys

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


def test_no_line_is_too_long():
    """Of Java as well as of Python, where ruff passes over long words such as addresses."""
    assert not [
        f"{file.relative_to(ROOT)}:{number}"
        for folder in ("jbang", "kvreport", "tests")
        for pattern in ("*.java", "*.py")
        for file in sorted((ROOT / folder).rglob(pattern))
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if len(line) > COLUMNS
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_is_in_it(room):
    assert importlib.import_module(f"kvreport.{room}").__doc__
