"""What commands that measure have in common: they build what changed first, and complain last."""

import sys
from collections.abc import Iterable
from pathlib import Path

from kvreport.base.errors import UserError
from kvreport.base.terminal import echo


def prepare(scripts: Iterable[Path] = ()) -> dict:
    """Builds what changed, registers the kernel and returns the catalogue.

    Names on stderr the stores that do not build, and goes on without them.
    """
    from kvreport.measure import kernel
    from kvreport.toolchain import stores

    known = stores.catalog(existing(scripts))
    for store, reason in known["failed"].items():
        echo(f"{store} does not build and is left out:\n{reason}", err=True)
    kernel.register(known)
    return known


def prepare_crashes(named: Iterable[str]) -> tuple[list[str] | None, dict]:
    """The same as `prepared_stores`, each store of the catalogue with its recovery call."""
    from kvreport.toolchain import recoveries

    ids, known = prepared_stores(named)
    recoveries.add(known)
    return ids, known


def existing(scripts: Iterable[Path]) -> list[Path]:
    """The scripts, as absolute paths. Raises UserError where one is no file."""
    scripts = [script.resolve() for script in scripts]
    for script in scripts:
        if not script.is_file():
            raise UserError(f"There is no script {script}: name the file of a store.")
    return scripts


def prepared_stores(named: Iterable[str]) -> tuple[list[str] | None, dict]:
    """The ids of stores that are named by id or by script, None for none, and the catalogue."""
    named = list(named)
    known = prepare([Path(each) for each in named if each.endswith(".java")])
    return [Path(each).stem if each.endswith(".java") else each for each in named] or None, known


def end_with(complaints: list[str]) -> None:
    """Ends with 1 where there is something to complain of, though all was done that could be."""
    if complaints:
        echo("\n".join(complaints), err=True)
        sys.exit(1)
