"""Which failures are the machine's and which the store's. What a real disk and a real kernel do is
in test_measure.
"""

import math
import mmap
import os
import time
from copy import deepcopy
from dataclasses import replace
from types import SimpleNamespace

import pytest
import synthetic

from kvreport.measure import environment_failure

MB, GB = 10**6, 10**9
PLAN = synthetic.plan(flat_bytes=100 * MB, heap_bytes=GB)  # 400 MB of disk, 2 GB of memory
NO_SPACE = "write: IOException: No space left on device"
SQLITE = "[SQLITE_FULL] Insertion failed (database or disk is full)"
KILLED = "the kernel died (SIGKILL, as the system does when memory runs out), after: x"


def seen(disk=math.inf, taken_disk=0, taken_memory=0) -> environment_failure.Watch:
    watch = environment_failure.Watch(None)
    watch.disk, watch.memory = disk, 5 * GB
    watch.taken_disk, watch.taken_memory = taken_disk, taken_memory
    return watch


@pytest.mark.parametrize(
    "reason, watch, limited, cause",
    [
        (NO_SPACE, seen(disk=90 * MB), False, "its disk was full, with 90 MB left"),
        (SQLITE, seen(disk=100 * MB), True, "its disk was full"),
        (NO_SPACE, seen(disk=400 * MB), False, None),  # it had what was foreseen
        ("SIGBUS", seen(disk=MB), False, "its disk was full, with 1 MB left"),
        ("SIGBUS", seen(disk=17 << 20), False, None),
        (NO_SPACE, seen(disk=0, taken_disk=401 * MB), False, None),  # took more than foreseen
        (NO_SPACE, seen(disk=0, taken_disk=400 * MB), False, "its disk was full"),
        ("IOException: Disk quota exceeded", seen(disk=GB), False, "its disk was full"),
        (KILLED, seen(), False, "its kernel was killed, or had no memory, with 5.0 GB left"),
        (KILLED, seen(), True, None),  # by the limit that it had
        (KILLED, seen(taken_memory=2 * GB), False, "and 2.0 GB its own"),
        (KILLED, seen(taken_memory=2 * GB + 1), False, None),
        ("There is insufficient memory, problematic frame", seen(), False, "its kernel was killed"),
        ("write: OutOfMemoryError: Java heap space", seen(), False, None),
        ("MDB_MAP_FULL: Environment mapsize limit reached", seen(disk=GB), False, None),
        ("wrong data: a wrong value came back", seen(), False, None),
    ],
)
def test_what_failed_for_the_machines_sake(reason, watch, limited, cause):
    plan = replace(PLAN, memory_bytes=GB if limited else None)
    found = environment_failure.why([reason], watch, plan)
    assert cause in found if cause else found is None


def test_a_spoiled_record_says_so_everywhere_and_has_no_harness():
    trial = synthetic.record("LmdbJavaBb", 1)
    marked = environment_failure.marked(deepcopy(trial), seen(disk=0), PLAN)
    assert marked == trial, "one that did not fail stands"
    case = trial["cases"][0]
    good, bad = case["results"][0], case["results"][1] | {"status": "failed", "reason": NO_SPACE}
    cases = [case | {"results": [good, bad]}]
    failed = trial | {"status": "failed", "reason": NO_SPACE, "cases": cases}
    assert environment_failure.marked(deepcopy(failed), seen(), PLAN) == failed
    marked = environment_failure.marked(failed, seen(disk=0), PLAN)
    told = f"spoiled by the machine: its disk was full, with 0 MB left ({NO_SPACE})"
    assert marked["harness"] is None and marked["reason"] == told
    assert [each["reason"] for each in marked["cases"][0]["results"]] == [None, told]


def test_the_least_that_was_left_and_the_most_that_was_taken_are_kept(tmp_path, monkeypatch):
    (tmp_path / "database").write_bytes(os.urandom(1 << 20))
    left = [50 << 20]
    monkeypatch.setattr(environment_failure, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(
        environment_failure.os,
        "statvfs",
        lambda _: SimpleNamespace(f_bavail=left[0] // 4096, f_frsize=4096),
    )
    monkeypatch.setattr(environment_failure.limits, "memory_available", lambda: 7 * GB)
    with environment_failure.watching(tmp_path) as watch:
        assert (watch.disk, watch.taken_disk) == (50 << 20, 0), "before a disk is full none is read"
        left[0] = 1 << 20
        end = time.monotonic() + 10
        while watch.disk > 1 << 20 and time.monotonic() < end:
            time.sleep(0.01)
        left[0] = 60 << 20
        time.sleep(0.1)
    assert watch.disk == 1 << 20
    assert 1 << 20 <= watch.taken_disk < 3 << 20
    assert watch.memory == 7 * GB, "what is left within the tightest limit"


def test_memory_that_a_process_has_to_itself_is_no_mapped_file(tmp_path):
    own = environment_failure.anonymous(os.getpid())
    size = 64 << 20
    (tmp_path / "mapped").write_bytes(bytes(size))
    with (
        open(tmp_path / "mapped", "rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
    ):
        assert sum(mapped[::4096]) == 0
        assert environment_failure.anonymous(os.getpid()) - own < size / 2
    kept = bytearray(os.urandom(size))
    assert size / 2 < environment_failure.anonymous(os.getpid()) - own < 2 * size and kept
    assert environment_failure.anonymous(2**22 + 1) == 0
