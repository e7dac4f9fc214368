"""What the core computes, against numbers worked out by hand: boundaries, units, and medians that
are not means.
"""

import math
from collections import Counter
from math import nan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats as known
from scipy.special import polygamma

from kvreport.analysis import ab, compare, costs, latency, moderated, noise, results, stats, steady
from kvreport.analysis.contrast import MARGIN
from kvreport.analysis.results import SectionResults
from kvreport.analysis.steady import Steadiness
from kvreport.base import text
from kvreport.data import rows, runs
from kvreport.data.cases import CASES, Case, on_page
from kvreport.data.harness import Side
from kvreport.data.records import Damaged
from kvreport.data.trials import COSTS, Run

CASE = Case("int", "random")
CPU = {"model": "X", "caches": {}, "cores": 2}
ENVIRONMENT = {"host": "lab", "cpu": CPU, "profile": "quick"}


# --- ratios and intervals ---


def test_a_ratio_is_of_medians():
    assert stats.ratio([1, 2, 30], [10, 4, 1]).value == 0.5
    assert stats.ratio([1, 2, 2, 30, 1], [10, 4, 1, 4, 4]).value == 0.5
    assert stats.estimate([1, 2, 30]).value == stats.estimate([1, 2, 2, 30, 1]).value == 2


def test_two_and_three_trials_have_welchs_interval_for_unlike_variances():
    """Variances 1/2 and 4 over 2 and 3: the squared error is 1/4 + 4/3."""
    found = stats.ratio(np.exp([0, 1]), np.exp([-2, 0, 2]))
    error = 1 / 4 + 4 / 3
    freedom = error**2 / ((1 / 4) ** 2 / 1 + (4 / 3) ** 2 / 2)
    reach = known.t.ppf(0.975, freedom) * math.sqrt(error)
    assert math.log(found.high) == pytest.approx(0.5 + reach)
    assert math.log(found.low) == pytest.approx(0.5 - reach)


@pytest.mark.parametrize("constant", [[4.0] * 2, [4.0] * 3])
def test_an_interval_is_a_point_only_where_neither_side_scatters(constant):
    for pair in ((constant, [1.0, 9, 4]), ([1.0, 9, 4], constant)):
        found = stats.ratio(*pair)
        assert found.low < 0.5 and found.high > 2
    assert stats.ratio([6.0, 6], constant) == stats.Estimate(1.5, 1.5, 1.5, 2)
    assert stats.estimate(constant) == stats.Estimate(4, 4, 4, len(constant))
    assert math.isnan(stats.estimate(constant[:1]).low)
    assert stats.ratio([6.0, 7], [4.0]).low < 1 and stats.ratio([4.0], [6.0, 7]).high > 0.6
    assert math.isnan(stats.ratio([6.0], [4.0]).low)


# --- noise ---


def result(store: str, ns: float, workload: str = "write", **more) -> dict:
    row = {"section": "04-x", "store": store, "workload": workload, "status": "ok"}
    return row | CASE._asdict() | {"ns_per_entry": ns} | more


def test_a_store_is_set_against_itself_by_medians_in_each_workload():
    times = {"write": ([10, 20, 90], [30, 10, 10]), "readKey": ([4], [5])}
    rows = [
        result(store, ns, workload)
        for workload, both in times.items()
        for store, values in zip(("A", "AAgain"), both)
        for ns in values
    ]
    alone, failed = result("BAgain", 1), result("AAgain", 9, "readSeq", status="failed")
    found = noise.pairs(pd.DataFrame([*rows, alone, failed, result("A", 1, "readSeq")]))
    assert list(zip(found["workload"], found["apart"])) == [("write", 2), ("readKey", 1.25)]
    assert found["first"][0] == [10, 20, 90] and found["again"][0] == [30, 10, 10]
    assert list(found["store"]) == ["A", "A"]
    # 95% of the way from the smaller to the larger of two
    assert noise.floor(pd.DataFrame(rows)) == pytest.approx(1.25 + 0.95 * 0.75)
    assert noise.floor(pd.DataFrame([alone])) == 1


