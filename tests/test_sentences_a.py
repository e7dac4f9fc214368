"""Titles and sentences of Tests 1 to 6 against the frames behind them: each number is computed once
more, by plain pandas, from the run's results.
"""

import functools

import chapters
import pandas as pd
import pytest
import synthetic

from kvreport.base.text import duration, number
from kvreport.data.cases import CASES, Case

pytestmark = pytest.mark.end_to_end


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """A function that executes a chapter on a run of its section, once for each kind of run."""

    @functools.cache
    def execute(name: str, **run) -> chapters.Executed:
        folder = tmp_path_factory.mktemp("runs")
        synthetic.write_run(folder, sections=[name], **run)
        with pytest.MonkeyPatch.context() as patch:
            return chapters.execute(name, folder, patch)

    return execute


def times(chapter: chapters.Executed, case: Case, test: str = "test") -> pd.DataFrame:
    """The results of the stores in a case, from the chapter's section: name and value."""
    section = chapter.variables[test]
    rows = section.case(case)
    rows = rows[(rows["status"] == "ok") & rows["store"].map(section.is_store).astype(bool)]
    return rows.assign(name=rows["store"].map(section.name))


def sizes(chapter: chapters.Executed, case: Case) -> pd.Series:
    """Percent over the flat array of the stores in a case, by name, least first."""
    section = chapter.variables["test"]
    rows = section.sizes(case)
    rows = rows[(rows["status"] == "ok") & rows["store"].map(section.is_store).astype(bool)]
    return rows.set_index(rows["store"].map(section.name))["overhead"].sort_values()


def range_of(sizes: pd.Series) -> str:
    (least, *_, most), (first, *_, last) = sizes, sizes.index
    return f"{number(least)}% ({first}) to {number(most)}% ({last})"


def extreme(rows: pd.DataFrame, flat: pd.DataFrame, workload: str) -> str:
    """The range of a workload, as a sentence has it."""
    rows = rows[rows["workload"] == workload].sort_values("value")
    first, last = rows.iloc[0], rows.iloc[-1]
    flat = flat[flat["workload"] == workload]["value"].iloc[0]
    return (
        f"takes {duration(first['value'])} ({first['name']}) to {duration(last['value'])}"
        f" ({last['name']}), in the flat file {duration(flat)}."
    )


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("04-small-values", dict(zip(["a09", "a10", "a11", "a12"], CASES))),
        (
            "05-medium-values",
            {"a15": Case("int", "sequential", 2026), "a16": Case("int", "random", 2026)},
        ),
        (
            "06-large-values",
            {
                f"a{n}": Case("int", "random", size)
                for n, size in ((19, 4080), (22, 8176), (25, 16368))
            },
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_who_leads_and_from_what_to_what_it_goes(shown, name, figures):
    chapter = shown(name)
    section = chapter.variables["test"]
    for id, case in figures.items():
        rows, title = times(chapter, case), chapter.figures[id].title
        paragraph = next(each.data for each in chapter.sentences if f"See @fig-{id}" in each.data)
        assert paragraph.startswith(title + ".")
        firsts = rows.loc[rows.groupby("workload")["value"].idxmin(), "store"]
        assert {section.engine(store) for store in firsts} == {"LMDB"}
        assert title == "LMDB is fastest at every workload"
        flat = section.case(case)
        flat = flat[flat["store"].map(section.is_baseline).astype(bool)]
        for workload in ("write", "readKey", "readSeq"):
            assert extreme(rows, flat, workload) in paragraph


def test_where_nobody_leads_measurably_nobody_is_named(shown):
    chapter = shown("04-small-values", stores=("FlatFile", "LmdbJavaBb", "MapDb"), trials=1)
    title = chapter.figures["a09"].title
    assert title == "No engine is measurably faster than all others at any workload"


def test_what_stores_take_is_from_the_least_to_the_most(shown):
    chapter = shown("04-small-values")
    assert range_of(sizes(chapter, Case("int", "random"))) in chapter.figures["a07"].title
    paragraph = next(each for each in chapter.sentences if each.data.endswith("@fig-a07."))
    for case in CASES:
        found = f"{range_of(sizes(chapter, case))} with {case.keys} keys in {case.order} order"
        assert found in paragraph.data
    before, after = (sizes(chapter, Case("int", order)) for order in ("sequential", "random"))
    grown = (100 + after) / (100 + before)
    named = {name for names in paragraph.numbers["grown"].values() for name in names}
    assert named == set(grown[grown > 1.05].index)


@pytest.mark.parametrize("name", ["05-medium-values", "06-large-values"])
def test_how_much_less_than_the_source_is_computed(shown, name):
    chapter = shown(name)
    results = chapter.variables["test"].results
    capped = chapter.sentences[1].data
    assert "The source had 10,000,000 entries; profile smoke caps the data of a case at" in capped
    assert f"about {number(results['user_bytes'].max() / 1e9)} GB" in capped
    assert set(results["entries"]) == {1000} and "which makes 1,000 entries." in capped


def test_the_crossover_and_what_changed_since_2016(tmp_path, monkeypatch):
    names = ["04-small-values", "05-medium-values", "06-large-values"]
    synthetic.write_run(tmp_path, sections=names)
    chapter = chapters.execute("conclusion", tmp_path, monkeypatch)
    title = chapter.figures["crossover"].title
    table = next(each.frame for each in chapter.tables if "µs/entry" in each.frame)
    whole = table.groupby("store")["value, bytes"].transform("nunique")
    table = table[whole == table["value, bytes"].nunique()]
    for size, rows in table.groupby("value, bytes"):
        first = rows.loc[rows["µs/entry"].astype(float).idxmin(), "store"]
        part = next(part for part in title.split("; ") if size in part)
        assert first in part
    table = next(each.frame for each in chapter.tables if "now / then, times" in each.frame)
    most = table["now / then, times"].iloc[0]
    now, then = (
        float(table[f"{when}, ns/entry"].iloc[0].replace(",", "")) for when in ("now", "2016")
    )
    assert float(most.replace(",", "")) == pytest.approx(now / then, rel=0.01)
    sentence = chapter.sentences[-1]
    assert f"{most} ({table['store'].iloc[0]}, {table['workload'].iloc[0]}," in sentence.data
    [shown] = (each.data for each in chapter.sentences if "are shown." in each.data)
    assert shown == "Tests 4, 5 and 6 are shown.", "as many entries of each size"

    def fewer(case, _):
        for of in (case, *case["results"]):
            of |= {
                name: of[name] // 2
                for name in ("entries", "flat_bytes", "user_bytes")
                if name in of
            }

    synthetic.edit(tmp_path, "*", fewer, "06-large-values")
    chapter = chapters.execute("conclusion", tmp_path, monkeypatch)
    [shown] = (each.data for each in chapter.sentences if "are shown." in each.data)
    assert "1,000 entries of 100 bytes" in shown and "500 entries of 16,368 bytes" in shown
    table = next(each.frame for each in chapter.tables if "µs/entry" in each.frame)
    assert set(table["entries, number"]) == {"1,000", "500"}
