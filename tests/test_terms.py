"""What charts say of the terms on which their rows were measured."""

import pytest
import synthetic

from kvreport.analysis import terms
from kvreport.charts import chapter
from kvreport.data.cases import Case
from kvreport.exhibits import (
    baseline,
    charts,
    costs,
    passes,
)

BASE, RANDOM = Case("int", "sequential"), Case("int", "random")
FIGURES = {
    "workloads": lambda of: charts.workloads(of("04-small-values"), "a11", RANDOM),
    "storage": lambda of: charts.storage(of("04-small-values"), "a07", [BASE, RANDOM], {}),
    "baseline": lambda of: baseline.figure_of(of("04-small-values"), "shares", RANDOM),
    "passes": lambda of: passes.figure(of("04-small-values"), "passes", RANDOM),
    "costs": lambda of: costs.loads(of("04-small-values"), "costs-4", RANDOM),
}


@pytest.fixture(scope="module")
def of(tmp_path_factory):
    with synthetic.shown(tmp_path_factory.mktemp("runs")):
        yield chapter.of


@pytest.mark.parametrize("name", FIGURES)
def test_a_chart_names_what_a_commit_survives_and_what_a_store_may_keep(of, name):
    subtitle = FIGURES[name](of).subtitle
    assert "a commit survives nothing" in subtitle
    assert f"memory: {terms.FITTING}" in subtitle


def test_controls_keep_nothing(of):
    assert terms.granted([of(synthetic.HARNESS)]) == ""
    both = terms.granted([of("04-small-values"), of("07-leveldb-page")])
    assert both == f"memory: {terms.FITTING} and 4 and 128 MB of cache and buffer"
