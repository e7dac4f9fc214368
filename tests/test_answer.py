"""The first page: who is best at a need, who is level with them, and why a store has no place."""

import math
import re
from dataclasses import replace

import chapters
import pandas as pd
import pytest
import synthetic

from kvreport.analysis import answers, contrast, measured, model, moderated, ranking
from kvreport.analysis.measured import Measured
from kvreport.base import paths
from kvreport.data import facts, runs
from kvreport.data.cases import Case
from kvreport.data.needs import CPU, ORDERED, PURE_JAVA, SPACE, TAIL, TIME, Cell, Need, needs
from kvreport.render import book

SMALL, MEDIUM = synthetic.SECTION, "05-medium-values"
INT, STRING = Case("int", "random"), Case("string", "random")
GETS = Need(
    "gets",
    "gets",
    "time",
    (Cell(SMALL, INT, ("readKey",)), Cell(SMALL, STRING, ("readKey",))),
    ("sec-test-4",),
)


def fit(**logs: list[float]) -> model.Fit:
    trials = {store: {at: math.exp(x) for at, x in enumerate(own)} for store, own in logs.items()}
    return model.fit(trials)


def of(*fits: model.Fit) -> model.Mean:
    return model.Mean(fits, fits[0].stores, tuple(map(str, range(len(fits)))))


def ranked(*fits: model.Fit) -> pd.DataFrame:
    """The rows of stores of such fits, by name."""
    rows = [
        {"store": store, "name": store, "family": "B+ tree", "engine": "", "status": "ok"}
        | {"reason": "", "trial": at, "cost": math.exp(value)}
        for store, own in fits[0].logs.items()
        for at, value in own.items()
    ]
    placed = pd.DataFrame(rows).assign(place=0)
    return ranking.rank(placed, [of(*fits)], value="cost").set_index("store")


# --- several cells ---


def test_of_one_cell_a_need_is_compared_as_its_section_compares():
    one = replace(fit(A=[0.0, 0.3, 0.1], B=[0.2, 0.4, 0.35], C=[0.9, 1.3, 1.0]), between=0.01)
    found, known = of(one).compare("B", "A", 2), one.compare("B", "A", 2)
    assert (found.low, found.ratio, found.high) == pytest.approx(
        (known.low, known.ratio, known.high)
    )
    assert vars(found) == pytest.approx(vars(known))


def test_of_several_cells_the_mean_log_ratio_has_the_sum_of_their_variances():
    first = replace(fit(A=[0.0, 0.3, 0.1], B=[0.2, 0.4, 0.35]), between=0.04)
    second = replace(fit(A=[0.0, 0.1], B=[0.5, 0.66]), between=0.09)
    found = of(first, second).compare("B", "A", 3)
    parts = [each.error("B", "A") / 4 for each in (first, second)]
    freedom = sum(parts) ** 2 / sum(x**2 / each.freedom for x, each in zip(parts, (first, second)))
    error = math.sqrt(sum(parts) + ((0.2 + 0.3) / 2) ** 2)
    ratios = [each.compare("B", "A").ratio for each in (first, second)]
    assert found.ratio == pytest.approx(math.sqrt(ratios[0] * ratios[1]))
    reach = contrast.critical(3, freedom) * error
    assert math.log(found.high / found.ratio) == pytest.approx(reach)
    assert math.log(found.ratio / found.low) == pytest.approx(reach)
    assert found.between == pytest.approx(0.0625)
    assert found.variance == pytest.approx((first.variance + second.variance) / 2)
    assert found.error == pytest.approx(error)
    assert of(first, fit(A=[0.0], B=[1.0])).compare("B", "A") is None
    same = model.Mean((first, first), ("A", "B"), ("04", "04"))
    whole, alone = same.compare("B", "A"), first.compare("B", "A")
    assert same.compare("A", "A").error == first.compare("A", "A").error == 0
    assert whole.error == pytest.approx(alone.error), "what a machine measured twice, it knows once"


