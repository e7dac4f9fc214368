"""The single archive of a version that stands alone, for a release page or a data archive.

It is a small image of the project: report/<version> with what versions share beside it, the records
in data/runs, a page that leads in, and SHA256SUMS, which `sha256sum -c` checks without this
project.
"""

import json
import shutil
import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.paths import shown as shown_path
from kvreport.base.scratch import scratch
from kvreport.base.text import join_words
from kvreport.data import versions
from kvreport.data.versions import SHARED, Version
from kvreport.publish.surroundings import forward, surroundings
from kvreport.publish.zipped import archive

SUMS = "SHA256SUMS"
LICENCES = "LICENSE", "LICENSE-DATA"


def bundle(name: str, output: Path | None = None) -> Path:
    """Writes a version's archive, report/<title>-<version>.zip unless `output` is given; its path.

    Raises UserError where there is no such version, or it is not whole with all its records.
    """
    if name not in versions.names():
        raise UserError(
            f"There is no version {name}; there are {join_words(versions.names()) or 'none'}."
        )
    version = Version.at(paths.REPORT / name)
    stem = f"{Path(version.verify()['pdf']).stem}-{name}"
    target = output or paths.REPORT / f"{stem}.zip"
    with scratch(paths.REPORT) as folder:
        fill(folder / stem, version)
        files = {
            file.relative_to(folder).as_posix(): file.read_bytes()
            for file in sorted((folder / stem).rglob("*"))
            if file.is_file()
        }
        archive(folder / "made.zip", files)
        shutil.move(folder / "made.zip", target)
    return target


def fill(folder: Path, version: Version) -> None:
    """Lays out what the archive of a version holds."""
    report, name = folder / "report", version.folder.name
    shutil.copytree(version.folder, report / name)
    for each in version.shared():
        _copy(version.folder.parent / SHARED / each, report / SHARED / each)
    for each in version.records():
        content = version.record(each)
        if content is None:
            raise UserError(f"{each} is not there any more, nor has git what was published of it.")
        (folder / each).parent.mkdir(parents=True, exist_ok=True)
        (folder / each).write_bytes(content)
    for file in paths.SCHEMA.glob("*"):
        _copy(file, folder / "data" / "schema" / file.name)
    for each in LICENCES:
        _copy(paths.ROOT / each, folder / each)
    surroundings(report, [report / name])
    forward(folder / "index.html", f"report/{name}/index.html", f"version {name}")
    sums = {each: of["sha256"] for each, of in versions.contents(folder).items()}
    (folder / SUMS).write_text("".join(f"{of}  {each}\n" for each, of in sums.items()))


def _copy(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)


@dataclass(frozen=True)
class Proof:
    """That a version is whole.

    remarks  on records that could not be proved, or only from git; a sentence each
    """

    manifest: dict
    remarks: list[str]


def verify(path: Path) -> Proof:
    """Proves a version whole: its folder, its archive, or the folder that one was unpacked to.
    Raises UserError, naming what is not as published.
    """
    if path.is_file():
        return _verify_archive(path)
    if (path / SUMS).is_file():
        return _verify_unpacked(path, str(path))
    return _proof(path)


def _proof(folder: Path) -> Proof:
    version = Version.at(folder)
    listed = folder.parent / "versions.json"
    if listed.is_file():
        known = {each["version"]: each for each in json.loads(listed.read_text())["versions"]}
        was = known.get(version.manifest["version"], {}).get("manifest_sha256")
        if was and was != versions.sha256(folder / versions.MANIFEST):
            raise UserError(
                f"{shown_path(folder)} is not what was published: its {versions.MANIFEST} is"
                f" another than {shown_path(listed)} lists."
            )
    return Proof(version.verify(), version.remarks())


def _verify_archive(file: Path) -> Proof:
    with tempfile.TemporaryDirectory() as folder:
        try:
            with zipfile.ZipFile(file) as packed:
                packed.extractall(folder)
        except (zipfile.BadZipFile, EOFError, zlib.error):
            raise UserError(f"{file} is no archive, or damaged: take it from a backup.") from None
        tops = list(Path(folder).iterdir())
        if len(tops) != 1 or not (tops[0] / SUMS).is_file():
            raise UserError(f"{file} is no archive of a version: it has no {SUMS}.")
        return _verify_unpacked(tops[0], str(file))


def _verify_unpacked(folder: Path, shown: str) -> Proof:
    lines = [line.partition("  ") for line in (folder / SUMS).read_text().splitlines()]
    published = {name: {"sha256": digest} for digest, _, name in lines}
    found = {
        name: {"sha256": file["sha256"]} for name, file in versions.contents(folder, SUMS).items()
    }
    if problems := list(versions.differences(published, found)):
        raise UserError(f"{shown} is not what was published: {versions.first_of(problems)}.")
    places = [file.parent for file in folder.glob(f"report/*/{versions.MANIFEST}")]
    if len(places) != 1:
        raise UserError(f"{shown} holds {len(places)} versions, and an archive holds one.")
    records = Version.at(places[0]).records()
    if lost := [f"{name} is missing" for name in records if not (folder / name).is_file()]:
        raise UserError(f"{shown} is not what was published: {versions.first_of(lost)}.")
    return _proof(places[0])
