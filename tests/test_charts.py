"""Charts of the library on a run whose numbers are known, and what all charts share."""

import json
import re
from math import nan

import altair as alt
import pandas as pd
import pytest
import synthetic

import kvreport as kv
from kvreport.base.svg import lean
from kvreport.charts import figures, page, panels, titles
from kvreport.charts.palette import colour
from kvreport.charts.rows import GREY

CASES = {
    "a09": "keys == 'int' and order == 'sequential'",
    "a12": "keys == 'string' and order == 'random'",
}


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    with synthetic.shown(tmp_path_factory.mktemp("runs"), [synthetic.SECTION]):
        yield kv.beside(
            kv.compare(kv.results(synthetic.SECTION), keep=["ending"]), synthetic.SECTION
        )


def drawn_of(rows) -> dict:
    """The specification of a page's figure."""
    chart = kv.dots(rows, panel="workload", then="then", ending="ending")
    return page.finished(chart.properties(title=kv.title("What is seen", "ns")).to_dict())


@pytest.fixture(scope="module")
def made(ranked) -> dict[str, dict]:
    return {id: drawn_of(ranked.query(case)) for id, case in CASES.items()}


def panel(spec: dict, workload: str) -> dict:
    """A panel's layers, each with its rows in place of the name of its data."""
    spec = json.loads(json.dumps(spec))
    found = next(panel for panel in spec["concat"] if panel["title"]["text"].startswith(workload))
    for layer in found["layer"]:
        layer["rows"] = spec["datasets"][layer["data"]["name"]]
    return found


def layers(panel: dict, mark: str) -> list[dict]:
    return [layer for layer in panel["layer"] if layer["mark"]["type"] == mark]


def names(panel: dict) -> list[str]:
    """The rows of a panel from top to bottom."""
    return next(
        layer["encoding"]["y"]["scale"]["domain"]
        for layer in panel["layer"]
        if "scale" in layer["encoding"].get("y", {})
    )


def drawn(panel: dict, *marks: str) -> list[dict]:
    """The stores' rows that have coloured marks."""
    return [
        row
        for mark in marks
        for layer in layers(panel, mark)
        if "color" in layer["encoding"]
        for row in layer["rows"]
    ]


def test_rows_are_sorted_and_what_has_no_value_comes_last_with_its_reason(made):
    scan = panel(made["a12"], "readSeq")
    first = ["Flat file", "LMDB BB", "LMDB DB", "LMDB BB safe", "RocksDB", "LevelDB", "MapDB"]
    assert names(scan) == [*first, "Chronicle", "Xodus"]
    notes = [row for layer in layers(scan, "text") for row in layer["rows"] if "note" in row]
    assert [(row["name"], row["note"][:12], row["why"]) for row in notes] == [
        ("Chronicle", "n/a: a hash ", synthetic.UNORDERED),
        ("Xodus", "failed: the ", synthetic.TIMEOUT),
    ]


def test_rows_that_cannot_for_one_reason_are_one(ranked):
    rows = ranked.query(CASES["a12"] + " and workload == 'readSeq'")
    more = rows.query("name == 'Chronicle'")
    several = pd.concat([rows, *(more.assign(name=f"Hash {n}", store=f"H{n}") for n in (1, 2))])
    scan = panel(drawn_of(several), "readSeq")
    assert names(scan)[-2:] == ["3 stores", "Xodus"] and "Hash 1" not in names(scan)
    [why] = {
        row["why"]
        for layer in layers(scan, "text")
        for row in layer["rows"]
        if row["name"] == "3 stores"
    }
    assert why == f"{synthetic.UNORDERED}: Chronicle, Hash 1, Hash 2"


def test_a_failed_result_is_never_drawn(made):
    crc = panel(made["a12"], "readCrc")
    assert not {"LevelDB", "Xodus", "Chronicle"} & {
        row["name"] for row in drawn(crc, "circle", "rule", "bar")
    }
    assert drawn(crc, "circle", "rule") and names(crc)[-2:] == ["LevelDB", "Xodus"]


def test_the_baseline_the_intervals_and_the_values_are_drawn(made):
    write = panel(made["a09"], "write")
    assert {row["baseline"] for row in drawn(write, "circle")} == {10.0}
    dashed = [layer for layer in layers(write, "rule") if "strokeDash" in layer["mark"]]
    assert dashed[0]["rows"] == [{"baseline": 10.0}]
    interval = next(
        layer
        for layer in layers(write, "rule")
        if layer["encoding"].get("x2", {}).get("field") == "end"
    )
    bb = next(row for row in interval["rows"] if row["name"] == "LMDB BB")
    assert (
        90 < bb["start"] == bb["low"] < bb["value"] == 100 < bb["high"] == bb["end"] < 110
        and interval["encoding"]["x"]["field"] == "start"
    )
    assert (
        bb["label"] == "100"
        and {"MapDB": "100,000"}.items()
        <= {row["name"]: row["label"] for row in interval["rows"]}.items()
    )