def test_level_is_shown_to_be_within_the_margin_and_what_lies_across_it_has_no_rank():
    tight = fit(A=[0.0, 0.01, 0.0], B=[0.05, 0.06, 0.06], C=[1.0, 1.01, 1.01])
    rows = ranked(tight)
    assert list(rows["verdict"]) == ["fastest", "level", "slower"]
    assert rows["ratio_high"]["B"] <= contrast.MARGIN < rows["ratio_low"]["C"]
    assert rows["ratio"]["C"] == pytest.approx(math.e, rel=0.01)
    for store in "BC":
        known = tight.compare(store, "A", 2)
        own = rows.loc[store, ["ratio_low", "ratio_high"]]
        assert list(own) == pytest.approx([known.low, known.high])
    loose = ranked(replace(tight, variance=0.5))
    assert set(loose["verdict"]) == {"too noisy"}, "nobody is told"
    some = replace(fit(A=[0.0, 0.0, 0.0], B=[0.05] * 3, C=[0.9] * 3), variance=0.01)
    assert list(ranked(some)["verdict"]) == ["fastest", "too noisy", "slower"], "noise is of one"
    most = replace(fit(A=[0.0] * 3, B=[0.05] * 3, C=[0.06] * 3, D=[0.9] * 3), variance=0.01)
    assert list(ranked(most)["verdict"]) == [*["too noisy"] * 3, "slower"], "of most: of the best"
    assert list(ranked(fit(A=[0.0, 0.1]))["verdict"]) == ["fastest"], "nobody is there beside it"


def test_who_is_best_is_named_with_those_that_may_be_level():
    def of(*verdicts: str) -> str:
        rows = pd.DataFrame({"name": list("ABCDEFG"[: len(verdicts)]), "verdict": verdicts})
        return ranking.best(rows, "or")

    assert of("fastest", "slower") == "A" and of("fastest", "level", "slower") == "A or B"
    assert of("fastest", "too noisy", "level") == "A or C, perhaps B"
    many = of("fastest", *["too noisy"] * 5)
    assert many == "A, perhaps B, C, D or 2 others"
    assert of("fastest", *["level"] * 5) == "A or 5 others level with it"
    assert of("too noisy", "too noisy", "slower") == of("one trial", "one trial") == ""


# --- on a run ---


@pytest.fixture
def sections(tmp_path, monkeypatch):
    monkeypatch.setattr(facts, "lacks", lambda store, fact: False)
    names = [SMALL, MEDIUM, "11-latency"]
    with synthetic.shown(tmp_path, sections=names):
        yield measured.shown_measurements(names)


def answer(sections, only: str | None = None, **changes) -> pd.DataFrame:
    """The rows of a need like GETS, by name."""
    asked = [only] if only else ()
    return answers.rank_needs([replace(GETS, **changes)], sections, asked).set_index("name")


def like(section: Measured, group: tuple | None = None, **changes) -> Measured:
    """A section that differs in these."""
    found = replace(section, **changes)
    if group:
        found.__dict__["group"] = group
    return found


def test_a_need_ranks_one_store_of_each_engine_and_says_why_others_are_left_out(sections):
    found = answer(sections)
    assert list(found.index) == ["LMDB", "Chronicle", "RocksDB", "LevelDB", "MapDB", "Xodus"], (
        "of three bindings the one that stands for LMDB; neither the flat file nor controls"
    )
    assert found["trials"]["RocksDB"] == 2, "it crashed once"
    assert set(found["sections"]) == {SMALL} and found["ratio"]["Chronicle"] == pytest.approx(1.5)
    assert list(found.loc["Xodus", ["verdict", "reason"]]) == ["n/a", synthetic.TIMEOUT]
    assert found["verdict"][:2].tolist() == ["fastest", "slower"]
    scans = answer(sections, cells=(Cell(SMALL, INT, ("readSeq",)),))
    assert scans["reason"]["Chronicle"] == synthetic.UNORDERED


