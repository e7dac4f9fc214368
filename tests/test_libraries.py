"""The jars that are fetched: known by their SHA-256 before a JVM gets them, mended where they are
damaged, refused where they are others.
"""

import hashlib
import os
import re
import subprocess
from pathlib import Path

import pytest

from kvreport.base.errors import UserError
from kvreport.data import facts, scripts
from kvreport.data.cases import Case
from kvreport.measure import crosscheck_drivers, filesystems, jvm, kernel, syscalls
from kvreport.toolchain import catalogue, jbang, libraries, lock, stores
from kvreport.toolchain.jdk import find_jdk

PLATFORMS = {  # as the stores' facts call them, and as libraries for each are named
    "linux-x64": "natives-linux|linux-x64|linux64",
    "linux-arm64": "natives-linux-arm64|linux-arm64",
    "macos-x64": "natives-macos|macos-x64|osx64",
    "macos-arm64": "natives-macos-arm64|macos-arm64",
}
OF_ONE = {platform: re.compile(f"[:-]({names})(:|$)") for platform, names in PLATFORMS.items()}
DEPENDENCIES = re.compile(r"^//DEPS (.+)", re.MULTILINE)
GOOD, BAD = b"PK, a library", b"PK, b library"
NAME = ".cache/m2/org/x/x-1.jar"


@pytest.fixture
def jar(tmp_path, monkeypatch):
    """A library in a cache of its own, and the lock that names it."""
    cache = tmp_path / ".cache"
    jar = cache / "m2" / "org" / "x" / "x-1.jar"
    jar.parent.mkdir(parents=True)
    jar.write_bytes(GOOD)
    for module in (libraries, lock):
        monkeypatch.setattr(module, "CACHE", cache)
    monkeypatch.setattr(jbang, "JAR", cache / "jbang.jar")
    monkeypatch.setattr(libraries, "LOCK", tmp_path / "libraries.lock")
    jjava = libraries.sha256(libraries.JJAVA)
    libraries.LOCK.write_text(
        f"# a comment\n{hashlib.sha256(GOOD).hexdigest()}  {NAME}\n"
        f"{jjava}  {libraries.named(libraries.JJAVA)}\n"
    )
    return jar


def spoil(jar: Path) -> None:
    """Another byte, and the time of before."""
    before = jar.stat()
    jar.write_bytes(BAD)
    os.utime(jar, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("store", sorted(facts.known()))
def test_native_code_of_one_platform_each_is_locked_for_all_that_the_facts_name(store):
    """Other stores' comes for all in one jar."""
    locked = {Path(name).name for name in libraries.locked()}
    texts = [file.read_text() for file in scripts.sources(scripts.script_of(store))]
    needed = [
        each for text in texts for line in DEPENDENCIES.findall(text) for each in line.split()
    ]
    found: dict[str, set[str]] = {}  # libraries by platform
    for each in needed:
        group, artifact, version, *classifier = each.split(":")
        for platform, name in OF_ONE.items():
            if name.search(each):
                assert "-".join([artifact, version, *classifier]) + ".jar" in locked
                found.setdefault(platform, set()).add(f"{group}:{name.sub('', f'{artifact}:')}")
    named = set(facts.known()[store]["platforms"]["value"]) & OF_ONE.keys()
    assert not found or found.keys() == named
    assert len({frozenset(each) for each in found.values()}) <= 1, "each has every library"


def test_a_swapped_byte_is_noticed_whatever_the_times_say(jar):
    own = jar.parents[3] / "jbang-17" / "cache" / "jars" / "Store.jar"
    own.parent.mkdir(parents=True)
    assert libraries.class_path([str(own), str(jar)]) == f"{own}{os.pathsep}{jar}"
    spoil(jar)
    with pytest.raises(UserError, match=r"x-1\.jar has SHA-256 .* `make setup` fetches it anew"):
        libraries.class_path([str(jar)])


def test_a_cache_may_be_links_to_another_checkout_s(jar, tmp_path, monkeypatch):
    own = jar.parents[3] / "jbang-17" / "cache" / "jars" / "Store.jar"
    own.parent.mkdir(parents=True)
    copy = tmp_path / "copy"
    copy.mkdir()
    for each in ("m2", "jbang-17"):
        (copy / each).symlink_to(jar.parents[3] / each)
    monkeypatch.setattr(libraries, "CACHE", copy)
    assert libraries.class_path([str(own), str(jar)])
    spoil(jar)
    with pytest.raises(UserError, match=r"x-1\.jar has SHA-256"):
        libraries.class_path([str(own), str(jar)])


def test_what_the_lock_does_not_name_is_refused(jar):
    other = jar.with_name("y-1.jar")
    other.write_bytes(GOOD)
    with pytest.raises(UserError, match=r"y-1\.jar is not in .*libraries\.lock.*lock-libraries"):
        libraries.check([jar, other])
    jar.unlink()
    with pytest.raises(UserError, match=r"x-1\.jar cannot be read"):
        libraries.check([jar])


@pytest.mark.parametrize("text", [None, "", f"{0:064}  a\n12ab", "\0", f"{0:064}"])
def test_a_damaged_lock_is_one_sentence(jar, text):
    libraries.LOCK.unlink()
    if text is not None:
        libraries.LOCK.write_text(text)
    with pytest.raises(UserError, match="restore it with git, or run `kvreport lock-libraries`"):
        libraries.check([jar])


class Fetching:
    """A JBang that fetches what is missing."""

    def __init__(self, jar: Path, *sent: bytes):
        self.jar, self.sent = jar, list(sent)

    def resolve(self, scripts):
        if not self.jar.exists():
            self.jar.write_bytes(self.sent.pop(0))
        return ({"resolvedDependencies": [str(self.jar)]} for _ in scripts)


def test_a_damaged_library_is_fetched_once_more_and_then_refused(jar, monkeypatch):
    fetching = Fetching(jar, GOOD, BAD, GOOD)
    monkeypatch.setattr(stores, "find_jbang", lambda: fetching)
    script = Path("Store.java")
    for damage in (spoil, lambda jar: jar.write_bytes(GOOD[:4]), lambda jar: jar.write_bytes(b"")):
        damage(jar)
        if len(fetching.sent) == 2:
            with pytest.raises(UserError, match=r"x-1\.jar has SHA-256.*do not trust it"):
                stores.resolve([script])
        else:
            assert stores.resolve([script])["Store"]["resolvedDependencies"] == [str(jar)]
            assert jar.read_bytes() == GOOD
    assert not fetching.sent


def test_a_build_with_a_damaged_library_is_not_current(jar, monkeypatch):
    built = stores.Built("s", "17", [str(jar)], [])
    for other in ("is_own", "is_whole"):
        monkeypatch.setattr(stores, other, lambda jar: True)
    assert built.is_current("s", "17")
    spoil(jar)
    assert not built.is_current("s", "17")


def test_another_java_kernel_is_refused(jar):
    libraries.LOCK.write_text(f"{0:064}  {libraries.named(libraries.JJAVA)}\n")
    with pytest.raises(UserError, match=r"jjava\.jar has SHA-256 .*; remove \.venv"):
        kernel.spec("Java", [], [])


@pytest.mark.jvm
@pytest.mark.parametrize(
    "start",
    [
        lambda store, work: kernel.spec("Java", [], store["class_path"]),
        lambda store, work: catalogue.described(
            {"X": stores.Built("", "", store["class_path"], [])}
        ),
        lambda store, work: filesystems.rate(store, work, "smoke", {"entries": 1, "heap": "1g"}),
        lambda store, work: syscalls.count(store, {}),
        lambda store, work: crosscheck_drivers.jmh(
            stores.Built("", "", [], []),
            store,
            Case("int", "random"),
            crosscheck_drivers.Conditions(
                "smoke",
                1,
                {"entries": 1, "heap": "1g", "warmup_seconds": 1, "measure_seconds": 1}
                | {"iterations": 1, "data_bytes": 104},
                {},
            ),
        ),
    ],
    ids=["kernel", "catalogue", "file systems", "system calls", "JMH"],
)
def test_no_jvm_starts_with_a_library_that_is_another(jar, start, tmp_path, monkeypatch):
    find_jdk()  # which asks it for its version, once
    monkeypatch.setattr(jvm, "run_java", lambda *_: pytest.fail("it ran"))
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("it ran"))
    spoil(jar)
    store = {"id": "X", "main": "X", "class_path": [str(jar)], "runtime_options": []}
    with pytest.raises(UserError, match=r"x-1\.jar has SHA-256"):
        start(store | {"unsupported": []}, tmp_path)


