"""The limit on a command's memory: it holds where it can be had, and where it cannot a sentence
says why.
"""

import os
import subprocess
import sys

import pytest

from kvreport.measure import memory
from kvreport.toolchain.catalogue import catalog
from kvreport.toolchain.jdk import find_jdk

ROOM = """import kv.store.MemoryHeadroom;
public class Told { public static void main(String[] args) {
    System.out.println(MemoryHeadroom.holds(300 << 20) + " " + MemoryHeadroom.holds(500 << 20) + " "
        + (MemoryHeadroom.outsideHeap(1L << 40) >> 20) + " "
        + (MemoryHeadroom.onHeap(1L << 40) >> 20));
} }"""
TAKES = "x = bytearray({} << 20); print('survived')"


def ends(size: int, takes: int) -> tuple[int, str]:
    """How a program ends that takes so many MiB where it may have `size`."""
    with memory.limited(size << 20) as before:
        done = subprocess.run(
            [*before, sys.executable, "-c", TAKES.format(takes)], capture_output=True, text=True
        )
    return done.returncode, done.stdout.strip()


@pytest.mark.skipif(
    memory.why_not() is not None, reason=f"memory cannot be limited here: {memory.why_not()}"
)
def test_a_command_has_the_memory_that_it_is_given_and_no_more():
    assert ends(100, 30) == (0, "survived")
    code, said = ends(100, 300)
    assert code != 0 and said == ""
    assert not list(memory.GROUPS.glob(f"*/kvreport-{os.getpid()}-*")), "nothing of it stays"


@pytest.mark.jvm
@pytest.mark.skipif(
    memory.why_not() is not None, reason=f"memory cannot be limited here: {memory.why_not()}"
)
def test_stores_size_their_caches_by_the_memory_of_their_group(tmp_path):
    (tmp_path / "Told.java").write_text(ROOM)
    with memory.limited(512 << 20) as before:
        done = subprocess.run(
            [
                *before,
                find_jdk().java,
                "-XX:+UseG1GC",
                "-Xmx128m",
                "-cp",
                os.pathsep.join(catalog()["stores"]["FlatFile"]["class_path"]),
                tmp_path / "Told.java",
            ],
            capture_output=True,
            text=True,
        )
    assert done.stdout.split() == ["true", "false", "96", "32"], done.stderr


def test_without_control_groups_a_sentence_says_what_was_tried(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "GROUPS", tmp_path)
    monkeypatch.setattr(memory.shutil, "which", lambda _: None)
    with (
        pytest.raises(
            memory.NotLimited,
            match="no control group with a memory limit can be made here.*systemd-run is not there",
        ),
        memory.limited(1 << 30),
    ):
        raise AssertionError("there was one")
    assert list(tmp_path.iterdir()) == []
