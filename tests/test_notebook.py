"""The notebooks' library: its frames, comparison and charts, and a chapter written with it."""

import json
import math
import re
import subprocess
import sys

import altair as alt
import chapters
import numpy as np
import pages
import pandas as pd
import pytest
import synthetic
from IPython.core.interactiveshell import InteractiveShell
from nbformat.v4 import new_code_cell, new_notebook, new_output

import kvreport as kv
from kvreport import notebook
from kvreport.analysis import model, ranking
from kvreport.base import paths
from kvreport.charts import page
from kvreport.data import records, runs
from kvreport.data.cases import Case

GETS = "keys == 'int' and order == 'random' and workload == 'readKey'"
CHAPTER, BEYOND = "11-latency", "15-beyond-memory"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    with synthetic.shown(folder, sections=[synthetic.SECTION, CHAPTER]):
        yield folder


def test_the_names_are_those_of_the_notebook_and_cost_the_command_line_nothing():
    names = set(kv.__all__) - {"DOES"}  # words for workloads
    assert all(callable(getattr(kv, name)) and getattr(kv, name).__doc__ for name in names)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = kv.nothing
    told = "import sys, kvreport; sys.exit('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", told], cwd=paths.ROOT).returncode == 0


def test_results_are_rows_of_the_dictionary_failures_included(shown):
    rows = kv.results(synthetic.SECTION)
    assert list(rows.columns) == kv.columns()["column"].tolist()
    assert set(rows["status"]) == {"ok", "na", "failed"}
    assert set(rows.loc[rows["store"] == "Xodus", "reason"]) == {synthetic.TIMEOUT}
    one = rows.query(f"{GETS} and store == 'MapDb' and trial == 2").iloc[0]
    result = next(
        result
        for case in synthetic.record("MapDb", 2)["cases"]
        for result in case["results"]
        if (case["keys"], case["order"], result["workload"]) == ("int", "random", "readKey")
    )
    assert one["ns_per_entry"] == np.median(result["iteration_ns"]) / synthetic.ENTRIES
    assert set(kv.results()["section"]) == {synthetic.SECTION, CHAPTER, synthetic.HARNESS}
    assert len(kv.results(synthetic.SECTION, source="2026-01-02-lab")) == len(rows)
    space = kv.space(synthetic.SECTION)
    flat = space[space["store"] == "FlatFile"]
    assert (flat["overhead"] == 0).all() and (flat["bytes_per_entry"] > 100).all()
    loads = space["store"].value_counts()
    assert loads.pop("RocksDb") == 9 and set(loads) == {12}, "it crashed in trial 2"


def test_a_published_version_is_read_in_the_same_columns():
    name = max(file.name for file in paths.REPORT.glob("2026-*"))
    rows = kv.results("05-medium-values", source=name)
    assert list(rows.columns) == kv.columns()["column"].tolist() and len(rows) > 100
    assert set(rows["section"]) == {"05-medium-values"}


def test_what_is_not_measured_is_a_frame_of_no_rows_with_its_columns(shown):
    for rows in (kv.results("99-none"), kv.space("99-none"), kv.latencies("99-none")):
        assert rows.empty and {"store", "keys", "trial"} <= set(rows.columns)
    assert list(kv.compare(kv.results("99-none")))[-1] == "reason"
    assert kv.published("Z99").empty and "ns_per_entry" in kv.published("Z99")


