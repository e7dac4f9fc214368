"""The chooser's arithmetic, against what can be worked out by hand; test_chooser_page.py holds the
page's own to it.
"""

import json
from math import exp, inf, log, sqrt

import pytest
import synthetic

from kvreport.analysis import chooser, model
from kvreport.analysis.chooser import (
    BEYOND,
    COMMIT,
    FREEDOMS,
    GET,
    MEMORY,
    NONE,
    PUT,
    SCAN,
    Query,
    Table,
)
from kvreport.data.cases import Case
from kvreport.exhibits import chapter
from kvreport.exhibits import chooser as exhibit

CRITICAL = [[model.critical(many, freedom) for freedom in FREEDOMS] for many in (1, 2, 3, 4, 5)]


def made(points: dict, between: float = 0.0) -> Table:
    """A table of int keys in random order, in memory."""
    keyed = {
        chooser.key("int", "random", NONE, MEMORY, operation): of
        for operation, of in points.items()
    }
    return Table(keyed, {}, between, CRITICAL, ["04-small-values"])


def asked(value_bytes: float = 100, tier: str = NONE, **shares: float) -> Query:
    return Query("int", "random", value_bytes, shares or {GET: 1.0}, tier)


# --- by hand ---


def test_between_two_sizes_the_log_of_a_time_is_linear_in_the_log_of_the_size():
    points = [[100, log(10), 0.01, 4], [1600, log(1000), 0.04, 8]]
    middle = chooser.at_size(points, 400)
    assert exp(middle.log) == pytest.approx(100) and middle.variance == pytest.approx(0.0125)
    freedom = 0.0125**2 / (0.0025**2 / 4 + 0.01**2 / 8)
    assert middle.freedom == pytest.approx(freedom)
    assert chooser.at_size(points, 100) == (log(10), 0.01, pytest.approx(4))
    assert chooser.at_size(points, 1600).log == pytest.approx(log(1000))
    assert chooser.at_size(points, 99) is chooser.at_size(points, 1601) is None
    assert chooser.at_size(points[:1], 100).log == log(10)
    assert chooser.at_size(points[:1], 101) is chooser.at_size([], 100) is None
    single = [points[0], [1600, log(1000), 0, 0]]
    assert chooser.at_size(single, 400).freedom == 0 and chooser.at_size(single, 100).freedom == 4


def test_a_mix_costs_the_sum_of_its_parts_and_its_error_theirs_by_the_delta_method():
    table = made({GET: {"A": [[100, log(100), 0.01, 4]]}, PUT: {"A": [[100, log(900), 0.04, 4]]}})
    found = chooser.cost(table, asked(get=0.75, put=0.25), "A")
    assert exp(found.log) == pytest.approx(300)
    assert found.variance == pytest.approx(0.25**2 * 0.01 + 0.75**2 * 0.04)
    assert chooser.cost(table, asked(get=1, put=0), "A").log == pytest.approx(log(100))
    assert chooser.cost(table, asked(get=0.5, scan=0.5), "A") is None, "no scan is measured"
    assert chooser.cost(table, asked(get=0, put=0), "A") is None
    synced = asked(tier=COMMIT, get=0.5, put=0.5)
    assert chooser.cost(table, synced, "A") is None, "no put of that tier is"
    assert chooser.cost(table, asked(tier=COMMIT, get=1), "A"), "which changes no get"


def test_critical_values_are_dunnetts_at_the_tables_columns_and_between_them_nearly():
    table = made({})
    for many in (1, 3, 5):
        for freedom in (2, 10, 1e6):
            known = model.critical(many, freedom)
            assert chooser.critical(table, many, freedom) == pytest.approx(known, rel=1e-12)
        for freedom in (2.5, 7, 12, 33):
            known = model.critical(many, freedom)
            assert chooser.critical(table, many, freedom) == pytest.approx(known, rel=0.02)
    assert chooser.critical(table, 99, 4) == model.critical(5, 4)
    assert chooser.critical(table, 1, 0.5) == model.critical(1, 1)


