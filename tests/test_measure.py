"""The launcher, with real Java kernels: what fails is a record, what is stopped goes on, what is wrong is told in a sentence.

The stores under test are those of tests/stores, which misbehave, and the flat file, which does not.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import nbformat
import psutil
import pytest

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.data import runs
from kvreport.measure import environment, jvm, trial
from kvreport.measure import launcher as measure
from kvreport.measure.section import Section, find_section, log
from kvreport.toolchain import stores

pytestmark = pytest.mark.jvm

NOTEBOOK = "04-small-values.ipynb"
SCRIPTS = [
    paths.JBANG_STORES / "FlatFile.java",
    *(
        paths.ROOT / "tests" / "stores" / f"{store}.java"
        for store in ["Crashing", "WrongBytes", "Endless"]
    ),
]
REAL_NOTEBOOK = paths.MEASURE / NOTEBOOK
BEYOND = paths.MEASURE / "15-beyond-memory.ipynb"
ONE_CASE = "List.of(KeyKind.STRING), List.of(Order.RANDOM)"


def places(state: Path) -> list[tuple]:
    """What a launcher under test has to itself: folders, and a catalogue of its own."""
    known = json.loads((state / "catalog.json").read_text())
    return [
        (paths, "RUNS", state / "runs"),
        (paths, "WORK", state / "work"),
        (paths, "CACHE", state / "cache"),
        (paths, "MEASURE", state / "measure"),
        (measure, "catalog", lambda: known),
    ]


def prepare(state: Path):
    """The catalogue, and the measure notebook cut to one case of the four."""
    (state / "catalog.json").write_text(
        json.dumps(stores.described(stores.build(SCRIPTS)) | {"failed": {}})
    )
    notebook = nbformat.read(REAL_NOTEBOOK, as_version=4)
    cell = next(cell for cell in notebook.cells if cell.id == "section")
    cell.source, cut = re.subn(
        r"List\.of\(KeyKind.*?\), List\.of\(Order.*?\)", ONE_CASE, cell.source
    )
    assert cut == 1
    (state / "measure").mkdir()
    nbformat.write(notebook, state / "measure" / NOTEBOOK)


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    state = tmp_path_factory.mktemp("launcher")
    prepare(state)
    with pytest.MonkeyPatch.context() as patch:
        for place in places(state):
            patch.setattr(*place)
        yield state


@pytest.fixture(scope="module")
def run(state) -> str:
    """A run of one trial a store, in which everything has gone wrong that can."""
    known = measure.catalog()
    known["profiles"]["smoke"]["trials"] = 1
    known["failed"]["Unbuilt"] = "Unbuilt.java:1: error: ';' expected"
    launch("FlatFile", "Crashing", "WrongBytes", "Unbuilt")
    patience = known["profiles"]["smoke"]["limit_seconds"]
    known["profiles"]["smoke"]["limit_seconds"] = 10
    name = launch("Endless")
    known["profiles"]["smoke"]["limit_seconds"] = patience
    return name


def launch(*ids: str, **options) -> str:
    return measure.measure("04", "smoke", stores=list(ids) or None, host="Test Host", **options)


def test_what_fails_is_a_record_with_its_reason_and_the_run_goes_on(state, run):
    recorded = runs.load(run)
    reasons = {each["store"]["id"]: each["reason"] for each in recorded.trials}
    assert reasons.pop("FlatFile") is None
    assert re.search(
        r"the kernel died \(SIG\w+, problematic frame: .*\), after: .*write",
        reasons.pop("Crashing"),
    )
    assert "wrong data" in reasons.pop("WrongBytes")
    assert "time limit of 10 s" in reasons.pop("Endless")
    assert reasons.pop("Unbuilt") == "does not build: Unbuilt.java:1: error: ';' expected"
    assert not reasons
    frame = recorded.frame
    assert set(frame.groupby("store").size()) == {6}, "each store has a row for each workload"
    assert set(frame[frame.status == "ok"].store) == {"FlatFile"}
    assert sorted(frame.position.unique()) == [1, 2, 3, 4], "of four, and of one"
    assert recorded.environment["host"] == "test-host" and run.endswith("-test-host")
    assert not javas(state) and not any((state / "work").iterdir())
    assert list((state / "cache").rglob("Crashing-1.hs_err.log"))


def test_the_log_of_the_run_is_kept_in_the_notebook(state, run):
    notebook = nbformat.read(state / "measure" / NOTEBOOK, as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    tables = [output.data["text/markdown"] for output in outputs if "data" in output]
    assert any("Flat file" in table and "readXxh64" in table for table in tables)
    assert {kind for output in outputs for kind in output.get("data", {})} == {"text/markdown"}
    largest = max(case["flat_bytes"] for each in runs.load(run).trials for case in each["cases"])
    smoke = json.loads((state / "catalog.json").read_text())["profiles"]["smoke"]
    assert Section(state / "measure" / NOTEBOOK).flat_bytes(smoke) == largest, (
        "which the check of the disk relies on"
    )


def test_the_log_of_a_section_without_trials_is_empty(state, run):
    unmeasured = Section(Path(shutil.copy(REAL_NOTEBOOK, state / "99-unmeasured.ipynb")))
    assert any(cell.get("outputs") for cell in unmeasured.notebook().cells), "of another run"
    log(unmeasured, run, measure.catalog())
    assert not any(cell.get("outputs") for cell in unmeasured.notebook().cells)
    nbformat.validate(unmeasured.notebook())


def test_only_what_is_missing_damaged_or_of_other_code_is_measured_again(
    state, run, capsys, monkeypatch
):
    folder, file = (
        state / "runs" / run / "04-small-values",
        state / "runs" / run / "04-small-values" / "FlatFile-1.json",
    )
    before = content(state)
    launch("FlatFile", "Crashing")
    assert content(state) == before, "a second launch does nothing"
    file.write_bytes(file.read_bytes()[:500])
    launch("FlatFile", "Crashing")
    told = " ".join(capsys.readouterr().err.split())
    assert re.search(
        r"FlatFile-1.json is damaged \(not JSON: .*\); it is kept as FlatFile-1.json.damaged and measured again",
        told,
    )
    assert runs.read_trial(file)["status"] == "ok"
    assert content(state).keys() - before.keys() == {folder / "FlatFile-1.json.damaged"}
    assert (folder / "Crashing-1.json").read_bytes() == before[folder / "Crashing-1.json"]
    known = measure.catalog()
    monkeypatch.setitem(known["stores"]["FlatFile"], "code", "changed")
    wanted = [
        each.id
        for each in measure.plan(
            find_section("04"),
            ["Crashing", "FlatFile"],
            run,
            {"profile": "smoke", "seed": 1},
            known,
            retry_failed=True,
        )[1]
    ]
    assert sorted(wanted) == ["Crashing", "FlatFile"]
    for name in ("FlatFile-1.json.old", "Crashing-1.json.failed"):
        (folder / name).rename(folder / name.rpartition(".")[0])


def content(state: Path) -> dict[Path, bytes]:
    return {
        file: file.read_bytes()
        for file in [*(state / "runs").rglob("*"), *(state / "measure").rglob("*")]
        if file.is_file()
    }


def test_what_a_kernel_saved_before_it_died_is_in_the_record(state, run, monkeypatch):
    whole = runs.load(run, "04-small-values").trials[-1]
    finished = runs.read_trial(state / "runs" / run / "04-small-values" / "FlatFile-1.json")
    each = trial.Trial(
        "04-small-values",
        [],
        measure.catalog()["stores"]["FlatFile"],
        9,
        1,
        "smoke",
        {},
        1,
        "c",
        state / "runs" / "partial",
    )

    def die(made, work, tell):
        (work / "FlatFile-9.partial.json").write_text(json.dumps(finished | {"trial": 9}))
        raise jvm.Failure("the kernel died")

    monkeypatch.setattr(trial, "run_notebook", die)
    record = trial.measure(each, print)
    assert (record["status"], record["reason"]) == ("failed", "the kernel died")
    assert record["cases"] == finished["cases"] and whole


def test_a_trial_ends_with_its_record_though_the_kernel_cannot_say_so(state, run, tmp_path):
    finished = state / "runs" / run / "04-small-values" / "FlatFile-1.json"
    known, patience = measure.catalog(), 100
    settings = known["profiles"]["smoke"] | {"kept_bytes": 1 << 20, "limit_seconds": patience}
    each = trial.Trial(
        "04-small-values",
        [],
        known["stores"]["FlatFile"],
        1,
        1,
        "smoke",
        settings,
        1,
        "c",
        tmp_path,
    )
    each.file.parent.mkdir(parents=True)
    each.cells.append(
        f'java.nio.file.Files.copy(java.nio.file.Path.of("{finished}"), java.nio.file.Path.of("{each.file}")); Thread.sleep({1000 * patience});'
    )
    began = time.monotonic()
    assert trial.measure(each, print) == runs.read_trial(finished)
    assert time.monotonic() - began < patience


def test_a_kernel_that_does_not_come_up_is_started_once_more(state, run, monkeypatch):
    file, wait, waits = (
        state / "runs" / run / "04-small-values" / "FlatFile-1.json",
        jvm.Kernel.wait,
        [],
    )

    def refusing(kernel):
        waits.append(kernel)
        wait(kernel)
        if len(waits) != 4:  # the first trial's two starts, and the second trial's first
            raise jvm.NotStarted("the kernel did not start (exit code 1): Address already in use")

    file.unlink()
    monkeypatch.setattr(jvm.Kernel, "wait", refusing)
    launch("FlatFile")
    refused = runs.read_trial(file)
    assert (len(waits), refused["status"], refused["code"]) == (
        2,
        "failed",
        "",
    ) and "Address already in use" in refused["reason"]
    launch("FlatFile")
    assert len(waits) == 4 and runs.read_trial(file)["status"] == "ok"


def javas(state: Path) -> list[psutil.Process]:
    """The kernels of launchers under test: each has its work directory for its current one."""
    found = []
    for process in psutil.process_iter(["name", "cwd", "status"]):
        if process.info["name"] == "java" and (process.info["cwd"] or "").startswith(str(state)):
            found.append(process)
    return found


def until(condition, seconds: float = 60):
    """Waits for a condition and returns what it gave."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come about")


