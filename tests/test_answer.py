"""The first page: who is best at a need, who is level with them, and what is said of it."""

import json
import math
import re
import shutil
from dataclasses import replace
from datetime import date
from types import SimpleNamespace

import pandas as pd
import pytest
import synthetic

from kvreport.analysis import answer, model, moderated
from kvreport.analysis.results import SectionResults
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.text import number
from kvreport.charts import chapter
from kvreport.data import facts
from kvreport.data.cases import Case
from kvreport.data.needs import CPU, MIX, ORDERED, PURE_JAVA, SPACE, TAIL, TIME, Cell, Need, needs
from kvreport.exhibits import costs, features
from kvreport.exhibits import latency as shown_latency
from kvreport.exhibits.answer import Answer, first_rank
from kvreport.render import book

SMALL, MEDIUM = synthetic.SECTION, "05-medium-values"
INT, STRING = Case("int", "random"), Case("string", "random")
GETS = Need(
    "gets",
    "gets",
    "for gets",
    "time",
    (Cell(SMALL, INT, ("readKey",)), Cell(SMALL, STRING, ("readKey",))),
    ("sec-test-4",),
)


def fit(**logs: list[float]) -> model.Fit:
    trials = {store: {at: math.exp(x) for at, x in enumerate(own)} for store, own in logs.items()}
    return model.fit(trials)


def nothing_lacks(store: str, fact: str) -> bool:
    return False


# --- several cells ---


def test_of_one_cell_a_need_is_compared_as_its_section_compares():
    one = replace(fit(A=[0.0, 0.3, 0.1], B=[0.2, 0.4, 0.35], C=[0.9, 1.3, 1.0]), between=0.01)
    found, known = answer.compare([one], "B", "A", 2), one.compare("B", "A", 2)
    assert (found.low, found.ratio, found.high) == pytest.approx(
        (known.low, known.ratio, known.high)
    )
    assert vars(found.scatter) == pytest.approx(vars(known.scatter))
    assert (found.difference, found.comparisons) == (known.difference, 2)


def test_of_several_cells_the_mean_log_ratio_has_the_sum_of_their_variances():
    first = replace(fit(A=[0.0, 0.3, 0.1], B=[0.2, 0.4, 0.35]), between=0.04)
    second = replace(fit(A=[0.0, 0.1], B=[0.5, 0.66]), between=0.09)
    found = answer.compare([first, second], "B", "A", 3)
    parts = [(each.error("B", "A") - each.between) / 4 for each in (first, second)]
    freedom = sum(parts) ** 2 / sum(x**2 / each.freedom for x, each in zip(parts, (first, second)))
    error = math.sqrt(sum(parts) + ((0.2 + 0.3) / 2) ** 2)
    ratios = [each.compare("B", "A").ratio for each in (first, second)]
    assert found.ratio == pytest.approx(math.sqrt(ratios[0] * ratios[1]))
    reach = model.critical(3, freedom) * error
    assert math.log(found.high / found.ratio) == pytest.approx(reach)
    assert math.log(found.ratio / found.low) == pytest.approx(reach)
    assert found.scatter.between == pytest.approx(0.0625)
    assert found.scatter.variance == pytest.approx((first.variance + second.variance) / 2)
    single = fit(A=[0.0], B=[1.0])
    assert answer.compare([first, single], "B", "A") is None


