"""What ran decides whether a record is still good: the hash of the timed path, and the ledger."""

import itertools
import json
import re

import numpy as np
import pytest

from kvreport.analysis import ab
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.data import harness, records, runs, scripts
from kvreport.data.harness import Side
from kvreport.measure import ab as measure
from kvreport.toolchain import fingerprint

SOURCE = """
package kv.bench;
import java.util.List;
import java.util.Map;
/** What it does. */
final class Loop {
    StoreDescriptor describe() {
        return StoreDescriptor.of("R").option("cache", "512 MiB of it", 4, "https://example.org/a");
    }
    int sum(List<Integer> of) {
        int sum = 0;  // the sum
        for (int each : of) { sum += each; }
        return sum;
    }
}
"""
SAME = {
    "a comment": ("// the sum", "// what they come to"),
    "Javadoc": ("/** What it does. */", "/** Adds up. */"),
    "layout": ("{ sum += each; }", "{\n            sum += each;\n        }"),
    "imports in another order": (
        "import java.util.List;\nimport java.util.Map;",
        "import java.util.Map;\nimport java.util.List;",
    ),
    "prose in a store's description": ("512 MiB of it", "a quarter of memory"),
    "a link in it": ("example.org/a", "example.org/b"),
    "native code for other platforms": (
        "package kv.bench;",
        "//DEPS a:b:1:natives-macos a:b-linux-arm64:1\npackage kv.bench;",
    ),
}
OTHER = {
    "an operator": ("sum += each", "sum -= each"),
    "a start": ("int sum = 0", "int sum = 1"),
    "an option's value": (", 4, ", ", 8, "),
    "an import": ("java.util.Map", "java.util.Set"),
    "a directive": ("package kv.bench;", "//DEPS a:b:2\npackage kv.bench;"),
    "native code": ("package kv.bench;", "//DEPS a:b:1:natives-linux\npackage kv.bench;"),
    "a library beside it": (
        "package kv.bench;",
        "//DEPS a:b:1 a:b:1:natives-macos\npackage kv.bench;",
    ),
}


@pytest.fixture
def hash_of(tmp_path):
    def digest(source: str) -> str:
        (tmp_path / "Loop.java").write_text(source)
        return fingerprint.digest([tmp_path / "Loop.java"])

    return digest


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_what_is_no_code_leaves_the_hash_as_it_is(hash_of, change):
    assert change[0] in SOURCE and hash_of(SOURCE) == hash_of(SOURCE.replace(*change))


@pytest.mark.parametrize("change", OTHER.values(), ids=OTHER)
def test_what_runs_changes_the_hash(hash_of, change):
    assert change[0] in SOURCE and hash_of(SOURCE) != hash_of(SOURCE.replace(*change))


def test_prose_counts_where_no_store_describes_itself(hash_of):
    said = SOURCE.replace("return sum;", 'throw new Error("no sum here");')
    assert hash_of(said) != hash_of(said.replace("no sum here", "some sum here"))


def test_every_java_source_is_understood():
    for file in (paths.ROOT / "jbang").rglob("*.java"):
        assert not fingerprint.parser().parse(file.read_bytes()).root_node.has_error, file


def test_the_ledger_knows_the_timed_path():
    """Where this fails, its message says what to do."""
    last = harness.ledger()["states"][-1]
    now = fingerprint.workloads()
    assert harness.current(now) == last["number"]
    assert last["workloads"].items() <= now.items()


def test_what_a_store_is_does_not_follow_from_the_form_of_records():
    script = paths.JBANG_STORES / "FlatFile.java"
    sources = scripts.sources(script)
    schema = paths.SCHEMA / "trial.schema.json"
    assert schema in sources and fingerprint.store(sources) == fingerprint.store([script])


def test_a_changed_timed_path_is_refused_in_a_sentence_that_says_what_to_do():
    with pytest.raises(UserError, match=r"`kvreport harness differs .*`kvreport harness same "):
        harness.current(dict.fromkeys(fingerprint.workloads(), "0" * 64))


