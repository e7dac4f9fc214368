"""The chooser's arithmetic, against what can be worked out by hand; test_chooser_page.py holds the
page's own to it.
"""

import json
from dataclasses import replace
from math import exp, log, nan, sqrt

import pandas as pd
import pytest
import synthetic

from kvreport.analysis import chooser, contrast, measured, model
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
from kvreport.analysis.measured import Measured
from kvreport.charts import chooser as page
from kvreport.data.cases import Case

CASE = Case("int", "random")
CRITICAL = [[contrast.critical(many, freedom) for freedom in FREEDOMS] for many in (1, 2, 3, 4, 5)]


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
    only_gets = chooser.cost(table, asked(get=1, put=0, scan=0), "A")
    assert only_gets.log == pytest.approx(log(100)), "what no program does need not be measured"
    assert chooser.cost(table, asked(get=0.5, scan=0.5), "A") is None, "no scan is measured"
    assert chooser.cost(table, asked(get=0, put=0), "A") is None
    synced = asked(tier=COMMIT, get=0.5, put=0.5)
    assert chooser.cost(table, synced, "A") is None, "no put of that tier is"
    assert chooser.cost(table, asked(tier=COMMIT, get=1), "A"), "which changes no get"


def test_critical_values_are_dunnetts_at_the_tables_columns_and_between_them_nearly():
    table = made({})
    for many in (1, 3, 5):
        for freedom in (2, 10, 1e6):
            known = contrast.critical(many, freedom)
            assert chooser.critical(table, many, freedom) == pytest.approx(known, rel=1e-12)
        for freedom in (2.5, 7, 12, 33):
            known = contrast.critical(many, freedom)
            assert chooser.critical(table, many, freedom) == pytest.approx(known, rel=0.02)
    assert chooser.critical(table, 99, 4) == contrast.critical(5, 4)
    assert chooser.critical(table, 1, 0.5) == contrast.critical(1, 1)


def test_stores_are_ranked_by_cost_and_held_to_the_best_as_on_the_first_page():
    def points(ns: float, variance: float = 1e-4, freedom: float = 10) -> list[list[float]]:
        return [[100, log(ns), variance, freedom]]

    table = made(
        {GET: {"B": points(100), "D": points(101), "A": points(200), "C": points(250, 0.5)}},
        between=4e-4,
    )
    best, level, behind, noisy = chooser.rank(table, asked(), "ABCD")
    assert [each.store for each in (best, level, behind, noisy)] == list("BDAC")
    assert (best.ratio, best.verdict) == (1, "fastest") and level.verdict == "level"
    assert chooser.rank(table, asked(), "A")[0].verdict == "fastest"
    assert behind.ratio == pytest.approx(2) and behind.verdict == "slower"
    freedom = (2e-4) ** 2 / (2 * 1e-8 / 10)
    reach = chooser.critical(table, 3, freedom) * sqrt(2e-4 + 4e-4)
    assert (behind.ratio_low, behind.ratio_high) == pytest.approx((2 * exp(-reach), 2 * exp(reach)))
    assert noisy.verdict == "too noisy"
    own = contrast.critical(1, 10) * 0.01
    assert (behind.low, behind.high) == pytest.approx((200 * exp(-own), 200 * exp(own)))
    assert [each.store for each in chooser.rank(table, asked(), "AD")] == ["D", "A"]
    assert chooser.rank(table, asked(value_bytes=99), "ABCD") == []
    single = made({GET: {"A": [[100, log(100), 0, 0]], "B": [[100, log(300), 0, 0]]}})
    first, second = chooser.rank(single, asked(), "AB")
    assert first.verdict == second.verdict == "one trial" and second.ratio == pytest.approx(3)
    assert first.low is second.ratio_low is None


# --- of what was measured ---


