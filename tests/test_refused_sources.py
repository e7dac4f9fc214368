"""Notebooks, the declaration and the project's own JSON that are damaged: one sentence with the
file's name, from whatever reads it, and no wait.
"""

import re
import shutil

import damage
import pytest
import samples

from kvreport.base import notebooks, paths
from kvreport.base.errors import UserError, sentence_of
from kvreport.data import facts, harness, needs, schemas, scripts
from kvreport.render import tree
from kvreport.render.book import load_book, variables_of
from kvreport.render.declaration import VARIABLES
from kvreport.render.documents import read_documents
from kvreport.render.sources import write


@pytest.fixture
def book(tmp_path):
    return samples.make(tmp_path / "book")


NOTEBOOKS = damage.ANY_JSON | {
    "no cells": damage.with_values(cells=[]),
    "cells of another type": damage.with_values(cells={}),
    "a cell of another type": damage.edited(lambda content: content["cells"].append(3)),
    "an output of another type": damage.edited(
        lambda content: next(
            cell for cell in content["cells"] if cell["cell_type"] == "code"
        ).update(outputs=["x"])
    ),
    "an older format": damage.with_values(nbformat=3),
    "no metadata": damage.without("metadata"),
    "our metadata of another type": damage.with_values(metadata={notebooks.METADATA: "x"}),
    "a language of another type": damage.with_values(
        metadata={"kernelspec": {"name": "x", "display_name": "x", "language": 5}}
    ),
    "options that are no YAML": damage.replaced(b"#| label:", b"#| label: ["),
    "options without names": damage.replaced(b"#| label:", b"#| - label:"),
}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_damaged_notebook_is_refused_by_name(book, name):
    NOTEBOOKS[name](book / samples.FIGURES)
    with pytest.raises(
        UserError, match=r"^\S*figures\.ipynb is damaged \(.+\): restore it"
    ) as said:
        read_documents(load_book(book))
    assert "\n" not in str(said.value)


