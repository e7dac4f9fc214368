"""How far the harness is from JMH: what the rounds of a cross-check show, what the report says of
it, and the ways in which it measures.
"""

import json
import random
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats
import synthetic

from kvreport.analysis import crosscheck, stats
from kvreport.analysis.crosscheck import Bias
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import write_json
from kvreport.data import extra_measurements, records
from kvreport.data.cases import Case
from kvreport.data.extra_measurements import AGAIN, ALONE, HAND, ISOLATED, JMH, SHARED
from kvreport.measure import crosscheck as measuring
from kvreport.measure import crosscheck_drivers


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    monkeypatch.delenv("KVREPORT_RUN", raising=False)
    return tmp_path


ABOUT = {"code": "", "name": "LMDB BB", "colour": "#1d6ec7", "family": "B+ tree"}


def checked(*cases: dict[str, dict[str, list[float]]]) -> dict:
    """A cross-check of one store: of each case, the ways and their times by workload."""
    size = {"keys": "int", "order": "random", "entries": 5}
    sizes = [size | {"value_bytes": 100 * at} for at in range(1, 9)]
    return {
        "format": 2,
        "code": "",
        "profile": "quick",
        "jmh": "1.37",
        "rounds": 5,
        "cases": sizes[: len(cases)],
        "stores": {"LmdbJavaBb": ABOUT | {"cases": list(cases)}},
    }


MOOD = (1.0, 1.6, 0.7, 1.3, 0.9)  # what a round does to all that is measured in it
NOISE = (1.0, 1.004, 0.996, 1.002, 0.998)
WIDE = (0.6, 1.5, 1.0, 1.4, 0.75)


def times(factor: float, noise: tuple[float, ...] = NOISE) -> list[float]:
    return [100 * factor * each * mood for each, mood in zip(noise, MOOD)]


def verdicts_of(found: dict, otherwise: float = 0.0, pair: str = "harness") -> dict[str, Bias]:
    return (
        crosscheck.compare_ways(found, pair, otherwise).set_index("workload")["verdict"].to_dict()
    )


def test_the_rounds_mood_hides_no_bias_and_noise_is_called_neither_near_nor_far():
    """Rounds differ by more than twice: a test that takes them for chance finds nothing."""
    ratios = {"write": 1.2, "readKey": 1.0, "readSeq": 1.051, "readRev": 0.8, "readCrc": 1 / 1.051}
    steady = checked(
        {
            crosscheck.JMH: {name: times(1, NOISE[::-1]) for name in ratios},
            crosscheck.ISOLATED: {name: times(ratio) for name, ratio in ratios.items()},
        }
    )
    expected = {
        "write": Bias.BEYOND,
        "readKey": Bias.WITHIN,
        "readSeq": Bias.BIASED,
        "readRev": Bias.BEYOND,
        "readCrc": Bias.BIASED,
    }
    assert verdicts_of(steady) == expected
    assert crosscheck.biased(steady) == [
        ("LmdbJavaBb", 0, name) for name, bias in expected.items() if bias.is_shown
    ]
    welch = stats.ratio(times(1.2), times(1, NOISE[::-1]))
    assert welch.low < 1 < welch.high, "as the test that was used before has it"
    for ratio in (1, 1.2):
        noisy = checked(
            {
                crosscheck.JMH: {"write": times(1, WIDE)},
                crosscheck.ISOLATED: {"write": times(ratio, WIDE[::-1])},
            }
        )
        assert verdicts_of(noisy) == {"write": Bias.NOISY} and not crosscheck.biased(noisy)


def test_what_a_store_differs_from_itself_by_is_no_bias():
    """A second fresh kernel takes 1.2 times as long, as JMH is ahead by: no more than that."""
    jmh, own = ({name: times(factor)} for name, factor in (("write", 1.0), ("write", 1.2)))
    both = {crosscheck.JMH: jmh, crosscheck.ISOLATED: own}
    assert verdicts_of(checked(both)) == {"write": Bias.BEYOND}
    again = {crosscheck.AGAIN: {"write": times(1.44)}}
    assert verdicts_of(checked(both | again)) == {"write": Bias.NOISY}
    assert verdicts_of(checked(both), otherwise=0.2**2) == {"write": Bias.NOISY}
    same = {crosscheck.AGAIN: {"write": times(1.2, NOISE[::-1])}}
    own_says = verdicts_of(checked(both | same), otherwise=0.2**2)
    assert own_says == {"write": Bias.BEYOND}, "its own control counts, not that of the run"
    elsewhere = {crosscheck.ISOLATED: own | {"readKey": times(1)}}
    elsewhere[crosscheck.AGAIN] = {"readKey": times(1.44)}
    assert verdicts_of(checked(both | elsewhere)) == {"write": Bias.NOISY}, "JMH or not"


