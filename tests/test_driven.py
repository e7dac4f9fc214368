"""The appendix on how each store was driven: it shows of each what a reader has to see."""

import pandas as pd
import pytest
from crash_records import kept, store

from kvreport.analysis import answers, crashes
from kvreport.analysis.stats import Difference
from kvreport.base import paths
from kvreport.exhibits import driven
from kvreport.exhibits.portraits import Portraits

STORES = sorted(script.stem for script in paths.JBANG_STORES.glob("*.java"))
MAPS = {
    store
    for store in STORES
    if "extends PlainMap" in (paths.JBANG_STORES / f"{store}.java").read_text()
}


def shown(store: str, unsupported: dict[str, str] | None = None) -> dict[str, str]:
    """What the appendix prints of a store, by heading."""
    about = {
        "name": store,
        "about": "a store",
        "library": "",
        "version": "",
        "options": [],
        "unsupported": unsupported or {},
    }
    printed = driven.driven({store: about}).data.removesuffix("\n\n:::")
    parts = printed.split("\n\n**")[1:]
    return {head: rest for head, _, rest in (part.partition(".**") for part in parts)}


@pytest.mark.parametrize("store", STORES)
def test_every_store_shows_how_it_is_opened_written_got_and_scanned(store):
    printed = shown(store)
    for name in (driven.OPEN, driven.PUT, driven.GET):
        assert "```" in printed[driven.HEADINGS[name]], name
    scan = printed[driven.HEADINGS[driven.SCAN]]
    assert driven.NO_SCAN in scan if store in MAPS else "```" in scan


def test_what_a_store_does_not_support_is_a_reason_in_place_of_code():
    scan = shown("ChronicleMap", {"readSeq": "keeps no order"})[driven.HEADINGS[driven.SCAN]]
    assert scan.strip() == "n/a: keeps no order."


def test_the_commit_at_the_end_of_a_load_is_shown():
    assert "txn.commit();" in shown("LmdbJavaBb")[driven.END]
    assert "ingestExternalFile" in shown("RocksDb")[driven.END]


def test_what_the_methods_call_is_shown_too():
    called = shown("LwjglLmdb")[driven.CALLED]
    assert "while (found)" in called, "the loop of its scans"
    assert "RocksCalls`" in shown("RocksFfm")[driven.CALLED], "named by its class"
    assert "proxy()" in shown("LmdbJavaBb")[driven.CALLED], "where it differs from its family"
    assert driven.CALLED not in shown("JavaHashMap")


def test_a_store_that_overrides_its_family_shows_its_own_method():
    put = shown("MvMap")[driven.HEADINGS[driven.PUT]]
    assert put.count("```java") == 1 and "class `MvMap`" in put


def test_a_c_program_shows_its_functions_whole():
    scan = shown("RocksC")[driven.HEADINGS[driven.SCAN]]
    assert "```c\nstatic void scan(" in scan and scan.rstrip().endswith("}\n```")
    assert "rocksdb_iter_destroy(iterator);" in scan


@pytest.mark.fast
def test_a_store_is_told_what_its_settings_are_worth_and_what_crashes_cost(tmp_path, monkeypatch):
    lost = [(198, {}), (2, {"lost": 1})]
    run = kept(
        tmp_path,
        monkeypatch,
        store("A", "off", kill=lost),
        store("A", "on", kill=[(200, {})], power=lost),
        store("B", "on", kill=[(1500, {})]),
    )
    settings = pd.DataFrame(
        [
            ["A DB", "write", 0.5, 0.4, 0.6, Difference.LESS],
            ["A DB", "readSeq", 1.02, 0.9, 1.1, Difference.EQUIVALENT],
            ["B DB", "write", 1.3, 0.9, 2.0, Difference.INCONCLUSIVE],
        ],
        columns=["store", "workload", "ratio", "low", "high", "difference"],
    )
    ranked = pd.DataFrame(columns=answers.COLUMNS)
    portraits = Portraits(ranked, crashes.frame(run), settings)
    settings_of_a, crashes_of_a = portraits.of("A", "A DB")
    assert "write takes 0.50 [0.40, 0.60] times as long" in settings_of_a
    assert "no difference is seen" in settings_of_a and "readSeq" in settings_of_a.split(";")[1]
    assert crashes_of_a.count("2 of 200") == 1 and "the power fails" in crashes_of_a
    settings_of_b, crashes_of_b = portraits.of("B", "B DB")
    assert "times as long" not in settings_of_b and "In 1,500 crashes" in crashes_of_b
    assert not list(portraits.of("C", "C DB"))
