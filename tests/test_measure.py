"""The launcher, with real Java kernels: what fails is a record, what is stopped goes on, what is
wrong is told in a sentence.

The stores under test are those of tests/stores, which misbehave, and the flat file, which does not.
"""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import nbformat
import psutil
import pytest

from kvreport.base import notebooks, paths
from kvreport.base.errors import UserError
from kvreport.data import crashes, harness, needs, records, rows, runs
from kvreport.data.cases import Case
from kvreport.measure import (
    environment,
    jvm,
    launcher,
    log,
    memory,
    plan,
    run_selection,
    schedule,
    section,
    trial,
)
from kvreport.measure.schedule import Request
from kvreport.toolchain import catalogue, stores

pytestmark = pytest.mark.jvm

NOTEBOOK = "04-small-values.ipynb"
SCRIPTS = [
    paths.JBANG_STORES / "FlatFile.java",
    *(
        paths.ROOT / "tests" / "stores" / f"{store}.java"
        for store in ["Crashing", "WrongBytes", "Endless", "Hungry", "Erring"]
    ),
]
REAL_NOTEBOOK = paths.MEASURE / NOTEBOOK
BEYOND = paths.MEASURE / "15-beyond-memory.ipynb"
SIX = 'List.of("write", "readKey", "readSeq", "readRev", "readCrc", "readXxh64")'
BRIEF = f"""var section = Section.of("04-small-values")
        .stores(Section.EVERY)
        .cases({SIX}, CaseSpec.each({{}}, profile.entries, 100));"""
ONE_CASE = "List.of(KeyKind.STRING), List.of(Order.RANDOM)"
FOUR_CASES = "List.of(KeyKind.values()), List.of(Order.SEQUENTIAL, Order.RANDOM)"
write_log = launcher.write_log


def places(state: Path) -> list[tuple]:
    """What a launcher under test has to itself."""
    return [
        (paths, "RUNS", state / "runs"),
        (paths, "WORK", state / "work"),
        (paths, "CACHE", state / "cache"),
        (paths, "MEASURE", state / "measure"),
    ]


def prepare(state: Path):
    """The catalogue, and the measure notebook with one case in place of its own."""
    known = catalogue.described(stores.build(SCRIPTS)) | {"failed": {}}
    catalogue.add_hashes(known, SCRIPTS)
    (state / "catalog.json").write_text(json.dumps(known))
    notebook = nbformat.read(REAL_NOTEBOOK, as_version=4)
    notebook.metadata.pop(notebooks.METADATA, None)
    cell = next(cell for cell in notebook.cells if cell.id == "section")
    assert 'Section.of("04-small-values")' in cell.source
    cell.source = BRIEF.format(ONE_CASE)
    for cell in notebook.cells:
        cell |= {"outputs": [], "execution_count": None} if cell.cell_type == "code" else {}
        if cell.id == "by-hand":
            cell.source = cell.source.replace("LmdbJavaBb", "FlatFile")
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
    """A run of one trial a store, in which everything has gone wrong that can, with its log."""
    ids = ["FlatFile", "Crashing", "WrongBytes", "Unbuilt", "Hungry", "Endless"]
    make = launcher.make_trial

    def sooner(each, *rest):
        limit = 10 if each.id == "Endless" else each.plan.limit_seconds
        return make(replace(each, plan=replace(each.plan, limit_seconds=limit)), *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launcher, "make_trial", sooner)
        outcome = measure("04", stores=ids, host="Test Host", logged=write_log)
    assert {record["store"]["id"] for record in outcome.failed} == set(ids) - {"FlatFile"}
    [complaint] = outcome.complaints()
    assert "5 of the trials failed, of " in complaint
    return outcome.runs[0]


@pytest.fixture(scope="module")
def planned(state) -> dict[str, dict[str, plan.Plan]]:
    """By profile, the plans of the sections that the first page needs and of a few others."""
    names = {name for need in needs.needs() for name in need.sections}
    names |= {"07-leveldb-page", "08-threads", "10-rocksjava", BEYOND.stem}
    notebooks = [section.Section(REAL_NOTEBOOK.with_name(f"{name}.ipynb")) for name in names]
    profiles = ("quick", "standard", "full")
    return {profile: plan.plans(notebooks, profile, catalog()) for profile in profiles}