def test_the_axis_is_logarithmic_only_where_the_spread_asks_for_it_and_has_its_unit(made, ranked):
    near = drawn_of(
        ranked.query(CASES["a09"] + " and store != 'FlatFile' and 50 < median < 400").assign(
            then=float("nan")
        )
    )
    for spec, scale, mark in (made["a09"], "log", "circle"), (near, "linear", "bar"):
        for title in [each["title"]["text"] for each in spec["concat"]]:
            shown = panel(spec, title)
            axes = [
                layer["encoding"]["x"]
                for layer in shown["layer"]
                if "axis" in layer["encoding"].get("x", {})
            ]
            assert {axis["title"] for axis in axes} == {"ns an entry"} and {
                axis["scale"]["type"] for axis in axes
            } == {scale}
            assert drawn(shown, mark) and ("log scale" in title) == (scale == "log")
            assert all(axis["scale"]["domain"][0] == 0 for axis in axes) == (scale == "linear"), (
                "bars begin at zero"
            )


def test_the_flat_file_is_named_the_baseline_where_no_store_is_below_it(ranked):
    rows = ranked.query(CASES["a09"] + " and workload == 'write'")
    for value, label in [(10.5, "10.0 · baseline"), (9.5, "10.0")]:
        moved = rows.assign(median=rows["median"].where(rows["name"] != "LMDB BB", value))
        flat = [
            row
            for row in drawn(panel(drawn_of(moved), "write"), "circle", "bar")
            if row["name"] == "Flat file"
        ]
        assert {row["label"] for row in flat} == {label}


def test_intervals_lie_on_the_axis_unless_they_reach_so_far_that_it_would_show_little_else():
    for high, most in ([2.0, 15.0], 15), ([2.0, 1000.0], 10 * panels.REACH), ([nan, nan], 10):
        rows = pd.DataFrame({"value": [1.0, 10.0], "low": [0.9, nan], "high": high})
        axes = panels.value_axes([rows], ["value"], ["low", "high"], room=(0, 1))
        assert [(each.log, each.domain) for each in axes] == [(False, [0, most])]
    narrow, wide = (pd.DataFrame({"value": values}) for values in ([1.0, 2.0], [0.0, 1.0, 30.0]))
    more = pd.DataFrame({"value": [1.0, 30.0], "low": [0.4, 29.0]})
    logs = [
        [axis.log for axis in panels.value_axes(each, ["value"], ["low"])]
        for each in ([narrow], [narrow, more], [narrow, more, wide])
    ]
    assert logs == [[False], [True] * 2, [True, True, False]], "one asks for all; none shows a zero"
    assert panels.value_axes([more], ["value"], ["low"])[0].domain[0] < 0.4


def drawable(intervals: list[tuple[float, float]], **columns) -> pd.DataFrame:
    """Rows of stores for `dots` and `lines`, from their intervals, which have the values midway."""
    low, high = zip(*intervals)
    rows = pd.DataFrame({"low": low, "high": high})
    names = [f"S{n}" for n in range(len(rows))]
    middle = rows["low"] / 2 + rows["high"] / 2
    about = {
        "median": middle,
        "store": names,
        "name": names,
        "family": "B+ tree",
        "engine": "",
        "n": 1,
    }
    return rows.assign(**(about | columns))


@pytest.mark.parametrize("draw", (kv.dots, lambda rows: kv.lines(rows, "n")))
def test_an_interval_that_the_panel_cuts_ends_in_an_arrowhead(draw):
    for high, heads in (11.0, 0), (1000.0, 1):
        rows = drawable([(0.9, 1.1), (9.0, high)], median=[1.0, 10.0])
        picture = figures.picture(page.finished(draw(rows).to_dict()))
        assert picture.count('aria-roledescription="point"') == heads


def test_no_line_of_a_title_ends_where_a_reader_would_stumble():
    assert titles.split("A get by key takes 268 µs (LMDB) to 10.4 ms (MapDB)", 23) == [
        "A get by key takes",
        "268 µs (LMDB) to",
        "10.4 ms (MapDB)",
    ]
    assert titles.split("most at write (× 4.85) on amd-epyc-2 · 3 trials", 18) == [
        "most at write",
        "(× 4.85) on",
        "amd-epyc-2 ·",
        "3 trials",
    ]
    assert titles.split("thin line: 95% interval (Student's t)", 36) == [
        "thin line: 95% interval",
        "(Student's t)",
    ]