def test_the_excess_of_a_pair_is_found_among_other_stores():
    pair = {"A": 100, "AAgain": 150, "B": 300}
    apart = pd.DataFrame(
        [result(store, ns, trial=n, family="") for n in (1, 2) for store, ns in pair.items()]
    )

    def excess(rows: pd.DataFrame) -> float | None:
        return noise.excess(noise.fits_of(rows).values())

    assert excess(apart) > 0.01 and excess(apart[apart["store"] != "B"]) > 0.01
    assert excess(apart[apart["store"] != "AAgain"]) is None


def test_what_a_store_differs_from_itself_by_counts_in_its_own_section():
    times = {"04-x": {"A": 100, "AAgain": 100}, "05-y": {"A": 100, "AAgain": 150}}
    rows = [
        result(store, ns + trial, trial=trial, section=section, name=store, family="", engine="")
        for section, both in times.items()
        for store, ns in both.items()
        for trial in (1, 2, 3)
    ]
    level, apart = noise.twice(pd.DataFrame(rows)).to_dict("records")
    assert (level["section"], level["difference"]) == ("04-x", "equivalent")
    assert (apart["difference"], apart["by_trials"]) == ("inconclusive", "greater")
    assert level["high"] < 1.1 < apart["apart"] < apart["high"]


def test_without_a_store_twice_the_floor_is_the_margin_of_equivalence():
    rows = [
        result(store, ns, host="lab")
        for store, values in (("A", [10, 14]), ("B", [10, 20]), ("C", [10, 11, 12]), ("D", [7]))
        for ns in values
    ]
    frame = pd.DataFrame(rows)
    assert compare.noise_floor(frame) == MARGIN
    again = pd.DataFrame([*rows, *(result("AAgain", ns, host="lab") for ns in (24, 24))])
    assert compare.noise_floor(again) == 2


# --- steady state ---


@pytest.mark.parametrize(
    ("table", "verdict", "change"),
    [
        ([[100, 100, 110]] * 3, Steadiness.SETTLED, 1.1),
        ([[110, 110, 100]] * 3, Steadiness.SETTLED, 1 / 1.1),
        ([[100, 105, 111]] * 9, Steadiness.CHANGING, 1.11),
        ([[100, 95, 90]] * 9, Steadiness.CHANGING, 0.9),
        ([[100, 105, 109]] * 9, Steadiness.SETTLED, 1.09),
        ([[100, 120]] * 9, Steadiness.INCONCLUSIVE, 1.2),
        ([[100, 80]] * 9, Steadiness.INCONCLUSIVE, 0.8),
        ([[100, 150, 200]], Steadiness.INCONCLUSIVE, 2),
        ([[100, 100, 130], [130, 100, 100], [100, 100, 100]], Steadiness.INCONCLUSIVE, 1),
        ([[100, 100, 500], [100, 100]], Steadiness.SETTLED, 1),
        ([[100, 105, 110]] * 9, Steadiness.SETTLED, 1.1),
        ([[110, 105, 100]] * 9, Steadiness.SETTLED, 1 / 1.1),
        ([[100, 100, 100]] * 3 + [[100, 100, 80]] * 2, Steadiness.INCONCLUSIVE, 1),
        ([[100, 100, 100]] * 3 + [[100, 100, 120]] * 2, Steadiness.INCONCLUSIVE, 1),
        ([[500, 400, 300, 200, 100]] * 2, Steadiness.CHANGING, 0.2),
        # 141 of 7,776 orders are as regular: 1.8%
        ([[300, 200, 100]] * 2 + [[200, 300, 100]] * 3, Steadiness.CHANGING, 0.5),
        ([[100, 200]] * 2 + [[100]], Steadiness.INCONCLUSIVE, nan),
        ([], Steadiness.INCONCLUSIVE, nan),
    ],
)
def test_a_result_has_settled_within_a_tenth_either_way(table, verdict, change):
    found, estimate = steady.pass_trend(table)
    assert found is verdict
    assert estimate.value == pytest.approx(change, nan_ok=True)
    assert estimate.n == (0 if math.isnan(change) else len(table))


