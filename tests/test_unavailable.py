"""A library, a platform or a JDK that this machine lacks is n/a, with its reason, and no failure;
what a store does wrong is one.
"""

import json
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
import synthetic
from crash_records import kept, store

from kvreport.base import paths
from kvreport.crash import record as crash_records
from kvreport.crash import reopenings, replay
from kvreport.crash.selection import Wanted
from kvreport.data import crashes, extra_measurements, records, runs
from kvreport.measure import filesystems, launcher, log, schedule, section, trial
from kvreport.measure.outcome import Outcome
from kvreport.measure.schedule import Request
from kvreport.toolchain import availability, catalogue

SECTION = "90-lacking"
INSTALL = "install the package"
RUN = "2026-01-02-lab"
CELLS = (
    "import kv.cli.*;\nimport kv.store.*;\nimport kv.trial.*;",
    'var notebook = Notebook.of("smoke");',
    f'var section = Section.of("{SECTION}").cases(List.of("write", "readKey"),'
    " CaseSpec.each(List.of(KeyKind.values()), List.of(Order.SEQUENTIAL, Order.RANDOM),"
    " notebook.profile().entries, 100));",
    "notebook.measure(section);",
    'var shown = display(notebook.results(section), "text/markdown");',
)


# --- what is said, and what stands ---


@pytest.mark.parametrize(
    "words, reason",
    [
        ("X.java:1: error: ';' expected", None),
        ("[ERROR] Could not find artifact org.x:engine:jar:1.0 in central", None),
        (
            "bad class file: Engine.class\n class file has wrong version 66.0, should be 61.0",
            "needs JDK 22 or newer, and this is 17",
        ),
        (
            "The following artifacts could not be resolved: org.x:y:jar:natives-linux-sparc9:3"
            " (absent): Could not find artifact org.x:y:jar:natives-linux-sparc9:3 in central",
            "its library org.x:y:jar:natives-linux-sparc9:3 cannot be had",
        ),
        (
            "[ERROR] Could not read artifact descriptor for org.x:y-osx64:jar:0.4.7",
            "its library org.x:y-osx64:jar:0.4.7 cannot be had",
        ),
    ],
)
def test_a_build_that_fails_for_what_is_missing_is_told_from_a_wrong_script(
    words, reason, monkeypatch
):
    monkeypatch.setattr(availability, "find_jdk", lambda: SimpleNamespace(feature=17))
    assert availability.of_build("X", words) == reason
    monkeypatch.setattr(availability, "here", lambda: "linux-arm64")
    of_vendor = "its vendor has no native code for linux-arm64"
    told = availability.of_build("LmdbJni", words)
    assert told == (of_vendor if reason and "library" in reason else reason)


def test_a_script_of_a_later_java_is_not_built(tmp_path, monkeypatch):
    monkeypatch.setattr(availability, "find_jdk", lambda: SimpleNamespace(feature=17))
    here, later = tmp_path / "Here.java", tmp_path / "Later.java"
    here.write_text("//JAVA 17+\n// //JAVA 99\n")
    later.write_text("//JAVA 22+\n")
    assert availability.newer_java([here]) is None
    assert availability.newer_java([here, later]) == "needs JDK 22 or newer, and this is 17"


@pytest.fixture
def job(tmp_path, monkeypatch) -> schedule.Job:
    """A section of one trial of TreeDB, which is n/a, and one of LmdbJava."""
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    made = synthetic.job(tmp_path, 1, ("LmdbJavaBb", "TreeDb"), unavailable={"TreeDb": INSTALL})
    whole = synthetic.record("LmdbJavaBb", 1) | {"harness": 1}
    store = whole["store"] | {"code": ""}
    records.write_record(made.trial("LmdbJavaBb", 1, 1).file, whole | {"store": store}, "trial")
    launcher.make_trial(made.trial("TreeDb", 1, 2), made.known, print)
    return made


def test_what_is_na_stands_until_the_machine_has_it_and_is_no_failure(job, monkeypatch):
    moved = []
    recorded, missing = schedule.sort(
        job, Request(retry_failed=True), lambda *why: moved.append(why)
    )
    assert [each["status"] for each in recorded] == ["ok", "na"] and not missing and not moved
    outcome = Outcome()
    outcome.add(RUN, recorded)
    assert not outcome.complaints() and outcome.unavailable() == [("TreeDb", INSTALL)]
    job.known["unavailable"] = {"TreeDb": None}
    recorded, missing = schedule.sort(job, Request(), lambda *why: moved.append(why))
    assert [each.id for each in missing] == ["TreeDb"]
    [(file, suffix, why)] = moved
    assert (file.name, suffix) == ("TreeDb-1.json", "old") and INSTALL in why