def test_a_need_says_where_its_answer_turns(sections):
    medium, wide = sections[MEDIUM], INT._replace(value_bytes=2026)
    cells = (*GETS.cells, Cell(MEDIUM, wide, ("readKey",)))
    assert set(answer(sections, cells=cells)["turns"]) == {""}
    rows = medium.rows.copy()  # in which one that is slower in the other cell is by far the best
    own = (rows["store"] == "ChronicleMap") & (rows["workload"] == "readKey")
    rows.loc[own, "ns_per_entry"] /= 1.8
    found = answer(sections | {MEDIUM: like(medium, rows=rows)}, cells=cells)
    assert found["verdict"][:2].tolist() == ["fastest", "slower"], "in the mean"
    turned = set(found["turns"])
    assert turned == {"with 2,026-byte values: Chronicle"}


def test_a_store_without_what_a_need_asks_for_is_left_out(sections, monkeypatch):
    monkeypatch.setattr(facts, "lacks", lambda store, family, fact: store == "ChronicleMap")
    for found in (answer(sections, only=ORDERED), answer(sections, ORDERED)):
        assert found["reason"]["Chronicle"] == "keeps its keys in no order"
        assert math.isnan(found["ratio"]["Chronicle"]) and found["verdict"]["LMDB"] == "fastest"
    assert answer(sections, only=PURE_JAVA)["reason"]["Chronicle"] == "has native code"
    assert answer(sections)["ratio"]["Chronicle"] > 1, "which the need does not ask for"
    monkeypatch.setattr(facts, "lacks", lambda *_: True)
    nobody = answer(sections, only=ORDERED)
    assert len(nobody) == 6 and nobody["ratio"].isna().all()


def test_what_is_not_measured_or_on_another_machine_does_not_count(sections):
    cells = (*GETS.cells, Cell(MEDIUM, INT._replace(value_bytes=2026), ("readKey",)))
    assert set(answer(sections, cells=cells)["sections"]) == {f"{SMALL}, {MEDIUM}"}
    medium = sections[MEDIUM]
    elsewhere = sections | {MEDIUM: like(medium, ("elsewhere",))}
    assert set(answer(elsewhere, cells=cells)["sections"]) == {SMALL}
    few = medium.rows[medium.rows["store"].isin(["LmdbJavaBb", "ChronicleMap", "RocksDb"])]
    three = answer(sections | {MEDIUM: like(medium, rows=few)}, cells=cells)
    assert three["reason"]["MapDB"] == f"not measured in {MEDIUM}"
    failed = like(medium, rows=medium.rows.assign(status="failed"))
    one = answer(sections | {MEDIUM: failed}, cells=cells)
    assert set(one["sections"]) == {SMALL}, "a cell in which nothing succeeded"
    small = sections[SMALL]
    alone = like(small, rows=small.rows.query("store == 'FlatFile'"))
    assert len(alone.rows) and answer({SMALL: alone}).empty, "a baseline is no answer"
    unknown = (replace(GETS.cells[0], workloads=("noSuchWorkload",)),)
    for none in (answer({}), answer(sections, cells=unknown)):
        assert none.empty and list(none.columns) == [c for c in answers.COLUMNS if c != "name"]


def medians(section: Measured) -> pd.Series:
    rows = section.rows[(section.rows[list(Case._fields)] == list(INT)).all(axis=1)]
    return rows.groupby(["store", "workload"])["ns_per_entry"].median()


def test_of_several_workloads_each_store_is_taken_at_its_quickest(sections):
    found = answer(sections, cells=(Cell(SMALL, INT, ("write", "readSeq")),))
    times = medians(sections[SMALL])
    quickest = min(times["LmdbJavaBb", "write"], times["LmdbJavaBb", "readSeq"])
    expected = times["ChronicleMap", "write"] / quickest
    assert found["ratio"]["Chronicle"] == pytest.approx(expected, rel=0.02)