def test_the_lock_is_written_from_what_is_fetched_and_not_from_what_lies_here(jar, monkeypatch):
    spoil(jar)

    def fake(of: Path, place: Path) -> Fetching:
        assert of.read_bytes() == GOOD and not place.is_relative_to(jar.parent)
        there = place / "m2" / "org" / "x" / "x-1.jar"
        there.parent.mkdir(parents=True)
        return Fetching(there, GOOD)

    monkeypatch.setattr(jbang, "download", lambda to: to.write_bytes(GOOD))
    monkeypatch.setattr(jbang, "of_jar", fake)
    monkeypatch.setattr(lock, "scripts", lambda: [Path("A.java"), Path("B.java")])
    before = libraries.LOCK.read_text()
    libraries.LOCK.write_text("")
    assert lock.write_lock() == 3
    assert set(before.splitlines()[1:]) < set(libraries.LOCK.read_text().splitlines())
    root = jar.parents[4]
    read = ["sha256sum", "--check", "--ignore-missing", "--strict", "libraries.lock"]
    assert subprocess.run(read, cwd=root, capture_output=True).returncode == 1, "it is spoiled"
    jar.write_bytes(GOOD)
    assert subprocess.run(read, cwd=root, capture_output=True).returncode == 0
    assert not list(jar.parents[3].glob("tmp*"))


def test_a_script_that_cannot_be_resolved_leaves_the_lock_as_it_is(jar, monkeypatch):
    before = libraries.LOCK.read_text()
    monkeypatch.setattr(jbang, "download", lambda to: to.write_bytes(GOOD))
    failing = type("JBang", (), {"resolve": lambda _, scripts: iter([{"failed": "no route"}])})
    monkeypatch.setattr(jbang, "of_jar", lambda *_: failing())
    with pytest.raises(UserError, match="cannot be fetched, and nothing was locked:\nno route"):
        lock.fetched([Path("A.java")], failing())
    monkeypatch.setattr(lock, "scripts", lambda: [Path("A.java")])
    with pytest.raises(UserError):
        lock.write_lock()
    assert libraries.LOCK.read_text() == before


def test_a_jbang_that_is_another_is_fetched_once_more_and_then_refused(jar, monkeypatch):
    downloaded = []
    monkeypatch.setattr(jbang, "download", lambda to: downloaded.append(to.write_bytes(BAD)))
    with libraries.LOCK.open("a") as text:
        text.write(f"{hashlib.sha256(GOOD).hexdigest()}  .cache/jbang.jar\n")
    for _ in range(2):
        with pytest.raises(UserError, match=r"jbang\.jar has SHA-256.*do not trust it; try again"):
            jbang.fetched_jbang()
    assert len(downloaded) == 2
