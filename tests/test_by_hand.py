"""A measure notebook in JupyterLab: it measures what its cells name now, and keeps that in a folder
of its own.

The notebook of Test 4 is run cell by cell in one kernel, in a copy of the folders, while its cells
are changed, as a reader would.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from kvreport.base import paths
from kvreport.measure import jvm
from kvreport.measure.kernel import from_archive, spec
from kvreport.toolchain import catalogue
from kvreport.toolchain.jdk import crash_flags

pytestmark = pytest.mark.jvm
NOTEBOOK = "04-small-values.ipynb"
STORES = ("FlatFile", "LmdbJavaBb")
BEFORE = {  # what is changed in the notebook from the start: little is measured
    '"FlatFile", "LmdbJavaBb", "RocksDb"': '"FlatFile"',
    '"quick"': '"smoke"',
    "20_000": "2_000",
    "Profile.QUICK": "Profile.SMOKE",
}


SECTION = """var section = Section.of("04-small-values")
        .cases(List.of("write", "readKey", "readSeq", "readRev", "readCrc", "readXxh64"),
                new CaseSpec(KeyKind.INT, Order.RANDOM, 1_000, 100));"""


class Lab:
    """A kernel, and a notebook whose cells are run in it."""

    def __init__(self, client: NotebookClient, folder: Path):
        self.client, self.folder = client, folder
        self.as_it_was = [cell.source for cell in client.nb.cells]

    def run(self, **changes: tuple[str, str]) -> dict[str, str]:
        """Runs all cells, of which some are changed: id="old", "new". What they show, by id."""
        shown = {}
        for index, cell in enumerate(self.client.nb.cells):
            cell.source = self.as_it_was[index]
            if change := changes.get(cell.id):
                assert change[0] in cell.source
                cell.source = cell.source.replace(*change)
            if cell.cell_type == "code":
                self.client.execute_cell(cell, index)
                texts = [
                    each.get("text") or each["data"]["text/markdown"]
                    for each in cell.outputs
                    if "text" in each or "text/markdown" in each.get("data", {})
                ]
                shown[cell.id] = "".join(texts)
        return shown

    def records(self) -> dict[Path, dict]:
        files = (self.folder / "data" / "runs").rglob("*.json")
        return {file.relative_to(self.folder): json.loads(file.read_text()) for file in files}


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("lab")
    work = folder / "notebooks" / "measure"
    work.mkdir(parents=True)
    (folder / "jbang").symlink_to(paths.JBANG_KV.parent)
    notebook = nbformat.read(paths.MEASURE / NOTEBOOK, as_version=4)
    for cell in notebook.cells:
        for old, new in BEFORE.items():
            cell.source = cell.source.replace(old, new)
        if cell.id == "section":
            cell.source = SECTION
    known = catalogue.catalog()["stores"]
    options, class_path = catalogue.union([known[store] for store in STORES])
    flags = [*from_archive(work), *crash_flags(), f"-Djava.io.tmpdir={folder}"]
    kernel = spec("Java", options, class_path, *flags)
    with open(os.devnull, "wb") as nowhere, jvm.started(kernel, {}, work, nowhere) as manager:
        client = NotebookClient(notebook, km=manager, timeout=120, coalesce_streams=True)
        client.start_new_kernel_client()
        yield Lab(client, folder)
        client.kc.stop_channels()


@pytest.fixture(scope="module")
def first(lab) -> dict[str, str]:
    """What the cells show in the first run."""
    cells = {"stores-code": ('"RocksDb"', '"FlatFile"')}
    return lab.run(**cells)


def test_a_reader_sees_an_entry_the_loop_the_store_and_a_time(first):
    assert first["entry"].count("value 100 bytes:") == 3
    assert "writer.put(" in first["loop"] and "reader.get(" in first["loop"]
    assert "cursor.put(" in first["stores-code"] and "class `Slots`" in first["stores-code"]
    assert first["by-hand"].count("ns/entry, the median of") == 2
    assert (
        "Flat file" in first["measure"] and "by hand, in 04-small-values-smoke-" in first["results"]
    )


def test_what_is_changed_in_a_cell_is_what_is_measured(lab, first):
    [(only, record)] = lab.records().items()
    assert only.match("data/runs/by-hand/04-small-values-smoke-????????/FlatFile-1.json")
    assert record["mode"] == "shared" and len(record["output"]) == 6
    assert str(paths.ROOT) not in str(record["jvm"]["flags"]), "a record names no folder"
    case = "KeyKind.INT, Order.RANDOM, 1_000, 100"
    shown = lab.run(section=(case, "KeyKind.STRING, Order.SEQUENTIAL, 1_500, 120"))
    [new] = lab.records().keys() - {only}
    [case] = lab.records()[new]["cases"]
    assert (case["keys"], case["order"]) == ("string", "sequential")
    assert (case["entries"], case["value_bytes"]) == (1_500, 120)
    assert new.parent.name in shown["results"]
    assert new.parent != only.parent and new.name == only.name
    assert lab.records()[only] == record, "what was measured before is kept"


def test_another_store_is_measured_and_shown_alone(lab, first):
    before = set(lab.records())
    shown = lab.run(stores=('"FlatFile"', '"LmdbJavaBb"'))
    [new] = lab.records().keys() - before
    assert new.name == "LmdbJavaBb-1.json"
    assert "LMDB BB" in shown["results"] and "Flat file" not in shown["results"]


def test_what_is_recorded_is_shown_and_not_measured_again(lab, first):
    before = lab.records()
    shown = lab.run()
    assert lab.records() == before
    [record] = [
        each
        for file, each in before.items()
        if file.parent.name in shown["results"] and each["store"]["id"] == "FlatFile"
    ]
    assert f"started {record['started']}" in shown["measure"]
    assert all(line in shown["measure"] for line in record["output"])


def test_what_other_code_measured_is_measured_again(lab, first):
    [file] = [
        lab.folder / each
        for each in lab.records()
        if each.parent.name in first["results"] and each.name == "FlatFile-1.json"
    ]
    record = json.loads(file.read_text())
    [jar] = [jar for jar in record["jars"] if jar["name"] == "FlatFile.jar"]
    built = jar["sha256"]
    jar["sha256"] = 64 * "0"
    file.write_text(json.dumps(record | {"output": ["of other code"]}))
    shown = lab.run()
    assert "of other code" not in shown["measure"]
    again = json.loads(file.read_text())
    assert {"name": "FlatFile.jar", "sha256": built} in again["jars"]


def test_a_section_s_name_does_not_lead_out_of_the_folder(lab, first):
    before = {file for file in lab.folder.rglob("*") if file.is_file()}
    with pytest.raises(CellExecutionError):
        lab.run(section=("04-small-values", "../x"))
    [error] = next(cell for cell in lab.client.nb.cells if cell.id == "section").outputs
    assert "A section's id has" in error.evalue
    assert {file for file in lab.folder.rglob("*") if file.is_file()} == before
