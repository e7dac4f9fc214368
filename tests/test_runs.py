"""Runs are read whole or not at all, and their tables say what the records say."""

import copy
import json
import re
import subprocess

import pytest
import synthetic

from kvreport import inventory
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.data import frames, records, results_table, runs, trials

COSTS = dict.fromkeys(trials.COSTS, 7)


def result(workload: str, *times: int, status: str = "ok", reason: str | None = None) -> dict:
    about = {"workload": workload, "status": status, "reason": reason, "warmup_ns": []}
    return about | {"iteration_ns": list(times), "entries": 10, "user_bytes": 1040} | COSTS


def trial(store: str, number: int, results: list[dict], **changes) -> dict:
    case = {"keys": "int", "order": "random", "settings": {"sync": "on"}, "content": "random"}
    case |= {"entries": 10, "key_bytes": 4, "value_bytes": 100, "flat_bytes": 1040}
    case |= {"settle": None, "space": {"open_bytes": 8192, "closed_bytes": 4096}}
    about = synthetic.record("FlatFile", 1)
    about |= {"section": "04-x", "trial": number, "status": "ok", "reason": None, "jvm": None}
    about["store"] |= {"id": store, "name": store.upper()}
    return about | {"cases": [case | {"results": results}] if results else []} | changes


def environment(run: str, started: str) -> dict:
    return synthetic.ENVIRONMENT | {"run": run, "started": started}


@pytest.fixture
def record(tmp_path, monkeypatch):
    """Writes a run: record("name", when, trials) -> its folder."""
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    monkeypatch.delenv("KVREPORT_RUN", raising=False)

    def write(name: str, started: str, trials: list[dict]):
        records.write_record(
            tmp_path / name / records.ENVIRONMENT, environment(name, started), "environment"
        )
        for each in trials:
            records.write_record(
                records.trial_file(
                    tmp_path / name, each["section"], each["store"]["id"], each["trial"]
                ),
                each,
                "trial",
            )
        return tmp_path / name

    return write


def test_results_are_rows_of_the_table(record):
    record(
        "r",
        "2026-01-01T00:00:00Z",
        [
            trial(
                "a",
                1,
                [result("write", 30, 10, 20), result("readRev", status="na", reason="unordered")],
            ),
            trial("b", 1, [], status="failed", reason="the kernel died"),
        ],
    )
    frame = runs.load("r").frame.set_index(["store", "workload"])
    assert set(frame.columns) == {*results_table.COLUMNS, "ending"} - {"store", "workload"}
    write = frame.loc["a", "write"]
    assert (write.ms, write.ns_per_entry, write.gb_per_s, write.entries_per_s) == (2e-5, 2, 52, 5e8)
    assert (write.iteration_ns, write.passes, write["name"]) == ("30 10 20", 3, "A")
    assert (write.open_files, write.open_bytes, write.closed_bytes) == (7, 8192, 4096)
    unordered = frame.loc["a", "readRev"]
    assert (unordered.status, unordered.reason) == ("na", "unordered")
    died = frame.loc["b"]
    assert list(died.index) == ["write", "readRev"], "a row for each that it did not reach"
    assert set(died.status) == {"failed"} and set(died.reason) == {"the kernel died"}
    assert died.ms.isna().all() and set(died.entries) == {10}


def test_the_run_to_report_on(record, monkeypatch):
    with pytest.raises(UserError, match="make report"):
        runs.selected_run()
    record("newest-but-empty", "2026-03-01T00:00:00Z", [])
    record("newer", "2026-02-01T00:00:00Z", [trial("a", 1, [result("write", 1)])])
    record("old", "2026-01-01T00:00:00Z", [trial("a", 1, [result("write", 1)])])
    assert list(runs.runs()) == ["old", "newer", "newest-but-empty"]
    assert runs.selected_run() == runs.load().name == "newer" and runs.load("old").name == "old"
    monkeypatch.setenv("KVREPORT_RUN", "old")
    assert runs.load().name == "old"
    monkeypatch.setenv("KVREPORT_RUN", "none")
    with pytest.raises(UserError, match="no run none .* there are old, newer, newest-but-empty"):
        runs.load()


