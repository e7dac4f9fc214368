"""The sources of a question's page: a book of its own, with the answer, and the log of how that was
measured as its appendix. They are a reader's to change, as any notebook is.
"""

import json
from pathlib import Path

import nbformat
import yaml

from kvreport.base import notebooks, paths
from kvreport.base.files import write_atomically
from kvreport.measure.log import executed
from kvreport.measure.section import Section
from kvreport.own.question import COMMITS, Question
from kvreport.render.declaration import DECLARATION, declaration
from kvreport.render.tree import LINKED, copy, relink

PAGE = paths.ROOT / "notebooks" / "question.ipynb"  # the answer, as an analysis of any question
HEAP = "512m"
JAVA = {"kernelspec": {"display_name": "Java", "language": "java", "name": "java"}}
ANCHOR = "sec-log-question"
LIMIT_SECONDS = 1800  # of a trial


def folder_of(question: Question) -> Path:
    """Return where a question's book is made."""
    return paths.CACHE / "own" / question.name


def write_measure_notebook(question: Question) -> Section:
    """Writes the notebook that measures a question, whose Java cell is all that is measured."""
    file = folder_of(question) / f"1-{question.name}.ipynb"
    cells = [
        nbformat.v4.new_markdown_cell(
            f"# Log {{#{ANCHOR} .unnumbered}}\n\nWhat was measured, and what each trial printed."
        ),
        nbformat.v4.new_code_cell(
            "import kv.cli.*;\nimport kv.store.*;\nimport kv.trial.*;\n\n"
            'var notebook = Notebook.of("quick", "LmdbJavaBb");\nvar profile = notebook.profile();'
        ),
        nbformat.v4.new_code_cell(section_of(question, file.stem)),
        nbformat.v4.new_code_cell("notebook.measure(section);"),
        nbformat.v4.new_code_cell('var id = display(notebook.results(section), "text/markdown");'),
    ]
    for at, cell in enumerate(cells):
        cell["id"] = f"cell-{at}"  # the same each time: what is recorded is of these cells
    content = nbformat.v4.new_notebook(cells=cells, metadata=JAVA)
    text = nbformat.writes(content) + "\n"
    if not file.is_file() or sources_differ(file, content):
        write_atomically(file, text)
    return Section(file)


def sources_differ(file: Path, content: nbformat.NotebookNode) -> bool:
    """Return whether a notebook on the disk has other cells."""
    if not notebooks.is_whole_notebook(file):
        return True
    there = notebooks.read_notebook(file)
    return [cell.source for cell in there.cells] != [cell.source for cell in content.cells]


def section_of(question: Question, id: str) -> str:
    """The Java cell that declares what is measured."""
    settings = {
        "MIX": "_".join(f"{name}-{share:g}" for name, share in question["mix"].items()),
        "POPULARITY": question["popularity"],
        "THREADS": str(question["threads"]),
        "SYNC": COMMITS[question["commit"]],
    }
    if "range" in question["mix"]:
        settings["RANGE"] = str(question["range_entries"])
    withs = "".join(
        f"\n                        .with(Setting.{name}, {json.dumps(value)})"
        for name, value in settings.items()
    )
    if question["compressible"]:
        withs = f"\n                        .withContent(Content.HALF){withs}"
    order = question["order"].upper()
    times = question["data_over_memory"]
    memory = "" if times is None else f'\n        .memory("{HEAP}", {1 / times:.6g})'
    return (
        f'var section = Section.of("{id}")\n'
        '        .cases(List.of("write", "ownMix"),\n'
        f"                new CaseSpec(KeyKind.{question['keys'].upper()}, Order.{order},"
        f" {question['entries']}, {question['value_bytes']}){withs})\n"
        f"        .limitSeconds(profile, {LIMIT_SECONDS}){memory};"
    )


def write_book(question: Question, section: Section) -> Path:
    """Writes the book: its declaration, its page, the log, and what they need; its folder."""
    root = folder_of(question)
    declared = declaration(paths.ROOT)
    declared["book"] |= {
        "title": question["question"],
        "subtitle": "Measured on this machine",
        "output-file": question.name,
        "chapters": ["index.ipynb"],
        "appendices": [section.file.name],
    }
    declared["project"]["output-dir"] = ".output"
    write_atomically(
        root / DECLARATION, yaml.safe_dump(declared, sort_keys=False, allow_unicode=True)
    )
    page = notebooks.read_notebook(PAGE)
    page.cells[0].source = f"# {question['question']} {{#sec-question}}"
    if sources_differ(root / "index.ipynb", page):
        write_atomically(root / "index.ipynb", nbformat.writes(page) + "\n")
    for name in LINKED:
        relink(root / name, paths.ROOT / name)
    for file in paths.THEME.rglob("*"):
        if not file.is_dir():
            copy(file, root / file.relative_to(paths.ROOT))
    if notebooks.is_whole_notebook(log := executed(section)):
        copy(log, section.file)
    return root
