"""Chapters that retrace the LevelDB page, the comparison of threads and RocksJava: on made-up runs
they say what was planted, and judge the sources by their own figures.
"""

import chapters
import pandas as pd
import pytest
import synthetic

import kvreport as kv
from kvreport.analysis.evidence import Evidence, Verdict

pytestmark = pytest.mark.fast
THREADS, ROCKS, PAGE = "08-threads", "10-rocksjava", "07-leveldb-page"
HOLDS, UNKNOWN = Verdict.HOLDS, Verdict.NOT_MEASURED


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    return chapters.executed_once(tmp_path_factory)


@pytest.mark.parametrize(
    ("name", "own"),
    (
        (THREADS, [HOLDS] * 5 + [UNKNOWN]),  # of the last it prints no number
        (ROCKS, [HOLDS] * 5 + [UNKNOWN]),
        (PAGE, [HOLDS] * 15),
    ),
)
def test_what_a_source_states_is_true_of_its_own_figures(name, own, executed):
    found = executed(name).variables["verdicts"]["in its own figures"]
    assert list(found) == own


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


def test_what_java_costs_more_at_is_told_by_both_ratios(tmp_path, monkeypatch):
    costs_more = chapters.execute(ROCKS, tmp_path, monkeypatch).variables["costs_more"]
    rows = kv.printed(ROCKS)
    scans = (rows["workload"] == "readSeq") & (rows["store"] == "RocksJava")
    for ns, holds in ((472, HOLDS), (150, Verdict.FAILS)):  # beside 146 without Java
        rows.loc[scans, "ns_per_entry"] = ns
        assert list(costs_more(Evidence(rows))["holds"]) == [holds], "a get takes 1.12 times"
    assert costs_more(Evidence(rows[~scans])).empty


def test_a_variant_is_told_by_its_factor_over_the_baseline(executed):
    found = executed(PAGE).variables
    rated = found["rated"].set_index(["exhibit", "store"])
    batch = rated.loc[("C07", "LevelDbJni")]
    assert batch["factor"] == pytest.approx(2, rel=0.02) and batch["change"] == "faster"
    assert batch["then_factor"] == 1.08 and batch["then"] == pytest.approx(840_000)
    assert rated.loc[("C09", "Sqlite"), "factor"] == pytest.approx(0.5, rel=0.02)
    assert rated.loc[("C03", "LevelDbJni"), "then"] == pytest.approx(779_000)
    assert rated.loc[("C03", "LevelDbJni"), "a_second"] == pytest.approx(1_666_667, rel=0.02)
    assert "LevelDB" in set(found["on"]) and "SQLite" in set(found["said"].index)
    assert found["said"]["SQLite"] == "" and found["short"]["ms"] < 20


def test_factors_that_the_page_prints_wrongly_are_named(executed):
    chapter = executed(PAGE)
    wrong = chapter.variables["wrong"].set_index(["exhibit", "store"])
    times = chapter.variables["times"]
    assert set(wrong.index) == {
        *((exhibit, store) for exhibit in ("C09", "C10") for store in ("LevelDbJni", "TreeDb")),
        ("C17", "TreeDb"),
    }
    off = (wrong["then_factor"] / wrong["follows"] - 1).abs()
    assert (off > 0.25).all()
    told = {
        key: (times(row["then_factor"]), times(row["follows"])) for key, row in wrong.iterrows()
    }
    assert told["C17", "TreeDb"] == ("3.60", "1.22")
    assert told["C09", "LevelDbJni"] == ("0.003", "0.00013")
    finding = next(each.data for each in chapter.results if getattr(each, "data", ""))
    assert "five factors" in finding and "0.015, where the rates give 0.00061" in finding


def test_the_page_is_judged_by_what_was_planted(executed):
    found = executed(PAGE).variables["verdicts"].set_index("statement")["here"]
    assert found["LevelDB and SQLite write faster in batches of a thousand"] == HOLDS
    assert found["TreeDB is the fastest of the three at random reads"].startswith(Verdict.HALF)
    assert found["TreeDB writes faster without compression than with it"] == Verdict.FAILS
    much = "With 128 MB LevelDB and TreeDB write random entries much faster (1.5 times or more)"
    assert found[much] == Verdict.FAILS


def test_a_store_that_does_not_wait_is_named_and_file_systems_stand_beside_those_of_2011(
    tmp_path, monkeypatch
):
    case = {"entries": 200, "loads": 3, "problem": None}
    counts = {
        store: {
            "cases": [
                case | {"settings": {"sync": "os"}, "calls": {}},
                case | {"settings": {"sync": "on"}, "calls": calls},
            ]
        }
        for store, calls in {"LevelDbJni": {"fdatasync": 615}, "Sqlite": {"fsync": 300}}.items()
    }
    disk = {"type": "ext4", "device": "sda", "mount": "/", "is_tmpfs": False}
    memory = {"type": "tmpfs", "device": "tmpfs", "mount": "/dev/shm", "is_tmpfs": True}
    rates = [
        {"filesystem": each, "store": store, "entries_per_s": rate, "problem": None}
        for each, rate in ((disk, 1000), (memory, 50_000))
        for store in ("LevelDbJni", "Sqlite")
    ]
    rates.append({"filesystem": disk, "store": "TreeDb", "problem": "install it"})
    sidecars = "kvreport.data.extra_measurements."
    monkeypatch.setattr(f"{sidecars}syscalls", lambda *_: {"problem": None, "counts": counts})
    monkeypatch.setattr(f"{sidecars}filesystems", lambda *_: {"rates": rates})
    synthetic.write_run(tmp_path, sections=[PAGE])
    found = chapters.execute(PAGE, tmp_path, monkeypatch)
    assert "1 of 2 stores waited" in found.text and "; SQLite did not" in found.text
    assert "TreeDb on ext4: install it" in found.text
    [table] = (
        each.set_index("where")
        for each in found.results
        if isinstance(each, pd.DataFrame) and "where" in each
    )
    assert table["LevelDB"].to_list() == [1000, 50_000, 100, 31]
    assert table["SQLite"].to_list()[:3] == [1000, 50_000, 88]