@pytest.mark.parametrize(("trials", "verdict"), [(2, "inconclusive"), (3, "still changing")])
def test_a_trend_takes_more_than_chance_gives(trials, verdict):
    """Three ranked passes fall in order by chance once in six: twice in 36, three times in 216."""
    table = [[300.0, 200.0, 100.0]] * trials
    assert steady.trend(np.array(table)) == pytest.approx(6.0**-trials, rel=0.01)
    assert steady.pass_trend(table)[0] == verdict


# --- two states of the harness ---


def sides(this: list[float], other: list[float]) -> dict:
    return {Side.THIS: this, Side.OTHER: other}


def test_states_have_the_mean_of_ratios_and_each_with_welchs_interval():
    this, other = np.exp([0.0, 1]), np.exp([-2.0, 0, 2])
    times = {"A": {"write": sides(this, other)}, "B": {"write": sides(100 * this, other)}}
    found = ab.verdict(times)
    first, second = found["ratios"]
    welch = stats.ratio(this, other)
    assert (first["ratio"], first["high"]) == (round(math.exp(0.5), 3), round(welch.high, 3))
    assert found["mean"]["ratio"] == pytest.approx(10 * math.exp(0.5), rel=1e-3)
    assert not found["same"] and not first["beyond_margin"]
    near, far = (
        sides([1.0, 1.01, 0.99], [1.0, 1.0, 1.01]),
        sides([2.0, 2.01, 1.99], [1.0, 1.0, 1.01]),
    )
    for turned in (far, {Side.THIS: far[Side.OTHER], Side.OTHER: far[Side.THIS]}):
        rows = ab.verdict({"A": {"write": near, "readSeq": turned}})["ratios"]
        assert [row["beyond_margin"] for row in rows] == [False, True]


@pytest.mark.parametrize(("factor", "same"), [(1, True), (1.04, True), (1.06, False), (0.94, 0)])
def test_states_are_the_same_where_the_mean_is_within_the_margin_either_way(factor, same):
    """Each ratio scatters too much to be beyond the margin by itself."""
    rounds = np.array([50.0, 100, 200])
    each = sides(list(rounds * factor), list(rounds))
    found = ab.verdict({store: {"write": each, "readSeq": each} for store in "ABC"})
    assert found["same"] == same and not any(row["beyond_margin"] for row in found["ratios"])
    assert len(found["ratios"]) == 6 and found["mean"]["ratio"] == pytest.approx(factor, abs=1e-3)


# --- costs ---


def spent(store: str, trial: int, workload: str = "write", **changes) -> dict:
    """Two passes of 1 and 3 ms over 100 entries of 1,000 bytes in all."""
    row = result(store, 1, workload, trial=trial, iteration_ns=[1_000_000, 3_000_000])
    row |= {"entries": 100, "user_bytes": 1000, "flat_bytes": 500}
    row |= {"cpu_user_ns": 5_000_000, "cpu_system_ns": 3_000_000, "os_read_bytes": 4000}
    row |= {"os_written_bytes": 6000, "peak_rss_bytes": 250_000_000, "gc_ms": 30}
    row["heap_bytes"] = 200_000_000
    return row | {"store_files": 7, "threads": 20} | changes


def test_costs_are_of_one_pass_and_in_their_units():
    row = spent("A", 1) | {"passes": 2, "iteration_ns": "1000000 3000000"}
    [found] = costs.resources(pd.DataFrame([row])).to_dict("records")
    expected = {"cores": 2, "cpu_ns": 40_000, "read": 2, "written": 3, "memory_mb": 50}
    assert found.items() >= (expected | {"gc_pass_ms": 15}).items()
    assert costs.resources(pd.DataFrame([row]).head(0))["cores"].empty


