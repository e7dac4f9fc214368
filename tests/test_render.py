"""Rendering: the offline engine on the sample book, what it refuses, when chapters are re-executed,
and how Quarto is called.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pages
import pypandoc
import pytest
import samples
import typst
from damage import NO_FILE

from kvreport.base import notebooks, paths
from kvreport.base.errors import UserError
from kvreport.base.markdown import escape
from kvreport.render import (
    book,
    engines,
    html,
    offline,
    pdf,
    place,
    sources,
    store_pages,
    tree,
)
from kvreport.render.engines import FORMATS
from kvreport.render.freshness import fingerprint, is_stale, refresh


@pytest.fixture
def sample(tmp_path):
    sources.write_scripts(paths.ROOT)
    return samples.make(tmp_path)


def change(file: Path, old: str, new: str):
    """Replaces a text that must be there, in a file or in a notebook's JSON."""
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def rendered(root: Path, formats=FORMATS, chapter=None) -> Path:
    declared = book.load_book(root)
    offline.render_offline(declared, formats, declared.chapter(chapter) if chapter else None)
    return declared.output


def plain(page: Path) -> str:
    return " ".join(re.sub("<[^>]+>", "", page.read_text()).replace("\u00a0", " ").split())


def test_the_offline_engine_makes_pages_and_a_pdf_with_the_same_numbers(sample):
    draft = rendered(sample)
    page, log, front = (
        plain(draft / name)
        for name in ("notebooks/chapters/figures.html", "notebooks/measure/log.html", "index.html")
    )
    said = (
        "What Figure 1.1 and Table 1.1 show; 1.2 is the second. See Section 1.1, Appendix A and the"
        " log."
    )
    assert said in page
    assert (
        "Figure 1.2: Another caption." in page
        and "Table 1.2: A wide table" in page
        and "Table A.1: Results as they came" in log
    )
    assert 'href="notebooks/chapters/figures.html#fig-x1"' in (draft / "index.html").read_text()
    assert samples.IDENTITY in page and "Rendered by the offline engine (pandoc " in page
    assert "import pandas as pd" in page and "measured 1000" in log and "\x1b" not in log
    assert front.index("The Embedded Key-Value Stores Report") < front.index(
        f"{samples.IDENTITY}. Read the figures"
    )

    assert "in print alone" not in front
    pdf = draft / "embedded-key-value-stores.pdf"
    title, contents, *text = pages.pdf_pages(pdf)
    text = " ".join(text)
    assert "Embedded key-value stores for the JVM" in title and samples.IDENTITY in title
    assert "1 Small values" in contents, "on one page, without sections"
    assert "1.1 Storage" not in contents and "The log" not in contents
    printed = said.replace("Appendix A", "The log")
    assert printed in text.replace("\u00a0", " "), "its log is on the pages alone"
    assert (
        "Figure 1.2: Another caption." in text
        and "Results as they came" not in text
        and "in print alone" in text
        and "Limits & first" in text
    )
    assert "import pandas" not in text and "kv-charts" not in text
    assert "RocksDB" in text and pages.raster_images(pdf) == 0


def test_one_chapter_is_rendered_alone_and_the_rest_stays(sample):
    draft = rendered(sample)
    before = {
        file: file.read_bytes() for file in draft.rglob("*") if file.suffix in (".html", ".pdf")
    }
    change(sample / samples.LOG, "What was run", "All that was run")
    change(sample / samples.LOG, "{#sec-log}", "{#sec-other}")  # which another page links to
    change(sample / samples.FIGURES, "Another caption", "A changed caption")
    rendered(sample, ("html",), samples.LOG)
    changed = {
        str(file.relative_to(draft))
        for file, content in before.items()
        if file.read_bytes() != content
    }
    assert changed == {"notebooks/measure/log.html"}


@pytest.mark.parametrize(
    "old, new, sentence",
    [
        ("../measure/log.ipynb#sec-log", "../measure/log.ipynb#sec-of-a-run", None),
        ("../measure/log.ipynb#sec-log", "#sec-gone", "figures.ipynb has nothing of that name"),
        ("@sec-log and", "@sec-gone and", "nothing in the book has that name"),
    ],
    ids=["what another page may have once it is rendered", "what it lacks itself", "no name"],
)
def test_a_page_by_itself_is_checked_by_what_is_its_own(sample, old, new, sentence):
    change(sample / samples.FIGURES, old, new)
    change(sample / samples.LOG, "What was run", "What [was](#gone) run")
    if sentence is None:
        page = rendered(sample, ("html",), samples.FIGURES) / "notebooks/chapters/figures.html"
        assert "measure/log.html#sec-of-a-run" in page.read_text()
        with pytest.raises(UserError, match="sec-of-a-run.*\n.*#gone"):
            rendered(sample)
    else:
        with pytest.raises(UserError, match=sentence):
            rendered(sample, ("html",), samples.FIGURES)


