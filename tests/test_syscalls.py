"""Whether durable loads are told from others by the system calls that they make."""

import json
import os
import shutil
from pathlib import Path

import pytest

from kvreport.data import extra_measurements
from kvreport.measure import syscalls
from kvreport.toolchain import catalogue

TRACE = """\
100 openat(AT_FDCWD</home>, "/w/db/data.mdb", O_RDWR|O_CREAT|O_CLOEXEC, 0644) = 11</w/db/data.mdb>
100 openat(AT_FDCWD</home>, "/w/db/meta.mdb", O_RDWR|O_DSYNC|O_CLOEXEC) = 12</w/db/meta.mdb>
100 pwrite64(11</w/db/data.mdb>, "..."..., 4096, 0) = 4096
100 pwrite64(12</w/db/meta.mdb>, "..."..., 120, 4096) = 120
101 fdatasync(11</w/db/data.mdb> <unfinished ...>
101 <... fdatasync resumed>) = 0
100 fsync(3</elsewhere/log>) = 0
100 msync(0x7f0000000000, 4096, MS_ASYNC) = 0
100 msync(0x7f0000000000, 4096, MS_SYNC) = 0
"""


def test_only_calls_that_wait_for_the_stores_own_files_count():
    assert syscalls.calls(TRACE, Path("/w")) == {
        "fdatasync": 1,
        "msync": 1,
        syscalls.DURABLE_WRITE: 1,
    }


@pytest.mark.jvm
@pytest.mark.skipif(
    not shutil.which("strace") and not os.environ.get("CI"), reason="strace is not installed"
)
@pytest.mark.parametrize(
    "settings, calls_a_load",
    [
        ({}, 0),
        ({"sync": "on", "writeMap": "off"}, 8),
        ({"sync": "on", "batch": "1"}, 402),
    ],
)
def test_a_real_store_syncs_when_it_is_asked_to_and_only_then(settings, calls_a_load):
    """LMDB syncs data and meta page: in a transaction that makes the database, and in each that
    writes.
    """
    found = syscalls.count(catalogue.catalog()["stores"]["LwjglLmdb"], settings)
    assert found["problem"] is None and sum(found["calls"].values()) == pytest.approx(
        calls_a_load, abs=2 if calls_a_load else 0
    ), found
    assert (
        extra_measurements.calls_per_write(found) == sum(found["calls"].values()) / found["entries"]
    )


def test_without_strace_the_run_says_which_package_to_install_and_keeps_what_was_counted(
    tmp_path, monkeypatch
):
    file, trial = (
        tmp_path / "counts.json",
        {
            "store": {"id": "S", "code": "c"},
            "cases": [{"settings": {}, "results": [{"status": "ok"}]}],
        },
    )
    monkeypatch.setattr(syscalls.runs, "load", lambda *_: type("Run", (), {"trials": [trial]}))
    monkeypatch.setattr(extra_measurements, "syscalls_file", lambda *_: file)
    monkeypatch.setattr(syscalls.shutil, "which", lambda _: None)
    syscalls.measure_syscalls("01-lmdb-settings", "r", {"stores": {"S": {}}})
    assert (
        "install the package strace"
        in extra_measurements.syscalls("r", "01-lmdb-settings")["problem"]
    )
    counted = {"problem": None, "counts": {"S": {"code": "older", "cases": []}}}
    file.write_text(json.dumps(counted))
    syscalls.measure_syscalls("01-lmdb-settings", "r", {"stores": {"S": {}}})
    assert json.loads(file.read_text()) == counted
