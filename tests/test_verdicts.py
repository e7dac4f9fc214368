"""Statements judged by rules over rows with known values, ours and a source's."""

import pandas as pd
import pytest

import kvreport as kv
from kvreport.analysis.claims import Claim, effect, outcome, weighed
from kvreport.analysis.evidence import Evidence, Verdict, within
from kvreport.analysis.stats import CASE

pytestmark = pytest.mark.fast
H, F, N, M = Verdict.HOLDS, Verdict.FAILS, Verdict.INCONCLUSIVE, Verdict.NOT_MEASURED
STORES = {
    "LmdbJavaBb": ("LMDB BB", "LMDB 0.9"),
    "LmdbJavaDb": ("LMDB DB", "LMDB 0.9"),
    "RocksDb": ("RocksDB", ""),
    "Xodus": ("Xodus", ""),
    "FlatFile": ("Flat file", ""),
}
TIMES = {  # ns an entry of four trials; the binding that stands for LMDB is not its fastest
    "write": {"LmdbJavaBb": 100, "LmdbJavaDb": 50, "RocksDb": 200, "Xodus": 101, "FlatFile": 1},
    "readSeq": {"LmdbJavaBb": 10, "LmdbJavaDb": 10, "RocksDb": 30, "FlatFile": 1},
}


def ours(trials=4):
    rows = [
        [workload, store, *STORES[store], trial, ns * (1 + 0.002 * ((trial * 7 + len(store)) % 3))]
        for workload, times in TIMES.items()
        for store, ns in times.items()
        for trial in range(1, trials + 1)
    ]
    columns = ["workload", "store", "name", "engine", "trial", "ns_per_entry"]
    about = dict(zip(CASE, ("int", "random", 100, "", "random")))
    return pd.DataFrame(rows, columns=columns).assign(
        **about,
        run="r",
        section="04-small-values",
        status="ok",
        reason="",
        entries=1000,
        family=lambda frame: frame["store"].map({"FlatFile": "limit"}).fillna("LSM"),
        closed_bytes=150.0,
        flat_bytes=100.0,
    )


def printed():
    rows = ours(1).query("family != 'limit'").drop(columns=["trial", "run", "section", "status"])
    return rows.assign(low=float("nan"), high=float("nan"), family="")


@pytest.fixture
def here(monkeypatch):
    monkeypatch.setattr("kvreport.analysis.sessions.between", lambda _: 0.0)
    return Evidence(ours())


def test_the_store_that_stands_for_an_engine_is_compared_with_the_best_of_the_others(here):
    found = here.leads("LMDB").set_index("workload")
    assert found.loc["write", ["first", "other", "holds"]].to_list() == ["LMDB BB", "Xodus", F]
    assert found.loc["readSeq", ["first", "other", "holds"]].to_list() == ["LMDB BB", "RocksDB", H]
    assert found.loc["readSeq", "ratio"] == pytest.approx(3, rel=0.01)
    of_source = Evidence(printed()).leads("LMDB").set_index("workload")
    assert of_source.loc["write", ["first", "holds"]].to_list() == ["LMDB DB", H], "any binding"


def test_others_are_narrowed_to_one_or_to_those_that_sort(here):
    ordered = here.leads("LMDB", ordered=True).query("workload == 'write'")
    against = here.leads("RocksDb", against="LMDB").query("workload == 'write'")
    assert list(ordered["other"]) == ["RocksDB"] and list(ordered["holds"]) == [H]
    assert list(against["holds"]) == [F] and list(here.leads("Absent")["holds"].unique()) == [M]


def test_single_trials_tell_nothing_and_printed_values_only_beyond_five_percent(monkeypatch):
    monkeypatch.setattr("kvreport.analysis.sessions.between", lambda _: 0.0)
    assert set(Evidence(ours(1)).leads("LMDB")["holds"]) == {N}
    close = printed()
    close["ns_per_entry"] = close["ns_per_entry"].where(close["store"] != "LmdbJavaDb", 97)
    assert list(Evidence(close).leads("LMDB").query("workload == 'write'")["holds"]) == [N]