@pytest.mark.parametrize(
    "file, old, new, sentence",
    [
        (
            samples.FIGURES,
            "@sec-log and",
            "@sec-gone and",
            "figures.ipynb refers to @sec-gone, and nothing in the book has that name",
        ),
        (
            samples.FIGURES,
            "../measure/log.ipynb#sec-log",
            "../measure/log.ipynb#sec-x",
            "links to #sec-x, and notebooks/measure/log.ipynb has nothing",
        ),
        (
            "index.qmd",
            "chapters/figures.ipynb",
            "chapters/gone.ipynb",
            "links to notebooks/chapters/gone.ipynb, which is not a chapter",
        ),
        (samples.LOG, "label: tbl-log", "label: tbl-t1", "both use the name tbl-t1"),
        (
            samples.FIGURES,
            "image/svg+xml",
            "image/png",
            "the cell fig-x1 shows no image: run the notebook",
        ),
        (
            "_quarto.yml",
            samples.LOG,
            "notebooks/gone.ipynb",
            "lists the chapter notebooks/gone.ipynb, and there is no such file",
        ),
        ("index.qmd", "# Welcome", "Welcome", "index.qmd has no title"),
    ],
)
def test_what_would_render_wrongly_is_a_sentence_and_the_old_report_stays(
    sample, file, old, new, sentence
):
    draft = sample / "report" / "draft"
    draft.mkdir()
    (draft / "index.html").write_text("before")
    change(sample / file, old, new)
    with pytest.raises(UserError, match=re.escape(sentence)):
        rendered(sample)
    assert [file.read_text() for file in draft.iterdir()] == ["before"]
    assert [folder.name for folder in draft.parent.iterdir() if folder.name.startswith(".")] == []


@pytest.mark.parametrize(
    "output, sentence",
    [
        (
            {"output_type": "display_data", "data": {"text/html": "<b>x</b>"}, "metadata": {}},
            "cell 3 shows text/html, for which Quarto would fetch",
        ),
        (
            {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": []},
            "cell 3 ended in KeyError: mend it",
        ),
    ],
)
def test_outputs_that_no_report_should_show_are_refused_before_either_engine_renders(
    sample, monkeypatch, output, sentence
):
    monkeypatch.setattr(sources, "refresh", lambda *_: False)
    sources.prepare_sources(sample)
    notebook = json.loads((sample / samples.FIGURES).read_text())
    notebook["cells"][2]["outputs"] = [output]
    (sample / samples.FIGURES).write_text(json.dumps(notebook))
    for only in (None, [samples.FIGURES]):
        with pytest.raises(UserError, match=sentence):
            sources.prepare_sources(sample, only)
    sources.prepare_sources(sample, ["index.qmd"])  # one page waits for no other


def test_every_chapter_of_the_report_itself_can_be_rendered():
    declared = book.load_book(paths.ROOT)
    assert [
        problem
        for chapter in declared.chapters
        for problem in sources.stored_outputs(paths.ROOT / chapter.source, chapter.source)
    ] == []
    themes = declared.config["format"]["html"]["theme"]
    assert (
        themes["light"][0] == themes["dark"][0] == "default"
    )  # any other of Quarto's themes fetches its fonts from the web


@pytest.fixture
def chapter(tmp_path):
    """A Python chapter that prints a number of its package's module, in a project of its own."""
    paths.keep_home_clean()
    (tmp_path / "kvreport").mkdir()
    (tmp_path / "kvreport" / "__init__.py").touch()
    (tmp_path / "kvreport" / "numbers.py").write_text("from kvreport import more\n")
    (tmp_path / "kvreport" / "more.py").write_text("value = 1\n")
    (tmp_path / "kvreport" / "unused.py").write_text("value = 1\n")
    for file in (
        "report/theme/charts.json",
        "data/published/a.csv",
        "data/runs/a-run/04-x/S-1.json",
    ):
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_text("1")
    cells = [
        nbformat.v4.new_markdown_cell("# A title", id="a"),
        nbformat.v4.new_code_cell(
            "from kvreport import numbers\nprint(numbers.more.value)", id="b"
        ),
        nbformat.v4.new_code_cell("print(open('../data/published/a.csv').read())", id="c"),
    ]
    file = tmp_path / "chapters" / "a.ipynb"
    file.parent.mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=cells), file)
    return file


