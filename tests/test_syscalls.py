"""Whether durable loads are told from others by the system calls that they make."""

import json
import os
import shutil
from pathlib import Path

import pytest

from kvreport import stores, syscalls
from kvreport.errors import UserError

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
    assert syscalls.calls(TRACE, Path("/w")) == {"fdatasync": 1, "msync": 1, syscalls.DURABLE_WRITE: 1}


@pytest.mark.skipif(not shutil.which("strace") and not os.environ.get("CI"), reason="strace is not installed")
@pytest.mark.parametrize("settings, waits", [({}, False), ({"sync": "on"}, True), ({"sync": "on", "writeMap": "off"}, True)])
def test_a_real_store_syncs_when_it_is_asked_to_and_only_then(settings, waits):
    found = syscalls.count(stores.catalog()["stores"]["LwjglLmdb"], settings)
    assert found["problem"] is None and bool(found["calls"]) == waits, found


def test_counts_that_are_damaged_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(syscalls, "counts_file", lambda *_: tmp_path / "counts.json")
    (tmp_path / "counts.json").write_text('{"counts": ')
    with pytest.raises(UserError, match="counts.json is damaged .*delete it"):
        syscalls.load("r", "01-lmdb-settings")


def test_without_strace_the_run_says_which_package_to_install_and_keeps_what_was_counted(tmp_path, monkeypatch):
    file, trial = tmp_path / "counts.json", {"store": {"id": "S"}, "code": "c", "cases": [{"settings": {}, "results": [{"status": "ok"}]}]}
    monkeypatch.setattr(syscalls.runs, "load", lambda *_: type("Run", (), {"trials": [trial]}))
    monkeypatch.setattr(syscalls, "counts_file", lambda *_: file)
    monkeypatch.setattr(syscalls.shutil, "which", lambda _: None)
    syscalls.record("01-lmdb-settings", "r", {"stores": {"S": {}}})
    assert "install the package strace" in syscalls.load("r", "01-lmdb-settings")["problem"]
    counted = {"problem": None, "counts": {"S": {"code": "older", "cases": []}}}
    file.write_text(json.dumps(counted))
    syscalls.record("01-lmdb-settings", "r", {"stores": {"S": {}}})
    assert json.loads(file.read_text()) == counted
