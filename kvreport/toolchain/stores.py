"""Builds the stores' scripts, and knows what each one declares: the catalogue.

Building a store costs JBang some seconds, so what it gave is kept in .cache/stores under a stamp of
everything that went in; unchanged stores cost nothing. The catalogue itself is printed by Java
(kv.cli.Catalog), the only place where a store's description is written.
"""

import errno
import functools
import hashlib
import itertools
import os
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from rich.progress import Progress

from kvreport.base import cached
from kvreport.base.paths import CACHE
from kvreport.base.terminal import Terminal, report_progress
from kvreport.data.scripts import sources
from kvreport.toolchain import availability, libraries
from kvreport.toolchain.jbang import find_jbang, forget_what_is_wrong, is_own
from kvreport.toolchain.jdk import find_jdk

BUILT = CACHE / "stores"
ID = re.compile("[A-Za-z][A-Za-z0-9]*")  # of a store, as records have it
MISNAMED = "a store's file is named as its class, with letters and digits only"
FULL_BYTES = 16 << 20  # of a disk that has no more left, little can be written


@dataclass(frozen=True)
class Built:
    """One store's script, compiled: its own jar first on the class path, and the JVM flags it is to
    run with.
    """

    sources: str  # SHA-256 of the shared core and the script, byte by byte
    jdk: str
    class_path: list[str]
    runtime_options: list[str]
    failed: str | None = None

    def is_current(
        self, sources: str, jdk: str, sound: Callable[[str], bool] | None = None
    ) -> bool:
        """Return whether this is what building again would give, in this checkout. `sound` is
        `is_sound`, which may remember what it found.
        """
        return (
            not self.failed
            and (self.sources, self.jdk) == (sources, jdk)
            and all(map(sound or is_sound, self.class_path))
            and is_whole(Path(self.class_path[0]))
        )


def is_sound(jar: str) -> bool:
    """Return whether a jar is there, of this checkout and as it is locked."""
    return os.path.exists(jar) and is_own(jar) and not libraries.fault(Path(jar))


def is_whole(jar: Path) -> bool:
    """Return whether all that is in a jar is as its checksums say."""
    try:
        with zipfile.ZipFile(jar) as content:
            return content.testzip() is None
    except (OSError, zipfile.BadZipFile, zlib.error):
        return False


def named_well(scripts: Iterable[Path]) -> list[Path]:
    """The scripts whose stores can have an id."""
    return [script for script in scripts if ID.fullmatch(script.stem)]


def build(scripts: list[Path]) -> dict[str, Built]:
    """Builds each script whose sources or JDK changed. A failure is a result, with the compiler's
    words.
    """
    with only_builder():
        return build_stale(scripts)


def only_builder() -> AbstractContextManager:
    """Waits until no other process builds, and says so: JBang's cache does not expect two at
    once.
    """
    CACHE.mkdir(exist_ok=True)
    lock = FileLock((CACHE / "build.lock").resolve())  # links are not followed
    try:
        return lock.acquire(timeout=0)
    except Timeout:
        report_progress("Another process builds the stores: this waits until it has.")
        return lock.acquire()


def build_stale(scripts: list[Path]) -> dict[str, Built]:
    jdk = find_jdk().version
    forget_what_is_wrong(find_jdk())
    stamps = {script.stem: stamp_of(script) for script in scripts}
    sound = functools.cache(is_sound)  # stores have most of their jars in common
    results = {
        store: kept
        for store, stamp in stamps.items()
        if (kept := load_catalog(store)) and kept.is_current(stamp, jdk, sound)
    }
    stale = [script for script in scripts if script.stem not in results]
    for script in list(stale):
        if why := availability.newer_java(sources(script)):
            results[script.stem] = Built(stamps[script.stem], jdk, [], [], failed=why)
            stale.remove(script)
    if stale:
        resolved = resolve(stale)
        whole = [script for script in stale if "failed" not in resolved[script.stem]]
        with Progress(console=Terminal()) as bar:
            task = bar.add_task("", total=len(stale))
            answers = find_jbang().build(whole)
            for script in stale:
                bar.update(task, description=f"Building {script.stem:<16}")
                answer = resolved[script.stem] | (next(answers) if script in whole else {})
                if "failed" in answer:
                    refuse_full_disk(answer["failed"])
                results[script.stem] = keep(script.stem, stamps[script.stem], jdk, answer)
                bar.advance(task)
            bar.update(task, description=f"Built {len(stale)} store scripts   ")
    return results


def refuse_full_disk(failed: str) -> None:
    """Raises OSError where a script did not build for want of room, which is no fault of it: JBang
    does not always say so.
    """
    full = os.strerror(errno.ENOSPC)
    for place in (CACHE, *CACHE.glob("*/")):
        if full in failed or shutil.disk_usage(place).free < FULL_BYTES:
            raise OSError(errno.ENOSPC, full, str(place))


def resolve(scripts: list[Path]) -> dict[str, dict]:
    """Fetches the libraries of scripts, before a compiler may run them; by script what JBang says
    of it. One that is damaged is fetched once more. Raises UserError where a jar is not as locked.
    """
    libraries.remove_damaged_poms()
    answers = _resolve(scripts)
    if damaged := libraries.damaged(needed(answers)):
        for jar in damaged:
            jar.unlink(missing_ok=True)
        answers = _resolve(scripts)
    libraries.check(needed(answers), "try again")
    return answers


def _resolve(scripts: list[Path]) -> dict[str, dict]:
    found = find_jbang().resolve(scripts)
    return {script.stem: answer for script, answer in zip(scripts, found, strict=True)}


def needed(answers: dict[str, dict]) -> list[str]:
    """The jars that scripts need, each once."""
    jars = (answer.get("resolvedDependencies", []) for answer in answers.values())
    return list(dict.fromkeys(itertools.chain.from_iterable(jars)))


def keep(store: str, stamp: str, jdk: str, answer: dict) -> Built:
    """Keeps what JBang answered for one script."""
    if "failed" in answer:
        built = Built(stamp, jdk, [], [], failed=answer["failed"])
    else:
        built = Built(
            stamp,
            jdk,
            [answer["applicationJar"], *answer["resolvedDependencies"]],
            one_token_each(answer.get("runtimeOptions", [])),
        )
    cached.keep(BUILT / f"{store}.json", asdict(built))
    return built


def one_token_each(options: list[str]) -> list[str]:
    """Writes `--add-opens` `a/b=c` as `--add-opens=a/b=c`, so that options can be compared and
    joined one by one.
    """
    whole: list[str] = []
    for option in options:
        if option.startswith("-"):
            whole.append(option)
        else:
            whole[-1] += f"={option}"
    return whole


def stamp_of(script: Path) -> str:
    """SHA-256 of all that is compiled for a store, byte by byte: what a build follows from."""
    digest = hashlib.sha256()
    for source in sources(script):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def load_catalog(store: str) -> Built | None:
    """Return what was built before, unless that was in another form."""
    kept = cached.kept(BUILT / f"{store}.json")
    try:
        return Built(**kept) if kept else None
    except TypeError:
        return None
