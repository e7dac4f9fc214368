"""Machines as they are: what they allow, where libraries can be loaded from, how their processors
and the project's version are named. Control groups and processors are planted as files.
"""

import json
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import synthetic

from kvreport import doctor
from kvreport.base import errors, paths, unpacking
from kvreport.base.errors import UserError
from kvreport.charts import frames
from kvreport.data import records
from kvreport.measure import environment, limits, processor, run_selection
from kvreport.measure.limits import Bound
from kvreport.toolchain import jdk

MB, GB = 10**6, 10**9
NO_LIMIT = str(2**63 - 4096)  # what version 1 says where there is none
CPUACCT = "2:cpuacct:/\n1:cpu,cpuacct:/\n0::/"


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """Plants the files that are given by name, on a machine of 16 GB without limits of its own."""
    memory = SimpleNamespace(total=16 * GB, available=12 * GB)
    monkeypatch.setattr(limits.psutil, "virtual_memory", lambda: memory)
    monkeypatch.setattr(limits, "OF_PROCESS", ())

    def plant(groups: str, **files: str) -> Path:
        named = {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
        named["proc/self/cgroup"] = groups
        for name, text in named.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(f"{text}\n")
        return tmp_path

    return plant


def nested(limit: str, used: str = "0", **parts: int) -> dict[str, str]:
    """The files of groups a and a/b of version 2, of which the upper one is limited."""
    stat = "\n".join(f"{name} {value}" for name, value in parts.items())
    return {
        "a/memory.max": limit,
        "a/memory.current": used,
        "a/memory.stat": stat,
        "a/b/memory.max": "max",
        "a/b/memory.current": "7",
    }


@pytest.mark.parametrize(
    ("groups", "files", "allowed", "available"),
    [
        ("0::/", {}, None, 12 * GB),  # the root has no such file
        ("0::/a/b", nested("max"), None, 12 * GB),
        (  # what is cached is given back
            "0::/a/b",
            nested("1000000000", "900000000", inactive_file=300 * MB, active_file=100 * MB, anon=5),
            GB,
            500 * MB,
        ),
        ("0::/a/b", nested("1000000000", "1000000001"), GB, 0),
        ("0::/a/b", nested("17000000000"), None, 12 * GB),  # more than there is
        ("0::/a/b", nested("2000000000") | {"a/b/memory.high": "1000000000"}, GB, GB - 7),
        (  # a container: its own group is the one that is mounted, whatever path it has outside
            "0::/docker/1f",
            {"memory.max": "1000000000", "memory.current": "1"},
            GB,
            GB - 1,
        ),
        ("0::/docker/1f/a/b", nested("1000000000"), GB, GB),  # a group within it
        ("0::/../other", {"memory.max": "1000000000"}, GB, GB),  # cannot be seen from here
        (  # version 1 counts, though version 2 is there
            f"4:memory:/x/y\n{CPUACCT}",
            {
                "memory/memory.limit_in_bytes": NO_LIMIT,
                "memory/x/memory.limit_in_bytes": "1000000000",
                "memory/x/memory.usage_in_bytes": "600000000",
                "memory/x/memory.stat": "inactive_file 1\ntotal_inactive_file 100000000",
                "memory/x/y/memory.limit_in_bytes": NO_LIMIT,
            },
            GB,
            500 * MB,
        ),
        ("", {}, None, 12 * GB),
        ("no colons", {}, None, 12 * GB),
    ],
)
def test_the_tightest_control_group_counts(planted, groups, files, allowed, available):
    root = planted(groups, **files)
    assert limits.memory_allowed(root) == allowed
    assert limits.memory_available(root) == available


def test_the_limits_of_a_process_count_too():
    code = "import resource; resource.setrlimit(resource.RLIMIT_{0}, ({1}, {1})); "
    code += "from kvreport.measure import limits; {2}"

    def said(which: str, limit: int, what: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code.format(which, limit, what)],
            cwd=paths.ROOT,
            capture_output=True,
            text=True,
        )
        return done.stdout + done.stderr

    size = 5 << 29  # of the address space, of which a JVM reserves more than half
    left = Bound(size, size - limits.RESERVED_BYTES)
    assert f"{left}" in said("AS", size, "print(limits.bounds())")
    assert "102400" in said("FSIZE", 102400, "print(limits.file_bytes())")
    few = said("NOFILE", 64, "limits.ensure_open_files()").splitlines()[-1]
    assert "At most 64 files can be open" in few and "ulimit -n" in few


