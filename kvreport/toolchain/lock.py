"""Writes jbang/libraries.lock from what is published now, and from nothing that lies here."""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from kvreport.base.errors import UserError
from kvreport.base.files import write_atomically
from kvreport.base.paths import CACHE, ROOT, shown
from kvreport.base.scratch import scratch
from kvreport.toolchain import jbang, libraries

HEADER = """\
# Written by `make lock`; `sha256sum --check --ignore-missing jbang/libraries.lock` reads it. What
# is made for one platform each is here for Linux and macOS, on x86-64 and ARM, as far as it exists.
"""
SCRIPT = b"///usr/bin/env jbang"  # the first line of what JBang is to run


def write_lock(extra: Iterable[Path] = ()) -> int:
    """Fetches JBang and all libraries of the scripts, also of `extra` ones, to a folder of its own,
    so that no damaged jar is locked. Returns how many jars there are. Raises UserError.
    """
    with scratch(CACHE) as place:
        jar = place / jbang.JAR.name
        jbang.download(jar)
        needed = fetched([*scripts(), *extra], jbang.of_jar(jar, place))
        sums = {f".cache/{each.relative_to(place)}": libraries.sha256(each) for each in needed}
        sums |= {libraries.named(jbang.JAR): libraries.sha256(jar)}
    sums |= {libraries.named(libraries.JJAVA): libraries.sha256(libraries.JJAVA)}
    lines = "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))
    write_atomically(libraries.LOCK, HEADER + lines)
    return len(sums)


def scripts() -> list[Path]:
    """Every script of the project that JBang runs."""
    files = chain(ROOT.glob("jbang/*/*.java"), ROOT.glob("mutants/*.java"))
    return sorted(file for file in files if file.read_bytes().startswith(SCRIPT))


def fetched(scripts: list[Path], by: jbang.JBang) -> set[Path]:
    """The jars that scripts need, where JBang put them."""
    found: set[Path] = set()
    for script, answer in zip(scripts, by.resolve(scripts), strict=True):
        if "failed" in answer:
            raise UserError(
                f"The libraries of {shown(script)} cannot be fetched, and nothing was locked:\n"
                + answer["failed"]
            )
        found |= {Path(jar) for jar in answer["resolvedDependencies"]}
    return found
