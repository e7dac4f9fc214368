"""Published versions: report/<date>, or report/<date>.2 and so on for revisions, proved and read.

A manifest proves each whole. Since format 2 a version holds what is its own: scripts, fonts and
styles lie in report/shared, and the trials' records stay where the project has them, in data/runs;
the manifest names both by their SHA-256. A version of format 1 holds all of it itself.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import Unreadable, kind_of, read_json, read_text
from kvreport.base.paths import shown
from kvreport.base.text import count, join_words, one_line
from kvreport.data import repository, results_table
from kvreport.data.editions import Edition
from kvreport.data.records import refuse_newer, what_is_wrong

MANIFEST, SHARED, RUNS = "manifest.json", "shared", "data/runs"
LATEST = "latest"  # beside the versions, a folder that leads to the newest
LISTED = "versions.json"  # beside the versions: what there is, and each manifest's SHA-256
RESULTS = "data/results.csv.gz", "data/results.csv"  # of format 2, and of format 1
NAME = re.compile(r"(\d{4}-\d\d-\d\d)(?:\.([2-9]|[1-9]\d+))?")
A_VERSION = "a version is a folder such as report/2026-11-21, or its archive"
FIRST = 5  # how many damaged files a sentence names


@dataclass(frozen=True)
class Version:
    """A version, wherever its folder is.

    folder  of its pages; what versions share is beside it
    root    of the project, or of the archive, that the records' paths begin at
    """

    folder: Path
    root: Path

    @classmethod
    def at(cls, folder: Path) -> "Version":
        """The version whose folder is given, in its place in a project or an archive."""
        folder = folder.absolute()
        return cls(folder, folder.parent.parent)

    @cached_property
    def manifest(self) -> dict:
        """See `manifest`."""
        return manifest(self.folder)

    def shared(self) -> dict[str, dict]:
        """Return what it shares with other versions: size and SHA-256 by name."""
        return self.manifest.get("shared", {})

    def records(self) -> dict[str, dict]:
        """The records that it does not hold itself: size, SHA-256 and the name of git's object, by
        their path from the project's root.
        """
        return self.manifest.get("records", {})

    def record(self, name: str) -> bytes | None:
        """A record as it was published, from its place or from git's history; None where it is in
        neither.
        """
        wanted, file = self.records()[name], self.root / name
        if kind_of(file) is None and sha256(file) == wanted["sha256"]:
            return file.read_bytes()
        content = repository.content_of(wanted["git"], self.root)
        whole = content is not None and hashlib.sha256(content).hexdigest() == wanted["sha256"]
        return content if whole else None

    def remarks(self) -> list[str]:
        """Return what of the records could not be proved, or only from git; a sentence each."""
        if not self.records_are_here():
            return [
                f"Its {count(len(self.records()), 'record')} are not here and were not checked."
            ]
        changed = [
            name
            for name, was in self.records().items()
            if sha256(self.root / name) != was["sha256"]
        ]
        return (
            [f"As git has it, since it changed in its place: {first_of(changed)}."]
            if changed
            else []
        )

    def records_are_here(self) -> bool:
        """Return whether the records can be looked at: not where the report alone was copied to."""
        return not self.records() or (self.root / RUNS).is_dir()

    def verify(self) -> dict:
        """Proves it whole and returns its manifest; records that are not here are left out. Raises
        UserError, naming the files that are not as published.
        """
        if problems := list(self._problems()):
            raise UserError(
                f"{shown(self.folder)} is not what was published: {first_of(problems)}."
            )
        return self.manifest

    def _problems(self) -> Iterator[str]:
        if self.manifest["version"] != self.folder.name:
            yield f"it is version {self.manifest['version']} under another name"
        yield from differences(self.manifest["files"], contents(self.folder, MANIFEST))
        shared = self.folder.parent / SHARED
        beside = {name: shared / name for name in self.shared() if os.path.lexists(shared / name)}
        found = {name: size_and_sha256(file) for name, file in beside.items()}
        yield from (f"{SHARED}/{each}" for each in differences(self.shared(), found))
        for name in self.records() if self.records_are_here() else ():
            if self.record(name) is None:
                lost = not os.path.lexists(self.root / name)
                yield f"{name} {'is missing' if lost else 'has changed'}, and git has it no more"


def differences(published: dict[str, dict], found: dict[str, dict]) -> Iterator[str]:
    """Return what is not as it was published, a few words each; `found` as `contents` has it."""
    for name in dict.fromkeys([*published, *found]):
        if name not in found:
            yield f"{name} is missing"
        elif "kind" in found[name]:
            yield f"{name} is {found[name]['kind']}"
        elif name not in published:
            yield f"{name} was not published"
        elif found[name] != published[name]:
            yield f"{name} has changed"


def first_of(problems: list[str]) -> str:
    """The first of some problems, and how many more there are."""
    more = [f"{len(problems) - FIRST} more"] if len(problems) > FIRST else []
    return join_words(problems[:FIRST] + more)


def names() -> list[str]:
    """The versions that are published, newest first. Raises UserError for a folder of that name
    without a manifest: a version that lost it is not passed over in silence.
    """
    folders = [each for each in paths.REPORT.glob("*") if NAME.fullmatch(each.name)]
    for folder in folders:
        if not os.path.lexists(folder / MANIFEST):
            raise _without_manifest(folder)
    return sorted((each.name for each in folders), key=order, reverse=True)


def order(name: str) -> tuple[str, int]:
    """By date, then by revision. Raises ValueError for what is no version's name."""
    parts = NAME.fullmatch(name)
    if parts is None:
        raise ValueError(f"{name} is no version's name")
    return parts[1], int(parts[2] or 1)