def test_as_many_files_may_be_open_as_the_hard_limit_allows():
    before = soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 300), hard))
        limits.ensure_open_files()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize(
    ("which", "least", "sentence"),
    [
        ("memory_available", 2 * GB, "wants 2.0 GB of memory and 2.0 GB of 3.0 GB that the sys"),
        ("open_files", 256 + 29, "may have 285 files open and 284 can be: raise the limit"),
        ("file_bytes", 4 * GB, "may make a file of 4.0 GB and none may have more than 4.0 GB"),
        ("free disk", 4 * GB, "wants 4.0 GB of disk and the work directory's has 4.0 GB: free so"),
        ("free files", 1000, "makes 1,000 files and the disk of .* has room for 999: remove some"),
    ],
)
def test_a_section_that_does_not_fit_is_refused_in_a_sentence(
    tmp_path, monkeypatch, which, least, sentence
):
    plan = synthetic.plan(section="04", flat_bytes=GB, heap_bytes=GB, files=1000)
    there = {"free disk": 100 * GB, "free files": 1000}
    there |= dict.fromkeys(("memory_available", "open_files", "file_bytes"), 100 * GB)
    monkeypatch.setattr(paths, "WORK", tmp_path)
    monkeypatch.setattr(limits, "memory_allowed", lambda: 3 * GB)
    for name in ("memory_available", "open_files", "file_bytes"):
        monkeypatch.setattr(limits, name, lambda name=name: there[name])

    def free(_) -> SimpleNamespace:
        return SimpleNamespace(free=there["free disk"], f_favail=there["free files"])

    monkeypatch.setattr(environment.psutil, "disk_usage", free)
    monkeypatch.setattr(environment, "writable", lambda _: None)
    monkeypatch.setattr(environment.os, "statvfs", free)
    environment.refuse_full(plan)
    there[which] = least
    environment.refuse_full(plan)
    there[which] = least - 1
    with pytest.raises(UserError, match=f"Section 04 {sentence}"):
        environment.refuse_full(plan)


def test_what_a_section_keeps_and_its_stores_hold_takes_memory():
    plan = synthetic.plan(flat_bytes=GB, heap_bytes=GB)
    assert (plan.cached_bytes, plan.least_bytes) == (3 * GB, 2 * GB)
    assert replace(plan, kept_bytes=GB).least_bytes == 3 * GB
    assert replace(plan, holds_all=True).least_bytes == 4 * GB
    assert replace(plan, files=10**6).disk_bytes == GB + 4096 * 10**6


def test_a_machine_that_disturbs_is_told(tmp_path, monkeypatch):
    plan = synthetic.plan(flat_bytes=GB, heap_bytes=GB)
    disk = environment.filesystem(tmp_path) | {"is_tmpfs": False}
    monkeypatch.setattr(paths, "WORK", tmp_path)
    quiet = environment.describe_machine() | {
        "busy_before": 0.0,
        "governor": None,
        "read_ahead_kb": 128,
        "filesystem": disk,
        "limits": {"open_files": 4096, "memory_bytes": None},
    }
    quiet["cpu"] |= {"usable_threads": 2}
    disturbed = quiet | {
        "busy_before": 60.0,
        "governor": "powersave",
        "read_ahead_kb": 8192,
        "filesystem": disk | {"is_tmpfs": True, "type": "tmpfs"},
        "limits": {"open_files": 256, "memory_bytes": None},
        "cpu": quiet["cpu"] | {"usable_threads": 1},
    }
    free = {"memory": 3 * GB, "disk": 8 * GB}
    monkeypatch.setattr(environment, "clock_source", lambda: clock)
    monkeypatch.setattr(environment, "power", lambda: mains)
    monkeypatch.setattr(environment.limits, "memory_available", lambda: free["memory"])
    monkeypatch.setattr(
        environment.psutil, "disk_usage", lambda _: SimpleNamespace(free=free["disk"])
    )
    clock, mains = "tsc", None
    assert environment.check(plan, quiet) == []
    clock, mains, free = "acpi_pm", False, {"memory": 2.5 * GB, "disk": 6 * GB}
    told = environment.check(plan, disturbed)
    for words in (
        "tmpfs",
        "6.0 GB left",
        "60% of the CPUs",
        "powersave",
        "8,192 KiB ahead",
        "256 files",
        "2.5 GB of memory",
        "one CPU is usable",
        "acpi_pm",
        "battery",
    ):
        assert words in told.pop(0)
    assert not told


# --- where libraries are loaded from ---