# --- latency ---


def test_a_percentile_is_shown_where_ten_samples_lie_beyond_it():
    def at(n: int, percent: float) -> float:
        counts = Counter(dict.fromkeys(range(1, n + 1), 1))
        return latency.Histogram(counts, n).at(percent)

    assert at(1000, 99) == 990 and math.isnan(at(999, 99))
    assert at(20, 50) == 10 and math.isnan(at(19, 50))
    assert at(100, 0) == 1
    assert latency.POINTS == (50, 90, 99, 99.9, 99.99)


# --- variances drawn together ---


def p_values(pairs: list) -> list[float]:
    return [each.p_value if each else 1.0 for each in moderated.of_samples(pairs)]


def test_variances_that_differ_by_chance_only_are_one():
    """Logarithms apart by 1 with a variance of 1/50 each: pooled, t is the difference over the
    root of the common variance times 2/2, at infinitely many degrees of freedom.
    """
    pair = np.exp([0.0, 0.2]), np.exp([1.0, 1.2])
    p = p_values([pair, pair, (np.array([1.0]), np.array([2.0, 3.0]))])
    freedom = np.array([2.0, 2.0])
    common, weight = moderated.prior(np.array([0.02, 0.02]), freedom)
    assert weight == np.inf and common == pytest.approx(0.02 * math.exp(np.euler_gamma))
    assert p[:2] == pytest.approx([2 * known.norm.sf(1 / math.sqrt(common))] * 2, rel=1e-3)
    assert p[2] == 1


def test_what_variances_have_in_common_is_worth_less_the_more_they_differ():
    """Logarithms apart by that of 100, over n - 1, less what chance gives: pi squared over 6."""
    own, degrees = np.array([0.01, 1.0]), np.array([2.0, 2.0])
    common, weight = moderated.prior(own, degrees)
    spread = math.log(100) ** 2 / 2 - math.pi**2 / 6
    assert polygamma(1, weight / 2) == pytest.approx(spread)
    variance, freedom = moderated.pooled(own, degrees)
    assert list(freedom) == pytest.approx([2 + weight] * 2)
    assert list(variance * freedom) == pytest.approx(list(weight * common + 2 * own))
    hardly = math.sqrt(2 * (math.pi**2 / 6 + 5e-9))  # more apart than by chance, by next to nothing
    assert moderated.prior(np.exp([0, hardly]), degrees)[1] == np.inf


def test_the_common_variance_and_its_worth_are_those_that_variances_were_drawn_from():
    rng = np.random.default_rng(1)
    true = 0.04 * 6 / rng.chisquare(6, 4000)
    common, weight = moderated.prior(true * rng.chisquare(4, 4000) / 4, np.full(4000, 4.0))
    assert common == pytest.approx(0.04, rel=0.05) and weight == pytest.approx(6, rel=0.15)


def test_a_variance_below_what_any_clock_tells_apart_is_raised_to_it():
    same = np.exp([0.0, 0.0]), np.exp([1e-5, 1e-5])
    assert p_values([same]) == pytest.approx([2 * known.t.sf(1, 2)])
    [found] = moderated.of_samples([same])
    assert found.variance == pytest.approx(2 * found.error**2), "from trial to trial"


def test_p_values_of_many_are_adjusted_as_scipy_does():
    p = [0.04, 0.001, 0.9, 0.02, 0.02, 1.0]
    assert list(moderated.discoveries(p)) == pytest.approx(list(known.false_discovery_control(p)))


# --- a section's results ---


