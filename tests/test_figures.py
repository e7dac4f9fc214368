"""What figures and tables draw, held against what was planted: the noise floor, the row that a
value is from, and its unit.
"""

import pytest
import synthetic

from kvreport.analysis import conditions
from kvreport.base import paths
from kvreport.charts import chapter
from kvreport.charts.chapter import Chapter
from kvreport.claims import evidence
from kvreport.data import editions, published, runs
from kvreport.data.cases import Case
from kvreport.data.runs import Run
from kvreport.exhibits import (
    batches,
    crossover,
    fairness,
    leveldb,
    rankings,
    rocksjava,
    settings,
    sizes,
    tables,
    threads,
)

BASE, RANDOM = Case("int", "sequential"), Case("int", "random")
LARGE = Case("int", "sequential", 8176)


@pytest.fixture(scope="module")
def of(tmp_path_factory):
    with synthetic.shown(tmp_path_factory.mktemp("runs")):
        yield chapter.of


DIFFERENCES = {  # by section: what is said to differ there
    "01-lmdb-settings": lambda test: settings.changed(
        test, BASE, BASE._replace(settings="sync=on")
    ),
    "04-small-values": lambda test: rankings.pairs(test, RANDOM, "LmdbJavaBb", "MapDb"),
    "07-leveldb-page": lambda test: leveldb.rows_of(test, leveldb.EXHIBITS["C07"]),
    "08-threads": threads.rows_of,
    "10-rocksjava": rocksjava.compared,
    "12-fairness": lambda test: fairness.compared(test, RANDOM),
}


@pytest.mark.parametrize("section", DIFFERENCES)
def test_no_exhibit_finds_a_difference_below_the_noise_floor(of, section, monkeypatch):
    found = DIFFERENCES[section](of(section))["difference"].dropna()
    assert any(each.measurable for each in found)
    monkeypatch.setattr(Chapter, "floor", 1e9)
    monkeypatch.setattr(Chapter, "between", 1e3)
    found = DIFFERENCES[section](of(section))["difference"].dropna()
    assert len(found) and not any(each.measurable for each in found)


def test_below_the_noise_floor_none_is_slower(of, monkeypatch):
    monkeypatch.setattr(Chapter, "floor", 1e9)
    monkeypatch.setattr(Chapter, "between", 1e3)
    test = of(synthetic.SECTION)
    stores = len(evidence.measured(test).times[RANDOM, "write"])
    [ranks] = rankings.times(test, RANDOM, "write").frame.filter(like="times the fastest").T.values
    assert "Fastest" not in ranks, "noise is not rewarded"
    assert sum(str(rank).startswith("(") for rank in ranks) == stores > 5
    cells = tables.glance(test).frame.iloc[0][1:]  # "100: A, B and C" of all stores that write
    assert [cell.count(",") for cell in cells] == [stores - 2] * 4
    larger = [of(section) for section in ("05-medium-values", "06-large-values")]
    assert {len(names) for names in crossover.fastest(larger)["names"]} == {4}
    first = leveldb.fastest(of("07-leveldb-page"), ("C01",))
    assert len(first) == len(set(first["store"])) == 8


