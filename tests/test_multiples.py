"""Small multiples and pairs: who is drawn where, in which order, on which axis."""

from math import nan

import pages
import pandas as pd

from kvreport.charts import bars, figures
from kvreport.charts.before_after import ENDS, Pairs, pairs
from kvreport.charts.small_multiples import COLUMNS, Multiples, multiples

VALUES = {"A": (3.0, 4.0), "B": (1.0, 90.0), "C": (2.0, nan), "D": (nan, nan)}


def drawn(values: dict[str, tuple[float, float]] = VALUES) -> Multiples:
    rows = [
        {
            "store": store,
            "name": f"Store {store}",
            "colour": "#123456",
            "kind": kind,
            "x": place,
            "value": value * factor,
            "low": nan,
            "high": nan,
        }
        for store, both in values.items()
        for kind, factor in (("open", 1), ("closed", 0.5))
        for place, value in enumerate(both, 1)
    ]
    return Multiples(
        pd.DataFrame(rows),
        ("open", "closed"),
        "x",
        "µs",
        {1: "one", 2: "two"},
        (1, 2),
        2,
    )


def datasets(spec: dict, panel: dict) -> list[list[dict]]:
    return [spec["datasets"][layer["data"]["name"]] for layer in panel["layer"]]


def test_a_panel_has_its_stores_curves_over_those_of_all():
    spec = pages.spec_of(multiples(drawn()))
    titles = [panel["title"]["text"] for panel in spec["concat"]]
    assert titles == ["Store A · 4.00 µs", "Store B · 90.0 µs", "Store C · – µs"], "D has no curve"
    for store, panel in zip("ABC", spec["concat"]):
        grey, closed, *own = datasets(spec, panel)
        assert {row["store"] for row in grey} == {"A", "B", "C"}
        known = [value for value in VALUES[store] if value == value]
        assert [row["value"] for row in closed] == [value / 2 for value in known]
        for rows in own:
            assert [(row["store"], row["value"]) for row in rows] == [(store, v) for v in known]
    domains = [layer["encoding"]["y"]["scale"] for layer in spec["concat"][0]["layer"][:2]]
    assert domains[0] == domains[1] and domains[0]["type"] == "log", "all have the same axis"


def test_the_least_comes_first_and_a_phone_has_two_in_a_row():
    figure = multiples(drawn({"A": (1, 2), "B": (1, 3), "C": (1, 1)}))
    assert [panel["title"]["text"][:7] for panel in pages.spec_of(figure)["concat"]] == [
        "Store C",
        "Store A",
        "Store B",
    ]
    assert pages.spec_of(figure)["columns"] == COLUMNS["wide"]
    assert pages.spec_of(figure)["usermeta"]["narrow"]["columns"] == COLUMNS["narrow"]
    assert (
        pages.spec_of(figure)["concat"][0]["layer"][0]["encoding"]["y"]["scale"]["domain"][0] == 0
    )


def paired(before: list[float], after: list[float], **columns) -> pd.DataFrame:
    names = [f"S{n}" for n in range(len(before))]
    ends = dict.fromkeys((end for end in ENDS if "_" in end), nan)
    marks = {"mark_before": nan, "mark_after": nan, "change": "× 2"}
    about = {"store": names, "name": names, "colour": "#123456"}
    return pd.DataFrame(about | {"before": before, "after": after} | ends | marks | columns)


def scales(spec: dict) -> list[str]:
    return [panel["layer"][0]["encoding"]["x"]["scale"]["type"] for panel in spec["concat"]]


def test_pairs_have_one_kind_of_axis_and_say_why_one_has_no_value():
    near = Pairs("near", paired([1, 2], [2, 3]), "ns")
    wide = Pairs("wide", paired([1, 9, 2], [90, 20, nan], note="failed: x"), "ns", by="after")
    assert scales(pages.spec_of(pairs([near]))) == ["linear"]
    spec = pages.spec_of(pairs([near, wide]))
    assert scales(spec) == ["log", "log"]
    assert [panel["title"]["text"] for panel in spec["concat"]] == [
        "near · log scale",
        "wide · log scale",
    ]
    rows = spec["concat"][1]["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert rows == ["S1", "S0", "S2"], "by what they are sorted by, what has no value last"
    notes = datasets(spec, spec["concat"][1])[-1]
    assert notes == [{"store": "S2", "name": "S2", "note": "failed: x"}]
    assert pairs([Pairs("none", paired([nan], [nan]), "ns")]).frame.empty


def test_one_panel_with_a_logarithmic_axis_gives_all_panels_one():
    def panel(values):
        rows = pd.DataFrame(
            {
                "store": "A",
                "name": [f"S{n}" for n in range(len(values))],
                "colour": "#123456",
                "status": "ok",
                "value": values,
                "low": nan,
                "high": nan,
                "label": "",
                "mark": nan,
                "baseline": nan,
                "is_baseline": False,
            }
        )
        return bars.Panel("p", rows, "ns/entry", ())

    def types(*panels):
        return {
            layer["encoding"]["x"]["scale"]["type"]
            for each in pages.spec_of(bars.figure(list(panels)))["concat"]
            for layer in each["layer"]
            if "scale" in layer["encoding"].get("x", {})
        }

    near, wide = panel([1.0, 2.0]), panel([1.0, 100.0])
    assert types(near) == {"linear"} and types(near, wide) == {"log"}


def test_what_a_row_lacks_is_not_in_it():
    rows = figures.records(pd.DataFrame({"name": ["A", "B"], "mark": [nan, 0.0]}))
    assert rows == [{"name": "A"}, {"name": "B", "mark": 0.0}]
