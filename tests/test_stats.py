"""Medians, intervals and comparisons against values known from elsewhere."""

import math
import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats as known

from kvreport.analysis import contrasts, model, noise, stats
from kvreport.analysis.stats import Difference
from kvreport.data.cases import Case


def test_few_trials_have_students_interval_of_the_logarithms():
    found = stats.estimate(
        [math.exp(-1), 1, math.exp(1)]
    )  # logarithms with mean 0 and standard deviation 1
    assert found.value == 1 and found.n == 3
    assert math.log(found.high) == pytest.approx(
        4.302653 / math.sqrt(3), rel=1e-6
    )  # t(0.975, 2), from tables
    assert math.log(found.low) == pytest.approx(-4.302653 / math.sqrt(3), rel=1e-6)
    assert math.log(stats.estimate([1, math.e]).high) == pytest.approx(
        0.5 + 12.7062 * math.sqrt(0.5) / math.sqrt(2), rel=1e-5
    )


def test_a_ratio_of_few_trials_has_welchs_interval():
    found = stats.ratio(np.exp([1, 2, 3]), np.exp([0, 1, 2]))
    assert found.value == pytest.approx(math.e)
    assert math.log(found.high) == pytest.approx(
        1 + 2.776445 * math.sqrt(2 / 3), rel=1e-6
    )  # t(0.975, 4), from tables
    inverse = stats.ratio(np.exp([0, 1, 2]), np.exp([1, 2, 3]))
    assert inverse.low == pytest.approx(1 / found.high) and inverse.high == pytest.approx(
        1 / found.low
    )


def test_the_median_of_nothing_is_none_and_warns_of_nothing():
    with warnings.catch_warnings(action="error"):
        assert math.isnan(stats.median([math.nan]))
    assert stats.median([math.nan, 1.0, 4.0]) == 2.5


def test_intervals_repeat_and_do_not_depend_on_order():
    values = [3.0, 1.0, 2.0, 5.0, 4.0, 7.0]
    assert stats.estimate(values) == stats.estimate(values)
    assert stats.ratio(values, values[::-1]).value == 1


def test_one_result_is_less_where_the_ratios_interval_leaves_out_one():
    fast, near, slow = [100, 101, 99], [100.5, 102, 99.5], [200, 202, 198]
    assert stats.compare(fast, slow, 1) == "less" and stats.compare(slow, fast, 1) == "greater"
    assert stats.compare(fast, near, 1) == "inconclusive" == stats.compare(near, fast, 1)
    assert stats.compare([1], [1000], 1) == "inconclusive", "one trial against one shows nothing"
    assert (
        stats.compare([1000], fast, 1) == "greater" and stats.compare(fast, [1000], 1) == "less"
    ), "one far beyond the scatter of several differs"
    assert stats.compare([104], fast, 1) == "inconclusive", "but not one that might be one of them"
    assert not stats.estimate([5]).has_interval
    assert stats.estimate([4, 4, 4]) == stats.Estimate(4, 4, 4, 3)
    assert stats.compare([4, 4], [5, 5], 1) == "less", "sizes that repeat exactly differ"


def test_a_ratio_within_the_noise_floor_is_inconclusive_either_way():
    fast, slow = [100, 101, 99], [130, 131, 129]
    for floor, less, greater in ((1.29, "less", "greater"), (1.31, "inconclusive", "inconclusive")):
        assert stats.compare(fast, slow, floor) == less
        assert stats.compare(slow, fast, floor) == greater
    assert stats.compare([1, 100], [2, 220], 1) == "inconclusive", "the interval holds 1"


def test_the_floor_is_what_nineteen_of_twenty_comparisons_of_a_store_with_itself_keep_below():
    def row(store: str, size: int, ns: float) -> dict:
        case = {"keys": "int", "order": "random", "value_bytes": size, "settings": ""}
        return case | {
            "section": "04-small-values",
            "store": store,
            "content": "random",
            "workload": "write",
            "status": "ok",
            "ns_per_entry": ns,
        }

    sizes = range(1, 102)  # the second time is slower or faster, by 0 to 100%
    rows = [row("A", size, 100.0) for size in sizes]
    rows += [row("AAgain", size, 100 * (1 + (size - 1) / 100) ** (-1) ** size) for size in sizes]
    frame = pd.DataFrame(rows)
    assert noise.floor_of(frame) == pytest.approx(1.95)
    assert list(noise.pairs_of(frame)["apart"][:3]) == pytest.approx([1, 1.01, 1.02])
    assert noise.floor_of(frame[frame["store"] == "A"]) == noise.NONE