def test_what_is_recorded_beside_the_times_is_of_the_run_that_is_shown(shown, monkeypatch):
    machine = kv.machine(synthetic.SECTION)
    environment = runs.runs()["2026-01-02-lab"]
    assert machine["processors"] == environment["cpu"]["usable_threads"]
    assert machine["type"] == environment["filesystem"]["type"]
    assert kv.machine("99-none").isna().all() and list(kv.machine("99-none").index) == [
        *machine.index
    ]
    trials = kv.records(synthetic.SECTION)
    assert {each["section"] for each in trials} == {synthetic.SECTION} and not kv.records("99")
    loads = kv.results(synthetic.SECTION).query("workload == 'write' and ending.notna()")
    assert (loads["ending"] < 1).all()

    case = {"settings": {"sync": "on"}, "entries": 200, "loads": 2, "problem": None}
    cases = [case | {"calls": {"fsync": 440}}, case | {"calls": {}, "problem": "no such store"}]
    counted = {"problem": None, "counts": {"MapDb": {"cases": cases}}}
    monkeypatch.setattr("kvreport.data.extra_measurements.syscalls", lambda *_: counted)
    first, second = kv.syscalls(synthetic.SECTION).to_dict("records")
    assert [first[name] for name in ("name", "settings", "calls", "per_write", "problem")] == [
        *("MapDB", "sync=on", "220 × fsync", 1.1, "")
    ]
    assert second["problem"] == "no such store" and math.isnan(second["per_write"])
    counted |= {"problem": "no strace", "counts": {}}
    assert list(kv.syscalls(synthetic.SECTION)["problem"]) == ["no strace"]
    assert kv.syscalls("99-none").empty and kv.filesystems("99-none").empty


def test_what_was_published_has_the_unit_of_what_is_measured():
    then = kv.published("A09").query("store == 'LmdbJavaBb' and workload == 'write'")
    mean = then[then["parameter"] == "mean time"].iloc[0]
    assert mean["unit"] == "ms/op" and mean["ns_per_entry"] == mean["value"]  # of a million
    rate = kv.published("C01").query("store == 'LevelDbJni'").iloc[0]
    assert rate["ns_per_entry"] == pytest.approx(1e9 / 4_030_000)
    assert kv.published("A08")["ns_per_entry"].isna().all(), "sizes"


def test_the_comparison_is_the_model_of_the_section(shown):
    rows = kv.results(synthetic.SECTION)
    compared = kv.compare(rows)
    own = compared.query(GETS)
    best = own.iloc[own["verdict"].tolist().index("fastest")]["store"]
    cell = ("int", "random", 100, "", "random", "readKey")
    fit = model.fits(rows, [*Case._fields, "workload"])[cell]
    rivals = sum(row not in ("baseline", "control", "n/a", "failed") for row in own["verdict"]) - 1
    for row in own[own["trials"] > 1].itertuples():
        found = fit.compare(row.store, best, rivals)
        assert (row.ratio_low, row.ratio, row.ratio_high) == pytest.approx(
            (found.low, found.ratio, found.high)
        ), row.store
    medians = rows.query(GETS).groupby("store")["ns_per_entry"].median()
    for row in own.dropna(subset="median").itertuples():
        assert row.median == medians[row.store]
    assert own["median"].dropna().is_monotonic_increasing
    verdicts = own.set_index("store")["verdict"]
    assert verdicts["FlatFile"] == "baseline" and verdicts["Xodus"] == "failed"
    assert verdicts["MapDb"] == "slower" and own.set_index("store")["reason"]["Xodus"]
    against = kv.compare(kv.results(synthetic.SECTION), to="MapDb").query(GETS).set_index("store")
    assert against["ratio"]["MapDb"] == 1 and against["ratio"][best] < 1


def planted(**ns: list[float]) -> pd.DataFrame:
    """Rows of one cell, a value for each trial; None of a trial that failed."""
    case = {"keys": "int", "order": "random", "value_bytes": 100, "settings": "", "content": "x"}
    return pd.DataFrame(
        {"run": "r", "section": "s", "store": store, "name": store, "family": "B+ tree"}
        | {"engine": "", "trial": trial, "workload": "write", "ns_per_entry": value or math.nan}
        | {"status": "ok" if value else "failed", "reason": None if value else "it broke"}
        | case
        for store, values in ns.items()
        for trial, value in enumerate(values, 1)
    )