def test_the_table_has_one_store_of_each_engine_on_one_machine(tmp_path, monkeypatch):
    plain = ("write", "readKeyXxh64", "readXxh64")
    cases = [(Case(keys, "random"), plain) for keys in ("int", "string")]
    dense = Case("int", "dense"), plain
    monkeypatch.setitem(synthetic.CASES_OF, synthetic.SECTION, [*cases, dense])
    sections = [synthetic.SECTION, "07-leveldb-page", "15-beyond-memory"]
    with synthetic.shown(tmp_path, sections=sections):
        found, section = (
            page.choices(["MapDB"]),
            measured.shown_measurements(sections)[synthetic.SECTION],
        )
    table = found.table
    assert table.sections == sections
    gets = table.points[chooser.key("int", "random", NONE, MEMORY, GET)]
    assert set(gets) == {"LMDB", "Chronicle", "LevelDB", "RocksDB", "MapDB"}
    [[size, mean, variance, freedom]] = gets["Chronicle"]
    fit = section.fits[(*Case("int", "random"), "readKeyXxh64")]
    logs = fit.logs["ChronicleMap"].values()
    assert (size, mean) == (100, pytest.approx(sum(logs) / 3, rel=1e-5))
    assert (variance, freedom) == pytest.approx(fit.alone("ChronicleMap")[1:], rel=1e-5)
    assert not any("dense" in place for place in table.points)
    assert chooser.key("string", "random", COMMIT, MEMORY, PUT) in table.points
    assert chooser.key("int", "random", NONE, BEYOND, GET) in table.points
    assert table.space["int|random"]["LMDB"][0][0] == 100
    assert "Chronicle" not in table.points[chooser.key("int", "random", NONE, MEMORY, SCAN)]
    shown = found._repr_mimebundle_()["text/markdown"]
    for each in ("ranking", "chooser"):
        assert f'<script src="report/theme/{each}.js"></script>' in shown
    stores = json.loads(shown.split(">", 1)[1].split("</script>")[0])["stores"]
    assert [each["name"] for each in stores if each["lost"]] == ["MapDB"]
    mixes = found.mixes(get=0.5, put=0.5).query("keys == 'int'").set_index("name")
    best = chooser.rank(table, asked(get=0.5, put=0.5), ["LMDB", "Chronicle"])
    assert mixes["cost"]["Chronicle"] == pytest.approx(best[1].cost)
    assert mixes["verdict"].iloc[0] == "fastest" and mixes["verdict"]["MapDB"] == "slower"


def section(name: str, group: str = "here", between: float = 0.02, **changes) -> Measured:
    """A section with gets and puts of two stores, of whose loads one failed, and a control."""
    logs = {"ChronicleMap": [4.0, 4.2, 4.1], "MapDb": [5.0, 5.3, 5.2], "Control": [1.0, 1.0, 1.0]}
    trials = {store: {at: exp(each) for at, each in enumerate(own)} for store, own in logs.items()}
    fit = replace(model.fit(trials), between=between)
    case = Case("int", "random")
    rows = pd.DataFrame(
        {
            "store": ["ChronicleMap", "MapDb", "Control", "LmdbJavaBb"],
            "workload": "write",
            "closed_bytes": [2.0, nan, 9.0, 9.0],
            "flat_bytes": 3.0,
        }
    ).assign(**case._asdict())
    found = Measured(name, "run", rows)
    given = {
        "group": (group,),
        "engines": {"ChronicleMap": "Chronicle", "MapDb": "MapDb"},
        "fits": {(*case, workload): fit for workload in ("write", "readKeyXxh64")},
    }
    found.__dict__.update(given | changes)
    return found


def test_a_table_takes_what_is_measured_on_the_first_ones_machine():
    dense = Case("int", "dense")
    empty = section("empty", fits={(*dense, "write"): section("x").fits[(*CASE, "write")]})
    sections = [
        empty,
        section("04"),
        section("elsewhere", "there", between=9.0),
        section("05", between=0.01),
    ]
    table = chooser.table(sections)
    assert table.sections == ["04", "05"] and table.between == 0.02
    gets = table.points[chooser.key("int", "random", NONE, MEMORY, GET)]
    assert set(gets) == {"Chronicle", "MapDb"} and len(gets["MapDb"]) == 2
    assert len(table.critical) == 1, "one comparison, of two stores"
    assert table.critical[0] == [contrast.critical(1, freedom) for freedom in FREEDOMS]
    assert table.space == {"int|random": {"Chronicle": [[100, 0.6667], [100, 0.6667]]}}
    alone = chooser.table([section("04", engines={"MapDb": "MapDb"})])
    assert len(alone.critical) == 1
    assert chooser.table([empty]).sections == [] and chooser.table([]).critical
    here, there = chooser.tables(sections)
    assert here.as_json() == table.as_json() and there.sections == ["elsewhere"]
    assert there.between == 9.0, "what a session adds is each machine's own"
    assert [each.sections for each in chooser.tables([empty])] == [[]], "one, with nothing in it"


