"""Published versions: report/<date>, or report/<date>.2 and so on for revisions, proved and read.

A manifest proves each whole.
"""

import hashlib
import json
import re
from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.paths import shown
from kvreport.base.text import join_words
from kvreport.data import results_table
from kvreport.data.editions import Edition

MANIFEST, RESULTS, PREVIEW = "manifest.json", "data/results.csv", "preview"
NAME = re.compile(r"(\d{4}-\d\d-\d\d)(?:\.([2-9]|[1-9]\d+))?")
FIRST = 5  # how many damaged files a sentence names


def names() -> list[str]:
    """The versions that are published, newest first."""
    return sorted(
        (
            file.parent.name
            for file in paths.REPORT.glob(f"*/{MANIFEST}")
            if NAME.fullmatch(file.parent.name)
        ),
        key=order,
        reverse=True,
    )


def order(name: str) -> tuple[str, int]:
    """By date, then by revision."""
    date, revision = NAME.fullmatch(name).groups()
    return date, int(revision or 1)


def earlier(edition: Edition) -> list[str]:
    """The published versions that are of other measurements than an edition, newest first. What is
    said against them stays the same when the edition is published, and when its text is revised.
    """
    own = hashlib.sha256(results_table.csv(edition).encode()).hexdigest()
    return [
        name for name in names() if manifest(paths.REPORT / name)["files"][RESULTS]["sha256"] != own
    ]


def load(folder: Path) -> Edition:
    """The edition that a version published. Raises UserError when its manifest or its results are
    damaged.
    """
    told = manifest(folder)
    if sha256(folder / RESULTS) != told["files"][RESULTS]["sha256"]:
        raise UserError(
            f"{shown(folder / RESULTS)} is not what was published: take it from a backup."
        )
    return Edition(told["version"], results_table.read(folder / RESULTS), told["about"])


def manifest(folder: Path) -> dict:
    """A version's manifest: format, version, date, published (UTC), engine, title, pdf, pages,
    missing (sections), about (as in Edition), files (bytes and sha256 by path) and sha256, that of
    the manifest without it. Raises UserError where one byte of it changed.
    """
    file = folder / MANIFEST
    if not file.exists():
        raise UserError(f"{shown(folder)} is no published version: it has no {MANIFEST}.")
    try:
        content = file.read_bytes()
        told = json.loads(content)
        whole = (
            written({name: value for name, value in told.items() if name != "sha256"}).encode()
            == content
        )
    except (ValueError, AttributeError):
        whole = False
    if not whole:
        raise UserError(
            f"{shown(file)} is damaged, so nothing can be said of its version: take it from a"
            " backup."
        )
    return told


def written(told: dict) -> str:
    """A manifest as text, with its own SHA-256 in it."""
    return (
        json.dumps(
            told | {"sha256": hashlib.sha256(json.dumps(told).encode()).hexdigest()}, indent=1
        )
        + "\n"
    )


def contents(folder: Path) -> dict[str, dict]:
    """Every file in a folder but the manifest, with its size and SHA-256."""
    return {
        file.relative_to(folder).as_posix(): {"bytes": file.stat().st_size, "sha256": sha256(file)}
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file != folder / MANIFEST
    }


def sha256(file: Path) -> str | None:
    """A file's SHA-256; None where there is none."""
    if not file.is_file():
        return None
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def verify(folder: Path) -> dict:
    """Proves a version whole and returns its manifest. Raises UserError, naming the files that are
    not as published.
    """
    told, found = manifest(folder), contents(folder)
    problems = [f"{name} is missing" for name in told["files"] if name not in found]
    problems += [
        f"{name} has changed"
        for name, was in told["files"].items()
        if name in found and found[name] != was
    ]
    problems += [f"{name} was not published" for name in found if name not in told["files"]]
    if problems:
        more = [f"{len(problems) - FIRST} more files differ"] if len(problems) > FIRST else []
        raise UserError(
            f"{shown(folder)} is not what was published: {join_words(problems[:FIRST] + more)}."
        )
    return told