def test_who_may_be_as_near_as_the_margin_is_level_and_who_is_so_by_noise_has_no_rank():
    tight = fit(A=[0.0, 0.01, 0.0], B=[0.05, 0.06, 0.06], C=[1.0, 1.01, 1.01])
    best, level, behind = answer._places([tight], {"A": "Alpha", "B": "Beta", "C": "Gamma"})
    assert (best.name, best.ratio, best.tied, best.noisy) == ("Alpha", 1, True, False)
    assert level.tied and not level.noisy and level.low <= model.MARGIN < behind.low
    assert not behind.tied and behind.ratio == pytest.approx(math.e, rel=0.01)
    loose = replace(tight, variance=0.5)
    first, near, noisy = answer._places([loose], {"A": "Alpha", "B": "Beta", "C": "Gamma"})
    assert noisy.tied and noisy.noisy
    assert near.ratio < model.PLACEABLE and near.high > model.WIDEST and near.noisy
    assert first.noisy and not answer.Ranking(GETS, (first, near, noisy)).best, "nobody is told"
    assert (first.name, first.ratio) == ("Alpha", 1)
    one = replace(tight, variance=0.02)
    assert not answer._places([one], {"A": "Alpha", "B": "Beta", "C": "Gamma"})[0].noisy
    some = replace(fit(A=[0.0, 0.0, 0.0], B=[0.05] * 3, C=[0.47] * 3), variance=0.03)
    first, near, far = answer._places([some], {"A": "Alpha", "B": "Beta", "C": "Gamma"})
    assert (near.noisy, far.noisy) == (False, True), "noise is that of one"
    assert (first.name, first.noisy) == ("Alpha", False)
    [alone] = answer._places([tight], {"A": "Alpha"})
    assert not alone.noisy, "nobody is there to be told from"
    ranking = answer.Ranking(GETS, (best, level, noisy, behind))
    assert [place.name for place in ranking.best] == ["Alpha", "Beta"]
    assert ranking.following is behind and ranking.of("Beta") is level and ranking.of("x") is None
    singles = answer._places([fit(A=[0.0], B=[0.2])], {"A": "Alpha", "B": "Beta"})
    assert [(each.name, each.tied) for each in singles] == [("Alpha", True), ("Beta", False)]
    assert singles[1].ratio == pytest.approx(math.exp(0.2)) and math.isnan(singles[1].low)


@pytest.mark.parametrize(("high", "noisy"), [(3.9, False), (4.2, True)])
def test_a_store_whose_interval_reaches_beyond_four_times_the_best_has_no_rank(high, noisy):
    one = fit(A=[0.0, 0.01, 0.0], B=[0.2, 0.21, 0.2])
    reach = math.log(high) - one.effect("B") + one.effect("A")
    error = reach / model.critical(1, one.freedom)
    _, other = answer._places([replace(one, variance=error**2 * 3 / 2)], {"A": "A", "B": "B"})
    assert other.high == pytest.approx(high) and other.tied and other.noisy == noisy


def test_stores_come_by_how_often_nothing_is_better_then_by_their_mean():
    def ranking(**ratios: float) -> answer.Ranking:
        places = [answer.Place(n, n, r, r, r, tied=r == 1) for n, r in ratios.items()]
        return answer.Ranking(GETS, tuple(places))

    rankings = {"a": ranking(A=1, B=2, C=9), "b": ranking(B=1, C=2), "c": ranking(C=1, B=9, D=2)}
    assert answer.order(rankings) == ["A", "B", "C", "D"]
    assert answer.order(rankings | {"d": ranking(C=1)}) == ["C", "A", "B", "D"]


# --- on a run ---


@pytest.fixture
def sections(tmp_path):
    with synthetic.shown(tmp_path, sections=[SMALL, MEDIUM, "11-latency"]):
        yield {each: chapter.of(each) for each in (SMALL, MEDIUM, "11-latency")}


def like(section: SectionResults, **changes) -> SimpleNamespace:
    """A section that differs in these."""
    names = ("measured", "comparison_group", "engines", "fits", "case", "name")
    return SimpleNamespace(**{name: getattr(section, name) for name in names} | changes)