def test_a_chapter_is_executed_again_when_and_only_when_something_it_follows_from_changed(chapter):
    root = chapter.parents[1]
    run = root / "data" / "runs" / "a-run"
    fresh = chapter.read_bytes()
    assert refresh(chapter, root, [run])
    made = chapter.read_bytes()
    assert '"1\\n"' in made.decode()
    (root / "kvreport" / "unused.py").write_text("value = 2\n")
    (run / "04-x" / ".S-2.json1234.tmp").write_text("what a launcher is writing meanwhile")
    assert not refresh(chapter, root, [run]) and chapter.read_bytes() == made
    content = nbformat.read(chapter, as_version=4)
    for name in (
        "kvreport/more.py",
        "data/published/a.csv",
        "data/runs/a-run/04-x/S-1.json",
        "report/theme/charts.json",
    ):
        before = fingerprint(content, root, [run])
        (root / name).write_text(
            "value = 33\n"
        )  # longer: Python tells a compiled module's source by its size and second
        assert fingerprint(content, root, [run]) != before, name
    assert refresh(chapter, root, [run])
    again = chapter.read_bytes()
    assert '"33\\n"' in again.decode()
    chapter.write_bytes(fresh)
    assert (
        refresh(chapter, root, [run]) and chapter.read_bytes() == again
    )  # the same inputs, the same bytes


def saved_by_hand(notebook: Path, output: str):
    """As Jupyter leaves a notebook of which a person has executed every cell."""
    content = nbformat.read(notebook, as_version=4)
    for count, cell in enumerate(content.cells):
        cell.source += "\n"
        if cell.cell_type == "code":
            cell.execution_count = count
            cell.outputs = [nbformat.v4.new_output("stream", text=output)]
    nbformat.write(content, notebook)


def test_what_a_person_executed_and_saved_is_rendered_as_saved(chapter):
    root = chapter.parents[1]
    run = root / "data" / "runs" / "a-run"
    assert refresh(chapter, root, [run])
    change(chapter, "# A title", "# A new title")
    assert refresh(chapter, root, [run]), "edited, but not executed"
    saved_by_hand(chapter, "by hand")
    assert not refresh(chapter, root, [run]) and "by hand" in chapter.read_text()
    assert not is_stale(chapter, root, [run])
    (root / "data/runs/a-run/04-x/S-1.json").write_text("2")
    assert refresh(chapter, root, [run]), "data that came later are shown"
    assert "by hand" not in chapter.read_text()
    saved_by_hand(chapter, "by hand")
    change(chapter, '"execution_count": 1', '"execution_count": null')
    assert refresh(chapter, root, [run]), "not all cells were executed"


def test_a_log_that_a_person_executed_and_saved_is_rendered_as_saved(sample, tmp_path):
    tracked, executed = sample / samples.LOG, tmp_path / "executed.ipynb"
    content = nbformat.read(tracked, as_version=4)
    notebooks.note(content, "trials")
    nbformat.write(content, tracked)
    shutil.copy(tracked, executed)
    assert tree.shows(executed, tracked)
    saved_by_hand(tracked, "by hand")
    saved_by_hand(executed, "what the trials printed")
    os.utime(executed, (1, 1))
    assert not tree.shows(executed, tracked)
    os.utime(tracked, (0, 0))
    assert tree.shows(executed, tracked), "measured after that"
    change(tracked, "What was run", "All that was run")
    assert not tree.shows(executed, tracked), "its cells are others"


def test_a_tree_that_came_with_a_copied_checkout_leads_to_this_one(tmp_path):
    link, here = tmp_path / "kvreport", tmp_path / "here"
    for target in (tmp_path / "there", here, here):
        tree.relink(link, target)
    assert link.readlink() == here


def test_a_chapter_that_fails_is_named_with_its_cell_and_stays_as_it_was(chapter):
    change(chapter, "numbers.more.value", "numbers.more.lost")
    before = chapter.read_bytes()
    with pytest.raises(
        UserError,
        match=(
            r"^The chapter chapters/a.ipynb does not run: cell 2 fails with AttributeError:"
            r" .*lost'$"
        ),
    ):
        refresh(chapter, chapter.parents[1], [])
    assert chapter.read_bytes() == before and list(chapter.parent.iterdir()) == [chapter]


