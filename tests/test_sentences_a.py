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


def test_what_safe_buffers_and_syncs_cost_lmdb_is_computed(shown):
    chapter = shown("01-lmdb-settings")
    section, base = chapter.variables["test"], Case("int", "sequential")
    rows = section.case(base).set_index(["store", "workload"])["value"]
    ratios = rows["LmdbJavaSafe"] / rows["LmdbJavaBb"]
    assert (
        chapter.figures["a01"].title
        == f"Safe buffers take {range_text(ratios)} times as long as optimal ones"
    )
    for workload, ratio in ratios.items():
        assert f"{workload} (× {number(ratio)})" in chapter.sentences[1].data
    first = "Waiting for the device takes longer with every binding. Writing without the map makes"
    assert chapter.sentences[0].data.startswith(first), "a chapter begins with what was found"
    for id, case, title in (
        ("a02", "sync=on, metaSync=off", "Waiting for the device takes longer with every binding"),
        ("a03", "writeMap=off", "Loading without the write map makes no measurable difference"),
        ("a04", "metaSync=on", "Syncing the meta page makes no measurable difference"),
    ):
        before = "metaSync=off" if id == "a04" else ""
        loads = [
            rows[(rows["status"] == "ok") & (rows["workload"] == "write")]["value"]
            for rows in (section.case(base._replace(settings=each)) for each in (before, case))
        ]
        changes = (loads[1] / loads[0]).dropna()
        assert set(changes.round(1)) == ({2.0} if id == "a02" else {1.0})
        assert chapter.figures[id].title.startswith(title)


def range_text(values: pd.Series) -> str:
    least, most = number(values.min()), number(values.max())
    return least if least == most else f"{least} to {most}"


def test_the_largest_size_and_how_near_sizes_are_to_those_of_2016(shown):
    chapter = shown("02-value-sizes")
    section = chapter.variables["test"]
    for id, group in (("a05", "JULY_SIZES"), ("b01", "JUNE_SIZES")):
        over = {
            (name, size): overhead
            for size in chapter.variables[group]
            for name, overhead in sizes(chapter, Case("int", "random", size)).items()
        }
        name, size = max(over, key=over.get)
        assert chapter.figures[id].title == (
            f"{name} takes up to {number(over[name, size])}% more space than a flat array, at"
            f" {size:,} bytes"
        )
    table = chapter.tables[0].frame
    apart = table.loc[table["apart, %"] != "–", "apart, %"].astype(float).abs()
    near = f"Of {len(apart)} sizes {(apart <= 2).sum()} are within 2% of those of 10 July 2016."
    assert chapter.sentences[0].data == f"{chapter.figures['a05'].title}."
    assert chapter.sentences[1].data.startswith(near)
    rows = section.sizes(Case("int", "random", 2027))["value"]
    then = 100 * (
        rows["LmdbJavaDb"]
        / chapter.variables["published"]
        .sizes("2016-07", 2)["LmdbJavaDb", Case("int", "random", 2027)]
        .value
        - 1
    )
    assert f"LMDB DB at 2,027 bytes ({then:+.1f}%)" in chapter.sentences[1].data


def test_the_best_batch_of_each_store_is_the_one_with_the_least_time(shown):
    chapter = shown("03-batch-sizes")
    section = chapter.variables["test"]
    for id, load in (("a06", "large"), ("b02", "small")):
        title = chapter.figures[id].title
        loads = section.results[
            section.results["value_bytes"] == chapter.variables[load].value_bytes
        ]
        for store, rows in loads[loads["status"] == "ok"].groupby("store"):
            if not section.is_store(store):
                continue
            ties = rows[rows["value"] < 1.02 * rows["value"].min()]["settings"]
            part = next(part for part in title.split("; ") if section.name(store) in part)
            assert all(tie.removeprefix("batch=") in part for tie in ties), store


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
