"""What the report says of its own measuring: noise, steadiness, the whole cost, the distance from
the baseline. All on planted numbers.
"""

import contextlib
import json
import subprocess
import threading
import time

import chapters
import psutil
import pytest
import synthetic
from synthetic import edit

import kvreport as kv
from kvreport.analysis import noise
from kvreport.analysis.evidence import Evidence, Verdict
from kvreport.base import paths
from kvreport.charts import chapter
from kvreport.data import records, runs
from kvreport.measure import jvm


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    monkeypatch.delenv("KVREPORT_RUN", raising=False)
    return tmp_path


# --- the noise floor ---


@pytest.mark.parametrize(("again", "safe"), [(101.0, "less"), (140.0, "inconclusive")])
def test_a_difference_no_larger_than_that_of_a_store_from_itself_is_noise(
    folder, monkeypatch, again, safe
):
    """LMDB BB safe takes 1.3 times as long as LMDB BB, far beyond its interval; the second name of
    LMDB BB takes 1.01 or 1.4 times as long.
    """
    told = synthetic.TWICE["LmdbJavaBbAgain"]
    monkeypatch.setitem(synthetic.TWICE, "LmdbJavaBbAgain", (*told[:4], again, told[5]))
    synthetic.write_run(
        folder, stores=(*synthetic.STORES, *synthetic.TWICE), sections=[synthetic.SECTION]
    )
    rows = kv.results(synthetic.SECTION)
    ahead = Evidence(rows).leads("LmdbJavaBb", "LmdbJavaSafe")
    [verdict] = ahead.query("keys == 'int' and order == 'sequential' and workload == 'write'")[
        "holds"
    ]
    assert verdict == (Verdict.HOLDS if safe == "less" else Verdict.INCONCLUSIVE)
    twice = noise.twice(rows)
    assert noise.floor(rows) == pytest.approx(again / 100, rel=1e-3)
    assert list(twice["apart"]) == pytest.approx([again / 100] * len(twice), rel=0.05)
    assert set(twice["difference"]) == {"equivalent" if again == 101 else "inconclusive"}
    assert set(twice["by_trials"]) == {"equivalent" if again == 101 else "greater"}
    assert (twice["low"] < 1).all() and (twice["high"] > 1).all() and len(twice) == 24


# --- steadiness ---


