"""The exhibits of Tests 1, 2, 3, 5 and 6 and of the LevelDB page on a run made up with known
numbers: what they show, and what the claims make of it.
"""

import re

import pandas as pd
import pytest
import synthetic

from kvreport.base.paths import JBANG_STORES
from kvreport.charts import chapter
from kvreport.claims import checks as claims
from kvreport.claims import statements, statements_jvm
from kvreport.claims.finding import Verdict
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.exhibits import (
    leveldb,
    rocksjava,
    rocksjava_settings,
    syncs,
    threads,
)

BASE, RANDOM = Case("int", "sequential"), Case("int", "random", 2026)


@pytest.fixture(scope="module")
def of(tmp_path_factory):
    with synthetic.shown(tmp_path_factory.mktemp("runs")):
        yield chapter.of


def lines(table) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.data.splitlines()
    ]


def texts(figure) -> str:
    title = figure.spec["title"]
    return " ".join([*title["text"], *title["subtitle"]])


def test_a_variant_is_told_by_its_factor_over_the_baseline_as_the_page_prints_it(of):
    test = of("07-leveldb-page")
    rows = leveldb.rows_of(test, leveldb.EXHIBITS["C07"]).set_index("store")
    assert rows.loc["LevelDbJni", ["value", "factor", "mark", "then_factor", "label"]].tolist() == [
        pytest.approx(1e9 / 300),
        pytest.approx(2),
        840_000,
        1.08,
        "3.33M 2.00x",
    ]
    assert rows.loc["TreeDb", ["status", "reason"]].tolist() == ["na", synthetic.BATCHLESS]
    assert rows["pale"].to_dict()["RocksDb"] and not rows["pale"].to_dict()["Sqlite"]
    assert [leveldb.times(factor) for factor in (1.084, 12.3, 0.003, 0.0004, 0.015)] == [
        "1.08x",
        "12.3x",
        "0.003x",
        "0.0004x",
        "0.015x",
    ]
    assert texts(leveldb.chart(test, ("C07", "C08"))).strip().startswith("C07 and C08 ·")
    changed = leveldb.changed(test, ("C07", "C08"))
    assert changed["name"].tolist() == ["LevelDB", "LevelDB", "SQLite", "SQLite"]
    assert set(changed["printed"]) == {"2.00x"} and set(changed["difference"]) == {"greater"}


def test_which_way_compression_is_toggled_is_read_from_the_stores(of):
    compression = leveldb.compression(of("07-leveldb-page")).set_index("store")["default"]
    assert compression["LevelDbJni"] == "on" and compression["Sqlite"] == "none"
    assert "FlatFile" not in compression.index


