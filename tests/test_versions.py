"""Published versions of both formats: whole, read, bundled; what a new one leaves out of itself."""

import io
import json
import re
import shutil
import subprocess
import types
import zipfile
from pathlib import Path

import pandas as pd
import pytest
import synthetic
import typst
from pypdf import PdfReader
from pypdf.generic import IndirectObject, NameObject

from kvreport.analysis import compare
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.svg import lean
from kvreport.data import editions, repository, results_table, runs, versions
from kvreport.data.versions import Version
from kvreport.publish import bundle, export, minify, publishing, shared, source, version_index
from kvreport.publish.withdrawal import withdraw

PUBLISHED = versions.names()


# --- what the project has published ---


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_version_is_whole(name):
    if not has_commit(versions.manifest(paths.REPORT / name).get("commit", "HEAD")):
        pytest.skip("this clone has no history, in which records are that were measured anew")
    proof = bundle.verify(paths.REPORT / name)
    assert proof.manifest["version"] == name
    assert all(each.startswith("As git has it, ") for each in proof.remarks)


def has_commit(name: str) -> bool:
    known = ["git", "-C", paths.ROOT, "cat-file", "-e", name]
    return subprocess.run(known, capture_output=True).returncode == 0


def test_what_is_withdrawn_is_in_the_commit_that_the_list_names():
    gone = versions.withdrawn(paths.REPORT)
    assert gone and not gone.keys() & set(PUBLISHED)
    if not all(map(has_commit, gone.values())):
        pytest.skip("this clone has no history, in which withdrawn versions are")
    assert all(has_commit(f"{each}:report/{name}/manifest.json") for name, each in gone.items())


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_version_is_read(name):
    edition = versions.load_version(paths.REPORT / name)
    assert len(edition.rows) > 1000 and edition.rows["ns_per_entry"].notna().any()


def test_what_lies_beside_the_versions_follows_from_them(tmp_path):
    for name in version_index.surroundings(tmp_path, map(paths.REPORT.joinpath, PUBLISHED)):
        assert (tmp_path / name).exists()
    listed = json.loads((tmp_path / "versions.json").read_text())["versions"]
    assert [each["version"] for each in listed] == PUBLISHED
    addresses = ("html", "pdf", "csv", "parquet", "jmh", "citation", "manifest")
    assert all((paths.REPORT / each[what]).is_file() for each in listed for what in addresses)


def test_the_readme_shows_the_newest_version_s_pictures():
    made = version_index.previews(paths.REPORT / PUBLISHED[0])
    known = (version_index.ANSWER,) if version_index.ANSWER in made else version_index.PREVIEWS
    shown = re.findall(r"\(report/latest/([\w-]+)\.png\)", (paths.ROOT / "README.md").read_text())
    assert sorted(shown) == sorted(name for name in known if name in made)
    for name in shown:
        assert (paths.REPORT / "latest" / f"{name}.png").read_bytes() == made[name], name


# --- a small version of each format ---

RUN = "2026-01-02-lab"
SECTIONS = "04-small-values", "11-latency"


