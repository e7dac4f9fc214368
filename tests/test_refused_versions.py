"""Versions and archives that are damaged, or made to deceive: one sentence that names what is
wrong, nothing unpacked beside its folder, and no wait.
"""

import contextlib
import gzip
import hashlib
import json
import os
import shutil
import stat
import zipfile

import damage
import pytest
from click.testing import CliRunner

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.cli import main
from kvreport.data import results_table, versions
from kvreport.publish import bundle, zipped

NAME = "2026-11-24"  # a published version, of which the tests keep a small part
FILES = "index.html", "CITATION.cff", "data/index.html"
ROWS = 200  # of its results
SHA = hashlib.sha256(b"").hexdigest()
OTHER = {"version": "2026-11-23", "manifest_sha256": SHA}  # listed beside it


@pytest.fixture
def version(tmp_path):
    """A small version, and a list of versions beside it."""
    published, folder = paths.REPORT / NAME, tmp_path / "report" / NAME
    (folder / "data").mkdir(parents=True)
    for name in FILES:
        shutil.copy(published / name, folder / name)
    table = (published / "data" / "results.csv").read_text().splitlines(keepends=True)[:ROWS]
    (folder / "data" / "results.csv").write_text("".join(table))
    content = versions.manifest(published)
    (folder / content["pdf"]).write_bytes(b"%PDF")
    content |= {"files": versions.contents(folder), "pages": ["index.html"]}
    del content["sha256"]
    (folder / versions.MANIFEST).write_text(versions.written(content))
    listed = {"version": NAME, "manifest_sha256": versions.sha256(folder / versions.MANIFEST)}
    (folder.parent / versions.LISTED).write_text(json.dumps({"versions": [OTHER, listed]}))
    return folder


def rewrite(folder, change):
    """Changes a manifest and lets it prove itself, as who forges one would."""
    manifest = json.loads((folder / versions.MANIFEST).read_text())
    del manifest["sha256"]
    change(manifest)
    (folder / versions.MANIFEST).write_text(versions.written(manifest))
    (folder.parent / versions.LISTED).unlink(missing_ok=True)


# --- the manifest ---


@pytest.mark.parametrize("harm", damage.ANY_JSON.values(), ids=damage.ANY_JSON)
def test_a_manifest_that_is_none_is_refused_by_name(version, harm):
    harm(version / versions.MANIFEST)
    refused_by_all(version, r"manifest\.json is damaged \(.+\), so nothing")


def refused_by_all(version, sentence):
    for read in (versions.load_version, bundle.verify):
        with pytest.raises(UserError, match=sentence):
            read(version)


def lead(*where):
    """Gives a file of the manifest a name that leads elsewhere."""
    return lambda it: it["files"].update({name: {"bytes": 0, "sha256": SHA} for name in where})


