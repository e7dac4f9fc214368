"""The command line. Each command imports what it needs when it is called, so that one broken part
leaves the others usable.
"""

from __future__ import annotations

import os
import sys
import time
from importlib.metadata import version
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from kvreport.base.errors import UserError, sentence_of
from kvreport.base.paths import (
    QUIET,
    RECORDER,
    ROOT,
    keep_home_clean,
    name_files_in_utf8,
    shown,
)
from kvreport.base.terminal import echo
from kvreport.checking import crosscheck, harness
from kvreport.crashing import commits, crash, recoveries
from kvreport.options import Measuring, measuring, minutes
from kvreport.preparation import end_with, existing, give_way, prepare, prepared_stores
from kvreport.releasing import bundle, compare, publish, verify, withdraw

if TYPE_CHECKING:
    from kvreport.measure.outcome import Outcome
    from kvreport.measure.schedule import Request


class Commands(click.Group):
    """Says what is wrong in its one sentence and ends with 2."""

    def invoke(self, context: click.Context) -> object:
        try:
            return super().invoke(context)
        except (UserError, OSError) as problem:
            sentence = sentence_of(problem)
            if sentence is None:
                raise
            echo(sentence, err=True)
            context.exit(2)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("kvreport"), message="kvreport %(version)s")
@click.option("-q", "--quiet", is_flag=True, help="say only what is wrong, and what was made")
def main(quiet: bool) -> None:
    """Measures embedded key-value stores for the JVM and renders the report on them."""
    refuse_other_checkout()
    keep_home_clean()
    name_files_in_utf8()
    if quiet:
        os.environ[QUIET] = "1"


@main.command()
def doctor() -> None:
    """Show what is there, what is missing and how to get it."""
    from kvreport.doctor import examine

    sys.exit(0 if examine() else 1)


@main.command()
def setup() -> None:
    """Build the stores and register the Java kernel; costs nothing where nothing changed."""
    from kvreport.toolchain.jbang import find_jbang

    prepare()
    find_jbang()  # which `make format` starts, also where nothing was to be built


@main.command("lock-libraries")
@click.argument("scripts", nargs=-1, type=click.Path(path_type=Path))
def lock_libraries(scripts: tuple[Path, ...]) -> None:
    """Write jbang/libraries.lock: fetch every library of the stores and the tools, and of SCRIPTS
    that lie elsewhere, and note its SHA-256.
    """
    from kvreport.toolchain.lock import write_lock

    echo(f"Locked {write_lock(existing(scripts))} jars in jbang/libraries.lock")


@main.command()
@measuring
@minutes
def report(**options: Unpack[Measuring]) -> None:
    """Measure what is missing, or as much as --minutes allow, and render the report."""
    from kvreport.analysis.summary import summary
    from kvreport.measure.budget import note_rendering
    from kvreport.render.engines import render

    outcome = measured(None, options)
    render()
    note_rendering(time.monotonic() - outcome.ended)
    for line in summary(outcome.unavailable()):
        echo(line)
    end_with(outcome.complaints() + left_out())


@main.command()
@click.argument("section")
@measuring
def section(section: str, **options: Unpack[Measuring]) -> None:
    """Measure one SECTION (04, or 04-small-values) again and render the report.

    A measurement that was stopped goes on; a whole one stays as it is, and the section is measured
    once more as a new run.
    """
    from kvreport.render.engines import render

    outcome = measured(section, options, again=True)
    render()
    end_with(outcome.complaints() + left_out())


@main.command()
@click.argument("section", required=False)
@measuring
def measure(section: str | None, **options: Unpack[Measuring]) -> None:
    """Measure what is missing, of one SECTION or of all, and render nothing; or answer a question
    of your own, QUESTION.toml, on a page in report/own.
    """
    if section and section.endswith(".toml"):
        from kvreport.own.answer import answer

        others = {**options, "stores": (), "host": None, "profile": None}
        if any(others.values()) or options["profile"] != "quick":
            raise UserError(
                "A question says itself how long it is measured: of the options --store, --host and"
                " --beside-another go with it."
            )
        stores, known = prepared_stores(options["stores"])
        outcome = answer(Path(section), known, stores, options["host"])
    else:
        outcome = measured(section, options)
    end_with(outcome.complaints())


@main.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
def record(folder: Path) -> None:
    """Put Recorder.java into FOLDER: called by a program beside its store, it writes what the
    program does as a question for `kvreport measure`.
    """
    from kvreport.base.files import read_text, write_atomically

    file = folder / RECORDER.name
    if file.exists():
        raise UserError(f"{shown(file)} is there already: move it away.")
    write_atomically(file, read_text(RECORDER))
    echo(f"Wrote {shown(file)}, which says at its top how a program calls it.")


