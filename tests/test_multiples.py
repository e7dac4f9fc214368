"""Small multiples and pairs: who is drawn where, in which order, on which axis."""

from math import nan

import pandas as pd

import kvreport as kv
from kvreport.charts import page, tail

ABOUT = {"family": "B+ tree", "engine": ""}
VALUES = {"A": (3.0, 4.0), "B": (1.0, 90.0), "C": (2.0, nan), "D": (nan, nan)}


def multiples(values: dict[str, tuple[float, float]]) -> dict:
    """A page's figure of the µs of stores at two percentiles, in two loops."""
    rows = [
        {"store": s, "name": f"Store {s}", "loop": loop, "percentile": at, "ns": 1e3 * us * factor}
        for s, both in values.items()
        for loop, factor in (("open", 1), ("closed", 0.5))
        for at, us in zip((50, 99.9), both)
    ]
    found = pd.DataFrame(rows).assign(trial=nan, **ABOUT)
    return page.finished(kv.tail(found, "open", ["closed"]).to_dict())


def datasets(spec: dict, panel: dict) -> list[list[dict]]:
    return [spec["datasets"][layer["data"]["name"]] for layer in panel["layer"]]


def titles(spec: dict) -> list[str]:
    return [panel["title"]["text"] for panel in spec["concat"]]


def test_a_panel_has_its_stores_curves_over_those_of_all():
    spec = multiples(VALUES)
    assert titles(spec) == ["Store A · 4.00 µs", "Store B · 90.0 µs", "Store C · – µs"], (
        "D has none"
    )
    for store, panel in zip("ABC", spec["concat"]):
        grey, closed, *own = datasets(spec, panel)
        assert {row["store"] for row in grey} == {"A", "B", "C"}
        assert len(grey[0]) < len(own[0][0]), "what is saved of a panel is its own rows"
        known = [value for value in VALUES[store] if value == value]
        assert [row["value"] for row in closed] == [value / 2 for value in known]
        for rows in own:
            assert [(row["store"], row["value"]) for row in rows] == [(store, v) for v in known]
    domains = [layer["encoding"]["y"]["scale"] for layer in spec["concat"][0]["layer"][:2]]
    assert domains[0] == domains[1] and domains[0]["type"] == "log", "all have the same axis"


def test_the_least_comes_first_and_a_phone_has_two_in_a_row():
    spec = multiples({"A": (1, 2), "B": (1, 3), "C": (1, 1)})
    assert [title[:7] for title in titles(spec)] == ["Store C", "Store A", "Store B"]
    narrow = spec["usermeta"]["narrow"]
    assert (spec["columns"], narrow["columns"]) == (tail.COLUMNS, tail.NARROW_COLUMNS)
    assert spec["concat"][0]["layer"][0]["encoding"]["y"]["scale"]["domain"][0] == 0
    labelled = [
        [panel["layer"][0]["encoding"]["y"]["axis"]["labels"] for panel in each["concat"]]
        for each in (spec, narrow)
    ]
    assert labelled == [[True, False, False], [True, False, True]], "the first of each row"


def paired(panel: str, before: list[float], after: list[float], reason: str = "") -> pd.DataFrame:
    names = [f"S{n}" for n in range(len(before))]
    rows = pd.DataFrame({"store": names, "name": names, "before": before, "after": after})
    ends = dict.fromkeys(["before_low", "before_high", "after_low", "after_high", "ratio"], nan)
    return rows.assign(panel=panel, reason=reason, verdict="level", **ABOUT, **ends)


def scales(spec: dict) -> list[str]:
    return [panel["layer"][0]["encoding"]["x"]["scale"]["type"] for panel in spec["concat"]]


def test_pairs_have_one_kind_of_axis_and_say_why_one_has_no_value():
    near, none = paired("near", [1, 2], [2, 3]), paired("none", [nan], [nan])
    wide = paired("wide", [1, 9, 2], [90, 20, nan], "no disk")
    assert scales(kv.dumbbells(near).to_dict()) == ["linear"]
    spec = kv.dumbbells(pd.concat([near, wide, none]), panel="panel", by="after").to_dict()
    assert scales(spec) == ["log", "log"]
    assert titles(spec) == ["near · log scale", "wide · log scale"], "a panel of nothing is none"
    rows = spec["concat"][1]["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert rows == ["S1", "S0", "S2"], "by what they are sorted by, what has no value last"
    notes = datasets(spec, spec["concat"][1])[-1]
    assert notes == [{"store": "S2", "name": "S2", "note": "n/a: no disk"}]
    assert "Nothing was measured" in str(kv.dumbbells(none).to_dict())
