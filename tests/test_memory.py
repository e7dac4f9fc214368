"""The limit on a command's memory: it holds where it can be had, and where it cannot a sentence says why."""

import os
import subprocess
import sys

import pytest

from kvreport import memory

TAKES = "x = bytearray({} << 20); print('survived')"


def ends(size: int, takes: int) -> tuple[int, str]:
    """How a program ends that takes so many MiB where it may have `size`."""
    with memory.limited(size << 20) as before:
        done = subprocess.run([*before, sys.executable, "-c", TAKES.format(takes)], capture_output=True, text=True)
    return done.returncode, done.stdout.strip()


@pytest.mark.skipif(memory.why_not() is not None, reason=f"memory cannot be limited here: {memory.why_not()}")
def test_a_command_has_the_memory_that_it_is_given_and_no_more():
    assert ends(100, 30) == (0, "survived")
    code, said = ends(100, 300)
    assert code != 0 and said == ""
    assert not list(memory.GROUPS.glob(f"*/kvreport-{os.getpid()}-*")), "nothing of it stays"


def test_without_control_groups_a_sentence_says_what_was_tried(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "GROUPS", tmp_path)
    monkeypatch.setattr(memory.shutil, "which", lambda _: None)
    with pytest.raises(memory.NotLimited, match="no control group with a memory limit can be made here.*systemd-run is not there"), memory.limited(1 << 30):
        raise AssertionError("there was one")
    assert list(tmp_path.iterdir()) == []
