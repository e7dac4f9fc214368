"""Titles and sentences of the chapters on states of a database, on costs, and of the frame of the
report, against the tables beside them: each number is computed once more, by plain pandas.
"""

import json
import math
import re

import chapters
import pandas as pd
import pytest
import synthetic

from kvreport import notebook
from kvreport.analysis.comparison import COLUMNS, Change, Comparison
from kvreport.base.templates import fill
from kvreport.base.text import count, number
from kvreport.charts import templates
from kvreport.charts.tables import Table
from kvreport.data.cases import Case

NONE = "–"
NAMED = re.compile(r"(?:^|, | and )(.+?) \(×? ?([\d.,]+)\)")  # "LMDB BB (× 1.20) and MapDB (3.1)"
NO_STORES = ("limit", "control")
GROWTH = r"between ([\d.,]+) \((.+?)\) and ([\d.,]+) \((.+?)\) times as large"


def rows_of(table: Table, blank: str) -> pd.DataFrame:
    """A table's rows, with a column that is filled in once for several rows filled in for each."""
    frame = table.frame
    names = frame[blank].str.strip("*").where(frame[blank] != "").ffill()
    return frame.assign(**{blank: names})


def numbers(column: pd.Series) -> pd.Series:
    """Those of a table's cells that are numbers."""
    return pd.to_numeric(column.str.replace(",", ""), errors="coerce").dropna()


def test_lists_keep_their_items_and_words_their_commas():
    template = """
    {% for name in names -%}{{ name }}{{ separator(loop) }}{% endfor %}

    Two
    lines:
    - one
      item
    - another"""
    assert fill(template, names="abc") == "a, b and c\n\nTwo lines:\n- one item\n- another"
    assert fill(template, names="ab").startswith("a and b\n")


def test_extremes_are_those_of_what_is_known():
    values = pd.Series({"a": 2.0, "b": float("nan"), "c": 1.0, "d": 3.0})
    assert templates.extremes(values) == {
        "least": {"store": "c", "value": 1.0},
        "most": {"store": "d", "value": 3.0},
    }
    assert templates.extremes(values[["b"]]) == {}


@pytest.mark.end_to_end
def test_what_is_said_of_costs_is_what_the_tables_have(tmp_path, monkeypatch):
    synthetic.write_run(tmp_path, sections=[synthetic.SECTION, "05-medium-values"])
    for store, cores, written, quiet in (
        ("LmdbJavaBb", 2, 3, 0.2),
        ("MapDb", 1.5, 9, 7.5),
        ("LevelDbJni", 1, 1, None),
    ):

        def work(case: dict, trial: int, cores=cores, written=written, quiet=quiet):
            case["settle"] |= {"quiet_seconds": quiet, "os_written_bytes": 0}
            for result in case["results"]:
                passes = result["iteration_ns"]
                result["cpu_user_ns"] = int(cores * sum(passes))
                result["os_written_bytes"] = written * result["user_bytes"] * len(passes)

        synthetic.edit(tmp_path, store, work)
    chapter = chapters.execute("costs", tmp_path, monkeypatch)
    debts, workloads = chapter.tables[0].frame, rows_of(chapter.tables[1], "workload")
    debts = debts[debts["store"] != "Flat file"].set_index("store")
    loading = workloads[(workloads["workload"] == "write") & (workloads["store"] != "Flat file")]
    cores = numbers(loading.set_index("store")["CPU cores busy"])
    busy = cores[cores > 1.1].sort_values(ascending=False)
    title, said = chapter.figures["costs-4"].title, chapter.sentences[0].data
    named = dict(NAMED.findall(title.partition("While loading, ")[2]))
    assert [*named] == [*busy.index] == ["LMDB BB", "MapDB"] and said.startswith(f"{title}. ")
    assert [*map(float, named.values())] == pytest.approx(busy.to_list(), rel=0.01)
    written = numbers(debts["OS bytes written per user byte"])
    ends = re.search(r"writes (\S+) \(.+?\) to (\S+) \((.+?)\) bytes", said)
    least, most, largest = ends.groups()
    assert float(least) == written.min() and largest == written.idxmax()
    assert float(most) == pytest.approx(written.max(), rel=0.01)
    assert "goes on for 7.50 s in MapDB." in said and debts.loc["MapDB", "quiet after, s"] == "7.5"
    restless = debts.index[debts["quiet after, s"] == "not quiet"]
    assert list(restless) == ["LevelDB"] and "LevelDB had not come to rest" in said


