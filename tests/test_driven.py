"""The appendix on how each store was driven: it shows of each what a reader has to see."""

import chapters
import pandas as pd
import pytest
from crash_records import kept, store

import kvreport as kv
from kvreport.base import paths
from kvreport.data import excerpts

STORES = sorted(script.stem for script in paths.JBANG_STORES.glob("*.java"))
MAPS = {
    store
    for store in STORES
    if "extends PlainMap" in (paths.JBANG_STORES / f"{store}.java").read_text()
}
UNORDERED = {"ChronicleMap", "ChronicleMap1", "Sparkey", "TkrzwHash"}  # they have no scan


def shown(store: str, scans: bool = True) -> dict[str, str]:
    """What the appendix prints of a store, by part."""
    rows = kv.excerpts(store, scans)
    return rows.groupby("part")["text"].agg("\n".join).to_dict()


@pytest.mark.parametrize("store", STORES)
def test_every_store_shows_how_it_is_opened_written_got_and_scanned(store):
    printed = shown(store)
    assert {excerpts.OPEN, excerpts.PUT, excerpts.GET} <= set(printed)
    assert (excerpts.SCAN in printed) == (store not in MAPS | UNORDERED)


def test_what_a_store_does_not_support_has_no_code():
    assert excerpts.SCAN not in shown("ChronicleMap", scans=False)
    assert kv.excerpts("NoSuchStore").empty


def test_the_commit_at_the_end_of_a_load_is_shown():
    assert "txn.commit();" in shown("LmdbJavaBb")[excerpts.END]
    assert "ingestExternalFile" in shown("RocksDb")[excerpts.END]


def test_what_the_methods_call_is_shown_too():
    called = shown("LwjglLmdb")[excerpts.CALLED]
    assert "? MDB_PREV : MDB_LAST" in called, "how a scan finds where it begins"
    owners = kv.excerpts("RocksFfm").query("part == @excerpts.CALLED")["owner"]
    assert "RocksCalls" in set(owners), "named by its class"
    assert "proxy()" in shown("LmdbJavaBb")[excerpts.CALLED], "where it differs from its family"
    assert excerpts.CALLED not in shown("JavaHashMap")


def test_a_store_that_overrides_its_family_shows_its_own_method():
    put = kv.excerpts("MvMap").query("part == @excerpts.PUT")
    assert list(put["owner"]) == ["MvMap"] and set(put["language"]) == {"java"}


def test_a_c_program_shows_its_functions_whole():
    scan = shown("RocksC")[excerpts.SCAN]
    assert "static void scan(" in scan and scan.rstrip().endswith("}")
    assert "rocksdb_iter_destroy(iterator);" in scan


@pytest.mark.fast
def test_a_store_is_told_what_crashes_cost_it(tmp_path, monkeypatch):
    lost = [(198, {}), (2, {"lost": 1})]
    run = kept(
        tmp_path,
        monkeypatch,
        store("A", "off", kill=lost),
        store("A", "on", kill=[(200, {})], power=lost),
        store("B", "on", kill=[(1500, {})]),
    )
    monkeypatch.setattr("kvreport.data.crashes.shown_crashes", lambda: run)
    variables = chapters.execute("stores-driven", paths.RUNS, monkeypatch).variables
    losses, standing = variables["losses"], variables["standing"]
    assert losses("A").count("2 of 200") == 1 and "the power fails" in losses("A")
    assert "In 1,500 crashes" in losses("B") and losses("C") == ""
    places = [
        ("A", "gets", "fastest", 1),
        ("A", "scans", "too noisy", 9),
        ("B", "gets", "slower", 1.5),
    ]
    columns = ["store", "need", "verdict", "ratio"]
    standing.__globals__["places"] = pd.DataFrame(places, columns=columns)
    assert "at gets; not told from the best at scans." in standing("A")
    assert standing("B") == "1.50× the best at gets." and standing("C") == ""
