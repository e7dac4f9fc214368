"""What captions say of the terms on which rows were measured."""

import pytest
import synthetic

from kvreport.analysis import test_conditions
from kvreport.charts import chapter


@pytest.fixture(scope="module")
def of(tmp_path_factory):
    with synthetic.shown(tmp_path_factory.mktemp("runs")):
        yield chapter.of


def test_controls_keep_nothing(of):
    assert test_conditions.granted([of(synthetic.HARNESS)]) == ""
    both = test_conditions.granted([of("04-small-values"), of("07-leveldb-page")])
    assert both == f"memory: {test_conditions.FITTING} and 4 and 128 MB of cache and buffer"
