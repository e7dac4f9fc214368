"""A chapter's notebook, executed cell by cell in this process on the runs that a test has."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import altair as alt
import nbformat
import pandas as pd
import pytest
import synthetic
from IPython.core.interactiveshell import InteractiveShell

from kvreport import notebook as library
from kvreport.analysis.simulation import Found, simulate
from kvreport.base import paths
from kvreport.charts import dots, dumbbells, frames, lines, page, panels, tail

DRAWING = (dots, dumbbells, lines, tail)
NO_PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>'
EMPTY = panels.panel_of([alt.Chart(alt.InlineData(values=[])).mark_point()], [], 1, 1)


@cache
def simulate_little(trials: int) -> Found:
    """A chapter's simulation, which no run changes, with a twelfth of its sections: as a whole it
    takes as long as all other chapters together.
    """
    return simulate(trials, sections=2)


@dataclass(frozen=True)
class Executed:
    """What the code cells of a chapter showed, in order, and its variables at the end."""

    results: list[Any]
    variables: dict[str, Any]

    @property
    def text(self) -> str:
        """All Markdown that was shown."""
        shown = (getattr(each, "data", "") for each in self.results)
        return "\n".join(each for each in shown if isinstance(each, str))  # a chart has data, too


def execute(
    notebook: Path | str, runs: Path, monkeypatch, composed: bool = False, drawn: bool = False
) -> Executed:
    """Executes a chapter (its file, or its name) on a folder of runs. Raises what a cell raises.
    Panels of figures are composed, and what it shows is drawn, only where that is asked for, as the
    two take longer than all else.
    """
    file = paths.CHAPTERS / f"{notebook}.ipynb" if isinstance(notebook, str) else notebook
    monkeypatch.setattr(paths, "RUNS", runs)
    monkeypatch.delenv("KVREPORT_RUN", raising=False)
    monkeypatch.setattr(library, "simulate", simulate_little)
    monkeypatch.chdir(paths.CHAPTERS)
    for module in () if composed or drawn else DRAWING:
        monkeypatch.setattr(module, "_panel", lambda *_, **__: EMPTY)
    shell, results = InteractiveShell.instance(), []
    shell.reset()
    if not drawn:
        monkeypatch.setattr(shell.display_formatter, "format", lambda *_, **__: ({}, {}))
    for cell in nbformat.read(file, 4).cells:
        if cell.cell_type == "code":
            outcome = shell.run_cell(cell.source)
            outcome.raise_error()
            results.append(outcome.result)
    return Executed(results, dict(shell.user_ns))


def executed_once(tmp_path_factory) -> Callable[..., Executed]:
    """Executes a chapter on a run of its section, and of more, the first time that it is asked
    for.
    """

    @cache
    def of(name: str, *more: str) -> Executed:
        folder = tmp_path_factory.mktemp("runs")
        synthetic.write_run(folder, sections=[name, *more])
        with pytest.MonkeyPatch.context() as patch:
            return execute(name, folder, patch)

    return of


def execute_cells(
    notebook: Path, runs: Path, monkeypatch, composed: bool
) -> list[list[dict[str, str]]]:
    """What each code cell of a chapter shows, as a notebook keeps it: for each thing that it shows
    a text by type.
    """
    code = [cell.source for cell in nbformat.read(notebook, 4).cells if cell.cell_type == "code"]
    found = execute(notebook, runs, monkeypatch, composed)
    return [
        [] if each is None else [_bundle(each, source)]
        for each, source in zip(found.results, code, strict=True)
    ]


def _bundle(shown: Any, source: str) -> dict[str, str]:
    """What a kernel would show of a cell's result."""
    if isinstance(shown, pd.DataFrame):
        return {"text/markdown": frames.shown(shown)}
    if isinstance(shown, alt.TopLevelMixin):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(page, "_cell", lambda: source)
            return page.shown(shown.to_dict())
    if hasattr(shown, "_repr_mimebundle_"):
        return shown._repr_mimebundle_()
    if hasattr(shown, "_repr_markdown_"):
        return {"text/markdown": shown._repr_markdown_()}
    return {"text/markdown": shown.data} if hasattr(shown, "data") else {"text/plain": repr(shown)}
