"""Machines as they are: what they allow, where libraries can be loaded from, how their processors
and the project's version are named. Control groups and processors are planted as files.
"""

import resource
import subprocess
import sys
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
V1 = "31 23 0:32 {top} /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"
V2 = "30 23 0:26 {top} /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate"
UNIFIED = "38 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw"
NO_LIMIT = str(2**63 - 4096)  # what version 1 says where there is none
CPUACCT = "2:cpuacct:/\n1:cpu,cpuacct:/\n0::/"


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """Plants the files that are given by name, on a machine of 16 GB without limits of its own."""
    memory = SimpleNamespace(total=16 * GB, available=12 * GB)
    monkeypatch.setattr(limits.psutil, "virtual_memory", lambda: memory)
    monkeypatch.setattr(limits, "OF_PROCESS", ())

    def plant(groups: str, mounts: str, **files: str) -> Path:
        named = {"proc/self/cgroup": groups, "proc/self/mountinfo": mounts}
        named |= {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
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
    ("groups", "mounts", "files", "allowed", "available"),
    [
        ("0::/", V2.format(top="/"), {}, None, 12 * GB),  # the root has no such file
        ("0::/a/b", V2.format(top="/"), nested("max"), None, 12 * GB),
        ("0::/a/b", V2.format(top="/"), nested("1000000000"), GB, GB),
        (  # what is cached is given back
            "0::/a/b",
            V2.format(top="/"),
            nested("1000000000", "900000000", inactive_file=300 * MB, active_file=100 * MB, anon=5),
            GB,
            500 * MB,
        ),
        ("0::/a/b", V2.format(top="/"), nested("1000000000", "1000000001"), GB, 0),
        ("0::/a/b", V2.format(top="/"), nested("17000000000"), None, 12 * GB),  # more than there is
        (
            "0::/a/b",
            V2.format(top="/"),
            nested("2000000000") | {"a/b/memory.high": "1000000000"},
            GB,
            GB - 7,
        ),
        (  # a container's view: its own group is the one that is mounted
            "0::/",
            V2.format(top="/"),
            {"memory.max": "1000000000", "memory.current": "1"},
            GB,
            GB - 1,
        ),
        (  # without a namespace: below the mount lies what it says of the whole machine's tree
            "0::/docker/1f/b",
            V2.format(top="/docker/1f"),
            {"memory.max": "1000000000", "b/memory.max": "2000000000"},
            GB,
            GB,
        ),
        (  # a group that cannot be seen from where this is
            "0::/../other",
            V2.format(top="/"),
            {"memory.max": "1000000000"},
            GB,
            GB,
        ),
        (
            f"4:memory:/x/y\n{CPUACCT}",
            f"{UNIFIED}\n{V1.format(top='/')}",
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
        (  # version 1 counts, though version 2 is there
            f"4:memory:/docker/1f\n{CPUACCT}",
            f"{UNIFIED}\n{V1.format(top='/docker/1f')}",
            {"memory/memory.limit_in_bytes": "500000000"},
            500 * MB,
            500 * MB,
        ),
        ("", "", {}, None, 12 * GB),
        ("no colons", V2.format(top="/") + "\n31 23\n - \n- cgroup2", {}, None, 12 * GB),
    ],
)
def test_the_tightest_control_group_counts(planted, groups, mounts, files, allowed, available):
    root = planted(groups, mounts, **files)
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
    ],
)
def test_a_section_that_does_not_fit_is_refused_in_a_sentence(
    tmp_path, monkeypatch, which, least, sentence
):
    need = environment.Need("04", flat=GB, heap=GB)
    monkeypatch.setattr(paths, "WORK", tmp_path)
    monkeypatch.setattr(limits, "memory_allowed", lambda: 3 * GB)
    for name in ("memory_available", "open_files", "file_bytes"):
        monkeypatch.setattr(limits, name, lambda: 100 * GB)
    environment.refuse_full(need)
    monkeypatch.setattr(limits, which, lambda: least)
    environment.refuse_full(need)
    monkeypatch.setattr(limits, which, lambda: least - 1)
    with pytest.raises(UserError, match=f"Section 04 {sentence}"):
        environment.refuse_full(need)


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

ARM = """processor\t: {0}
BogoMIPS\t: 243.75
Features\t: fp asimd evtstrm aes
CPU implementer\t: {1}
CPU architecture: 8
CPU variant\t: 0x{2}
CPU part\t: {3}
CPU revision\t: {4}
"""


@pytest.mark.parametrize(
    ("cpuinfo", "name"),
    [
        (ARM.format(0, "0x41", 3, "0xd0c", 1), "ARM Neoverse-N1 r3p1"),
        (ARM.format(0, "0xc0", 0, "0xac3", 0), "Ampere part 0xac3 r0p0"),
        (ARM.format(0, "0x99", 1, "0x1", 2), "implementer 0x99 part 0x1 r1p2"),
        (
            "\n".join(
                ARM.format(core, "0x41", 1, "0xd03" if core < 2 else "0xd08", 4)
                for core in range(4)
            )
            + "\nHardware\t: BCM2711\nModel\t\t: Raspberry Pi 4",
            "ARM Cortex-A53 r1p4 and ARM Cortex-A72 r1p4",
        ),
        ("processor : 0\nmodel name : AMD EPYC\ncpu MHz : 2596\n\nprocessor : 1\n", "AMD EPYC"),
        ("processor : 0\ncpu : POWER9, altivec supported\n", "POWER9, altivec supported"),
        ("processor : 0\nflags : fpu\n", None),
        ("", None),
    ],
)
def test_a_processor_is_named_by_its_maker_and_part(cpuinfo, name, monkeypatch, tmp_path):
    (tmp_path / "cpuinfo").write_text(cpuinfo)
    monkeypatch.setattr(processor, "CPUINFO", tmp_path / "cpuinfo")
    assert processor.cpu()["model"] == name


def test_other_programs_share_is_what_was_busy_less_what_was_this_programs(tmp_path, monkeypatch):
    """And none of another's where this one uses all there is."""
    stat = tmp_path / "stat"
    monkeypatch.setattr(processor, "STAT", stat)
    monkeypatch.setattr(processor, "TICK_SECONDS", 0.01)
    used = iter([1.0, 1.5, 9.9])
    monkeypatch.setattr(processor, "own_seconds", lambda: next(used))
    looks = []
    for line in ("10 0 10 80 0 0 0 0", "60 10 40 170 10 10 0 0", "60 10 40 270 10 10 0 0"):
        stat.write_text(f"cpu  {line} 0 0\n")
        looks.append(processor.look())
    # 100 of 200 ticks were busy, half of them here
    assert processor.between(*looks[:2])["busy_elsewhere"] == 0.25
    assert processor.between(*looks[1:])["busy_elsewhere"] == 0


def test_what_this_program_and_those_it_started_used_is_its_own():
    before = processor.own_seconds()
    subprocess.run([sys.executable, "-c", "while __import__('time').process_time() < 0.3: pass"])
    assert processor.own_seconds() - before >= 0.3


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
    records.write(file, synthetic.ENVIRONMENT | {"run": "a", "revision": name}, "environment")
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