def test_each_cell_of_what_is_na_has_its_reason(job):
    frame = runs.load(RUN).frame
    rows = frame[frame["store"] == "TreeDb"]
    assert len(rows) == len(frame[frame["store"] == "LmdbJavaBb"])
    assert set(zip(rows["status"], rows["reason"])) == {("na", INSTALL)}


def test_only_a_trial_that_measured_nothing_may_be_na(job):
    each = job.trial("TreeDb", 1, 2)
    good, failed = synthetic.record("TreeDb", 1), trial.blank(each, trial.datetime.now(trial.UTC))
    failed |= {"reason": "NoClassDefFoundError: Could not initialize class stores.X, after: x"}

    def nobody():
        pytest.fail("asked")

    assert trial.na_where(nobody, each, good)["status"] == "ok"
    died = failed | {"reason": "the kernel died (SIGSEGV), before the first result"}
    assert trial.na_where(nobody, each, died)["status"] == "failed"
    assert trial.na_where(lambda: None, each, failed)["status"] == "failed"
    assert trial.na_where(lambda: INSTALL, each, failed)["reason"] == INSTALL
    assert records.read_trial(each.file)["status"] == "na"


def test_beside_the_trials_it_is_na_too_as_long_as_it_is_missing(job, monkeypatch):
    """And so it was tried only when the machine has it."""
    monkeypatch.setattr(filesystems, "places", lambda: [Path("/")])
    monkeypatch.setattr(
        filesystems.environment, "filesystem", lambda _: synthetic.ENVIRONMENT["filesystem"]
    )
    asked = []
    rate = {"entries": 1, "entries_per_s": 2.0, "passes": 1, "problem": None}
    monkeypatch.setattr(filesystems, "rate", lambda store, *_: asked.append(store["id"]) or rate)
    of_plan = SimpleNamespace(section=synthetic.SECTION, filesystems=["TreeDb"])
    known = job.known | {"profiles": {"smoke": {}}}
    for _ in range(2):
        filesystems.measure_filesystems(of_plan, RUN, known)
    [kept] = extra_measurements.filesystems(RUN, synthetic.SECTION)["rates"]
    assert kept["problem"] == f"n/a: {INSTALL}" and not asked
    file = job.trial("TreeDb", 1, 2).file
    found = synthetic.record("TreeDb", 1)
    records.write_record(file, found | {"harness": 1}, "trial")
    filesystems.measure_filesystems(of_plan, RUN, known)
    [kept] = extra_measurements.filesystems(RUN, synthetic.SECTION)["rates"]
    assert kept["problem"] is None and asked == ["TreeDb"]


def test_crashes_commits_and_recoveries_of_what_is_missing_are_na(tmp_path, monkeypatch, capsys):
    subject = store("A", "on", kill=[])
    known = subject["store"]
    subject["store"] = known | {"engine": "unknown"}
    run = kept(tmp_path, monkeypatch, subject)
    monkeypatch.setattr(crash_records, "described", lambda _: known)
    of = {"id": "A", "name": "A", "code": "c", "settings": {"sync": "x"}, "family": "B+ tree"}
    here = Wanted(of, "on", crashes.KILL, 1)
    lacking = Wanted(of | {"missing": INSTALL}, "on", crashes.KILL, 1)
    monkeypatch.setattr(reopenings, "reopened", lambda *_: ([0.1], False))
    for each, problem in ((lacking, f"n/a: {INSTALL}"), (here, None)):
        reopenings.record_reopenings(run, [each])
        reopenings.record_reopenings(run, [each])
        [subject] = crashes.read_crashes(run)["subjects"]
        assert [one["problem"] for one in subject["reopenings"]] == [problem] * 3
        assert (subject["store"] == known) == (each is here), "its engine is asked when it is there"
        assert crash_records.entry_of(crashes.begun(run), each)["problem"] == problem
    crash_records.record_crashes(run, [lacking])
    [subject] = crashes.read_crashes(run)["subjects"]
    assert subject["crashes"]["kill"]["problem"] == f"n/a: {INSTALL}"
    assert crash_records.entry_of(crashes.begun(run), here)["problem"] is None
    assert replay.replay_seed([lacking], 7) == [] and INSTALL in capsys.readouterr().err


