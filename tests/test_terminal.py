"""What others wrote is shown in a terminal and not obeyed, whichever command prints it."""

import io
from types import SimpleNamespace

import hostile
import nbformat
import pytest
from click.testing import CliRunner

from kvreport import doctor
from kvreport.base import paths
from kvreport.base.terminal import Terminal
from kvreport.base.text import visible
from kvreport.cli import main
from kvreport.measure.progress import Progress

OBEYED = "\x1b[31mred\x1b]0;t\x07\u202eback\x9b2J [bold]x[/bold] [/]"
SHOWN = visible(OBEYED)


def exhibits(folder, monkeypatch):
    cell = nbformat.v4.new_code_cell(f"#| label: fig-a01\n#| fig-cap: '**A01** {OBEYED}'")
    cell.source = cell.source.replace(OBEYED, OBEYED.replace("\x1b", "\\e").replace("\x07", "\\a"))
    cell.source = cell.source.replace("\x9b", "\\x9b").replace("'", '"')
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), folder / "a.ipynb")
    monkeypatch.setattr(paths, "CHAPTERS", folder)
    return "list", "exhibits"


def examined(folder, monkeypatch):
    monkeypatch.setattr(doctor, "CHECKS", {"JDK": lambda: (doctor.OK, OBEYED)})
    monkeypatch.setenv("COLUMNS", "300")
    return ("doctor",)


def compared(folder, monkeypatch):
    return "compare", OBEYED, "latest"


def verified(folder, monkeypatch):
    return "verify", str(folder / OBEYED.replace("/", ""))


@pytest.mark.parametrize("command", [exhibits, examined, compared, verified])
def test_a_command_shows_what_others_wrote(tmp_path, monkeypatch, command):
    said = CliRunner().invoke(main, command(tmp_path, monkeypatch), color=True).output
    assert "‹U+001B›[31mred" in said and visible(said) == said


def test_the_console_of_measuring_shows_what_kernels_and_records_say():
    written = io.StringIO()
    terminal = Terminal(file=written, force_terminal=True, width=600, color_system=None)
    terminal.print(f"Warning: {OBEYED}.")
    assert written.getvalue() == f"Warning: {SHOWN}.\n"
    plan = SimpleNamespace(section="04", profile="smoke")
    trial = SimpleNamespace(id="A", name="A", number=1, plan=plan)
    progress = Progress(Terminal(file=written, width=600), [], [trial])
    with progress:
        progress.begin()
        progress.report_progress(hostile.PAYLOAD)
        assert progress.bar.tasks[0].description == f"A, trial 1: {visible(hostile.PAYLOAD)}"
        record = {"section": "04", "store": {"id": "A"}, "seconds": 1.0}
        progress.end(record | {"status": "failed", "reason": OBEYED})
    assert f"failed: {SHOWN}" in written.getvalue()