@pytest.fixture
def noexec(tmp_path, monkeypatch):
    """Has the folders of some names lie on file systems that are mounted noexec."""
    monkeypatch.setattr(unpacking, "NOEXEC", 8)
    for name in ("WORK", "CACHE"):
        monkeypatch.setattr(paths, name, tmp_path / name)
    monkeypatch.setattr(unpacking.tempfile, "gettempdir", lambda: str(tmp_path / "TMP"))
    mounted: set[str] = set()

    def flags(folder: Path) -> SimpleNamespace:
        assert folder.exists()
        return SimpleNamespace(f_flag=8 if mounted & {*folder.parts} else 0)

    for name in ("WORK", "CACHE", "TMP"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(unpacking.os, "statvfs", flags)
    return mounted


def test_libraries_are_unpacked_where_they_can_be_loaded(noexec):
    work = paths.WORK / "of a trial"
    with unpacking.unpacking(work) as folder:
        assert folder == work and unpacking.notice() is None
    noexec.add("WORK")
    with unpacking.unpacking(work) as folder:
        assert folder.is_dir() and folder.parent == paths.CACHE / "unpacked"
        (folder / "lib.so").touch()
    assert not folder.exists()
    assert "noexec" in unpacking.notice() and "unpacked" in unpacking.notice()
    noexec.add("CACHE")
    assert unpacking.place().name == "TMP"
    noexec.add("TMP")
    with pytest.raises(UserError, match="can be loaded from none of .* noexec: set KVREPORT_WORK"):
        unpacking.place()


# --- what a JVM says ---


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (
            "#\n# There is insufficient memory for the Java Runtime Environment to continue.\n"
            "# Native memory allocation (mmap) failed to map 67108864 bytes. Error detail: x\n# An",
            "Native memory allocation (mmap) failed to map 67108864 bytes. Error detail: x",
        ),
        (
            "Picked up JAVA_TOOL_OPTIONS: -Dx=y\nError occurred during initialization of VM\n"
            "Could not reserve enough space for 2097152KB object heap\n",
            "Could not reserve enough space for 2097152KB object heap",
        ),
        (
            "Unrecognized option: -nope\nError: Could not create the Java Virtual Machine.\n"
            "Error: A fatal exception has occurred. Program will exit.",
            "Unrecognized option: -nope",
        ),
        (
            "[0.01s][warning][cds] no archive\n"
            'Exception in thread "main" java.nio.file.InvalidPathException: Malformed\n\tat a.b(C)',
            'Exception in thread "main" java.nio.file.InvalidPathException: Malformed',
        ),
        ("Picked up JAVA_TOOL_OPTIONS: -Dx=y\n", "Picked up JAVA_TOOL_OPTIONS: -Dx=y"),
        ("\n \n", "it said nothing"),
    ],
)
def test_of_what_a_jvm_says_the_cause_is_told(said, cause):
    assert jdk.first_error(said) == cause


# --- the processor ---

LSCPU = [
    {"field": "Architecture:", "data": "aarch64"},
    {"field": "Vendor ID:", "data": "ARM", "children": [
        {"field": "Model name:", "data": "Cortex-A53", "children": []},
        {"field": "Model name:", "data": "Cortex-A72"},
    ]},
    {"field": "Model name:", "data": "-"},
]  # fmt: skip