def trial_of(store: str, number: int, ns: int = 100, **changes) -> dict:
    about = {"id": store, "name": f"{store} x", "family": "B+ tree", "colour": "#111111"}
    about |= {"engine": changes.pop("engine", ""), "library": "", "version": "1"}
    about |= {"family": changes.pop("family", "B+ tree")}
    costs_of = dict.fromkeys(COSTS, 8)
    write = {"workload": "write", "status": "ok", "reason": None, "warmup_ns": [5]}
    write |= {"iteration_ns": [ns, 10 * ns], "entries": 10, "user_bytes": 1040} | costs_of
    case = {"keys": "int", "order": "random", "value_bytes": 100, "settings": {}}
    case |= {"entries": 10, "key_bytes": 4, "flat_bytes": 1040, "settle": None}
    case |= {"space": {"open_bytes": 3120, "closed_bytes": 2080}, "results": [write]}
    record = {"section": "04-x", "trial": number, "position": 0, "mode": "isolated"}
    record |= {"jvm": {"heap_bytes": 2**30, "version": "17"}, "started": ""}
    return record | {"status": "ok", "reason": None, "store": about, "cases": [case]} | changes


def section(*trials: dict) -> SectionResults:
    return SectionResults("04-x", Run("r", ENVIRONMENT, list(trials)))


def test_a_section_knows_its_stores_cases_and_trials():
    larger = trial_of("B", 2)
    other = larger["cases"][0] | {"order": "sequential", "entries": 20}
    larger["cases"].append(other)
    found = section(
        trial_of("B", 1),
        larger,
        trial_of("A", 1),
        trial_of("Flat", 1, family="limit"),
        trial_of("Other", 1) | {"section": "05-y"},
    )
    assert list(found.stores) == ["Flat", "A", "B"], "the baseline first"
    assert found.cases == {CASE: 10, CASE._replace(order="sequential"): 20}
    assert (found.trial_counts, found.entries, found.test) == ((1, 2), (10, 20), 4)
    assert found.comparison_group == ("lab", *runs.processor(CPU).values(), "quick")
    assert found.measured and not section().measured


def test_a_store_is_described_by_a_trial_that_succeeded():
    good, bad = trial_of("A", 1, engine="One 1"), trial_of("A", 2, engine="One 2")
    found = section(good, bad | {"status": "failed", "reason": "crash", "cases": []})
    assert found.stores["A"]["engine"] == "One 1"
    none = SectionResults("04-x", None, "why")
    assert none.trials == [] and not none.measured


def test_captions_say_what_a_store_may_keep():
    def trial(memory: str = "", flags: tuple = (), **about) -> dict:
        made = trial_of("A", 1, **about)
        made["cases"][0]["settings"] = {"memory": memory} if memory else {}
        return made | {"jvm": {"flags": flags}}

    assert section(trial()).memory == results.FITTING
    few = section(trial("4"), trial("128-writes"))
    assert few.memory == "4 and 128 MB of cache and buffer"
    assert section(trial("4", [f"{runs.MEMORY}2000000"])).memory == "2 MB for the whole process"
    assert (
        results.memory_of([few, section(trial())]) == f"memory: {few.memory} and {results.FITTING}"
    )
    assert results.memory_of([section(trial(family="control"))]) == "", "it keeps nothing"


def test_a_section_names_the_damaged_files_that_are_its_own():
    files = [Damaged(Path(f"runs/r/{name}.json"), "cut off") for name in ("04-x/A-1", "05-y/A-1")]
    run = Run("r", ENVIRONMENT, [trial_of("A", 2)], tuple(files))
    [complaint] = SectionResults("04-x", run).damaged
    assert complaint == str(files[0])
    assert section().damaged == SectionResults("04-x", None, "why").damaged == []


def test_speed_is_of_the_median_pass():
    timed = {"status": "ok", "iteration_ns": [2_000_000, 90_000_000, 4_000_000]}
    assert rows.speed(timed | {"entries": 1000, "user_bytes": 8_000_000}) == {
        "ms": 4,
        "ns_per_entry": 4000,
        "gb_per_s": 2,
        "entries_per_s": 250_000,
    }
    assert rows.speed({"status": "na"}) == {}


