"""What each store declares of itself: the catalogue.

Java prints it (kv.cli.Catalog), the only place where a store's description is written.
"""

import contextlib
import hashlib
import json
import re
import subprocess
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from kvreport.base import cached
from kvreport.base.errors import UserError
from kvreport.base.parallel import parallel_map
from kvreport.base.paths import CATALOG, JBANG_STORES, ROOT
from kvreport.base.text import brief
from kvreport.data import records
from kvreport.data.scripts import sources
from kvreport.toolchain import availability, fingerprint, libraries
from kvreport.toolchain.jdk import crashes, find_jdk
from kvreport.toolchain.stores import Built, build, named_well

DESCRIBING_SECONDS = 60
CATALOGUE = "kv.cli.Catalog"
THROWN = 'Exception in thread "main" '


def catalog(extra: Iterable[Path] = ()) -> dict:
    """Everything there is to measure with, built first where sources changed.

    extra  scripts of stores that lie elsewhere than in jbang/stores

    `stores` maps each id to its descriptor as Java prints it, with `class_path` (absolute), `main`,
    `runtime_options` and `code`, the hash of its script's tokens; `failed` maps the stores that do
    not build, or do not describe themselves, to the reason, a clause, and `unavailable` those for
    which this machine lacks something to what that is, see toolchain.availability; `workloads` has
    by workload the hash of what it runs of the harness, `timed_path` that of all of them, `core`
    that of all of jbang/kv; `profiles`, `settings` and
    `seed` are Java's. Kept in .cache/catalog.json. Raises UserError when nothing at all can be
    built.
    """
    scripts = sorted({*named_well(JBANG_STORES.glob("*.java")), *extra})
    if not scripts:
        raise UserError(
            f"There is no store to measure: put one into {JBANG_STORES.relative_to(ROOT)}."
        )
    built = build(scripts)
    good = {store: result for store, result in built.items() if not result.failed}
    if not good:
        raise UserError(
            "No store can be built; the first one says:\n" + str(next(iter(built.values())).failed)
        )
    stamp = hashlib.sha256(repr(sorted(good.items())).encode()).hexdigest()
    kept = cached.kept(CATALOG) or {}
    # neither as of an older version, nor with what this machine may have by now
    if kept.get("stamp") != stamp or "refused" not in kept or kept.get("undescribed", True):
        kept = described(good) | {"stamp": stamp}
        kept["undescribed"] = kept["unavailable"]
    add_hashes(kept, scripts)
    failed = {store: result.failed for store, result in built.items() if result.failed}
    lacking = {store: availability.of_build(store, words) for store, words in failed.items()}
    kept["failed"] = kept["refused"] | {
        store: f"does not build:\n{words}" for store, words in failed.items() if not lacking[store]
    }
    kept["unavailable"] = kept["undescribed"] | {
        store: why for store, why in lacking.items() if why
    }
    cached.keep(CATALOG, kept)
    return kept


def add_hashes(known: dict, scripts: list[Path]) -> None:
    """Adds to a catalogue what of its code decides whether a record is still good."""
    for script in scripts:
        if script.stem in known["stores"]:
            known["stores"][script.stem]["code"] = fingerprint.store(sources(script))
    known["workloads"], known["core"] = fingerprint.workloads(), fingerprint.core()
    known["timed_path"] = fingerprint.timed_path(known["workloads"])


class NoAnswer(Exception):
    """Why Java did not describe stores: a few words."""


def described(built: dict[str, Built]) -> dict:
    """Asks Java for the catalogue, and adds to each store how to run it. One that keeps Java from
    answering, or says of itself what no record may hold, is in `refused`, with the reason. Raises
    UserError where Java describes none of them.
    """
    catalogue, refused = _answer(built)
    for store, about in catalogue["stores"].items():
        complaint = records.what_is_wrong_with_store(about)
        if not complaint and about["id"] != store:
            complaint = f"its id is {about['id']}, and its file's name {store}"
        if complaint:
            refused[store] = f"describes itself wrongly: {complaint}"
    catalogue["stores"] = {
        store: about
        | {
            "class_path": built[store].class_path,
            "main": f"stores.{store}",
            "runtime_options": built[store].runtime_options,
        }
        for store, about in catalogue["stores"].items()
        if store not in refused
    }
    return catalogue | {"refused": refused}


def _answer(built: dict[str, Built]) -> tuple[dict, dict[str, str]]:
    """Java's answer, and why the stores that it lacks do not describe themselves: where one of them
    keeps it from answering, each is asked by itself.
    """
    try:
        return _ask(built), {}
    except NoAnswer as problem:
        whole = problem
    alone = zip(built, parallel_map(lambda store: _why_not({store: built[store]}), built))
    refused = {store: f"does not describe itself: {why}" for store, why in alone if why}
    if 0 < len(refused) < len(built):
        with contextlib.suppress(NoAnswer):
            return _ask({store: built[store] for store in built if store not in refused}), refused
    raise UserError(f"{CATALOGUE} cannot describe the stores: {whole}")


def _why_not(built: dict[str, Built]) -> str | None:
    try:
        _ask(built)
    except NoAnswer as problem:
        return str(problem)
    return None


def _ask(built: dict[str, Built]) -> dict:
    """Return what Java prints of some stores. Raises NoAnswer."""
    options, class_path = union(map(asdict, built.values()))
    words = [str(find_jdk().java), *options, "-cp", libraries.class_path(class_path)]
    try:
        asked = subprocess.run(
            [*words, CATALOGUE, *built],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=DESCRIBING_SECONDS,
            cwd=crashes(),
        )
    except subprocess.TimeoutExpired:
        raise NoAnswer(f"no answer in {DESCRIBING_SECONDS} s") from None
    if asked.returncode:
        said = [line for line in asked.stderr.splitlines() if line.strip("# ")]
        thrown = [line for line in said if line.startswith(THROWN)]
        reason = (thrown or said or [f"exit code {asked.returncode}"])[0].removeprefix(THROWN)
        if not thrown and CATALOGUE in reason:
            reason = f"it comes without {CATALOGUE}: copy the //SOURCES line of another store"
        raise NoAnswer(brief(reason.rpartition("UserError: ")[2]))
    for found in re.finditer(r"\{$", asked.stdout, re.M):  # after whatever else is printed
        with contextlib.suppress(ValueError):
            return json.JSONDecoder().raw_decode(asked.stdout, found.start())[0]
    printed = f": {brief(asked.stdout)}" if asked.stdout.strip() else ""
    raise NoAnswer(f"its virtual machine ended before it had answered{printed}")


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