def test_a_need_ranks_one_store_of_each_engine_and_says_why_others_are_left_out(sections):
    found = answer.rank(GETS, sections, nothing_lacks)
    assert [place.name for place in found.places] == [
        *("LMDB", "Chronicle", "RocksDB", "LevelDB", "MapDB"),
    ], "of three bindings the one that stands for LMDB; neither the flat file nor controls"
    assert found.trials == 2 and found.sections == (SMALL,), "RocksDB crashed once"
    assert found.places[1].ratio == pytest.approx(1.5) and not found.problem
    assert found.left_out == {"Xodus": synthetic.TIMEOUT}
    scans = replace(GETS, cells=(Cell(SMALL, INT, ("readSeq",)),))
    assert answer.rank(scans, sections, nothing_lacks).left_out["Chronicle"] == synthetic.UNORDERED


def test_a_store_without_what_a_need_asks_for_is_left_out(sections):
    def lacks(store: str, fact: str) -> bool:
        return store == "ChronicleMap"

    ordered, java = (
        answer.rank(replace(GETS, only=fact), sections, lacks) for fact in (ORDERED, PURE_JAVA)
    )
    assert ordered.left_out["Chronicle"] == "keeps its keys in no order"
    assert java.left_out["Chronicle"] == "has native code"
    assert "Chronicle" not in [place.name for place in ordered.places]
    assert answer.rank(GETS, sections, lacks).of("Chronicle"), "which the need does not ask for"


def test_what_is_not_measured_or_on_another_machine_does_not_count(sections):
    cells = (*GETS.cells, Cell(MEDIUM, INT._replace(value_bytes=2026), ("readKey",)))
    both = answer.rank(replace(GETS, cells=cells), sections, nothing_lacks)
    assert both.sections == (SMALL, MEDIUM)
    elsewhere = like(sections[MEDIUM], comparison_group=("elsewhere",))
    one = answer.rank(replace(GETS, cells=cells), sections | {MEDIUM: elsewhere}, nothing_lacks)
    assert one.sections == (SMALL,)
    fewer = like(sections[MEDIUM], engines=["LmdbJavaBb", "ChronicleMap", "RocksDb"])
    three = answer.rank(replace(GETS, cells=cells), sections | {MEDIUM: fewer}, nothing_lacks)
    assert three.left_out["MapDB"] == "not measured in 05-medium-values"
    whole = sections[MEDIUM].case(cells[-1].case)
    failed = like(sections[MEDIUM], case=lambda _: whole.assign(status="failed"))
    one = answer.rank(replace(GETS, cells=cells), sections | {MEDIUM: failed}, nothing_lacks)
    assert one.sections == (SMALL,), "a cell in which nothing succeeded"
    good = like(sections[MEDIUM], case=lambda _: whole[whole["status"] == "ok"])
    assert answer._is_measured(good, cells[-1])
    for known in ({}, {SMALL: chapter.of("none")}):
        none = answer.rank(GETS, known, nothing_lacks)
        assert none.problem == answer.NOTHING and not none.places and none.following is None
    nobody = answer.rank(replace(GETS, only=ORDERED), sections, lambda *_: True)
    assert nobody.problem == answer.NOTHING and len(nobody.left_out) == 6


def test_of_several_workloads_each_store_is_taken_at_its_quickest(sections):
    either = replace(GETS, cells=(Cell(SMALL, INT, ("write", "readSeq")),))
    found = answer.rank(either, sections, nothing_lacks)
    times = sections[SMALL].case(INT).set_index(["store", "workload"])["value"]
    quickest = min(times["LmdbJavaBb", "write"], times["LmdbJavaBb", "readSeq"])
    expected = times["ChronicleMap", "write"] / quickest
    assert found.of("Chronicle").ratio == pytest.approx(expected, rel=0.02)