def test_a_store_is_compared_with_itself_and_bounds_are_held(here):
    scans = here.change("workload", "readSeq", "write")
    assert dict(zip(scans["store"], scans["holds"]))["RocksDb"] == H and len(scans) == 3
    assert here.change("workload", "readSeq", "write", "RocksDb")["ratio"].iloc[0] > 6
    double = here.ratio("RocksDb", "LmdbJavaBb", 1.5, 2.5).query("workload == 'write'")
    assert list(double["holds"]) == [H] and list(double["first"]) == ["LMDB BB"]
    assert list(here.ratio("RocksDb", "LmdbJavaBb", 0, 1.5)["holds"]) == [F, F]
    assert [within(1, 2, 0, 3), within(1, 2, 1.5), within(1, 2, 3)] == [H, N, F]


def test_a_verdict_is_the_share_of_rows_that_hold():
    assert [weighed([]), weighed([M, M]), weighed([H, H])] == [M, M, H]
    assert weighed([H] * 9 + [F]) is Verdict.MOSTLY and weighed([H, F, F, H]) is Verdict.HALF
    assert weighed([F] * 9 + [H]) is F and weighed([H, N, N]) is N and weighed([N, M]) is N
    assert outcome(Verdict.HALF, pd.DataFrame({"holds": [H, F, N]})) == (
        "half true (1 of 3; 1 too noisy)"
    )


def test_of_few_entries_nothing_is_refuted(here):
    many = Claim("Xodus leads", "", lambda of: of.leads("Xodus"), entries=10_000)
    rows = many.rule(here).query("workload == 'write'")
    assert many.verdict(rows.assign(holds=F), 1000) is M and many.verdict(rows, 10_000) is not M
    assert many.verdict(rows.assign(holds=H), 1000) is H


def test_what_was_found_is_said_in_a_few_words(here):
    assert effect(here.leads("LMDB").query("workload == 'readSeq'")) == (
        "RocksDB takes 3.00 times as long as LMDB BB"
    )
    assert effect(here.leads("LMDB")) == "in 1 of 2, by 3.00 times"
    sizes = here.sizes()
    assert list(sizes["overhead"].round(6).unique()) == [50.0] and len(sizes) == 4
    assert effect(sizes.head(1).assign(value=sizes["overhead"], holds=H)) == "LMDB BB 50.0"


def test_the_sources_own_figures_are_judged_first():
    claims = [
        kv.claim(
            "LMDB is the fastest at scans",
            "A09",
            lambda of: of.leads("LMDB").query("workload == 'readSeq' and keys == 'int'"),
        )
    ]
    nothing = kv.results("none")
    found = kv.verdicts(claims, nothing, "04-small-values")
    assert found["in its own figures"].iloc[0].startswith("holds")
    assert list(found["here"]) == [M] and kv.score(found) == (
        "Of one statement, 1 is not measured here."
    )
    assert kv.evidence(claims, nothing).data == ""


def test_what_a_source_measured_stands_beside_the_same_here():
    rows = ours().query("trial == 1").assign(order="sequential")
    found = kv.beside(rows, "04-small-values").set_index(["store", "workload"])["then"]
    was = kv.printed("04-small-values").query("keys == 'int' and order == 'sequential'")
    assert (
        found["LmdbJavaBb", "readSeq"]
        == was.query("store == 'LmdbJavaBb' and workload == 'readSeq' and settings == ''")[
            "ns_per_entry"
        ].item()
    )
    loads = pd.concat([rows, rows.query("workload == 'write'").assign(workload="bulkLoad")])
    split = kv.beside(loads, "04-small-values").set_index(["store", "workload"])["then"]
    assert split.notna()["LmdbJavaBb", "bulkLoad"] and split.isna()["LmdbJavaBb", "write"]
    assert split.notna()["RocksDb", "write"] and split.isna()["RocksDb", "bulkLoad"]