@pytest.fixture
def flat(state, run) -> Path:
    """The flat file's record."""
    return state / "runs" / run / "04-small-values" / "FlatFile-1.json"


def catalog() -> dict:
    known = json.loads((paths.RUNS.parent / "catalog.json").read_text())
    known["failed"]["Unbuilt"] = "does not build:\nUnbuilt.java:1: error: ';' expected"
    return known


def measure(
    name: str | None,
    profile: str = "smoke",
    trials: int = 1,
    logged: Callable = lambda *_: False,
    **options,
):
    """A launch whose plans have fewer trials than the notebooks say, and which makes no log."""

    def shorter(*asked) -> dict[str, plan.Plan]:
        made = plan.plans(*asked)
        return {each: replace(made[each], trials=trials, limit_seconds=120) for each in made}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launcher, "plans", shorter)
        patch.setattr(launcher, "write_log", logged)
        return launcher.measure(catalog(), name, profile, **options)


def launch(*ids: str, **options) -> str:
    """The run that a launch of some stores goes into."""
    return measure("04", stores=list(ids) or None, host="Test Host", **options).runs[0]


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
    assert reasons.pop("Hungry").startswith("out of memory: ")
    assert reasons.pop("Unbuilt") == "does not build: Unbuilt.java:1: error: ';' expected"
    assert not reasons
    frame = recorded.frame
    assert set(frame.groupby("store").size()) == {6}, "each store has a row for each workload"
    assert set(frame[frame.status == "ok"].store) == {"FlatFile"}
    assert sorted(frame.position.unique()) == [1, 2, 3, 4, 5, 6]
    assert recorded.environment["host"] == "test-host" and run.endswith("-test-host")
    assert not javas(state) and not any((state / "work").iterdir())
    assert list((state / "cache").rglob("Crashing-1.hs_err.log"))
    written = state / "runs" / run / "04-small-values" / "FlatFile-1.json"  # by Java
    assert written.stat().st_mode == (state / "catalog.json").stat().st_mode


def test_the_log_of_a_run_shows_what_its_trials_printed_and_leaves_the_notebook_alone(
    state, run, flat
):
    tracked = (state / "measure" / NOTEBOOK).read_bytes()
    assert not any(cell.get("outputs") for cell in json.loads(tracked)["cells"])
    notebook = nbformat.read(log.executed(section.find_section("04")), as_version=4)
    shown = {cell.id: cell.get("outputs", []) for cell in notebook.cells}
    printed = "".join(output.get("text", "") for output in shown["measure"])
    record = records.read_trial(flat)
    assert record["output"] and all(line in printed for line in record["output"])
    assert f"started {record['started']}" in printed
    assert "Flat file" in shown["results"][0].data["text/markdown"]
    loops = "".join(output.data["text/markdown"] for output in shown["loop"])
    assert "writer.put(entry.at(" in loops
    assert "reader.get(entry.at(position(data, turn)), sink);" in loops
    assert "ns/entry" in "".join(output.text for output in shown["by-hand"])


def test_a_cell_for_readers_is_no_part_of_a_trial(state):
    cells = section.find_section("04").cells
    assert any("notebook.measure(section)" in cell for cell in cells)
    assert not any("Bench.open" in cell or "Sources." in cell for cell in cells)


def starts(patch: pytest.MonkeyPatch, *good: int) -> list[jvm.Kernel]:
    """Has kernels not come up from now on, but for those with these numbers; all that started."""
    wait, waits = jvm.Kernel.wait, []

    def waiting(kernel):
        waits.append(kernel)
        if len(waits) not in good:
            time.sleep(0.3)  # until Jupyter's threads have their sockets
            raise jvm.NotStarted("the kernel did not start (exit code 1): Address already in use")
        wait(kernel)

    patch.setattr(jvm.Kernel, "wait", waiting)
    return waits