@pytest.mark.end_to_end
def test_shares_of_the_baseline_and_passes_are_counted_right(tmp_path, monkeypatch):
    synthetic.write_run(tmp_path, sections=[synthetic.SECTION])
    chapter = chapters.execute("costs", tmp_path, monkeypatch)
    (shares,) = (each.frame for each in chapter.tables if "write, %" in each.frame)
    title = chapter.figures["shares"].title
    best = {name.removesuffix(", %"): numbers(shares[name]).max() for name in shares.columns[1:]}
    assert {of: float(share) for share, of in re.findall(r"(\d+)% at (\w+)", title)} == {
        workload: pytest.approx(share, abs=0.6) for workload, share in best.items()
    }
    (shares_said,) = (each for each in chapter.sentences if each.data.startswith(title))
    (passes_said,) = (each for each in chapter.sentences if "had settled" in each.data)
    heads = "from the first pass to the last"
    (changing,) = (each.frame for each in chapter.tables if heads in each.frame)
    changing = changing[changing["store"] != "Flat file"]
    said = passes_said.numbers
    assert said["changing"] == len(changing) > 0 and said["stores"] == sorted({*changing["store"]})
    assert said["settled"] + said["changing"] + said["inconclusive"] == said["all"]
    drawn = chapter.figures["passes"].frame.query("store != 'FlatFile'")
    ours = changing[changing["case"] == "int keys in random order"]
    assert chapter.figures["passes"].title.startswith(
        f"{len(ours)} of {drawn.groupby(['panel', 'store']).ngroups} results"
    )


@pytest.mark.end_to_end
def test_what_is_said_of_the_noise_floor_is_what_the_table_has(tmp_path, monkeypatch):
    again = {"MapDbAgain": ("MapDB again", "control", "MapDB 3.1.0", "#7a8fa6", 100_000.0, 20)}
    monkeypatch.setattr(synthetic, "TWICE", synthetic.TWICE | again)
    stores = (*synthetic.STORES, *synthetic.TWICE)
    synthetic.write_run(tmp_path, stores=stores, sections=[synthetic.SECTION])

    def drift(case: dict, trial: int):
        for i, result in enumerate(case["results"]):
            result["iteration_ns"] = [int(ns * (1 + i / 50)) for ns in result["iteration_ns"]]

    synthetic.edit(tmp_path, "LmdbJavaBbAgain", drift)
    chapter = chapters.execute("methodology-details", tmp_path, monkeypatch)
    heads = "second over first, times"
    (table,) = (each.frame for each in chapter.tables if heads in each.frame)
    ratios = table["second over first, times"].astype(float)
    apart = ratios.where(ratios > 1, 1 / ratios)
    percent = float(re.search(r"by up to ([\d.]+)%", chapter.figures["noise"].title)[1])
    assert percent == pytest.approx(100 * (apart.max() - 1), abs=0.6) and percent > 9
    drawn = chapter.figures["noise"].frame
    assert not drawn.duplicated(["panel", "name"]).any(), "of several controls one is drawn"
    assert drawn["value"].max() == pytest.approx(100 * (apart.max() - 1), abs=0.6)
    assert set(table["store"]) == {"LMDB BB", "MapDB"}
    (said,) = (each.data for each in chapter.sentences if "noise floor" in each.data)
    floor, less = (
        float(re.search(rf"{words} ([\d.]+)", said)[1])
        for words in ("below", r"differences\s+below")
    )
    assert floor == pytest.approx(apart.quantile(0.95), abs=0.006)
    assert less == pytest.approx(100 * (floor - 1), abs=0.6) and f" in {len(table)} cases" in said