def test_a_mix_costs_each_operation_s_share_of_what_it_takes(sections):
    cell = Cell(SMALL, INT, ("write", "readKey"), (0.75, 0.25))
    found = answer.rank(replace(GETS, measure=MIX, cells=(cell,)), sections, nothing_lacks)
    times = sections[SMALL].case(INT).set_index(["store", "workload"])["value"]
    of = {
        store: 0.25 * times[store, "readKey"] + 0.75 * times[store, "write"]
        for store in ("ChronicleMap", "LmdbJavaBb")
    }
    expected = of["ChronicleMap"] / of["LmdbJavaBb"]
    assert found.of("Chronicle").ratio == pytest.approx(expected, rel=0.02)
    assert found.of("Chronicle").low < expected < found.of("Chronicle").high
    own = answer._trials(sections[SMALL], cell, MIX)["ChronicleMap"]
    assert sorted(own.values())[1] == pytest.approx(of["ChronicleMap"], rel=1e-3), (
        "of the middle trial"
    )
    whole = sections[SMALL].case(INT)
    half = like(sections[SMALL], case=lambda _: whole[whole["workload"] == "write"])
    assert not answer._is_measured(half, cell), "a part of a mix is none"
    assert answer._is_measured(half, replace(cell, shares=())), "of either, one is enough"


def test_every_need_leads_to_the_chapters_of_its_sections():
    anchors = {
        file.stem: re.search(r"^# .*\{#(sec-[\w-]+)\}", book.first_markdown(file), re.MULTILINE)[1]
        for file in paths.CHAPTERS.glob("*.ipynb")
    }
    for need in needs():
        evidence = {anchors[section] for section in need.sections}
        evidence = {anchors["costs"]} if need.measure == CPU else evidence
        assert evidence <= set(need.chapters) <= set(anchors.values()), need.id
    assert {need.measure for need in needs()} == {TIME, MIX, SPACE, TAIL, CPU}


def test_space_and_cpu_and_the_slowest_gets_are_ranked_like_times(sections):
    cells = (Cell(SMALL, INT, ("write",)),)
    space = answer.rank(replace(GETS, measure=SPACE, cells=cells), sections, nothing_lacks)
    assert [place.name for place in space.places][:2] == ["LevelDB", "RocksDB"]
    sizes = sections[SMALL].sizes(INT)["value"]
    expected = sizes["LmdbJavaBb"] / sizes["LevelDbJni"]
    assert space.of("LMDB").ratio == pytest.approx(expected)
    assert space.of("LMDB").low == pytest.approx(space.of("LMDB").high, rel=1e-3)
    noisy = fit(A=[0.0, 0.0, 0.0], B=[0.5, 0.5, 0.5], C=[1.0, 2.0, 3.0])
    own = answer._each_by_itself(noisy)
    known = answer.compare([own], "B", "A")
    assert known.low == pytest.approx(known.high) == pytest.approx(math.exp(0.5))
    wide = answer.compare([own], "C", "A")
    assert math.log(wide.high) - 2 == pytest.approx(model.critical(1, 4) * math.sqrt(1 / 3))
    assert answer._each_by_itself(fit(A=[0.0], B=[1.0])).freedom == 0
    cpu = answer.rank(replace(GETS, measure=CPU, cells=cells), sections, nothing_lacks)
    assert cpu.places and cpu.places[0].ratio == 1
    tails = (Cell("11-latency", INT, ("getResponse",)),)
    tail = answer.rank(replace(GETS, measure=TAIL, cells=tails), sections, nothing_lacks)
    assert tail.problem or tail.places[0].ratio == 1


