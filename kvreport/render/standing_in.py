"""What the report shows of what was not measured on this machine: chapters as they came with the
project, each under a line that says so.

Such a chapter is executed on the runs that came with the project alone. Its outputs are then those
that are saved with it, so that a first report executes only what is about the reader's machine.
"""

import re
from pathlib import Path
from typing import NamedTuple

from kvreport.base import paths
from kvreport.base.markdown import Marked, code, marked
from kvreport.data import crashes, runs
from kvreport.data.needs import FIRST_LOOK

ABOUT_THIS_MACHINE = "index", "methodology"  # whatever was measured on it
VARIABLE = "measured"  # Quarto's, of chapters that draw on many sections; of a section measured-04


class Drawn(NamedTuple):
    """The runs that a chapter is executed on.

    folders    of the runs
    variables  of the environment, that its kernel needs to read these
    """

    folders: list[Path]
    variables: dict[str, str]


def drawn_on(source: str) -> Drawn:
    """Return what a chapter is executed on, given its path: the runs that came with the project
    where nothing that it draws on was measured on this machine, else all that the report shows.
    Raises UserError where nothing is measured.
    """
    name = Path(source).stem
    section = name if re.match(r"\d\d-", name) else None
    if name not in ABOUT_THIS_MACHINE and stands_in(section):
        names = runs.reference_runs()
        variables = {"KVREPORT_RUN": ",".join(names)}
    else:
        names, variables = runs.shown_runs(runs.selected_run()), {}
    return Drawn([paths.RUNS / name for name in names], variables)


def stands_in(section: str | None) -> bool:
    """Return whether what is shown of a section (None: of any but the first look, and of crashes)
    came with the project, as nothing of it was measured on this machine.
    """
    if section:
        return runs.stands_in(runs.run_of(section))
    drawn_on = {run for at, run in runs.shown_sections().items() if at != FIRST_LOOK}
    if tried := crashes.shown_crashes():
        drawn_on.add(tried)
    return bool(drawn_on) and all(map(runs.stands_in, drawn_on))


def variables(measured: bool) -> dict[str, Marked]:
    """By the name that a chapter has it under, what it says above all else: whose machine it is
    about where that is another than this, else nothing; `measured` is whether there is any trial.
    """
    sections = [file.stem for file in paths.CHAPTERS.glob("[0-9]*.ipynb")]
    named = {VARIABLE: None} | {f"{VARIABLE}-{each[:2]}": each for each in sections}
    return {name: _line(each) if measured else Marked("") for name, each in named.items()}


def _line(section: str | None) -> Marked:
    if not stands_in(section):
        return Marked("")
    known = runs.runs()
    about = known[runs.run_of(section) if section else runs.reference_runs()[0]]
    profile = known[runs.selected_run()]["profile"]
    command = f"make section S={section[:2]}" if section else "make report MINUTES=60"
    return marked(
        "**Not measured on this machine.** What follows is the reference run of {}, on {} ({}); {}"
        " measures {} here.",
        about["started"][:10],
        about["host"],
        about["cpu"]["model"] or "an unknown processor",
        code(command + (f" PROFILE={profile}" if profile != "quick" else "")),
        "it" if section else "more",
    )