def test_only_what_is_missing_damaged_or_of_other_code_is_measured_again(
    state, run, flat, capsys, monkeypatch
):
    """And a kernel that does not come up is started once more."""
    folder, before = flat.parent, content(state)
    waits = starts(monkeypatch, 4)
    launch("FlatFile", "Crashing")
    assert content(state) == before and not waits, "a second launch does nothing"
    flat.write_bytes(flat.read_bytes()[:500])
    launch("FlatFile", "Crashing")
    refused = records.read_trial(flat)
    assert (len(waits), refused["status"], refused["harness"]) == (2, "failed", None)
    assert "Address already in use" in refused["reason"]
    launch("FlatFile", "Crashing")
    assert len(waits) == 4 and records.read_trial(flat)["status"] == "ok"
    told = " ".join(capsys.readouterr().err.split())
    assert re.search(r"FlatFile-1.json is damaged \(not JSON: .*\); it is kept as FlatFile-1", told)
    assert {file.name for file in content(state).keys() - before.keys()} == {
        f"{flat.name}.damaged",
        f"{flat.name}.old",
    }
    assert (folder / "Crashing-1.json").read_bytes() == before[folder / "Crashing-1.json"]
    known = catalog()
    known["stores"]["FlatFile"]["code"] = "changed"
    _, missing = schedule.sort(
        job(run, ["Crashing", "FlatFile"], known), Request(retry_failed=True), launcher.set_aside
    )
    assert sorted(each.id for each in missing) == ["Crashing", "FlatFile"]
    (folder / "Crashing-1.json.failed").rename(folder / "Crashing-1.json")
    flat.with_name(f"{flat.name}.old.2").rename(flat)


def job(run: str, ids: list[str], known: dict, trials: int = 1, seed: int = 1) -> schedule.Job:
    """Of section 04, at profile smoke."""
    notebook = section.find_section("04")
    made = plan.plans([notebook], "smoke", catalog())[notebook.id]
    conditions = {"seed": seed, "harness": harness_number(), "host": "test-host"}
    return schedule.Job(notebook, replace(made, trials=trials), ids, run, conditions, known)


def harness_number() -> int:
    return harness.current(catalog()["workloads"])


def test_a_record_stands_only_for_what_would_be_measured_now(state, run, flat):
    record = records.read_trial(flat)
    [each] = schedule.round_of(job(run, ["FlatFile"], catalog()), 1)
    assert schedule.outdated(record, each) is None
    assert "harness" in schedule.outdated(record | {"harness": each.harness + 1}, each)
    other = record | {"store": record["store"] | {"code": "0"}}
    assert "another script" in schedule.outdated(other, each)
    [case] = record["cases"]
    more = [case | {"entries": case["entries"] + 1}]
    assert "other data or workloads" in schedule.outdated(record | {"cases": more}, each)
    fewer = record | {"cases": [case | {"results": case["results"][:-1]}]}
    assert "other data or workloads" in schedule.outdated(fewer, each)
    assert schedule.outdated(fewer | {"status": "failed"}, each) is None, "what it got to"


def content(state: Path) -> dict[Path, bytes]:
    return {
        file: file.read_bytes()
        for file in [*(state / "runs").rglob("*"), *(state / "measure").rglob("*")]
        if file.is_file()
    }


def test_what_a_kernel_saved_before_it_died_is_in_the_record(flat, monkeypatch):
    finished = records.read_trial(flat)
    each = job("partial", ["FlatFile"], catalog()).trial("FlatFile", 9, 1)

    def die(made, work, *_):
        made.saved(work).write_text(json.dumps(finished | {"trial": 9}))
        raise jvm.Failure("the kernel died")

    monkeypatch.setattr(trial, "run_notebook", die)
    record = trial.measure_trial(each, print)
    assert (record["status"], record["reason"]) == ("failed", "the kernel died")
    assert record["cases"] == finished["cases"]
    shutil.rmtree(each.run)  # which no launcher has begun, and so has no environment


def test_a_trial_ends_with_its_record_though_the_kernel_cannot_say_so(run, flat, tmp_path):
    patience = 100
    made = job(run, ["FlatFile"], catalog()).trial("FlatFile", 1, 1)
    longer = replace(made.plan, limit_seconds=patience)
    each = replace(made, plan=longer, cells=[], run=tmp_path)
    each.file.parent.mkdir(parents=True)
    each.cells.append(
        f'java.nio.file.Files.copy(java.nio.file.Path.of("{flat}"),'
        f' java.nio.file.Path.of("{each.file}")); Thread.sleep({1000 * patience});'
    )
    began = time.monotonic()
    assert trial.measure_trial(each, print)["cases"] == records.read_trial(flat)["cases"]
    assert time.monotonic() - began < patience