def load_version(folder: Path) -> Edition:
    """The edition that a version published. Raises UserError when its manifest or its results are
    damaged.
    """
    published = manifest(folder)
    name = next(each for each in RESULTS if each in published["files"])
    file = folder / name
    if sha256(file) != published["files"][name]["sha256"]:
        raise UserError(f"{shown(file)} is not what was published: take it from a backup.")
    try:
        rows = results_table.read_table(file)
    except Unreadable as problem:
        raise UserError(f"{shown(file)} is damaged ({problem}): take it from a backup.") from None
    return Edition(published["version"], rows, published["about"])


def earlier_than(edition: Edition) -> list[str]:
    """The published versions that are of other measurements than an edition, newest first. What is
    said against them stays the same when the edition is published, and when its text is revised.
    """
    own = results_sha256(edition)
    manifests = {name: manifest(paths.REPORT / name) for name in names()}
    return [
        name
        for name, of in manifests.items()
        if (of.get("results") or of["files"][RESULTS[-1]]["sha256"]) != own
    ]


def results_sha256(edition: Edition) -> str:
    """Return what editions of the same measurements have in common: the SHA-256 of all results."""
    return hashlib.sha256(results_table.as_csv(edition.rows).encode()).hexdigest()


def manifest(folder: Path) -> dict:
    """A version's manifest, as data/schema/manifest.schema.json has it: `about` is as in Edition;
    since format 2 `results` is its `results_sha256`. Raises UserError where one byte of it changed,
    where it says what no manifest can, and where a newer version made it.
    """
    file = folder / MANIFEST
    if not os.path.lexists(file):
        raise _without_manifest(folder)
    try:
        found = read_json(file)
        refuse_newer(file, found, "manifest")
        complaint = _what_is_wrong_with(found, read_text(file))
    except Unreadable as problem:
        complaint = str(problem)
    if complaint:
        raise UserError(
            f"{shown(file)} is damaged ({one_line(complaint)}), so nothing can be said of its"
            " version: take it from a backup."
        )
    return found


def _without_manifest(folder: Path) -> UserError:
    name = shown(folder)
    if not os.path.lexists(folder):
        return UserError(f"There is no {name}: {A_VERSION}.")
    remedy = "Take it from a backup, or move it away"
    if not NAME.fullmatch(folder.name):
        remedy = A_VERSION[:1].upper() + A_VERSION[1:]
    return UserError(f"{name} is no published version: it has no {MANIFEST}. {remedy}.")


def _what_is_wrong_with(found: dict, text: str) -> str | None:
    if complaint := what_is_wrong(found, "manifest"):
        return complaint
    if written({name: value for name, value in found.items() if name != "sha256"}) != text:
        return "its own SHA-256 is that of another"
    if not set(RESULTS) & found["files"].keys():
        return "it names no results"
    lost = [name for name in (found["pdf"], *found["pages"]) if name not in found["files"]]
    return f"{lost[0]} is none of its files" if lost else None


def listed_manifests(folder: Path) -> dict[str, str] | None:
    """The SHA-256 of each version's manifest, by the version's name, as the list beside some
    versions has it; None where there is no list. Raises UserError.
    """
    return _listed(folder, "versions", "manifest_sha256")


def withdrawn(folder: Path) -> dict[str, str]:
    """The versions that are no longer in a folder, newest first, each with the commit that has it.
    Raises UserError.
    """
    return _listed(folder, "withdrawn", "commit") or {}


def _listed(folder: Path, part: str, what: str) -> dict[str, str] | None:
    file = folder / LISTED
    if not os.path.lexists(file):
        return None
    try:
        listed = read_json(file)[part]
        return {each["version"]: str(each[what]) for each in listed}
    except Unreadable as problem:
        complaint = str(problem)
    except (KeyError, TypeError):
        complaint = f"it has no {part} with a {what} each"
    raise UserError(f"{shown(file)} is damaged ({complaint}): take it from a backup.")


def refuse_withdrawn(name: str) -> None:
    """Raises UserError where a version is withdrawn, saying how to have it again."""
    if commit := withdrawn(paths.REPORT).get(name):
        raise UserError(
            f"Version {name} is withdrawn; commit {commit[:12]} has it:"
            f" `git worktree add ../{name} {commit[:12]}` shows the project as it was."
        )


def written(content: dict) -> str:
    """A manifest as text, with its own SHA-256 in it."""
    own = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    return json.dumps(content | {"sha256": own}, indent=1) + "\n"


def contents(folder: Path, *left_out: str) -> dict[str, dict]:
    """Every file in a folder but those left out, with its size and SHA-256, and what else is there
    that is no folder, such as a link, which leads elsewhere later on.
    """
    found = {
        file.relative_to(folder).as_posix(): file
        for file in sorted(folder.rglob("*"))
        if file.is_symlink() or not file.is_dir()
    }
    return {name: size_and_sha256(file) for name, file in found.items() if name not in left_out}


def size_and_sha256(file: Path) -> dict:
    """A file's size and SHA-256, as a manifest has them; of what is no file its `kind`."""
    if kind := kind_of(file):
        return {"kind": kind}
    return {"bytes": file.stat().st_size, "sha256": sha256(file)}


def sha256(file: Path) -> str | None:
    """A file's SHA-256; None where there is none."""
    if not file.is_file():
        return None
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
