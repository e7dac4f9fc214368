"""Rounds beyond the plan, until comparisons can tell a ratio: with made-up trials that scatter."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
import synthetic
from click.testing import CliRunner

from kvreport.analysis.reach import reach
from kvreport.base import paths
from kvreport.cli import main
from kvreport.data import records
from kvreport.measure import launcher, schedule, trial
from kvreport.measure.schedule import Request, Until

STORES = ("LmdbJavaBb", "LmdbJavaDb", "LmdbJavaSafe")
RUN = "2026-01-02-lab"


def made(each: trial.Trial, _=print) -> dict:
    """A trial of a tenth of scatter, written where it belongs."""
    record = synthetic.record(each.id, 1) | {"trial": each.number, "harness": each.harness}
    noise = np.random.default_rng([each.number, STORES.index(each.id)])
    for case in record["cases"]:
        for result in case["results"]:
            factor = noise.lognormal(0, 0.1)
            result["iteration_ns"] = [round(ns * factor) for ns in result["iteration_ns"]]
    records.write_record(each.file, record, "trial")
    return records.read_trial(each.file)


@pytest.fixture
def job(tmp_path, monkeypatch) -> schedule.Job:
    """A section of two trials a store, none of which is made."""
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    monkeypatch.setattr(launcher, "prepare_run", lambda _: None)
    monkeypatch.setattr(launcher.environment, "refuse_full", lambda *_: None)
    records.write_record(
        tmp_path / RUN / records.ENVIRONMENT, synthetic.ENVIRONMENT | {"run": RUN}, "environment"
    )
    cases = [
        case | {"workloads": [result["workload"] for result in case["results"]]}
        for case in synthetic.record(STORES[0], 1)["cases"]
    ]
    planned = synthetic.plan(profile="smoke", trials=2, cases=cases, stores=["*"])
    section = SimpleNamespace(id=synthetic.SECTION, cells=[])
    known = {
        "stores": {store: {"id": store, "code": ""} for store in STORES},
        "failed": {},
        "timed_path": "",
        "workloads": {},
    }
    conditions = {"seed": 1, "harness": 1}
    return schedule.Job(section, planned, list(STORES), RUN, conditions, known)


def measured(job: schedule.Job, request: Request) -> list[dict]:
    return launcher.make_rounds([job], request)[job.section.id]


def counted(monkeypatch, make=made) -> list[tuple[int, str]]:
    """The trials that are made from now on."""
    seen: list[tuple[int, str]] = []

    def measure(each, report):
        seen.append((each.number, each.id))
        return make(each)

    monkeypatch.setattr(trial, "measure_trial", measure)
    return seen


def test_rounds_go_on_until_a_ratio_can_be_told_and_no_further(job, monkeypatch, capsys):
    seen, until = counted(monkeypatch), Until(1.3, reach)
    measured(job, Request())
    assert len(seen) == 6 and reach(synthetic.SECTION, RUN, 1.3).ratio > 1.3
    late = Request(until=until, ends=time.monotonic())
    measured(job, late)
    assert len(seen) == 6 and "1.3x is not reached" in " ".join(capsys.readouterr().err.split())
    recorded = measured(job, Request(until=until))
    numbers = [number for number, _ in seen]
    assert numbers == sorted(numbers) and numbers[-1] > 2, "round after round"
    before = {(each["trial"], each["store"]["id"]) for each in recorded} - {seen[-1]}
    assert set(seen) - {seen[-1]} == before, "each is made once, and all are of the section"
    reached = reach(synthetic.SECTION, RUN, 1.3)
    assert reached.ratio <= 1.3 and not reached.short
    told = " ".join(capsys.readouterr().err.split())
    assert "round 3: 3 of 3 stores need it to see 1.3x" in told
    assert "every comparison with a fastest store sees 1.3x" in told
    del seen[:]
    measured(job, Request(until=until))
    assert not seen, "what was made is there"


def test_what_is_no_store_needs_no_more_rounds(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    stores = ("FlatFile", "Memory", "LmdbJavaBb", "MapDb")
    synthetic.write_run(tmp_path, RUN, 2, stores, [synthetic.SECTION])
    assert reach(synthetic.SECTION, RUN, 1.00001).short == {("LmdbJavaBb", "MapDb")}


def test_a_round_that_was_stopped_goes_on_and_what_fails_is_not_tried_for_ever(job, monkeypatch):
    counted(monkeypatch)
    measured(job, Request())
    first, *_ = schedule.round_of(job, 3)
    made(first)

    def failing(each):
        record = made(each)
        if each.id != STORES[0]:
            return record
        failed = record | {"status": "failed", "reason": "gone", "cases": []}
        records.write_record(each.file, failed, "trial")
        return failed

    seen = counted(monkeypatch, failing)
    measured(job, Request(until=Until(1.2, reach)))
    assert {number for number, _ in seen[:2]} == {3} and (3, first.id) not in seen
    assert [store for _, store in seen].count(STORES[0]) == (first.id != STORES[0])
    assert len(set(seen)) == len(seen) > 4


def test_records_beyond_the_plan_stand_only_as_long_as_those_within_it(job, monkeypatch):
    counted(monkeypatch)
    measured(job, Request())
    for each in schedule.round_of(job, 3):
        made(each)
    recorded, missing = schedule.sort(job, Request(), launcher.set_aside)
    assert len(recorded) == 9 and not missing
    job.conditions["harness"] = 2
    recorded, missing = schedule.sort(job, Request(), launcher.set_aside)
    assert not recorded and sorted({each.number for each in missing}) == [1, 2]
    assert not list(job.folder.glob("*/*.json"))


@pytest.mark.parametrize(
    "options, sentence",
    [
        (["--until", "30%"], "30% is no ratio to see: write it as 1.3x, more than 1."),
        (["--until", "1x"], "1x is no ratio to see"),
        (["--until", "infx"], "infx is no ratio to see"),
        (["--limit-hours", "2"], "--limit-hours limits --until"),
        (["--until", "1.3x", "--rounds", "1"], "drop one"),
    ],
)
def test_what_cannot_be_asked_for_is_one_sentence(options, sentence, monkeypatch):
    monkeypatch.setattr("kvreport.preparation.prepare", lambda _: {})
    done = CliRunner().invoke(main, ["measure", "04", *options])
    assert done.exit_code == 2 and sentence in done.stderr and done.stderr.count("\n") == 1