def test_rates_are_listed_from_the_most_with_those_of_2011_beside_them(of):
    head, _, *rows = lines(leveldb.rates(of("07-leveldb-page"), ("C03", "C04")))
    assert head == ["exhibit", "store", "entries/s", "95% interval, entries/s", "2011, entries/s"]
    rows = {row[-4]: row[-3:] for row in rows[: len(rows) // 2]}  # the first cell is empty but once
    assert list(rows)[:2] == ["LMDB BB", "LMDB DB"] and rows["LevelDB"][::2] == [
        "1,666,667",
        "779,000",
    ]
    assert rows["Xodus"][0] == f"failed: {synthetic.TIMEOUT}"


def test_the_page_of_2011_bears_its_statements_out_and_made_up_figures_some_of_them(of):
    found = {
        claim.says: (own.verdict, here.verdict)
        for claim, own, here in claims.findings(statements.TEST_7, of("07-leveldb-page"))
    }
    assert {own for own, _ in found.values()} == {Verdict.HOLDS}
    assert found["LevelDB and SQLite write faster in batches of a thousand"][1] == Verdict.HOLDS
    assert found["TreeDB is the fastest of the three at random reads"][1] == Verdict.HALF
    assert found["TreeDB writes faster without compression than with it"][1] == Verdict.FAILS
    assert (
        found[
            "With 128 MB LevelDB and TreeDB write random entries much faster (1.5 times or more)"
        ][1]
        == Verdict.FAILS
    )


def test_factors_that_the_page_misprints_are_named():
    found = leveldb.misprints().set_index(["exhibit", "store"]).map(leveldb.times)
    assert found.loc[("C17", "Kyoto TreeDB")].tolist() == ["3.60x", "1.22x"]
    assert found.loc[("C09", "LevelDB")].tolist() == ["0.003x", "0.00013x"]
    assert len(found) == 5 and "C13" not in found.index


def test_syncs_are_shown_for_each_write_and_a_store_that_does_not_wait_is_named(of, monkeypatch):
    counts = {
        "problem": None,
        "tool": "strace 6",
        "counts": {
            store: {
                "code": "",
                "cases": [
                    {
                        "settings": {"sync": "os"},
                        "entries": 200,
                        "loads": 3,
                        "calls": {},
                        "problem": None,
                    },
                    {
                        "settings": {"sync": "on"},
                        "entries": 200,
                        "loads": 3,
                        "calls": calls,
                        "problem": None,
                    },
                ],
            }
            for store, calls in {"LevelDbJni": {"fdatasync": 615}, "Sqlite": {"fsync": 300}}.items()
        },
    }
    monkeypatch.setattr(syncs.sidecars, "syscalls", lambda *_: counts)
    test = of("07-leveldb-page")
    rows = lines(syncs.calls(test))
    assert rows[2:] == [
        ["LevelDB", "0.00", "1.02", "fdatasync"],
        ["SQLite", "0.00", "0.500", "fsync"],
    ]
    counted = syncs.counted(test).set_index(["name", "sync"])["calls"]
    assert counted["SQLite", "on"] == 0.5 and counted["LevelDB", "os"] == 0


def test_file_systems_stand_beside_those_of_2011_and_memory_says_that_it_waits_for_nothing(
    of, monkeypatch
):
    disk, memory = (
        {
            "type": kind,
            "device": kind,
            "mount": mount,
            "is_tmpfs": kind == "tmpfs",
            "write_cache": "write back",
        }
        for kind, mount in (("ext4", "/"), ("tmpfs", "/dev/shm"))
    )
    rates = [
        {
            "filesystem": each,
            "store": store,
            "code": "",
            "entries": 10,
            "entries_per_s": rate,
            "problem": None,
        }
        for each, rate in ((disk, 1000), (memory, 50_000))
        for store in ("LevelDbJni", "Sqlite")
    ]
    rates.append({"filesystem": disk, "store": "TreeDb", "code": "", "problem": "install it"})
    monkeypatch.setattr(syncs.sidecars, "filesystems", lambda *_: {"rates": rates})
    test = of("07-leveldb-page")
    head, _, *rows = lines(syncs.by_filesystem(test))
    assert head[:4] == [
        "file system",
        "LevelDB, entries/s",
        "TreeDB, entries/s",
        "SQLite, entries/s",
    ]
    assert rows[0] == ["ext4 on ext4", "1,000", "install it", "1,000", "the device (write back)"]
    assert rows[1][:4] == ["tmpfs on tmpfs", "50,000", "–", "50,000"] and rows[1][4].startswith(
        "nothing: it is memory"
    )
    assert rows[2:] == [
        ["2011: ext3", "100", "7.00", "88.0", "a disc with its cache off"],
        ["2011: ext4", "31.0", "5.00", "–", "a disc with its cache off"],
    ]
    found = syncs.filesystems(test)
    assert found.loc[~found["is_tmpfs"], "type"].unique().tolist() == ["ext4"]
    assert found["entries_per_s"].isna().sum() == 1, "of the store that was not installed"


def test_threads_are_compared_with_one_thread(of):
    test = of("08-threads")
    rows = threads.rows_of(test).set_index(["store", "x"])
    assert (
        rows.loc[("RocksDb", 4), "speed_up"] == pytest.approx(2.5, rel=0.02)
        and rows.loc[("RocksDb", 4), "difference"] == "less"
    )
    assert (
        rows.loc[("LmdbJavaBb", 12), "difference"] == "greater"
        and rows.loc[("LmdbJavaBb", 2), "difference"] == "equivalent"
    )
    assert rows.loc[("RocksDb", 1), "value"] == pytest.approx(
        300 * 1.5 * 3 * 1000 / 1e9, rel=0.02
    ), "seconds of a pass"
    assert rows.loc[("RocksDb", 1), "is_store"] and not rows.loc[("FlatFile", 1), "is_store"]
    then = threads.printed(test).set_index(["store", "x"])
    assert then.loc[("PlainFiles", 12), "speed_up"] == pytest.approx(31.1 / 6.4)
    head, _, *table = lines(threads.loads(test))
    assert head[-1] == "published, s" and [
        row[-1] for row in table if row[0].startswith("RocksDB")
    ] == ["35", "30", "25", "22", "37"]
    own = [own.verdict for _, own, _ in claims.findings(statements_jvm.THREADS, test)]
    assert own == [Verdict.HOLDS] * 5 + [Verdict.NOT_MEASURED], "of LMDB the source has no number"


def test_a_side_is_compared_with_the_native_one(of):
    test = of("10-rocksjava")
    head, _, *table = [
        [cell.strip() for cell in line[1:-1].split("|")]
        for line in rocksjava.rates(test).data.splitlines()
    ]
    assert head[2:5] == ["operations/s", "95% interval, operations/s", "to native, %"]
    rows = {(table[3 * (i // 3)][0], row[1]): row[2:] for i, row in enumerate(table)}
    load = rows["**E01** one sequential writer", "RocksJava"]
    assert load[0] == "740,741" and load[2] == "-50.0" and load[4:] == ["369,000", "-0.5"], (
        "300 ns, and three times as much in random order"
    )
    assert (
        rows["**E04** 32 sequential readers", "native (C)"][4:] == ["6,840,000", "–"]
        and rows["**E03** 32 random readers, one writer", "FFM"][0] == "not measured"
    )
    assert rows["**E02** two random readers", "RocksJava"][4:] == ["–", "–"], "the source had 32"
    compared = rocksjava.compared(test).set_index(["what", "side"])
    writer = compared.loc[("one sequential writer", "RocksJava")]
    assert writer["percent"] == pytest.approx(-50) and writer["difference"] == "less"
    assert writer["then"] == pytest.approx(-0.5, abs=0.05)
    assert compared.loc[("two random readers", "RocksJava"), ["then"]].isna().all()
    assert set(rocksjava.writers(test)["writes_per_second"]) == {9_990.5}
    assert lines(rocksjava.latencies(test))[2][2:] == [
        "9,990",
        "300,000",
        "1.35",
        *["1.36"] * 5,
        "3",
    ]
    scans = rocksjava.variants(test).query("workload == 'readSeq'").set_index(["side", "calls"])
    assert scans["value"].to_dict() == pytest.approx(
        {
            ("RocksJava", "classic"): 450,
            ("RocksJava", "array"): 360,
            ("RocksC", "classic"): 225,
        }
    )
    assert scans.loc[("RocksJava", "array"), "difference"] == "less"
    assert "num" in rocksjava_settings.left_out(test)
    commands = rocksjava_settings.commands(test).data
    assert "RocksC.java readSeq --keys string --order random --value-bytes 800" in commands
    assert commands.count("# the C program: rocks OPTIONS\n") == 2, "of both numbers of readers"
    assert set(re.findall(r"--entries (\d+)", commands)) == {"1000"}, (
        "of the case, however many threads scan it"
    )
    scan = rocksjava.found(test, rocksjava.rows_for(32)[2], rocksjava.JAVA)
    assert scan["ms"] * 1e6 == pytest.approx(scan["value"] * 32 * 1000), (
        "of all that 32 threads scan"
    )
    assert pd.isna(scan["gbs"]), "values that are stepped over make no bytes a second"
    found = [
        (own.verdict, here.verdict) for _, own, here in claims.findings(statements_jvm.ROCKS, test)
    ]
    assert [own for own, _ in found] == [Verdict.HOLDS] * 5 + [Verdict.NOT_MEASURED]
    assert [here for _, here in found] == [
        Verdict.FAILS,
        Verdict.FAILS,
        Verdict.INCONCLUSIVE,
        Verdict.FAILS,
        Verdict.INCONCLUSIVE,
        Verdict.HOLDS,
    ], "twice as long is at the end of 30 to 50%"


def test_every_published_map_and_side_is_one_of_ours():
    ours = {script.stem for script in JBANG_STORES.glob("*.java")}
    assert {*published.MAP_IDS.values(), *published.ROCKSJAVA_SIDES.values()} <= ours