@main.command()
@click.argument("section", required=False)
def log(section: str | None) -> None:
    """Execute the measure notebooks (or that of SECTION) on what is recorded, for the appendix."""
    from kvreport.base.parallel import parallel_map
    from kvreport.data import runs
    from kvreport.measure.launcher import interruptible
    from kvreport.measure.log import write_log
    from kvreport.measure.section import Section, find_log, lessons, sections

    def write(each: Section) -> None:
        run = runs.selected_run() if each.is_lesson else runs.run_of(each.id)
        if write_log(each, run, "2g", known):
            echo(f"Executed {each.id}")

    known = prepare()
    with interruptible():
        for each in [*sections(), *lessons()] if section is None else [find_log(section)]:
            list(parallel_map(write, [each]))


@main.command("list")
@click.argument("what", type=click.Choice(["sections", "stores", "runs", "exhibits"]))
def list_what(what: str) -> None:
    """List the sections, stores, runs or exhibits that there are."""
    from kvreport import inventory

    for line in getattr(inventory, what)():
        echo(line)


@main.command()
@click.argument("chapter", required=False)
@click.option(
    "--to",
    "formats",
    type=click.Choice(["html", "typst"]),
    multiple=True,
    help="only this format; both unless given",
)
def render(chapter: str | None, formats: tuple[str, ...]) -> None:
    """Render the report, or only the page of CHAPTER (notebooks/chapters/04-small-values.ipynb),
    from what is measured.
    """
    from kvreport.render.engines import FORMATS, render

    give_way()
    render(formats or FORMATS, chapter)
    end_with(left_out())


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1)
def test(arguments: tuple[str, ...]) -> None:
    """Pass the tests; ARGUMENTS go to pytest."""
    prepare()
    os.chdir(ROOT)
    os.execv(sys.executable, [sys.executable, "-m", "pytest", *arguments])


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1)
def lab(arguments: tuple[str, ...]) -> None:
    """Open JupyterLab with the Java kernel ready; ARGUMENTS go to it."""
    prepare()
    root = ["--allow-root"] if os.geteuid() == 0 else []  # without it Jupyter refuses
    command = ["-m", "jupyterlab", f"--ServerApp.root_dir={ROOT}", *root, *arguments]
    os.execv(sys.executable, [sys.executable, *command])


for command in (
    *(crash, commits, recoveries, harness, crosscheck),
    *(publish, withdraw, verify, bundle, compare),
):
    main.add_command(command)


def measured(section: str | None, options: Measuring, again: bool = False) -> Outcome:
    """Builds what changed and measures."""
    from kvreport.measure.launcher import measure

    stores, known = prepared_stores(options["stores"])
    return measure(
        known,
        section,
        options["profile"],
        options["run"],
        stores,
        options["host"],
        again,
        request(options),
    )


def request(options: Measuring) -> Request:
    """Return how far to go. Raises UserError."""
    from kvreport.analysis.reach import reach
    from kvreport.analysis.summary import so_far
    from kvreport.measure.budget import measuring_ends
    from kvreport.measure.schedule import Request, Until

    rounds, retry, long = options["rounds"], options["retry_failed"], options["long"]
    minutes, ratio, hours = options.get("minutes"), options["until"], options["limit_hours"]
    if minutes is not None and (rounds or ratio):
        raise UserError("--minutes, --rounds and --until each say how far to go: give one of them.")
    if ratio is None and hours is not None:
        raise UserError("--limit-hours limits --until: give both, or none.")
    if ratio is not None and rounds:
        raise UserError(
            "--rounds asks for few trials and --until for as many as it takes: drop one."
        )
    if minutes is not None:
        return Request(rounds, retry, long, so_far=so_far, ends=measuring_ends(minutes))
    until = None if ratio is None else Until(ratio, reach)
    ends = inf if hours is None else time.monotonic() + 3600 * hours
    return Request(rounds, retry, long, until, ends=ends)


def left_out() -> list[str]:
    """Return what to say of damaged trials, which are rendered without their rows."""
    from kvreport.data.runs import damaged_files

    return [str(each) for each in damaged_files()]


def refuse_other_checkout() -> None:
    """Raises UserError where the command belongs to another checkout than the code that it runs.

    That is so in a copy: its scripts and its environment still name the place it was copied from.
    """
    own = Path(sys.argv[0]).absolute().parents
    moved = len(own) > 2 and own[1].name == ".venv" and own[2] != ROOT
    if moved and (own[2] / "Makefile").exists():
        raise UserError(
            f"This checkout was copied or moved from {ROOT}: run `make setup` here first."
        )
