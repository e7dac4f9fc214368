"""The first page on a machine of the reader's own: answers beside those that came with the
project.
"""

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import chapters
import nbformat
import pytest
import synthetic

from kvreport.analysis import answer, model
from kvreport.base import paths
from kvreport.charts import chapter
from kvreport.data import crashes, records, runs
from kvreport.data.needs import FIRST_LOOK, needs
from kvreport.exhibits import beside, chooser, summary
from kvreport.exhibits.answer import Answer
from kvreport.exhibits.beside import Beside
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
    records.write(file, elsewhere, "environment")
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
    monkeypatch.setattr(crashes, "shown", lambda: OWN)
    assert standing_in.drawn_on("crashes.ipynb").folders == everything, "crashes were tried here"


def test_only_what_compares_versions_follows_from_them():
    """So that a first run of a machine leaves the chapters alone that it is not about."""
    for file in paths.CHAPTERS.glob("*.ipynb"):
        cells = nbformat.read(file, 4).cells
        code = [cell.source for cell in cells if cell.cell_type == "code"]
        follows = paths.ROOT / freshness.VERSIONS in freshness.modules(code, paths.ROOT)
        assert follows == (file.stem == "changes"), file.stem


def test_the_first_page_sets_both_machines_answers_beside_each_other(shown, monkeypatch):
    both = Beside.shown()
    assert both is not None and both.reference.chapters[synthetic.SECTION].run.name == SHIPPED
    frame = both.answers().frame.set_index("need")
    assert len(frame) == sum(need.said for need in needs())
    puts = frame.loc[frame.index.str.startswith("random puts")].iloc[0]
    assert puts["on this machine"].startswith("LMDB") and puts["same answer"] == "yes"
    assert re.search(r"\d× \[\d", puts["on this machine"]), "with an interval"
    tail = frame.loc[frame.index.str.startswith("p99.9")].iloc[0]
    assert tail["on this machine"] == "not measured" and tail["same answer"] == "–"
    for id in ("puts", "load"):
        assert both.here.rankings[id].sections == (FIRST_LOOK,)
        assert both.reference.rankings[id].sections == (synthetic.SECTION,)
    page = chapters.execute(paths.ROOT / "index.ipynb", shown, monkeypatch)
    assert "**Measured on this machine**" in page.text
    assert chooser.measured_sections()[0] == FIRST_LOOK


def test_a_round_that_is_half_made_ranks_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    monkeypatch.delenv("KVREPORT_RUN", raising=False)
    synthetic.write_run(tmp_path, OWN, trials=2, stores=STORES, sections=[FIRST_LOOK])
    whole = Answer.here()
    assert whole.rankings["puts"].trials == 2 and whole.frame()["tied"].any()
    (tmp_path / OWN / FIRST_LOOK / "MapDb-2.json").unlink()
    half = Answer.here()
    puts = half.rankings["puts"]
    assert puts.trials == 1 and all(math.isnan(each.low) for each in puts.places)
    assert not half.frame()["tied"].any(), "no cell of the picture is framed"


def test_where_the_shipped_runs_are_shown_the_page_is_as_it_was(shown, monkeypatch, tmp_path):
    monkeypatch.setenv("KVREPORT_RUN", SHIPPED)
    assert Beside.shown() is None
    assert chooser.measured_sections() == chooser.SECTIONS
    assert Answer.here().rankings["puts"].sections == (synthetic.SECTION,)
    monkeypatch.delenv("KVREPORT_RUN")
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    assert Beside.shown() is None, "nothing is measured, and nothing came with it"


def test_a_need_is_answered_by_whatever_has_more_trials_here():
    need = next(each for each in needs() if each.id == "gets")

    def of(section: str, trials: int, group: str = "here"):
        class Section:
            measured, trial_count, comparison_group = True, trials, group

            def case(self, _):
                import pandas as pd

                return pd.DataFrame({"status": ["ok"], "workload": ["readKeyXxh64"]})

        return {section: Section()}

    own = of("04-small-values", 3) | of("05-medium-values", 3)
    sections_of = lambda found: {cell.section for cell in found.cells}  # noqa: E731
    more = answer.at_first_look(need, own | of(FIRST_LOOK, 5))
    assert sections_of(more) == {FIRST_LOOK}
    assert [each.case for each in more.cells] == [each.case for each in need.cells]
    assert answer.at_first_look(need, own | of(FIRST_LOOK, 3)) is need
    assert answer.at_first_look(need, own) is need
    elsewhere = of("04-small-values", 9, "elsewhere") | of("05-medium-values", 9, "elsewhere")
    assert sections_of(answer.at_first_look(need, elsewhere | of(FIRST_LOOK, 1))) == {FIRST_LOOK}


def ranking(places: list[answer.Place], trials: int = 3, **more) -> answer.Ranking:
    need = next(each for each in needs() if each.id == "gets")
    return answer.Ranking(need, tuple(places), trials=trials, **more)


def test_two_machines_agree_differ_or_cannot_be_told():
    a = answer.Place("A", "A", 1.0, 1.0, 1.0, tied=True)
    b = answer.Place("B", "B", 1.4, 1.2, 1.6)
    near = replace(b, low=1.05, tied=True)
    turned = [replace(a, store="B", name="B"), replace(b, store="A", name="A")]
    agree = beside.agreement
    assert agree(ranking([a, b]), ranking([a, b])) == "yes"
    assert agree(ranking([a, near]), ranking([a, b])).startswith("yes, as far")
    assert agree(ranking([a, b]), ranking(turned)) == "no"
    assert agree(ranking([a]), ranking(turned)).endswith("not measured here")
    noisy = replace(near, noisy=True)
    lost = ranking([replace(a, noisy=True), noisy])
    assert agree(lost, ranking([a, b])) == agree(ranking([a, b], 1), ranking([a, b]))
    assert agree(ranking([], problem="nothing"), ranking([a, b])) == "–"


def test_what_cannot_be_told_says_below_what_and_which_minutes_would():
    a = answer.Place("A", "A", 1.0, 1.0, 1.0, tied=True, noisy=True)
    b = answer.Place("B", "B", 1.2, 0.6, 2.4, tied=True, noisy=True)
    scatter = model.Scatter(0.05, 30)
    found = ranking([a, b], scatter=scatter, sections=(FIRST_LOOK,))
    section = type("Section", (), {"trials": [{"seconds": 27.0}] * 6, "trial_count": 3})()
    both = Beside(None, None)
    where = type("Answer", (), {"chapters": {FIRST_LOOK: section}})()
    needed = scatter.trials_needed(beside.WANTED, 1)
    assert needed > 3 and both.minutes(found, where) == math.ceil((needed - 3) * 60 / 60)
    said = both.cell(found, where)
    assert f"cannot tell below {found.tells:.2f}×" in said
    assert f"about {needed - 3} more minutes would tell 1.3×" in said
    hopeless = replace(found, scatter=model.Scatter(0.05, 30, between=1))
    assert both.minutes(hopeless, where) is None and "no number" in both.cell(hopeless, where)


def test_the_terminal_says_what_is_known_and_what_ran(shown):
    assert summary.so_far(OWN).startswith("random gets: LMDB")
    ran, page, *_ = summary.summary([("TreeDB", "no library")])
    assert ran == "four stores ran. TreeDB is n/a here: no library.", "the flat file is none"
    assert re.search(r"at \d+ of 10 needs", page)