def test_what_a_chapter_fails_with_is_one_line_that_can_be_read(chapter):
    change(chapter, "numbers.more.value", "{}[chr(10).join('long' * 9_999)]")
    with pytest.raises(UserError, match="cell 2 fails with ") as said:
        refresh(chapter, chapter.parents[1], [])
    assert len(str(said.value).splitlines()) == 1 and len(str(said.value)) < 600


def test_a_java_notebook_is_never_executed_here(sample):
    before = (sample / samples.LOG).read_bytes()
    assert not refresh(sample / samples.LOG, sample, [])
    assert (sample / samples.LOG).read_bytes() == before


QUARTO = """#!/bin/sh
echo "$@" > asked
[ "$2" = --output-dir ] && mkdir -p $3 && echo after > $3/index.html
exit $(cat code)
"""


@pytest.fixture
def asked(sample, monkeypatch):
    """A Quarto that notes what it is asked for, beside a draft; `code` has its exit code."""
    (sample / "report" / "draft").mkdir()
    (sample / "report" / "draft" / "index.html").write_text("before\n")
    (sample / "code").write_text("0")
    quarto = sample / "quarto"
    quarto.write_text(QUARTO)
    quarto.chmod(0o755)
    monkeypatch.setattr(engines, "find_quarto", lambda: quarto)
    return sample / "asked"


@pytest.mark.parametrize(
    "formats, chapter, arguments, draft",
    [
        (FORMATS, None, r"--output-dir report/\S+/draft", "after"),
        (("html",), None, "--to html --no-clean", "before"),
        (FORMATS, f"./{samples.LOG}", f"{samples.LOG} --to html", "before"),
    ],
)
def test_quarto_is_asked_for_what_is_wanted(
    sample, asked, capsys, formats, chapter, arguments, draft
):
    engines.render(formats, chapter, root=sample)
    assert re.fullmatch(f"render {arguments}\n", asked.read_text())
    assert re.match(r"Rendered in [\d.]+ s: ", capsys.readouterr().out)
    assert (sample / "report" / "draft" / "index.html").read_text() == f"{draft}\n"
    assert {file.name for file in (sample / "report").iterdir()} == {"draft", "theme"}


def test_a_chapter_of_no_name_is_none_and_not_all_of_them(sample, asked):
    with pytest.raises(UserError, match="is not a chapter of the book"):
        engines.render(chapter="", root=sample)
    assert not asked.exists()


def test_where_quarto_fails_the_old_report_stays(sample, asked):
    (sample / "code").write_text("1")
    with pytest.raises(UserError, match="Quarto could not render the report"):
        engines.render(root=sample)
    assert (sample / "report" / "draft" / "index.html").read_text() == "before\n"
    assert {file.name for file in (sample / "report").iterdir()} == {"draft", "theme"}