def test_of_many_comparisons_one_by_chance_is_none():
    """Of forty, two intervals leave out 1 by chance."""
    rng = np.random.default_rng(8)

    def scattered(factor: float) -> list[float]:
        return [factor * each for each in np.exp(rng.normal(0, 0.1, 5))]

    names = [f"w{at}" for at in range(40)]
    found = checked(
        {way: {name: scattered(1) for name in names} for way in (crosscheck.JMH, "isolated")}
    )
    compared = crosscheck.compare_ways(found, "harness")
    assert len(compared.query("low > 1 or high < 1")) and not compared["differs"].any()


@pytest.mark.parametrize(("p_value", "verdict"), [(0.048, Bias.BIASED), (0.052, Bias.NOISY)])
def test_a_difference_is_shown_below_one_in_twenty(p_value, verdict):
    contrast = SimpleNamespace(p_value=p_value, low=1.01, high=1.2, is_within=lambda _: False)
    assert crosscheck._verdicts([contrast, None])[1] is Bias.NOISY
    assert crosscheck._verdicts([contrast]) == [verdict]


def test_what_was_measured_alone_has_no_round_in_common():
    """Its own rounds came after the others, in another mood: five values are two samples."""
    found = checked(
        {
            crosscheck.JMH: {"write": times(1, NOISE), "readKey": [100.0] * 5},
            crosscheck.ALONE: {"write": [100.0] * 5, "readKey": [130.0] * 5},
        }
    )
    alone = verdicts_of(found, pair="alone")
    assert alone == {"write": Bias.NOISY, "readKey": Bias.BEYOND}


def test_two_samples_have_the_interval_of_their_pooled_errors():
    """Of unlike numbers; a single value beside them says nothing, and stops nothing."""
    first, second = [100.0, 104, 98, 101, 180], [90.0, 94, 91, 89]
    found = checked(
        {
            crosscheck.JMH: {"one": [1.0], "write": second},
            crosscheck.ALONE: {"one": [1.0], "write": first},
        }
    )
    between = 0.1**2
    one, write = crosscheck.compare_ways(found, "alone", between).itertuples()
    assert one.verdict is Bias.NOISY and np.isinf(one.smallest)
    assert (write.own, write.other) == (101, 90.5), "medians"
    logs = np.log(first), np.log(second)
    pooled = scipy.stats.ttest_ind(*logs)
    assert pooled.df == 7, "of one pair nothing is drawn anywhere"
    middle = logs[0].mean() - logs[1].mean()
    error = ((middle / pooled.statistic) ** 2 + between) ** 0.5
    reach = scipy.stats.t.ppf(0.975, 7) * error
    assert np.log([write.low, write.high]) == pytest.approx([middle - reach, middle + reach])
    power = scipy.stats.t.ppf([0.975, 0.8], 7).sum()
    assert np.log(write.smallest) == pytest.approx(power * error)


def test_single_rounds_say_nothing_and_what_one_way_lacks_is_left_out():
    found = checked(
        {
            crosscheck.JMH: {"write": [100.0], "readSeq": [], "readKey": [1.0], "readCrc": [1.0]},
            crosscheck.ISOLATED: {"write": [200.0], "readSeq": [1.0], "readCrc": []},
        }
    )
    [only] = crosscheck.compare_ways(found, "harness").itertuples()
    assert (only.workload, only.verdict, only.ratio) == ("write", Bias.NOISY, 2)
    assert np.isinf(only.smallest) and np.isnan(only.low)


