"""What is measured beside a run's trials, damaged: one sentence with the file's name, and no
wait.
"""

import json

import damage
import pytest

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.data import crashes, extra_measurements

RUN, SECTION = "2026-01-02-lab", "07-leveldb-page"
CODE = "ab" * 32
COUNTED = {"settings": {"sync": "on"}, "calls": {"fsync": 3}, "problem": None}
DISK = {"type": "ext4", "device": "/dev/vda", "mount": "/", "is_tmpfs": False}
RATE = {"filesystem": DISK, "store": "Sqlite", "code": CODE, "entries": 10, "passes": 1}
LMDB = {"code": CODE, "name": "LMDB", "colour": "#1d6ec7", "family": "B+ tree"}
WAYS = {"jmh": {"write": [1.5, 2]}}
CHECKED = {"keys": "int", "order": "random", "value_bytes": 100, "entries": 5}
GOOD = {
    "plan": {"format": 1, "section": SECTION, "stores": ["Sqlite", "LmdbJavaBb"]},
    "syscalls": {
        "problem": None,
        "counts": {"Sqlite": {"code": CODE, "cases": [COUNTED | {"entries": 9, "loads": 1}]}},
    },
    "filesystems": {"rates": [RATE | {"entries_per_s": 1.5, "problem": None}]},
    "crosscheck": {
        "format": 2,
        "profile": "quick",
        "jmh": "1.37",
        "rounds": 2,
        "code": CODE,
        "cases": [CHECKED],
        "stores": {"LmdbJavaBb": LMDB | {"cases": [WAYS]}},
    },
}


def read(kind):
    own = () if kind == "crosscheck" else (SECTION,)
    return getattr(extra_measurements, kind)(RUN, *own)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The good files, by kind."""
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    (tmp_path / RUN).mkdir()
    found = {
        kind: getattr(extra_measurements, f"{kind}_file")(
            RUN, *(() if kind == "crosscheck" else (SECTION,))
        )
        for kind in GOOD
    }
    for kind, file in found.items():
        file.write_text(json.dumps(GOOD[kind]))
        assert read(kind)
    return found


@pytest.mark.parametrize("kind", GOOD)
@pytest.mark.parametrize("harm", damage.ANY_JSON.values(), ids=damage.ANY_JSON)
def test_a_side_file_that_is_none_is_refused_by_name(files, kind, harm):
    harm(files[kind])
    with pytest.raises(UserError, match=rf"{kind}\.json is damaged \(.+\): delete it, and"):
        read(kind)


@pytest.mark.parametrize("kind", GOOD)
def test_a_side_file_of_a_newer_version_is_not_called_damaged(files, kind):
    damage.with_values(format=99)(files[kind])
    with pytest.raises(UserError, match=rf"{kind}\.json .*newer version.*: update"):
        read(kind)


def of_case(**values):
    return damage.edited(lambda it: it["counts"]["Sqlite"]["cases"][0].update(values))


def of_rate(**values):
    return damage.edited(lambda it: it["rates"][0].update(values))


def of_disk(**values):
    return damage.edited(lambda it: it["rates"][0]["filesystem"].update(values))


def of_store(**values):
    return damage.edited(lambda it: it["stores"]["LmdbJavaBb"].update(values))


SHAPES = {
    "plan": {
        "a store is a path": damage.with_values(stores=["../x"]),
        "a store is a number": damage.with_values(stores=[1]),
        "stores are a text": damage.with_values(stores="Sqlite"),
        "another format": damage.with_values(format=0),
        "another section": damage.with_values(section="08-threads"),
        "a name that is not known": damage.with_values(more=1),
    },
    "syscalls": {
        "counts are a list": damage.with_values(counts=[]),
        "cases are none": damage.edited(lambda it: it["counts"]["Sqlite"].pop("cases")),
        "a code is a list": damage.edited(lambda it: it["counts"]["Sqlite"].update(code=[])),
        "a store is markup": damage.replaced(b'"Sqlite"', b'"<b>"'),
        "nothing was loaded": of_case(loads=0),
        "entries are a text": of_case(entries="9"),
        "calls are negative": of_case(calls={"fsync": -1}),
        "calls are a list": of_case(calls=["fsync"]),
        "a setting is a number": of_case(settings={"sync": 1}),
        "a problem is a number": of_case(problem=1),
        "another section": damage.with_values(section="08-threads"),
    },
    "filesystems": {
        "rates are an object": damage.with_values(rates={}),
        "a rate is zero": of_rate(entries_per_s=0),
        "a rate is a text": of_rate(entries_per_s="1"),
        "a rate is missing": damage.edited(lambda it: it["rates"][0].pop("entries_per_s")),
        "a store is a list": of_rate(store=[]),
        "a mount is a list": of_disk(mount=["/"]),
        "is_tmpfs is a text": of_disk(is_tmpfs="no"),
    },
    "crosscheck": {
        "stores are a list": damage.with_values(stores=[]),
        "rounds are missing": damage.without("rounds"),
        "rounds are negative": damage.with_values(rounds=-1),
        "a colour is markup": of_store(colour="red'><script>"),
        "a time is zero": of_store(cases=[{"jmh": {"write": [0]}}]),
        "times are a number": of_store(cases=[{"jmh": {"write": 1}}]),
        "a workload is markup": of_store(cases=[{"jmh": {"<b>": [1]}}]),
        "a way is not known": of_store(cases=[{"other": {"write": [1]}}]),
        "a store has no case": of_store(cases=[]),
        "a store has a case more": of_store(cases=[{}, {}]),
        "cases are none": damage.with_values(cases=[]),
        "a case has no size": damage.edited(lambda it: it["cases"][0].pop("value_bytes")),
        "keys are of another kind": damage.edited(lambda it: it["cases"][0].update(keys="<b>")),
        "a name is empty": of_store(name=""),
    },
}


@pytest.mark.parametrize(
    ("kind", "what"), [(kind, what) for kind, table in SHAPES.items() for what in table]
)
def test_a_side_file_of_the_wrong_shape_is_refused_by_name(files, kind, what):
    SHAPES[kind][what](files[kind])
    with pytest.raises(UserError, match=rf"{kind}\.json is damaged \(.+\): delete it, and"):
        read(kind)


def test_a_side_file_that_is_not_there_is_none(files):
    for file in files.values():
        file.unlink()
    assert read("plan") is None and read("crosscheck") is None
    assert read("syscalls")["counts"] == {} and read("filesystems")["rates"] == []


def test_all_side_files_of_the_project_are_read():
    found = [file for file in paths.RUNS.glob("*/*.json") if file.name != "environment.json"]
    for file in found:
        section, _, kind = file.stem.rpartition(".")
        read = crashes.read_crashes if kind == "crashes" else getattr(extra_measurements, kind)
        assert read(file.parent.name, *([section] if section else []))
    assert len(found) >= 9