def test_what_quarto_was_asked_for_by_hand_becomes_the_draft_once_it_is_made(tmp_path):
    """The post-render step, with a bare Python as Quarto finds one."""
    step = tmp_path / "kvreport" / "render" / "place.py"
    step.parent.mkdir(parents=True)
    shutil.copy(place.__file__, step)
    shutil.copy(paths.ROOT / "kvreport" / "__init__.py", tmp_path / "kvreport")
    shutil.copy(store_pages.__file__, step.parent)
    shutil.copytree(paths.ROOT / "kvreport" / "base", tmp_path / "kvreport" / "base")
    made, draft = tmp_path / "report" / ".draft", tmp_path / "report" / "draft"
    for folder, text in ((made, "new"), (draft, "old")):
        for name in ("a.html", "b.html", "a_files/a.svg", "site_libs/a.js"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
    (draft / "gone.html").touch()

    def run(**more):
        known = {"QUARTO_PROJECT_OUTPUT_DIR": str(made)}
        known["QUARTO_PROJECT_OUTPUT_FILES"] = "report/.draft/a.html"
        bare = [sys.executable, "-S", "-E", "kvreport/render/place.py"]
        done = subprocess.run(bare, cwd=tmp_path, env=known | more, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return {
            file.relative_to(draft).as_posix(): file.read_text()
            for file in draft.rglob("*.*")
            if file.is_file()
        }

    before = dict.fromkeys(("a.html", "b.html", "a_files/a.svg", "site_libs/a.js"), "old")
    before["gone.html"] = ""
    assert run(**{place.BOOK: "/elsewhere"}) == before
    new = dict.fromkeys(("a.html", "a_files/a.svg", "site_libs/a.js"), "new")
    assert run() == before | new
    assert run(QUARTO_PROJECT_RENDER_ALL="1") == dict.fromkeys(before.keys() - {"gone.html"}, "new")
    assert (made / "a.html").exists()
    assert {file.name for file in (tmp_path / "report").iterdir()} == {"draft", ".draft"}


@pytest.mark.parametrize("blank", [" ", "\n"])  # pandoc breaks lines within a tag
def test_a_page_has_classes_and_widths_in_the_place_of_styles(blank):
    cell = f'<td{blank}style="text-align: right;">1</td><col{blank}style="width: 10%" />'
    assert html.lean(cell) == '<td class="r">1</td><col width="10%" />'


def test_code_is_coloured_without_a_name_for_each_line_and_bracket():
    code = pypandoc.convert_text("```java\nint a = (1);\n\nb();\n```", "html5", "markdown")
    lines = html.lean(code).partition("<code")[2].partition(">")[2].partition("</code>")[0]
    assert "sourceCode" in code and '<span class="op">' in code and 'id="cb1-3"' in code
    assert lines == (
        '<span class="dt">int</span> a = (<span class="dv">1</span>);\n\n'
        '<span class="fu">b</span>();'
    )


def test_a_folded_callout_is_closed_on_the_page_until_it_is_asked_for():
    writer = html.HtmlWriter([])
    folded, shown = (writer.callout("note", "Figures & so on", [], each) for each in (True, False))
    assert folded[0]["c"][1].startswith('<details class="callout callout-note"><summary')
    assert "Figures &amp; so on</summary>" in folded[0]["c"][1]
    assert folded[-1]["c"][1] == "</details>" and "details" not in shown[0]["c"][1]


def test_a_cell_that_begins_like_typst_s_markup_is_text_on_paper():
    """pandoc escapes what begins a paragraph, and not what begins a cell or an item."""
    cells = ["= heading", "== deeper", "- item", "+ item", "/ term: x", "1. item"]
    text = "\n".join(["| a |", "|:--|", *(f"| {escape(each)} |" for each in cells)])
    typed = pypandoc.convert_text(text, "typst", "markdown", filters=[f"{paths.THEME}/paper.lua"])
    for opening in (r"\=", r"\=\=", r"\-", r"\+", r"\/", r"1\."):
        assert f"[{opening} " in typed


def test_what_the_book_once_began_with_is_no_longer_in_its_tree(tmp_path, monkeypatch):
    """Quarto would take either for the home page, and then neither for a part of the book."""
    monkeypatch.setattr(paths, "CACHE", tmp_path)
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "index.qmd").write_text("# Old\n")
    made = tree.build_tree()
    assert [file.name for file in made.glob("index.*")] == ["index.ipynb"]


@pytest.mark.parametrize("kind", sorted(set(NO_FILE) - {"a folder"}))
def test_what_stands_in_place_of_a_style_is_named_and_not_left_out(kind, tmp_path, monkeypatch):
    """A pipe would keep the render waiting, and a page without its style would look whole."""
    theme = tmp_path / "report" / "theme"
    shutil.copytree(paths.THEME, theme)
    for name in ("index.ipynb", "_quarto.yml", "notebooks"):
        (tmp_path / name).symlink_to(paths.ROOT / name)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "THEME", theme)
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    NO_FILE[kind](theme / "kv.css")
    with pytest.raises(UserError, match=r"kv\.css is damaged"):
        tree.build_tree()


@pytest.mark.fast
def test_where_typst_fails_over_its_tags_pages_end_elsewhere(tmp_path, monkeypatch):
    tried, failures = [], ["internal error: parent group", "internal error: tags", ""]

    def compile(source, sys_inputs, **other):
        tried.append(float(sys_inputs["less"]))
        if message := failures[len(tried) - 1]:
            raise typst.TypstError(message)

    monkeypatch.setattr(typst, "compile", compile)
    pdf.set_in_type(tmp_path / "book.typ", tmp_path / "book.pdf", tmp_path)
    assert tried[0] == 0 and len(set(tried)) == 3, "the third time it is set"
    tried.clear()
    failures[:] = ["unknown variable: x"]
    with pytest.raises(typst.TypstError):
        pdf.set_in_type(tmp_path / "book.typ", tmp_path / "book.pdf", tmp_path)
    assert len(tried) == 1, "what is wrong with the text is not tried again"