def test_verdicts_of_planted_trials():
    steady = planted(A=[100, 101, 99, 100], B=[101, 100, 100, 99], C=[200, 201, 199, 200], D=[0])
    found = kv.compare(steady).set_index("store")
    assert found["verdict"].to_dict() == {
        "A": "fastest",
        "B": "level",
        "C": "slower",
        "D": "failed",
    } or found["verdict"].to_dict() == {"B": "fastest", "A": "level", "C": "slower", "D": "failed"}
    assert found["ratio"]["C"] == pytest.approx(2, rel=0.01) and found["reason"]["D"] == "it broke"
    assert found["tells"]["C"] < 1.1
    some = steady.assign(status=steady["status"].where(steady["trial"] < 4, "na"))
    verdicts = kv.compare(some).set_index("store")["verdict"]
    assert verdicts["C"] == "slower" and verdicts["D"] == "failed", "what it did counts"
    named = kv.compare(steady, to="C").set_index("store")["verdict"]
    assert named.to_dict() == {"A": "faster", "B": "faster", "C": "level", "D": "failed"}
    near = kv.compare(planted(A=[100, 300, 60], B=[90, 260, 70]), to="A").set_index("store")
    assert near["verdict"]["B"] == "too noisy", "it may be faster or slower"
    wild = kv.compare(planted(A=[100, 300, 60], B=[210, 100, 500])).set_index("store")
    assert set(wild["verdict"]) == {"too noisy"}, "nobody is best where nothing can be told"
    assert set(kv.compare(planted(A=[100], B=[200]))["verdict"]) == {"one trial"}
    assert kv.compare(planted(A=[0], B=[0]))["median"].isna().all()


def test_a_change_of_a_store_is_told_by_the_trials_that_have_both():
    before = planted(A=[100, 101, 99], B=[100, 0, 0], C=[100, 0], D=[0, 0], E=[100])
    after = planted(A=[200, 201, 199], B=[150, 0, 0], C=[0, 100], D=[0, 0], E=[0])
    cannot = after["store"] == "E"
    after.loc[cannot, ["status", "reason"]] = ["na", "it cannot"]
    rows = pd.concat([before, after.assign(workload="overwrite")])
    found = kv.change(rows, "workload", "write", "overwrite").set_index("store")
    assert found["verdict"].to_dict() == {
        "A": "slower",
        "B": "one trial",
        "C": "failed",
        "D": "failed",
        "E": "n/a",
    }
    assert found["ratio"]["A"] == pytest.approx(2, rel=0.02) and found["ratio"][
        "B"
    ] == pytest.approx(1.5)
    assert math.isnan(found["ratio"]["C"]), "no trial has both"
    assert (found["before"]["C"], found["after"]["C"]) == (100, 100)
    assert found["reason"]["E"] == "it cannot"


def test_rows_of_several_cases_are_not_compared_as_if_they_were_one(shown):
    rows = kv.results(synthetic.SECTION)
    with pytest.raises(ValueError, match=r"differ in order \(.*random.*\): select one of them"):
        kv.compare(rows, by=["keys", "workload"])
    assert len(kv.compare(rows.query("order == 'random'"), by=["keys", "workload"]))


def test_a_store_that_is_measured_twice_widens_what_is_said_of_all(tmp_path):
    pair = planted(A=[100, 101, 99, 100], B=[150, 151, 149, 150])
    twice = pd.concat([pair, planted(AAgain=[120, 121, 119, 120]).assign(family="control")])
    found = kv.compare(twice).set_index("store")
    assert found["verdict"]["AAgain"] == "control"
    assert found["ratio_low"]["B"] < 1.1 < kv.compare(pair).set_index("store")["ratio_low"]["B"]
    assert (found["verdict"]["A"], found["verdict"]["B"]) == (ranking.NOISY, ranking.NOISY)


def test_percentiles_are_of_all_trials_together_and_of_each(shown):
    rows = kv.latencies(CHAPTER, pooled=False).query("store == 'MapDb' and operation == 'get'")
    due = rows[rows["loop"] == "from when due"]
    assert set(due["rate"]) == {1000} and rows[rows["loop"] == "closed loop"]["rate"].isna().all()
    whole, each = (due[due["trial"].isna() == pooled] for pooled in (True, False))
    assert set(each["trial"]) == {1, 2, 3} and set(whole["count"]) == {300_000}
    ns = each.query("percentile == 50")["ns"]
    middle = whole.query("percentile == 50")["ns"].iloc[0]
    assert middle == sorted(ns)[1], "a third of all lies below it, and a third above"
    assert whole.query("percentile == 99.9")["ns"].iloc[0] == pytest.approx(50 * ns.max(), rel=0.01)
    assert whole.query("percentile == 100")["ns"].iloc[0] == pytest.approx(50 * ns.max(), rel=0.01)
    own = synthetic.STORES["MapDb"][4] * 3
    assert middle == pytest.approx(own, rel=0.03), "in ns"
    assert kv.latencies(CHAPTER)["trial"].isna().all()


