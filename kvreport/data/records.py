"""Records on disk: a trial's and a run's environment, read and written.

A file that is damaged is an error, never left out in silence. There is one form; where it changes,
the records that the project keeps are migrated once.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import fastjsonschema

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import Unreadable, read_text, visible_json, write_atomically
from kvreport.base.paths import shown
from kvreport.base.text import one_line
from kvreport.data.cases import KEY_BYTES
from kvreport.data.schemas import newest_format, schema_text, store_validator, validator

ENVIRONMENT = "environment.json"
TRIAL_FORMAT, ENVIRONMENT_FORMAT = 4, 2
# an entry, of each thread: half a clock cycle. Of all that was measured the memory by itself comes
# nearest, whose loop stores or adds a length in 0.22 ns; no store took less than 1.3
LEAST_NS = 0.1
RANGE, MISS, COMPACT = "readRange", "readMiss", "compact"  # workloads that handle something else
NO_ITEMS = "contain less than or equal to 0 items", "be empty"  # in the validator's words, and ours
NA = "na"  # the status of a trial for whose store the machine lacks something


class Damaged(UserError):
    """A file of a run that is cut off, is no JSON, or is not what its schema and its name say."""

    def __init__(self, file: Path, complaint: str):
        self.file = file
        self.what = f"{shown(file)} is damaged ({one_line(complaint)})"
        remedy = (
            "delete the run"
            if file.name == ENVIRONMENT
            else "delete the file, or measure its section again, which sets it aside"
        )
        super().__init__(f"{self.what}: take it from a backup, or {remedy}.")


class Newer(Damaged):
    """A file that a newer version of this project made, of a form that is not known here."""

    def __init__(self, file: Path, schema: str, found: int):
        self.file = file
        self.what = (
            f"{shown(file)} was made by a newer version of this project (its format is {found}, and"
            f" the newest that is known here {newest_format(schema)})"
        )
        UserError.__init__(self, f"{self.what}: update the project.")


def trial_file(folder: Path, section: str, store: str, trial: int) -> Path:
    """Return where the record of a trial is, in the folder of a run."""
    return folder / section / f"{store}-{trial}.json"


def read_trial(file: Path) -> dict:
    """A trial's record. Raises Damaged."""
    record = read_record(file, "trial")
    named = trial_file(file.parents[1], record["section"], record["store"]["id"], record["trial"])
    if named != file:
        raise Damaged(file, f"it holds {named.parent.name}/{named.name}")
    if complaint := next(contradictions(record), None):
        raise Damaged(file, complaint)
    return record


def _has_its_bytes(result: dict, key: int, entry: int) -> bool:
    """Return whether a result has the bytes of its entries: which may be ranges, each of several,
    or keys of which none was there; where it has no passes it has those of the case.
    """
    entries, handled = result["entries"], result["user_bytes"]
    if result["iteration_ns"] and result["workload"] == MISS:
        return handled == entries * key
    if result["workload"].startswith(RANGE):
        return handled >= entries * entry and handled % (entries * entry) == 0
    return handled == entries * entry


def contradictions(trial: dict) -> Iterator[str]:
    """Return what a trial's record says that cannot be, though each part of it could, a few words
    each.
    """
    seen: list[tuple] = []
    for case in trial["cases"]:
        seen.append(tuple(case[name] for name in ("keys", "order", "value_bytes", "content")))
        seen[-1] += (tuple(sorted(case["settings"].items())),)
        if seen[-1] in seen[:-1]:
            yield "a case stands in it twice"
        workloads = [result["workload"] for result in case["results"]]
        if len(set(workloads)) < len(workloads):
            yield "a workload stands twice in a case"
        if case["key_bytes"] != KEY_BYTES[case["keys"]]:
            yield f"{case['keys']} keys of {case['key_bytes']} bytes"
        entry = case["key_bytes"] + case["value_bytes"]
        if case["flat_bytes"] != case["entries"] * entry:
            yield f"{case['entries']:,} entries of {entry:,} bytes in {case['flat_bytes']:,} bytes"
        for result in case["results"]:
            if not _has_its_bytes(result, case["key_bytes"], entry):
                yield f"its {result['workload']} has other bytes than its entries have"
            threads = int(case["settings"].get("threads", 1))
            least = LEAST_NS * result["entries"] / threads
            if result["workload"] != COMPACT and any(ns < least for ns in result["iteration_ns"]):
                yield f"its {result['workload']} is faster than memory: {LEAST_NS} ns an entry"
    if (trial["status"] == "ok") != (trial["reason"] is None):
        yield "it failed without a reason, or has one and did not fail"


def unavailable(trials: Iterable[dict]) -> list[tuple[str, str]]:
    """The stores of these trials that the machine lacked something for, by name, each with what
    that is.
    """
    return sorted(
        {each["store"]["name"]: each["reason"] for each in trials if each["status"] == NA}.items()
    )


def is_void(trial: dict) -> bool:
    """Return whether a trial says nothing of its store: its kernel did not start, or the machine
    spoiled it.
    """
    return trial["status"] == "failed" and trial["harness"] is None


def read_environment(file: Path) -> dict:
    """A run's environment; its name is its folder's, which may have been renamed since. Raises
    Damaged.
    """
    return read_record(file, "environment") | {"run": file.parent.name}


def read_record(file: Path, schema: str) -> dict:
    """A record. Raises Damaged. One in data/runs that was found good is not validated again, as
    every chapter reads every trial: .cache/valid has the hash of its content and its schema.
    """
    try:
        text = read_text(file)
        noted = paths.CACHE / "valid" / _digest(text, schema)
        if noted.exists():
            return visible_json(text, proved=True)
        record = visible_json(text)
    except Unreadable as problem:
        raise Damaged(file, str(problem)) from None
    refuse_newer(file, record, schema)
    if complaint := what_is_wrong(record, schema):
        raise Damaged(file, complaint)
    if file.is_relative_to(paths.ROOT):
        noted.parent.mkdir(parents=True, exist_ok=True)
        noted.touch()
    return record


def _digest(text: str, schema: str) -> str:
    return hashlib.sha256((schema_text(schema) + text).encode()).hexdigest()


def refuse_newer(file: Path, content: Any, schema: str) -> None:
    """Raises Newer where a file's format is higher than any that is known here."""
    found = content.get("format") if isinstance(content, dict) else None
    if isinstance(found, int) and found > newest_format(schema):
        raise Newer(file, schema, found)


def write_record(file: Path, record: dict, schema: str) -> None:
    """Writes a record whole or not at all, and only when its schema ("trial", "environment")
    accepts it.
    """
    complaint = what_is_wrong(record, schema)
    if complaint:
        raise ValueError(f"{file.name} is not written: {complaint}")
    write_atomically(file, json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def what_is_wrong(record: dict, schema: str) -> str | None:
    """Return what a schema finds wrong with a record; None where it accepts it."""
    return _complaint(validator(schema), record)


def what_is_wrong_with_store(described: dict) -> str | None:
    """The same of what a store says of itself, and no record may hold."""
    return _complaint(store_validator(), described)


def _complaint(validate: Callable[[dict], dict], content: dict) -> str | None:
    try:
        validate(content)
    except fastjsonschema.JsonSchemaValueException as complaint:
        return str(complaint.message).replace(*NO_ITEMS)[:160].replace("data", "it", 1)
    return None
