"""Figures: what is drawn, in which order and unit, and that nothing is cut off or overlaps."""

import json
import re

import altair as alt
import pandas as pd
import pytest
import synthetic
from pages import chromium

from kvreport.base import paths
from kvreport.charts import bars, chapter, curves, figures
from kvreport.charts.palette import colour
from kvreport.data.cases import CASES, Case
from kvreport.data.published import JULY
from kvreport.exhibits import (
    baseline,
    batches,
    charts,
    costs,
    crossover,
    driven,
    leveldb,
    maps,
    passes,
    rocksjava,
    settings,
    sizes,
    tables,
    threads,
)

RANDOM = Case("int", "random")
CASE = {"a09": Case("int", "sequential"), "a12": Case("string", "random")}


@pytest.fixture(scope="module")
def test(tmp_path_factory):
    with synthetic.shown(tmp_path_factory.mktemp("runs")):
        opened = chapter.of(synthetic.SECTION)
        assert opened.measured
        yield opened


@pytest.fixture(scope="module")
def made(test) -> dict[str, figures.Figure]:
    drawn = {id: charts.workloads(test, id, case) for id, case in CASE.items()}
    return drawn | {"a07": charts.storage(test, "a07", CASES, tables.then_sizes())}


def panel(figure: figures.Figure, workload: str) -> dict:
    """A panel's layers, each with its rows in place of the name of its data."""
    spec = json.loads(json.dumps(figure.spec))
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
    assert names(scan) == [
        "Flat file",
        "LMDB BB",
        "LMDB DB",
        "LMDB BB safe",
        "RocksDB (2/3)",
        "LevelDB",
        "MapDB",
        "Chronicle",
        "Xodus",
    ]
    notes = [row for layer in layers(scan, "text") for row in layer["rows"] if "note" in row]
    assert [(row["name"], row["note"][:12], row["why"]) for row in notes] == [
        ("Chronicle", "n/a: a hash ", synthetic.UNORDERED),
        ("Xodus", "failed: the ", synthetic.TIMEOUT),
    ]


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


def test_the_axis_is_logarithmic_only_where_the_spread_asks_for_it_and_has_its_unit(made):
    for id, unit, scale, mark in [
        ("a09", "ns/entry", "log", "circle"),
        ("a07", "B/entry", "linear", "bar"),
    ]:
        for title in [each["title"]["text"] for each in made[id].spec["concat"]]:
            shown = panel(made[id], title)
            axes = [
                layer["encoding"]["x"]
                for layer in shown["layer"]
                if "axis" in layer["encoding"].get("x", {})
            ]
            assert {axis["title"] for axis in axes} == {unit} and {
                axis["scale"]["type"] for axis in axes
            } == {scale}
            assert drawn(shown, mark) and ("log scale" in title) == (scale == "log")
            assert all(axis["scale"]["domain"][0] == 0 for axis in axes) == (scale == "linear"), (
                "bars begin at zero"
            )


def test_the_flat_file_is_named_the_baseline_where_no_store_is_below_it(test):
    results = test.case(CASE["a09"])
    rows = test.plot_rows(results[results["workload"] == "write"]).assign(
        label="n", mark=float("nan"), times=1.0
    )
    for value, label in [(10.5, "n · baseline"), (9.5, "n")]:
        panels = [
            bars.Panel(
                "write",
                rows.assign(value=rows["value"].where(rows["name"] != "LMDB BB", value)),
                "ns/entry",
                charts.SPEED,
            )
        ]
        flat = [
            row
            for row in drawn(panel(bars.figure("a09", panels, "", ""), "write"), "circle", "bar")
            if row["name"] == "Flat file"
        ]
        assert {row["label"] for row in flat} == {label}


def test_an_axis_of_differences_begins_at_zero_whatever_the_spread():
    rows = pd.DataFrame(
        {
            "status": "ok",
            "value": [1.0, 1000.0],
            "mark": float("nan"),
            "low": float("nan"),
            "high": float("nan"),
            "baseline": 40.0,
        }
    )
    assert bars.Panel("", rows, "% apart", ()).log
    differences = bars.Panel("", rows, "% apart", (), linear=True)
    assert not differences.log and differences.domain[0] == 0


def test_intervals_lie_on_the_axis_unless_they_reach_so_far_that_it_would_show_little_else():
    values, none = pd.Series([1.0, 10.0]), [float("nan")] * 2
    for high, most in ([2.0, 15.0], 15), ([2.0, 1000.0], 10 * bars.REACH), (none, 10):
        assert bars.extent(values, pd.DataFrame({"low": [0.9, none[0]], "high": high}))[1] == most
    rows = pd.DataFrame({"value": values, "mark": none, "low": [0.9, 8.0], "high": [2.0, 15.0]})
    low, high = curves.Curves("", rows, "", "", {}).domain
    assert low <= 0.9 and high >= 15