def planted_in(section: str, tmp_path, **factors) -> None:
    """A run of a section in which some stores' workloads take so many times as long."""
    synthetic.write_run(tmp_path, sections=[section])
    for store, changed in factors.items():

        def change(case: dict, trial: int, changed=changed):
            for result in case["results"]:
                times, read = changed.get(result["workload"], (1, None))
                result["iteration_ns"] = [times * ns for ns in result["iteration_ns"]]
                if read is not None:
                    result["os_read_bytes"] = read * result["user_bytes"]

        synthetic.edit(tmp_path, store, change, section)


def test_latency_says_what_was_planted(tmp_path, monkeypatch):
    synthetic.write_run(tmp_path, sections=[CHAPTER])
    found = chapters.execute(CHAPTER, tmp_path, monkeypatch)
    finding = next(each.data for each in found.results if getattr(each, "data", ""))
    assert "LMDB BB" in finding and "From a flat file" in finding
    ratios = found.variables["hidden"]("get")
    assert ratios.to_numpy() == pytest.approx(50, rel=0.02)
    ladder = found.variables["ladder"]("get")
    assert set(ladder["verdict"]) == {"ok"} and "FlatFile" not in set(ladder["store"])


def test_settings_as_shipped_stand_beside_ours_and_a_single_trial_shows_nothing(
    tmp_path, monkeypatch
):
    synthetic.write_run(tmp_path, sections=["12-fairness"])
    for trial in (2, 3):
        (tmp_path / f"2026-01-02-lab/12-fairness/MapDb-{trial}.json").unlink()

    def slow(case, _):
        for result in case["results"] if case["settings"] else ():
            result["iteration_ns"] = [33 * ns for ns in result["iteration_ns"]]

    synthetic.edit(tmp_path, "MapDb", slow, "12-fairness")
    found = chapters.execute("12-fairness", tmp_path, monkeypatch)
    told = found.variables["told"].set_index(["store", "workload"])
    assert told["ratio"]["RocksDb", "write"] == pytest.approx(1.5, rel=0.01), "as planted"
    slower = told.index[told["verdict"] == "slower"]
    assert set(slower.get_level_values("store")) == {"RocksDb"}
    title = found.variables["finding"]
    assert f"longer in {len(slower)} of {len(told)} comparisons" in title
    assert re.search(r"; most in RocksDB at \w+ \(× 1\.5", title)
    assert "single trials, which show none: MapDB at " in title and title.endswith("(× 33.0)")


def test_a_pass_is_cold_only_if_it_read_from_the_device(tmp_path, monkeypatch):
    planted_in(
        "13-cold",
        tmp_path,
        MapDb={"readCold": (8, 3)},
        RocksDb={"readCold": (2, 3)},
        LevelDbJni={"readCold": (5, 0)},
    )
    found = chapters.execute("13-cold", tmp_path, monkeypatch)
    cold = found.variables["cold"].set_index("store")
    warm = 2  # the second workload is twice as fast in the made-up run
    assert cold["ratio"].to_dict() == pytest.approx({"RocksDb": 2 * warm, "MapDb": 8 * warm})
    assert cold["before"]["MapDb"] * 8 * warm == pytest.approx(cold["after"]["MapDb"])
    assert set(cold["verdict"]) == {"slower"}
    assert found.variables["lukewarm"]["ratio"].to_numpy() == pytest.approx(warm, rel=0.01)
    assert "takes 4.00 (RocksDB) to 16.0 (MapDB) times as long as a warm one" in found.text
    assert "LevelDB" in found.text.partition("from the device for ")[2]