def test_a_cell_costs_what_its_trials_took_and_space_alone_is_free_of_the_sessions_part():
    """By its median A writes in 10 ns, and loads in bulk in 20; by its mean it would load first."""
    times = {("A", "write"): (10, 10, 100), ("A", "bulkLoad"): (20, 20, 20)}
    times[("B", "write")] = 30, 60, 90
    rows = pd.DataFrame(
        [
            {"store": store, "workload": workload, "trial": at, "ns_per_entry": ns, "status": "ok"}
            for (store, workload), own in times.items()
            for at, ns in enumerate(own, 1)
        ]
    ).assign(**INT._asdict())
    loads = pd.DataFrame({"store": list("AAABBB"), "trial": [1, 2, 3] * 2}).assign(
        closed_bytes=[300, 300, 300, 200, 400, 800], flat_bytes=200, **INT._asdict()
    )
    section = SimpleNamespace(frame=rows, loads=loads, between=0.25)
    cell = Cell(SMALL, INT, ("write", "bulkLoad"))
    assert answer._trials(section, cell, TIME) == {
        "A": {1: 10.0, 2: 10.0, 3: 100.0},
        "B": {1: 30.0, 2: 60.0, 3: 90.0},
    }
    assert answer._trials(section, cell, SPACE) == {
        "A": {1: 1.5, 2: 1.5, 3: 1.5},
        "B": {1: 1.0, 2: 2.0, 3: 4.0},
    }
    assert answer._fit(section, cell, TIME).between == 0.25
    space = answer._fit(section, cell, SPACE)
    assert space.between == 0
    own = space.unscaled.diagonal() * space.variance
    assert list(own) == pytest.approx([0, math.log(2) ** 2 / 3]), "each store's own variance"


def test_places_are_compared_as_often_as_there_are_others_and_may_be_of_single_trials():
    tight = fit(A=[0.0, 0.01, 0.0], B=[0.05, 0.06, 0.06], C=[1.0, 1.01, 1.01])
    names = {"A": "Alpha", "B": "Beta", "C": "Gamma"}
    best, *others = answer._places([tight], names)
    assert (best.low, best.high) == (1, 1)
    for place in others:
        known = tight.compare(place.store, "A", 2)
        assert (place.low, place.high) == pytest.approx((known.low, known.high))
    singles = answer._places([fit(A=[0.0], B=[0.2], C=[0.1])], names)
    assert [place.name for place in singles] == ["Alpha", "Gamma", "Beta"]
    for far, variance, noisy in ((1.45, 0.2, False), (1.55, 0.2, True), (1.45, 9.0, True)):
        loose = replace(fit(A=[0.0] * 10, B=[math.log(far)] * 10), variance=variance)
        first, other = answer._places([loose], {"A": "", "B": ""})
        assert other.tied and other.noisy == first.noisy == noisy


def test_what_could_be_told_is_of_the_second_against_the_best():
    tight = fit(A=[0.0, 0.01, 0.0], B=[0.05, 0.06, 0.06], C=[1.0, 1.01, 1.01])
    places = answer._places([tight], {"A": "Alpha", "B": "Beta", "C": "Gamma"})

    def ranking(fits: list[model.Fit], some: tuple[answer.Place, ...]) -> answer.Ranking:
        return answer.Ranking(GETS, some, trials=3, scatter=answer._scatter(fits, some))

    scatter = answer.compare([tight], "B", "A", 2).scatter
    found = ranking([tight], places)
    assert found.tells == pytest.approx(scatter.smallest_ratio(3, 2))
    assert found.trials_needed(1.01) == scatter.trials_needed(1.01, 2)
    two = ranking([tight], places[:2])
    assert two.tells == pytest.approx(tight.compare("B", "A").scatter.smallest_ratio(3, 1))
    assert math.isnan(ranking([tight], places[:1]).tells)
    single = fit(A=[0.0], B=[0.2])
    alone = ranking([single], answer._places([single], {"A": "", "B": ""}))
    assert math.isnan(alone.tells) and alone.trials_needed(2) is None


