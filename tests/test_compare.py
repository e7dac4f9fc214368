"""Comparisons of two runs: a planted change is found and nothing else is, and what cannot be
compared is said.
"""

import json
import math
import re
import shutil

import duckdb
import numpy as np
import pandas as pd
import pytest
import synthetic
from click.testing import CliRunner
from scipy.stats import t as student
from scipy.stats import ttest_ind

from kvreport.analysis import compare, conditions, moderated
from kvreport.analysis.comparison import LOST, Change, Comparison
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.cli import main
from kvreport.data import editions, results_table, rows, runs, versions
from kvreport.data.cases import Case
from kvreport.publish import export

PLANTED = "LmdbJavaDb"
FEW = [synthetic.SECTION, "05-medium-values"]  # sections


def p_values(pairs: list) -> np.ndarray:
    return np.array([each.p_value if each else 1.0 for each in moderated.of_samples(pairs)])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(paths, "REPORT", tmp_path / "report")
    monkeypatch.delenv("KVREPORT_RUN", raising=False)
    return paths.RUNS


def measured(folder, name: str, seed: int, change=lambda record: None, sections=FEW) -> str:
    """A run with noise of its own, 2% a result, and its records changed."""
    synthetic.write_run(folder, name, sections=sections)
    noise = np.random.default_rng(seed)
    for file in sorted(folder.glob(f"{name}/*/*.json")):
        record = json.loads(file.read_text())
        change(record)
        for _, result in rows.results(record):
            factor = noise.lognormal(0, 0.02)
            result["iteration_ns"] = [max(1, round(ns * factor)) for ns in result["iteration_ns"]]
        file.write_text(json.dumps(record))
    return name


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> editions.Edition:
    """A run of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "RUNS", tmp_path_factory.mktemp("runs"))
        return editions.edition_of("a", [runs.load(measured(paths.RUNS, "a", 1))])


def slower(record: dict):
    if record["store"]["id"] == PLANTED:
        record["store"]["version"] = "2.0"
        record["store"]["options"][0]["value"] = "on"
        for _, result in rows.results(record):
            if record["section"] == synthetic.SECTION and result["workload"] == "write":
                result["iteration_ns"] = [round(1.4 * ns) for ns in result["iteration_ns"]]


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Two runs of the same, in the second of which a store's loads take longer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "RUNS", tmp_path_factory.mktemp("runs"))
        patch.delenv("KVREPORT_RUN", raising=False)
        yield measured(paths.RUNS, "a", 1), measured(paths.RUNS, "b", 2, slower)


@pytest.mark.end_to_end
def test_a_planted_regression_is_found_and_nothing_else_is(pair):
    found = compare.compare_editions(*map(compare.find, pair))
    assert set(found.found["store"]) == {PLANTED} and set(found.found["workload"]) == {"write"}
    assert set(found.found["verdict"]) == {Change.SLOWER} and len(found.found) == 4
    assert all(row.ratio_low < 1.4 < row.ratio_high for row in found.found.itertuples())
    counts = {"results": len(found.rows), "slower": 4, "faster": 0, "same": len(found.rows) - 4}
    assert found.counts.items() >= counts.items() and len(found.rows) > 200
    assert {each["what"]: (each["first"], each["second"]) for each in found.changes} == {
        "LMDB DB, library": ("org.example:lmdbjavadb:1.0", "org.example:lmdbjavadb:2.0"),
        "LMDB DB, sync": ("off | never", "on"),
    }
    back = compare.compare_editions(*map(compare.find, reversed(pair)))
    assert set(back.found["verdict"]) == {Change.FASTER} and len(back.found) == 4
    assert back.rows["ratio"].iloc[0] == pytest.approx(1 / found.rows["ratio"].iloc[0])
    sizes = np.abs(np.log(found.rows["ratio"]))
    assert (sizes.diff().dropna() <= 0).all(), "the largest change first"


@pytest.mark.end_to_end
def test_the_command_fails_on_a_regression_larger_than_asked_and_prints_json(pair):
    def run(*arguments: str):
        return CliRunner().invoke(main, ["compare", *arguments])

    first, second = pair
    done = run(first, second, "--fail-on-regression", "10%")
    planted = "slower: LMDB DB, write, int keys in sequential order (04-small-values): 1."
    assert done.exit_code == 1 and planted in done.stdout
    assert "LMDB DB, library: org.example:lmdbjavadb:1.0 -> " in done.stdout
    assert "4 of " in done.stderr and "became slower by more than 10%" in done.stderr
    assert run(first, second, "--fail-on-regression", "60%").exit_code == 0
    assert run(second, first, "--fail-on-regression", "10%").exit_code == 0
    found = json.loads(run(str(paths.RUNS / first), second, "--json").stdout)
    assert [row["verdict"] for row in found["results"][:5]] == ["slower"] * 4 + [Change.SAME]
    assert found["correction"] == "Benjamini-Hochberg"
    assert found["only_in"] == {"first": 0, "second": 0}


def test_a_change_takes_an_interval_a_p_value_a_floor_and_two_trials():
    """One row for each reason that a ratio is no change."""
    rows = pd.DataFrame(
        [
            (1.5, 1.4, 1.6, 3, 0.01, Change.SLOWER),
            (0.7, 0.6, 0.8, 3, 0.01, Change.FASTER),
            (1.5, 0.9, 1.6, 3, 0.01, Change.SAME),
            (0.7, 0.6, 1.1, 3, 0.01, Change.SAME),
            (1.5, 1.4, 1.6, 1, 0.01, Change.SAME),
            (1.5, 1.4, 1.6, 3, 0.06, Change.SAME),
            (1.05, 1.04, 1.06, 3, 0.01, Change.SAME),
            (0.95, 0.94, 0.96, 3, 0.01, Change.SAME),
            (1.5, 1.0, 1.6, 3, 0.01, Change.SAME),
            (0.7, 0.6, 1.0, 3, 0.01, Change.SAME),
            (1.5, 1.4, 1.6, 3, 0.05, Change.SAME),
            (1.5, 1.4, 1.6, 3, 0.052, Change.SAME),
            (1.5, 1.4, 1.6, 2, 0.049, Change.SLOWER),
        ],
        columns=["ratio", "ratio_low", "ratio_high", "trials", "adjusted", "expected"],
    )
    assert compare._verdicts(rows, 1.1) == list(rows["expected"])
    for ratio in (2.0, 0.5):
        at_the_floor = rows.assign(
            ratio=ratio, ratio_low=ratio, ratio_high=ratio, trials=3, adjusted=0.01
        )
        assert set(compare._verdicts(at_the_floor, 2.0)) == {Change.SAME}
    rows["verdict"] = rows["expected"]
    rows["detectable"] = [1.1] * 6 + [1.3] * 7
    found = Comparison("a", "b", rows, 1.1, [], {"first": 0, "second": 0})
    assert found.counts == {
        "results": 13,
        "slower": 2,
        "faster": 1,
        "same": 10,
        "single": 1,
        "lost": 0,
        "floor_percent": pytest.approx(10),
        "detectable_percent": pytest.approx(30),
    }
    assert list(found.found["ratio"]) == [1.5, 0.7, 1.5]
    assert len(found.regressions(0.4)) == 2 and not len(found.regressions(0.5))


CASE = Case("int", "random")


def edition(name: str, **times: list[float]) -> editions.Edition:
    """Loads of one host: by store, ns an entry of each trial."""
    about = {"host": ["lab"], "profile": ["quick"], "jdk": ["17"], "jvm": ["VM"]}
    about |= {"machine": {}, "stores": {}, "sections": {}}
    result = {"section": "04-small-values", "workload": "write", "entries": 10, "host": "lab"}
    rows = [
        result
        | CASE._asdict()
        | {"store": store, "name": f"{store} of {name}", "status": "ok"}
        | {"trial": trial, "ns_per_entry": ns}
        for store, each in times.items()
        for trial, ns in enumerate(each, 1)
    ]
    return editions.Edition(name, pd.DataFrame(rows), about)


def of_machine(name: str, hosts: list[str], processor: str | None = None) -> editions.Edition:
    found = edition(name, A=[100, 101], B=[100, 101])
    return editions.Edition(
        name, found.rows, found.about | {"host": hosts, "machine": {"processor": processor}}
    )


def test_the_higher_of_two_noise_floors_decides_and_only_hosts_of_both_are_compared():
    times = [100, 100.5, 101]
    first = edition("a", S0=times, S1=times, S2=times, S3=times)
    second = edition("b", S0=times, S1=times, S2=times, S3=[1.5 * ns for ns in times])
    more = second.rows.assign(host="pool", ns_per_entry=9)
    about = second.about | {"host": ["lab", "pool"]}
    found = compare.compare_editions(
        first, editions.Edition("b", pd.concat([second.rows, more]), about)
    )
    assert list(found.rows["store"]) == ["S3", "S0", "S1", "S2"], "the largest change first"
    assert found.rows["after"].iloc[1] == 100.5, "of the host that both have"
    assert list(found.rows["verdict"][:2]) == [Change.SLOWER, Change.SAME]
    twice = edition("b", S0=times, S1=times, S0Again=[150] * 3)
    for pair in ((first, twice), (twice, first)):
        assert compare.compare_editions(*pair).floor == pytest.approx(150 / 100.5)


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ((["lab"], "P"), (["lab"], "P"), True),
        ((["lab"], "P"), (["lab"], "Q"), False),
        ((["lab"], None), (["lab"], "Q"), True),
        ((["lab"], "P"), (["den"], "P"), False),
        ((["lab"], None), (["den"], None), False),
        ((["lab", "pool"], "P"), (["lab"], "Q"), True),
        ((["lab"], "Q"), (["lab", "pool"], "P"), True),
        ((["lab", "pool"], None), (["den"], None), False),
        ((["den"], None), (["lab", "pool"], None), False),
    ],
)
def test_a_machine_is_a_label_and_a_processor_where_an_edition_has_one(first, second, shared):
    assert compare.share_a_machine(of_machine("a", *first), of_machine("b", *second)) is shared


def test_processors_of_one_name_are_told_apart_as_far_as_both_editions_describe_them():
    cpu = {"model": "P", "threads": 2, "usable_threads": 2, "caches": {}, "cores": 2}
    described = [
        editions.machine_of(synthetic.ENVIRONMENT | {"run": run, "cpu": cpu | more})
        for run, more in (
            ("a", {"stepping": 1}),
            ("b", {"stepping": 2}),
            ("c", {}),
            ("d", {"model": None}),
            ("e", {"model": None}),
        )
    ]
    found = edition("x", A=[100, 101])
    of = [
        editions.Edition("x", found.rows, found.about | {"host": ["lab"], "machine": each})
        for each in described
    ]
    shared = {(a, b) for a in range(5) for b in range(5) if compare.share_a_machine(of[a], of[b])}
    assert shared == {(each, each) for each in range(5)} | {(0, 2), (2, 0), (1, 2), (2, 1)}


def test_another_machine_is_compared_where_it_is_asked_for_and_named_where_it_is_not():
    here, there = of_machine("a", ["lab"], "P 1"), of_machine("b", ["den"])
    with pytest.raises(UserError, match=re.escape("machines, lab (P 1) and den: --other-machine")):
        compare.compare_editions(here, there)
    assert len(compare.compare_editions(here, there, other_machine=True).rows) == 2


def test_what_another_host_had_is_not_lost():
    here, there = edition("a", A=[1, 2], B=[1, 2]), edition("b", A=[1, 2])
    at = here.rows["store"].map({"A": "lab", "B": "pool"})
    here = editions.Edition("a", here.rows.assign(host=at), here.about | {"host": ["lab", "pool"]})
    alike = compare.compare_editions(here, there).lost
    assert not len(alike) and list(alike.columns) == LOST
    den = editions.Edition("b", there.rows, there.about | {"host": ["den"]})
    assert list(compare.compare_editions(here, den, other_machine=True).lost["store"]) == ["B"]


@pytest.mark.parametrize("found", [0, 1, 2])
def test_what_would_have_been_seen_is_by_the_level_that_is_left_to_one_comparison(found):
    verdicts = [Change.SLOWER] * found + [Change.SAME] * (4 - found)
    rows = pd.DataFrame({"verdict": verdicts, "freedom": 10.0, "error": 0.05})
    level = 0.05 * max(found, 1) / 4
    reach = student.isf(level / 2, 10) + student.ppf(0.8, 10)
    assert list(compare._detectable(rows, 1.0)) == pytest.approx([np.exp(0.05 * reach)] * 4)
    assert set(compare._detectable(rows, 9.0)) == {9.0}


def test_the_trials_needed_are_those_of_the_median_of_what_was_not_seen():
    def needed(*seen: float) -> int | None:
        rows = pd.DataFrame({"detectable": seen, "trials": [3, 3, 4, 3]})
        return Comparison("a", "b", rows, 1.0, [], {}).trials_needed(0.1)

    assert needed(1.2, 1.2, 1.05, 1.05) is None, "half of them see it"
    assert needed(1.3, 1.3, 1.21, 1.05) == math.ceil(3 * (math.log(1.3) / math.log(1.1)) ** 2)
    lost = Comparison("a", "b", pd.DataFrame(), 1.0, [], {}).lost
    assert list(lost.columns) == LOST


def test_a_single_trial_has_an_interval_against_several():
    several = {"A": [100, 101, 103], "B": [100, 101, 103]}
    row = compare.compare_editions(
        edition("a", A=[10], B=[100, 102]), edition("b", **several)
    ).rows.iloc[0]
    assert row["store"] == "A" and row["ratio_low"] < row["ratio"] < row["ratio_high"]


def test_a_row_has_medians_and_the_interval_of_their_ratio():
    before, after = [100, 101, 130], [200, 201, 290]
    first = edition("a", A=before, B=[10], C=[10], Old=[10, 11])
    second = edition("b", A=after, B=[11], C=[12], New=[1], Newer=[1])
    found = compare.compare_editions(first, second)
    assert list(found.rows.columns) == [
        *(*results_table.KEY, "entries", "name", "family", "engine", "before", "after", "trials"),
        *("ratio", "ratio_low", "ratio_high"),
        *("p", "error", "freedom", "adjusted", "verdict", "detectable"),
    ]
    row, *others = found.rows.to_dict("records")
    assert (row["name"], row["before"], row["after"], row["trials"]) == ("A of b", 101, 201, 3)
    pooled = ttest_ind(np.log(after), np.log(before)).confidence_interval()
    assert row["ratio"] == 201 / 101
    assert np.log([row["ratio_low"], row["ratio_high"]]) == pytest.approx([pooled.low, pooled.high])
    assert [each["ratio"] for each in others] == [1.2, 1.1], "the largest change first"
    assert found.counts["single"] == 2 and found.lacking == {"first": 1, "second": 2}


def test_equal_changes_stay_in_the_order_of_the_first_edition():
    stores = [f"S{number:02}" for number in range(40)]
    twice = {store: [2.0, 4.0] if store in stores[::2] else [1.0, 2.0] for store in stores}
    once = {store: [1.0, 2.0] for store in stores}
    rows = compare.compare_editions(edition("a", **once), edition("b", **twice)).rows
    assert list(rows["store"]) == stores[::2] + stores[1::2]


def test_json_has_a_row_a_result_with_all_digits():
    found = compare.compare_editions(
        edition("a", A=[101, 101.5]), edition("b", A=[201, 203.5], B=[1])
    )
    shown = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert (shown["format"], shown["first"], shown["second"]) == (1, "a", "b")
    assert (shown["noise_floor"], shown["level"]) == (found.floor, 0.05)
    [row] = shown["results"]
    assert row["store"] == "A" and abs(row["ratio"] - 202.25 / 101.25) < 1e-14
    assert shown["only_in"] == {"first": 0, "second": 1}


def test_what_only_one_of_two_has_is_a_line_of_its_own():
    times = {"A": [100, 100.1, 100.2], "B": [100, 100.1, 100.2]}
    slower = times | {"B": [200, 200.1, 200.2]}
    for more, lacking in (({}, {"C": [1]}), ({"C": [1]}, {}), ({"C": [1]}, {"D": [1]})):
        alike = list(
            compare.compare_editions(edition("a", **times), edition("b", **slower)).lines()
        )
        found = compare.compare_editions(
            edition("a", **times, **more), edition("b", **slower, **lacking)
        )
        unlike = list(found.lines())
        gone = [each for each in unlike if each.startswith("  lost: C of a")]
        assert len(gone) == bool(more)
        rest = [each for each in unlike if each not in gone]
        assert len(rest) == len(alike) + 2 and rest[3 : len(alike)] == alike[3:]
    assert sum("B of b" in each and str(CASE) in each for each in alike) == 1


def test_an_edition_is_found_by_its_name_or_its_folder(folder, monkeypatch):
    dates = ["2026-02-02", "2026-01-01"]
    monkeypatch.setattr(versions, "names", lambda: dates)
    monkeypatch.setattr(versions, "load_version", lambda at: at)
    for date in dates:
        (paths.REPORT / date).mkdir(parents=True)
        (paths.REPORT / date / versions.MANIFEST).touch()
    for name, date in (("latest", 0), (dates[0], 0), (dates[1], 1)):
        assert compare.find(name) == paths.REPORT / dates[date]
    synthetic.write_run(folder, "a", 1, ("Memory",), ["11-latency"])
    for name in ("a", str(folder / "a")):
        assert compare.find(name).name == "a"
    monkeypatch.setattr(versions, "names", list)
    with pytest.raises(UserError):
        compare.find("latest")


def test_only_results_that_succeeded_are_held_against_each_other():
    first, second = edition("a", A=[1, 2]), edition("b", B=[1])
    failed = second.rows.assign(section="05-medium-values", status="failed")
    other = editions.Edition("b", pd.concat([second.rows, failed]), second.about)
    with pytest.raises(UserError, match="04-small-values at profile quick in the second"):
        compare.compare_editions(first, other)
    with pytest.raises(UserError, match="none in the second"):
        compare.compare_editions(first, editions.Edition("b", failed, second.about))


def test_what_else_changed_is_named_for_what_both_have():
    def about(options: dict, version: str, code: dict, **more) -> dict:
        store = {"name": "A", "library": "a:a", "version": version, "engine": "E"}
        store |= {"options": options}
        whole = {"host": ["lab"], "profile": ["quick"], "jdk": ["17"], "jvm": ["VM"]}
        whole |= {"machine": {"cores": "2"}, "stores": {"A": store}}
        return whole | {"sections": {"04-x": {"code": code}}} | more

    first = about({"sync": "on", "old": "1"}, "1", {"A": "x", "B": "x", "C": "x"})
    second = about(
        {"sync": "off", "new": "1"}, "2", {"A": "y", "B": "x", "D": "z"}, jdk=["17", "21"]
    )
    other = second["stores"] | {"B": second["stores"]["A"]}
    first["machine"] |= {"caches": "1M"}  # which an older edition says and a newer one does not
    found = conditions.changes(first, second | {"stores": other})
    assert {each["what"]: (each["first"], each["second"]) for each in found[:-1]} == {
        "jdk": ("17", "17 and 21"),
        "A, library": ("a:a:1", "a:a:2"),
        "A, sync": ("on", "off"),
        "A, old": ("1", "not set"),
        "A, new": ("not set", "1"),
    }
    assert found[-1]["what"] == "code that measured" and "1 of 2 " in found[-1]["second"]
    assert conditions.changes(first, first) == []


def test_a_share_is_a_percentage_from_nothing_up():
    assert [compare.share(each) for each in ("10%", "0%", "250%")] == [0.1, 0, 2.5]
    for wrong in ("10", "-1%", "inf%", "nan%", "x%"):
        with pytest.raises(UserError):
            compare.share(wrong)


@pytest.mark.parametrize("trials", [3, 8])
def test_a_planted_change_is_found_or_the_trials_that_it_takes_are_said(trials):
    """Of 24 results, 4 take 1.3 times as long, at the scatter of the runs that are shipped."""
    rng = np.random.default_rng(11)
    before, after = (
        {f"S{at:02}": list(100 * rng.lognormal(0, 0.107, trials)) for at in range(24)} for _ in "ab"
    )
    for store in list(after)[:4]:
        after[store] = [1.3 * ns for ns in after[store]]
    found = compare.compare_editions(edition("a", **before), edition("b", **after))
    assert set(found.found["store"]) <= set(list(after)[:4])
    needed, seen = found.trials_needed(0.3), found.rows["detectable"].median()
    if trials == 3:
        assert seen > 1.3 and 3 < needed < 10
    else:
        assert len(found.found) == 4 and seen < 1.3 and needed is None


def test_what_was_there_and_is_not_or_failed_is_lost():
    first = edition("a", A=[1, 2, 3], B=[1, 2, 3], C=[1, 2, 3])
    second = edition("b", A=[1, 2, 3], B=[1, 2, 3])
    failed = second.rows["store"] == "B"
    rows = second.rows.assign(status=np.where(failed, "failed", "ok"), reason="crash")
    elsewhere = first.rows.assign(section="05-medium-values")  # which the second did not measure
    first = editions.Edition("a", pd.concat([first.rows, elsewhere]), first.about)
    found = compare.compare_editions(first, editions.Edition("b", rows, second.about))
    lost = found.lost[["store", "section", "reason"]].to_numpy().tolist()
    assert lost == [["B", "04-small-values", "crash"], ["C", "04-small-values", "not measured"]]
    assert found.counts["lost"] == 2 and len(found.as_json()["lost"]) == 2


def test_a_lost_store_ends_the_command_with_1_and_a_renamed_run_is_a_run(folder):
    synthetic.write_run(folder, "a", 2, ("LmdbJavaBb", PLANTED), [synthetic.SECTION])
    shutil.copytree(folder / "a", folder / "renamed")
    shell, share = CliRunner(), ["--fail-on-regression", "10%"]
    same = shell.invoke(main, ["compare", "a", "renamed", *share])
    assert same.exit_code == 0 and same.stdout.startswith("renamed against a")
    assert list(runs.runs()) == ["a", "renamed"]
    for file in folder.glob(f"renamed/*/{PLANTED}*.json"):
        file.unlink()
    lost = shell.invoke(main, ["compare", "a", "renamed", *share])
    assert lost.exit_code == 1 and "lost: LMDB DB, write" in lost.stdout and "lost" in lost.stderr
    for name in ("few", "fewer"):
        synthetic.write_run(folder, name, 1, ("LmdbJavaBb",), [synthetic.SECTION])
    few = shell.invoke(main, ["compare", "few", "fewer", *share])
    assert few.exit_code == 3 and "to see 10%, 2 on each side are needed" in few.stderr


def test_chance_gives_the_p_values_that_it_should():
    rng = np.random.default_rng(3)
    p = p_values(
        [(rng.lognormal(0, s, 3), rng.lognormal(0, s, 3)) for s in rng.uniform(0.01, 0.1, 3000)]
    )
    assert 0.03 < (p < 0.05).mean() < 0.07 and 0.002 < (p < 0.01).mean() < 0.02


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (
            ["2026-09-09", "a"],
            "There is no version, run or folder 2026-09-09; versions: none; runs: a and b.",
        ),
        (
            ["a", "b"],
            (
                "a and b have no results in common: .*04-small-values.* at profile smoke in the"
                " first, none in the second"
            ),
        ),
        (["a", "a", "--fail-on-regression", "much"], "much is no share: write it as 10%"),
        (["a", "a", "--fail-on-regression", "-5%"], "-5% is no share"),
        (["a", "a", "--fail-on-regression", ""], "is no share: write it as 10%"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(folder, arguments, sentence):
    synthetic.write_run(folder, "a", sections=FEW)
    synthetic.write_run(folder, "b", stores=("Xodus",), sections=FEW)
    for file in folder.glob("b/00-harness/*"):
        file.unlink()
    done = CliRunner().invoke(main, ["compare", *arguments])
    assert done.exit_code == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert re.search(sentence, done.stderr)


def test_other_numbers_of_entries_are_other_results(folder):
    def larger(record):
        for case in record["cases"]:
            case["entries"] *= 10
            case["flat_bytes"] *= 10

    with pytest.raises(UserError, match="no results in common"):
        compare.compare_editions(
            compare.find(measured(folder, "a", 1)), compare.find(measured(folder, "b", 1, larger))
        )


@pytest.mark.end_to_end
def test_every_column_of_a_result_is_in_the_dictionary(whole):
    not_exported = {"ending"}  # frames.columns has it, and files of versions have not
    assert set(whole.rows.columns) - not_exported == set(export.COLUMNS)
    assert not whole.rows.duplicated([*results_table.KEY, "trial"]).any()


@pytest.mark.end_to_end
def test_results_read_back_as_they_were_written(whole, tmp_path):
    export.write_results(whole, tmp_path / "data")
    rows = results_table.read_table(tmp_path / "data" / export.CSV)
    again = editions.Edition("a", rows, whole.about)
    published = [
        results_table.text(results_table.typed(each.rows)[list(export.PUBLISHED)])
        for each in (again, whole)
    ]
    assert published[0] == published[1]
    assert not len(compare.compare_editions(whole, again).found)
    types = dict(
        duckdb.sql(
            "SELECT column_name, column_type FROM (DESCRIBE FROM"
            f" '{tmp_path}/data/results.parquet')"
        ).fetchall()
    )
    assert types == {name: sql for name, (sql, *_) in export.PUBLISHED.items()}
    [[count, failed, total]] = duckdb.sql(
        f"SELECT count(*), count(reason), sum(ns_per_entry) FROM '{tmp_path}/data/results.parquet'"
    ).fetchall()
    assert (count, total) == (
        len(whole.rows),
        pytest.approx(whole.rows["ns_per_entry"].sum()),
    ) and failed == whole.rows["reason"].notna().sum()


def test_a_figures_rows_are_those_of_its_cases(folder):
    edition = editions.edition_of("a", [runs.load(synthetic.write_run(folder, "a", sections=FEW))])
    rows = export.figure_rows(
        edition, [{"section": synthetic.SECTION} | Case("int", "random")._asdict()]
    )
    assert (
        set(rows["order"]) == {"random"}
        and set(rows["keys"]) == {"int"}
        and set(rows["section"]) == {synthetic.SECTION}
    )
    assert len(rows) == 3 * 6 * len(synthetic.STORES)


@pytest.mark.end_to_end
def test_jmhs_json_is_what_its_visualisers_read(whole):
    """Names end in the method, parameters are texts that hold neither spaces nor "=", at which JMH
    Visualizer cuts them.
    """
    found = json.loads(json.dumps(export.jmh(whole), allow_nan=False))
    keys = {(each["benchmark"], *each["params"].items()) for each in found}
    assert len(keys) == len(found) > 200
    assert all(
        isinstance(value, str) and not set(value) & set(" =")
        for each in found
        for value in each["params"].values()
    )
    one = next(
        each
        for each in found
        if each["benchmark"] == "kv.Test04SmallValues.write"
        and each["params"]
        == {
            "store": "LmdbJavaBb",
            "keys": "int",
            "order": "sequential",
            "value_bytes": "100",
            "content": "random",
            "entries": "1000",
        }
    )
    metric = one["primaryMetric"]
    assert (one["mode"], one["forks"], one["measurementIterations"], metric["scoreUnit"]) == (
        "avgt",
        3,
        3,
        "ns/op",
    )
    assert (
        metric["score"] == pytest.approx(100, rel=0.1)
        and metric["scoreConfidence"][0] < metric["score"] < metric["scoreConfidence"][1]
    )
    assert metric["scoreError"] == pytest.approx(
        max(abs(end - metric["score"]) for end in metric["scoreConfidence"]), rel=1e-3
    )  # of numbers with six digits
    assert [len(fork) for fork in metric["rawData"]] == [3, 3, 3]
    middle = sorted(map(np.median, metric["rawData"]))[1]
    assert metric["score"] == float(f"{middle:.6g}")