@pytest.mark.parametrize("same", (True, False))
def test_gets_beyond_memory_stand_beside_those_in_it_of_one_machine_and_profile(
    same, tmp_path, monkeypatch
):
    cases = [(Case("int", "random", 2026), ("write", "readKeyXxh64", "readXxh64"))]
    monkeypatch.setitem(synthetic.CASES_OF, "05-medium-values", cases)
    within = synthetic.write_run(tmp_path, "2026-01-01-lab", sections=["05-medium-values"])
    synthetic.write_run(tmp_path, "2026-01-02-lab", sections=[BEYOND])
    slow = {"readKeyXxh64": (7, 2)}
    for file in (tmp_path / "2026-01-02-lab" / BEYOND).glob("MapDb-*.json"):
        record = json.loads(file.read_text())
        for result in record["cases"][0]["results"]:
            times, read = slow.get(result["workload"], (1, 0))
            result["iteration_ns"] = [times * ns for ns in result["iteration_ns"]]
            result["os_read_bytes"] = read * result["user_bytes"]
        records.write_record(file, record, "trial")
    if not same:
        synthetic.change_profile(tmp_path / within, "quick")
    found = chapters.execute(BEYOND, tmp_path, monkeypatch)
    times = found.variables["gets"].set_index("store")["times"]
    if same:
        assert times["MapDb"] == pytest.approx(7)
        assert times.drop(["MapDb", "Xodus"]).dropna().to_numpy() == pytest.approx(1)
        assert "7.00 (MapDB) times as long as in Test 5" in found.text
    else:
        assert times.isna().all() and "is not shown: Test 5 was measured on another" in found.text
    table = found.variables["table"].set_index(["workload", "store"])
    assert table["read"]["readKeyXxh64", "MapDb"] == pytest.approx(2 / 3), "of three passes"
    assert "Xodus did not get through" in found.text


def test_an_aged_store_stands_beside_the_fresh_one(tmp_path, monkeypatch):
    planted_in(
        "14-aged",
        tmp_path,
        MapDb={"readKeyAged": (5, None)},
        LmdbJavaBb={"readKeyAged": (0.5, None), "readSeqAged": (9, None)},
    )
    found = chapters.execute("14-aged", tmp_path, monkeypatch)
    aged = found.variables["aged"].query("what == 'gets by key'").set_index("store")
    assert aged["ratio"]["MapDb"] == pytest.approx(5 * 2) and aged["verdict"]["MapDb"] == "slower"
    assert aged["ratio"]["LmdbJavaBb"] == pytest.approx(0.5 * 2)
    assert aged["verdict"]["LmdbJavaBb"] == "the same"
    assert aged["reason"]["Xodus"] == synthetic.TIMEOUT
    assert "gets by key are slower in MapDB (× 10.0)" in found.text
    assert set(found.variables["growth"]) == {2}


def cell(label: str | None, spec: dict, monkeypatch):
    """A code cell that has shown a chart, as a kernel shows it."""
    source = f"#| label: {label}\nchart" if label else "chart"
    monkeypatch.setattr(page, "_cell", lambda: source)
    return new_code_cell(source, outputs=[new_output("execute_result", page.shown(spec))])


def readers_chart() -> alt.Chart:
    """What a reader draws, who knows nothing of the page."""
    rows = kv.compare(kv.results(synthetic.SECTION)).query(GETS).dropna(subset="median")
    return (
        alt.Chart(rows[["store", "name", "median"]], title="Gets <b>of</b> stores")
        .mark_bar()
        .encode(x="median:Q", y=alt.Y("name:N").sort("x"))
    )


def test_any_chart_is_handed_to_the_page_and_leaves_its_cell(shown, monkeypatch):
    free, note = new_code_cell("kv.md('words')"), new_code_cell("#| label: tbl-a\n1")
    chart = readers_chart().to_dict()
    content = new_notebook(
        cells=[
            free,
            cell("fig-own", chart, monkeypatch),
            cell(None, chart, monkeypatch),
            note,
        ]
    )
    page.gather(content)
    for each in content.cells:
        assert page.MIME not in json.dumps(each.outputs)
    assert content.cells[1].outputs[0].data["image/svg+xml"].startswith("<svg")
    (scripts,) = content.cells[2].outputs[1:]
    text = scripts.data["text/markdown"]
    given = json.loads(text.partition(">")[2].partition("</script>")[0])
    assert list(given["specs"]) == ["fig-own"], "what has no label is no figure"
    assert given["stores"]["MapDB"]["store"] == "MapDb"
    assert given["specs"]["fig-own"]["usermeta"]["narrow"]["columns"] == 1
    assert "<b>" not in text.partition(">")[2].partition("</script>")[0], "no text ends the script"
    nothing = page.finished(kv.dots(kv.compare(kv.results("99-none"))).to_dict())
    assert nothing["mark"]["type"] == "text", "a sentence is no panel with marks"
    before = json.dumps(content)
    page.gather(content)
    assert json.dumps(content) == before, "nothing is left to gather"