def test_space_and_cpu_and_the_slowest_gets_are_ranked_like_times(sections):
    cells = (Cell(SMALL, INT, ("write",)),)
    space = answer(sections, measure=SPACE, cells=cells)
    assert list(space.index)[:2] == ["LevelDB", "RocksDB"]
    rows = sections[SMALL].rows.query("workload == 'write' and keys == 'int' and order == 'random'")
    sizes = (rows["closed_bytes"] / rows["flat_bytes"]).groupby(rows["store"]).median()
    assert space["ratio"]["LMDB"] == pytest.approx(sizes["LmdbJavaBb"] / sizes["LevelDbJni"])
    assert space["ratio_low"]["LMDB"] == pytest.approx(space["ratio_high"]["LMDB"], rel=1e-3)
    cpu = answer(sections, measure=CPU, cells=cells)
    row = rows[(rows["store"] == "MapDb") & (rows["trial"] == 1)].iloc[0]
    during = (row["cpu_user_ns"] + row["cpu_system_ns"]) / row["passes"]
    after = row["after_load_cpu_user_ns"] + row["after_load_cpu_system_ns"]
    costs, _ = sections[SMALL].cost(cells[0], CPU)
    first = costs[(costs["store"] == "MapDb") & (costs["trial"] == 1)]["cost"].iloc[0]
    assert first == pytest.approx((during + after) / row["entries"]) and cpu["ratio"].iloc[0] == 1
    tails = (Cell("11-latency", INT._replace(settings="rate=1000"), ("getResponse",)),)
    tail = answer(sections, measure=TAIL, cells=tails)
    assert tail["ratio"].iloc[0] == 1 and tail["ratio"].notna().sum() > 3


def test_every_need_leads_to_the_chapters_of_its_sections():
    anchors = {
        file.stem: re.search(r"^# .*\{#(sec-[\w-]+)\}", book.first_markdown(file), re.MULTILINE)[1]
        for file in paths.CHAPTERS.glob("*.ipynb")
    }
    for need in needs():
        evidence = {anchors[section] for section in need.sections}
        evidence = {anchors["costs"]} if need.measure == CPU else evidence
        assert evidence <= set(need.chapters) <= set(anchors.values()), need.id
    assert {need.measure for need in needs()} == {TIME, SPACE, TAIL, CPU}


def test_a_trial_costs_what_it_took_and_of_workloads_the_median_chooses(sections):
    """By its median A writes in 10 ns, and loads in bulk in 20; by its mean it would load first."""
    times = {("A", "write"): (10, 10, 100), ("A", "bulkLoad"): (20, 20, 20)}
    times[("B", "write")] = 30, 60, 90
    rows = pd.DataFrame(
        [
            {"store": store, "workload": workload, "trial": at, "ns_per_entry": ns, "status": "ok"}
            for (store, workload), own in times.items()
            for at, ns in enumerate(own, 1)
        ]
    )
    found = measured.COSTS[TIME](rows)
    assert list(zip(found["store"], found["cost"])) == [
        *(("A", 10), ("A", 10), ("A", 100), ("B", 30), ("B", 60), ("B", 90))
    ]


def test_space_has_the_means_and_a_variance_for_each_store():
    found = fit(A=[0.0, 0.2], B=[1.0, 1.0, 1.0], C=[2.0, 2.0, 2.6]).each_by_itself()
    assert list(found.effects) == pytest.approx([0.1, 1.0, 2.2])
    own = {"A": 0.02 / 2, "B": 0.0, "C": 0.12 / 3}
    for pair in ("AB", "AC", "BC"):
        assert found.error(*pair) == pytest.approx(sum(own[each] for each in pair), abs=1e-9)
    assert found.freedom == 2, "of the store with the fewest trials, twice"
    assert model.fit({}).each_by_itself().freedom == 0
    one = fit(A=[0.0], B=[1.0, 1.2, 1.1], C=[2.0, 2.1, 2.3])
    assert one.freedom == 2 and one.each_by_itself().freedom == 0
    same = fit(A=[0.0, 0.0], B=[1.0, 1.0]).each_by_itself()
    assert same.error("A", "B") == pytest.approx(moderated.LEAST)
    noisy = fit(A=[0.0, 0.0, 0.0], B=[0.5, 0.5, 0.5], C=[1.0, 2.0, 3.0]).each_by_itself()
    known, wide = of(noisy).compare("B", "A"), of(noisy).compare("C", "A")
    assert (known.low, known.high) == pytest.approx([math.exp(0.5)] * 2, rel=1e-3)
    assert math.log(wide.high) - 2 == pytest.approx(contrast.critical(1, 4) * math.sqrt(1 / 3))


