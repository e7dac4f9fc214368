"""Chapters that retrace LMDB's settings, sizes of values, batches and plain maps: on made-up runs
they find what was planted, beside what the sources printed.
"""

import json

import chapters
import pytest
import synthetic

import kvreport as kv
from kvreport.analysis.evidence import Evidence, Verdict
from kvreport.data import extra_measurements

pytestmark = pytest.mark.fast
SETTINGS, SIZES, BATCHES, MAPS = (
    "01-lmdb-settings",
    "02-value-sizes",
    "03-batch-sizes",
    "09-plain-maps",
)
HOLDS, FAILS, UNKNOWN = Verdict.HOLDS, Verdict.FAILS, Verdict.NOT_MEASURED


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    return chapters.executed_once(tmp_path_factory)


@pytest.mark.parametrize(
    ("name", "own", "here"),
    (
        (SETTINGS, ["holds", *["too noisy to say"] * 2, "holds"], [HOLDS, HOLDS, FAILS, HOLDS]),
        (SIZES, [HOLDS] * 4, [HOLDS, FAILS, FAILS, FAILS]),
        (BATCHES, [HOLDS] * 3 + [UNKNOWN], [FAILS] * 3 + [UNKNOWN]),
        (MAPS, [UNKNOWN, HOLDS, HOLDS], [FAILS, HOLDS, UNKNOWN]),
    ),
)
def test_statements_are_judged_by_the_sources_own_figures_and_by_ours(name, own, here, executed):
    found = executed(name).variables["verdicts"]
    assert list(found["in its own figures"]) == own
    assert list(found["here"]) == here


def test_a_setting_that_doubles_the_time_is_found_and_one_that_does_nothing_is_not(executed):
    found = executed(SETTINGS).variables
    waiting, buffered = (found[each].set_index("store") for each in ("waiting", "buffered"))
    assert waiting.loc["LmdbJavaBb", "ratio"] == pytest.approx(2, rel=0.01)
    assert set(waiting["verdict"]) == {"slower", "failed"}, "Xodus has no load"
    assert set(buffered["verdict"]) == {"the same", "failed"}
    assert waiting.loc["LmdbJavaBb", "then_before"] == pytest.approx(161.043, abs=1e-3)
    assert buffered.loc["LmdbJavaBb", "then_after"] == pytest.approx(186.341585), (
        "exhibit A03, not its variant that syncs the meta page"
    )
    drawn = json.dumps(kv.dumbbells(found["waiting"], then=("then_before", "then_after")).to_dict())
    assert drawn.count("161.0") and '"field": "mark_after"' in drawn
    took = found["took"]
    assert took.loc["", "commit"] == pytest.approx(0.2 * took.loc["", "ns_per_entry"])


def test_the_proof_of_syncs_follows_from_the_counts(tmp_path, monkeypatch):
    synthetic.write_run(tmp_path, sections=[SETTINGS])
    cases = [
        {"settings": settings, "entries": 9, "loads": 3, "calls": calls, "problem": None}
        for settings, calls in (({}, {"fsync": 6, "msync": 14}), ({"sync": "on"}, {}))
    ]
    counted = {"problem": None, "tool": "strace 6", "counts": {"LmdbJavaBb": {"cases": cases}}}
    monkeypatch.setattr(extra_measurements, "syscalls", lambda *_: counted)
    found = chapters.execute(SETTINGS, tmp_path, monkeypatch).variables
    assert list(found["idle"]) == list(found["eager"]) == ["LMDB BB"]
    assert "2 × fsync and 4.67 × msync" in set(found["alike"]["calls"])


def test_sizes_are_compared_with_those_of_2016_and_with_one_byte_more(executed):
    found = executed(SIZES).variables
    july = found["july"].set_index(["store", "value_bytes"])
    assert july.loc[("LmdbJavaDb", 2026), "bytes"] == 2030 + 66
    assert july.loc[("LmdbJavaDb", 2026), "then"] == pytest.approx(2745.884672)
    assert july.loc[("LmdbJavaDb", 2027), "apart"] == pytest.approx(-49.2, abs=0.05)
    assert found["off"] < 0.01, "what July published of the LSM trees are logs"
    june = found["june"].set_index(["store", "value_bytes"])
    assert june.loc[("LmdbJavaDb", 2030), "then"] == pytest.approx(4129, abs=1)
    grown = found["grown"].set_index(["store", "value_bytes"])["times"]
    assert grown["RocksDb", 2026] == pytest.approx(2034 / 2033)


def test_batches_stand_beside_those_of_the_source_by_their_share(executed):
    july = executed(BATCHES).variables["july"].set_index(["store", "share"])
    assert july.loc[("RocksDb", 10), "then"] == pytest.approx(18136.1408), (
        "181,361 ms for ten million entries"
    )
    assert july.loc[("RocksDb", 10), "batch"] == 100
    assert july["then"].isna()["RocksDb", 1]
    assert july.loc[("RocksDb", 10), "ending"] == pytest.approx(0.2), "as planted"


def test_maps_are_shown_run_by_run(executed):
    found = executed(MAPS).variables
    spread = found["spread"].set_index("name").loc["Trove map"]
    assert spread[["first", "low", "high"]].to_list() == pytest.approx([3, 0.96, 1.04], rel=1e-3)
    total = found["runs"].query("workload == 'total' and store == 'TroveMap'")
    assert len(total) == 30
    spent = (total["ns"] * total["entries"]).sum()
    assert spread["gc"] == pytest.approx(100 * 21e6 / spent), "7 ms of each trial"
    table = found["table"].set_index(["store", "workload"])
    assert table.loc[("ScalaMap", "serialise"), "factor"] == pytest.approx(1.1)
    assert table.loc[("ScalaMap", "serialise"), "then"] == pytest.approx(1833.95, abs=0.01), (
        "mean of 2,068 and 1,600 ms for a million entries"
    )
    single = found["single"].dropna(subset="then")
    assert set(single["run"]) == {1, 10} and set(single.groupby("store").size()) == {2, 8}


def test_a_map_is_compared_with_loads_of_the_same_machine_only(tmp_path, monkeypatch):
    synthetic.write_run(tmp_path, sections=[MAPS, "08-threads"])
    found = chapters.execute(MAPS, tmp_path, monkeypatch).variables
    results, rule = found["results"], found["claims"][-1].rule
    rows = rule(Evidence(results)).set_index("first")
    loads = results.query("section == '08-threads' and status == 'ok' and store != 'FlatFile'")
    medians = loads.groupby(["store", "settings"])["ns_per_entry"].median()
    assert rows["other_ns"]["Trove map"] == medians.drop("Memory", errors="ignore").min()
    elsewhere = results.assign(host=results["host"].where(results["section"] == MAPS, "elsewhere"))
    assert rule(Evidence(elsewhere)).empty