def program(state: Path) -> subprocess.Popen:
    """A launcher in a process of its own, as make starts it: a shell's background job, which these tests may be, would have it ignore Ctrl-C."""
    code = (
        "import pathlib, test_measure as t\n"
        f"for place in t.places(pathlib.Path({str(state)!r})): setattr(*place)\n"
        "t.launch('FlatFile')"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)},
    )


def test_a_launch_that_is_stopped_leaves_no_kernel_and_goes_on(tmp_path, monkeypatch):
    prepare(tmp_path)
    for place in places(tmp_path):
        monkeypatch.setattr(*place)
    stopped = program(tmp_path)
    until(lambda: javas(tmp_path))
    stopped.send_signal(signal.SIGINT)
    told = stopped.communicate(timeout=30)[1]
    assert (stopped.returncode, "Traceback" in told, "the same command goes on" in told) == (
        130,
        False,
        True,
    ), told
    assert not javas(tmp_path) and not any((tmp_path / "work").iterdir())

    killed = program(tmp_path)
    until(
        lambda: any(
            "after the start" in log.read_text()
            for log in (tmp_path / "cache").rglob("FlatFile-2.log")
        )
    )
    assert javas(tmp_path)
    killed.kill()
    killed.communicate()
    until(lambda: not javas(tmp_path), seconds=5)
    (first,) = (tmp_path / "runs").glob("*/04-small-values/FlatFile-1.json")
    before = first.stat().st_mtime_ns

    run = launch("FlatFile")
    assert [each["trial"] for each in runs.load(run).trials] == [1, 2]
    assert first.stat().st_mtime_ns == before, "what was recorded is not measured again"
    assert not any((tmp_path / "work").iterdir()), "what the killed launch left is removed"


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"section": "99"}, "no section 99; there are 04-small-values"),
        (
            {"section": "04", "profile": "tiny"},
            "no profile tiny; there are smoke, quick, standard, full",
        ),
        (
            {"section": "04", "profile": "smoke", "stores": ["Oracle"]},
            "no store Oracle; there are .*FlatFile",
        ),
        ({"section": "04", "profile": "smoke", "run": "../x"}, "A run's name"),
    ],
)
def test_unknown_names_are_told_with_those_there_are(state, arguments, sentence):
    with pytest.raises(UserError, match=sentence):
        measure.measure(**arguments)


