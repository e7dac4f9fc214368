"""Shows what is there, what is missing and how to get it."""

import ctypes
import platform
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import version

from rich.table import Table
from rich.text import Text

from kvreport.base import unpacking
from kvreport.base.errors import UserError
from kvreport.base.paths import WORK
from kvreport.base.terminal import Terminal
from kvreport.base.text import visible
from kvreport.measure import environment, kernel, limits
from kvreport.measure.environment import GB, size
from kvreport.render import offline, quarto
from kvreport.toolchain import browser, jbang
from kvreport.toolchain.jdk import find_jdk

Finding = tuple[str, str]  # a state and what was found
OK, NOTE, MISSING = "ok", "note", "missing"
MARK = {OK: Text("ok", "green"), NOTE: Text("note", "yellow"), MISSING: Text("missing", "red")}

KYOTO_CABINET = "libkyotocabinet.so.16"
DISK_GB, MEMORY_GB = 17, 12  # enough for the profile `standard`


def examine() -> bool:
    """Prints the table; whether everything necessary is there."""
    table = Table(box=None, pad_edge=False)
    for column in ("", "", "what was found, or how to get it"):
        table.add_column(column, overflow="fold")
    states = set()
    for what, check in CHECKS.items():
        try:
            state, found = check()
        except UserError as problem:
            state, found = MISSING, str(problem)
        states.add(state)
        table.add_row(what, MARK[state], visible(found))
    Terminal(stderr=False).print(table)
    return MISSING not in states


def python() -> Finding:
    return OK, f"{platform.python_version()} in {sys.prefix}"


def jdk() -> Finding:
    found = find_jdk()
    return OK, f"{found.version} ({found.name}) in {found.home}"


def java_kernel() -> Finding:
    if not kernel.JAR.exists():
        return MISSING, "pip install jjava, in the version of requirements.lock"
    jjava = f"JJava {version('jjava')}"
    return (
        (OK, f"{jjava}, registered")
        if kernel.is_registered()
        else (NOTE, f"{jjava}; `make setup` registers it")
    )


def jbang_() -> Finding:
    try:
        find_jdk()
    except UserError:
        return NOTE, "looked for once there is a JDK"
    found = jbang.find_jbang()
    return (
        OK,
        (
            f"{found.version}, {'your own' if found.own else 'from Maven Central'}:"
            f" {found.command[-1]}"
        ),
    )


def renderer() -> Finding:
    found = quarto.installed_quarto()
    if found:
        return OK, f"Quarto {quarto.version(found)}: {found}"
    return (
        OK,
        f"{offline.name()}; Quarto 1.9 or newer, from quarto.org or conda, makes richer pages",
    )


def chromium() -> Finding:
    found = browser.find_browser()
    return (
        (OK, str(found))
        if found
        else (NOTE, f"none, so the tests skip the report's pages ({browser.HOW_TO_GET})")
    )


def strace() -> Finding:
    found = shutil.which("strace")
    return (
        (OK, found)
        if found
        else (NOTE, "none, so Test 1 cannot show which loads sync; install the package strace")
    )


def kyoto_cabinet() -> Finding:
    try:
        ctypes.CDLL(KYOTO_CABINET)
    except OSError:
        return NOTE, "none, so TreeDB's rows are empty; install the package libkyotocabinet16v5"
    return OK, KYOTO_CABINET


def c_compiler() -> Finding:
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    return (
        (OK, found)
        if found
        else (
            NOTE,
            (
                "none, so RocksJava has no native side beside it; install gcc or clang (Debian: apt"
                " install gcc libc6-dev)"
            ),
        )
    )


def disk() -> Finding:
    there = next(path for path in (WORK, *WORK.parents) if path.exists())
    free = shutil.disk_usage(there).free / GB
    largest = limits.file_bytes()
    found = f"{free:.0f} GB free for {WORK}"
    if largest is not None:
        found += f", of which one file may have {size(largest)}"
    return enough(
        min(free, (largest or free * GB) / GB) >= DISK_GB,
        found,
        f"profile standard wants {DISK_GB} GB",
    )


def memory() -> Finding:
    available, allowed = limits.memory_available(), limits.memory_allowed()
    within = f", of {size(allowed)} that the system allows" if allowed else ""
    return enough(
        available >= MEMORY_GB * GB,
        f"{size(available)} available{within}",
        f"profile standard wants {MEMORY_GB} GB",
    )


def open_files() -> Finding:
    limits.ensure_open_files()
    limit = limits.open_files()
    return enough(
        limit is None or limit >= limits.OPEN_FILES,
        f"at most {limit or 'any number'}",
        f"{limits.OPEN_FILES} are wanted: {limits.FILES_REMEDY}",
    )


def work_directory() -> Finding:
    environment.writable(WORK)
    found = environment.filesystem(WORK)
    if elsewhere := unpacking.notice():
        return NOTE, elsewhere
    return enough(
        not found["is_tmpfs"],
        f"{found['type']} under {WORK}",
        "figures from memory are not those of a disk: set KVREPORT_WORK to a folder on a real file"
        " system",
    )


def governor() -> Finding:
    name = environment.governor()
    if not name:
        return OK, "not shown by this machine, as usual for a virtual one"
    return enough(
        name == "performance", name, "steadier with: cpupower frequency-set -g performance"
    )


def enough(good: bool, found: str, otherwise: str) -> Finding:
    return (OK, found) if good else (NOTE, f"{found}; {otherwise}")


CHECKS: dict[str, Callable[[], Finding]] = {
    "Python": python,
    "JDK": jdk,
    "JBang": jbang_,
    "Java kernel": java_kernel,
    "Renderer": renderer,
    "Browser": chromium,
    "strace": strace,
    "Kyoto Cabinet": kyoto_cabinet,
    "C compiler": c_compiler,
    "Disk": disk,
    "Memory": memory,
    "Open files": open_files,
    "Work directory": work_directory,
    "CPU governor": governor,
}