def test_the_list_of_runs_marks_those_of_the_reference_report(record):
    record("mine", "2026-01-02T00:00:00Z", [trial("a", 1, [result("write", 1)])])
    record("shipped", "2026-01-01T00:00:00Z", [trial("a", 1, [result("write", 1)])])
    assert [line[:9].rstrip() for line in inventory.runs()] == ["  shipped", "  mine"]
    (paths.RUNS / runs.REFERENCE).write_text("shipped\n")
    first, second, legend = inventory.runs()
    assert (first[:9], second[:6]) == ("* shipped", "  mine") and "reference.txt" in legend
    (paths.RUNS / runs.REFERENCE).write_text("another\n")
    with pytest.raises(UserError, match="reference.txt names the run another"):
        list(inventory.runs())


CPU = {"model": "AMD EPYC", "caches": {"L1d": "32K", "L3": "32768K"}, "cores": 2}


@pytest.mark.parametrize(
    "other",
    [
        {"caches": {"L1d": "48K", "L3": "32768K"}},
        {"cores": 4},
        {"stepping": 2},
        {"microcode": "0x2"},
        {"clock_mhz": 3600},
        {"family": 26},
        {"model_number": 18},
    ],
)
def test_processors_of_one_name_that_differ_in_anything_are_two_machines(other):
    known = {"family": 25, "model_number": 17, "stepping": 1, "microcode": "0x1", "clock_mhz": 2596}
    one, two = ({"host": "h", "cpu": CPU | more} for more in (known, known | other))
    assert runs.machine(one) != runs.machine(two)
    assert runs.machine(one) == runs.machine(
        {"host": "h", "cpu": CPU | known | {"clock_mhz": 2604}}
    )
    assert runs.machine(one) != runs.machine({"host": "h", "cpu": CPU}), "it did not record enough"
    assert runs.processor(CPU | {"clock_mhz": 4951})["clock"] == "5.0 GHz"


def test_a_processor_without_a_name_is_that_of_no_other_run():
    cpu = CPU | {"model": None}
    one, two = ({"host": "h", "run": run, "cpu": cpu} for run in "ab")
    assert runs.machine(one) == runs.machine(one) != runs.machine(two)


def test_a_section_that_the_newest_run_lacks_comes_from_an_older_one_of_the_machine(
    record, monkeypatch
):
    def run(name: str, profile: str, sections: str, **changes):
        started = f"2026-01-0{name[0]}T00:00:00Z"
        folder = record(
            name,
            started,
            [
                trial("a", 1, [result("write", 1)], section=f"{section}-x")
                for section in sections.split()
            ],
        )
        told = environment(name, started) | {"profile": profile}
        records.write_record(
            folder / records.ENVIRONMENT,
            told
            | {
                what: told[what] | new if isinstance(new, dict) else new
                for what, new in changes.items()
            },
            "environment",
        )

    run("1-old", "standard", "04 05 06")
    run("2-full", "standard", "05")
    run("3-elsewhere", "standard", "05 06 07 08 09", host="another")
    run("3-sources", "full", "06")
    run("4-otherwise", "standard", "05 06 07 08 09", cpu={"model": "another"})
    run("5-tried", "smoke", "05 06 07 08 09")
    run("6-quick", "quick", "05 06 07 08")
    run("7-new", "standard", "04")
    run("8-empty", "standard", "")
    origin = {
        "04": "7-new",
        "05": "2-full",
        "06": "1-old",
        "07": "6-quick",
        "08": "6-quick",
        "09": "7-new",
    }
    assert {section: runs.run_of(f"{section}-x") for section in origin} == origin
    assert {
        section: runs.in_full(f"{section}-x") for section in origin if runs.in_full(f"{section}-x")
    } == {"06": ["3-sources"]}
    monkeypatch.setenv("KVREPORT_RUN", "3-sources")
    assert runs.run_of("06-x") == "3-sources" and not runs.in_full("06-x"), "it is the one shown"
    monkeypatch.setenv("KVREPORT_RUN", "7-new")
    assert runs.run_of("05-x") == "7-new" and not runs.in_full("06-x"), (
        "who names a run sees that one"
    )
    monkeypatch.setenv("KVREPORT_RUN", "6-quick, 3-elsewhere")
    assert runs.shown_sections() == {
        "05-x": "6-quick",
        "06-x": "6-quick",
        "07-x": "6-quick",
        "08-x": "6-quick",
        "09-x": "3-elsewhere",
    }
    (paths.RUNS / runs.REFERENCE).write_text("3-elsewhere\n6-quick\n")
    monkeypatch.delenv("KVREPORT_RUN")
    assert runs.run_of("05-x") == "2-full", "whoever measured something sees that"
    assert runs.run_of("09-x") == "3-elsewhere" and runs.stands_in("3-elsewhere")
    assert not runs.stands_in("7-new") and not runs.stands_in("6-quick"), "of this machine"
    run("9-shipped", "standard", "04")
    (paths.RUNS / runs.REFERENCE).write_text("3-elsewhere\n6-quick\n9-shipped\n")
    assert [runs.run_of(f"{section}-x") for section in ("04", "05", "10")] == [
        "9-shipped",
        "3-elsewhere",
        "9-shipped",
    ]
    monkeypatch.setenv("KVREPORT_RUN", "6-quick,9-none")
    with pytest.raises(UserError, match="no run 9-none"):
        runs.shown_sections()