def test_with_all_sections_each_measures_its_own_stores(state, monkeypatch):
    asked = []
    notebook = nbformat.read(state / "measure" / NOTEBOOK, as_version=4)
    notebook.metadata.kvreport |= {"stores": ["Endless"]}
    nbformat.write(notebook, state / "measure" / "98-endless.ipynb")
    monkeypatch.setattr(
        measure, "measure_section", lambda section, ids, *_: asked.append((section.id, ids))
    )
    monkeypatch.setattr(measure, "log", lambda *_: None)
    try:
        measure.measure(None, "smoke", stores=["FlatFile"])
        measure.measure("98", "smoke", stores=["FlatFile"])
        measure.measure(None, "smoke", stores=["Endless"])
    finally:
        (state / "measure" / "98-endless.ipynb").unlink()
    assert asked == [
        ("04-small-values", ["FlatFile"]),
        ("98-endless", ["FlatFile"]),
        ("98-endless", ["Endless"]),
    ]


def test_a_section_for_which_memory_cannot_be_limited_is_skipped_and_the_run_says_why(
    state, run, monkeypatch, capsys
):
    shutil.copy(BEYOND, state / "measure")
    monkeypatch.setattr(measure.memory, "why_not", lambda: "no control group can be made")
    monkeypatch.setattr(measure, "log", lambda *_: None)
    try:
        with pytest.raises(
            UserError,
            match="15-beyond-memory is not measured at profile quick: make section takes PROFILE=standard",
        ):
            measure.measure("15", "quick", stores=["FlatFile"], host="Test Host")
        measure.measure("15", "smoke", stores=["FlatFile"], host="Test Host")
    finally:
        (state / "measure" / BEYOND.name).unlink()
    assert (
        runs.load(run).environment["warnings"][-1]
        == "section 15-beyond-memory was skipped: no control group can be made"
    )
    assert (
        "was skipped: no control group can be made" in capsys.readouterr().err
        and not (state / "runs" / run / "15-beyond-memory").exists()
    )


