"""What commands that measure have in common: they build what changed first, and complain last."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from kvreport.base.errors import UserError
from kvreport.base.paths import JBANG_STORES, shown
from kvreport.base.terminal import echo

LEAST = 19  # the niceness of what leaves the processors to all else


def prepare(scripts: Iterable[Path] = ()) -> dict:
    """Builds what changed, registers the kernel and returns the catalogue.

    Names on stderr the stores that cannot be used, and goes on without them. Raises UserError where
    the system lets no kernel start, or none of what it loads be loaded.
    """
    from kvreport.base import unpacking
    from kvreport.measure import kernel, limits
    from kvreport.toolchain import catalogue, stores

    limits.ensure_open_files()
    if elsewhere := unpacking.notice():
        echo(elsewhere, err=True)
    known = catalogue.catalog(existing(scripts))
    own = sorted(JBANG_STORES.glob("*.java"))
    for script in set(own) - set(stores.named_well(own)):
        echo(f"{shown(script)} is left out: {stores.MISNAMED}.", err=True)
    for store, reason in known["failed"].items():
        echo(f"{store} is left out, as it {reason}", err=True)
    for store, reason in known["unavailable"].items():
        echo(f"{store} is n/a here: {reason}", err=True)
    kernel.register(known)
    return known


def prepare_crashes(named: Iterable[str]) -> tuple[list[str] | None, dict]:
    """The same as `prepared_stores`, each store of the catalogue with its recovery call and, where
    this machine lacks something for it, with what is `missing`. Ends where that is so of all that
    are named, and they cannot even be built.
    """
    from kvreport.crash.selection import persistent
    from kvreport.toolchain import availability, recoveries

    ids, known = prepared_stores(named)
    if ids is not None:
        ids = [id for id in ids if id in known["stores"] or id not in known["unavailable"]]
        if not ids:
            sys.exit()
    recoveries.add(known)
    for id in ids or persistent(known):
        store = known["stores"].get(id, {})
        if missing := availability.missing(known, id):
            store["missing"] = missing
            echo(f"{store['name']} is n/a here: {missing}", err=True)
    return ids, known


def existing(scripts: Iterable[Path]) -> list[Path]:
    """The scripts, as absolute paths. Raises UserError where one is no file, or no store can have
    its name: another has it, or it is no id.
    """
    from kvreport.toolchain import stores

    scripts = [script.resolve() for script in scripts]
    ids = {script.stem: script for script in sorted(JBANG_STORES.glob("*.java"))}
    for script in scripts:
        if not script.is_file():
            raise UserError(f"There is no script {script}: name the file of a store.")
        if not stores.named_well([script]):
            raise UserError(f"{script} cannot be measured: {stores.MISNAMED}.")
        if (other := ids.setdefault(script.stem, script)) != script:
            raise UserError(
                f"{script} cannot be measured: {shown(other)} is the store {script.stem}. Give the"
                " file and its class another name."
            )
    return scripts


def prepared_stores(named: Iterable[str]) -> tuple[list[str] | None, dict]:
    """The ids of stores that are named by id or by script, None for none, and the catalogue."""
    named = list(named)
    known = prepare([Path(each) for each in named if each.endswith(".java")])
    return [Path(each).stem if each.endswith(".java") else each for each in named] or None, known


def give_way() -> None:
    """Takes only the processors that a measurement leaves, and says that there is one."""
    from kvreport.measure.machine_lock import measured

    if checkout := measured():
        os.nice(LEAST)
        echo(
            f"A measurement runs on this machine, of {checkout}: this takes the processors that it"
            " leaves, and may distort it all the same.",
            err=True,
        )


def end_with(complaints: list[str]) -> None:
    """Ends with 1 where there is something to complain of, though all was done that could be."""
    if complaints:
        echo("\n".join(complaints), err=True)
        sys.exit(1)
