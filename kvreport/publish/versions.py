"""Published versions: report/<date>, or report/<date>.2 and so on for revisions. A manifest proves
each whole.

Beside them lie index.html, versions.json, versions.js and latest/, which follow from the versions'
manifests alone. versions.js is what tells the reader of an older version that it is out of date
(exhibit B10).
"""

import hashlib
import html
import json
import re
import shutil
import string
from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.text import listing
from kvreport.data import editions
from kvreport.data.editions import Edition
from kvreport.data.runs import shown
from kvreport.publish import export

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
    own = hashlib.sha256(export.csv(edition).encode()).hexdigest()
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
    return Edition(told["version"], export.read(folder / RESULTS), told["about"])


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
            f"{shown(folder)} is not what was published: {listing(problems[:FIRST] + more)}."
        )
    return told


def surroundings(folder: Path, fresh: Path | None = None) -> list[str]:
    """Writes what lies beside the versions into a folder, and names it; `fresh` is a version that
    is not in its place yet.
    """
    places = {
        place.name: place
        for place in [*map(paths.REPORT.joinpath, names()), *([fresh] if fresh else [])]
    }
    known = [manifest(places[name]) for name in sorted(places, key=order, reverse=True)]
    newest = known[0]
    listed = [listing_of(told, places[told["version"]]) for told in known]
    (folder / "versions.json").write_text(
        json.dumps({"format": 1, "latest": newest["version"], "versions": listed}, indent=1) + "\n"
    )
    script = {"versions": [told["version"] for told in known], "pages": newest["pages"]}
    (folder / "versions.js").write_text(
        f"window.kvVersions = {json.dumps(script)};\n"
    )  # a script, as pages opened from disk may not fetch
    (folder / "index.html").write_text(index(listed, newest["title"]))
    for page in newest["pages"]:
        forward(
            folder / "latest" / page,
            "../" * (1 + page.count("/")) + f"{newest['version']}/{page}",
            newest["version"],
        )
    for picture in (places[newest["version"]] / PREVIEW).glob("*"):
        shutil.copyfile(picture, folder / "latest" / picture.name)
    return ["versions.json", "versions.js", "index.html", "latest"]


def listing_of(told: dict, folder: Path) -> dict:
    """What versions.json says of a version; addresses are from the folder that it is in."""
    name, about = told["version"], told["about"]
    every = [day for section in about["sections"].values() for day in section["measured"]]
    return {
        "version": name,
        "date": told["date"],
        "published": told["published"],
        "measured": [min(every), max(every)],
        **{what: about[what] for what in ("host", "jdk", "profile")},
        "sections": list(about["sections"]),
        "missing": told["missing"],
        "stores": {
            store["name"]: f"{store['library']}:{store['version']}"
            for store in about["stores"].values()
            if store["library"]
        },
        "html": f"{name}/index.html",
        "pdf": f"{name}/{told['pdf']}",
        "data": f"{name}/data/index.html",
        **{
            what: f"{name}/data/{file}"
            for what, file in (
                ("csv", "results.csv"),
                ("parquet", "results.parquet"),
                ("jmh", "jmh-result.json"),
            )
        },
        "citation": f"{name}/CITATION.cff",
        "manifest": f"{name}/{MANIFEST}",
        "manifest_sha256": sha256(folder / MANIFEST),
    }


def index(listed: list[dict], title: str) -> str:
    """The page that lists the versions."""
    return template("index.html").substitute(
        title=html.escape(title),
        versions="\n".join(
            template("version.html").substitute(
                {
                    name: html.escape(value)
                    for name, value in {
                        "version": each["version"],
                        "newest": "newest" if each is listed[0] else "out of date",
                        "html": each["html"],
                        "pdf": each["pdf"],
                        "data": each["data"],
                        "citation": each["citation"],
                        "manifest": each["manifest"],
                        "measured": editions.days(each),
                        "host": listing(each["host"]),
                        "jdk": listing(each["jdk"]),
                        "profile": listing(each["profile"]),
                        "sections": listing(each["sections"]),
                        "missing": listing(each["missing"]),
                        "stores": listing(
                            f"{name} {what.rpartition(':')[2]}"
                            for name, what in each["stores"].items()
                        ),
                    }.items()
                }
            )
            for each in listed
        ),
    )


def template(name: str) -> string.Template:
    return string.Template((paths.THEME / "versions" / name).read_text())


def forward(file: Path, address: str, name: str) -> None:
    """Writes a page that leads to an address, the part after # kept where scripts run."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        template("latest.html").substitute(
            address=html.escape(address), script=json.dumps(address), version=name
        )
    )
