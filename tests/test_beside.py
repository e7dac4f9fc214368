"""The first page on a machine of the reader's own: answers beside those that came with the
project.
"""

import json
import re
from pathlib import Path

import chapters
import nbformat
import pandas as pd
import pytest
import synthetic

from kvreport.analysis import answers, measured, summary
from kvreport.analysis.measured import Measured
from kvreport.base import paths
from kvreport.charts import chapter
from kvreport.charts.chooser import choices
from kvreport.charts.tables import Table
from kvreport.data import crashes, records, runs
from kvreport.data.needs import FIRST_LOOK, needs
from kvreport.render import freshness, standing_in

OWN, SHIPPED = "2026-01-02-lab", "2026-01-01-elsewhere"
CHAPTERS = "index", "methodology", "04-small-values", "13-cold", "costs", "crashes"
STORES = ("FlatFile", "LmdbJavaBb", "LmdbJavaDb", "ChronicleMap", "MapDb")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """An own run that has the first look and Test 13, beside one of another machine."""
    folder = tmp_path_factory.mktemp("runs")
    synthetic.write_run(folder, SHIPPED, stores=STORES, sections=[synthetic.SECTION, "13-cold"])
    file = folder / SHIPPED / records.ENVIRONMENT
    environment = json.loads(file.read_text())
    elsewhere = environment | {"host": "elsewhere", "started": "2026-01-01T00:00:00Z"}
    records.write_record(file, elsewhere, "environment")
    (folder / runs.REFERENCE).write_text(SHIPPED)
    synthetic.write_run(folder, OWN, stores=STORES, sections=[FIRST_LOOK, "13-cold"])
    return folder


@pytest.fixture
def shown(folder, monkeypatch) -> Path:
    monkeypatch.setattr(paths, "RUNS", folder)
    monkeypatch.delenv("KVREPORT_RUN", raising=False)
    return folder


def test_what_was_not_measured_here_is_of_the_reference_and_says_so(shown, monkeypatch):
    assert runs.shown_runs(OWN) == [OWN, SHIPPED]
    assert (runs.run_of("13-cold"), runs.run_of(synthetic.SECTION)) == (OWN, SHIPPED)
    own, other = chapter.of("13-cold"), chapter.of(synthetic.SECTION)
    assert (own.stands_in, other.stands_in) == (False, True)
    said = standing_in.variables(measured=True)
    assert said["measured-04"].startswith("**Not measured on this machine.**")
    assert "`make section S=04 PROFILE=smoke` measures it here" in said["measured-04"]
    assert said["measured-13"] == said["measured"] == "", "something of Test 13 is of this machine"
    monkeypatch.setenv("KVREPORT_RUN", f"{OWN},{SHIPPED}")
    assert not any(standing_in.variables(measured=True).values())
    assert not chapter.of(synthetic.SECTION).stands_in, "who names it knows whose it is"
    monkeypatch.setenv("KVREPORT_RUN", OWN)
    assert runs.shown_runs(OWN) == [OWN] and not chapter.of(synthetic.SECTION).measured


def test_a_chapter_is_executed_on_what_came_with_the_project_only_if_nothing_of_it_is_of_here(
    shown, monkeypatch
):
    everything, alone = [shown / OWN, shown / SHIPPED], [shown / SHIPPED]
    drawn = {name: standing_in.drawn_on(f"notebooks/chapters/{name}.ipynb") for name in CHAPTERS}
    assert [name for name, each in drawn.items() if each.folders == alone] == ["04-small-values"]
    assert drawn["04-small-values"].variables == {"KVREPORT_RUN": SHIPPED}
    assert all(drawn[name] == (everything, {}) for name in drawn if name != "04-small-values")
    monkeypatch.setattr(runs, "shown_sections", lambda: {"13-cold": SHIPPED, FIRST_LOOK: OWN})
    assert standing_in.drawn_on("costs.ipynb").folders == alone
    assert standing_in.variables(measured=True)["measured"].endswith(
        "`make report MINUTES=60 PROFILE=smoke` measures more here."
    )
    assert standing_in.drawn_on("index.ipynb").folders == everything, "it is about this machine"
    monkeypatch.setattr(crashes, "shown_crashes", lambda: OWN)
    assert standing_in.drawn_on("crashes.ipynb").folders == everything, "crashes were tried here"


def test_only_what_compares_versions_follows_from_them():
    """So that a first run of a machine leaves the chapters alone that it is not about."""
    for file in paths.CHAPTERS.glob("*.ipynb"):
        cells = nbformat.read(file, 4).cells
        code = [cell.source for cell in cells if cell.cell_type == "code"]
        follows = any(map(freshness.compares_versions, code))
        assert follows == (file.stem == "changes"), file.stem


def answered(rows, id: str):
    return rows[rows["id"] == id].set_index("name")


