"""What is kept in .cache and .venv, damaged in every way: it is made again without a question, or
refused in one sentence that names it.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
import vl_convert

from kvreport import bootstrap
from kvreport.base import cached, notebooks, paths
from kvreport.base.errors import UserError, sentence_of
from kvreport.measure import ab, kernel, log
from kvreport.measure.section import Section
from kvreport.render import pandoc, sources, tree
from kvreport.toolchain import jbang, jdk, libraries, stores

KINDS = ("missing", "empty", "half", "garbage", "folder", "other JSON")
JDK = jdk.Jdk(Path("/jdk"), "17.0.1", 17, "Nobody")
Use = Callable[[], object]


def damage(file: Path, kind: str) -> None:
    content = file.read_bytes()
    file.chmod(0o644)
    file.unlink()
    if kind == "folder":
        file.mkdir()
        (file / "something").write_text("in it")
    elif kind != "missing":
        half = content[: len(content) // 2]
        made = {"empty": b"", "half": half, "garbage": b"\xff\x00{", "other JSON": b"[1]"}
        file.write_bytes(made[kind])


def a_build(folder, patch) -> tuple[Path, Use]:
    patch.setattr(stores, "BUILT", folder)
    answer = {"applicationJar": "X.jar", "resolvedDependencies": []}

    def use():
        return stores.load_catalog("X") or stores.keep("X", "s", "17", answer)

    return folder / "X.json", use


def a_parsed_text(folder, patch) -> tuple[Path, Use]:
    patch.setattr(paths, "CACHE", folder)

    def use():
        return pandoc.parse("Some *text*")

    use()
    return next(folder.glob("pandoc/*.json")), use


def a_tracked(folder: Path, text: str = "print(1)") -> Path:
    file = folder / "tracked" / "a.ipynb"
    file.parent.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text, id="a")]), file)
    return file


def a_cached_chapter(folder, patch) -> tuple[Path, Use]:
    tracked = a_tracked(folder)
    patch.setattr(paths, "CACHE", folder)

    def use():
        tree.take(tracked, folder / "book" / "a.ipynb")
        return nbformat.read(folder / "book" / "a.ipynb", as_version=4)

    return folder / "book" / "a.ipynb", use


def a_log(folder, patch) -> tuple[Path, Use]:
    tracked = a_tracked(folder)
    section = Section(tracked)
    patch.setattr(log, "executed", lambda section: folder / "log.ipynb")

    def use():
        kept = log.keep_what_was_timed(section.notebook(), section)
        if not log.is_of(folder / "log.ipynb", "stamp"):
            made = section.notebook()
            notebooks.note(made, inputs="stamp")
            log.write_atomically(folder / "log.ipynb", nbformat.writes(made))
        return kept

    return folder / "log.ipynb", use


def the_charts_scripts(folder, patch) -> tuple[Path, Use]:
    patch.setattr(vl_convert, "javascript_bundle", lambda vl_version: "/* " + "long " * 50 + "*/")

    def use():
        sources.write_scripts(folder)
        return (folder / "report" / "theme" / "vega.js").read_text()

    return folder / "report" / "theme" / "vega.js", use


def the_environment_s_stamp(folder, patch) -> tuple[Path, Use]:
    for name in ("install", "install_project", "make_environment"):
        patch.setattr(bootstrap, name, lambda *_: None)
    patch.setattr(bootstrap, "works", lambda python: True)

    def use():
        bootstrap.main(str(folder))
        return (folder / ".ready").read_text()

    return folder / ".ready", use


def the_shim(folder, patch) -> tuple[Path, Use]:
    (folder / "jbang.jar").write_text("JBang")
    patch.setattr(jbang, "JAR", folder / "jbang.jar")
    patch.setattr(jbang, "SHIM", folder / "jbang")
    patch.setattr(jbang, "find_jdk", lambda: JDK)
    patch.setattr(libraries, "fault", lambda jar: None)

    def use():
        jbang.fetched_jbang()
        return jbang.SHIM.read_text()

    return jbang.SHIM, use


def a_kernelspec(folder, patch) -> tuple[Path, Use]:
    patch.setattr(kernel, "JAVA_KERNEL", folder)
    patch.setattr(kernel, "find_jdk", lambda: JDK)
    patch.setattr(kernel, "make_archive", lambda: None)

    def use():
        kernel.register({"stores": {"X": {"runtime_options": [], "class_path": []}}})
        return json.loads((folder / "kernel.json").read_text()), kernel.is_registered()

    return folder / "kernel.json", use


def what_jbang_remembers(folder, patch) -> tuple[Path, Use]:
    patch.setattr(jbang, "CACHE", folder)
    file = folder / "jbang-17.0.1" / "cache" / "dependency_cache.json"
    file.parent.mkdir(parents=True)
    file.write_text(f'{{"a": "{folder}/m2/a.jar"}}')

    def use():
        jbang.forget_what_is_wrong(JDK)
        if file.exists():
            json.loads(file.read_text())

    return file, use


CASES = [
    a_build,
    a_parsed_text,
    a_cached_chapter,
    a_log,
    the_charts_scripts,
    the_environment_s_stamp,
    the_shim,
    a_kernelspec,
    what_jbang_remembers,
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES)
def test_what_is_damaged_is_made_again_or_named(case, kind, tmp_path, monkeypatch):
    file, use = case(tmp_path, monkeypatch)
    first = use()
    whole = file.read_bytes()
    damage(file, kind)
    try:
        assert use() == first
        if file.is_file():  # JBang writes its own
            assert file.read_bytes() == whole
    except OSError as problem:
        sentence = f"{file}: Is a directory: a folder is in the place of a file, remove it."
        assert kind == "folder" and sentence_of(problem) == sentence
        assert case is not the_environment_s_stamp, "bootstrap says no sentence"
        shutil.rmtree(file)
    assert use() == first


@pytest.mark.parametrize("kind", KINDS[:-1])
def test_a_built_jar_that_is_damaged_is_not_current(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(stores, "is_own", lambda jar: True)
    monkeypatch.setattr(libraries, "fault", lambda jar: None)
    jar = Path(shutil.make_archive(str(tmp_path / "X"), "zip", paths.THEME)).rename(
        tmp_path / "X.jar"
    )
    built = stores.Built("s", "17", [str(jar)], [])
    assert built.is_current("s", "17")
    damage(jar, kind)
    assert not built.is_current("s", "17")


def test_half_a_library_s_description_is_fetched_again(tmp_path, monkeypatch):
    monkeypatch.setattr(libraries, "CACHE", tmp_path)
    for name, content in ("good.pom", "abc"), ("half.pom", "ab"):
        (tmp_path / "m2" / "x").mkdir(parents=True, exist_ok=True)
        (tmp_path / "m2" / "x" / name).write_text(content)
        (tmp_path / "m2" / "x" / f"{name}.sha1").write_text(
            "a9993e364706816aba3e25717850c26c9cd0d89d"
        )
    libraries.remove_damaged_poms()
    assert {file.name for file in tmp_path.rglob("*.pom")} == {"good.pom"}


@pytest.mark.parametrize("kind", KINDS[:-1])
def test_another_checkout_s_damaged_catalogue_is_one_sentence(kind, tmp_path):
    file = tmp_path / ".cache" / "catalog.json"
    cached.keep(file, {"stores": {}})
    assert ab.catalog_of(tmp_path)["stores"] == {}
    damage(file, kind)
    with pytest.raises(UserError, match="run `make setup` there first"):
        ab.catalog_of(tmp_path)
