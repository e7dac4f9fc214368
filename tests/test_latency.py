"""Latencies: percentiles as HdrHistogram gives them, histograms added up, and what the chapter says
of planted ones.
"""

from collections import Counter

import pytest
import synthetic
from hdrh.histogram import HdrHistogram

from kvreport.analysis import latency
from kvreport.charts import chapter
from kvreport.data.cases import Case

CASE = Case("int", "random")


@pytest.fixture(scope="module")
def test(tmp_path_factory):
    with synthetic.shown(tmp_path_factory.mktemp("runs")):
        yield chapter.of("11-latency")


def test_percentiles_are_those_of_hdrhistograms_own_test():
    """HistogramDataAccessTest: 10,000 values of 1,000 and one of 100,000,000, raw."""
    found = latency.Latencies(
        Counter({1_000: 1_000_000, 100_000_000: 100}), 100_000_000, None
    )  # the same shares, with samples enough
    assert [found.at(percent) for percent in (30, 99, 99.99)] == [1_000] * 3
    assert found.at(99.9901) == 100_000_000


def test_a_percentile_counts_values_from_the_first():
    found = latency.Latencies(Counter(dict.fromkeys(range(1, 1001), 1)), 1000, None)
    assert [found.at(percent) for percent in (0.01, 50, 50.01, 90, 99)] == [1, 500, 501, 900, 990]
    assert found.at(99.9) != found.at(99.9), "one sample lies beyond: too few to tell"


def test_histograms_are_added_and_never_averaged(test):
    merged, each = latency.merged(test, CASE), latency.trials(test, CASE)
    key = "LmdbJavaBb", "getService"
    assert len(each[key]) == 3 and merged[key].count == sum(one.count for one in each[key])
    whole = sum((one.counts for one in each[key]), Counter())
    assert merged[key].counts == whole
    assert merged[key].max_ns == max(one.max_ns for one in each[key])


def test_histograms_are_read_in_hdrhistograms_encoding():
    """Of two digits: from 256 on steps are of 2, from 512 of 4, from 65,536 of 512."""
    times = HdrHistogram(1, 3_600_000_000_000, 2)
    for ns in (1, 180, 180, 256, 1_000, 123_456):
        times.record_value(ns)
    today = {"per_second": 5.0, "count": 6, "max_ns": 123_456, "counts": times.encode().decode()}
    assert latency.parsed(today).counts == {1: 1, 180: 2, 257: 1, 1003: 1, 123903: 1}
    with pytest.raises(ValueError, match="holds 6 operations and says that it has 7"):
        latency.parsed(today | {"count": 7})