@pytest.mark.end_to_end
def test_what_is_said_of_the_bias_is_what_the_table_has(tmp_path, monkeypatch):
    name = synthetic.write_run(tmp_path, sections=[synthetic.SECTION])
    level = [100, 101, 99, 100, 100.5]
    ways = {
        "code": "",
        "name": "LMDB BB",
        "colour": "#1d6ec7",
        "jmh": dict.fromkeys(("write", "readKey", "readSeq", "readCrc"), level),
        "isolated": {
            workload: [factor * each for each in level]
            for workload, factor in (
                ("write", 0.98),
                ("readKey", 1.2),
                ("readSeq", 0.8),
                ("readCrc", 1.05),
            )
        },
        "shared": {"write": [1.5 * each for each in level]},
        "alone": {
            workload: [factor * each for each in level]
            for workload, factor in (("readKey", 1), ("readSeq", 0.8), ("readCrc", 1))
        },
    }
    records = json.dumps({"stores": {"LmdbJavaBb": ways}})
    (tmp_path / name / "crosscheck.json").write_text(records)
    chapter = chapters.execute("methodology-details", tmp_path, monkeypatch)
    (table,) = (rows_of(each, "compared") for each in chapter.tables if "compared" in each.frame)
    ratios = table["ratio, times"].astype(float)
    for figure, compared in (
        ("bias", "this harness over JMH"),
        ("shared", "shared kernel over own"),
    ):
        own = ratios[table["compared"] == compared]
        near = (table.loc[own.index, "verdict"] == "within 5%").sum()
        title = f"{near} of {len(own)} ratios ({compared}) are shown to be within 5%"
        assert chapter.figures[figure].title == title
        (said,) = (each.data for each in chapter.sentences if each.data.startswith(title))
        mean = math.exp(sum(map(math.log, own)) / len(own))
        assert f"the mean of all is {number(mean)}" in said
    (said,) = (each.data for each in chapter.sentences if "Each of these was measured" in each.data)
    for verdict, words in (
        ("beyond 5%", "beyond the aim for "),
        ("biased, perhaps within 5%", "are "),
    ):
        rows = table[(table["compared"] == "this harness over JMH") & (table["verdict"] == verdict)]
        named = " and ".join(
            f"{row['store']} at {row['workload']} ({number(float(row['ratio, times']))})"
            for _, row in rows.iterrows()
        )
        assert len(rows) and f"{words}{named}." in said
    explained, unexplained = said.partition("Measured so, ")[2].split(" For ")
    assert "readKey" in explained and "readCrc" in explained and "readSeq" not in explained
    assert unexplained.startswith("LMDB BB at readSeq (0.80) ")


@pytest.mark.end_to_end
def test_the_methodology_has_the_numbers_of_its_details(tmp_path, monkeypatch):
    stores = (*synthetic.STORES, *synthetic.TWICE)
    synthetic.write_run(tmp_path, stores=stores, sections=[synthetic.SECTION])
    details = chapters.execute("methodology-details", tmp_path, monkeypatch)
    [floor] = (each for each in details.sentences if "noise floor" in each.data)
    [steps] = (each for each in details.sentences if "median result" in each.data)
    short = chapters.execute("methodology", tmp_path, monkeypatch)
    [said] = (each for each in short.sentences if "The noise floor" in each.data)
    percent = floor.numbers["control"]["floor_percent"]
    assert f"is {percent:#.3g}%" in said.data and "has not been checked" in said.data
    assert "(@sec-noise)" in said.data and "0.67 to 3.00 ns" in said.data
    costs = chapters.execute("costs", tmp_path, monkeypatch)
    [settled] = (each for each in costs.sentences if "had settled:" in each.data)
    all, good = (settled.numbers[name] for name in ("all", "settled"))
    assert f"Of {all} results of stores {good} had settled and" in steps.data


@pytest.mark.end_to_end
def test_what_is_said_of_changes_is_what_the_comparison_has(tmp_path, monkeypatch):
    verdicts = [Change.SLOWER] * 3 + [Change.FASTER] * 2 + [Change.SAME] * 5
    rows = pd.DataFrame({"verdict": verdicts, "ratio": [2.0] * 3 + [0.5] * 2 + [1.0] * 5})
    rows = rows.assign(name="LMDB", workload="write", ratio_low=0.4, ratio_high=2.5, before=10.0)
    rows = rows.assign(trials=[3] * 6 + [1] * 4, detectable=1.2, **Case("int", "random")._asdict())
    rows = rows.reindex(columns=COLUMNS)
    comparison = Comparison("2026-01-01", "here", rows, 1.125, [], {})
    monkeypatch.setattr(notebook, "since", lambda: comparison)
    synthetic.write_run(tmp_path, sections=[synthetic.SECTION])
    chapter = chapters.execute("changes", tmp_path, monkeypatch)
    assert "Against version 2026-01-01, of 10 results that both have 3 became slower, 2 became" in (
        chapter.text
    )
    assert "and 5 show no detectable difference" in chapter.text and "is 12.5%" in chapter.text
    assert "Four results with one trial on a side tell nothing" in chapter.text


@pytest.mark.end_to_end
def test_the_introduction_names_the_stores_that_were_measured(tmp_path, monkeypatch):
    synthetic.write_run(tmp_path, sections=[synthetic.SECTION])
    chapter = chapters.execute("introduction", tmp_path, monkeypatch)
    (said,) = (each.data for each in chapter.sentences if "This edition" in each.data)
    names = [name for name, family, *_ in synthetic.STORES.values() if family not in NO_STORES]
    names.remove("Xodus")  # which failed, and has nothing measured
    named = re.split(r", | and ", said.partition(": ")[2].rstrip("."))
    assert sorted(named) == sorted(names) and f" {count(len(names), 'store')}: " in said
