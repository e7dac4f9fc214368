"""Chapters that retrace the LevelDB page, the comparison of threads and RocksJava: on made-up runs
they say what was planted, and judge the sources by their own figures.
"""

import re

import chapters
import pytest
import synthetic

from kvreport.analysis.claims import Verdict

pytestmark = pytest.mark.fast
THREADS, ROCKS, PAGE = "08-threads", "10-rocksjava", "07-leveldb-page"
HOLDS, UNKNOWN = Verdict.HOLDS, Verdict.NOT_MEASURED


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """A chapter executed on a run of its section, once."""
    known = {}

    def of(name: str) -> chapters.Executed:
        if name not in known:
            folder = tmp_path_factory.mktemp("runs")
            synthetic.write_run(folder, sections=[name])
            with pytest.MonkeyPatch.context() as patch:
                known[name] = chapters.execute(name, folder, patch)
        return known[name]

    return of


@pytest.mark.parametrize("kind", ("single", "section", "nothing"))
@pytest.mark.parametrize("name", (THREADS, ROCKS))
def test_a_chapter_runs_on_whatever_was_measured(name, kind, tmp_path, monkeypatch):
    if kind != "nothing":
        sections = [synthetic.SECTION] if kind == "section" else [name]
        synthetic.write_run(tmp_path, trials=1 if kind == "single" else 3, sections=sections)
    found = chapters.execute(name, tmp_path, monkeypatch)
    finding = next(each.data for each in found.results if getattr(each, "data", ""))
    assert not re.search(r"\bnan\b", found.text)
    if kind == "single":
        assert re.search("faster than one in no store|nothing that can be told", finding)
    else:
        assert finding == "*Not measured.*"


@pytest.mark.parametrize(
    ("name", "own"),
    ((THREADS, [HOLDS] * 5 + [UNKNOWN]), (ROCKS, [HOLDS] * 5 + [UNKNOWN])),
)
def test_what_a_source_states_is_true_of_its_own_figures(name, own, executed):
    found = executed(name).variables["verdicts"]["in its own figures"]
    assert list(found) == own, "of the last statement it prints no number"


def test_threads_are_compared_with_one_thread(executed):
    found = executed(THREADS).variables
    gains = found["gains"].set_index(["store", "threads"])
    assert gains.loc[("RocksDb", 4), "times"] == pytest.approx(2.5, rel=0.02)
    assert gains.loc[("RocksDb", 4), "verdict"] == "faster"
    assert gains.loc[("LmdbJavaBb", 12), "verdict"] == "slower"
    assert gains.loc[("LmdbJavaBb", 2), "verdict"] == "the same"
    then = found["then"].set_index(["store", "threads"])["times"]
    assert then["RocksDb", 4] == pytest.approx(35 / 25)
    table = found["table"].set_index(["store", "threads"])
    assert table.loc["RocksDb", "published"].to_list() == [35, 30, 25, 22, 37], "seconds"
    passed = 300 * 1.5 * 3 * 1000 / 1e9
    assert table.loc[("RocksDb", 1), "median"] == pytest.approx(passed, rel=0.02)


def test_a_side_is_compared_with_the_native_one(executed):
    found = executed(ROCKS).variables
    rates = found["rated"].set_index(["what", "store"])
    load = rates.loc[("one sequential writer", "RocksJava")]
    assert load["a_second"] == pytest.approx(740_741, rel=0.01), "300 ns, three times in disorder"
    assert load["percent"] == pytest.approx(-50, abs=0.5)
    assert load["then_a_second"] == pytest.approx(369_000)
    assert load["then_percent"] == pytest.approx(-0.539, rel=0.01), "printed as less than 1%"
    readers = rates.loc[("32 random readers", "RocksJava")]
    assert readers["then_percent"] == -10.8, "as printed, not as its rates give it"
    native = rates.loc[("32 sequential readers", "RocksC")]
    assert native["then_a_second"] == pytest.approx(6_840_000)