def test_a_processor_is_named_by_its_maker_or_by_lscpu(monkeypatch, tmp_path):
    monkeypatch.setattr(processor, "CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(processor, "_named_by_the_system", lambda: "as lscpu says")
    for text, name in (
        ("processor : 0\nmodel name : AMD EPYC\ncpu MHz : 2596\n\nprocessor : 1\n", "AMD EPYC"),
        ("processor : 0\nCPU implementer : 0x41\n", "as lscpu says"),
    ):
        processor.CPUINFO.write_text(text)
        assert processor.cpu()["model"] == name
    monkeypatch.setattr(processor, "_named_by_the_system", lambda: None)
    numbers = {"implementer": "0x41", "part": "0xfff", "variant": "0x0", "revision": "1"}
    processor.CPUINFO.write_text("".join(f"CPU {name} : {at}\n" for name, at in numbers.items()))
    assert processor.cpu()["model"] == "implementer 0x41 part 0xfff variant 0x0 revision 1"
    told = json.dumps({"lscpu": LSCPU})
    assert processor.named_by_lscpu(told) == "Cortex-A53 and Cortex-A72"
    assert processor.named_by_lscpu(json.dumps({"lscpu": LSCPU[::2]})) is None
    assert processor.named_by_lscpu("") is None


def test_other_programs_share_is_what_was_busy_less_what_was_this_programs():
    """And none of another's where this one uses all there is; unknown where nobody says."""
    first = {"user": 1.0, "system": 1.0, "idle": 8.0, "iowait": 0.0, "steal": 0.0}
    later = {"user": 6.0, "system": 5.0, "idle": 17.0, "iowait": 1.0, "steal": 1.0}
    before, after = (processor.Look(states, 1.0, 2.5) for states in (first, later))
    found = processor.between(before, after)  # 9 of 20 seconds were busy, half of 9 of them here
    assert found == {"stolen": 0.05, "busy_elsewhere": 0.45, "clock_ghz": [2.5, 2.5]}
    assert processor.between(before, after._replace(own=5.5))["busy_elsewhere"] == 0.225
    assert processor.between(before, after._replace(own=99))["busy_elsewhere"] == 0
    del later["steal"]
    found = processor.between(before, after._replace(ghz=None))
    assert found["stolen"] is None and found["clock_ghz"] is None
    assert processor.between(before, before)["busy_elsewhere"] is None


def test_what_this_program_and_those_it_started_used_is_its_own():
    before = processor.look()
    subprocess.run([sys.executable, "-c", "while __import__('time').process_time() < 0.35: pass"])
    assert processor.look().own - before.own >= 0.3


def test_a_processor_without_a_name_is_taken_for_no_other(monkeypatch):
    cpu = processor.cpu() | {"model": "P"}

    def differing(then, now):
        return run_selection.differing({"cpu": cpu | then}, cpu | now)

    assert not differing({}, {})
    assert not differing({"stepping": None}, {"stepping": 3}), "an older run did not record it"
    assert "model unknown, and here it is P" in differing({"model": None}, {})
    assert "and here it is unknown" in differing({}, {"model": None})
    assert "architecture arm" in differing({"model": None, "architecture": "arm"}, {"model": None})
    assert not differing({"model": None}, {"model": None}), "as its run is gone on with here"
    monkeypatch.setattr(run_selection.runs, "runs", lambda: {"a": {"cpu": cpu | {"model": None}}})
    monkeypatch.setattr(environment, "cpu", lambda: cpu | {"model": None})
    with pytest.raises(UserError, match="no name .* name the run with --run"):
        run_selection.on_this_machine(None, paths.RUNS.joinpath)
    assert run_selection.on_this_machine("a", paths.RUNS.joinpath) == "a"


# --- names that others choose ---


def test_a_run_s_name_that_no_file_system_takes_is_refused():
    with pytest.raises(OSError) as refused:
        run_selection.named("x" * 300, {})
    assert "File name too long: choose a shorter" in errors.sentence_of(refused.value)


@pytest.mark.parametrize("tag", [b"bench@1.2.3", b'"><script>alert(1)</script>`x`$#|', b"v\xff"])
def test_the_project_s_version_may_be_any_tag_that_git_takes(tmp_path, monkeypatch, tag):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    for command in (
        ["init", "-q"],
        ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x", "--allow-empty"],
        ["-c", "user.name=x", "-c", "user.email=x@x", "tag", "-m", "x", tag],
    ):
        subprocess.run(["git", "-C", tmp_path, *command], check=True)
    name = environment.revision()
    assert name == tag.decode(errors="replace")
    file = tmp_path / "a" / records.ENVIRONMENT
    records.write_record(
        file, synthetic.ENVIRONMENT | {"run": "a", "revision": name}, "environment"
    )
    shown = records.read_environment(file)["revision"]
    page = frames.shown(pd.DataFrame({"version": [shown]}))
    assert name in shown and "<script>" not in page


# --- the doctor ---


def test_the_doctor_says_what_a_run_would(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "WORK", tmp_path)
    for name, value in {
        "memory_available": 2 * GB,
        "memory_allowed": 3 * GB,
        "open_files": 300,
        "file_bytes": 4 * GB,
    }.items():
        monkeypatch.setattr(limits, name, lambda value=value: value)
    monkeypatch.setattr(unpacking, "notice", lambda: "It is mounted noexec.")
    found = [doctor.memory(), doctor.open_files(), doctor.disk(), doctor.work_directory()]
    assert {state for state, _ in found} == {doctor.NOTE}
    told = " ".join(words for _, words in found)
    for words in ("2.0 GB available, of 3.0 GB", "at most 300", "may have 4.0 GB", "noexec"):
        assert words in told
    monkeypatch.setattr(limits, "open_files", lambda: 64)
    with pytest.raises(UserError, match="At most 64 files can be open"):
        doctor.open_files()


def test_a_frame_of_which_nothing_was_measured_is_a_table_all_the_same():
    lost = pd.DataFrame({"store": [], "reason": []}).dropna(axis="columns", how="all")
    assert frames.shown(lost).count("\n") == 2 and "none was measured" in frames.shown(lost)