@pytest.mark.end_to_end
def test_a_readers_chart_is_live_on_a_page_and_obeys_the_filter(
    browser, shown, monkeypatch, tmp_path
):
    spec = readers_chart().to_dict()
    dots = kv.dots(kv.compare(kv.results(synthetic.SECTION)).query(GETS)).to_dict()
    free = new_code_cell("words")
    content = new_notebook(
        cells=[
            free,
            cell("fig-own", spec, monkeypatch),
            cell("fig-dots", dots, monkeypatch),
        ]
    )
    page.gather(content)
    text = free.outputs[0].data["text/markdown"].replace("../../", f"{paths.ROOT.as_uri()}/")
    boxes = "".join(
        f'<figure id="{id}"><p><img src="x.svg" alt="A chart"></p></figure>'
        for id in ("fig-own", "fig-dots")
    )
    file = tmp_path / "page.html"
    style = (paths.THEME / "kv.css").as_uri()
    file.write_text(
        f'<meta charset="utf-8"><link rel="stylesheet" href="{style}">'
        f'<body class="quarto-light"><main><h1>x</h1>{boxes}{text}</main>'
    )
    for width in (pages.DESK, pages.PHONE):
        opened = browser.new_page(viewport={"width": width, "height": 900})
        opened.goto(file.as_uri())
        for id in ("fig-own", "fig-dots"):
            drawn = f"document.querySelector('#{id} svg')?.textContent.includes('MapDB')"
            pages.until(opened, drawn)
        opened.locator(".kv-filter summary").click()
        opened.locator('.kv-filter input[value="MapDb"]').uncheck()
        for id in ("fig-own", "fig-dots"):
            words = f"document.querySelector('#{id} svg').textContent"
            pages.until(opened, f"!{words}.includes('MapDB') && {words}.includes('RocksDB')")
        opened.close()


def test_a_frame_is_a_table_and_no_html(shown):
    shell = InteractiveShell.instance()
    notebook.enable()
    rows = kv.compare(kv.results(synthetic.SECTION)).query(GETS)[["name", "median", "trials"]]
    data, _ = shell.display_formatter.format(rows.head(3))
    assert "text/html" not in data and "| name" in data["text/markdown"]
    folded, _ = shell.display_formatter.format(pd.concat([rows] * 3))
    assert "callout-note" in folded["text/markdown"], "a long one is shown where it is asked for"
    hostile = pd.DataFrame({"a|b": ["<script>", None], "n": [1234.5678, math.nan]})
    text = shell.display_formatter.format(hostile)[0]["text/markdown"]
    assert "<script>" not in text and "1,235" in text and "–" in text


def test_a_sentence_is_text_whatever_is_in_the_data():
    rows = pd.DataFrame({"name": ["*a* @fig-x <b>"]})
    for shown in (
        kv.sentence(f"Take {rows['name'][0]}", of=rows).data,
        kv.finding(f"Take {rows['name'][0]}", f"or {rows['name'][0]}.", of=rows).data,
    ):
        assert r"\*a\*" in shown and r"\@fig" in shown and r"\<b" in shown
    assert kv.finding("Found", "More").data == "**Found** More"
    assert kv.finding("Found").data == "**Found**"
    assert kv.finding("x", of=rows.head(0)).data == "*Not measured.*"
    assert kv.sentence("x", of=rows.head(0)).data == "", "which was said above"
    assert (kv.times(1.5), kv.times(1.5, 1.2, 2)) == ("1.50 times", "1.50 times [1.20, 2.00]")
    assert kv.join(["a", "b", "c"], "or") == "a, b or c"
    assert kv.first(rows.head(0))["name"] != kv.first(rows)["name"] == "*a* @fig-x <b>"