def test_two_launchers_do_not_share_a_run(state, run):
    with (
        measure.locked(run),
        pytest.raises(UserError, match=f"{run} is being measured by another launcher"),
    ):
        launch("FlatFile")


def test_a_run_is_of_one_kind(state, run):
    told = runs.runs()[run]
    same = {what: told[what] for what in ("host", "profile", "seed", "code", "jdk", "filesystem")}
    assert measure.run_name(None, same) == run
    other = same | {"code": "0" * 64}
    assert measure.run_name(None, other) == f"{run}.2", (
        "with another shared core a new one begins, the same day"
    )
    with pytest.raises(UserError, match="another code"):
        measure.run_name(run, other)


def test_a_label_does_not_stand_for_two_processors(state, run):
    with pytest.raises(
        UserError,
        match="test-host was measured on .*, and this machine has Abacus: call this one otherwise with --host",
    ):
        measure.refuse_other_machine("test-host", "Abacus")
    measure.refuse_other_machine("elsewhere", "Abacus")
    measure.refuse_other_machine("test-host", runs.runs()[run]["cpu"]["model"])


def test_rounds_are_shuffled_by_the_seed(state):
    known = measure.catalog() | {
        "stores": {name: {"id": name, "code": name} for name in "ABCDEF"},
        "failed": {},
    }
    known["profiles"] = {"smoke": known["profiles"]["smoke"] | {"trials": 3}}

    def missing(seed: int, **how) -> list:
        return measure.plan(
            find_section("04"),
            list("FEDCBA"),
            "none",
            {"profile": "smoke", "seed": seed},
            known,
            **how,
        )[1]

    def order(seed: int) -> list[str]:
        every = missing(seed)
        assert [each.position for each in every] == list(range(1, 19))
        return ["".join(each.id for each in every[start : start + 6]) for start in (0, 6, 12)]

    rounds = order(1)
    assert all(sorted(each) == list("ABCDEF") for each in rounds) and len(set(rounds)) == 3
    assert order(1) == rounds != order(random.randrange(2, 1 << 31))
    assert [each.id for each in missing(1, rounds=2)] == list(rounds[0] + rounds[1]), (
        "the first rounds are those of the whole"
    )
    assert len(missing(1, rounds=4)) == 18


def test_a_store_whose_trial_takes_long_has_one_unless_more_are_asked_for_and_a_section_can_want_fewer(
    state, monkeypatch
):
    known = measure.catalog() | {
        "stores": {name: {"id": name, "code": name} for name in "AB"},
        "failed": {},
    }
    known["profiles"] = {"smoke": known["profiles"]["smoke"] | {"trials": 3}}
    slow, quick = (
        {"store": {"id": name}, "seconds": seconds} for name, seconds in (("A", 601), ("B", 599))
    )
    assert [measure.is_long(name, [slow, quick]) for name in "AB"] == [True, False]
    section = find_section("04")
    assert section.settings("smoke", known["profiles"])["trials"] == 3
    monkeypatch.setattr(
        measure,
        "standing_record",
        lambda each, _: slow if (each.id, each.number) == ("A", 1) else None,
    )
    for long, wanted in (False, "B1 B2 B3"), (True, "A2 A3 B1 B2 B3"):
        missing = measure.plan(
            section, ["A", "B"], "none", {"profile": "smoke", "seed": 1}, known, long=long
        )[1]
        assert " ".join(sorted(f"{each.id}{each.number}" for each in missing)) == wanted
    few = nbformat.read(section.file, as_version=4)
    few.metadata.kvreport["profiles"] = {"smoke": {"trials": 1}}
    nbformat.write(few, state / "measure" / "97-few.ipynb")
    try:
        assert find_section("97").settings("smoke", known["profiles"])["trials"] == 1
    finally:
        (state / "measure" / "97-few.ipynb").unlink()