@pytest.fixture
def small_disk(tmp_path, monkeypatch) -> Iterator[Path]:
    """A work directory on a disk of its own, which can be filled."""
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "kvreport-test", tmp_path])
    if made.returncode:
        pytest.skip("only root can mount a disk that is to be filled")
    monkeypatch.setattr(paths, "WORK", tmp_path)
    try:
        yield tmp_path
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def before_the_trial(patch: pytest.MonkeyPatch, act: Callable[[jvm.Kernel], object]) -> None:
    """Has something happen to the machine when a kernel is up and is to measure."""
    execute = jvm.Kernel.execute

    def acting(kernel, cell, *done):
        if "notebook.measure" in cell:
            act(kernel)
        execute(kernel, cell, *done)

    patch.setattr(jvm.Kernel, "execute", acting)


def test_what_the_machine_spoils_says_so_and_is_measured_by_the_next_call(
    state, run, small_disk, capsys
):
    """Killed from outside, and by the next call on a full disk: another disk, another run."""
    other = state / "runs" / f"{run}.2"
    file = other / "04-small-values" / "FlatFile-1.json"
    filling = small_disk / "filling"

    def fill(_) -> None:
        with contextlib.suppress(OSError), open(filling, "wb", buffering=0) as target:
            while True:
                target.write(bytes(1 << 12))

    def kill(kernel: jvm.Kernel) -> None:
        kernel.process.kill()

    for act, reason, logged in (
        (kill, r"its kernel was killed, .* \(the kernel died \(SIGKILL,", lambda *_: False),
        (fill, r"its disk was full, with 0 MB left \(.*No space left on device", write_log),
    ):
        with pytest.MonkeyPatch.context() as patch:
            before_the_trial(patch, act)
            outcome = measure("04", stores=["FlatFile"], host="Test Host", logged=logged)
        [complaint] = outcome.complaints()
        assert "1 of the trials were spoiled by the machine, of" in complaint
        record = records.read_trial(file)
        assert records.is_void(record) and not outcome.failed
        assert re.match(f"spoiled by the machine: {reason}", record["reason"])
    told = " ".join(capsys.readouterr().err.split())
    assert re.search("The log of 04-small-values was not made: .*No space left on device", told)
    assert re.search("Flat file, trial 1, could not be measured .spoiled .* measured again", told)
    shutil.rmtree(other)


def test_a_disk_that_fills_up_between_trials_ends_the_launch_with_a_sentence(state, run):
    file = state / "runs" / run / "04-small-values" / "FlatFile-2.json"
    free = psutil.disk_usage(str(paths.WORK)).free
    left = iter([free, free, 0])  # for the check before the section, which looks twice

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            environment.psutil, "disk_usage", lambda _: SimpleNamespace(free=next(left, 0))
        )
        with pytest.raises(UserError, match="wants .* of disk and the work directory's has 0 MB"):
            launch("FlatFile", trials=2)
    assert not file.exists() and not javas(state)


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
    """A launcher in a process of its own, as make starts it: a shell's background job, which these
    tests may be, would have it ignore Ctrl-C.
    """
    code = (
        "import pathlib, test_measure as t\n"
        f"for place in t.places(pathlib.Path({str(state)!r})): setattr(*place)\n"
        "t.launch('FlatFile', trials=2)"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)},
    )