def test_space_has_the_means_and_a_variance_for_each_store():
    found = answer._each_by_itself(fit(A=[0.0, 0.2], B=[1.0, 1.0, 1.0], C=[2.0, 2.0, 2.6]))
    assert list(found.effects) == pytest.approx([0.1, 1.0, 2.2])
    own = [0.02 / 2, 0.0, 0.12 / 3]
    assert list(found.unscaled.diagonal() * found.variance) == pytest.approx(own)
    assert found.freedom == 2, "of the store with the fewest trials, twice"
    assert answer._each_by_itself(model.fit({})).freedom == 0
    one = fit(A=[0.0], B=[1.0, 1.2, 1.1], C=[2.0, 2.1, 2.3])
    assert one.freedom == 2 and answer._each_by_itself(one).freedom == 0
    same = answer._each_by_itself(fit(A=[0.0, 0.0], B=[1.0, 1.0]))
    assert same.variance == moderated.LEAST and not same.unscaled.any()


def test_a_cost_of_nothing_is_none():
    rows = pd.DataFrame({"store": list("AABB"), "trial": [1, 2, 1, 2]})
    values = pd.Series([1.0, 0.0, math.nan, 3.0])
    assert answer._by_round(rows, values) == {"A": {1: 1.0}, "B": {2: 3.0}}


def test_why_a_store_has_no_place_is_what_was_recorded_or_that_nothing_was(sections):
    cell = Cell(SMALL, INT, ("w",))

    def why(*reasons) -> str:
        rows = pd.DataFrame({"store": "A", "workload": "w", "reason": reasons}, dtype=object)
        section = SimpleNamespace(engines=("A",), case=lambda _: rows)
        return answer._reason(GETS, "A", [cell], [fit(B=[0.0])], {SMALL: section}, nothing_lacks)

    assert why(None, math.nan, "", "it ended") == "it ended"
    assert why(None, "") == why() == "not measured"
    unknown = replace(GETS, cells=(Cell(SMALL, INT, ("noSuchWorkload",)),))
    found = answer.rank(unknown, sections, nothing_lacks)
    assert found.problem == answer.NOTHING and found.left_out is None
    assert found.trials == 0 and found.sections == ()
    nobody = answer.rank(replace(GETS, only=ORDERED), sections, lambda *_: True)
    assert nobody.sections == (SMALL,)
    assert answer.PERCENTILE == shown_latency.TAIL, "what its chapter speaks of"


def test_a_store_is_placed_by_the_mean_of_as_many_needs_as_it_has():
    def ranking(**ratios: float) -> answer.Ranking:
        places = [answer.Place(n, n, r, r, r, tied=r == 1) for n, r in ratios.items()]
        return answer.Ranking(GETS, tuple(places))

    often = {"a": ranking(Best=1, A=2, D=3), "b": ranking(Best=1, A=2)}
    assert answer.order(often) == ["Best", "A", "D"]
    once_far = {"a": ranking(Best=1, A=8, D=3), "b": ranking(Best=1, A=1.2)}
    assert answer.order(once_far) == ["Best", "D", "A"]


# --- what is said ---


@pytest.fixture
def said(sections, monkeypatch):
    monkeypatch.setattr(facts, "lacks", lambda store, fact: False)

    def of(known=sections, lost=None, **changes) -> Answer:
        need = replace(GETS, **changes)
        return Answer(known, (need, replace(need, id="space")), lost)

    return of


def test_a_sentence_names_the_best_and_the_next_with_its_ratio_and_interval(said):
    found = said()
    sentence = found.sentence("gets")
    following = found.rankings["gets"].following
    assert sentence.startswith("**Take LMDB** for gets; Chronicle is next (1.50×")
    assert found.sentence("gets", at_home=True) == sentence.replace(" (@sec-test-4)", "")
    two = said(chapters=("sec-test-4", "sec-test-5"))
    assert two.sentence("gets").endswith("(@sec-test-4, @sec-test-5).")
    assert two.sentence("gets", at_home=True).endswith("(@sec-test-5).")
    assert f"{following.low:.2f}" in sentence and sentence.endswith("(@sec-test-4).")
    assert first_rank(found.rankings) == "LMDB at gets and gets"


