"""What a run keeps of crashes, made up for tests."""

import json
from pathlib import Path

import pytest

from kvreport.base import paths
from kvreport.crash import record
from kvreport.data import crashes

WELL = {"failed": None, "reason": None, "lost": 0, "holes": 0, "torn": 0, "wrong": 0}
WELL |= {"example": None, "recovered": False, "acknowledged": 300}


def group(**found) -> dict:
    groups: list[dict] = []
    record.add_try(groups, 7, WELL | found)
    return groups[0]


def store(id: str, sync: str | None, **tries: list[tuple[int, dict]]) -> dict:
    """A subject as a run keeps it, with so many tries that ended as is said, by kind."""
    of = {"name": f"{id} DB", "family": "B+ tree", "colour": "#112233"}
    of |= {"library": "a:b", "version": "1", "engine": "b 1"}
    entries = {}
    for kind, ends in tries.items():
        groups: list[dict] = []
        for count, found in ends:
            for seed in range(count):
                record.add_try(groups, seed, WELL | found)
        made = sum(count for count, _ in ends)
        entries[kind] = {"transactions": 300, "value_bytes": 100, "tries": made}
        entries[kind] |= {"problem": None, "found": groups}
    return {"id": id, "sync": sync, "code": "c", "store": of, "how": "x", "crashes": entries}


def written(*subjects: dict) -> dict:
    return {"format": 1, "subjects": list(subjects)}


def kept(folder: Path, patched: pytest.MonkeyPatch, *subjects: dict) -> str:
    """The name of a run, in a folder of its own, that keeps those subjects."""
    patched.setattr(paths, "RUNS", folder)
    (folder / "run").mkdir()
    crashes.file("run").write_text(json.dumps(written(*subjects)))
    return "run"
