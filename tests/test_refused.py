"""Records that are damaged or contradict themselves or their run: one sentence with the file's
name, and no wait.
"""

import json
import re
import shutil
from types import SimpleNamespace
from typing import Any

import damage
import pytest
import synthetic

from kvreport import inventory
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.charts import chapter
from kvreport.data import extra_measurements, records, runs
from kvreport.measure import schedule


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    monkeypatch.delenv("KVREPORT_RUN", raising=False)
    return tmp_path / synthetic.write_run(tmp_path, sections=[synthetic.SECTION])


def in_case(change):
    return damage.edited(lambda record: change(record["cases"]))


def test_what_failed_and_has_times_is_said_to_have_them(run):
    file = run / synthetic.SECTION / "LevelDbJni-1.json"
    record = json.loads(file.read_text())
    failed = [each for case in record["cases"] for each in case["results"] if each["reason"]]
    failed[0]["iteration_ns"] = [1.5]
    file.write_text(json.dumps(record))
    with pytest.raises(
        records.Damaged, match=r"iteration_ns(\[0\] must be integer| must be empty)"
    ):
        runs.load(run.name)


CORRUPTIONS = {
    "a case twice": in_case(lambda cases: cases.append(cases[0])),
    "a case twice in a row": in_case(lambda cases: cases.insert(0, cases[0])),
    "a workload twice": in_case(lambda cases: cases[0]["results"].append(cases[0]["results"][0])),
    "entries": in_case(lambda cases: cases[0].update(entries=7)),
    "key bytes": in_case(lambda cases: cases[0].update(key_bytes=16)),
    "bytes": in_case(lambda cases: cases[0]["results"][0].update(user_bytes=1)),
    "a time that no memory has": in_case(
        lambda cases: cases[0]["results"][1].update(iteration_ns=[1])
    ),
    "negative": in_case(lambda cases: cases[0]["results"][0].update(iteration_ns=[-1])),
    "profile": damage.with_values(profile="full"),
    "seed": damage.with_values(seed=2),
    "a reason": damage.with_values(reason="why"),
    "type": damage.with_values(cases=3),
} | damage.ANY_JSON


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_a_damaged_trial_is_refused_by_name_and_costs_its_row_alone(run, name):
    file = run / synthetic.SECTION / "LmdbJavaBb-2.json"
    CORRUPTIONS[name](file)
    with pytest.raises(records.Damaged, match=r"LmdbJavaBb-2\.json is damaged \(.+\)"):
        runs.load(run.name)
    test = chapter.of(synthetic.SECTION)
    assert test.measured and "LmdbJavaBb-2" in chapter.opening([test], "A09").data.replace("\\", "")
    assert [each.file for each in runs.damaged_files()] == [file]


@pytest.mark.parametrize(
    ("planned", "named"), [(["MapDb"], False), (["MapDb", "Absent"], True), (["*"], False)]
)
def test_an_opening_names_the_stores_that_a_run_has_nothing_of(run, monkeypatch, planned, named):
    monkeypatch.setattr(extra_measurements, "plan", lambda *_: {"stores": planned})
    said = chapter.opening([chapter.of(synthetic.SECTION)], "A09").data
    assert ("Not measured" in said) == named == ("`Absent`; `make section S=" in said)


def test_a_trial_under_two_numbers_is_refused(run):
    record = json.loads((run / synthetic.SECTION / "MapDb-1.json").read_text())
    (run / synthetic.SECTION / "MapDb-4.json").write_text(json.dumps(record | {"trial": 4}))
    with pytest.raises(records.Damaged, match=r"MapDb-4\.json .*MapDb-1\.json"):
        runs.load(run.name)


NEWER = damage.with_values(format=99)


def test_a_run_of_a_newer_version_is_left_out_and_named(run, monkeypatch):
    other = shutil.copytree(run, run.with_name("2027-01-02-lab"))
    NEWER(other / records.ENVIRONMENT)
    (run.parent / runs.REFERENCE).write_text(f"{other.name}\n{run.name}\n")
    assert runs.selected_run() == run.name and runs.reference_runs() == [run.name]
    shown, what_to_do, _ = inventory.runs()
    assert run.name in shown and re.search(rf"{other.name}.*newer version.*: update", what_to_do)
    assert [each.file for each in runs.damaged_files()] == [other / records.ENVIRONMENT]
    monkeypatch.setenv("KVREPORT_RUN", other.name)
    with pytest.raises(records.Newer, match="update"):
        runs.selected_run()
    monkeypatch.delenv("KVREPORT_RUN")
    shutil.rmtree(run)
    with pytest.raises(records.Newer, match="update"):
        runs.selected_run()


def test_a_trial_of_a_newer_version_stays_where_it_is(run):
    file = run / synthetic.SECTION / "FlatFile-1.json"
    NEWER(file)
    assert "update" in chapter.opening([chapter.of(synthetic.SECTION)], "A09").data
    trial: Any = SimpleNamespace(file=file, number=1)
    with pytest.raises(records.Newer, match=r"FlatFile-1\.json .*update"):
        schedule.standing(trial, {}, False, lambda *_: file.unlink())


@pytest.mark.parametrize("content", [b"2026-01-02-other\n", b"\xef\xbb\xbf2026-01-02-lab"])
def test_reference_runs_that_are_not_there_are_refused(run, content):
    (run.parent / runs.REFERENCE).write_bytes(content)
    with pytest.raises(UserError, match=r"reference\.txt"):
        runs.reference_runs()
