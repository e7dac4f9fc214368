"""What killed programs leave is removed, and what running ones use is not."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kvreport.base import files, locks, paths
from kvreport.base.scratch import remove_leftovers, scratch

HOLDS = """
import pathlib, sys, time
from kvreport.base import locks, scratch
place = pathlib.Path(sys.argv[1])
handle, partial = locks.create(place, ".record.json-", ".tmp")
with scratch.scratch(place) as folder:
    (folder / "database").write_text("half")
    print(folder, partial, flush=True)
    time.sleep(60)
"""


@contextmanager
def holder(place: Path) -> Iterator[tuple[subprocess.Popen, Path, Path]]:
    """A program that has a scratch folder and an unfinished file, with the two."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, place],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(paths.ROOT)},
    ) as process:
        try:
            assert process.stdout
            folder, partial = map(Path, process.stdout.readline().split())
            yield process, folder, partial
        finally:
            process.kill()


def clean(place: Path) -> set[str]:
    """What is left of a place once leftovers are removed."""
    remove_leftovers(place)
    files.remove_partials(place)
    return {file.name for file in place.rglob("*")}


def test_what_a_killed_program_leaves_is_removed_and_not_before(tmp_path):
    with holder(tmp_path) as (process, folder, partial):
        used = {folder.name, f"{folder.name}.lock", "database", partial.name}
        assert clean(tmp_path) == used
        with scratch(tmp_path) as other:
            assert clean(tmp_path) == used | {other.name, f"{other.name}.lock"}
        process.kill()
        process.wait()
        assert clean(tmp_path) == set()


def test_a_folder_without_a_lock_and_a_file_without_one_are_leftovers(tmp_path):
    (tmp_path / f".kvreport-{os.getpid()}-abc" / "work").mkdir(parents=True)  # of an older version
    (tmp_path / "section").mkdir()
    (tmp_path / "section" / ".FlatFile-1.json-77.tmp").touch()  # of a JVM, whose launcher is gone
    (tmp_path / "mine").mkdir()
    (tmp_path / ".kvreport-link").symlink_to(tmp_path / "mine")
    assert clean(tmp_path) == {"section", "mine", ".kvreport-link"}


def test_a_lock_that_is_taken_for_abandoned_before_it_is_had_is_made_again(tmp_path, monkeypatch):
    first, flock = [], locks.fcntl.flock

    def late(handle: int, how: int) -> None:
        if not first:
            first.extend(tmp_path.iterdir())
            first[0].unlink()
        flock(handle, how)

    monkeypatch.setattr(locks.fcntl, "flock", late)
    handle, file = locks.create(tmp_path, ".", ".lock")
    os.close(handle)
    assert list(tmp_path.iterdir()) == [file] != first


def test_many_at_once_in_one_place_take_nothing_from_each_other(tmp_path):
    broken = []

    def work() -> None:
        for _ in range(50):
            with scratch(tmp_path) as folder:
                file = folder / "file"
                files.write_atomically(file, "whole")
                files.remove_partials(tmp_path)
                if file.read_text() != "whole":
                    broken.append(file)

    def noted() -> None:
        try:
            work()
        except OSError as problem:
            broken.append(problem)

    threads = [threading.Thread(target=noted) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not broken and not any(tmp_path.iterdir())


@pytest.mark.parametrize("mask, mode", [(0o022, 0o644), (0o007, 0o660), (0o077, 0o600)])
def test_files_have_the_users_usual_permissions(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        files.write_atomically(tmp_path / "file", "text")
        with scratch(tmp_path) as folder:
            assert folder.stat().st_mode & 0o777 == mode | (mode & 0o444) >> 2
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == mode


def test_a_file_that_cannot_be_written_leaves_the_old_one_and_nothing_else(tmp_path, monkeypatch):
    file = tmp_path / "file"
    files.write_atomically(file, "old")
    with pytest.raises(UnicodeEncodeError):
        files.write_atomically(file, "\ud800")
    assert file.read_text() == "old" and list(tmp_path.iterdir()) == [file]