def at(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    patch.setattr(paths, "ROOT", folder)
    patch.setattr(paths, "RUNS", folder / "data" / "runs")
    patch.setattr(paths, "REPORT", folder / "report")
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A project with a run that git has, and two versions of it: one of each format."""
    with pytest.MonkeyPatch.context() as patch:
        folder = at(tmp_path_factory.mktemp("made") / "project", patch)
        synthetic.write_run(paths.RUNS, RUN, trials=1, sections=SECTIONS)
        for licence in bundle.LICENCES:
            (folder / licence).write_text("terms")
        git(folder, "init", "--quiet")
        git(folder, "add", "data")
        edition = editions.edition_of(RUN, [runs.load(RUN)])
        old = version_in(paths.REPORT / "2026-01-03", edition)
        (old / "data").mkdir()
        (old / "data" / "results.csv").write_text(results_table.as_csv(edition.rows))
        finish(old, {"format": 1}, edition)
        new = version_in(paths.REPORT / "2026-01-04", edition)
        export.write_results(edition, new / "data")
        (new / "report" / "theme" / "fonts").mkdir(parents=True)
        (new / "report" / "theme" / "kv.css").write_text('a { src: url("fonts/a.otf"); }')
        (new / "report" / "theme" / "fonts" / "a.otf").write_bytes(b"font")
        shared.take_out(new, paths.REPORT / "shared")
        records, held = source.divided(sorted(paths.RUNS.rglob("*.json")))
        assert not held
        further = {
            "format": 2,
            "results": versions.results_sha256(edition),
            "shared": versions.contents(paths.REPORT / "shared"),
            "records": records,
        }
        finish(new, further, edition)
    return folder


@pytest.fixture
def project(made, tmp_path, monkeypatch) -> Path:
    """A copy of it."""
    return at(shutil.copytree(made, tmp_path / "project"), monkeypatch)


def version_in(folder: Path, edition: editions.Edition) -> Path:
    folder.mkdir(parents=True)
    link = '<link rel="stylesheet" href="report/theme/kv.css">'
    (folder / "index.html").write_text(f"<html>{link}<body><main>x</main></body></html>")
    (folder / "book.pdf").write_bytes(b"%PDF")
    return folder


def finish(folder: Path, further: dict, edition: editions.Edition) -> None:
    content = {
        "version": folder.name,
        "date": folder.name,
        "published": "2026-01-04T00:00:00Z",
        "title": "Stores",
        "pdf": "book.pdf",
        "pages": ["index.html"],
        "missing": [],
        "about": edition.about,
        "files": versions.contents(folder),
    }
    (folder / versions.MANIFEST).write_text(versions.written(further | content))


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)


AUTHOR = "-c", "user.name=a", "-c", "user.email=a@b.invalid"


def record_of(project: Path) -> Path:
    return next((project / "data" / "runs" / RUN).glob("04-small-values/*.json"))


def test_a_version_that_lost_its_manifest_is_not_passed_over(project):
    (paths.REPORT / "2026-01-04" / versions.MANIFEST).unlink()
    sentence = "report/2026-01-04 is no published version: it has no manifest.json. Take it from"
    for use in (
        lambda: compare.find("latest"),
        lambda: compare.find("2026-01-04"),
        lambda: publishing.new_name("2026-01-05", False),
    ):
        with pytest.raises(UserError, match=sentence):
            use()


def test_a_date_is_one_of_the_calendar_and_what_is_revised_is_there(monkeypatch):
    monkeypatch.setattr(versions, "names", list)
    for wrong in ("2026-02-30", "2026-1-5"):
        with pytest.raises(UserError, match=f"{wrong} is no date"):
            publishing.new_name(wrong, False)
    with pytest.raises(UserError, match="There is no version of 2026-01-05 to revise"):
        publishing.new_name("2026-01-05", True)


def test_versions_of_both_formats_are_of_the_same_measurements(project):
    edition = editions.edition_of(RUN, [runs.load(RUN)])
    assert versions.names() == ["2026-01-04", "2026-01-03"] and versions.earlier_than(edition) == []
    slower = editions.Edition("slower", edition.rows.assign(iteration_ns="7"), edition.about)
    assert versions.earlier_than(slower) == versions.names()
    old, new = (versions.load_version(paths.REPORT / name) for name in ("2026-01-03", "2026-01-04"))
    key = [*results_table.KEY, "trial", "status", "entries", "ns_per_entry", "iteration_ns"]
    pd.testing.assert_frame_equal(old.rows[key], new.rows[key])
    found = compare.compare_editions(old, new)
    assert len(found.rows) and (found.rows["ratio"] == 1).all()


def test_the_published_table_leaves_histograms_to_the_records_and_rates_to_the_reader(project):
    folder = paths.REPORT / "2026-01-04" / "data"
    table = pd.read_csv(folder / "results.csv.gz")
    assert results_table.COLUMNS.keys() - set(table) == {
        *("singles_counts", "ms", "entries_per_s", "gb_per_s")
    }
    before = (folder / "results.csv.gz").read_bytes()
    export.write_results(editions.edition_of(RUN, [runs.load(RUN)]), project / "again")
    assert (project / "again" / "results.csv.gz").read_bytes() == before


def test_rates_are_written_as_they_always_were():
    rows = pd.DataFrame(
        {"singles_per_second": [100_000, None], "ns_per_entry": [1.0, 1234.56789012]}
    )
    assert results_table.text(rows) == "singles_per_second,ns_per_entry\n100000.0,1\n,1234.56789\n"


def test_a_record_is_proved_where_it_lies_or_from_git(project):
    folder, record = paths.REPORT / "2026-01-04", record_of(project)
    assert bundle.verify(folder).remarks == []
    record.write_text(record.read_text() + " ")
    name = record.relative_to(project).as_posix()
    assert bundle.verify(folder).remarks == [
        f"As git has it, since it changed in its place: {name}."
    ]
    record.unlink()
    assert Version.at(folder).record(name) is not None
    shutil.rmtree(project / ".git")
    with pytest.raises(UserError, match=re.escape(f"{name} is missing, and git has it no more.")):
        bundle.verify(folder)
    record.write_text("{}")
    with pytest.raises(UserError, match=re.escape(f"{name} has changed, and git has it no more.")):
        bundle.verify(folder)


def test_a_report_without_its_project_is_proved_but_for_the_records(project, tmp_path_factory):
    alone = shutil.copytree(paths.REPORT, tmp_path_factory.mktemp("host") / "deep" / "report")
    [remark] = bundle.verify(alone / "2026-01-04").remarks
    records = len(versions.manifest(alone / "2026-01-04")["records"])
    assert remark == f"Its {records} records are not here and were not checked."
    style = next((alone / "shared").glob("*-kv.css"))
    style.write_text("a { }")
    with pytest.raises(UserError, match=f"shared/{style.name} has changed"):
        bundle.verify(alone / "2026-01-04")
    style.unlink()
    with pytest.raises(UserError, match=f"shared/{style.name} is missing"):
        bundle.verify(alone / "2026-01-04")


# --- withdrawn ---


@pytest.fixture
def listed(project):
    """Both versions listed, and committed."""
    version_index.surroundings(paths.REPORT, map(paths.REPORT.joinpath, versions.names()))
    commit(project)
    return project


def commit(project: Path) -> None:
    git(project, "add", ".")
    git(project, *AUTHOR, "commit", "--quiet", "-m", "x")


def test_a_version_is_withdrawn_and_git_has_it(listed):
    was = repository.commit(listed)
    withdraw(["2026-01-03"])
    assert versions.names() == ["2026-01-04"]
    assert versions.withdrawn(paths.REPORT) == {"2026-01-03": was}
    assert "2026-01-03 (<code>" + was[:12] in (paths.REPORT / "index.html").read_text()
    assert bundle.verify(paths.REPORT / "2026-01-04").listed
    assert '["2026-01-04", "2026-01-03"]' in (paths.REPORT / "versions.js").read_text()
    for use in (compare.find, bundle.bundle, lambda name: withdraw([name])):
        with pytest.raises(UserError, match=f"2026-01-03 is withdrawn; commit {was[:12]} has it"):
            use("2026-01-03")


def test_shared_files_that_no_version_needs_go_with_it(listed):
    shutil.copytree(paths.REPORT / "2026-01-03", paths.REPORT / "2026-01-05")
    newest = json.loads((paths.REPORT / "2026-01-05" / versions.MANIFEST).read_text())
    del newest["sha256"]
    newest |= {"version": "2026-01-05", "date": "2026-01-05"}
    (paths.REPORT / "2026-01-05" / versions.MANIFEST).write_text(versions.written(newest))
    commit(listed)
    withdraw(["2026-01-03"])
    assert len(shared_names(paths.REPORT)) == 2
    withdraw(["2026-01-04"])
    assert shared_names(paths.REPORT) == [] and versions.names() == ["2026-01-05"]
    assert list(versions.withdrawn(paths.REPORT)) == ["2026-01-04", "2026-01-03"]


def test_what_git_does_not_have_is_not_withdrawn(listed):
    def refused(name: str, sentence: str) -> None:
        before = versions.contents(paths.REPORT)
        with pytest.raises(UserError, match=sentence):
            withdraw([name])
        assert versions.contents(paths.REPORT) == before

    refused("2026-01-04", "2026-01-04 is the newest version")
    refused("2026-02-02", "There is no version 2026-02-02; there are 2026-01-04 and 2026-01-03")
    page = paths.REPORT / "2026-01-03" / "index.html"
    was = page.read_text()
    page.write_text("")
    refused("2026-01-03", "2026-01-03 is not what was published")
    page.write_text(was)
    git(listed, "rm", "-r", "--quiet", "--cached", "report/2026-01-03")
    refused("2026-01-03", "report/2026-01-03 is in no commit as it is")


def test_git_has_what_was_added_as_it_is(project, monkeypatch):
    record = record_of(project)
    assert repository.objects_of([record], project).keys() == {record}
    record.write_text("{}")
    assert repository.objects_of([record], project) == {}
    git(project, "add", "data")
    [name] = repository.objects_of([record], project).values()
    assert repository.content_of(name, project) == b"{}"
    assert repository.content_of("0" * 40, project) is None
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(UserError, match="another user owns it"):
        repository.content_of(name, project)


# --- the archive ---


@pytest.mark.parametrize("name", ["2026-01-03", "2026-01-04"])
def test_an_archive_is_whole_wherever_it_is(project, name, tmp_path_factory):
    file = bundle.bundle(name)
    again = bundle.bundle(name, tmp_path_factory.mktemp("other") / "x.zip")
    assert file == paths.REPORT / f"book-{name}.zip" and again.read_bytes() == file.read_bytes()
    place = tmp_path_factory.mktemp("place")
    shutil.move(file, place / "a.zip")
    shutil.rmtree(project / "report")
    shutil.rmtree(project / "data")
    assert bundle.verify(place / "a.zip").manifest["version"] == name
    with zipfile.ZipFile(place / "a.zip") as packed:
        packed.extractall(place)
    [top] = (each for each in place.iterdir() if each.is_dir())
    for folder in (top, top / "report" / name):
        proof = bundle.verify(folder)
        assert proof.manifest["version"] == name and proof.remarks == []
    records = versions.manifest(top / "report" / name).get("records", {})
    assert all((top / each).is_file() for each in records) and (top / "LICENSE").is_file()
    (top / "more.txt").write_text("x")
    with pytest.raises(UserError, match=re.escape("more.txt was not published.")):
        bundle.verify(top)


def test_the_source_is_named_by_its_commit_and_is_in_the_archive(project, monkeypatch):
    """What git lacks as it is, a version has to hold itself."""
    monkeypatch.setattr(paths, "JBANG", project / "jbang")
    script, chapter = project / "jbang" / "A.java", project / "index.ipynb"
    script.parent.mkdir()
    script.write_text("class A {}")
    chapter.write_text("cells")
    book = types.SimpleNamespace(
        root=project, chapters=[types.SimpleNamespace(source=chapter.name)]
    )
    assert source.committed(book) == []
    git(project, "add", ".")
    assert source.committed(book) == [], "it is added, and not committed"
    git(project, *AUTHOR, "commit", "--quiet", "-m", "x")
    assert source.committed(book) == ["jbang", "index.ipynb"]
    folder, commit = paths.REPORT / "2026-01-04", repository.commit(project)
    written = json.loads((folder / versions.MANIFEST).read_text())
    del written["sha256"]
    written |= {"source": source.committed(book), "commit": commit}
    (folder / versions.MANIFEST).write_text(versions.written(written))
    script.write_text("class B {}")
    assert source.committed(book) == []
    shutil.rmtree(paths.REPORT / "2026-01-03")
    with zipfile.ZipFile(bundle.bundle("2026-01-04")) as packed:
        inner = io.BytesIO(packed.read(f"book-2026-01-04/{source.ARCHIVE}"))
    assert zipfile.ZipFile(inner).read("jbang/A.java") == b"class A {}"
    shutil.rmtree(project / ".git")
    with pytest.raises(
        UserError, match=f"Git does not have commit {commit}, from which 2026-01-04"
    ):
        bundle.bundle("2026-01-04")


def test_a_damaged_archive_is_named(project):
    file = bundle.bundle("2026-01-04")
    content = file.read_bytes()
    for damaged in (content[: len(content) // 2], b"no archive", content.replace(b"SUMS", b"SUMM")):
        file.write_bytes(damaged)
        with pytest.raises(UserError, match=r"book-2026-01-04\.zip is no archive"):
            bundle.verify(file)
    record = record_of(project)
    record.write_text("{}")
    shutil.rmtree(project / ".git")
    with pytest.raises(UserError, match="has changed, and git has it no more"):
        bundle.bundle("2026-01-04")
    with pytest.raises(UserError, match="There is no version 2026-02-02; there are 2026-01-04 and"):
        bundle.bundle("2026-02-02")


# --- shared files ---


def test_shared_files_refer_to_shared_files(tmp_path):
    page = tmp_path / "v" / "notebooks" / "page.html"
    theme, libs = tmp_path / "v" / "report" / "theme", tmp_path / "v" / "site_libs" / "q"
    for folder in (page.parent, theme / "fonts", libs / "deep"):
        folder.mkdir(parents=True)
    (theme / "kv.css").write_text('@font-face { src: url("fonts/a.otf?v=1") } b { c: url(data:x) }')
    (theme / "fonts" / "a.otf").write_bytes(b"\xff\x00")
    (libs / "q.js").write_text('import { a } from "./deep/a.js";\nimport x from "elsewhere";')
    (libs / "deep" / "a.js").write_text("export const a = 1;")
    inline = '<script id="q" type="text/javascript">' + "work();" * 100 + "</script>"
    page.write_text(
        '<a href="other.html"></a><link href="../report/theme/kv.css"><script type="module"'
        f' src="../site_libs/q/q.js"></script>{inline}'
    )
    own = "<style>" + "a { } " * 100 + "</style>"
    (page.parent / "other.html").write_text(inline + own)
    shared.take_out(tmp_path / "v", tmp_path / "shared")
    names = {name.partition("-")[2]: name for name in shared_names(tmp_path)}
    assert names.keys() == {"kv.css", "a.otf", "q.js", "a.js", "page.js"}
    assert own in (page.parent / "other.html").read_text(), "what one page alone has stays in it"
    text = page.read_text()
    assert f'<link href="../../shared/{names["kv.css"]}">' in text and 'href="other.html"' in text
    assert f' type="text/javascript" src="../../shared/{names["page.js"]}"></script>' in text
    style = (tmp_path / "shared" / names["kv.css"]).read_text()
    assert f'url("./{names["a.otf"]}?v=1")' in style and "url(data:x)" in style
    script = (tmp_path / "shared" / names["q.js"]).read_text()
    assert f'from "./{names["a.js"]}"' in script and 'from "elsewhere"' in script
    assert {file.name for file in (tmp_path / "v").iterdir()} == {"notebooks"}


def shared_names(folder: Path) -> list[str]:
    return [file.name for file in (folder / "shared").iterdir()]


def test_a_shared_file_is_never_replaced(project, monkeypatch):
    manifest = versions.manifest(paths.REPORT / "2026-01-04")
    assert publishing.unshared(manifest["shared"]) == []
    assert publishing.unshared({"0-new.css": {}}) == ["0-new.css"]
    style = next((paths.REPORT / "shared").glob("*-kv.css"))
    style.write_text("")
    with pytest.raises(UserError, match=f"{style.name} is damaged"):
        publishing.unshared(manifest["shared"])


# --- fewer bytes ---

VEGAS = (
    '<svg xmlns="http://www.w3.org/2000/svg" class="marks" width="9" viewBox="0 0 9 9">'
    '<g fill="none"><g class="mark-group" role="graphics-object" aria-label="a &lt; b">'
    '<path class="background" aria-hidden="true" d="M0,0h9v9h-9Z"/>'
    '<path d="M-0.0012,10.98765L3,4" stroke="#123456" opacity="0.4"/><g/>'
    '<g><line x1="0" x2="0.001" y2="7.5"/></g>'
    '<path transform="translate(1,2)" d="M3.2,0A3.2,3.2,0,1,1,-3.2,0A3.2,3.2,0,1,1,3.2,0"'
    ' fill="none" stroke="#123456" opacity="0.4"/>'
    '<g><text transform="translate(0,0)" fill="#111111" font-size="11px">a &lt; b</text>'
    '<text transform="translate(1.23456,7)" fill="#111111" font-size="12px">c</text></g>'
    "</g></g></svg>"
)
LEAN = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" viewBox="0 0 9 9">'
    '<g fill="none"><path d="M0,10.99L3,4" stroke="#123456" stroke-opacity="0.4" />'
    '<line y2="7.5" />'
    '<circle transform="translate(1,2)" fill="none" stroke="#123456" r="3.2"'
    ' stroke-opacity="0.4" />'
    '<g fill="#111111"><text font-size="11px">a &lt; b</text>'
    '<text font-size="12px" x="1.23" y="7">c</text></g></g></svg>'
)


def test_a_picture_keeps_what_is_seen():
    assert lean(VEGAS) == LEAN and lean(LEAN) == LEAN
    other = VEGAS.replace('class="marks"', "")
    assert lean(other) == other, "only Vega's are known well enough"


def test_the_charts_data_are_packed(tmp_path):
    data = json.dumps({"specs": {"fig-a": {"title": "ä" * 99}}})
    page = f'<script type="application/json" id="kv-charts">{data}</script><p>x</p>'
    (tmp_path / "a.html").write_text(page)
    minify.slim(tmp_path)
    text = (tmp_path / "a.html").read_text()
    assert len(text) < len(page) and text.endswith("</script><p>x</p>")
    found = minify.CHARTS.search(text)
    assert found and json.loads(found["data"]).keys() == {"deflate"}


def test_cells_are_aligned_by_a_class_and_the_search_leaves_out_code(tmp_path):
    (tmp_path / "a.html").write_text('<td style="text-align: right;">1</td>')
    found = [{"href": f"{page}#x", "text": "t"} for page in ("notebooks/measure/a.html", "a.html")]
    of_a_store = {"href": f"{minify.STORES}a.html", "text": "good at gets" + "x" * minify.FIRST}
    found.append(of_a_store)
    (tmp_path / "search.json").write_text(json.dumps(found))
    minify.slim(tmp_path)
    assert (tmp_path / "a.html").read_text() == '<td class="r">1</td>'
    assert "td, th).r { text-align: right; }" in (paths.THEME / "kv.css").read_text()
    page, store = json.loads((tmp_path / "search.json").read_text())
    assert page == found[1] and store["href"] == of_a_store["href"]
    assert store["text"] == of_a_store["text"][: minify.FIRST]


def test_a_pdf_keeps_every_object(tmp_path):
    file = tmp_path / "a.pdf"
    (tmp_path / "a.typ").write_text(
        '#set document(title: "Stores (embedded) ü")\n#outline()\n'
        + "= A chapter\n#table(columns: 4, ..range(150).map(i => [cell #i]))\n#pagebreak()\n" * 3
    )
    typst.compile(tmp_path / "a.typ", output=file)
    before = PdfReader(file)
    size = file.stat().st_size
    minify.slim_pdf(file)
    after = PdfReader(file, strict=True)
    assert file.stat().st_size < 0.5 * size
    assert after.metadata == before.metadata and len(after.pages) == len(before.pages)
    for one, other in zip(before.pages, after.pages):
        assert one.extract_text() == other.extract_text()
        assert one.get_contents().get_data() == other.get_contents().get_data()
    assert tags(before) == tags(after) > 400
    assert after.xref_objStm, "and each is where the index says, which not every reader looks up"
    for number, (stream, index) in after.xref_objStm.items():
        head = after.get_object(IndirectObject(stream, 0, after)).get_data().split()
        assert int(head[2 * index]) == number
    assert [each.title for each in flat(after.outline)] == [
        each.title for each in flat(before.outline)
    ]


def tags(pdf: PdfReader) -> int:
    """How many elements the tree of tags has, followed from its root."""
    found, waiting = 0, [pdf.trailer["/Root"]["/StructTreeRoot"]]
    while waiting:
        node = waiting.pop().get_object()
        if isinstance(node, list):
            waiting += node
        elif hasattr(node, "get") and (NameObject("/S") in node or "/K" in node):
            found += 1
            waiting += [node["/K"]] if "/K" in node else []
    return found


def flat(outline: list) -> list:
    return [each for part in outline for each in (flat(part) if isinstance(part, list) else [part])]