TEXTS = damage.NO_FILE | damage.NO_TEXT
DECLARATIONS = TEXTS | {
    "empty": damage.rewritten(lambda content: b""),
    "truncated": damage.rewritten(lambda content: content[: len(content) // 2] + b"\nx: ["),
    "a list": damage.rewritten(lambda content: b"- a\n"),
    "tabs": damage.rewritten(lambda content: content.replace(b"  ", b"\t")),
    "deep": damage.rewritten(lambda content: b"[" * 2_000),
    "a name twice": damage.rewritten(lambda content: content + b"\nlang: en\n"),
    "no date": damage.rewritten(lambda content: content + b"\nx: 2026-13-45\n"),
    "no book": damage.replaced(b"book:", b"boot:"),
    "a book of another type": damage.replaced(b"book:", b"book: 3\nmore:"),
    "a title of another type": damage.replaced(b"title: ", b"title: 3 #"),
    "a chapter of another type": damage.replaced(b"chapters:", b"chapters:\n  - {a: b}"),
}


@pytest.mark.parametrize("name", DECLARATIONS)
def test_a_damaged_declaration_is_refused_by_name(book, name):
    DECLARATIONS[name](book / "_quarto.yml")
    with pytest.raises(UserError, match=r"_quarto\.yml is damaged \(.+\): restore it") as said:
        load_book(book)
    assert "\n" not in str(said.value)


def test_a_declaration_that_is_lost_or_names_a_chapter_that_is(book):
    (book / samples.FIGURES).unlink()
    with pytest.raises(UserError, match=rf"_quarto\.yml lists the chapter {samples.FIGURES}"):
        load_book(book)
    (book / "_quarto.yml").unlink()
    with pytest.raises(UserError, match=r"There is no _quarto\.yml in "):
        load_book(book)


@pytest.mark.parametrize("name", TEXTS)
def test_variables_that_cannot_be_read_are_written_anew(book, name):
    file = book / VARIABLES
    TEXTS[name](file)
    assert variables_of(book) == {}
    if file.is_dir():
        with pytest.raises(IsADirectoryError) as refused:
            write(file, "run: x\n")
        assert f"{VARIABLES}: Is a directory: " in (sentence_of(refused.value) or "")
        return
    write(file, "run: x\n")
    assert variables_of(book) == {"run": "x"}


@pytest.mark.parametrize("name", TEXTS)
def test_sources_that_are_no_files_are_not_copied(book, tmp_path, name):
    file = book / "index.qmd"
    TEXTS[name](file)
    if name in damage.NO_TEXT:
        with pytest.raises(UserError, match=r"index\.qmd is damaged \("):
            load_book(book)
        return
    with pytest.raises(UserError, match=r"index\.qmd is damaged \("):
        tree.copy(file, tmp_path / "copy")


def test_a_notebook_is_named_where_it_is_mended(book, tmp_path):
    (book / samples.FIGURES).write_text("{}")
    with pytest.raises(UserError, match=r"figures\.ipynb is damaged \(.+\): restore it"):
        tree.take(book / samples.FIGURES, tmp_path / "taken.ipynb")
    assert not (tmp_path / "taken.ipynb").exists()


@pytest.mark.parametrize("name", TEXTS)
def test_a_script_that_is_no_text_is_refused_by_name(tmp_path, name):
    script = tmp_path / "Mine.java"
    script.write_text("//DEPS a:b:1\n")
    TEXTS[name](script)
    with pytest.raises(UserError, match=r"Mine\.java is damaged \("):
        scripts.sources(script)


OWN = {
    "harness": (harness.ledger, "HARNESS", "harness.json"),
    "schema": (lambda: schemas.validator("trial"), "SCHEMA", "trial.schema.json"),
}


@pytest.mark.parametrize("name", damage.ANY_JSON)
@pytest.mark.parametrize("of", OWN)
def test_the_projects_own_json_is_refused_by_name(tmp_path, monkeypatch, of, name):
    read_documents, place, file_name = OWN[of]
    if of == "schema" and name == "an empty object":
        pytest.skip("which is a schema")
    known = getattr(paths, place)
    content = (known if known.is_file() else known / file_name).read_bytes()
    copy = tmp_path / file_name
    copy.write_bytes(content)
    damage.ANY_JSON[name](copy)
    monkeypatch.setattr(paths, place, copy if known.is_file() else tmp_path)
    harness.ledger.cache_clear()
    schemas.validator.cache_clear()
    try:
        with pytest.raises(UserError, match=rf"{re.escape(file_name)} is damaged \(.+\): restore"):
            read_documents()
    finally:
        harness.ledger.cache_clear()
        schemas.validator.cache_clear()


def test_what_this_project_made_is_to_be_deleted(tmp_path, monkeypatch):
    file = paths.CACHE / "book" / "notebooks" / "chapters" / "no-such.ipynb"
    with pytest.raises(UserError, match=r"\.ipynb is damaged \(no such file.*\): delete it"):
        notebooks.read_notebook(file)


GETS = 'keys = "int", workload = ["readKeyXxh64"]'
NEEDS = {
    "a section that is none": ("04-small-values", "04-none", "section 04-none.*04-small-values"),
    "a workload that is none": ('["readKeyXxh64"]', '["get"]', "workload get.*readKeyXxh64"),
    "a setting that is none": (GETS, f'settings = "a=1", {GETS}', "setting a.*batch"),
    "an id twice": ('id = "scans"', 'id = "gets"', "gets stands twice"),
}


@pytest.mark.parametrize(("old", "new", "sentence"), NEEDS.values(), ids=NEEDS)
def test_needs_that_cannot_be_are_refused_with_what_is_allowed(
    tmp_path, monkeypatch, old, new, sentence
):
    text = paths.NEEDS.read_text()
    assert old in text
    (tmp_path / "needs.toml").write_text(text.replace(old, new, 1))
    monkeypatch.setattr(paths, "NEEDS", tmp_path / "needs.toml")
    with pytest.raises(UserError, match=rf"needs\.toml.*{sentence}"):
        needs.needs.__wrapped__()


@pytest.mark.parametrize("value", ['"None"', '"B"', '"C"', "5", "[1]"])
def test_facts_that_lead_to_none_are_refused_with_those_there_are(tmp_path, monkeypatch, value):
    shutil.copy(paths.JBANG_STORES / "LmdbJavaBb.toml", tmp_path / "A.toml")
    (tmp_path / "B.toml").write_text(f"same_as = {value}\n")
    (tmp_path / "C.toml").write_text('same_as = "A"\n')
    monkeypatch.setattr(paths, "JBANG_STORES", tmp_path)
    with pytest.raises(UserError, match=r"B\.toml: same_as is .* facts of its own: A\."):
        facts.known.__wrapped__()