def test_a_store_that_never_settles_is_marked(folder):
    synthetic.write_run(folder, sections=[synthetic.SECTION])

    def paced(*passes: int, workload: str = ""):
        """Has results take so many ns in their passes, a little more in each trial."""

        def change(case, trial):
            for result in case["results"]:
                if result["iteration_ns"] and workload in result["workload"]:
                    result["iteration_ns"] = [ns * (1000 + trial) // 1000 for ns in passes]

        return change

    edit(folder, "*", paced(100_000, 100_100, 99_900))
    edit(folder, "MapDb", paced(160_000, 130_000, 100_000, workload="readKey"))
    found = kv.settled(kv.results(synthetic.SECTION)).query("verdict == 'still changing'")
    assert set(found["name"]) == {"MapDB"} and set(found["workload"]) == {"readKey"}
    assert len(found) == 4 and found["change"].to_numpy() == pytest.approx(100 / 160)


# --- the whole cost ---


def busy(case: dict, trial: int):
    """Two threads, ten bytes written for each that is given, and half as much again after the
    load.
    """
    for result in case["results"]:
        if result["iteration_ns"]:
            elapsed = sum(result["iteration_ns"])
            result |= {
                "cpu_user_ns": elapsed,
                "cpu_system_ns": elapsed,
                "os_written_bytes": 10 * result["user_bytes"] * len(result["iteration_ns"]),
            }
    case["settle"] |= {
        "quiet_seconds": 7.5,
        "cpu_user_ns": 1000 * case["entries"],
        "cpu_system_ns": 0,
        "os_written_bytes": 5 * case["flat_bytes"],
    }


def test_the_bill_has_what_other_threads_did_and_what_came_after(folder, monkeypatch):
    synthetic.write_run(folder, sections=[synthetic.SECTION])
    edit(folder, "RocksDb", busy)
    found = chapters.execute("costs", folder, monkeypatch)
    rows = found.variables["loads_small"].query("store == 'RocksDb'")
    for column, expected in {"cores": 2, "written": 10, "all_written": 15, "quiet": 7.5}.items():
        assert rows[column].to_numpy() == pytest.approx(expected)
    assert (rows["all_ns"] - rows["cpu_ns"]).to_numpy() == pytest.approx(1000)
    assert "7.50 s in RocksDB" in found.text


def test_a_store_that_never_comes_to_rest_is_said_to(folder, monkeypatch):
    synthetic.write_run(folder, sections=[synthetic.SECTION])
    edit(folder, "RocksDb", lambda case, trial: case["settle"].update(quiet_seconds=None))
    found = chapters.execute("costs", folder, monkeypatch)
    assert "Not at rest within the limit: RocksDB." in found.text


# --- programs that take long ---


@pytest.mark.parametrize(
    "limit, expected",
    [(60, KeyboardInterrupt), (2, subprocess.TimeoutExpired)],
    ids=["told to stop", "too slow"],
)
def test_a_program_that_takes_minutes_ends_with_all_that_it_started(tmp_path, limit, expected):
    def stop():
        while not (tmp_path / "child").exists():
            time.sleep(0.05)
        jvm.stopping.set()

    if expected is KeyboardInterrupt:
        threading.Thread(target=stop, daemon=True).start()
    try:
        with pytest.raises(expected):
            jvm.run_java(
                ["sh", "-c", "sleep 300 & echo $! >child.part; mv child.part child; wait"],
                tmp_path,
                limit,
            )
    finally:
        jvm.stopping.clear()
    child, patience = int((tmp_path / "child").read_text()), time.monotonic() + 10
    while alive(child) and time.monotonic() < patience:
        time.sleep(0.05)  # a busy machine takes a moment to end what was killed
    assert not alive(child)


def alive(process: int) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    return False


# --- the baseline ---


def test_the_baseline_is_set_against_the_memory_of_the_same_machine(folder, monkeypatch):
    """The flat file's: 104 bytes in 5 ns, keys in random order."""
    synthetic.write_run(folder)
    found = chapters.execute("costs", folder, monkeypatch).variables
    shares = found["shares"].set_index(["store", "workload"])
    assert shares["share"]["LmdbJavaBb", "write"] == pytest.approx(10, rel=0.01)
    assert shares["verdict"]["ChronicleMap", "readSeq"] == "n/a"
    assert shares["verdict"]["Xodus", "write"] == "failed"
    bare = kv.results(synthetic.HARNESS).query("store == 'MemoryBandwidth' and status == 'ok'")
    largest = bare[bare["user_bytes"] == bare["user_bytes"].max()].query("workload == 'readSeq'")
    memory = (largest["user_bytes"] / largest["entries"] / largest["ns_per_entry"]).median()
    assert found["of_memory"]["median"]["readSeq"] == pytest.approx(memory)
    flat = found["flat"].query("value_bytes == 100").set_index("does").loc[kv.DOES["readXxh64"]]
    assert flat["gb_per_s"] == pytest.approx(20.8) and flat["memory"] == pytest.approx(memory)


def test_a_section_that_was_skipped_says_why(folder):
    name = synthetic.write_run(folder, sections=["05-medium-values"])
    file = folder / name / records.ENVIRONMENT
    told = json.loads(file.read_text())
    file.write_text(
        json.dumps(
            told
            | {
                "profile": "quick",
                "warnings": [
                    runs.SKIPPED.format("15-beyond-memory", "no control group can be made")
                ],
            }
        )
    )
    assert (
        "15-beyond-memory was skipped: no control group can be made: `make section S=15`"
        " measures it" in chapter.of("15-beyond-memory").missing()
    )
    assert "skipped" not in chapter.of("14-aged").missing()
