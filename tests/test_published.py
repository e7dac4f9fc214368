"""What the sources printed, as data/published has it."""

import os
import re
from pathlib import Path

import pandas as pd
import pytest

from kvreport.base.paths import JBANG_STORES, PUBLISHED
from kvreport.data import frames, published, published_files

FILES = [
    *("jvm-comparison", "leveldb-2011", "rocksjava"),
    *("lmdbjava-2016-06", "lmdbjava-2016-06-more", "lmdbjava-2016-07", "lmdbjava-2016-07-more"),
]


def rows(stem: str) -> pd.DataFrame:
    table = published_files.read(stem)
    return table.assign(value=table["value"].astype(float))


def test_each_file_is_as_it_was_typed_and_its_stores_are_ours():
    """Not a row is missing and not a number is another, as SHA256SUMS says."""
    assert sorted(FILES) == sorted(path.stem for path in PUBLISHED.glob("*.csv"))
    ours = {script.stem for script in JBANG_STORES.glob("*.java")}
    assert {*published.MAP_IDS.values(), *published.ROCKSJAVA_SIDES.values()} <= ours
    assert {id for stem in FILES for id in rows(stem)["store_id"]} <= {"", *ours}


def test_the_sources_own_figures_say_what_its_text_says_where_they_can():
    """Figures read off the text and the charts of the two reports."""
    july, june = (frames.printed("04-small-values", each) for each in ("2016-07", "2016-06"))

    def best(rows, order, workload):
        rows = rows[(rows["keys"] == "int") & (rows["order"] == order)]
        return rows[rows["workload"] == workload].sort_values("ns_per_entry").iloc[0]

    assert best(july, "sequential", "readSeq")["ns_per_entry"] == pytest.approx(36.62894)
    assert best(july, "random", "readKey")["name"] == "Chronicle"
    assert best(june, "random", "write")["name"] == "LevelDB"
    xodus = july[(july["store"] == "Xodus") & (july["keys"] == "int") & (july["order"] == "random")]
    over = 100 * (xodus["closed_bytes"] / xodus["flat_bytes"] - 1)
    assert set(over.round(1)) == {354.8}


DOCUMENTS = {
    "lmdbjava-2016-07": "The benchmark was executed on 10 July 2016",
    "lmdbjava-2016-06": "was executed on 30 June 2016",
    "leveldb-2011": "we benchmark it against other well-established database implementations",
    "jvm-comparison": "precomputed files with random bytes as input",
    "rocksjava": "RocksJava is a project that we initiated in April 2014",
}  # a sentence of each


def document(name: str) -> str:
    """The text of a source; KVREPORT_SOURCES names a folder that holds them as .txt files under any
    names.
    """
    folder = os.environ.get("KVREPORT_SOURCES")
    if not folder:
        pytest.skip(
            "set KVREPORT_SOURCES to a folder with the five source documents as .txt files to"
            " compare with their text"
        )
    for path in sorted(Path(folder).glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        if DOCUMENTS[name] in " ".join(text.split()):
            return text
    pytest.skip(f'KVREPORT_SOURCES has no .txt file that says "{DOCUMENTS[name]}"')


def typed(name: str) -> pd.DataFrame:
    """All rows of a document that were typed from its text."""
    table = pd.concat(
        [rows(stem) for stem in sorted(FILES, key=len) if stem.startswith(name)], ignore_index=True
    )
    return table[table["printed"] != ""]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_typed_stands_in_the_source(name):
    text = " ".join(document(name).split())
    table = typed(name)
    missing = [printed for printed in table["printed"] if " ".join(printed.split()) not in text]
    assert not missing and len(table)
    for row in table.itertuples():  # and a number of it is the value
        shown = row.printed.split("=")[-1].replace("true", "1").replace("false", "0")
        numbers = [
            float(digits.replace(",", "")) * {"k": 1e3, "K": 1e3, "M": 1e6}.get(unit, 1)
            for digits, unit in re.findall(r"(\d[\d,]*\.?\d*|\.\d+)([kKM]?)", shown)
        ]
        assert not numbers or any(
            number == pytest.approx(abs(row.value), rel=1e-12) for number in numbers
        ), row
