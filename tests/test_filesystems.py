"""Synchronous writes by file system: where they are made, what is recorded, and what is said where
they cannot be.
"""

import pytest

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.data import extra_measurements
from kvreport.measure import filesystems
from kvreport.toolchain import catalogue


@pytest.fixture
def work(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "WORK", tmp_path / "work")
    monkeypatch.delenv(extra_measurements.OTHER_FILESYSTEM, raising=False)
    return paths.WORK


def test_each_file_system_is_taken_once_and_the_work_directorys_first(work, tmp_path, monkeypatch):
    monkeypatch.setattr(filesystems, "OPEN_TO_ALL", (str(tmp_path), "/nowhere", "/one", "/other"))
    monkeypatch.setattr(
        filesystems.tempfile,
        "TemporaryFile",
        lambda dir: open(tmp_path / "file", "w") if "nowhere" not in str(dir) else open(dir / "x"),
    )
    monkeypatch.setattr(
        filesystems.environment,
        "filesystem",
        lambda folder: {"type": "xfs", "mount": "/one" if str(folder) == "/one" else "/"},
    )
    assert [str(place) for place in filesystems.places()] == [str(work), "/one"]


def test_a_folder_that_is_named_and_cannot_be_written_is_told(work, monkeypatch):
    monkeypatch.setenv(extra_measurements.OTHER_FILESYSTEM, "/proc")
    with pytest.raises(
        UserError,
        match=(
            "KVREPORT_WORK_OTHER names /proc, which cannot be written .*: name a folder that can,"
            " or none"
        ),
    ):
        filesystems.places()


def test_the_rate_is_that_of_the_median_pass(tmp_path, monkeypatch):
    result = {"status": "ok", "iteration_ns": [9_000_000_000, 10_000_000, 40_000_000]}
    monkeypatch.setattr(filesystems, "script_results", lambda *_: [result])
    monkeypatch.setattr(filesystems.libraries, "class_path", lambda jars: "")
    store = {"runtime_options": [], "class_path": [], "main": "kv.Store"}
    settings = {"entries": 2000, "heap": "1g", "limit_seconds": 9}
    assert filesystems.rate(store, tmp_path, "smoke", settings) == {
        "entries": 20,
        "entries_per_s": 500,
        "passes": 3,
        "problem": None,
    }


@pytest.mark.jvm
def test_a_real_store_is_measured_and_leaves_nothing_and_one_without_its_library_says_why(
    work, tmp_path, monkeypatch
):
    known = catalogue.catalog()
    settings, place = known["profiles"]["smoke"], tmp_path / "place"
    place.mkdir()
    done = filesystems.rate(known["stores"]["LevelDbJni"], place, "smoke", settings)
    assert (
        done["problem"] is None
        and done["entries"] == 20
        and done["entries_per_s"] > 0
        and done["passes"] == 2
    )
    (tmp_path / "libkyotocabinet.so.16").touch()  # found before the real one, and no library
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    failed = filesystems.rate(known["stores"]["TreeDb"], place, "smoke", settings)
    assert failed == {
        "problem": "Kyoto Cabinet cannot be loaded: install the package libkyotocabinet16v5"
    }
    assert not any(place.iterdir())
