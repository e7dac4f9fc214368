"""What this machine lacks for a store: a library, native code for its platform, a newer JDK.

That is no failure of the store: whatever measures it says n/a, with the reason, and measures it by
the next call after the machine has got it.
"""

import json
import os
import platform
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from kvreport.base import paths
from kvreport.base.files import read_text
from kvreport.base.scratch import scratch
from kvreport.base.unpacking import unpacking
from kvreport.data import facts
from kvreport.toolchain import libraries
from kvreport.toolchain.jdk import QUICK_TO_START, crash_flags, find_jdk

MAIN = "kv.cli.Missing"
LIMIT_SECONDS = 60
NA = "n/a: "  # before the reason, where what was to be measured has a field for a problem only
NEEDS_JDK = "needs JDK {} or newer, and this is {}"
JAVA = re.compile(r"^//JAVA +(\d+)", re.MULTILINE)
# as the compiler says it, of a library's class
CLASS_FILE = re.compile(r"class file has wrong version (\d+)\.\d+, should be")
CLASS_FILES_BEFORE = 44  # those of Java 1 have version 45
# as JBang says it, of a library
ABSENT = re.compile(
    r"(?:Could not find artifact|Could not read artifact descriptor for) ([\w.:-]+)"
)
OF_A_PLATFORM = re.compile(r"natives|linux|macos|osx|windows|x64|x86|aarch64|arm64")


def missing(known: dict, store: str) -> str | None:
    """Return what this machine lacks for a store of the catalogue; None where nothing, though the
    store may fail. Asked once in a process: the store is tried with a few entries.
    """
    noted = known.setdefault("unavailable", {})
    if store not in noted and store in known["stores"]:
        found = _asked(known["stores"][store])
        noted[store] = _of_vendor(store) or found if found else None
    return noted.get(store)


def noted(known: dict, store: str) -> str | None:
    """The same as far as it was asked."""
    return known.get("unavailable", {}).get(store)


def _asked(store: dict) -> str | None:
    with scratch(paths.WORK) as work, unpacking(work) as unpacked:
        command = [
            find_jdk().java,
            *QUICK_TO_START,
            *store["runtime_options"],
            *crash_flags(),
            "-Xmx512m",
            f"-Djava.io.tmpdir={unpacked}",
            "-cp",
            libraries.class_path(store["class_path"]),
            MAIN,
            store["id"],
        ]
        environment = os.environ | {"KV_WORK_DIR": str(work)}
        try:
            asked = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                stdin=subprocess.DEVNULL,
                cwd=work,
                env=environment,
                timeout=LIMIT_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return None
    answers = [line for line in asked.stdout.splitlines() if line.startswith("{")]
    return json.loads(answers[-1])["missing"] if answers else None


def newer_java(sources: Iterable[Path]) -> str | None:
    """That a script's sources ask for a newer JDK than this one: JBang would fetch one, in which
    nothing here runs.
    """
    asked = [int(found) for file in sources for found in JAVA.findall(read_text(file))]
    here = find_jdk().feature
    return NEEDS_JDK.format(max(asked), here) if max(asked, default=0) > here else None


def of_build(store: str, words: str) -> str | None:
    """Return what this machine lacks, where that is why a store does not build, as JBang or the
    compiler tells it; None where the store is wrong.
    """
    if NEEDS_JDK.partition("{")[0] in words:
        return words
    if found := CLASS_FILE.search(words):
        return NEEDS_JDK.format(int(found[1]) - CLASS_FILES_BEFORE, find_jdk().feature)
    absent = ABSENT.search(words)
    if absent and OF_A_PLATFORM.search(absent[1]):
        return _of_vendor(store) or f"its library {absent[1]} cannot be had"
    return None


def _of_vendor(store: str) -> str | None:
    """That a store's vendor has no native code for this platform, as far as its facts say so."""
    platforms = facts.known().get(store, {}).get("platforms")
    if not platforms or not platforms["native"] or here() in platforms["value"]:
        return None
    return f"its vendor has no native code for {here()}"


def here() -> str:
    """This platform, as the stores' facts call it."""
    system, machine = platform.system().lower(), platform.machine().lower()
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine, machine)
    return f"{'macos' if system == 'darwin' else system}-{machine}"
