"""What charts say of the terms on which their rows were measured, and how they draw the end of a
load.
"""

import json
from functools import cached_property

import pandas as pd
import pytest
import synthetic

from kvreport.analysis import terms
from kvreport.charts import bars, chapter, figures
from kvreport.charts.curves import ENDING
from kvreport.data.cases import Case
from kvreport.exhibits import (
    baseline,
    charts,
    costs,
    crossover,
    leveldb,
    passes,
    rocksjava,
    threads,
)

BASE, RANDOM = Case("int", "sequential"), Case("int", "random")
BATCHED = Case("int", "sequential", 8176)
SHARE = synthetic.COMMIT + synthetic.CLOSE  # of a load, after its last put
FIGURES = {
    "workloads": lambda of: charts.workloads(of("04-small-values"), "a11", RANDOM),
    "storage": lambda of: charts.storage(of("04-small-values"), "a07", [BASE, RANDOM], {}),
    "baseline": lambda of: baseline.figure_of(of("04-small-values"), "shares", RANDOM),
    "passes": lambda of: passes.figure(of("04-small-values"), "passes", RANDOM),
    "costs": lambda of: costs.loads(of("04-small-values"), "costs-4", RANDOM),
    "crossover": lambda of: crossover.figure(
        [of("04-small-values"), of("05-medium-values")], "crossover"
    ),
    "leveldb": lambda of: leveldb.chart(of("07-leveldb-page"), ("C03", "C04")),
    "threads": lambda of: threads.figure(of("08-threads"), "d01"),
    "calls": lambda of: rocksjava.calls_figure(of("10-rocksjava"), "e04-calls"),
}
TIERS = {"leveldb": "the end of the process"}
MEMORY = {"leveldb": "4 MB of cache and buffer"}


@pytest.fixture(scope="module")
def of(tmp_path_factory):
    with synthetic.shown(tmp_path_factory.mktemp("runs")):
        yield chapter.of


class Ending(chapter.Chapter):
    """A section whose loads end with another share of their time, by the case's settings."""

    shares: dict[str, float]

    @cached_property
    def results(self) -> pd.DataFrame:
        found = super().results
        return found.assign(ending=found["settings"].map(self.shares).astype(float))


def ending(test: chapter.Chapter, shares: dict[str, float]) -> Ending:
    found = Ending(test.section, test.run)
    object.__setattr__(found, "shares", shares)
    return found


@pytest.mark.parametrize("name", FIGURES)
def test_a_chart_names_what_a_commit_survives_and_what_a_store_may_keep(of, name):
    subtitle = FIGURES[name](of).subtitle
    assert f"a commit survives {TIERS.get(name, 'nothing')}" in subtitle
    assert f"memory: {MEMORY.get(name, terms.OPTIONS)}" in subtitle


def test_controls_keep_nothing(of):
    assert terms.granted([of(synthetic.HARNESS)]) == ""
    both = terms.granted([of("04-small-values"), of("07-leveldb-page")])
    assert both == f"memory: {terms.OPTIONS} and 4 and 128 MB of cache and buffer"


def layers(figure: figures.Figure, at: int = 0) -> list[dict]:
    return figure.spec["concat"][at]["layer"]


def test_a_rate_shows_what_the_end_of_a_load_takes_off(of, monkeypatch):
    drawn = leveldb.chart(of("07-leveldb-page"), ("C03", "C04"))
    good = drawn.frame.dropna(subset="value")
    assert len(good) and list(good["until"]) == pytest.approx(
        list(good["value"] / (1 - SHARE)), rel=1e-3
    )
    assert "what last commit and close take off" in drawn.subtitle
    for log_from in (1, 10**9):
        monkeypatch.setattr(bars, "LOG_FROM", log_from)
        spec = leveldb.chart(of("07-leveldb-page"), ("C03", "C04")).spec
        rows = [row for data in spec["datasets"].values() for row in data if "full" in row]
        for row in rows:
            assert row["full"] == row["value"] < row["whole"] == row["until"]
            assert row["ending_percent"] == pytest.approx(100 * SHARE, rel=1e-3)
        assert rows and ('"field": "whole"' in json.dumps(spec)) == (log_from > 1)
    reads = leveldb.chart(of("07-leveldb-page"), ("C01", "C02"))
    assert reads.frame["until"].isna().all() and "last commit" not in reads.subtitle


@pytest.mark.parametrize("name", ["crossover"])
def test_a_curve_shows_the_end_of_a_load_below_its_points(of, name):
    drawn = FIGURES[name](of)
    loads = drawn.frame[drawn.frame["panel"] == "write"].dropna(subset="value")
    assert list(loads["until"]) == pytest.approx(list(loads["value"] * (1 - SHARE)), rel=1e-3)
    assert drawn.subtitle.endswith(ENDING)
    fields = [each["encoding"].get("y", {}).get("field") for each in layers(drawn)]
    assert fields.count("shown_until") == 1
    if name == "crossover":
        assert "shown_until" not in json.dumps(layers(drawn, 1)), "bytes have no such part"


def test_threads_have_a_curve_of_their_puts_alone(of):
    """One thread's load ends with a fifth of its time, two threads' with half of it."""
    test = ending(of("08-threads"), {"threads=1": 0.2, "threads=2": 0.5})
    rows = threads.rows_of(test).set_index(["store", "x"])
    for store in ("LevelDbJni", "LmdbJavaBb"):
        row = rows.loc[(store, 2)]
        assert row["puts_speed_up"] == pytest.approx(row["speed_up"] * 0.8 / 0.5)
        assert rows.loc[(store, 1), "puts_speed_up"] == 1
        assert pd.isna(rows.loc[(store, 4), "puts_speed_up"])
    drawn = threads.figure(test, "d01")
    assert set(drawn.frame["kind"]) == {threads.HERE, threads.THERE, threads.PUTS}
    assert f"dots: {threads.PUTS}" in drawn.subtitle
    assert "[1.5, 2.5]" in json.dumps(drawn.spec)
    cells = threads.loads(test).frame
    assert set(cells["of it last commit and close, %"]) == {"20", "50", "–"}
    assert threads.PUTS not in threads.figure(ending(test, {}), "d01").subtitle