def test_the_mean_of_ratios_is_geometric():
    found = crosscheck.mean([0.5, 2.0, 1.0])
    assert found.value == pytest.approx(1) and found.low == pytest.approx(1 / found.high)
    logs = np.log([0.5, 2.0, 1.0])
    interval = scipy.stats.ttest_1samp(logs, 0).confidence_interval()
    assert np.log(found.high) == pytest.approx(interval.high)
    assert np.isnan(crosscheck.mean([]).value) and crosscheck.mean([2.0]).value == 2
    single = crosscheck.mean([1.5])
    assert (single.value, single.n) == (1.5, 1) and np.isnan(single.low)
    assert crosscheck.mean([1.5, 1.6]).low > 0 and crosscheck.mean([]).n == 0


# --- what the report says ---


def test_what_jmh_prints_is_read_by_fork_and_entry():
    """The form is that of JMH 1.37 with -rf json."""
    result = [
        {
            "benchmark": "kv.CrossCheck.readSeq",
            "mode": "avgt",
            "forks": 1,
            "primaryMetric": {
                "score": 5033.3,
                "scoreUnit": "ns/op",
                "rawData": [[5000.0, 4900.0, 5200.0]],
            },
        }
    ]
    assert crosscheck_drivers.parsed(json.dumps(result), 100) == {"readSeq": 50.0}


def test_a_kernels_pass_is_the_median_by_entry_in_the_order_of_the_cases():
    def result(workload: str, status: str, *times: int) -> dict:
        return {
            "workload": workload,
            "status": status,
            "reason": "why",
            "iteration_ns": times,
            "entries": 10,
        }

    def case(order: str, *results: dict) -> dict:
        of = {"keys": "int", "order": order, "value_bytes": 100, "settings": {}}
        return of | {"content": "random", "results": results}

    first = case("random", result("write", "ok", 100, 9000, 200), result("readRev", "na"))
    last = case("sequential", result("write", "ok", 50))
    asked = [Case("int", "sequential"), Case("int", "random")]
    assert crosscheck_drivers.passes({"cases": [first, last]}, asked) == [
        {"write": 5},
        {"write": 20},
    ]
    with pytest.raises(UserError, match="readKey failed .*: why"):
        crosscheck_drivers.passes({"cases": [case("random", result("readKey", "failed"))]}, asked)


def test_a_case_has_as_many_entries_as_its_data_may_have_bytes():
    settings = {"entries": 1000, "data_bytes": 104_000}
    conditions = crosscheck_drivers.Conditions("smoke", 1, settings, {})
    assert conditions.entries(Case("int", "random")) == 1000
    assert conditions.entries(Case("int", "random", 1036)) == 100
    words = "new CaseSpec(KeyKind.STRING, Order.SEQUENTIAL, 100, 1024)"
    assert conditions.java(Case("string", "sequential", 1024)) == words


def test_the_check_has_a_store_of_every_family_and_cases_of_every_kind():
    """By the scripts' own words, where they have them in a descriptor of their own."""
    families = ("B_PLUS_TREE", "LSM_TREE", "HASH_TABLE", "LOG_STRUCTURED", "BASELINE")
    scripts = [(paths.JBANG_STORES / f"{store}.java").read_text() for store in measuring.STORES]
    for family in families:
        assert any(f"StoreDescriptor.{family}" in text for text in scripts), family
    for what in ("keys", "order", "value_bytes"):
        assert len({getattr(case, what) for case in measuring.CASES}) > 1, what
    text = paths.CROSS_CHECK.read_text()
    assert all(f" {workload}(" in text for workload in crosscheck_drivers.CHECKED)


def record(*cases: dict, **about) -> dict:
    """A cross-check as it is kept, of one store that says more of itself."""
    found = checked(*cases)
    found["stores"]["LmdbJavaBb"] |= about
    return found