def test_a_launch_that_is_stopped_leaves_no_kernel_and_goes_on(state, run, flat, tmp_path):
    """Killed while it measures the second trial, then told to stop there."""
    for name in ("catalog.json", "measure", "cache/plans", f"runs/{run}/environment.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (state / name).is_dir() else shutil.copy
        copy(state / name, tmp_path / name)
    first = tmp_path / flat.relative_to(state)
    first.parent.mkdir()
    shutil.copy(flat, first)
    before = first.stat().st_mtime_ns
    log, work = tmp_path / "cache" / "logs" / run / first.parent.name / "FlatFile-2.log", []

    def measuring() -> list[psutil.Process]:
        began = log.exists() and "after the start" in log.read_text()
        return javas(tmp_path) if began else []

    killed = program(tmp_path)
    until(measuring)
    killed.kill()
    killed.communicate()
    until(lambda: not javas(tmp_path), seconds=20)
    work = [*(tmp_path / "work").iterdir()]
    assert work
    log.unlink()
    stopped = program(tmp_path)
    until(measuring)
    assert not any(each.exists() for each in work), "what the killed launch left is removed"
    stopped.send_signal(signal.SIGINT)
    told = stopped.communicate(timeout=120)[1]
    assert stopped.returncode == 130 and "the same command goes on" in told, told
    assert "Traceback" not in told
    assert not javas(tmp_path) and not any((tmp_path / "work").iterdir())
    assert [*first.parent.iterdir()] == [first], "the second trial, and that alone, is missing"
    assert first.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"name": "99"}, "no section 99; there are 04-small-values"),
        ({"name": ""}, "no section ''; there are"),
        ({"profile": "tiny"}, "no profile tiny; there are smoke, quick, standard, full"),
        ({"stores": ["Oracle"]}, "no store Oracle; there are .*FlatFile"),
        ({"stores": [""]}, "no store ''; there are"),
        ({"run": "../x"}, "A run's name has letters"),
        ({"run": ""}, "A run's name has letters"),
        ({"run": "by-hand"}, "cannot be a run's name"),
    ],
)
def test_unknown_names_are_told_with_those_there_are(state, arguments, sentence):
    with pytest.raises(UserError, match=sentence):
        measure(**{"name": "04"} | arguments)


def test_with_all_sections_each_measures_its_own_stores(state, monkeypatch):
    asked = []
    notebook = nbformat.read(state / "measure" / NOTEBOOK, as_version=4)
    nbformat.write(notebook, state / "measure" / "98-endless.ipynb")
    [made] = plan.plans([section.find_section("04")], "smoke", catalog()).values()
    own = {"04-small-values": made, "98-endless": replace(made, stores=["Endless"])}
    monkeypatch.setattr(plan, "plans", lambda asked, *_: {each.id: own[each.id] for each in asked})
    monkeypatch.setattr(
        launcher,
        "make_trials",
        lambda made, *_: asked.append((made.job.section.id, made.job.stores)),
    )
    try:
        measure(None, stores=["FlatFile"])
        measure("98", stores=["FlatFile"])
        measure(None, stores=["Endless"])
    finally:
        (state / "measure" / "98-endless.ipynb").unlink()
    assert asked == [
        ("04-small-values", ["FlatFile"]),
        ("98-endless", ["FlatFile"]),
        ("98-endless", ["Endless"]),
    ]


def test_after_an_error_and_after_a_crash_another_kernel_measures_the_cases_that_are_left(
    state, run
):
    four = (state / "measure" / NOTEBOOK).read_text().replace("04-small-values", "97-four-cases")
    assert ONE_CASE in four
    four = four.replace(ONE_CASE, FOUR_CASES).replace(
        json.dumps(SIX)[1:-1], json.dumps('List.of("write")')[1:-1]
    )
    (state / "measure" / "97-four-cases.ipynb").write_text(four)
    try:
        [record] = measure("97", stores=["Erring"], host="Test Host").failed
    finally:
        (state / "measure" / "97-four-cases.ipynb").unlink()
    assert record["processes"] == 3 and len(record["cases"]) == 4
    assert 0 <= record["stolen"] < 1
    reasons = {
        (case["keys"], case["order"]): {result["reason"] for result in case["results"]}
        for case in record["cases"]
    }
    assert reasons["string", "sequential"] == {"LinkageError: no such method"}
    [crash] = reasons["int", "sequential"]
    assert re.match(r"the kernel died \(SIG\w+, problematic frame: ", crash)
    assert reasons["int", "random"] == reasons["string", "random"] == {None}
    assert sorted(case["turn"] for case in record["cases"]) == [0, 1, 2, 3]
    shutil.rmtree(state / "runs" / run / "97-four-cases")