def test_states_of_one_number_have_the_run_that_shows_it():
    states = harness.ledger()["states"]
    for before, after in itertools.pairwise(states):
        assert after["decision"] in (harness.DIFFERS, harness.SAME)
        if after["decision"] == harness.SAME:
            assert after["number"] == before["number"] and after["ab"]["same"], after["because"]
        elif after["number"] == before["number"]:
            changed = before["workloads"].items() - after["workloads"].items()
            assert 0 < len(changed) < len(before["workloads"]), "only some are measured anew"
        else:
            assert after["number"] == before["number"] + 1


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    """A ledger of one state, of the harness 3, in which readKey ran a and write b."""
    monkeypatch.setattr(paths, "HARNESS", tmp_path / "harness.json")
    first = {"number": 3, "workloads": {"readKey": "a", "write": "b"}, "decision": harness.DIFFERS}
    paths.HARNESS.write_text(json.dumps({"states": [first]}))
    harness.ledger.cache_clear()
    yield first["workloads"]
    harness.ledger.cache_clear()


def ran(number: int = 3, **codes: str) -> dict:
    """A record of what ran."""
    results = [{"workload": name, "code": code} for name, code in codes.items()]
    return {"harness": number, "cases": [{"results": results}]}


def test_a_decision_goes_into_the_ledger_once(ledger):
    now = {"readKey": "c", "write": "d"}
    with pytest.raises(UserError, match="of readKey and write:"):
        harness.current(now)
    assert harness.add_state(now, harness.DIFFERS, "loops unrolled")["number"] == 4
    assert harness.current(now) == 4 and harness.current(ledger) == 3
    with pytest.raises(UserError, match="has not changed since harness 4"):
        harness.add_state(now, harness.DIFFERS, "again")


def test_a_new_workload_needs_no_decision_and_costs_no_record(ledger):
    now = ledger | {"deleteHalf": "e"}
    assert harness.current(now) == 3
    with pytest.raises(UserError, match="has not changed since harness 3"):
        harness.add_state(now, harness.DIFFERS, "a new one")
    assert harness.outdated(ran(readKey="a", write="b", deleteHalf="e"), now) is None
    assert harness.outdated(ran(deleteHalf="e"), now | {"deleteHalf": "f"}) == "deleteHalf"


def test_what_differs_in_one_workload_is_measured_anew_and_nothing_else(ledger):
    now = ledger | {"write": "d"}
    state = harness.add_state(now, harness.DIFFERS, "puts are batched")
    assert state["number"] == 3 and harness.current(now) == 3
    assert harness.consequence(state) == "as before, and write measured anew"
    assert harness.outdated(ran(readKey="a"), now) is None
    assert harness.outdated(ran(readKey="a", write="b"), now) == "write"
    assert harness.outdated(ran(readKey="a", write="d"), now) is None


def test_what_is_the_same_stands(ledger):
    now = ledger | {"write": "d"}
    harness.add_state(now, harness.SAME, "renamed", {"same": True})
    assert harness.current(now) == 3
    assert harness.outdated(ran(readKey="a", write="b"), now) is None
    assert harness.outdated(ran(write="x"), now) == "write"
    assert harness.outdated(
        {"harness": 3, "cases": [{"results": [{"workload": "write"}]}]}, now
    ) is (None), "an older record does not say what ran"


def test_a_workload_runs_what_its_class_uses():
    """Of the sinks its own, and of the loops."""
    ran_by = fingerprint.classes()
    assert {"ReadXxh64", "Scan", "Read", "Xxh64Sink", "Passes"} <= ran_by["readXxh64"]
    assert not {"Get", "Crc32Sink", "Load", "Overwrite"} & ran_by["readXxh64"]
    assert {"Write", "Load", "LoadPass", "Passes"} <= ran_by["write"]
    assert not {"Read", "Xxh64Sink", "BulkLoad"} & ran_by["write"]
    assert not any("Workloads" in used for used in ran_by.values()), "of which all are a part"