def test_batches_tie_that_differ_by_no_more_than_noise(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    monkeypatch.delenv("KVREPORT_RUN", raising=False)
    synthetic.write_run(tmp_path, stores=("LevelDbJni",), sections=["03-batch-sizes"])

    def slower(case: dict, trial: int) -> None:
        factor = 2 if case["settings"]["batch"] in ("0.1%", "1%") else 1
        for result in case["results"]:
            result["iteration_ns"] = [factor * ns for ns in result["iteration_ns"]]

    synthetic.edit(tmp_path, "LevelDbJni", slower, "03-batch-sizes")
    for between, shares in ((0, [10, 100]), (0.2, [0.1, 1, 10, 100])):  # that sessions add
        monkeypatch.setattr(Chapter, "between", between)
        [best] = batches.best(chapter.of("03-batch-sizes"), LARGE, "2016-07")["shares"]
        assert best == shares


def test_the_baseline_is_the_flat_files_even_where_a_store_is_faster(of):
    test = of(synthetic.SECTION)
    rows = test.case(RANDOM)
    rows = rows[rows["workload"] == "write"]
    own = rows.loc["FlatFile", "value"]
    faster = rows.assign(value=rows["value"].where(rows["store"] != "MapDb", own / 2))
    assert set(test.plot_rows(faster)["baseline"]) == {own}


def test_growth_is_of_all_bytes_and_a_sections_size_is_in_10_to_the_9(of):
    test = of("02-value-sizes")
    before, after = Case("int", "random", 2020), Case("int", "random", 2030)
    rows = rankings.growth(test, before, after)
    assert len(rows)
    for row in rows.to_dict("records"):
        store = next(id for id, of in synthetic.STORES.items() if of[0] == row["name"])
        over = synthetic.STORES[store][5]
        was, now = (1 + over / case.flat for case in (before, after))
        assert row["times"] == pytest.approx(now / was)
    largest = synthetic.ENTRIES * Case("int", "random", 16369).flat / 1e9
    assert rankings.scale(test, 1)["gigabytes"] == pytest.approx(largest)


def test_a_table_of_costs_has_each_stores_own(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    monkeypatch.delenv("KVREPORT_RUN", raising=False)
    stores = ("FlatFile", "LmdbJavaBb", "MapDb")
    name = synthetic.write_run(tmp_path, stores=stores, sections=[synthetic.SECTION])
    for at, store in enumerate(stores, 1):

        def cost(case: dict, trial: int, files: int = at) -> None:
            for result in case["results"]:
                result["store_files"] = files
            case["space"]["closed_bytes"] = 1000 * files + trial

        synthetic.edit(tmp_path, store, cost)
    test = chapter.of(synthetic.SECTION)
    shown = tables.costs(test, RANDOM, "write").frame.set_index("store")["store's open files"]
    assert dict(shown) == {"Flat file": "1", "LMDB BB": "2", "MapDB": "3"}
    rows = editions.of("a", [runs.load(name)]).rows
    rows = rows[rows["store"] == "MapDb"].groupby("trial")["closed_bytes"]
    assert rows.agg(["min", "max"]).values.tolist() == [[each] * 2 for each in (3001, 3002, 3003)]


def test_what_is_drawn_is_in_the_unit_that_it_names(of):
    """CPU of 14 ns in three passes over a thousand entries, in µs an entry; rates' intervals from
    the least; batches of whole entries, in 10^6 bytes; a share of the noise in percent.
    """
    rows = threads.rows_of(of("08-threads"))
    assert rows[rows["status"] == "ok"]["cpu"].tolist() == pytest.approx([14 / 3000 / 1e3] * 40)
    rates = leveldb.rows_of(of("07-leveldb-page"), leveldb.EXHIBITS["C07"])
    rates = rates[rates["status"] == "ok"]
    assert len(rates) and (rates["low"] < rates["value"]).all()
    assert (rates["value"] < rates["high"]).all()
    rows = batches.rows_of(of("03-batch-sizes"), LARGE, "2016-07")
    assert set(zip(rows["batch"], rows["batch_mb"])) == {
        (entries, entries * (4 + 8176) / 1e6) for entries in (1, 10, 100, 1000)
    }


def test_what_may_have_distorted_a_section_is_said_once_where_its_figures_are(of):
    test = of("05-medium-values")
    trials = [
        trial | {"stolen": 0.02, "busy_elsewhere": share}
        for trial, share in zip(test.trials, (0.51, 0.1, 0.3, None))
    ]
    full = "the disk of the work directory has {} GB left: a file system slows down"
    skipped = "section 15-beyond-memory was skipped: no control group"
    before = [full.format(83.6), skipped, full.format(7.0)]
    assert conditions.warnings(trials, {"warnings": before}) == [
        "other programs used up to 51% of the processors while Test 5 ran, in 2 of 4 trials",
        "the launcher warned that the disk of the work directory has 83.6 GB left",
    ]
    assert conditions.warnings([{"section": "05-x"}], {"warnings": []}) == []
    for told in (
        test.opening("A13").data,
        chapter.opening([test, of("04-small-values")], "x").data,
    ):
        assert told.count("other programs use 20% of the CPUs") == 1
    calm = Run("calm", test.run.environment | {"warnings": []}, test.trials)
    assert "Warning" not in Chapter(test.section, calm).opening("A13").data


def test_what_was_published_stands_beside_its_own_row(of):
    """Of A05 and of Table 1 of RocksJava, as the documents print them."""
    rows = sizes.overheads(of("02-value-sizes"), (2026, 2027))
    rows = rows[rows["store"] == "LmdbJavaDb"].set_index("value_bytes")["mark"]
    was = published.sizes("2016-07", 2)
    for size in (2026, 2027):
        case = Case("int", "random", size)
        entry = was["LmdbJavaDb", case].value
        assert rows[size] == pytest.approx(100 * (entry - case.flat) / case.flat)
    then = rocksjava.compared(of("10-rocksjava")).dropna(subset="then")
    printed = {
        exhibit: rates["RocksJava"].percent
        for (exhibit, _), rates in published.rocksjava_rates().items()
    }
    assert len(then) and all(printed[row.exhibit] == row.then for row in then.itertuples())