def test_a_store_has_its_colour_everywhere_and_controls_but_the_baseline_are_left_out(made):
    seen = {}
    for spec in made.values():
        for each in spec["concat"]:
            for row in drawn(panel(spec, each["title"]["text"]), "circle", "bar"):
                seen.setdefault(row["store"], set()).add(row["colour"])
    assert seen == {
        store: {colour(store, GREY, told[1], told[2])}
        for store, told in synthetic.STORES.items()
        if store not in ("Xodus", "Memory")
    }


def test_a_figure_leaves_colours_of_text_to_the_theme_and_is_the_same_each_time(ranked, made):
    assert drawn_of(ranked.query(CASES["a09"])) == made["a09"]
    assert "config" not in made["a09"]


def test_no_axis_counts_in_powers_or_thousandths():
    small = kv.dots(drawable([(0.02, 0.02), (5.0, 5.0)]), unit="µs")
    assert ">0.1<" in figures.picture(page.finished(small.to_dict()))


def test_what_a_row_lacks_is_not_in_it_and_each_kind_of_chart_is_a_valid_one():
    rows = pd.DataFrame({"name": ["A", "B"], "mark": [nan, 0.0]})
    assert panels.chart_of(rows).data.values == ({"name": "A"}, {"name": "B", "mark": 0.0})
    rows = drawable([(1, 2), (30, 90)], then=2.0, ending=0.5, loop="open", ns=9.0, trial=nan)
    rows = rows.assign(before=1, after=2, ratio=2, verdict="slower", reason="", percentile=[50, 99])
    ends = {f"{when}_{end}": 1 for when in ("before", "after") for end in ("low", "high")}
    for chart in (
        kv.dots(rows, then="then", ending="ending"),
        kv.lines(rows, "n", then="then", ending="ending"),
        kv.tail(rows.drop(columns=["low", "high"]), "open"),
        kv.heat(rows, "n", "median"),
        kv.dumbbells(rows.assign(**ends), then=("then", "then")),
    ):
        assert alt.Chart.from_dict(chart.to_dict(), validate=True).to_dict()["concat"]


@pytest.mark.parametrize("id", CASES)
def test_a_load_shows_what_came_after_its_last_put_and_a_read_has_no_such_part(
    ranked, id, monkeypatch
):
    share = synthetic.COMMIT + synthetic.CLOSE
    for log_from in (1, 10**9):  # a logarithmic axis, and one from zero
        monkeypatch.setattr(panels, "LOG_FROM", log_from)
        spec = drawn_of(ranked.query(CASES[id]))
        field, mark = ("until", "rule") if log_from == 1 else ("full", "bar")
        ends = [
            each
            for each in panel(spec, "write")["layer"]
            if each["encoding"].get("x", {}).get("field") == field
        ]
        assert [each["mark"]["type"] for each in ends] == [mark]
        for row in ends[0]["rows"]:
            assert row["until"] == pytest.approx((1 - share) * row["value"], rel=1e-3)
            assert row["ending_percent"] == pytest.approx(100 * share, rel=1e-3)
        assert "until" not in json.dumps(panel(spec, "readSeq"))


def test_a_picture_on_paper_has_fewer_panels_and_leaves_room_for_its_caption():
    rows = [drawable([(n, n) for n in range(1, 31)], panel=f"p{n}") for n in range(8)]
    spec = kv.dots(pd.concat(rows), panel="panel").to_dict()
    less = page._on_paper(spec, page.finished(spec))
    assert (len(spec["concat"]), len(less["concat"])) == (8, 6)
    size = re.search(
        r'width="([\d.]+)" height="([\d.]+)" viewBox="0 0 ([\d.]+) ([\d.]+)"',
        lean(figures.picture(less), panels.PAPER),
    )
    width, height, across, down = map(float, size.groups())
    assert down > height == panels.PAPER and width / height == pytest.approx(
        across / down, rel=0.01
    )


@pytest.mark.parametrize(
    ("domain", "ticks"),
    [
        ([0.9, 1200], [1, 10, 100, 1000]),
        ([9, 400], [10, 30, 100, 300]),
        ([1986, 3992], [2000, 2500, 3000, 3500]),
        ([0.83, 1.9], [1, 1.2, 1.4, 1.6, 1.8]),
        ([1, 1.38], [1, 1.1, 1.2, 1.3]),
        ([5.1, 7.04], [5.5, 6, 6.5, 7]),
    ],
)
def test_a_logarithmic_axis_has_three_ticks_at_least(domain, ticks):
    found = panels.round_ticks(domain, log=True)
    assert 3 <= len(found) <= 8 and all(domain[0] <= at <= domain[1] for at in found)
    assert set(ticks) <= {float(f"{at:.6g}") for at in found}