def sides(*factors: float, spread: float = 0.002, rounds: int = 6) -> dict:
    """ns an entry of a store's workloads on both sides: this takes so many times the other."""
    noise = np.random.default_rng(5)

    def times(ns: float) -> list[float]:
        return list(ns * noise.lognormal(0, spread, rounds))

    return {
        "LmdbJavaBb": {
            f"workload {i}": {Side.THIS: times(100 * factor), Side.OTHER: times(100)}
            for i, factor in enumerate(factors)
        }
    }


def test_two_states_are_the_same_within_a_twentieth_only():
    same = ab.verdict(sides(1.0, 1.01, 0.99))
    assert same["same"] is True and same["mean"]["low"] < 1 < same["mean"]["high"]
    assert [row["beyond_margin"] for row in same["ratios"]] == [False] * 3
    for factor in (1.2, 1 / 1.2):
        apart = ab.verdict(sides(factor, factor, factor))
        assert not apart["same"] and all(row["beyond_margin"] for row in apart["ratios"])
        assert apart["mean"]["ratio"] == pytest.approx(factor, rel=0.01)
        assert all(row["low"] < factor < row["high"] for row in apart["ratios"])


def test_a_mean_too_wide_to_lie_within_the_margin_is_not_the_same():
    wide = ab.verdict(sides(0.9, 1.1, 0.9, 1.1, spread=0.3))
    assert not wide["same"] and not any(row["beyond_margin"] for row in wide["ratios"])


def test_one_workload_beyond_the_margin_is_enough_whatever_the_mean():
    most = ab.verdict(sides(*[1.0] * 15, 1.08))
    assert most["mean"]["high"] < ab.MARGIN and not most["same"]
    assert [row["workload"] for row in most["ratios"] if row["beyond_margin"]] == ["workload 15"]


def test_many_comparisons_are_held_to_a_higher_bar():
    assert list(ab._holm([0.04])) == [0.04]
    assert list(ab._holm([0.03, 0.01, 0.9])) == pytest.approx([0.06, 0.03, 0.9])
    assert list(ab._holm([0.02, 0.01, 0.03])) == pytest.approx([0.04, 0.03, 0.04])


TRIALS = sorted(paths.RUNS.glob("*/*/*.json"))


def test_every_shipped_record_is_whole():
    assert len(TRIALS) > 600
    assert all(records.read_trial(file)["cases"] for file in TRIALS)


def test_every_shipped_run_has_a_harness_and_the_newest_stand():
    known = runs.runs()
    assert all(isinstance(known[name]["harness"], int) for name in known)
    newest = max(known, key=lambda name: known[name]["started"])
    for file in (paths.RUNS / newest).glob("*/*.json"):
        record = records.read_trial(file)
        assert record["harness"] == known[newest]["harness"]
        assert re.fullmatch("[0-9a-f]{64}", record["store"]["code"])


def test_an_ab_run_sets_this_checkouts_times_against_the_others(monkeypatch):
    """A value a round, of the stores that both have, the median pass by entry."""

    def ran(_, class_path: str, *__) -> list[dict]:
        times = [10 * int(class_path), 9000, 1]
        result = {"workload": "write", "status": "ok", "iteration_ns": times, "entries": 10}
        return [result, result | {"workload": "readRev", "status": "na"}]

    def built(ns: int, *stores: str) -> dict:
        store = {"runtime_options": [], "class_path": [str(ns)], "main": "Main"}
        return {"stores": {id: store | {"id": id} for id in stores}}

    monkeypatch.setattr(measure, "script_results", ran)
    catalogs = built(30, "FlatFile", "RocksDb"), built(50, "FlatFile", "MvStore")
    found = measure.run_ab(paths.ROOT, 2, "quick", catalogs)
    assert found == {"FlatFile": {"write": {Side.THIS: [30, 30], Side.OTHER: [50, 50]}}}
