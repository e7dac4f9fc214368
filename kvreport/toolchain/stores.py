"""Builds the stores' scripts, and knows what each one declares: the catalogue.

Building a store costs JBang some seconds, so what it gave is kept in .cache/stores under a stamp of
everything that went in; unchanged stores cost nothing. The catalogue itself is printed by Java
(kv.cli.Catalog), the only place where a store's description is written.
"""

import functools
import hashlib
import itertools
import json
import os
import subprocess
import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import BaseFileLock, FileLock
from rich.progress import Progress

from kvreport.base import cached
from kvreport.base.errors import UserError
from kvreport.base.files import write_atomically
from kvreport.base.paths import CACHE, CATALOG, JBANG_STORES, ROOT
from kvreport.base.terminal import Terminal
from kvreport.base.text import one_line
from kvreport.data.scripts import sources
from kvreport.toolchain import fingerprint, libraries
from kvreport.toolchain.jbang import find_jbang, forget_what_is_wrong, is_own
from kvreport.toolchain.jdk import crashes, find_jdk

BUILT = CACHE / "stores"


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
        """Whether this is what building again would give, in this checkout. `sound` is `is_sound`,
        which may remember what it found.
        """
        return (
            not self.failed
            and (self.sources, self.jdk) == (sources, jdk)
            and all(map(sound or is_sound, self.class_path))
            and is_whole(Path(self.class_path[0]))
        )


def is_sound(jar: str) -> bool:
    """Whether a jar is there, of this checkout and as it is locked."""
    return os.path.exists(jar) and is_own(jar) and not libraries.fault(Path(jar))


def is_whole(jar: Path) -> bool:
    """Whether all that is in a jar is as its checksums say."""
    try:
        with zipfile.ZipFile(jar) as content:
            return content.testzip() is None
    except (OSError, zipfile.BadZipFile, zlib.error):
        return False


def catalog(extra: Iterable[Path] = ()) -> dict:
    """Everything there is to measure with, built first where sources changed.

    extra  scripts of stores that lie elsewhere than in jbang/stores

    `stores` maps each id to its descriptor as Java prints it, with `class_path` (absolute), `main`,
    `runtime_options` and `code`, the hash of its script's tokens; `failed` maps the stores that do
    not build to the reason; `timed_path` is the hash of the harness's tokens, `core` that of all of
    jbang/kv; `profiles`, `settings` and `seed` are Java's. Kept in .cache/catalog.json. Raises
    UserError when nothing at all can be built.
    """
    scripts = sorted(JBANG_STORES.glob("*.java"))
    if not scripts:
        raise UserError(
            f"There is no store to measure: put one into {JBANG_STORES.relative_to(ROOT)}."
        )
    built = build([*scripts, *extra])
    good = {store: result for store, result in built.items() if not result.failed}
    if not good:
        raise UserError(
            "No store can be built; the first one says:\n" + str(next(iter(built.values())).failed)
        )
    stamp = hashlib.sha256(repr(sorted(good.items())).encode()).hexdigest()
    kept = cached.kept(CATALOG) or {}
    if kept.get("stamp") != stamp:
        kept = described(good) | {"stamp": stamp}
    add_hashes(kept, [*scripts, *extra])
    kept["failed"] = {store: result.failed for store, result in built.items() if result.failed}
    cached.keep(CATALOG, kept)
    return kept


def add_hashes(known: dict, scripts: list[Path]) -> None:
    """Adds to a catalogue what of its code decides whether a record is still good."""
    for script in scripts:
        if script.stem in known["stores"]:
            known["stores"][script.stem]["code"] = fingerprint.store(sources(script))
    known["timed_path"], known["core"] = fingerprint.timed_path(), fingerprint.core()


def build(scripts: list[Path]) -> dict[str, Built]:
    """Builds each script whose sources or JDK changed. A failure is a result, with the compiler's
    words.
    """
    with only_builder():
        return build_stale(scripts)


def only_builder() -> BaseFileLock:
    """Waits until no other process builds: JBang's cache does not expect two at once."""
    CACHE.mkdir(exist_ok=True)
    return FileLock((CACHE / "build.lock").resolve())  # links are not followed


def build_stale(scripts: list[Path]) -> dict[str, Built]:
    jdk = find_jdk().version
    forget_what_is_wrong(find_jdk())
    stamps = {script.stem: stamp_of(script) for script in scripts}
    sound = functools.cache(is_sound)  # stores have most of their jars in common
    results = {
        store: kept
        for store, stamp in stamps.items()
        if (kept := load(store)) and kept.is_current(stamp, jdk, sound)
    }
    stale = [script for script in scripts if script.stem not in results]
    if stale:
        resolved = resolve(stale)
        whole = [script for script in stale if "failed" not in resolved[script.stem]]
        with Progress(console=Terminal()) as bar:
            task = bar.add_task("", total=len(stale))
            answers = find_jbang().build(whole)
            for script in stale:
                bar.update(task, description=f"Building {script.stem:<16}")
                answer = resolved[script.stem] | (next(answers) if script in whole else {})
                results[script.stem] = keep(script.stem, stamps[script.stem], jdk, answer)
                bar.advance(task)
            bar.update(task, description=f"Built {len(stale)} store scripts   ")
    return results


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


def described(built: dict[str, Built]) -> dict:
    """Asks Java for the catalogue, and adds to each store how to run it."""
    options, class_path = union(map(asdict, built.values()))
    asked = subprocess.run(
        [
            find_jdk().java,
            *options,
            "-cp",
            libraries.class_path(class_path),
            "kv.cli.Catalog",
            *built,
        ],
        capture_output=True,
        text=True,
        cwd=crashes(),
    )
    if asked.returncode:
        said = (asked.stderr.strip().splitlines() or ["it says nothing"])[0]
        reason = said.rpartition("UserError: ")[2]
        raise UserError(f"kv.cli.Catalog cannot describe the stores: {one_line(reason)}")
    catalogue = json.loads(asked.stdout)
    for store, result in built.items():
        catalogue["stores"][store] |= {
            "class_path": result.class_path,
            "main": f"stores.{store}",
            "runtime_options": result.runtime_options,
        }
    return catalogue


def union(stores: Iterable[dict]) -> tuple[list[str], list[str]]:
    """The `runtime_options` and the `class_path` of all those stores together, each entry once, in
    order.
    """
    options: dict[str, None] = {}
    class_path: dict[str, None] = {}
    for store in stores:
        options |= dict.fromkeys(store["runtime_options"])
        class_path |= dict.fromkeys(store["class_path"])
    return list(options), list(class_path)


def stamp_of(script: Path) -> str:
    """SHA-256 of all that is compiled for a store, byte by byte: what a build follows from."""
    digest = hashlib.sha256()
    for source in sources(script):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def load(store: str) -> Built | None:
    """What was built before, unless that was in another form."""
    kept = cached.kept(BUILT / f"{store}.json")
    try:
        return Built(**kept) if kept else None
    except TypeError:
        return None


def write(file: Path, content: dict) -> None:
    """Writes a JSON file whole or not at all."""
    write_atomically(file, json.dumps(content, indent=1))
