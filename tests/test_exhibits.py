"""The exhibits of Tests 1, 2, 3, 5 and 6 on a run made up with known numbers: what they show, and what the claims make of it."""

import math

import pytest
import synthetic

from kvreport import chapter, claims, paths, published, statements
from kvreport.cases import Case
from kvreport.exhibits import batches, crossover, rankings, settings, sizes, then_and_now
from kvreport.published import JULY, JUNE

BASE, RANDOM = Case("int", "sequential"), Case("int", "random", 2026)


@pytest.fixture(scope="module")
def of(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "RUNS", tmp_path_factory.mktemp("runs"))
        patch.delenv("KVREPORT_RUN", raising=False)
        synthetic.write_run(paths.RUNS)
        yield chapter.of


def lines(table) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.data.splitlines()]


def texts(figure) -> str:
    title = figure.spec["title"]
    return " ".join([*title["text"], *title["subtitle"]])


def test_a_setting_that_doubles_the_time_is_seen_to_and_one_that_does_nothing_is_not(of):
    test = of("01-lmdb-settings")
    synced = settings.changed(test, BASE, BASE._replace(settings="sync=on")).set_index("store")
    assert synced.loc["LmdbJavaBb", "change"] == "× 2.00" and set(synced["outcome"]) == {"greater"}
    mapped = settings.changed(test, BASE, BASE._replace(settings="writeMap=off"))
    assert set(mapped["outcome"]) == {"cannot tell"} and set(mapped["change"]) == {settings.NO_CHANGE}
    assert synced.loc["LmdbJavaBb", "mark_before"] == pytest.approx(161.043, abs=1e-3), "the source's own, of its Test 1"
    assert mapped.set_index("store").loc["LmdbJavaBb", "mark_after"] == pytest.approx(186.341585), "exhibit A03, not its variant that syncs the meta page"
    drawn = settings.figure(test, "a02", BASE, BASE._replace(settings="sync=on"), ("no sync", "synced"))
    assert texts(drawn).startswith("Synced takes longer with every binding A02 ·")
    found = dict((claim.figures, (own.verdict, here.verdict)) for claim, own, here in claims.findings(statements.TEST_1, test))
    assert found["@fig-a01"] == (claims.HOLDS, claims.HOLDS)
    assert found["@fig-a02"][1] == claims.HOLDS and found["@fig-a03"][1] == claims.UNKNOWN


def test_the_proof_of_syncs_is_told_from_the_counts(of):
    test = of("01-lmdb-settings")
    assert "this run has not counted system calls" in settings.syncs_in_short(test)
    counted = {"problem": None, "tool": "strace 6", "counts": {"LmdbJavaBb": {"code": "", "cases": [
        {"settings": {}, "calls": {"fsync": 1}, "problem": None}, {"settings": {"sync": "on"}, "calls": {}, "problem": None}]}}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings.syscalls, "load", lambda *_: counted)
        told = settings.syncs_in_short(test)
        assert "LMDB BB did not wait at all where it should have" in told and "LMDB BB waited although nothing asked for it" in told
        assert lines(settings.syncs(test))[2] == ["LMDB BB", "no sync (all other tests)", "1 × fsync"]


def test_sizes_are_compared_with_those_of_2016(of):
    test = of("02-value-sizes")
    found = sizes.compared(test, [2026, 2027]).set_index(["store", "value_bytes"])
    assert found.loc[("LmdbJavaDb", 2026), "value"] == 2030 + 66 and found.loc[("LmdbJavaDb", 2026), "then"] == pytest.approx(2745.884672)
    told = sizes.nearness(test, [2026, 2027])
    assert told.startswith("Of 6 sizes 4 are within 2%") and "LMDB DB at 2,027 bytes (-49.2%)" in told
    verdicts = {claim.says[:12]: (own.verdict, here.verdict) for claim, own, here in claims.findings(statements.TEST_2, test)}
    assert verdicts["LevelDB and "] == (claims.HOLDS, claims.HOLDS)
    assert verdicts["LMDB takes a"] == (claims.HOLDS, claims.FAILS), "the made-up LMDB has no steps"


def test_batches_stand_beside_those_of_the_source_by_their_share(of):
    test, load = of("03-batch-sizes"), Case("int", "sequential", 8176)
    rows = batches.rows_of(test, load, JULY).set_index(["store", "x"])
    assert rows.loc[("RocksDb", 10.0), "mark"] == pytest.approx(18136.1408), "181,361 ms for ten million entries"
    assert rows.loc[("RocksDb", 10.0), "batch"] == 100 and math.isnan(rows.loc[("RocksDb", 1.0), "mark"])
    own = {claim.says[:7]: own.verdict for claim, own, _ in claims.findings(statements.TEST_3, test)}
    assert own == {"LevelDB": claims.HOLDS, "RocksDB": claims.HOLDS, "With 2,": claims.HOLDS}


def test_a_ranking_calls_fastest_what_cannot_be_told_from_the_fastest(of):
    head, _, *rows = lines(rankings.times(of("05-medium-values"), RANDOM, "write", (JUNE, RANDOM._replace(value_bytes=2025))))
    assert head == ["implementation", "ms/pass", "ns/entry", "times the fastest", "2016, ns/entry"]
    assert [row[0] for row in rows[:3]] == ["LMDB BB", "LMDB DB", "LMDB BB safe"]
    assert [row[3] for row in rows[:3]] == ["Fastest", "Fastest", "× 1.30"]
    assert rows[0][4] == "14,794", "147,939 ms for ten million entries"
    assert rows[-1] == ["Xodus", "failed", "–", synthetic.TIMEOUT, "–"]


def test_the_crossover_shows_time_and_what_was_written(of):
    chapters = [of(section) for section in (synthetic.SECTION, "05-medium-values", "06-large-values")]
    rows = crossover.rows_of(chapters).set_index(["store", "x"])
    assert set(rows.index.get_level_values("store")) == {"LmdbJavaBb", "RocksDb", "LevelDbJni", "MapDb"}, "one of an engine's, and none without order"
    assert rows.loc[("MapDb", 8176), "us"] == pytest.approx(300)
    assert rows.loc[("MapDb", 8176), "amplification"] == pytest.approx((7 / 3 + 4096) / (1000 * 8180))


def test_what_changed_most_comes_first(of):
    chapters = [of(synthetic.SECTION)]
    rows = lines(then_and_now.furthest(chapters, 3))[2:]
    far = [max(float(row[5].replace(",", "")), 1 / float(row[5].replace(",", ""))) for row in rows]
    assert far == sorted(far, reverse=True) and rows[0][0] == "MapDB"
    assert published.HARDWARE in then_and_now.in_short(chapters)


def test_the_sources_own_figures_bear_its_conclusions_out_but_where_they_tie():
    own = claims.printed(JULY, statements.CONCLUSION.tests)
    found = {claim.says: claim.check(own).verdict for claim in statements.CONCLUSION.claims}
    assert found["At 100 bytes LMDB writes faster than the other stores that sort"] == claims.HOLDS
    assert found["Near 2 KB LMDB writes random entries much slower than RocksDB and LevelDB"] == claims.HOLDS
    assert found["Around 4 KB there is not much between LMDB, LevelDB and RocksDB (a factor of 1.5 at most)"] == claims.HOLDS
    assert found["From 8 KB on LMDB writes materially faster than RocksDB and LevelDB"] == claims.HOLDS
    assert found["By 4 KB LMDB's overhead is immaterial (at most 1.1%)"] == claims.HOLDS