def test_a_store_whose_commits_a_power_cut_may_undo_is_marked_where_it_is_to_be_taken(said):
    """By its name in the crashes' records, where another binding's name stands for an engine."""
    found = said(lost=["LMDB BB"])
    sentences = found.sentences().data
    assert "**Take LMDB‡** for gets; Chronicle‡ is next" in sentences
    assert sentences.count("@sec-crashes") == 1
    shown = found.frame().set_index("name")["shown"]
    assert shown["LMDB"].iloc[0] == "LMDB ‡" and shown["RocksDB"].iloc[0] == "RocksDB †"
    assert "whatever is asked" in found.picture("answer").subtitle
    assert "Chronicle‡" in said(lost=[]).sentences().data, "it promises no such commit"
    assert "‡" not in said().sentences().data + said().picture("answer").subtitle


def test_a_sentence_says_what_to_take_where_the_best_lacks_something(said, monkeypatch):
    monkeypatch.setattr(facts, "lacks", lambda store, fact: store == "LmdbJavaBb")
    sentence = said().sentence("gets")
    assert "; Chronicle if keys need an order and if no native code may run (1.50×" in sentence
    assert "is next" not in sentence


def test_stores_that_are_level_are_named_together_and_no_winner_is(said, monkeypatch):
    places = tuple(answer.Place(n, n, 1.0, 1.0, 1.0, tied=True) for n in "ABCDE")
    noisy = answer.Place("F", "F", 2.0, 0.5, 8.0, tied=True, noisy=True)
    for many, words in (
        (2, "**Take A or B** for gets"),
        (5, "**Five stores** for gets, all level"),
    ):
        ranking = answer.Ranking(GETS, (*places[:many], noisy), {}, "", 3, ())
        monkeypatch.setattr(answer, "rank", lambda *_, ranking=ranking: ranking)
        sentence = said().sentence("gets")
        assert words in sentence and "Too noisy to place: F." in sentence
        assert "A takes the least disk" in sentence


def test_single_trials_and_nothing_at_all_are_said(said, monkeypatch):
    single = answer.Ranking(GETS, (answer.Place("A", "A", 1.0, tied=True),), {}, "", 1, ())
    monkeypatch.setattr(answer, "rank", lambda *_: single)
    assert "A took least in single trials" in said().sentence("gets")
    wide = [answer.Place(n, n, r, 0.1, 9.0, tied=True, noisy=True) for n, r in (("A", 1), ("B", 2))]
    noisy = answer.Ranking(GETS, tuple(wide), {}, "", 3, ())
    monkeypatch.setattr(answer, "rank", lambda *_: noisy)
    sentence = said().sentence("gets")
    assert "too noisy to say; A took least, but not measurably less than B" in sentence
    assert "Take" not in sentence and first_rank({"gets": noisy}) == ""
    monkeypatch.undo()
    empty = Answer({})
    assert all("not measured here" in empty.sentence(id) for id in empty.rankings)
    assert empty.conditions().data == "" and empty.picture("answer").frame.empty
    assert "Nothing is measured" in empty.table().data


def test_the_picture_has_every_store_and_need_and_says_why_a_cell_is_empty(said):
    found = said(only=None)
    frame = found.frame().set_index(["name", "need"])
    assert len(frame) == 10, "five stores, two needs"
    cell = frame.loc[("LMDB", "gets")].iloc[0]
    assert cell["label"] == "1" and cell["tied"] and cell["ink"] == "#ffffff"
    far = frame.loc[("MapDB", "gets")].iloc[0]
    assert far["label"] == "1000" and not far["tied"]
    specification = found.picture("answer").spec
    drawn = json.dumps(specification)
    assert "Chronicle" in drawn and "narrow" in specification["usermeta"]
    assert "times the best" in found.table().data


# --- facts ---