def test_a_report_draws_on_each_run_once_and_on_none_that_is_newer(record):
    for name, day in (("a", 1), ("b", 2), ("c", 2), ("d", 3)):
        record(name, f"2026-01-0{day}T00:00:00Z", [])
    expected = {"a": "a", "b": "bca", "c": "cba", "d": "dcba"}
    assert {name: "".join(runs.shown_runs(name)) for name in expected} == expected


def without(record: dict, name: str) -> dict:
    return {key: value for key, value in record.items() if key != name}


GOOD = trial("a", 1, [result("write", 1)])
GOOD_TOO = trial("a", 2, [result("write", 2)])
LYING = copy.deepcopy(GOOD)
LYING["cases"][0]["results"][0]["status"] = "failed"


@pytest.mark.parametrize(
    "text, complaint",
    [
        (json.dumps(GOOD)[:200], "not JSON"),
        ("", "not JSON"),
        (json.dumps(without(GOOD, "seed")), r"must contain \['seed'\]"),
        (json.dumps(LYING), "reason must be string"),
        (json.dumps(GOOD | {"trial": 2}), "it holds 04-x/a-2.json"),
    ],
    ids=["truncated", "empty", "incomplete", "failed with times", "misnamed"],
)
def test_a_damaged_file_is_named_with_what_is_wrong_and_what_to_do(record, text, complaint):
    file = record("r", "2026-01-01T00:00:00Z", [GOOD]) / "04-x" / "a-1.json"
    assert len(runs.load("r").trials) == 1
    file.write_text(text)
    with pytest.raises(records.Damaged, match=complaint) as told:
        runs.load("r")
    assert (
        str(file) in str(told.value)
        and "delete the file" in str(told.value)
        and "\n" not in str(told.value)
    )


def test_a_report_bears_with_a_damaged_file_and_sees_when_it_is_restored(record):
    file = record("r", "2026-01-01T00:00:00Z", [GOOD, GOOD_TOO]) / "04-x" / "a-1.json"
    whole = file.read_text()
    file.write_text(whole[:-9])
    run = frames.loaded("r")
    assert [each.file for each in run.damaged] == [file] and len(run.trials) == 1
    assert frames.loaded("r") is run, "nothing is read twice"
    file.write_text(whole)
    assert len(frames.loaded("r").trials) == 2
    with pytest.raises(UserError, match="There is no run none"):
        frames.loaded("none")


def test_a_run_is_read_from_any_folder_whole_or_a_section_of_it(record):
    other = trial("b", 1, [result("write", 1)], section="05-y")
    debt = {"quiet_seconds": 0.5, "close_seconds": 0.25} | dict.fromkeys(trials.COSTS[:4], 1)
    other["cases"][0]["settle"] = debt
    folder = record("r", "2026-01-01T00:00:00Z", [GOOD, other])
    assert len(trials.read_run(folder).trials) == 2
    run = trials.read_run(folder, "05-y")
    assert [each["section"] for each in run.trials] == ["05-y"]
    [row] = run.frame.to_dict("records")
    assert {name: row[f"after_load_{name}"] for name in debt} == debt
    (folder / "04-x" / "a-1.json").write_text("{")
    with pytest.raises(records.Damaged):
        trials.read_run(folder)


