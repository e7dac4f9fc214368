"""The log of a section: what was timed by hand is kept, not timed again, when it is made anew. The
log of a kernel: it is bounded.
"""

import asyncio
import contextlib
import threading
import time
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from nbformat import v4

from kvreport.base import notebooks, parallel, paths
from kvreport.base.errors import UserError
from kvreport.base.text import REASON
from kvreport.measure import jvm, launcher, log
from kvreport.measure.section import BY_HAND, Section

TIMING = f'{BY_HAND}\ntry (var bench = Bench.open(store, example)) {{ bench.time("readKey"); }}'


@pytest.fixture
def section(tmp_path, monkeypatch) -> Section:
    """One whose cells show an entry, time a store and measure, and have outputs."""
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    cells = {
        "entry": f"{BY_HAND}\nSystem.out.println(entry);",
        "by-hand": TIMING,
        "measure": "notebook.measure(section);",
    }
    notebook = v4.new_notebook(
        cells=[
            v4.new_code_cell(source, id=name, outputs=[v4.new_output("stream", text=f"{name} 1")])
            for name, source in cells.items()
        ]
    )
    notebooks.note(notebook, "", timed=log.hand_stamp(notebook))
    file = tmp_path / "04-small-values.ipynb"
    nbformat.write(notebook, file)
    return Section(file)


def kept(section: Section, notebook: nbformat.NotebookNode) -> list[str]:
    """The outputs that the cell that times keeps."""
    left = log.keep_what_was_timed(notebook, section)
    found = [output.text for cell in log.timed_by_hand(notebook) for output in cell.outputs]
    assert [cell.id for cell in left] == ([] if found else ["by-hand"])
    return found


def test_a_cell_that_times_keeps_the_output_that_it_has_though_prose_changes(section):
    notebook = section.notebook()
    assert kept(section, notebook) == ["by-hand 1"] and not log.times_by_hand(section)
    notebook.cells.insert(0, v4.new_markdown_cell("Prose."))
    assert kept(section, notebook) == ["by-hand 1"]


def test_the_last_log_has_what_the_tracked_notebook_lacks(section):
    notebook = section.notebook()
    file = log.executed(section)
    file.parent.mkdir(parents=True)
    nbformat.write(notebook, file)
    for cell in notebook.cells:
        cell.outputs = []
    notebook.metadata.pop(notebooks.METADATA)
    nbformat.write(notebook, section.file)
    assert kept(section, notebook) == ["by-hand 1"]
    file.unlink()
    assert kept(section, notebook) == [] and log.times_by_hand(section)


def test_what_other_code_timed_is_not_kept(section):
    for cell in range(3):
        notebook = section.notebook()
        notebook.cells[cell].source += "\n// changed"
        assert kept(section, notebook) == []


def test_what_was_timed_is_not_executed_again(section, monkeypatch):
    """And the log has it all the same, in its place."""
    ran = []

    class Client:
        def __init__(self, notebook, **_):
            self.notebook = notebook

        async def async_execute(self):
            self.notebook.metadata.language_info = {"version": "17.0.1"}
            for cell in self.notebook.cells:
                ran.append(cell.id)
                cell.outputs = [v4.new_output("stream", text=f"{cell.id} 2")]

    for name in ("started", "await_start"):
        monkeypatch.setattr(log.jvm, name, lambda *_: contextlib.nullcontext(SimpleNamespace()))
    monkeypatch.setattr(log, "showing", lambda *_: None)
    monkeypatch.setattr(log, "_variables", lambda *_: {})
    monkeypatch.setattr(log, "NotebookClient", Client)
    monkeypatch.setattr(log, "stamp_of", lambda *_: "stamp")
    monkeypatch.setattr(Section, "is_lesson", True)
    monkeypatch.setattr(paths, "WORK", section.file.parent / "work")
    assert log.write_log(section, "run", "1g", {}) and ran == ["entry", "measure"]
    made = nbformat.read(log.executed(section), 4)
    assert [cell.outputs[0].text for cell in made.cells] == ["entry 2", "by-hand 1", "measure 2"]
    assert "language_info" not in made.metadata and log.is_of(log.executed(section), "stamp")
    assert not log.write_log(section, "run", "1g", {}), "it is there"


def test_logs_are_made_at_once_but_for_those_that_time(monkeypatch, capsys):
    """Two that do not wait for each other, a damaged one among them; two that find none beside."""
    meeting, under_way, made = threading.Barrier(2, timeout=30), [], []

    def write(name, *_):
        assert threading.current_thread() is not threading.main_thread(), "nbclient takes signals"
        assert name in ("b", "d") or not under_way
        under_way.append(name)
        if name in ("b", "d"):
            meeting.wait()
        else:
            time.sleep(0.1)  # for others to come
        made.append(name)
        under_way.remove(name)
        if name == "b":
            raise UserError("The log of b was not made.")

    monkeypatch.setattr(parallel.os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(launcher, "times_by_hand", lambda name: name in ("a", "c"))
    monkeypatch.setattr(launcher, "write_log", write)
    plan = SimpleNamespace(heap="")
    launcher.write_logs(
        [SimpleNamespace(section=name, run="r", known={}, plan=plan) for name in "abcd"]
    )
    assert made[:2] == ["a", "c"] and sorted(made[2:]) == ["b", "d"]
    assert "The log of b was not made." in capsys.readouterr().err


def test_a_log_is_given_up_as_soon_as_the_program_is_told_to_stop(monkeypatch):
    stopping = threading.Event()
    monkeypatch.setattr(jvm, "stopping", stopping)
    given_up = []

    class Client:
        async def async_execute(self):
            stopping.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                given_up.append(self)
                raise

    client: Any = Client()
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(log._executed(client))
    assert given_up == [client]


def test_what_a_store_prints_and_throws_is_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(jvm, "LOG_BYTES", 1 << 18)
    kernel, lines = jvm.Kernel.__new__(jvm.Kernel), []
    kernel.rest, kernel.prefix, kernel.report_progress = "", "", lines.append
    with open(tmp_path / "a.log", "wb") as kernel.log:
        kernel.hear("and " * 2_500_000)  # a line that does not end
        kernel.hear("\nshort\n")
        assert lines[1] == "short" and len(lines[0]) <= REASON and lines[0].endswith("…")
        kernel.hear("and so on\n" * 100_000)
    assert (tmp_path / "a.log").stat().st_size <= jvm.LOG_BYTES + jvm.LINE
    assert len(str(jvm.Failure("boom " * 1_000_000))) <= REASON