def test_every_engine_has_facts_with_sources_and_none_is_old():
    known = facts.known()
    scripts = {file.stem for file in paths.JBANG_STORES.glob("*.java")}
    assert set(known) <= scripts
    for store, found in known.items():
        assert facts.SAME not in found, f"{store} shares the facts of a store that has none"
        assert set(features.HEADINGS) == set(found) - {"checked"}
        age = date.today() - date.fromisoformat(found["checked"])
        assert age.days < 366, f"the facts of {store} are to be looked up anew"


def test_the_matrix_has_a_row_for_each_store_that_is_shown_and_leads_to_the_vendors(sections):
    rows = features.matrix().frame
    names, places = zip(
        *(re.fullmatch(r"\[(.*)\]\((.*)\)", each).groups() for each in rows["store"])
    )
    rows = rows.assign(store=names).set_index("store")
    assert places[names.index("LMDB BB")] == (
        "notebooks/chapters/stores-driven.ipynb#sec-driven-lmdbjavabb"
    )
    assert len(features.matrix("", ["LmdbJavaBb", "LmdbJavaDb"]).frame) == 2
    names = {each for each, *_ in synthetic.STORES.values()}
    assert set(rows.index) <= names and {"LMDB BB", "Chronicle", "RocksDB", "Xodus"} <= set(
        rows.index
    )
    lmdb = facts.known()["LmdbJavaBb"]
    assert rows.loc["LMDB BB", "keys in order"].startswith("[yes](https://")
    loaded = costs.of_load(chapter.of("05-medium-values"), Case("int", "random", 2026))
    memory = loaded.set_index("store")["memory"]["RocksDB"]
    assert rows.loc["RocksDB", "memory, MB"] == (
        f"[{number(memory)}](notebooks/chapters/costs.ipynb#sec-costs-5)"
    )
    assert lmdb["licence"]["spdx"] in rows.loc["LMDB BB", "licence"]
    assert rows.loc["Chronicle", "keys in order"].startswith("[no](")
    few, many = ({"native": True, "value": list(features.PLATFORMS)[:n]} for n in (1, 4))
    assert features._native(few) == "Linux x64 only"
    assert features._native(many) == "all but Windows"
    x64 = [each for each in features.PLATFORMS if "x64" in each]
    assert features._native({"native": True, "value": x64}) == "all on x64"
    assert features._native({"native": False}) == "none"
    assert features._native({"native": True, "optional": True}) == "where it loads"
    whole = features.of_store("LmdbJavaBb").data
    assert all(heading in whole for heading in features.HEADINGS.values())
    assert features.of_store("FlatFile") is None


def test_a_store_stands_where_the_ranking_has_it(said):
    found = said()
    assert found.standing("LmdbJavaBb") == "Best here, or level with it, at gets and gets."
    chronicle = found.standing("ChronicleMap")
    assert chronicle == "1.50× the best at gets, 1.50× the best at gets."
    assert found.standing("LmdbJavaDb") == found.standing("Xodus") == found.standing("none") == ""


def test_a_fact_without_a_source_is_refused(tmp_path, monkeypatch):
    shutil.copy(paths.JBANG_STORES / "LmdbJavaBb.toml", tmp_path / "A.toml")
    (tmp_path / "B.toml").write_text('same_as = "A"\n')
    monkeypatch.setattr(paths, "JBANG_STORES", tmp_path)
    facts.known.cache_clear()
    try:
        assert facts.known()["B"] == facts.known()["A"]
        assert not facts.lacks("A", ORDERED) and facts.lacks("A", PURE_JAVA)
        assert facts.lacks("none", ORDERED)
        for wrong in ("http://example.org", "javascript:alert(1)", ""):
            facts.known.cache_clear()
            text = (paths.ROOT / "jbang" / "stores" / "LmdbJavaBb.toml").read_text()
            line = next(each for each in text.splitlines() if each.startswith("source"))
            (tmp_path / "A.toml").write_text(text.replace(line, f'source = "{wrong}"', 1))
            with pytest.raises(UserError, match="A.toml is damaged"):
                facts.known()
    finally:
        facts.known.cache_clear()