def test_what_is_said_of_ratios_is_what_their_intervals_say(folder):
    name = synthetic.write_run(folder, sections=[synthetic.SECTION])
    measured = {
        "jmh": {"write": times(1), "readKey": times(1), "readSeq": times(1), "readCrc": times(1)},
        "isolated": {
            "write": times(1, NOISE[::-1]),
            "readKey": times(1.2),
            "readSeq": times(1, WIDE),
            "readCrc": times(1.051, NOISE[::-1]),
        },
        "shared": {"write": times(1.2)},
    }
    other = {"jmh": {"write": times(1)}, "isolated": {"write": times(1.3)}}
    write_json(extra_measurements.crosscheck_file(name), record(measured, other, family="B+ tree"))
    rows = crosscheck.crosscheck(synthetic.SECTION)
    told = rows.set_index(["pair", "value_bytes", "workload"])["verdict"].to_dict()
    assert told == {
        ("harness", 100, "write"): Bias.WITHIN,
        ("harness", 100, "readKey"): Bias.BEYOND,
        ("harness", 100, "readSeq"): Bias.NOISY,
        ("harness", 100, "readCrc"): Bias.BIASED,
        ("harness", 200, "write"): Bias.BEYOND,
        ("shared", 100, "write"): Bias.BEYOND,
    }
    assert list(rows["differs"]) == [each.is_shown for each in rows["verdict"]]
    beyond = rows[(rows["pair"] == "harness") & (rows["verdict"] == Bias.BEYOND)]
    assert list(beyond["ratio"]) == pytest.approx([1.2, 1.3], rel=0.01)
    assert rows["ratio"].between(rows["low"], rows["high"]).all()
    assert set(rows["family"]) == {"B+ tree"} and (rows["smallest"] > 1).all()
    alone = measured | {"alone": {"readKey": LEVEL}}
    write_json(extra_measurements.crosscheck_file(name), record(alone, other))
    apart = crosscheck.retried(crosscheck.crosscheck(synthetic.SECTION))
    assert len(apart) == 3 and apart["alone"].notna().sum() == 1
    ratio = np.median(LEVEL) / np.median(times(1))
    assert apart["alone"].dropna().iloc[0] == pytest.approx(ratio)
    assert not any(apart["explained"]), "other rounds are too noisy to explain anything"


LEVEL = [100, 101, 99, 100, 100.5]


def test_a_check_without_controls_takes_the_runs(folder, monkeypatch):
    """Where the run's store differs from itself by 1.4, a harness that is off by 1.2 may not be."""
    told = synthetic.TWICE["LmdbJavaBbAgain"]
    monkeypatch.setitem(synthetic.TWICE, "LmdbJavaBbAgain", (*told[:4], 140.0, told[5]))
    stores = (*synthetic.STORES, *synthetic.TWICE)
    name = synthetic.write_run(folder, stores=stores, sections=[synthetic.SECTION])
    both = {"jmh": {"write": times(1)}, "isolated": {"write": times(1.2)}}
    write_json(extra_measurements.crosscheck_file(name), checked(both))
    assert list(crosscheck.crosscheck(synthetic.SECTION)["verdict"]) == [Bias.NOISY]
    again = {"again": {"write": times(1.2, NOISE[::-1])}}
    write_json(extra_measurements.crosscheck_file(name), checked(both | again))
    check = crosscheck.crosscheck(synthetic.SECTION).query("pair == 'harness'")
    assert list(check["verdict"]) == [Bias.BEYOND]


def test_a_pass_timed_by_hand_is_held_to_the_trials(folder):
    name = synthetic.write_run(folder, sections=[synthetic.SECTION])
    both = {"write": times(1), "readKey": times(1)}
    found = {"jmh": both, "isolated": both}
    write_json(extra_measurements.crosscheck_file(name), checked(found))
    assert "hand" not in set(crosscheck.crosscheck(synthetic.SECTION)["pair"]), "it stays valid"
    hand = {"write": times(1.01, NOISE[::-1]), "readKey": times(1.3)}
    write_json(extra_measurements.crosscheck_file(name), checked(found | {"hand": hand}))
    rows = crosscheck.crosscheck(synthetic.SECTION).query("pair == 'hand'").set_index("workload")
    assert rows["verdict"].to_dict() == {"write": Bias.WITHIN, "readKey": Bias.BEYOND}
    assert rows.loc["readKey", "ratio"] == pytest.approx(1.3)


def test_a_comment_in_the_timed_path_leaves_the_cross_check_valid(monkeypatch, tmp_path):
    shutil.copytree(paths.JBANG_KV, tmp_path / "kv")
    monkeypatch.setattr(paths, "JBANG_KV", tmp_path / "kv")
    before = measuring.fingerprint()
    source = tmp_path / "kv" / "bench" / "Passes.java"
    text = source.read_text()
    source.write_text(text + "// a comment\n")
    assert measuring.fingerprint() == before
    source.write_text(text.replace("pass.timed();", "pass.timed(); pass.timed();"))
    assert measuring.fingerprint() != before