@pytest.mark.parametrize(
    ("observed", "share"),
    [
        ({"commit_ns": [10, 30, 20], "close_ns": [10, 10, 40]}, 0.4),
        ({"commit_ns": None, "close_ns": [10, 60, 20]}, 0.2),  # of several threads
        ({"commit_ns": [10, 30, 20], "close_ns": None}, nan),  # not within the time
        ({"commit_ns": [10], "close_ns": [10]}, nan),  # of other passes
        ({"commit_ns": [900] * 3, "close_ns": [900] * 3}, 1),
        (None, nan),
    ],
)
def test_a_loads_ending_is_its_last_commit_and_its_close(observed, share):
    found = rows.ending({"iteration_ns": [100, 100, 100], "observed": observed})
    assert found == pytest.approx(share, nan_ok=True)


def test_what_a_trial_that_did_not_fail_left_out_was_not_measured():
    other = trial_of("B", 1)
    other["cases"] = []
    frame = Run("r", ENVIRONMENT, [trial_of("A", 1), other]).frame.set_index("store")
    assert list(frame.loc["B", ["status", "reason"]]) == ["failed", "not measured"]


def test_an_entry_is_its_key_and_its_value():
    assert [(case.key_bytes, case.flat) for case in CASES[:2]] == [(4, 104), (16, 116)]
    assert str(CASE) == "int keys in random order"
    assert str(Case("int", "random", 2026, "a=1, b=2")) == (
        "int keys in random order, 2,026-byte values, a=1, b=2"
    )
    page = on_page("random", sync="on")
    assert page == Case(
        "string", "random", 100, "sync=on, batch=1, compression=default, memory=4", "half"
    )
    assert str(page) == "string keys in random order, sync=on"
    assert "batch=1" in str(page._replace(content="random"))
    assert (CASE.rate, CASE._replace(settings="rate=50000").rate) == (0, 50_000)
    assert CASE._replace(settings="sync=on").rate == 0


# --- numbers in words ---


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (lambda: text.number(99.94), "99.9"),
        (lambda: text.number(99.95), "100"),
        (lambda: text.number(9.994), "9.99"),
        (lambda: text.number(9.995), "10.0"),
        (lambda: text.number(1234.5), "1,234"),
        (lambda: text.number(0.456), "0.46"),
        (lambda: text.number(-16.34), "-16.3"),
        (lambda: text.number(nan), ""),
        (lambda: text.significant(0.0749), "0.0749"),
        (lambda: text.significant(111), "111"),
        (lambda: text.duration(999), "999 ns"),
        (lambda: text.duration(1000), "1.00 µs"),
        (lambda: text.duration(1e6), "1.00 ms"),
        (lambda: text.duration(2.5e9), "2.50 s"),
        (lambda: text.format_range(1, 1.001), "1.00"),
        (lambda: text.format_range(1, 2, str), "1 to 2"),
        (lambda: text.join_words([]), "none"),
        (lambda: text.join_words("a"), "a"),
        (lambda: text.join_words("ab", "or"), "a or b"),
        (lambda: text.join_words("abc"), "a, b and c"),
        (lambda: text.count(0, "store"), "no stores"),
        (lambda: text.count(1, "store"), "one store"),
        (lambda: text.count(10, "pass", "es"), "ten passes"),
        (lambda: text.count(11, "store"), "11 stores"),
        (lambda: text.count(1000, "store"), "1,000 stores"),
        (lambda: text.some("abc"), "a; b; c"),
        (lambda: text.some("abcde"), "a; b; c; and 2 more"),
        (lambda: text.visible("\0\x1b[1m\x1f\t \n"), "‹U+0000›‹U+001B›[1m‹U+001F›\t \n"),
        (lambda: text.visible("\x7f\x80\u202e"), "‹U+007F›‹U+0080›‹U+202E›"),
        (lambda: text.visible_all({"\x1b": ["\0", 1, None]}), {"‹U+001B›": ["‹U+0000›", 1, None]}),
        (lambda: text.visible_all(({"a": "\0"},)), [{"a": "‹U+0000›"}]),
    ],
)
def test_numbers_and_words_are_written_as_the_report_does(written, expected):
    assert written() == expected