def drawable(values: list[float], intervals: list[tuple[float, float]]) -> pd.DataFrame:
    """Rows of a panel, from the values of stores and their intervals."""
    low, high = zip(*intervals)
    return pd.DataFrame(
        {
            "store": "A",
            "name": [f"S{n}" for n in range(len(values))],
            "colour": "#123456",
            "status": "ok",
            "value": values,
            "low": low,
            "high": high,
            "label": "",
            "mark": float("nan"),
            "baseline": float("nan"),
            "is_baseline": False,
        }
    )


def test_an_interval_that_the_panel_cuts_ends_in_an_arrowhead():
    for high, heads in (12.0, 0), (1000.0, 1):
        cut = bars.figure(
            "cut",
            [bars.Panel("", drawable([1.0, 10.0], [(0.9, 1.1), (9.0, high)]), "ns/entry", ())],
            "",
            "",
        )
        assert figures.picture(cut.spec).count('aria-roledescription="point"') == heads


def test_no_line_of_a_title_ends_where_a_reader_would_stumble():
    assert figures.lines("A get by key takes 268 µs (LMDB) to 10.4 ms (MapDB)", 23) == [
        "A get by key takes",
        "268 µs (LMDB) to",
        "10.4 ms (MapDB)",
    ]
    assert figures.lines("most at write (× 4.85) on amd-epyc-2 · 3 trials", 18) == [
        "most at write",
        "(× 4.85) on",
        "amd-epyc-2 ·",
        "3 trials",
    ]
    assert figures.lines("thin line: 95% interval (Student's t)", 36) == [
        "thin line: 95% interval",
        "(Student's t)",
    ]


def test_a_store_has_its_colour_everywhere_and_controls_but_the_baseline_are_left_out(made):
    seen = {}
    for figure in made.values():
        for each in figure.spec["concat"]:
            for row in drawn(panel(figure, each["title"]["text"]), "circle", "bar"):
                seen.setdefault(row["store"], set()).add(row["colour"])
    assert seen == {
        store: {colour(store, told[3], told[1], told[2])}
        for store, told in synthetic.STORES.items()
        if store not in ("Xodus", "Memory")
    }


