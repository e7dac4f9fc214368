"""What the sources printed, as data/published has it."""

import math

import pytest

from kvreport import claims
from kvreport.chapter import WORKLOADS, published
from kvreport.paths import JBANG_STORES

PRINTED = """
| (Flat Array) | 104,000,000 |  |
| LevelDB | 107,036,672 | 2.91 |
| RocksDB | 107,057,152 | 2.93 |
| MVStore | 108,937,216 | 4.74 |
| Chronicle | 116,801,536 | 12.30 |
| MapDB | 118,489,088 | 13.93 |
| LMDB DB | 171,601,920 | 65.00 |
| LMDB JNI | 171,896,832 | 65.28 |
| LMDB BB | 172,040,192 | 65.42 |
| LMDB BB | 172,314,624 | 65.68 |
| Xodus | 473,067,520 | 354.87 |
"""  # exhibit A08, as the report of 10 July 2016 has it


def test_the_printed_table_is_whole_and_its_percentages_follow_from_its_bytes():
    table = published("2016-07")
    table = table[table["exhibit"] == "A08"]
    lines = []
    for row in table[table["unit"] == "bytes"].itertuples():
        over = table.loc[(table.index == row.Index + 1) & (table["unit"] == "%"), "value"]
        lines.append(f"| {row.system} | {row.value:,.0f} | {over.iloc[0]:.2f} |" if len(over) else f"| {row.system} | {row.value:,.0f} |  |")
        for printed in over:  # the source cuts digits off
            assert printed == pytest.approx(math.floor(1e4 * (row.value / 104e6 - 1)) / 100, abs=1e-9)
    assert lines == PRINTED.strip().splitlines()


@pytest.mark.parametrize("edition, systems", [("2016-07", 10), ("2016-06", 8)])
def test_every_case_and_workload_has_every_system(edition, systems):
    table = published(edition)
    times = table[table["parameter"] == "mean time"].groupby(["keys", "order", "workload"])["system"].nunique()
    assert len(times) == 4 * len(WORKLOADS)
    for (_, _, workload), count in times.items():
        assert count == (systems if workload in ("write", "readKey") else systems - 1), "all but Chronicle, which has no cursor"
    assert (table["value"] > 0).all() and set(table["unit"]) == {"bytes", "%", "ms/op"}


@pytest.mark.parametrize("edition", ["2016-07", "2016-06"])
def test_every_system_is_one_of_our_stores(edition):
    ours = {script.stem for script in JBANG_STORES.glob("*.java")}
    assert set(published(edition)["store_id"]) - {""} <= ours


def test_the_sources_own_figures_say_what_its_text_says_where_they_can():
    """Figures read off the text and the charts of the two reports."""
    july, june = claims.printed("2016-07"), claims.printed("2016-06")
    assert july.best(("int", "sequential", "readSeq")).value == pytest.approx(36.62894)
    assert july.called(july.best(("int", "random", "readKey")).store) == "Chronicle"
    assert june.called(june.best(("int", "random", "write")).store) == "LevelDB"
    assert july.overheads["int", "random"]["Xodus"] == pytest.approx(354.8, abs=0.1)