def test_a_section_measured_again_is_a_new_run_and_the_older_trials_stay(
    state, run, flat, capsys, monkeypatch
):
    before = content(state)

    def copied(each, *_):
        records.write_record(each.file, json.loads(before[flat]), "trial")
        return records.read_trial(each.file)

    monkeypatch.setattr(launcher, "make_trial", copied)
    other = launch("FlatFile", again=True)
    told = " ".join(capsys.readouterr().err.split())
    assert other != run and f"the trials of {run} are kept" in told
    assert {file: text for file, text in content(state).items() if file in before} == before
    assert [each["store"]["id"] for each in runs.load(other).trials] == ["FlatFile"]
    assert launch("FlatFile") == other, "what is measured without that goes on in the newest"
    shutil.rmtree(state / "runs" / other)


def test_a_section_for_which_memory_cannot_be_limited_is_skipped_and_the_run_says_why(
    state, planned, monkeypatch, capsys
):
    shutil.copy(BEYOND, state / "measure")
    monkeypatch.setattr(memory, "why_not", lambda: "no control group can be made")
    monkeypatch.setattr(launcher.environment, "refuse_full", lambda _: None)
    try:
        run = measure("15", "quick", stores=["FlatFile"], host="Test Host").runs[0]
    finally:
        (state / "measure" / BEYOND.name).unlink()
    warnings = runs.load(run).environment["warnings"]
    assert warnings[-1] == "section 15-beyond-memory was skipped: no control group can be made"
    assert "was skipped: no control group can be made" in capsys.readouterr().err
    assert not (state / "runs" / run / "15-beyond-memory").exists()
    shutil.rmtree(state / "runs" / run)


def test_two_launchers_do_not_share_a_run(state, run):
    with (
        launcher.locked(run),
        pytest.raises(UserError, match=f"{run} is being measured by another launcher"),
    ):
        launch("FlatFile")


def test_a_run_is_of_one_kind(state, run):
    environment_of = runs.runs()[run]
    same = {
        what: environment_of[what]
        for what in ("host", "profile", "seed", "harness", "jdk", "filesystem")
    }
    assert run_selection.run_of("04-small-values", same) == run
    other = same | {"harness": same["harness"] + 1}
    assert run_selection.run_of("04-small-values", other) is None
    assert run_selection.fresh(other) == f"{run}.2", "the same day"
    with pytest.raises(UserError, match="another harness"):
        run_selection.named(run, other)


def test_a_label_does_not_stand_for_two_processors(state, run):
    cpu = environment.cpu()
    with pytest.raises(
        UserError,
        match=(
            "test-host was measured on a processor with model .*, and here it is Abacus: call this"
            " machine otherwise with --host"
        ),
    ):
        run_selection.refuse_other_machine("test-host", cpu | {"model": "Abacus"})
    with pytest.raises(UserError, match="with caches .*, and here it is L1 1K: call"):
        run_selection.refuse_other_machine("test-host", cpu | {"caches": {"L1": "1K"}})
    run_selection.refuse_other_machine("elsewhere", cpu | {"model": "Abacus"})
    run_selection.refuse_other_machine("test-host", cpu)


def test_what_is_added_to_a_run_is_of_its_machine(state, run, monkeypatch, tmp_path):
    """Crashes and prices lie beside the trials, and the report shows them as that machine's."""
    cpu = environment.cpu()

    def chosen(run):
        return run_selection.on_this_machine(run, crashes.file)

    shutil.copytree(paths.RUNS / run, tmp_path / run)
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    assert chosen(None) == chosen(run) == run
    shutil.copytree(tmp_path / run, tmp_path / f"{run}.2")
    later = paths.RUNS / f"{run}.2" / "environment.json"
    later.write_text(later.read_text().replace(f'"{run}"', f'"{run}.2"'))
    assert chosen(None) == f"{run}.2"
    crashes.file(run).write_text("{}")
    assert chosen(None) == run, "crashes that were begun go on"
    monkeypatch.setattr(environment, "cpu", lambda: cpu | {"model": "Abacus"})
    with pytest.raises(UserError, match=f"{run} was measured on .* model .*, and here it is Abac"):
        chosen(run)
    with pytest.raises(UserError, match="Nothing was measured on this machine yet: `make section"):
        chosen(None)
    with pytest.raises(UserError, match="There is no run other"):
        chosen("other")