def contrast(colour: str, ground: str) -> float:
    """The contrast ratio of WCAG 2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        ]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear))

    dark, light = sorted([luminance(colour), luminance(ground)])
    return (light + 0.05) / (dark + 0.05)


def test_every_stores_colour_reads_on_light_and_on_dark_pages():
    colours = {
        script.stem: re.findall(r'"(#[0-9a-f]{6})"', script.read_text())[0]
        for script in paths.JBANG_STORES.glob("*.java")
        if "StoreDescriptor.CONTROL" not in script.read_text()
    }
    assert len(colours) > 10
    faint = {
        store: colour
        for store, colour in colours.items()
        if min(contrast(colour, "#ffffff"), contrast(colour, "#16191d")) < 3
    }
    assert faint == {}, "3:1 is what WCAG asks of graphics"


def test_a_figure_says_what_it_shows_and_where_it_comes_from(test, made):
    subtitle = " ".join(made["a09"].spec["title"]["subtitle"])
    for part in [
        "A09",
        "2026-01-02",
        "on lab",
        "profile smoke",
        "3 trials",
        "1,000 entries",
        "4-byte int keys, sequential",
        "95% interval",
    ]:
        assert part in subtitle
    assert " ".join(
        charts.workloads(test, "beyond", CASE["a09"]).spec["title"]["subtitle"]
    ).startswith("Beyond · measured")


def widths(svg: str) -> tuple[float, float]:
    """Of a picture: its width, px, and how far to the right its last value stands."""
    labels = re.findall(r' x="([\d.]+)"[^>]*>([\d.,]+)</text>', svg)
    return float(re.search(r'width="([\d.]+)"', svg)[1]), max(float(at) for at, _ in labels)


def test_changing_a_figures_properties_changes_its_picture_and_what_the_page_gets(test, made):
    before = made["a12"].titled("What was to be seen")
    after = before.properties(width=300, title="What a reader changed")
    page = figures.specs()["fig-a12"]
    assert page == after.spec != before.spec, "the page has the figure as it was made last"
    assert {panel["width"] for panel in page["concat"]} == {300}
    assert {panel["width"] for panel in before.spec["concat"]} == {bars.PLOT_WIDTH}
    assert page["title"]["text"] == ["What a reader changed"]
    narrow = page["usermeta"]["narrow"]
    assert narrow["title"]["text"] == ["What a reader changed"]
    assert {panel["width"] for panel in narrow["concat"]} == {bars.PLOT_WIDTH}, "fits a phone"
    (old, old_labels), (new, new_labels) = widths(before.svg()), widths(after.svg())
    added = 300 - bars.PLOT_WIDTH
    assert new == pytest.approx(old + 2 * added, abs=1), "two panels in a row"
    assert new_labels == pytest.approx(old_labels + added, abs=1), "values stay beside their rows"
    assert "What a reader changed" in after.svg() and "What was to be seen" not in after.svg()
    shown = alt.TitleParams("Centred", anchor="middle")
    assert before.properties(title=shown).spec["title"] == {"text": "Centred", "anchor": "middle"}
    assert before.properties(background="#eee").spec["background"] == "#eee"
    with pytest.raises(alt.utils.schemapi.SchemaValidationError):
        assert before.properties(colour="red").spec
    assert made["a12"].properties().spec == made["a12"].spec, "and the page has it again"


def test_pairs_and_curves_take_another_width_and_height(curved):
    for id in ("a02", "d02"):
        spec = curved[id].properties(width=150, height=90).spec
        assert {(panel["width"], panel["height"]) for panel in spec["concat"]} == {(150, 90)}
        assert 'width="' in figures.picture(spec)


def test_a_figure_leaves_colours_of_text_to_the_theme_and_is_the_same_each_time(test, made):
    again = charts.workloads(test, "a09", CASE["a09"])
    assert again.spec == made["a09"].spec and again.svg() == made["a09"].svg()
    text = json.dumps(made["a09"].spec)
    assert "config" not in made["a09"].spec and set(re.findall(r"#[0-9a-f]{6}", text)) <= {
        colour(store, told[3], told[1], told[2]) for store, told in synthetic.STORES.items()
    }


def test_the_page_gets_each_figure_once_in_one_line(made, monkeypatch):
    monkeypatch.chdir(paths.CHAPTERS)
    first, *scripts = figures.interactive()._repr_mimebundle_()["text/markdown"].split("\n")
    assert scripts == [
        '<script src="../../report/theme/vega.js"></script>',
        '<script src="../../report/theme/stores.js"></script>',
        '<script src="../../report/theme/charts.js"></script>',
    ]
    data = first.removeprefix('<script type="application/json" id="kv-charts">').removesuffix(
        "</script>"
    )
    assert "<" not in data and json.loads(data)["specs"]["fig-a12"] == made["a12"].spec


def test_the_names_of_stores_lead_to_how_each_was_driven(made, test, monkeypatch):
    monkeypatch.setattr(figures, "_figures", {"a12": made["a12"]})
    links = {name: about["driven"] for name, about in figures.stores().items()}
    assert set(links) == set(made["a12"].frame["name"])
    assert links["RocksDB (2/3)"] == "stores-driven.html#sec-driven-rocksdb"
    headings = re.findall(r"^## .* \{#(.*)\}$", driven.every_store().data, re.MULTILINE)
    assert {address.partition("#")[2] for address in links.values()} <= set(headings)
    gone = pd.DataFrame({"store": ["Gone", "MapDb"], "name": ["Gone", "readKey"]})
    monkeypatch.setattr(figures, "_figures", {"x": figures.Figure("x", made["a12"].chart, gone)})
    assert figures.stores() == {}, "a store that the appendix lacks, and a row of a workload"


OVERLAPS = """() => {
  const box = document.querySelector("svg").getBoundingClientRect();
  const texts = [...document.querySelectorAll("svg text")]
    .filter(t => t.textContent.trim() && t.getAttribute("opacity") !== "0");
  const rects = texts.map(t => [t.textContent, t.getBoundingClientRect()]);
  const outside = r => r.left < box.left || r.right > box.right
    || r.top < box.top || r.bottom > box.bottom;
  const out = rects.filter(([_, r]) => outside(r)).map(([t]) => `${t} is cut off`);
  rects.forEach(([a, r], i) => rects.slice(i + 1).forEach(([b, s]) => {
    const w = Math.min(r.right, s.right) - Math.max(r.left, s.left),
      h = Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top);
    if (w > 0 && h > 0.35 * Math.min(r.height, s.height)) out.push(`${a} and ${b} overlap`);
  }));
  return {out, width: box.width, height: box.height, texts: texts.length};
}"""


@pytest.fixture(scope="module")
def curved(test) -> dict[str, figures.Figure]:
    """Figures of curves, of pairs, and of rates."""
    of, base = chapter.of, Case("int", "sequential")
    return {
        "a02": settings.figure(
            of("01-lmdb-settings"),
            "a02",
            base,
            base._replace(settings="sync=on"),
            ("no sync", "synced"),
        ),
        "a05": sizes.figure(
            of("02-value-sizes"), "a05", [2026, 2027, 4080, 4081, 8176, 8177, 16368, 16369]
        ),
        "c01": leveldb.chart(of("07-leveldb-page"), ("C01", "C02", "C03", "C04")),
        "c09": leveldb.chart(of("07-leveldb-page"), ("C09", "C10")),
        "a06": batches.figure(of("03-batch-sizes"), "a06", Case("int", "sequential", 8176), JULY),
        "e04": rocksjava.calls_figure(of("10-rocksjava"), "e04-calls"),
        "d02": maps.figure(of("09-plain-maps"), "d02"),
        "d01": threads.figure(of("08-threads"), "d01"),
        "costs": costs.loads(test, "costs", RANDOM),
        "shares": baseline.figure_of(test, "shares", RANDOM),
        "passes": passes.figure(test, "passes", RANDOM),
        "beyond": charts.workloads(of("15-beyond-memory"), "beyond", Case("int", "random", 2026)),
        "crossover": crossover.figure(
            [of(each) for each in (synthetic.SECTION, "05-medium-values", "06-large-values")],
            "crossover",
        ),
    }


@pytest.mark.end_to_end
def test_nothing_is_cut_off_or_overlaps_on_paper_or_on_a_phone(made, curved, tmp_path):
    fonts = (paths.THEME / "fonts").as_uri()
    faces = "".join(
        f"@font-face {{font-family: 'Source Sans Pro'; src: url({fonts}/SourceSansPro-{name}.otf);"
        f" {style}}}"
        for name, style in [
            ("Regular", ""),
            ("Bold", "font-weight: bold"),
            ("It", "font-style: italic"),
        ]
    )
    with chromium() as browser:
        page = browser.new_page()
        for id, figure in (made | curved).items():
            for width, spec in [
                (680, figure.spec),
                (360, figure.spec | figure.spec["usermeta"]["narrow"]),
            ]:
                file = tmp_path / f"{id}.html"
                file.write_text(
                    f"<meta charset='utf-8'><style>{faces}</style>{figures.picture(spec)}"
                )
                page.goto(file.as_uri())
                page.evaluate("() => document.fonts.ready")
                assert page.evaluate(
                    "() => [...document.fonts].some(font => font.status === 'loaded') &&"
                    " ![...document.fonts].some(font => font.status === 'error')"
                )
                found = page.evaluate(OVERLAPS)
                assert (
                    found["out"] == []
                    and found["texts"] > (50 if id in made else 15)
                    and found["width"] <= width
                ), (id, width, found)
                assert found["height"] <= 820 or width < 680, (id, found)


@pytest.mark.end_to_end
def test_no_axis_counts_in_powers_or_thousandths(curved):
    assert curved and not {
        id
        for id, figure in curved.items()
        if re.search(r">\d+(\.\d+)?(e[+-]?\d+|[mµn])<", figure.svg())
    }
    assert (
        ">0.1<"
        in bars.figure(
            "small",
            [bars.Panel("", drawable([0.02, 5.0], [(0.02, 0.02), (5.0, 5.0)]), "µs", ())],
            "",
            "",
        ).svg()
    )


@pytest.mark.parametrize("id", CASE)
def test_a_load_shows_what_came_after_its_last_put_and_a_read_has_no_such_part(
    made, id, monkeypatch
):
    share = synthetic.COMMIT + synthetic.CLOSE
    for log_from in (1, 10**9):  # a logarithmic axis, and one from zero
        monkeypatch.setattr(bars, "LOG_FROM", log_from)
        layers = panel(charts.workloads(chapter.of(synthetic.SECTION), id, CASE[id]), "write")
        field, mark = ("until", "rule") if log_from == 1 else ("full", "bar")
        ends = [
            each for each in layers["layer"] if each["encoding"].get("x", {}).get("field") == field
        ]
        assert [each["mark"]["type"] for each in ends] == [mark]
        for row in ends[0]["rows"]:
            assert row["until"] == pytest.approx((1 - share) * row["value"], rel=1e-3)
            assert row["ending_percent"] == pytest.approx(100 * share, rel=1e-3)
    assert "last commit and close" in " ".join(made[id].spec["title"]["subtitle"])
    assert "until" not in json.dumps(panel(made[id], "readSeq"))


def test_a_picture_on_paper_leaves_room_for_its_caption():
    rows = drawable([float(n) for n in range(1, 31)], [(n, n) for n in range(1, 31)])
    panels = [bars.Panel(f"p{n}", rows, "ns/entry", ()) for n in range(6)]
    tall = bars.figure("tall", panels)
    size = re.search(
        r'width="([\d.]+)" height="([\d.]+)" viewBox="0 0 ([\d.]+) ([\d.]+)"', tall.svg()
    )
    width, height, across, down = map(float, size.groups())
    assert down > height == figures.PAPER and width / height == pytest.approx(
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
    found = bars.round_ticks(domain, log=True)
    assert 3 <= len(found) <= 8 and all(domain[0] <= at <= domain[1] for at in found)
    assert set(ticks) <= {float(f"{at:.6g}") for at in found}