# --- stores that lack something, in kernels ---


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    """Where a launcher under test has all to itself, and its section."""
    state = tmp_path_factory.mktemp("lacking")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    notebook.metadata.language_info = {"name": "java"}
    (state / "measure").mkdir()
    nbformat.write(notebook, state / "measure" / f"{SECTION}.ipynb")
    broken = state / "Broken.java"
    broken.write_text("package stores;\npublic class Broken { int }\n")
    planted = ["Lacking", "LacksAtOnce", "Newer", "WrongBytes"]
    mine = [broken, *(paths.ROOT / "tests" / "stores" / f"{each}.java" for each in planted)]
    (state / "scripts").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "CATALOG", state / "catalog.json")
        known = catalogue.catalog(mine)
        for name, place in (
            ("RUNS", "runs"),
            ("WORK", "work"),
            ("CACHE", "cache"),
            ("MEASURE", "measure"),
        ):
            patch.setattr(paths, name, state / place)
        yield SimpleNamespace(place=state, known=json.dumps(known), patch=patch)


def launch(state, *ids: str, rounds: int) -> Outcome:
    request, known = Request(rounds=rounds), json.loads(state.known)
    return launcher.measure(known, "90", "smoke", stores=list(ids), host="lab", request=request)


@pytest.mark.jvm
def test_whatever_is_missing_is_na_and_measured_once_it_is_there(state, monkeypatch):
    known = json.loads(state.known)
    assert list(known["failed"]) == ["Broken"] and "error:" in known["failed"]["Broken"]
    ids = ["Lacking", "LacksAtOnce", "Newer"]
    outcome = launch(state, "Broken", "WrongBytes", *ids, rounds=1)
    assert {each["store"]["id"] for each in outcome.failed} == {"Broken", "WrongBytes"}
    native = "its native code does not load here: "
    reasons = dict(outcome.unavailable())
    assert reasons.keys() == {"Lacking", "LacksAtOnce", "Newer"}
    assert reasons.pop("Newer").startswith("needs JDK 99 or newer, and this is ")
    assert all(f"{native}no no-such-library in" in each for each in reasons.values())

    [run] = outcome.runs
    recorded = {each["store"]["id"]: each for each in runs.load(run).trials}
    lacking = recorded["Lacking"]
    assert (lacking["status"], lacking["processes"]) == ("na", 1) and not lacking["output"]
    by_case = {
        (case["keys"], case["order"]): {result["reason"] for result in case["results"]}
        for case in lacking["cases"]
    }
    assert len(by_case) == 4 and all(native in each for found in by_case.values() for each in found)
    [unlinked] = by_case["string", "sequential"]
    [other] = by_case["string", "random"]
    assert "unlinked" in unlinked and "lib.so: " in other
    frame = runs.load(run).frame
    assert set(frame[frame["store"].isin(ids)]["status"]) == {"na"}
    assert len(frame[frame["store"] == "Newer"]) == len(frame[frame["store"] == "Lacking"]) == 8

    shown = json.loads(log.executed(section.find_section("90")).read_text())
    printed = json.dumps([cell["outputs"] for cell in shown["cells"]])
    for name, reason in outcome.unavailable():
        assert printed.count(f"{name}, n/a: {reason[:40]}") == 1
    assert printed.count("no-such-library") == 2, "of two stores, once each"

    monkeypatch.setattr(launcher, "write_logs", lambda _: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            trial, "measure_trial", lambda each, _: pytest.fail(f"{each.id} was measured")
        )
        again = launch(state, *ids, rounds=2)
    assert again.runs == [run] and [len(again.na), len(again.failed)] == [6, 0]
    assert again.unavailable() == outcome.unavailable()

    library = state.place / "library"
    library.touch()
    monkeypatch.setenv("KVREPORT_LIBRARY", str(library))
    there = launch(state, *ids, rounds=1)
    assert there.runs == [run] and not there.failed
    assert [name for name, _ in there.unavailable()] == ["LacksAtOnce", "Newer"]
    first = runs.load(run).frame.query("store == 'Lacking' and trial == 1")
    assert first["status"].tolist() == ["ok"] * 8