def test_rows_are_compared_by_the_fits_of_their_section(monkeypatch):
    times = {
        "slow": [200, 201, 199],
        "near": [100.5, 102, 99],
        "first": [100, 101, 99],
        "same": [100, 101, 99],
        "single": [150],
    }
    case = Case("int", "random")
    rows = {
        store: {"store": store, "status": "ok", "value": values[0], "values": values}
        | case._asdict()
        | {"workload": "write"}
        for store, values in times.items()
    }
    trials = {store: dict(enumerate(values)) for store, values in times.items()}
    fit = model.fit(trials)
    section = SimpleNamespace(fits={(*case, "write"): fit}, between=0, floor=1)
    frame = pd.DataFrame(list(rows.values()))
    ties = ["first", "same", "near"]
    assert [row["store"] for row in contrasts.fastest(section, frame)] == ties
    failed = frame.assign(status=["ok" if each != "same" else "failed" for each in frame["store"]])
    assert [row["store"] for row in contrasts.fastest(section, failed)] == ["first", "near"]
    ratio, difference = contrasts.compare(section, rows["slow"], rows["first"], 4)
    known = fit.compare("slow", "first", 4)
    assert (ratio.value, ratio.low, ratio.high) == (2, known.low, known.high)
    assert difference is Difference.GREATER
    once = fit.compare("slow", "first", 1)
    assert contrasts.compare(section, rows["slow"], rows["first"])[0].low == once.low
    asked = []

    def compared(_: SimpleNamespace, row: dict, other: dict, comparisons: int):
        asked.append((row["store"], other["store"], comparisons))
        return None, Difference.LESS

    with monkeypatch.context() as patch:
        patch.setattr(contrasts, "compare", compared)
        chosen = frame[frame["store"].isin(["slow", "near", "first"])]
        assert [row["store"] for row in contrasts.fastest(section, chosen)] == ["first"]
    assert asked == [("first", "near", 2), ("first", "slow", 2)]
    across = contrasts.compare_across(section, rows, "first")
    assert across["slow"] == (ratio, difference) and "first" not in across
    section.between = 0.2  # sessions differ by more
    assert contrasts.compare_across(section, rows, "first")["slow"][1] is Difference.INCONCLUSIVE


def test_trials_alone_are_told_from_trials_and_what_controls_differ_by():
    trials = {"A": {1: 100.0, 2: 150.0, 3: 90.0}, "AAgain": {1: 120.0, 2: 181.0, 3: 107.0}}
    case = Case("int", "random")
    fit = model.fit(trials)
    section = SimpleNamespace(
        fits={(*case, "write"): replace(fit, between=math.log(1.2) ** 2)}, floor=1.0
    )
    again, first = (
        case._asdict()
        | {"store": store, "workload": "write", "values": list(trials[store].values())}
        for store in ("AAgain", "A")
    )
    assert contrasts.by_trials(section, again, first) is Difference.GREATER
    assert contrasts.compare(section, again, first)[1] is Difference.INCONCLUSIVE
    single = model.fit({store: {1: of[1]} for store, of in trials.items()})
    section.fits = {(*case, "write"): single}
    assert contrasts.by_trials(section, again, first) is Difference.INCONCLUSIVE, (
        "as Welch's has it"
    )
    assert "Dunnett" in contrasts.interval_name(2) and "one trial" in contrasts.interval_name(1)


def test_many_trials_have_the_same_interval_as_few_and_it_holds_the_median():
    one, other = [1.0, 2, 3, 4, 5, 6], [10.0, 20, 30, 40, 50, 70]
    welch = known.ttest_ind(np.log(one), np.log(other), equal_var=False)
    assert stats.ratio(one, other).high == pytest.approx(math.exp(welch.confidence_interval().high))
    split = stats.estimate([1.0] * 7 + [0.1] * 5)
    assert split.value == split.high == 1, "the mean of the logarithms lies far below the median"


def test_one_trial_against_several_has_a_prediction_interval():
    found = stats.ratio([math.exp(1)], np.exp([-1, 0, 1]))  # a standard deviation of 1, over n - 1
    assert found.value == pytest.approx(math.e) and found.n == 1
    reach = 4.302653 * math.sqrt(1 + 1 / 3)  # t(0.975, 2), from tables
    assert math.log(found.high) == pytest.approx(1 + reach, rel=1e-6)
    assert math.log(found.low) == pytest.approx(1 - reach, rel=1e-6)


@pytest.mark.parametrize(("n", "words"), [(1, "one trial"), (2, "Student"), (5, "Student")])
def test_an_interval_is_named_by_how_it_was_made(n, words):
    assert words in stats.interval_name(n)


def test_a_cell_has_the_trials_that_succeeded_and_says_why_the_others_did_not():
    def row(store: str, status: str, ns: float = math.nan, reason: str = "") -> dict:
        case = {"keys": "int", "order": "random", "value_bytes": 96, "settings": ""}
        sizes = {"content": "random", "entries": 1000, "user_bytes": 100_000}
        times = {"ns_per_entry": ns, "ms": ns / 1000, "ending": math.nan}
        what = {"store": store, "workload": "write", "status": status, "reason": reason}
        return what | case | sizes | times

    rows = [
        *(row("A", "ok", ns) for ns in (100, 300)),
        row("A", "failed", reason="crash"),
        row("B", "failed", reason="crash"),
        row("B", "na", reason="no batches"),
    ]
    one, other = stats.cells(pd.DataFrame(rows)).to_dict("records")
    expected = {"status": "ok", "values": (100, 300), "value": 200, "trials": 2, "failures": 1}
    assert one.items() >= (expected | {"reason": "crash", "ms": 0.2, "gbs": 0.5}).items()
    assert (other["status"], other["values"], other["failures"]) == ("na", (), 1)


def test_intervals_of_three_trials_cover_what_they_promise():
    samples = np.random.default_rng(1).lognormal(5, 0.1, (400, 3))
    covered = sum(found.low <= math.exp(5) <= found.high for found in map(stats.estimate, samples))
    assert 0.92 < covered / len(samples) < 0.98


@pytest.mark.parametrize("several", [2, 3, 5])
def test_the_interval_of_one_trial_against_several_covers_what_it_promises(several):
    samples = np.random.default_rng(1).lognormal(5, 0.1, (400, several + 1))
    intervals = [stats.ratio(sample[:1], sample[1:]) for sample in samples]
    covered = sum(found.low <= 1 <= found.high for found in intervals)
    assert 0.92 < covered / len(samples) < 0.98 and {found.n for found in intervals} == {1}