def test_a_puts_tier_is_its_cases_and_of_those_no_get_counts():
    cases = [CASE._replace(settings=settings) for settings in (*chooser.PAGE, "sync=on")]
    fit = section("04").fits[(*CASE, "write")]
    fits = {(*case, workload): fit for case in cases for workload in ("write", "readKeyXxh64")}
    table = chooser.table([section(chooser.LEVELDB_PAGE, fits=fits)])
    assert set(table.points) == {
        chooser.key("int", "random", tier, MEMORY, PUT) for tier in (chooser.PROCESS, COMMIT)
    }
    assert table.space == {}
    for case, place in (
        (CASE, (NONE, MEMORY)),
        (Case("int", "dense"), None),
        (Case("int", "random", content="half"), None),
        (Case("int", "random", settings="sync=on"), None),
    ):
        assert chooser._place("04-small-values", case) == place
    beyond = chooser.BEYOND_MEMORY
    assert chooser._place(beyond, Case("int", "random", 2026)) == (NONE, BEYOND)
    assert chooser._place(beyond, Case("int", "random", 2026, "readahead=on")) is None


def test_a_point_of_single_trials_has_no_variance_and_one_of_many_the_greatest_freedom():
    case, fit = CASE, section("04").fits[(*CASE, "write")]
    for freedom, kept in ((0, 0), (0.5, 0), (1, 1), (4, 4), (1e9, 1e6)):
        point = chooser._point(replace(fit, freedom=freedom, variance=0.3), "MapDb", case)
        assert point[:2] == [100, pytest.approx(5.5 - 1 / 3)] and point[3] == kept
        assert point[2] == pytest.approx(0.1 if kept else 0)


def test_degrees_of_freedom_of_a_sum_are_those_of_its_parts_that_scatter():
    assert chooser.satterthwaite([0.2, 0.0], [4, 0]) == pytest.approx(4)
    assert chooser.satterthwaite([0.2, 0.2], [4, 4]) == pytest.approx(8)
    assert chooser.satterthwaite([0.2, 0.1], [5, 0]) == pytest.approx(0.3**2 / (0.2**2 / 5))
    assert chooser.satterthwaite([0.0, 0.0], [4, 4]) == FREEDOMS[-1]
    assert chooser.satterthwaite([0.2], [1e9]) == FREEDOMS[-1]
    table = made({})
    assert chooser.critical(table, 2, 1e7) == CRITICAL[1][-1]


def test_one_part_of_single_trials_leaves_a_cost_without_an_interval():
    single, sure = [[100, log(100), 0, 0]], [[100, log(100), 0.01, 4]]
    table = made({GET: {"A": single, "B": sure}, PUT: {"A": sure, "B": sure}})
    half = asked(get=0.5, put=0.5)
    assert chooser.cost(table, half, "A").freedom == 0
    assert chooser.cost(table, half, "B").freedom == pytest.approx(8)
    first, second = chooser.rank(table, half, "BA")
    assert (first.store, second.store) == ("A", "B"), "of two that cost the same, by name"
    for each in (first, second):
        assert each.low is each.ratio_low is each.ratio_high is None
        assert each.verdict == "one trial"
    best, other = chooser.rank(made({GET: {"A": single, "B": [[100, 0, 0.01, 4]]}}), asked(), "AB")
    assert best.store == "B" and best.low < 1 < best.high
    assert other.low is other.ratio_low is None and other.ratio == pytest.approx(100)


def test_what_lies_across_the_margin_has_no_rank_nor_has_the_best_of_most_of_them():
    def ranked(ratio: float, variance: float):
        points = {"A": [[100, 0.0, 1e-6, 50]], "B": [[100, log(ratio), variance, 50]]}
        return chooser.rank(made({GET: points}), asked(), "AB")

    best, _ = ranked(1.2, 0.01)
    assert (best.ratio, best.ratio_low, best.ratio_high) == (1, 1, 1)
    for ratio, variance, verdict in (
        (1.05, 1e-6, "level"),
        (1.05, 0.01, "too noisy"),
        (1.45, 0.1, "too noisy"),
        (1.45, 1e-6, "slower"),
    ):
        best, other = ranked(ratio, variance)
        noisy = verdict == "too noisy"
        assert (best.verdict, other.verdict) == (verdict if noisy else "fastest", verdict)
    points = {"A": 1e-6, "B": 0.1, "C": 0.1, "D": 1e-6}
    table = made(
        {GET: {name: [[100, log(1 + (name == "D")), own, 50]] for name, own in points.items()}}
    )
    found = {each.store: each.verdict for each in chooser.rank(table, asked(), "ABCD")}
    assert found == {"A": "too noisy", "B": "too noisy", "C": "too noisy", "D": "slower"}
    found = {each.store: each.verdict for each in chooser.rank(table, asked(), "ABD")}
    assert found == {"A": "fastest", "B": "too noisy", "D": "slower"}, "half of them are told"