def test_what_makes_a_workload_faster_than_jmh_explains_no_slowness(folder):
    name = synthetic.write_run(folder, sections=[synthetic.SECTION])
    low, middle, high = (
        [level * part for part in (1, 1.001, 0.999, 1.002, 0.998)] for level in (70, 100, 130)
    )
    for isolated, alone, explained in (
        (low, middle, True),
        (high, middle, True),
        (low, high, False),
    ):
        found = {
            "jmh": {"readKey": middle},
            "isolated": {"readKey": isolated},
            "alone": {"readKey": alone},
        }
        write_json(extra_measurements.crosscheck_file(name), checked(found))
        again = crosscheck.retried(crosscheck.crosscheck(synthetic.SECTION))
        assert list(again["explained"]) == [explained]


ROUND = (JMH, ISOLATED, AGAIN, SHARED, HAND)


@pytest.mark.jvm
def test_the_ways_measure_the_same_store(folder, monkeypatch):
    """The real JMH, a kernel of the store's own and one as a reader has it; the kernel is what the
    isolated ways and the shared one have in common, and is started once for them.
    """
    name = synthetic.write_run(folder, sections=[synthetic.SECTION])
    workloads, cases = ("write", "readKeyXxh64"), (Case("string", "sequential", 2026),)
    monkeypatch.setattr(measuring, "FORKS", 1)
    monkeypatch.setattr(measuring, "CASES", cases)
    monkeypatch.setattr(measuring, "CHECKED", workloads)
    monkeypatch.setattr(crosscheck_drivers.supported, "__defaults__", (workloads,))
    kernel, asked, made = measuring.kernel, [], []

    def once(*what):
        asked.append(what[:3])
        made.extend([] if made else [kernel(*what)])
        return made[0]

    monkeypatch.setattr(measuring, "kernel", once)
    measuring.measure_crosscheck(name, ["FlatFile"], lambda _: [])
    assert asked == 3 * [(["FlatFile"], workloads, cases)]
    found = extra_measurements.crosscheck(name)
    assert [each["entries"] for each in found["cases"]] == [4_000_000 // 2042]
    [case] = found["stores"]["FlatFile"]["cases"]
    for way in ROUND:
        assert set(case[way]) == set(workloads)
        assert all(len(values) == 1 and 0 < values[0] < 1e6 for values in case[way].values()), way
    check = crosscheck.crosscheck(synthetic.SECTION)
    assert (check["pair"] == "harness").sum() == 2
    assert set(check.query("pair == 'hand'")["workload"]) == set(workloads)


def test_what_there_is_is_not_measured_again_and_what_is_biased_is_measured_alone(
    folder, monkeypatch, capfd
):
    name = synthetic.write_run(folder, sections=[synthetic.SECTION])
    store = ABOUT | {"id": "A", "name": "A"}
    known = {"profiles": {"smoke": {"entries": 9, "data_bytes": 9**9}}, "stores": {"A": store}}
    monkeypatch.setattr(measuring, "catalog", lambda: known)
    monkeypatch.setattr(measuring, "build", lambda _: {"CrossCheck": SimpleNamespace(failed=None)})
    monkeypatch.setattr(measuring.availability, "missing", lambda *_: None)
    monkeypatch.setattr(measuring, "FORKS", 2)
    for way in ("jmh", "by_hand"):
        monkeypatch.setattr(measuring, way, lambda *_: {"readKey": 1.0})
    monkeypatch.setattr(
        measuring,
        "kernel",
        lambda _, names, cases, *__: {"A": [dict.fromkeys(names, 2.0)] * len(cases)},
    )
    measuring.measure_crosscheck(name, ["A"], lambda _: [])
    before = extra_measurements.crosscheck(name)
    first, second = before["stores"]["A"]["cases"]
    assert before["rounds"] == 2 and {*first} == {*ROUND}
    assert second["jmh"] == {"readKey": [1.0, 1.0]} and HAND not in second
    assert capfd.readouterr().err.count("Round 2 of 2") == 5
    measuring.measure_crosscheck(name, ["A"], lambda _: [("A", 1, "readKey")])
    assert "Round" not in capfd.readouterr().err
    second[ALONE] = {"readKey": [2.0, 2.0]}
    assert extra_measurements.crosscheck(name) == before
    monkeypatch.setattr(measuring, "fingerprint", lambda: "of other benchmarks")
    measuring.measure_crosscheck(name, ["A"], lambda _: [])
    assert ALONE not in extra_measurements.crosscheck(name)["stores"]["A"]["cases"][1]


def test_stores_that_are_too_much_for_one_another_share_a_kernel_in_another_order(monkeypatch):
    orders: list[list[str]] = []

    def kernel(stores, *_):
        orders.append(stores)
        if len(orders) < fails:
            raise UserError("write failed: out of memory.")
        return {}

    monkeypatch.setattr(measuring, "kernel", kernel)
    conditions = crosscheck_drivers.Conditions("smoke", 1, {}, {"stores": {}})
    fails = measuring.ORDERS
    assert measuring._shared(list("ABCDEF"), random.Random(1), conditions) == {}
    assert len({tuple(each) for each in orders}) == measuring.ORDERS
    orders.clear()
    fails += 1
    with pytest.raises(UserError, match="out of memory"):
        measuring._shared(list("ABCDEF"), random.Random(1), conditions)


def test_ways_come_in_another_order_in_every_round_and_a_broken_round_leaves_nothing(monkeypatch):
    order: list[str] = []

    def kernel(stores, *_):
        order.append(" ".join(stores))
        return {store: [{"write": 1.0}] for store in stores}

    def of_store(name):
        return lambda *_: order.append(name) or {"write": 1.0}

    monkeypatch.setattr(measuring, "kernel", kernel)
    monkeypatch.setattr(measuring, "jmh", of_store("jmh"))
    monkeypatch.setattr(measuring, "by_hand", of_store("hand"))
    stores = {each: {"id": each, "name": each} for each in "AB"}
    found = {"rounds": 0, "stores": {each: {"cases": [{}]} for each in "AB"}}
    monkeypatch.setattr(measuring, "CASES", measuring.CASES[:1])
    conditions = crosscheck_drivers.Conditions("smoke", 1, {}, {"stores": stores})
    orders = []
    for _ in range(3):
        measuring._round(found, ["A", "B"], None, conditions)
        orders.append(tuple(order))
        order.clear()
    assert len(set(orders)) == 3 and {len(each) for each in orders} == {9}
    assert found["rounds"] == 3 and len(found["stores"]["A"]["cases"][0]["again"]["write"]) == 3
    before = json.dumps(found)
    monkeypatch.setattr(measuring, "by_hand", lambda *_: (_ for _ in ()).throw(UserError("x")))
    with pytest.raises(UserError):
        measuring._round(found, ["A", "B"], None, conditions)
    assert json.dumps(found) == before


def test_a_run_without_a_cross_check_says_how_to_make_one(folder):
    synthetic.write_run(folder, sections=[synthetic.SECTION])
    check = crosscheck.crosscheck(synthetic.SECTION)
    assert check.empty and crosscheck.retried(check).empty
    with pytest.raises(UserError, match="There is no run"):
        measuring.measure_crosscheck("nothing", None, crosscheck.biased)


def test_a_run_without_a_cross_check_shows_that_of_another_of_its_machine(folder):
    older = synthetic.write_run(folder, sections=[synthetic.SECTION])
    write_json(extra_measurements.crosscheck_file(older), checked({"jmh": {"write": times(1)}}))
    newer = synthetic.write_run(folder, "2026-01-03-lab", sections=[synthetic.SECTION])
    environment = folder / newer / records.ENVIRONMENT
    later = json.loads(environment.read_text()) | {"started": "2026-01-03T10:00:00Z"}
    environment.write_text(json.dumps(later))
    assert crosscheck.recorded(synthetic.SECTION) == extra_measurements.crosscheck(older)
    write_json(extra_measurements.crosscheck_file(newer), checked({"jmh": {"write": times(2)}}))
    assert crosscheck.recorded(synthetic.SECTION) == extra_measurements.crosscheck(newer)
    extra_measurements.crosscheck_file(newer).unlink()
    environment.write_text(json.dumps(later | {"host": "elsewhere"}))
    assert crosscheck.recorded(synthetic.SECTION) == {}
