"""The tests of kv in Java, its packages' order among them, and the layout of its sources."""

import subprocess

import pytest

from kvreport.base.paths import ROOT
from kvreport.toolchain.jdk import QUICK_TO_START, crash_flags, find_jdk
from kvreport.toolchain.stores import build

pytestmark = pytest.mark.jvm
TESTS = ROOT / "jbang" / "tests" / "Tests.java"
FORMAT = ROOT / "jbang" / "build" / "FormatJava.java"


def run(script, main: str, *arguments: str) -> subprocess.CompletedProcess:
    """Builds a script as the stores are built, and runs it."""
    built = build([script])[script.stem]
    assert not built.failed, built.failed
    paths = ":".join(built.class_path)
    command = [
        find_jdk().java,
        *built.runtime_options,
        *QUICK_TO_START,
        *crash_flags(),
        "-cp",
        paths,
        main,
        *arguments,
    ]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


def test_kv():
    done = run(TESTS, "Tests")
    assert done.returncode == 0 and " 0 failed" in done.stdout, done.stdout + done.stderr


def test_layout():
    done = run(FORMAT, "FormatJava", "--check", "jbang", "tests/stores", "mutants")
    assert done.returncode == 0, done.stdout + done.stderr