def test_a_chart_says_which_column_it_lacks(shown):
    rows = kv.compare(kv.results(synthetic.SECTION)).query(GETS)
    with pytest.raises(ValueError, match="no column p99; it has "):
        kv.dots(rows, x="p99")
    with pytest.raises(ValueError, match="no column loop, percentile"):
        kv.tail(rows, "from when due")


def test_dots_show_every_store_its_interval_and_why_one_has_none(shown):
    rows = kv.compare(kv.results(synthetic.SECTION)).query("order == 'random'")
    spec = kv.dots(rows.query("workload == 'readRev'"), panel="keys").to_dict()
    assert [panel["title"]["text"].split(" ·")[0] for panel in spec["concat"]] == ["int", "string"]
    drawn = pd.DataFrame([row for rows in spec["datasets"].values() for row in rows])
    values = drawn.dropna(subset="value") if "value" in drawn else drawn
    assert {"low", "high", "colour", "store"} <= set(values)
    assert "Chronicle" in set(drawn.dropna(subset="note")["name"])
    assert runs.selected_run() == "2026-01-02-lab"


def test_a_grid_has_a_cell_for_each_store_and_column_and_words_for_none(shown):
    rows = kv.compare(kv.results(synthetic.SECTION)).query("order == 'random' and keys == 'int'")
    spec = kv.heat(rows.query("verdict != 'control'"), "workload", "ratio").to_dict()
    (cells,) = spec["datasets"].values()
    drawn = pd.DataFrame(cells).set_index(["name", "workload"])
    assert drawn["words"]["MapDB", "write"] == f"{drawn['value']['MapDB', 'write']:.3g}"
    assert drawn["words"]["Xodus", "write"] == "–"
    best, worst = drawn["value"].idxmin(), drawn["value"].idxmax()
    assert (drawn["ink"][best], drawn["ink"][worst]) == ("#ffffff", "#1f2933")
    assert page.finished(spec)["concat"][0]["layer"]


def test_a_grid_of_words_has_their_colours_frames_and_panels_that_stand_alone_when_narrow():
    rows = pd.DataFrame(
        [
            ["A", "x", "good", "p", False],
            ["B", "x", "bad", "p", True],
            ["B", "y", "bad", "q", False],
        ],
        columns=["name", "at", "left", "panel", "broken"],
    )
    colours = {"good": "#cfe8d5", "bad": "#4a1030"}
    chart = kv.heat(rows, "at", "left", panel="panel", colours=colours, framed="broken")
    spec = chart.to_dict()
    drawn = pd.concat([pd.DataFrame(cells) for cells in spec["datasets"].values()])
    assert dict(zip(drawn["words"], drawn["fill"])) == colours
    assert dict(zip(drawn["words"], drawn["ink"])) == {"good": "#1f2933", "bad": "#ffffff"}
    assert drawn["framed"].sum() == 1
    names = [
        [panel["layer"][0]["encoding"]["y"]["scale"]["domain"] for panel in each["concat"]]
        for each in (spec, json.loads(spec["usermeta"]["narrow"]))
    ]
    assert names == [[["A", "B"], ["A", "B"]], [["A", "B"], ["B"]]]


@pytest.mark.parametrize(("columns", "width"), [(2, 148), (4, 228)])
def test_a_grid_of_a_few_columns_fits_a_narrow_page_in_full_size(columns, width):
    rows = pd.DataFrame({"name": "A", "at": range(columns), "value": 1.0})
    spec = kv.heat(rows, "at", "value").to_dict()
    (panel,) = json.loads(spec["usermeta"]["narrow"])["concat"]
    assert (panel["width"], spec["concat"][0]["width"]) == (width, 74 * columns)


def test_a_chart_without_rows_says_so():
    rows = pd.DataFrame({"name": ["A"], "n": [1]})
    for frame, drawn in (rows, True), (rows.head(0), False):
        chart = alt.Chart(frame, title="Seen").mark_bar().encode(x="n:Q", y="name:N")
        spec = page.finished(chart.to_dict())
        assert ("concat" in spec) == drawn and ("Nothing was measured" in str(spec)) != drawn