def test_rounds_are_shuffled_by_the_seed(state):
    known = catalog() | {"stores": {name: {"id": name, "code": name} for name in "ABCDEF"}}

    def order(seed: int) -> list[str]:
        asked = job("none", list("FEDCBA"), known, 3, seed)
        rounds = [schedule.round_of(asked, number) for number in (1, 2, 3)]
        assert [each.position for made in rounds for each in made] == list(range(1, 19))
        return ["".join(each.id for each in made) for made in rounds]

    rounds = order(1)
    assert all(sorted(each) == list("ABCDEF") for each in rounds) and len(set(rounds)) == 3
    assert order(1) == rounds != order(random.randrange(2, 1 << 31))
    for asked, made in (2, 2), (4, 3), (None, 3):
        _, missing = schedule.sort(
            job("none", list("FEDCBA"), known, 3, 1), Request(asked), launcher.set_aside
        )
        assert "".join(each.id for each in missing) == "".join(rounds[:made])


def test_a_store_whose_trial_takes_long_has_one_unless_more_are_asked_for(state, monkeypatch):
    known = catalog() | {"stores": {name: {"id": name, "code": name} for name in "AB"}}
    slow, quick = (
        {"store": {"id": name}, "seconds": seconds} for name, seconds in (("A", 601), ("B", 599))
    )
    assert [schedule.is_long(name, [slow, quick]) for name in "AB"] == [True, False]
    monkeypatch.setattr(
        schedule,
        "standing",
        lambda each, *_: slow if (each.id, each.number) == ("A", 1) else None,
    )
    for long, wanted in (False, "B1 B2 B3"), (True, "A2 A3 B1 B2 B3"):
        _, missing = schedule.sort(
            job("none", ["A", "B"], known, 3), Request(long=long), launcher.set_aside
        )
        assert " ".join(sorted(f"{each.id}{each.number}" for each in missing)) == wanted


def test_sections_say_in_their_cells_what_they_need_of_the_machine(planned):
    limit = catalog()["profiles"]["standard"]["limit_seconds"]
    standard = planned["standard"]
    assert standard["10-rocksjava"].entries == 500_000
    assert standard["10-rocksjava"].limit_seconds == limit
    assert planned["full"]["10-rocksjava"].kept_bytes == 32 * 10**9
    assert standard["07-leveldb-page"].limit_seconds > limit
    assert standard["08-threads"].files == standard["08-threads"].entries > 0
    beyond = standard[BEYOND.stem]
    assert beyond.memory_bytes == (512 << 20) + (256 << 20) + beyond.flat_bytes // 4
    assert planned["quick"][BEYOND.stem].flat_bytes == beyond.flat_bytes, "less would fit"


def test_every_need_of_the_first_page_is_measured_by_a_section(planned):
    measured = {
        (name, Case(**rows.labels(case)), workload)
        for name, made in planned["standard"].items()
        for case in made.cases
        for workload in case["workloads"]
    }
    for need in needs.needs():
        for cell in need.cells:
            for workload in cell.workloads:
                assert (cell.section, cell.case, workload) in measured, need.id


def test_a_warning_is_recorded_once_a_run(state, monkeypatch, capsys):
    full = iter(("97.5% full", "100% full"))
    monkeypatch.setattr(environment, "check", lambda *_: [f"the moon is {next(full)}"])
    conditions = run_selection.conditions_now("t", "smoke", catalog())
    warned = replace(job("warned", ["FlatFile"], catalog()), conditions=conditions)
    for _ in range(2):
        launcher.prepare_run(warned)
    assert capsys.readouterr().err.count("Warning: the moon is ") == 1, (
        "once, though every section meets it, and it grows"
    )
    recorded = records.read_environment(warned.folder / records.ENVIRONMENT)
    assert recorded["warnings"] == ["the moon is 97.5% full"]
    shutil.rmtree(warned.folder)


def test_a_work_folder_that_cannot_be_written_is_one_sentence(state, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(paths, "WORK", tmp_path / "file" / "work")
    with pytest.raises(UserError, match="cannot be written.*KVREPORT_WORK"):
        launch("FlatFile", run="new")
    assert not (state / "runs" / "new").exists()
