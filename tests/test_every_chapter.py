"""Chapters, executed as they are on runs of every kind, and held to the form that all have."""

import functools
import itertools
import re

import chapters
import nbformat
import pages
import pytest
import synthetic

from kvreport.base import paths
from kvreport.charts import figures
from kvreport.charts.page import MIME

EVERY = tuple(synthetic.STORES)
NOTEBOOKS = sorted(paths.CHAPTERS.glob("*.ipynb"))
FRONT = paths.ROOT / "index.ipynb"
NO_FINDING = {"introduction", "library", "methodology", "methodology-details", "stores-driven"}
COMPARE = "07 08 10 11 12 13 14 15"  # numbers of chapters whose finding is a comparison
NOTHING_TOLD = (
    "faster than one in no store|nothing that can be told|Of 0 changes|cannot be told|"
    "no store reads measurably|longer in 0 of|depends on what is done"
)
DRAW = figures.picture
LONGEST = 25  # lines of a figure's cell
KINDS = {  # stores and trials
    "everything": (EVERY, 2),
    "single-trials": (EVERY, 1),
    "the-limit-alone": (("FlatFile", "Xodus"), 2),
    "nothing": ((), 0),
}


@pytest.fixture(scope="module")
def runs_of(tmp_path_factory):
    """A folder with a run of some stores and trials, written once."""

    @functools.cache
    def folder(stores: tuple[str, ...], trials: int):
        made = tmp_path_factory.mktemp("runs")
        if stores:
            synthetic.write_run(made, stores=stores, trials=trials)
        return made

    return folder


@pytest.fixture(scope="module")
def browser_page(browser):
    return browser.new_page()


def crowded(shown: dict, page, folder) -> list:
    """Where words of a cell's figure are cut off or overlap, wide and narrow."""
    spec = shown[MIME]["spec"]
    found = []
    for width, each in (680, spec), (360, spec | spec["usermeta"]["narrow"]):
        seen = pages.crowded(page, DRAW(each), folder)
        if seen["out"] or seen["width"] > 1.02 * width:  # a page scales it to fit
            found.append((shown[MIME]["id"], width, seen["width"], seen["out"][:3]))
    return found


def of(file) -> list[str]:
    """The sources of a notebook's code cells."""
    return [cell.source for cell in nbformat.read(file, 4).cells if cell.cell_type == "code"]


@pytest.mark.end_to_end
@pytest.mark.parametrize("notebook", [FRONT, *NOTEBOOKS], ids=lambda file: file.stem)
@pytest.mark.parametrize("kind", KINDS)
def test_a_chapter_runs_whatever_was_measured(
    notebook, kind, runs_of, monkeypatch, request, tmp_path
):
    drawn = kind == "everything" and notebook != FRONT  # slanted labels' boxes overlap
    if drawn:  # below, wide and narrow: what paper has is not looked at
        monkeypatch.setattr(figures, "picture", lambda spec: chapters.NO_PICTURE)
    shown = chapters.execute_cells(notebook, runs_of(*KINDS[kind]), monkeypatch, drawn)
    text = "\n".join(each.get("text/markdown", "") for cell in shown for each in cell)
    assert " object at 0x" not in text and "Series(" not in text
    if notebook.stem != "library":  # whose docstrings name them
        assert not re.findall(r"\bnan\b|\bNone\b|\bNaN\b", text), "a number that is none is shown"
    if drawn:
        page = request.getfixturevalue("browser_page")
        figures_shown = [each for cell in shown for each in cell if MIME in each]
        assert [found for each in figures_shown for found in crowded(each, page, tmp_path)] == []
    if kind == "single-trials":
        assert "fastest |" not in text, "single trials rank nobody"
        assert notebook != FRONT or "There is one trial of each store" in text
        finding = next(each["text/markdown"] for cell in shown for each in cell)
        assert notebook.stem[:2] not in COMPARE.split() or re.search(NOTHING_TOLD, finding)
    if kind == "nothing" and notebook.stem not in NO_FINDING | {"changes"}:
        once = text.count("No measurements" if notebook == FRONT else "*Not measured.*")
        assert once == 1, "it says so once"


@pytest.mark.fast
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_chapter_is_written_in_pandas_and_altair(notebook):
    cells = of(notebook)
    code = "\n".join(cells)
    assert "import kvreport as kv" in code
    assert not re.search(r"from kvreport|\{%|\{\{", code), "only the library, and no templates"
    for cell in cells:
        if "#| label: fig-" in cell:
            lines = [line for line in cell.splitlines() if not line.startswith("#|")]
            assert len(lines) <= LONGEST, f"{lines[0]}: a figure of {len(lines)} lines"


@pytest.mark.fast
@pytest.mark.parametrize(
    "notebook",
    [each for each in NOTEBOOKS if each.stem not in NO_FINDING],
    ids=lambda file: file.stem,
)
def test_a_chapter_begins_with_what_was_found(notebook):
    """Below its heading, before any other words and the line on where the figures come from."""
    heading, *cells = nbformat.read(notebook, 4).cells
    assert re.fullmatch(r"# .*\n\n\{\{< var measured(-\d\d)? >\}\}", heading.source)
    computed = list(itertools.takewhile(lambda cell: cell.cell_type == "code", cells))
    assert "kv.finding(" in computed[-1].source and "provenance(" not in computed[-1].source
