"""The jars that nobody here compiles, each known by its SHA-256 before a JVM gets it.

jbang/libraries.lock names them as `sha256sum -c` reads it, from the project's root: the stores'
libraries and the tools', JBang and the Java kernel. The stores' scripts name the native code of a
library for each platform, of which it takes its own, so the lock is the same everywhere.
"""

import functools
import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

from kvreport.base.errors import UserError
from kvreport.base.files import Unreadable, read_text
from kvreport.base.paths import CACHE, ENVIRONMENT, JAVA_KERNEL, ROOT, shown

LOCK = ROOT / "jbang" / "libraries.lock"
REPOSITORY = "m2"  # in .cache: where JBang puts what it fetches, as Maven does
JJAVA = JAVA_KERNEL / "jjava.jar"
LINE = re.compile(r"([0-9a-f]{64})  (\S+)")
ANEW = "run `kvreport lock-libraries` if it is meant"


def class_path(jars: Iterable[str]) -> str:
    """A class path as Java takes it. Raises UserError where a jar on it is not as locked."""
    jars = list(jars)
    check(jars)
    return os.pathsep.join(jars)


def check(jars: Iterable[str | Path], remedy: str = "`make setup` fetches it anew") -> None:
    """Raises UserError naming the first jar that the lock does not name, or names otherwise."""
    for jar in jars:
        if why := fault(Path(jar)):
            raise UserError(f"{shown(Path(jar))} {why}: do not trust it; {remedy}, or {ANEW}.")


def damaged(jars: Iterable[str]) -> list[Path]:
    """The jars that the lock names, and that are something else or cannot be read."""
    return [jar for jar in map(Path, jars) if named(jar) in locked() and fault(jar)]


def fault(jar: Path) -> str | None:
    """Return what is wrong with a jar, to be said after its name; None where it is as locked."""
    if jar.suffix != ".jar" or is_built(jar):
        return None
    expected = locked().get(named(jar))
    if expected is None:
        return "is not in jbang/libraries.lock"
    try:
        found = sha256(jar)
    except OSError as problem:
        return f"cannot be read ({problem.strerror})"
    return None if found == expected else f"has SHA-256 {found}, and the lock {expected}"


def remove_damaged_poms() -> None:
    """Removes the descriptions of libraries that are not what was fetched, as their SHA-1 beside
    them says: JBang takes half of one for a library that needs no other. It fetches them again.
    """
    for sum in (CACHE / REPOSITORY).rglob("*.pom.sha1"):
        pom = sum.with_suffix("")
        if pom.is_file() and hashlib.sha1(pom.read_bytes()).hexdigest() not in sum.read_text():
            pom.unlink()


def is_built(jar: Path) -> bool:
    """Return whether JBang has made a jar here, of a script."""
    made = (place.resolve() for place in CACHE.glob("jbang-*/cache/jars"))
    return any(jar.resolve().is_relative_to(place) for place in made)


def named(jar: Path) -> str:
    """A jar's name in the lock. In another environment than .venv, as of conda, it is the same."""
    if jar.is_relative_to(ENVIRONMENT):
        return f".venv/{jar.relative_to(ENVIRONMENT)}"
    repository = CACHE / REPOSITORY
    if jar.is_relative_to(repository.resolve()):  # which may be a link to another checkout's
        jar = repository / jar.relative_to(repository.resolve())
    return f".cache/{jar.relative_to(CACHE)}" if jar.is_relative_to(CACHE) else str(jar)


def locked() -> dict[str, str]:
    """The SHA-256 of each jar by its name. Raises UserError where there is no whole lock."""
    try:
        return _read(read_text(LOCK))
    except (Unreadable, ValueError) as problem:
        raise UserError(
            f"{shown(LOCK)} is not a list of jars with their SHA-256 ({problem}): restore it with "
            "git, or run `kvreport lock-libraries`."
        ) from None


@functools.cache
def _read(text: str) -> dict[str, str]:
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            continue
        match = LINE.fullmatch(line)
        if not match:
            raise ValueError(f"line {number} is none")
        found[match[2]] = match[1]
    if not found:
        raise ValueError("it is empty")
    return found


def sha256(file: Path) -> str:
    """A file's. One that nobody has touched since is not read again in this process: every write
    changes its ctime, which no program can set back.
    """
    state = file.stat()
    return _sha256(file, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)


@functools.cache
def _sha256(file: Path, *_state: int) -> str:
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