def test_of_a_damaged_environment_the_whole_run_is_to_be_deleted(record):
    folder = record("r", "2026-01-01T00:00:00Z", [GOOD])
    (folder / records.ENVIRONMENT).write_text("{")
    with pytest.raises(records.Damaged, match="delete the run"):
        runs.load("r")


def test_what_the_schema_refuses_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="seed"):
        records.write_record(tmp_path / "a-1.json", without(GOOD, "seed"), "trial")
    assert not any(tmp_path.iterdir())


def test_a_schema_only_looks_and_names_what_is_wrong(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "SCHEMA", tmp_path)
    properties = {"database": {"type": "string", "default": "x"}}
    (tmp_path / "own.schema.json").write_text(json.dumps({"properties": properties}))
    assert records.what_is_wrong({"database": 1}, "own") == "it.database must be string"
    record: dict = {}
    assert records.what_is_wrong(record, "own") is None and record == {}


def test_no_pattern_of_the_schemas_repeats_a_group():
    """Java's regular expressions go down the stack for each repetition, and a histogram has
    thousands of steps.
    """
    patterns = re.findall(
        r'"pattern": "(.+?)"[,}]', "".join(file.read_text() for file in paths.SCHEMA.glob("*.json"))
    )
    assert len(patterns) >= 5 and not [
        pattern for pattern in patterns if re.search(r"\)[*+{]", pattern)
    ]


def test_what_a_machine_measures_does_not_show_in_git_and_what_the_report_needs_is_there():
    if not (paths.ROOT / ".git").exists():
        pytest.skip("no checkout of git's")

    def git(*words: str) -> subprocess.CompletedProcess:
        return subprocess.run(["git", *words], cwd=paths.ROOT, capture_output=True, text=True)

    new = paths.RUNS.relative_to(paths.ROOT) / "2000-01-01-host"
    for file in (records.ENVIRONMENT, "04-small-values/FlatFile-1.json", "04-x.plan.json"):
        assert git("check-ignore", "--quiet", str(new / file)).returncode == 0, file
    for run in runs.reference_runs():
        file = paths.RUNS / run / records.ENVIRONMENT
        assert git("ls-files", "--error-unmatch", str(file)).returncode == 0, run


@pytest.mark.parametrize(
    ("status", "harness", "void"),
    [("failed", None, True), ("failed", 13, False), ("ok", None, False), ("ok", 13, False)],
)
def test_a_trial_without_a_harness_that_failed_says_nothing_of_its_store(status, harness, void):
    assert records.is_void({"status": status, "harness": harness}) is void


def test_records_without_an_environment_are_a_lost_run_and_nothing_else_is_one(record):
    for name in ("reference.txt", "notes"):
        (paths.RUNS / name).write_text("")
    (paths.RUNS / "empty").mkdir()
    assert runs.runs() == {} and runs.reference_runs() == []
    folder = record("lost", "2026-01-01T00:00:00Z", [GOOD])
    (folder / records.ENVIRONMENT).unlink()
    with pytest.raises(UserError, match="lost"):
        runs.runs()


def test_a_record_of_the_project_is_validated_once_as_long_as_it_is_the_same(record, monkeypatch):
    monkeypatch.setattr(paths, "ROOT", paths.RUNS)
    monkeypatch.setattr(paths, "CACHE", paths.RUNS / ".cache")
    file = record("r", "2026-01-01T00:00:00Z", [GOOD]) / "04-x" / "a-1.json"
    asked = []
    wrong = records.what_is_wrong
    monkeypatch.setattr(records, "what_is_wrong", lambda *of: asked.append(of) or wrong(*of))
    assert records.read_trial(file) == records.read_trial(file) and len(asked) == 1
    file.write_text(file.read_text().replace('"seed": 1', '"seed": "1"'))
    for _ in "ab":
        with pytest.raises(records.Damaged, match="seed"):
            records.read_trial(file)
    assert len(asked) == 3
