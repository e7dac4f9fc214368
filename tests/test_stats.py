"""Medians, intervals and comparisons against values known from elsewhere."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats as known

from kvreport.analysis import noise, stats


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
    assert noise.floor(frame) == pytest.approx(1.95)
    assert list(noise.pairs(frame)["apart"][:3]) == pytest.approx([1, 1.01, 1.02])
    assert noise.floor(frame[frame["store"] == "A"]) == noise.NONE


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
