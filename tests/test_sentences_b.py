"""Titles and sentences of Tests 7 to 11, against the frames and tables behind them: each number is
computed once more, by plain pandas.
"""

import functools
import re

import chapters
import pandas as pd
import pytest
import synthetic

from kvreport.exhibits import leveldb

pytestmark = pytest.mark.end_to_end


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Executes a chapter on a made-up run of some sections, once for each least time to rank by."""

    @functools.cache
    def executed(name: str, more: tuple[str, ...], shortest_ms: float) -> chapters.Executed:
        folder = tmp_path_factory.mktemp("runs")
        synthetic.write_run(folder, sections=[name, *more])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(leveldb, "SHORTEST_MS", shortest_ms)
            return chapters.execute(name, folder, patch)

    def of(name: str, *more: str, shortest_ms: float = leveldb.SHORTEST_MS) -> chapters.Executed:
        return executed(name, more, shortest_ms)

    return of


def rates_of(chapter: chapters.Executed, exhibit: str) -> pd.DataFrame:
    """The printed rates and factors of an exhibit of the LevelDB page, by store."""
    for table in (each.frame for each in chapter.tables if "exhibit" in each.frame):
        ids = table["exhibit"].str.extract(r"\*\*(.*)\*\*")[0].ffill()
        if (ids == exhibit).any():
            return table[ids == exhibit].set_index("store")
    raise AssertionError(exhibit)


def test_titles_of_the_leveldb_page_name_who_is_first_and_what_a_variant_comes_to(executed):
    chapter = executed("07-leveldb-page", shortest_ms=0)  # as what is made up is done in no time
    title, first = chapter.figures["c01"].title, {}
    for id, what in (("C01", "sequential reads"), ("C04", "random writes")):
        rates = rates_of(chapter, id)["entries/s"]
        rates = pd.to_numeric(rates.str.replace(",", ""), errors="coerce").dropna()
        first[what] = sorted(rates[rates > 0.98 * rates.max()].index)  # trials scatter by 2%
    assert first["sequential reads"] == ["LMDB BB", "LMDB DB"], "the near tie that is planted"
    for what, stores in first.items():
        named = re.search(rf"{what} \((.*?)\)", title)
        assert named and sorted(named[1].split(" or ")) == stores, title
    for figure, ids, what in (
        ("c07", ("C07", "C08"), "Batches of a thousand"),
        ("c11", ("C11", "C12"), "Writes with compression toggled"),
        ("c15", ("C15", "C16"), "Reads with 128 MB"),
    ):
        factors = pd.concat([rates_of(chapter, id)["times the baseline"] for id in ids], axis=1)
        said = [
            f"{store} {' and '.join(row)}"
            for store, row in factors.iterrows()
            if store in ("LevelDB", "TreeDB", "SQLite") and "–" not in tuple(row)
        ]
        title = chapter.figures[figure].title
        head, listed = title.split(" against the baseline, sequential and random: ")
        plain = re.sub(r"(\S+)x and (\S+)x, inconclusive", r"(\1x) and (\2x)", listed)
        assert head == what and (sorted(plain.split("; ")) == sorted(said)), title


def test_nobody_is_first_by_a_time_too_short_to_rank_by(executed):
    title = executed("07-leveldb-page").figures["c05"].title
    assert title.startswith("Too short to rank by: ")
    assert " is fastest" not in title and " ms in all)" in title
    assert "too short" not in executed("07-leveldb-page", shortest_ms=0).figures["c05"].title


def test_the_page_s_own_misprints_are_counted(executed):
    chapter = executed("07-leveldb-page")
    said = next(each for each in chapter.sentences if "misprints" in each.numbers)
    assert f"{len(said.numbers['misprints'])} do not follow" in said.data
    for row in said.numbers["misprints"]:
        printed, follows = (float(row[each].rstrip("x")) for each in ("printed", "follows"))
        assert abs(printed / follows - 1) > 0.25, row


def numbers_of(column: pd.Series) -> pd.Series:
    """A printed column as numbers, NaN where it has none."""
    return pd.to_numeric(column.str.replace(",", ""), errors="coerce")


def test_gains_and_losses_from_threads_are_those_of_the_table(executed):
    chapter = executed("08-threads")
    said, table = chapter.sentences[0].data, chapter.tables[0].frame
    table = table.assign(
        x=table["threads"].astype(int),
        seconds=numbers_of(table["s"]),
        times=numbers_of(table["times as fast as with one"]),
    )
    stores = table[table["store"] != "Flat file"].dropna(subset="seconds")
    shortest = stores[stores["seconds"] == stores["seconds"].min()]
    assert any(
        said.startswith(f"The shortest load is {row['store']}'s: {row['s']} s with")
        for _, row in shortest.iterrows()
    )
    several = stores[stores["x"] > 1]
    gains, losses = several[several["times"] > 1.5], several[several["times"] < 0.7]
    best = gains.loc[gains.groupby("store")["times"].idxmax()]
    worst = losses.loc[losses.groupby("store")["times"].idxmin()]
    for rows, part in ((best, "faster than one in"), (worst, "slower in")):
        for _, row in rows.iterrows():
            one = f"{row['store']} ({row['times']:.2f} times with {row['x']})"
            assert re.search(f"{part} [^.]*{re.escape(one)}", said), (one, said)
        assert said.count("times with") == len(best) + len(worst)
    most = gains.loc[gains["times"].idxmax()]
    assert chapter.figures["d01"].title == (
        f"The largest measurable gain from threads: {most['store']}, {most['times']:.2f} times"
        f" as fast with {most['x']} as with one"
    )


NS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}


def times_of(sentence: str) -> list[tuple[float, str]]:
    """The times that a sentence names with a store in brackets, ns: [(303.0, "LMDB BB"), ...]."""
    found = re.findall(r"([\d.,]+) (ns|µs|ms|s) \((.*?)\)(?= to|,|$)", sentence)
    return [(float(value.replace(",", "")) * NS[unit], store) for value, unit, store in found]


def test_rates_from_java_are_those_of_the_table(executed):
    chapter = executed("10-rocksjava")
    table = chapter.tables[0].frame
    whats = table["exhibit"].str.extract(r"\*\*E0\d\*\* (.*)")[0].ffill()
    own = table.assign(what=whats)[table["side"] == "RocksJava"]
    own = own[own["2014, to native, %"] != "–"]
    said = chapter.sentences[0].data
    assert len(own) == said.count("(2014: ") == 4
    for _, row in own.iterrows():
        low, high = map(float, row["95% interval, %"].split(" to "))
        noisy = ", inconclusive" if low < 0 < high else ""
        assert (
            f"{row['what']}, {row['to native, %']}%{noisy} (2014: {row['2014, to native, %']}%)"
        ) in said


def test_what_a_step_of_a_scan_costs_is_what_the_figure_draws(executed):
    figure = executed("10-rocksjava").figures["e04-calls"]
    steps = figure.frame[figure.frame["panel"].str.startswith("readSeq")].set_index("name")["value"]
    java = steps[steps.index.str.startswith("Java")]
    assert figure.title == (
        f"A step of the classic scan costs {steps['Java, new arrays']:.0f} ns from Java and"
        f" {steps['C']:.0f} ns from C; the least from Java is {java.min():.0f} ns"
        f" ({java.idxmin().removeprefix('Java, ')})"
    )
