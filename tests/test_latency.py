"""Latencies: percentiles as HdrHistogram gives them, and histograms added up."""

from collections import Counter

import pytest
from hdrh.histogram import HdrHistogram

from kvreport.analysis import latency


def test_percentiles_are_those_of_hdrhistograms_own_test():
    """HistogramDataAccessTest: 10,000 values of 1,000 and one of 100,000,000, raw."""
    found = latency.Histogram(
        Counter({1_000: 1_000_000, 100_000_000: 100}), 100_000_000
    )  # the same shares, with samples enough
    assert [found.at(percent) for percent in (30, 99, 99.99)] == [1_000] * 3
    assert found.at(99.9901) == 100_000_000


def test_a_percentile_counts_values_from_the_first():
    found = latency.Histogram(Counter(dict.fromkeys(range(1, 1001), 1)), 1000)
    assert [found.at(percent) for percent in (0.01, 50, 50.01, 90, 99)] == [1, 500, 501, 900, 990]
    assert found.at(99.9) != found.at(99.9), "one sample lies beyond: too few to tell"


def test_histograms_added_up_have_the_longest_time():
    whole = latency.Histogram(Counter({1: 2}), 8) + latency.Histogram(Counter({1: 1, 3: 1}), 9)
    assert (whole.counts, whole.max_ns, whole.count) == ({1: 3, 3: 1}, 9, 4)


def test_histograms_are_read_in_hdrhistograms_encoding():
    """Of two digits: from 256 on steps are of 2, from 512 of 4, from 65,536 of 512."""
    times = HdrHistogram(1, 3_600_000_000_000, 2)
    for ns in (1, 180, 180, 256, 1_000, 123_456):
        times.record_value(ns)
    counts = times.encode().decode()
    assert latency.histogram(counts, 6, 123_456).counts == {
        1: 1,
        180: 2,
        257: 1,
        1003: 1,
        123903: 1,
    }
    with pytest.raises(ValueError, match="holds 6 operations and says that it has 7"):
        latency.histogram(counts, 7, 123_456)
