"""What surprised: where an effect is largest, as the first page names it."""

from types import SimpleNamespace

import chapters
import pytest
import synthetic

from kvreport.analysis.answer import Place, Ranking
from kvreport.base import paths
from kvreport.data import facts
from kvreport.data.needs import PURE_JAVA, needs
from kvreport.exhibits import surprises

pytestmark = pytest.mark.end_to_end
RUN = "2026-01-02-lab"


def test_what_is_largest_is_named_and_whether_it_is_of_single_trials(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    assert surprises.of_settings() is surprises.of_waiting() is surprises.of_more() is None
    synthetic.write_run(tmp_path, RUN, sections=["12-fairness", "11-latency"])
    setting = surprises.of_settings()
    assert (setting["store"], setting["single"]) == ("RocksDB", False)
    assert setting["ratio"] == pytest.approx(1.5, rel=0.01)
    assert surprises.of_waiting()["ratio"] == pytest.approx(50, rel=0.02)
    for trial in (2, 3):
        (tmp_path / RUN / "12-fairness" / f"MapDb-{trial}.json").unlink()

    def slow(case, _):
        for result in case["results"] if case["settings"] else ():
            result["iteration_ns"] = [33 * ns for ns in result["iteration_ns"]]

    synthetic.edit(tmp_path, "MapDb", slow, "12-fairness")
    setting = surprises.of_settings()
    assert (setting["store"], setting["single"]) == ("MapDB", True)
    assert setting["ratio"] == pytest.approx(33, rel=0.01)


@pytest.mark.parametrize(("level", "said"), [(True, ["random gets"]), (False, None)])
def test_pure_java_is_named_where_it_is_best_at_half_of_the_needs(monkeypatch, level, said):
    monkeypatch.setattr(facts, "lacks", lambda store, fact: store == "native")
    gets, java = (next(each for each in needs() if each.id == id) for id in ("gets", "java"))
    assert java.only == PURE_JAVA
    places = (
        Place("native", "N", 1.0, 1.0, 1.0, tied=True),
        Place("java", "J", 1.05, 0.9, 1.2, tied=level),
    )
    alone = Ranking(java, places[1:], {}, "", 3)
    found = surprises.of_java(
        SimpleNamespace(measured={"gets": Ranking(gets, places, {}, "", 3), "java": alone})
    )
    assert (found and found["needs"]) == said
    assert found is None or found["all"] == 1, "a need that asks for none does not count"


def test_the_first_page_says_what_surprised_or_that_nothing_is_measured(tmp_path, monkeypatch):
    synthetic.write_run(tmp_path, RUN, sections=["04-small-values", "12-fairness", "11-latency"])
    page = chapters.execute(paths.ROOT / "index.ipynb", tmp_path, monkeypatch)
    [said] = (
        each
        for each in page.sentences
        if "surpris" not in each.data and "@sec-fairness" in each.data
    )
    assert "RocksDB takes 1.49 times as long at " in said.data and "single" not in said.data
    assert "(@sec-latency)" in said.data and said.data.startswith("- **A setting")