def test_the_first_page_sets_both_machines_answers_beside_each_other(shown, monkeypatch):
    here, there = answers.answers(), answers.answers("reference")
    assert measured.own_machine() and set(there["runs"]) == {SHIPPED}
    for id in ("puts", "load"):
        assert set(answered(here, id)["sections"]) == {FIRST_LOOK}
        assert set(answered(there, id)["sections"]) == {synthetic.SECTION}
    page = chapters.execute(paths.ROOT / "index.ipynb", shown, monkeypatch)
    assert "Measured on this machine: 3 engines, 3 trials of each" in page.text
    tables = [each for each in page.results if isinstance(each, Table)]
    table = next(each.frame for each in tables if "same answer" in each.frame)
    assert len(table) == there.loc[there["said"], "id"].nunique()
    table.index = table["need"].str.partition(" (")[0]
    puts = table.loc["random puts"]
    assert puts["on this machine"].startswith("LMDB") and puts["same answer"] == "yes"
    assert re.search(r"\d× \[\d", puts["on this machine"]), "with an interval"
    choose = choices()
    assert choose.table.sections[0] == FIRST_LOOK


def test_a_round_that_is_half_made_ranks_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    monkeypatch.delenv("KVREPORT_RUN", raising=False)
    synthetic.write_run(tmp_path, OWN, trials=2, stores=STORES, sections=[FIRST_LOOK])
    whole = answered(answers.answers(), "puts")
    assert set(whole["trials"]) == {2} and "fastest" in set(whole["verdict"])
    for store in STORES[1:]:
        (tmp_path / OWN / FIRST_LOOK / f"{store}-2.json").unlink()
    puts = answered(answers.answers(), "puts")
    assert puts["trials"].min() == 1 and puts["ratio_low"].isna().all()
    assert set(puts["verdict"]) == {"one trial"}
    assert summary.so_far(OWN) == "", "nothing yet of single trials"


def test_where_the_shipped_runs_are_shown_the_page_is_as_it_was(shown, monkeypatch, tmp_path):
    monkeypatch.setenv("KVREPORT_RUN", SHIPPED)
    assert not measured.own_machine()
    assert FIRST_LOOK not in choices().table.sections
    assert set(answered(answers.answers(), "puts")["sections"]) == {synthetic.SECTION}
    monkeypatch.delenv("KVREPORT_RUN")
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    assert not measured.own_machine(), "nothing is measured, and nothing came with it"
    assert answers.answers().empty and list(summary.summary([])) == []


def test_a_need_is_answered_by_whatever_has_more_trials_here():
    need = next(each for each in needs() if each.id == "gets")
    first = need.cells[0]
    rows = pd.DataFrame([first.case._asdict() | {"status": "ok", "workload": first.workloads[0]}])

    def of(section: str, trials: int, group: str = "here") -> measured.Sections:
        own = pd.concat([rows.assign(store="A", trial=at) for at in range(trials)])
        found = Measured(section, "run", own)
        found.__dict__["group"] = (group,)
        return {section: found}

    def sections_of(known: measured.Sections) -> set[str]:
        return {cell.section for cell in answers.at_first_look(need, known).cells}

    own = of("04-small-values", 3) | of("05-medium-values", 3)
    assert sections_of(own | of(FIRST_LOOK, 5)) == {FIRST_LOOK}
    more = answers.at_first_look(need, own | of(FIRST_LOOK, 5))
    assert [each.case for each in more.cells] == [each.case for each in need.cells]
    assert answers.at_first_look(need, own | of(FIRST_LOOK, 3)) is need
    assert answers.at_first_look(need, own) is need
    elsewhere = of("04-small-values", 9, "elsewhere") | of("05-medium-values", 9, "elsewhere")
    assert sections_of(elsewhere | of(FIRST_LOOK, 1)) == {FIRST_LOOK}


def verdicts(**of: str) -> pd.DataFrame:
    return pd.DataFrame({"id": "gets", "name": list(of), "verdict": list(of.values())})


def test_two_machines_agree_differ_or_cannot_be_told():
    def agree(here: pd.DataFrame, there: pd.DataFrame) -> str:
        return answers.agreement(here, there)["gets"]

    ab, ba = verdicts(A="fastest", B="slower"), verdicts(A="slower", B="fastest")
    assert agree(ab, ab) == "yes" and agree(ab, ba) == "no"
    assert agree(verdicts(A="fastest", B="level"), ab).startswith("yes, as far")
    assert agree(verdicts(A="fastest"), ba).endswith("not measured here")
    for here in (verdicts(A="too noisy", B="too noisy"), verdicts(A="one trial", B="one trial")):
        assert agree(here, ab) == "cannot be told yet"
    assert agree(verdicts(A="fastest", B="too noisy"), ba) == "cannot be told yet"
    assert "gets" not in answers.agreement(ab.head(0), ab)


def test_the_terminal_says_what_is_known_and_what_ran(shown):
    assert summary.so_far(OWN).startswith("random gets: LMDB")
    ran, page, *_ = summary.summary([("TreeDB", "no library")])
    assert ran == "four stores ran. TreeDB is n/a here: no library.", "the flat file is none"
    assert re.search(r"at \d+ of 10 needs", page)