def test_a_section_has_a_profiles_settings_of_its_own(state):
    profiles = measure.catalog()["profiles"]
    page, rocks = (
        Section(REAL_NOTEBOOK.with_name(f"{name}.ipynb"))
        for name in ("07-leveldb-page", "10-rocksjava")
    )
    standard, full = (rocks.settings(profile, profiles) for profile in ("standard", "full"))
    assert (
        rocks.entries(standard) == 1_000_000
        and standard["limit_seconds"] == profiles["standard"]["limit_seconds"]
    )
    assert (
        rocks.entries(full) == 10**9
        and full["kept_bytes"] == 24 * 10**9
        and full["limit_seconds"] > profiles["full"]["limit_seconds"]
    )
    assert (
        page.settings("standard", profiles)["limit_seconds"] > profiles["standard"]["limit_seconds"]
    )


def test_a_machine_that_cannot_measure_is_refused_and_one_that_disturbs_is_told(
    state, tmp_path, monkeypatch, capsys
):
    need, disk = environment.Need("04", 10**9, 10**9), environment.filesystem(tmp_path)
    quiet = environment.machine() | {
        "busy_before": 0.0,
        "governor": None,
        "read_ahead_kb": 128,
        "filesystem": disk,
    }
    calm = set(environment.check(need, quiet))
    tmpfs = disk | {"is_tmpfs": True, "type": "tmpfs"}
    disturbed = quiet | {
        "busy_before": 60.0,
        "governor": "powersave",
        "read_ahead_kb": 8192,
        "filesystem": tmpfs,
        "limits": {"open_files": 256, "memory_bytes": 2.5 * 10**9},
        "cpu": quiet["cpu"] | {"usable_threads": 1},
    }
    with monkeypatch.context() as patch:
        patch.setattr(environment, "clock_source", lambda: "acpi_pm")
        patch.setattr(environment.psutil, "disk_usage", lambda _: SimpleNamespace(free=6 * 10**9))
        told = " ".join(set(environment.check(need, disturbed)) - calm)
    for word in (
        "60% of the CPUs",
        "powersave",
        "tmpfs",
        "256 files",
        "6.0 GB left",
        "2.5 GB of memory",
        "one CPU is usable",
        "acpi_pm",
        "8,192 KiB ahead",
    ):
        assert word in told
    with monkeypatch.context() as patch:
        patch.setattr(environment, "check", lambda *_: ["the moon is full"])
        conditions, section = (
            measure.current_conditions("t", "smoke", measure.catalog()),
            find_section("04"),
        )
        for _ in range(2):
            measure.prepare(
                section,
                "warned",
                conditions,
                section.settings("smoke", measure.catalog()["profiles"]),
            )
    assert capsys.readouterr().err.count("Warning: the moon is full.") == 1, (
        "once, though every section meets it"
    )
    assert runs.read_environment(state / "runs" / "warned" / runs.ENVIRONMENT)["warnings"] == [
        "the moon is full"
    ], "what was warned of is recorded"
    with pytest.raises(UserError, match="Section 04 wants 4000000.0 GB of disk.*KVREPORT_WORK"):
        environment.check(environment.Need("04", 10**15, 10**9), quiet)
    with pytest.raises(
        UserError,
        match="Section 03 wants 2000002.0 GB of memory.*end other programs, or choose a smaller profile",
    ):
        environment.check(environment.Need("03", 10**9, 10**9, held=10**15), quiet)
    with pytest.raises(UserError, match="Section 10 wants 1000002.0 GB of memory"):
        environment.check(environment.Need("10", 10**9, 10**9, kept=10**15), quiet)
    full = os.statvfs(tmp_path)
    full = SimpleNamespace(
        **{name: getattr(full, name) for name in dir(full) if name.startswith("f_")}
        | {"f_favail": 999_999}
    )
    with (
        monkeypatch.context() as patch,
        pytest.raises(
            UserError, match="Section 08 makes 1,000,000 files and .* has room for 999,999"
        ),
    ):
        patch.setattr(os, "statvfs", lambda _: full)
        environment.check(environment.Need("08", 10**8, 10**8, files=10**6), quiet)
    (tmp_path / "file").touch()
    monkeypatch.setattr(paths, "WORK", tmp_path / "file" / "work")
    with pytest.raises(UserError, match="cannot be written.*KVREPORT_WORK"):
        launch("FlatFile", run="new")
    assert not (state / "runs" / "new").exists()
