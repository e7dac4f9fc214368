"""Numbers of the chapters on Tests 4 to 6 and the conclusion, computed once more from the records
by plain loops.
"""

import json
from statistics import median

import chapters
import pytest
import synthetic

SECTIONS = {"04-small-values": 104, "05-medium-values": 2030}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("runs")
    synthetic.write_run(made)
    return made


def recorded(folder, section):
    """What an entry took and what was left on disk: lists over trials, by store, keys, order, value
    size and workload.
    """
    times, sizes = {}, {}
    for file in sorted(folder.glob(f"*/{section}/*.json")):
        trial = json.loads(file.read_text())
        for case in trial["cases"]:
            key = (trial["store"]["id"], case["keys"], case["order"], case["value_bytes"])
            for result in case["results"]:
                if result["status"] == "ok":
                    took = median(result["iteration_ns"]) / result["entries"]
                    times.setdefault((*key, result["workload"]), []).append(took)
            if closed := (case.get("space") or {}).get("closed_bytes"):
                sizes.setdefault(key, []).append(closed / case["entries"])
    return times, sizes


@pytest.mark.parametrize("section", SECTIONS)
def test_times_and_sizes_are_the_medians_over_trials_that_succeeded(folder, section, monkeypatch):
    found = chapters.execute(section, folder, monkeypatch).variables
    times, sizes = recorded(folder, section)
    key = ["store", "keys", "order", "value_bytes"]
    shown = found["ranked"].dropna(subset="median").set_index([*key, "workload"])["median"]
    assert (
        shown.to_dict() == {each: pytest.approx(median(values)) for each, values in times.items()}
        and len(shown) > 50
    )
    occupied = found["sizes"].dropna(subset="median").set_index(key)
    assert len(occupied) > 5
    for each, row in occupied.iterrows():
        assert row["median"] == pytest.approx(median(sizes[each]))
        if each[1] == "int":
            flat = SECTIONS[section]
            assert row["over"] == pytest.approx(100 * (median(sizes[each]) / flat - 1))


def test_the_conclusion_sets_now_beside_then_and_counts_its_statements(folder, monkeypatch):
    found = chapters.execute("conclusion", folder, monkeypatch).variables
    both, verdicts = found["both"], found["verdicts"]
    assert both["ratio"].to_list() == pytest.approx((both["median"] / both["then"]).to_list())
    assert len(verdicts) == 13 and "not measured" not in set(verdicts["in its own figures"].head(6))
    writes = found["writes"].set_index(["store", "value_bytes"])
    times, _ = recorded(folder, "06-large-values")
    for size in (4080, 8176, 16368):
        took = median(times["LmdbJavaBb", "int", "random", size, "write"])
        assert writes.loc[("LmdbJavaBb", size), "us"] == pytest.approx(took / 1e3)