FORGED = {
    "a file inside and out": lead("data/../../x"),
    "an absolute path": lead("/etc/passwd"),
    "a hidden file": lead(".git/config"),
    "a path of another system": lead("..\\x"),
    "a name that ends in a line break": lead("x\n"),
    "a shared file elsewhere": lambda it: it.update(shared={"../../x": it["files"]["index.html"]}),
    "a record that git takes for an option": lambda it: it.update(
        records={"data/runs/r/x.json": {"bytes": 0, "sha256": SHA, "git": "--textconv"}}
    ),
    "a page elsewhere": lambda it: it["pages"].append("../index.html"),
    "a page that is no file": lambda it: it["pages"].append("gone.html"),
    "a PDF that is no file": lambda it: it.update(pdf="gone.pdf"),
    "no results": lambda it: it["files"].pop("data/results.csv"),
    "a version that is markup": lambda it: it.update(version="<b>"),
    "a file without a hash": lambda it: it["files"]["index.html"].pop("sha256"),
    "a name that is not known": lambda it: it.update(more=1),
    "sections are none": lambda it: it["about"].update(sections={}),
    "a colour is markup": lambda it: it["about"]["stores"]["MvStore"].update(colour="<b>"),
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_a_manifest_that_says_what_none_can_is_refused_by_name(version, change):
    rewrite(version, change)
    refused_by_all(version, r"manifest\.json is damaged \(.+\), so nothing")


def test_a_line_end_in_a_manifest_is_noticed(version):
    file = version / versions.MANIFEST
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n", 1))
    refused_by_all(version, r"manifest\.json is damaged")


def test_a_version_of_a_newer_project_is_not_called_damaged(version):
    rewrite(version, lambda it: it.update(format=3))
    refused_by_all(version, r"manifest\.json .*newer version.*: update")


# --- the files ---


def test_what_changed_or_is_missing_or_more_is_named(version):
    content = bytearray((version / "index.html").read_bytes())
    content[500] ^= 1
    (version / "index.html").write_bytes(content)
    (version / "CITATION.cff").unlink()
    (version / "more.txt").write_text("x")
    with pytest.raises(UserError) as found:
        bundle.verify(version)
    assert str(found.value).endswith(
        " is not what was published: CITATION.cff is missing, index.html has changed and more.txt"
        " was not published."
    )


@pytest.mark.parametrize("what", damage.NO_FILE)
def test_what_is_no_file_in_a_version_is_named(version, what):
    damage.NO_FILE[what](version / "CITATION.cff")
    named = "a symbolic link" if "link" in what or "device" in what else what
    with pytest.raises(UserError, match=rf"CITATION\.cff is {named}|CITATION\.cff is missing"):
        bundle.verify(version)


def test_a_link_to_the_same_content_is_no_file_of_a_version(version, tmp_path):
    shutil.move(version / "index.html", tmp_path / "elsewhere.html")
    (version / "index.html").symlink_to(tmp_path / "elsewhere.html")
    (version / "more").symlink_to(tmp_path)
    with pytest.raises(
        UserError, match=r"index\.html is a symbolic link and more is a symbolic link"
    ):
        bundle.verify(version)


def test_a_version_under_another_name_is_noticed(version):
    other = version.rename(version.parent / "2026-11-30")
    with pytest.raises(UserError, match=f"it is version {NAME} under another name"):
        bundle.verify(other)


def test_a_forged_version_is_noticed_by_the_list_beside_it(version):
    assert bundle.verify(version).listed
    listed = (version.parent / versions.LISTED).read_text()
    rewrite(version, lambda it: it.update(title="Another"))
    proof = bundle.verify(version)
    assert not proof.listed and "does not prove who published it" in proof.sentences()[-1]
    (version.parent / versions.LISTED).write_text(listed)
    with pytest.raises(UserError, match=r"manifest\.json is another than \S+versions\.json lists"):
        bundle.verify(version)
    (version.parent / versions.LISTED).write_text('{"versions": []}')
    assert not bundle.verify(version).listed


@pytest.mark.parametrize("harm", ["truncated", "a loop of links", "a list", "an empty object"])
def test_a_list_of_versions_that_is_none_is_refused_by_name(version, harm):
    damage.ANY_JSON[harm](version.parent / versions.LISTED)
    with pytest.raises(UserError, match=r"versions\.json is damaged \(.+\): take it from a backup"):
        bundle.verify(version)


def list_only(version, those):
    """Leaves of the list of versions those that a function of their names accepts; its file."""
    file = version.parent / versions.LISTED
    listed = json.loads(file.read_text())
    listed["versions"] = [each for each in listed["versions"] if those(each["version"])]
    file.write_text(json.dumps(listed))
    return file


def test_a_list_that_does_not_know_a_version_is_told(version):
    file = list_only(version, lambda name: name != NAME)
    assert bundle.verify(version).remarks == [f"{file} does not list it."]


def test_verify_says_what_it_proves_and_what_it_does_not(version):
    done = CliRunner().invoke(main, ["verify", str(version)])
    first, last = done.output.splitlines()
    assert done.exit_code == 0 and "is whole: five files as published on 2026-11-24T" in first
    assert hashlib.sha256((version / "manifest.json").read_bytes()).hexdigest() in last


def test_latest_is_the_newest_version(version):
    version.with_name(versions.LATEST).mkdir()
    list_only(version, lambda name: name == NAME)
    done = CliRunner().invoke(main, ["verify", str(version.with_name(versions.LATEST))])
    assert f"latest, version {NAME}, is whole" in done.output


@pytest.mark.parametrize("name", ["gone", "2026-99-99", "shared"])
def test_what_is_no_version_is_not_to_come_from_a_backup(version, name):
    version.with_name("shared").mkdir(exist_ok=True)
    with pytest.raises(UserError, match=rf"(?i){name}.* a version is a folder such as") as found:
        bundle.verify(version.with_name(name))
    assert "backup" not in str(found.value)


# --- the results ---

TABLE = b"section,store,keys\n04,A,int\n"
RESULTS = {  # of a version that is whole by its manifest
    "truncated": lambda content: gzip.compress(content)[:-99],
    "not compressed": lambda content: content,
    "compressed with damage": lambda content: gzip.compress(content)[:99] + bytes(999),
    "empty": lambda content: b"",
    "a table of nothing": lambda content: gzip.compress(b""),
    "not UTF-8": lambda content: gzip.compress(content + b"\xff\n"),
    "columns missing": lambda content: gzip.compress(TABLE),
    "no number": lambda content: gzip.compress(content.replace(b",1,", b",one,", 1)),
    "a row too long": lambda content: gzip.compress(content + 99 * b"x,"),
}


@pytest.mark.parametrize("change", RESULTS.values(), ids=RESULTS)
def test_results_that_are_damaged_are_refused_by_name(version, change):
    old, new = (version / name for name in reversed(versions.RESULTS))
    new.write_bytes(change(old.read_bytes()))
    rewrite(
        version,
        lambda it: it["files"].update({"data/results.csv.gz": versions.size_and_sha256(new)}),
    )
    with pytest.raises(UserError, match=r"results\.csv\.gz is damaged \(.+\): take it from a back"):
        versions.load_version(version)


def test_results_without_end_are_refused_by_name(version, monkeypatch):
    monkeypatch.setattr(results_table, "LARGEST", 1 << 10)
    with pytest.raises(UserError, match=r"results\.csv is damaged \(it holds more than 0 MiB\)"):
        versions.load_version(version)


@pytest.mark.parametrize("what", ["a folder", "a loop of links"])
def test_results_that_are_no_file_are_refused_by_name(version, what):
    damage.NO_FILE[what](version / "data" / "results.csv")
    with pytest.raises(UserError, match=r"results\.csv is not what was published"):
        versions.load_version(version)


# --- the archive ---


def link(entry):
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16


def encrypted(entry):
    entry.flag_bits |= 1


LEADS_OUT, DAMAGED = r"a\.zip is not unpacked: ", r"a\.zip is no archive, or damaged"
ENTRIES = {  # names in an archive, what is done to the entry of the last, and what is said
    "an absolute name": (["/tmp/escaped"], None, LEADS_OUT),
    "a name inside and out": (["a/../../escaped"], None, LEADS_OUT),
    "a name of another system": (["..\\escaped"], None, LEADS_OUT),
    "a drive": (["C:escaped"], None, LEADS_OUT),
    "an empty name": (["a//escaped"], None, LEADS_OUT),
    "a name too long": (["escaped" * 40], None, LEADS_OUT),
    "a name twice": (["x", "x"], None, LEADS_OUT),
    "a file in a file": (["x", "x/escaped"], None, DAMAGED),
    "encrypted": (["escaped"], encrypted, DAMAGED),
    "a link": (["x/SHA256SUMS"], link, r"a\.zip: its SHA256SUMS is damaged|what was published"),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(("names", "change", "sentence"), ENTRIES.values(), ids=ENTRIES)
def test_an_archive_that_leads_out_is_not_unpacked(tmp_path, names, change, sentence):
    file, place = tmp_path / "a.zip", tmp_path / "in" / "deep"
    place.mkdir(parents=True)
    with zipfile.ZipFile(file, "w") as packed:
        for name in names:
            entry = zipfile.ZipInfo(name)
            packed.writestr(entry, "/etc/passwd")
        if change:
            change(entry)
    with pytest.raises(UserError, match=sentence):
        bundle.verify(file)
    with contextlib.suppress(UserError):
        zipped.unpack(file, place)
    assert not list(tmp_path.rglob("*escaped*")) and not os.path.exists("/tmp/escaped")
    assert not [each for each in tmp_path.rglob("*") if each.is_symlink()]


def test_an_archive_larger_than_any_of_ours_is_not_unpacked(tmp_path, monkeypatch):
    file = tmp_path / "a.zip"
    zipped.archive(file, {name: bytes(1 << 20) for name in "abcd"})
    zipped.unpack(file, tmp_path / "whole")
    for limit, value in (("LARGEST", 3 << 20), ("MOST", 3)):
        with monkeypatch.context() as patch, pytest.raises(UserError, match=r"it holds more than"):
            patch.setattr(zipped, limit, value)
            zipped.unpack(file, tmp_path / limit)
        assert not (tmp_path / limit).exists()


def test_an_archive_that_holds_more_than_it_states_is_damaged(tmp_path):
    file = tmp_path / "a.zip"
    zipped.archive(file, {"a": bytes(1 << 20)})
    size = (1 << 20).to_bytes(4, "little")
    file.write_bytes(file.read_bytes().replace(size, b"\x01\x00\x00\x00"))
    with pytest.raises(UserError, match=r"a\.zip is no archive, or damaged"):
        zipped.unpack(file, tmp_path / "in")
    assert sum(each.stat().st_size for each in (tmp_path / "in").rglob("*")) < 1 << 20


SUMS = {
    "not UTF-8": b"\xff",
    "without names": b"0123\n",
    "a name that leads out": f"{SHA}  ../escaped\n".encode(),
    "empty": b"",
}


@pytest.mark.parametrize("content", SUMS.values(), ids=SUMS)
def test_sums_that_are_damaged_are_refused_by_name(tmp_path, content):
    file = tmp_path / "a.zip"
    zipped.archive(file, {"a/x": b"", f"a/{bundle.SUMS}": content})
    with pytest.raises(UserError, match=r"a\.zip( is not what was published|: its SHA256SUMS is)"):
        bundle.verify(file)
