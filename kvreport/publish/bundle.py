"""The single archive of a version that stands alone, for a release page or a data archive.

It is a small image of the project: report/<version> with what versions share beside it, the
records in data/runs, its source, a page that leads in, and SHA256SUMS, which `sha256sum -c` checks
without this project.
"""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import Unreadable, read_text
from kvreport.base.paths import shown as shown_path
from kvreport.base.scratch import scratch
from kvreport.base.text import count, join_words
from kvreport.data import versions
from kvreport.data.versions import SHARED, Version
from kvreport.publish import source
from kvreport.publish.version_index import forward, surroundings
from kvreport.publish.zipped import archive, unpack

SUMS = "SHA256SUMS"
LICENCES = "LICENSE", "LICENSE-DATA"


def bundle(name: str, output: Path | None = None) -> Path:
    """Writes a version's archive, report/<title>-<version>.zip unless `output` is given; its path.

    Raises UserError where there is no such version, or it is not whole with all its records.
    """
    versions.refuse_withdrawn(name)
    if name not in versions.names():
        raise UserError(
            f"There is no version {name}; there are {join_words(versions.names()) or 'none'}."
        )
    version = Version.at(paths.REPORT / name)
    stem = f"{Path(version.verify()['pdf']).stem}-{name}"
    target = output or paths.REPORT / f"{stem}.zip"
    if not target.exists() and not target.parent.is_dir():
        raise UserError(
            f"There is no folder {target.parent} for the archive: make it, or name another."
        )
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
    if content := source.archive_of(version):
        (folder / source.ARCHIVE).write_bytes(content)
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

    sha256   of its manifest's file
    listed   whether the list of versions beside it has that, too
    remarks  on records that could not be proved, or only from git; a sentence each
    """

    manifest: dict
    sha256: str
    listed: bool
    remarks: list[str]

    def sentences(self) -> list[str]:
        """Return what is proved, and what is not."""
        files, shared, records = (
            self.manifest.get(name, {}) for name in ("files", "shared", "records")
        )
        parts = [count(len(files), "file"), f"{len(shared)} shared" if shared else ""]
        parts += [count(len(records), "record") if records else ""]
        listed = f", which {versions.LISTED} lists" if self.listed else ""
        return [
            f"whole: {join_words(filter(None, parts))} as published on"
            f" {self.manifest['published']}, by its {versions.MANIFEST}{listed}.",
            *self.remarks,
            "This does not prove who published it, nor that its figures are right: who changes all"
            f" of it writes another {versions.MANIFEST}. The SHA-256 of this one is {self.sha256};"
            " compare it with what you have from elsewhere.",
        ]


def verify(path: Path) -> Proof:
    """Proves a version whole: its folder, its archive, the folder that one was unpacked to, or the
    newest that a folder `latest` leads to. Raises UserError, naming what is not as published.
    """
    if path.is_file():
        return _verify_archive(path)
    if (path / SUMS).is_file():
        return _verify_unpacked(path, str(path))
    path = path.absolute()
    if path.name == versions.LATEST and (listed := versions.listed_manifests(path.parent)):
        path = path.with_name(max(listed, key=versions.order))
    return _proof(path)


def _proof(folder: Path) -> Proof:
    version = Version.at(folder)
    known = versions.listed_manifests(folder.parent) or {}
    published = version.verify()
    was, found = known.get(published["version"]), versions.sha256(folder / versions.MANIFEST)
    if was and was != found:
        raise UserError(
            f"{shown_path(folder)} is not what was published: its {versions.MANIFEST} is another"
            f" than {shown_path(folder.parent / versions.LISTED)} lists."
        )
    remarks = version.remarks()
    if known and not was:
        remarks.append(f"{shown_path(folder.parent / versions.LISTED)} does not list it.")
    return Proof(published, found or "", was is not None, remarks)


def _verify_archive(file: Path) -> Proof:
    with tempfile.TemporaryDirectory() as folder:
        unpack(file, Path(folder))
        tops = list(Path(folder).iterdir())
        if len(tops) != 1 or not (tops[0] / SUMS).is_file():
            raise UserError(f"{file} is no archive of a version: it has no {SUMS}.")
        return _verify_unpacked(tops[0], str(file))


def _verify_unpacked(folder: Path, shown: str) -> Proof:
    try:
        lines = [line.partition("  ") for line in read_text(folder / SUMS).splitlines()]
    except Unreadable as problem:
        raise UserError(f"{shown}: its {SUMS} is damaged ({problem}).") from None
    published = {name: {"sha256": digest} for digest, _, name in lines}
    found = versions.contents(folder, SUMS)
    for each in found.values():
        each.pop("bytes", None)  # which the sums do not have
    if problems := list(versions.differences(published, found)):
        raise UserError(f"{shown} is not what was published: {versions.first_of(problems)}.")
    places = [file.parent for file in folder.glob(f"report/*/{versions.MANIFEST}")]
    if len(places) != 1:
        raise UserError(f"{shown} holds {len(places)} versions, and an archive holds one.")
    records = Version.at(places[0]).records()
    if lost := [f"{name} is missing" for name in records if not (folder / name).is_file()]:
        raise UserError(f"{shown} is not what was published: {versions.first_of(lost)}.")
    return _proof(places[0])