def test_one_trial_places_no_store_and_of_the_fastest_or_most_nobody(sections):
    rows = sections[SMALL].rows

    def with_one_trial_of(*stores):
        some = rows[~rows["store"].isin(stores) | (rows["trial"] == 1)]
        return answer(sections | {SMALL: like(sections[SMALL], rows=some)})

    found = with_one_trial_of("MapDb")
    assert found["verdict"]["MapDB"] == "one trial" and math.isnan(found["ratio_low"]["MapDB"])
    assert found["verdict"]["LMDB"] == "fastest" and found["tells"]["Chronicle"] > 1
    most = with_one_trial_of(*set(rows["store"]) - {"LmdbJavaBb"})
    assert set(most[most["ratio"].notna()]["verdict"]) == {"one trial"}
    found = with_one_trial_of("LmdbJavaBb")
    placed = found[found["ratio"].notna()]
    assert set(placed["verdict"]) == {"one trial"} and placed["ratio_low"].isna().all()
    assert placed["tells"].isna().all() and placed["minutes"].isna().all()


def test_minutes_are_those_of_the_rounds_that_would_tell(sections, monkeypatch):
    rows = sections[SMALL].rows
    noisy = like(sections[SMALL], rows=rows)
    stretch = {1: 0.6, 2: 1.0, 3: 1.5}
    of_trial = rows["trial"].map(stretch).where(rows["store"].isin(["ChronicleMap", "MapDb"]), 1.0)
    noisy = like(noisy, rows=rows.assign(ns_per_entry=rows["ns_per_entry"] * of_trial))
    monkeypatch.setattr(contrast, "MOST_TRIALS", 10_000)
    found = answer(sections | {SMALL: noisy})
    trials = runs.load(noisy.run, SMALL).trials
    one = sum(each["seconds"] + measured.START_SECONDS for each in trials) / 3
    minutes = found["minutes"].iloc[0]
    assert found["tells"].iloc[1] > answers.WANTED
    assert minutes > 0 and (minutes * 60 / one) >= 1, "at least a round"
    assert (
        math.isnan(answer(sections)["minutes"].iloc[0]) or answer(sections)["minutes"].iloc[0] == 0
    )


# --- the page ---


@pytest.mark.end_to_end
def test_the_page_has_every_store_s_facts_and_leads_to_the_vendors(tmp_path, monkeypatch):
    synthetic.write_run(tmp_path, sections=[SMALL, MEDIUM, "12-fairness", "11-latency"])
    page = chapters.execute(paths.ROOT / "index.ipynb", tmp_path, monkeypatch)
    table = page.variables["table"].set_index("name")
    assert set(table.index) <= {each for each, *_ in synthetic.STORES.values()}
    assert {"LMDB BB", "Chronicle", "RocksDB", "Xodus"} <= set(table.index)
    assert table["keys in order"]["LMDB BB"].startswith("[yes](https://")
    assert table["keys in order"]["Chronicle"].startswith("[no](")
    assert table["memory, MB"]["RocksDB"] > 0
    assert "A setting can matter more than the store" in page.text
    assert re.search(r"RocksDB takes 1\.(49|50) times as long at", page.text)
    assert "@sec-latency" in page.text and "single" not in page.text
    cells = page.variables["cells"].set_index(["name", "need"])
    lmdb, far = (cells.loc[(name, "random puts")] for name in ("LMDB", "MapDB†"))
    assert lmdb["best"] and lmdb["words"] == "1"
    assert not far["best"] and far["words"] == "1000"