def test_stores_are_ranked_by_cost_and_held_to_the_best_as_on_the_first_page():
    def points(ns: float, variance: float = 1e-4, freedom: float = 10) -> list[list[float]]:
        return [[100, log(ns), variance, freedom]]

    table = made(
        {GET: {"A": points(100), "B": points(104), "C": points(200), "D": points(250, 0.5)}},
        between=4e-4,
    )
    best, level, behind, noisy = chooser.rank(table, asked(), "DCBA")
    assert [each.store for each in (best, level, behind, noisy)] == list("ABCD")
    assert (best.ratio, best.tied) == (1, True) and level.tied and not level.noisy
    assert behind.ratio == pytest.approx(2) and not behind.tied
    freedom = (2e-4) ** 2 / (2 * 1e-8 / 10)
    reach = chooser.critical(table, 3, freedom) * sqrt(2e-4 + 4e-4)
    assert (behind.ratio_low, behind.ratio_high) == pytest.approx((2 * exp(-reach), 2 * exp(reach)))
    assert noisy.tied and noisy.noisy
    own = model.critical(1, 10) * 0.01
    assert (behind.low, behind.high) == pytest.approx((200 * exp(-own), 200 * exp(own)))
    assert [each.store for each in chooser.rank(table, asked(), "CB")] == ["B", "C"]
    assert chooser.rank(table, asked(value_bytes=99), "ABCD") == []
    single = made({GET: {"A": [[100, log(100), 0, 0]], "B": [[100, log(300), 0, 0]]}})
    first, second = chooser.rank(single, asked(), "AB")
    assert first.tied and not second.tied and second.ratio == pytest.approx(3)
    assert first.low is second.ratio_low is None


def test_what_is_not_measured_names_the_operation_and_the_nearest_size():
    table = made({GET: {"A": [[100, 1, 0, 1], [2026, 2, 0, 1]], "B": [[100, 1, 0, 1]]}})
    assert chooser.nearest(table, asked(4000), "A") == (GET, 2026)
    assert chooser.nearest(table, asked(50), "A") == (GET, 100)
    assert chooser.nearest(table, asked(get=0.5, scan=0.5), "A") == (SCAN, inf)
    assert chooser.nearest(table, asked(500), "A") is None


# --- of what was measured ---


def test_the_table_has_one_store_of_each_engine_on_one_machine(tmp_path, monkeypatch):
    plain = ("write", "readKeyXxh64", "readXxh64")
    cases = [(Case(keys, "random"), plain) for keys in ("int", "string")]
    dense = Case("int", "dense"), plain
    monkeypatch.setitem(synthetic.CASES_OF, synthetic.SECTION, [*cases, dense])
    sections = [synthetic.SECTION, "07-leveldb-page", "15-beyond-memory"]
    with synthetic.shown(tmp_path, sections=sections):
        found = exhibit.of(sections)
        section = chapter.of(synthetic.SECTION)
    table = found.table
    assert table.sections == sections
    gets = table.points[chooser.key("int", "random", NONE, MEMORY, GET)]
    assert set(gets) == {"LMDB", "Chronicle", "LevelDB", "RocksDB", "MapDB"}
    [[size, mean, variance, freedom]] = gets["Chronicle"]
    fit = section.fits[(*Case("int", "random"), "readKeyXxh64")]
    logs = fit.logs["ChronicleMap"].values()
    assert (size, mean) == (100, pytest.approx(sum(logs) / 3, rel=1e-5))
    assert (variance, freedom) == pytest.approx((fit.variance / 3, min(fit.freedom, 1e6)), rel=1e-5)
    assert not any("dense" in place for place in table.points)
    assert chooser.key("string", "random", COMMIT, MEMORY, PUT) in table.points
    assert chooser.key("int", "random", NONE, BEYOND, GET) in table.points
    assert table.space["int|random"]["LMDB"][0][0] == 100
    assert "Chronicle" not in table.points[chooser.key("int", "random", NONE, MEMORY, SCAN)]
    assert "LMDB" in found.printed().data
    shown = found.page("")._repr_mimebundle_()["text/markdown"]
    assert '<script src="report/theme/chooser.js"></script>' in shown
    assert json.loads(shown.split(">", 1)[1].split("</script>")[0])["stores"][0]["name"]
