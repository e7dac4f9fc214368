"""What runs before and after each render by Quarto: in which Python, and what need not be done
again.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import samples

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.render import engines, place, prerender, sources, stamps

STEP = paths.ROOT / "kvreport" / "render" / "step.sh"
HEAVY = {"pandas", "nbclient", "vl_convert", "typst", "scipy", "altair", "jupyter_client"}


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """A project of a few files, nothing of which is prepared yet."""
    for name in ("_quarto.yml", "notebooks/chapters/a.ipynb", "data/runs/one/04/A-1.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("old")
    monkeypatch.setattr(stamps, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "CACHE", tmp_path / ".cache")
    monkeypatch.setattr(prerender, "ROOT", tmp_path)
    for name in ("QUARTO_PROJECT_INPUT_FILES", "QUARTO_PROJECT_RENDER_ALL", place.BOOK):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def in_place(file: Path, text: str) -> None:
    """Writes another text of the same length, and sets the file's times back."""
    before = file.stat()
    file.write_text(text)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES = {
    "an edit": lambda at: in_place(at / "data" / "runs" / "one" / "04" / "A-1.json", "new"),
    "another file": lambda at: (at / "notebooks" / "chapters" / "b.ipynb").touch(),
    "one file less": lambda at: (at / "_quarto.yml").unlink(),
    "another name": lambda at: (at / "_quarto.yml").rename(at / "_quarto.yaml"),
    "a link": lambda at: (at / "link").symlink_to("nowhere"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_changes_among_the_sources_is_seen(project, change):
    before = stamps.state(project)
    assert before and stamps.state(project) == before
    change(project)
    assert stamps.state(project) != before


def test_what_is_made_of_the_sources_is_none_of_them(project):
    before = stamps.state(project)
    for name in (".cache/x", ".venv/x", "report/draft/index.html", "tests/__pycache__/x.pyc"):
        (project / name).parent.mkdir(parents=True)
        (project / name).touch()
    assert stamps.state(project) == before


def test_the_book_the_packages_and_what_is_asked_for_count_too(project, tmp_path_factory):
    book, before = tmp_path_factory.mktemp("book"), stamps.state(project)
    beside = stamps.state(book)
    (book / "index.ipynb").touch()
    assert stamps.state(book) not in (beside, before)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KVREPORT_RUN", "another")
        assert stamps.state(project) != before
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stamps.sysconfig, "get_path", lambda _: str(book))
        assert stamps.state(project) != before
        patch.setattr(stamps.sysconfig, "get_path", lambda _: "/nowhere")
        assert stamps.state(project) == "", "it cannot tell"
    assert not stamps.is_current(str(project), "")
    assert stamps.state(project) == before


@pytest.fixture
def asked(project, monkeypatch) -> list:
    """Which pages are prepared, None for the whole book, in order."""
    made: list = []
    monkeypatch.setattr(sources, "prepare_sources", lambda root, pages: made.append(pages))
    return made


def step(monkeypatch, *pages: str, whole: bool = False) -> int:
    """The pre-render step, as Quarto calls it for pages."""
    monkeypatch.setenv("QUARTO_PROJECT_INPUT_FILES", "\n".join(pages))
    if whole:
        monkeypatch.setenv("QUARTO_PROJECT_RENDER_ALL", "1")
    else:
        monkeypatch.delenv("QUARTO_PROJECT_RENDER_ALL", raising=False)
    return prerender.main()


def test_a_page_is_prepared_once_and_again_when_something_changed(project, asked, monkeypatch):
    for page in ("a.ipynb", "a.ipynb", "b.ipynb", "a.ipynb"):
        assert step(monkeypatch, page) == 0
    assert asked == [["a.ipynb"], ["b.ipynb"]]
    (project / "_quarto.yml").write_text("new")
    assert step(monkeypatch, "b.ipynb") == step(monkeypatch, "a.ipynb") == 0
    assert asked[2:] == [["b.ipynb"], ["a.ipynb"]]


def test_after_the_whole_book_no_page_is_prepared(project, asked, monkeypatch):
    step(monkeypatch, "a.ipynb", "b.ipynb", whole=True)
    step(monkeypatch, "a.ipynb")
    assert asked == [None]
    monkeypatch.setenv(place.BOOK, str(project / "notebooks"))
    step(monkeypatch, "a.ipynb")
    step(monkeypatch, whole=True)
    assert asked == [None, ["a.ipynb"], None], "of another book"
    monkeypatch.delenv(place.BOOK)
    step(monkeypatch, "a.ipynb")
    assert len(asked) == 3, "each book is remembered"


def test_what_was_written_or_is_wrong_is_looked_at_again(project, monkeypatch, capsys):
    calls: list = []

    def write(root, pages):
        calls.append(pages)
        if len(calls) == 1:
            (root / "notebooks" / "chapters" / "a.ipynb").write_text("executed")
        if len(calls) == 2:
            raise UserError("A chapter is damaged.")

    monkeypatch.setattr(sources, "prepare_sources", write)
    ends = [step(monkeypatch, "a.ipynb") for _ in range(4)]
    assert ends == [0, 2, 0, 0] and len(calls) == 3
    assert capsys.readouterr().err == "A chapter is damaged.\n"


def test_damage_to_what_was_noted_only_takes_time(project, asked, monkeypatch):
    step(monkeypatch, "a.ipynb")
    [noted] = (project / ".cache" / "stamps").iterdir()
    noted.write_bytes(b"\xff\x00")
    step(monkeypatch, "a.ipynb")
    step(monkeypatch, "a.ipynb")
    assert len(asked) == 2


def test_a_render_without_quarto_prepares_once_too(tmp_path, monkeypatch):
    book, made = samples.make(tmp_path / "book"), []
    monkeypatch.setattr(stamps, "ROOT", book)
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(engines, "find_quarto", lambda: None)
    monkeypatch.setattr(engines.offline, "render_offline", lambda *_: None)
    monkeypatch.setattr(engines, "prepare_sources", lambda _, pages: made.append(pages))
    for page in (samples.FIGURES, samples.FIGURES, None, None, samples.FIGURES):
        engines.render(chapter=page, root=book)
    assert made == [[samples.FIGURES], None]


def loaded(words: str) -> set[str]:
    """The packages that a Python has loaded after some words."""
    printing = f"{words}; import sys; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", printing], cwd=paths.ROOT, capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_nothing_is_loaded_that_is_not_needed():
    prepared_already = loaded(
        "from kvreport.render import prerender, stamps; stamps.is_current = lambda *_: True;"
        " assert prerender.main() == 0"
    )
    assert not prepared_already & {*HEAVY, "yaml", "nbformat", "click", "rich"}
    assert not loaded("import kvreport.render.sources") & HEAVY


def test_the_steps_run_in_the_projects_python_or_say_what_is_missing(tmp_path):
    def executable(file: Path, does: str) -> str:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{does}\n")
        file.chmod(0o755)
        return str(file)

    def run(**environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["sh", STEP, "kvreport/render/prerender.py", "more"],
            cwd=tmp_path,
            env={"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"} | environment,
            capture_output=True,
            text=True,
        )

    script = tmp_path / "kvreport" / "render" / "prerender.py"
    script.parent.mkdir(parents=True)
    shutil.copy(prerender.__file__, script)
    bare = f'exec {sys.executable} -S -E "$@"'  # without packages
    executable(tmp_path / "bin" / "python3", bare)
    named = executable(tmp_path / "another", 'echo "another $@"')
    done = run()
    assert done.returncode == 2 and re.fullmatch(
        r"The Python at \S+ lacks kvreport\S*: run `make setup` first.*\n", done.stderr
    )
    assert run(QUARTO_PYTHON=named).stdout == "another kvreport/render/prerender.py more\n"
    executable(tmp_path / ".venv" / "bin" / "python", 'echo "own $@"')
    assert run(QUARTO_PYTHON=named).stdout == "own kvreport/render/prerender.py more\n"
