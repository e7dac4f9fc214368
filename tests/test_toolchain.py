"""The environment, the JDK, JBang, the Java kernel and Quarto: found, refused in one sentence, and
kept out of the home.
"""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from jupyter_client.kernelspec import KernelSpecManager

from kvreport import bootstrap, doctor, preparation
from kvreport.base import cached, errors
from kvreport.base.errors import UserError
from kvreport.base.paths import BIN, ENVIRONMENT, JBANG_KV, JBANG_STORES, QUIET, ROOT, SCHEMA
from kvreport.measure import kernel
from kvreport.render import quarto
from kvreport.toolchain import browser, catalogue, jbang, jdk, libraries, stores

SCRIPT = JBANG_STORES / "FlatFile.java"


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Puts a made-up command first on PATH: command("jbang", "echo 0.1")."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.delenv("JAVA_HOME", raising=False)

    def make(name: str, script: str, folder: Path = tmp_path / "bin") -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return file

    forget()
    yield make
    forget()


def forget():
    for found in (jdk.find_jdk, jbang.find_jbang, quarto.installed_quarto):
        found.cache_clear()


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


# --- the lists of pins ---


LOCKS = [ROOT / lock for lock in bootstrap.STAMPS]


def locked(lock: Path) -> dict[str, str]:
    entries = re.split(r"\n(?=[a-z])", lock.read_text().strip())
    assert all("--hash=sha256:" in entry for entry in entries)
    return {
        plain(name): version
        for name, version in (re.match(r"([\w.-]+)==(\S+)", entry).groups() for entry in entries)
    }


def pins(lines: list[str]) -> dict[str, str]:
    return {
        plain(name): version
        for name, version in (
            re.fullmatch(r"([\w.-]+) *== *(\S+)", line).groups() for line in lines
        )
    }


def test_the_lists_of_packages_agree():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())
    report, dev = (
        pins(declared["project"]["dependencies"]),
        pins(declared["dependency-groups"]["dev"]),
    )
    mutants = pins(declared["dependency-groups"]["mutants"])
    first, second, third = map(locked, LOCKS)
    assert report.items() <= first.items() and dev.items() <= second.items()
    assert mutants.items() <= third.items() and not mutants.keys() & (first | second).keys()
    assert not dev.keys() & first.keys(), "rendering needs nothing that only tests need"
    assert {name: first.get(name, second[name]) for name in second} == second, "they go together"
    assert third == {name: (first | second).get(name, third[name]) for name in third}

    wanted = report | dev
    *conda, pip = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    assert pip["pip"].pop() == "-e ."
    tools = {
        "python": "=3.12",
        "openjdk": "=17",
        "pip": "",
        "quarto": ">=" + ".".join(map(str, quarto.OLDEST)),
        "jbang": ">=" + ".".join(map(str, jbang.OLDEST)),
    }
    named = {plain(name): version for name, _, version in (line.partition(" ") for line in conda)}
    assert named == tools | {
        name: f"={version}" for name, version in wanted.items() if name not in pins(pip["pip"])
    }
    assert pins(pip["pip"]).items() <= wanted.items()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_names_no_place_to_fetch_from(lock):
    text = lock.read_text()
    assert "://" not in text and "--index-url" not in text and "--find-links" not in text


# --- Python ---


def test_an_old_python_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match="Python 3.11 or newer is needed and this is 3.9: install"):
        bootstrap.main("nowhere")


def test_a_python_without_venv_is_told_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(SystemExit, match="apt install python3-venv"):
        bootstrap.main(str(tmp_path / "venv"))


def test_uv_installs_the_packages_and_pip_does_where_uv_cannot(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    ran, works = [], {"uv": True, "pip": True}

    def run(command):
        tool = command[2]
        ran.append(
            (tool, open(command[command.index("-r") + 1]).read() if "-r" in command else "itself")
        )
        return works[tool]

    monkeypatch.setattr(bootstrap, "run", run)
    bootstrap.install("python", bootstrap.LOCK)
    (first, uv), *rest = ran
    assert first == "pip" and re.fullmatch(
        r"uv==[\d.]+ \\\n(    --hash=sha256:\w{64}( \\)?\n?)+", uv
    )
    everything = (ROOT / bootstrap.LOCK).read_text()
    assert rest == [("uv", everything)]
    works["uv"] = False
    bootstrap.install("python", bootstrap.LOCK)
    assert ran[3:] == [("uv", everything), ("pip", everything)]
    assert "uv cannot: pip does it" in capsys.readouterr().out
    works["pip"] = False
    with pytest.raises(SystemExit, match="is a package index reachable"):
        bootstrap.install("python", bootstrap.LOCK)
    fill_disk(monkeypatch, bootstrap)
    with pytest.raises(SystemExit, match="is full: free some space"):
        bootstrap.install("python", bootstrap.LOCK)


def fill_disk(monkeypatch, module) -> None:
    """Has a module see a disk without room."""
    monkeypatch.setattr(module.shutil, "disk_usage", lambda _: SimpleNamespace(free=0))


def test_an_environment_for_which_the_disk_has_no_room_is_one_sentence(monkeypatch, tmp_path):
    def create(*_):
        raise subprocess.CalledProcessError(1, "ensurepip")

    monkeypatch.setattr(venv.EnvBuilder, "create", create)
    with pytest.raises(SystemExit, match="cannot be made: ensurepip ends with 1"):
        bootstrap.make_environment(str(tmp_path))
    fill_disk(monkeypatch, bootstrap)
    with pytest.raises(SystemExit, match="is full: free some space"):
        bootstrap.make_environment(str(tmp_path))


def test_the_environment_of_a_copied_checkout_is_made_anew(monkeypatch, tmp_path):
    venv, made = tmp_path / "venv", []
    venv.mkdir()
    monkeypatch.setattr(bootstrap, "works", lambda python: True)
    monkeypatch.setattr(bootstrap, "run", lambda command: True)
    monkeypatch.setattr(bootstrap, "make_environment", made.append)
    for place, expected in [("here", 0), ("here", 0), ("there", 1), ("there", 1)]:
        (tmp_path / place).mkdir(exist_ok=True)
        shutil.copy(ROOT / bootstrap.LOCK, tmp_path / place)
        monkeypatch.chdir(tmp_path / place)
        for lock in bootstrap.STAMPS:
            bootstrap.main(str(venv), lock)
        assert len(made) == expected


# --- the JDK ---


@pytest.mark.jvm
def test_java_home_comes_before_path(command, monkeypatch):
    here = jdk.find_jdk()
    command("java", "exit 1")
    forget()
    with pytest.raises(UserError, match="does not run"):
        jdk.find_jdk()
    monkeypatch.setenv("JAVA_HOME", str(here.home))
    assert jdk.find_jdk() == here


@pytest.mark.parametrize(
    "version, feature, sentence",
    [
        ("1.8.0_392", "1.8", "is version 1.8.0_392, too old"),
        ("17.0.9", "17", "is a runtime without a compiler"),
    ],
)
def test_a_java_that_cannot_do_is_refused(command, tmp_path, version, feature, sentence):
    command(
        "java",
        f"printf 'java.home = {tmp_path}\\njava.version = {version}\\njava.specification.version ="
        f" {feature}\\njava.vendor = Nobody\\n' >&2",
    )
    with pytest.raises(UserError, match=sentence + ".*apt install default-jdk"):
        jdk.find_jdk()


def test_no_java_at_all(monkeypatch, command, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        UserError, match="no JDK on this machine's PATH: install a JDK, 17 or newer"
    ):
        jdk.find_jdk()
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(UserError, match="JAVA_HOME is /nowhere, and there is no JDK in it"):
        jdk.find_jdk()


# --- JBang ---


def test_the_users_own_jbang_is_used_when_recent_enough(command):
    command("jbang", "echo 0.99.1")
    assert jbang.own_jbang() is None
    mine = command("jbang", "echo 0.140.2")
    assert jbang.own_jbang() == jbang.JBang((str(mine),), "0.140.2", own=True)


@pytest.mark.jvm
def test_the_shim_is_not_taken_for_the_users_own(command, monkeypatch, tmp_path):
    shim = command("jbang", "")
    lock = Path(shutil.copy(libraries.LOCK, tmp_path))
    monkeypatch.setattr(libraries, "LOCK", lock)
    monkeypatch.setattr(jbang, "SHIM", shim)
    fetched = jbang.fetched_jbang()
    assert (fetched.version, fetched.own) == (jbang.VERSION, False)
    assert jbang.own_jbang() is None
    helped = subprocess.run([shim, str(SCRIPT), "--help"], capture_output=True, text=True).stdout
    assert "Flat file" in helped and "--value-bytes" in helped
    refused = subprocess.run(
        [shim, str(SCRIPT), "write", "--entries", "a b"], capture_output=True, text=True
    )
    assert refused.returncode == 2 and "'a b' is not" in refused.stderr
    lock.write_text(re.sub(r"^\w{64}(.*picocli)", rf"{0:064}\1", lock.read_text(), flags=re.M))
    refused = subprocess.run([shim, str(SCRIPT), "--help"], capture_output=True, text=True)
    assert refused.returncode == 2 and "picocli" in refused.stderr and not refused.stdout


@pytest.mark.jvm
def test_building_apart_and_together_gives_the_same(tmp_path, monkeypatch):
    broken = tmp_path / "Broken.java"
    broken.write_text("class Broken { int x = nothing; }")
    scripts = [SCRIPT, broken, SCRIPT]
    ours = jbang.fetched_jbang()
    needs = list(ours.together("info tools", scripts))
    assert needs == list(ours.apart("info tools", scripts)) and needs[2] == needs[0]
    assert needs[0]["applicationJar"].endswith("FlatFile.jar") and needs[1]["applicationJar"]
    built = list(ours.together("build", scripts))
    assert built == list(ours.apart("build", scripts)) and (built[0], built[2]) == ({}, {})
    assert (
        "error: cannot find symbol" in built[1]["failed"] and "Building" not in built[1]["failed"]
    )
    monkeypatch.setattr(jbang, "JBANG_BUILDS", tmp_path / "Missing.java")
    assert "Missing.java" in next(ours.build([SCRIPT]))["failed"]


@pytest.mark.jvm
def test_of_what_jbang_prints_the_compilers_words_are_kept(monkeypatch):
    """And the flags that make it quick come after the user's own, who may need a proxy."""
    said = "Picked up JAVA_TOOL_OPTIONS: -Xa\n[jbang] Building\nX.java:3: error\n[jbang] [ERROR] it"
    assert jbang.essence(said).splitlines() == ["X.java:3: error", "[jbang] [ERROR] it"]
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dhttps.proxyHost=here")
    flags = jbang.JBang((), "", own=True).environment()["JAVA_TOOL_OPTIONS"].split()
    assert flags == ["-Dhttps.proxyHost=here", *jdk.QUICK_TO_START]


def test_a_network_out_of_reach_is_one_sentence(monkeypatch, tmp_path):
    import requests

    def refuse(*_, **__):
        raise requests.ConnectionError("no route")

    monkeypatch.setattr(requests, "request", refuse)
    with pytest.raises(
        UserError,
        match="could not be downloaded from Maven Central: check the network, or install JBang",
    ):
        jbang.download(tmp_path / "jbang.jar")


# --- the stores ---


@pytest.mark.jvm
def test_unchanged_stores_are_not_built_again(monkeypatch):
    known = catalogue.catalog()
    monkeypatch.setattr(stores, "find_jbang", lambda: pytest.fail("JBang was called"))
    monkeypatch.setattr(catalogue, "described", lambda built: pytest.fail("Java was called"))
    assert catalogue.catalog() == known


UNFIT = [  # a script that builds, and what makes its class no store that can be used
    ("Unpackaged", "package stores;\n", ""),
    ("Hidden", "public final class", "final class"),
    ("Silent", "describe() {\n", "describe() {\n        if (true) return null;\n"),
]


@pytest.mark.jvm
def test_a_store_that_does_not_build_or_ends_its_jvm_is_left_out_with_its_reason(
    monkeypatch, tmp_path
):
    scripts = tmp_path / "jbang" / "stores"
    scripts.mkdir(parents=True)
    shutil.copytree(JBANG_KV, tmp_path / "jbang" / "kv")
    shutil.copytree(SCHEMA, tmp_path / "data" / "schema")
    (scripts / "FlatFile.java").write_text(SCRIPT.read_text())
    (scripts / "Broken.java").write_text(SCRIPT.read_text().replace("class FlatFile", "class Flat"))
    asked, exit = "describe() {\n", "describe() {\n        if (true) System.exit(0);\n"
    exits = SCRIPT.read_text().replace("FlatFile", "Exits").replace(asked, exit)
    (scripts / "Exits.java").write_text(exits)
    for own, line, other in UNFIT:
        text = SCRIPT.read_text().replace("FlatFile", own)
        (scripts / f"{own}.java").write_text(text.replace(line, other))
    (scripts / "No-Store.java").write_text(SCRIPT.read_text())
    monkeypatch.setattr(catalogue, "JBANG_STORES", scripts)
    monkeypatch.setattr(stores, "BUILT", tmp_path / "built")
    monkeypatch.setattr(catalogue, "CATALOG", tmp_path / "catalog.json")

    known = catalogue.catalog()

    unfit = {own for own, *_ in UNFIT}
    assert list(known["stores"]) == ["FlatFile"]
    assert set(known["failed"]) == {"Broken", "Exits", *unfit}
    assert "line `package stores;`" in known["failed"]["Unpackaged"]
    assert "let its class be public" in known["failed"]["Hidden"]
    assert "let it return" in known["failed"]["Silent"]
    assert "ended before it had answered" in known["failed"]["Exits"]
    assert "error:" in known["failed"]["Broken"] and "Resolving" not in known["failed"]["Broken"]
    assert cached.kept(tmp_path / "catalog.json") == known


DESCRIBED = {
    "id": "A",
    "name": "A",
    "family": "B+ tree",
    "colour": "#1d6ec7",
    "library": "",
    "about": "",
    "unsupported": {},
    "options": [],
    "settings": {},
    "fixed": {},
}
WRONG = {
    "Red": DESCRIBED | {"id": "Red", "colour": "red"},
    "Other": DESCRIBED,
    "Nameless": DESCRIBED | {"id": "Nameless", "name": None},
    "Half": {"id": "Half"},
}


@pytest.mark.parametrize("silent", [[], ["Throws"]], ids=["answered", "asked one by one"])
def test_a_store_that_describes_itself_wrongly_or_not_at_all_costs_no_other(monkeypatch, silent):
    def ask(built: dict) -> dict:
        if set(built) & set(silent):
            raise catalogue.NoAnswer("it throws")
        return {"stores": {each: WRONG.get(each, DESCRIBED | {"id": each}) for each in built}}

    monkeypatch.setattr(catalogue, "_ask", ask)
    built = {each: stores.Built("", "17", [each], []) for each in ["Good", *WRONG, *silent]}
    known = catalogue.described(built)
    assert list(known["stores"]) == ["Good"] and known["stores"]["Good"]["main"] == "stores.Good"
    assert set(known["refused"]) == {*WRONG, *silent}
    assert "colour must match" in known["refused"]["Red"]
    if silent:
        with pytest.raises(UserError, match="it throws"):
            catalogue.described({each: built[each] for each in silent})


@pytest.mark.parametrize("name", ["My-Store", "1Store", "FlatFile"])
def test_a_script_elsewhere_that_can_have_no_id_is_refused_by_name(tmp_path, name):
    script = tmp_path / f"{name}.java"
    script.write_text(SCRIPT.read_text())
    with pytest.raises(UserError, match=rf"{script} cannot be measured: .*name"):
        preparation.existing([script])
    assert preparation.existing([SCRIPT, SCRIPT]) == [SCRIPT, SCRIPT], "the project's own"


def test_who_waits_for_another_s_build_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(stores, "CACHE", tmp_path)

    def build() -> str:
        with stores.only_builder():
            return "built"

    with ThreadPoolExecutor() as pool:
        with stores.only_builder():
            waiting = pool.submit(build)
            while "waits until" not in capsys.readouterr().out:
                assert not waiting.done()
        assert waiting.result(timeout=10) == "built"


@pytest.mark.parametrize("full", ["JBang says so", "the disk shows it", "no"])
def test_a_store_that_has_no_room_to_be_built_is_not_said_to_be_wrong(full, monkeypatch, tmp_path):
    said = f"error writing: {os.strerror(errno.ENOSPC)}" if full == "JBang says so" else "error: ;"
    failing = SimpleNamespace(
        resolve=lambda scripts: iter([{}]), build=lambda scripts: iter([{"failed": said}])
    )
    monkeypatch.setattr(stores, "BUILT", tmp_path / "built")
    monkeypatch.setattr(stores, "CACHE", tmp_path)
    monkeypatch.setattr(stores, "find_jbang", lambda: failing)
    monkeypatch.setattr(stores, "find_jdk", lambda: jdk.Jdk(tmp_path, "17.0.1", 17, ""))
    monkeypatch.setattr(stores.availability, "find_jdk", stores.find_jdk)
    if full == "the disk shows it":
        fill_disk(monkeypatch, stores)
    if full == "no":
        assert stores.build_stale([SCRIPT])["FlatFile"].failed == said
        return
    with pytest.raises(OSError) as refused:
        stores.build_stale([SCRIPT])
    assert "No space left on device: free some space" in errors.sentence_of(refused.value)
    assert not (tmp_path / "built").exists(), "nothing is kept of it"


def test_options_are_joined_one_by_one():
    options = stores.one_token_each(
        ["-Xss2m", "--add-opens", "java.base/java.nio=ALL-UNNAMED", "-Da=b"]
    )
    assert options == ["-Xss2m", "--add-opens=java.base/java.nio=ALL-UNNAMED", "-Da=b"]
    one, two = (
        {"runtime_options": options, "class_path": ["x", "shared"]},
        {"runtime_options": ["-Da=b"], "class_path": ["shared"]},
    )
    assert catalogue.union([one, two]) == (options, ["x", "shared"])


# --- the Java kernel ---


@pytest.mark.jvm
def test_the_kernel_in_the_environment_knows_every_store():
    kernel.register(catalogue.catalog())
    found = KernelSpecManager().get_kernel_spec("java")
    path = found.env["JJAVA_CLASSPATH"].split(os.pathsep)
    assert Path(found.resource_dir).is_relative_to(ENVIRONMENT) and kernel.is_registered()
    assert found.argv[0] == str(jdk.find_jdk().java) and kernel.JSHELL in found.argv
    assert {f"{store}.jar" for store in catalogue.catalog()["stores"]} <= {
        Path(jar).name for jar in path
    }


@pytest.mark.jvm
def test_a_trial_s_kernel_starts_from_the_archive(tmp_path):
    kernel.register(catalogue.catalog())
    (tmp_path / "connection.json").write_text("{}")  # which says too little: it ends
    flags = kernel.from_archive(tmp_path)
    argv = kernel.spec("Java", [], [], *flags, "-Xmx300m", "-Xlog:class+load").argv
    told = subprocess.run(
        [*argv[:-1], "connection.json"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    ).stdout
    assert flags and str(tmp_path) not in flags[0], "it names no folder, as records carry it"
    assert [
        line
        for line in told.splitlines()
        if "jjava" in line and "shared objects file (top)" in line
    ], told[-2000:]


@pytest.mark.jvm
def test_a_kernel_for_one_store_knows_no_other_and_leaves_the_home_alone(tmp_path):
    code = """
from jupyter_client.manager import KernelManager
from kvreport.base import paths
from kvreport.measure import kernel
from kvreport.toolchain import catalogue
paths.keep_home_clean()
manager = KernelManager(kernel_name="java")
flat_file = catalogue.catalog()["stores"]["FlatFile"]
manager._kernel_spec = kernel.spec("Java", *catalogue.union([flat_file]), "-Xmx300m")
manager.start_kernel()
client = manager.client()
client.start_channels()
try:
    client.wait_for_ready(timeout=60)
    client.execute_interactive('''import kv.cli.*;
        System.out.println(Notebook.store("FlatFile").describe().id() + " "
            + Runtime.getRuntime().maxMemory() / 1048576);
        try { Notebook.store("MapDb"); }
        catch (kv.store.UserError e) { System.out.println("alone"); }''', timeout=60)
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
"""
    environment = os.environ | {
        "HOME": str(tmp_path),
        "JAVA_TOOL_OPTIONS": f"-Duser.home={tmp_path}",
        QUIET: "yes",  # other tests may be building stores, which it would say
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.split() == ["FlatFile", "300", "alone"], done.stderr
    assert not list(tmp_path.iterdir())


# --- Quarto and the browser ---


@pytest.fixture
def no_quarto(monkeypatch, tmp_path, command):
    monkeypatch.setattr(quarto, "FETCHED", tmp_path / "quarto")
    monkeypatch.setattr(quarto, "OUT_OF_REACH", tmp_path / "out-of-reach")


def test_quarto_is_the_users_own_when_it_can_make_a_book(no_quarto, command):
    command("quarto", "echo 1.7.32")
    assert quarto.installed_quarto() is None
    mine = command("quarto", "echo 1.10.3")
    forget()
    assert quarto.find_quarto() == mine


def test_fetching_quarto_is_tried_once(no_quarto, command, monkeypatch, capsys):
    command("quarto", "exit 1")
    tries = []
    monkeypatch.setattr(quarto, "fetch", lambda: tries.append(1) or "no such page")
    assert quarto.find_quarto() is None
    assert capsys.readouterr().err.count("\n") == 1
    assert quarto.find_quarto() is None and len(tries) == 1


def test_a_browser_is_found_by_any_of_its_names(command, monkeypatch, tmp_path):
    monkeypatch.setattr(browser, "MACOS", [])
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert browser.find_browser() is None
    chrome = command("google-chrome", "")
    assert browser.find_browser() == chrome


# --- the command line ---


def kvreport(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [BIN / "kvreport", *arguments], env=os.environ | environment, capture_output=True, text=True
    )


@pytest.mark.jvm
def test_doctor_says_what_is_missing_and_ends_with_1():
    healthy = kvreport("doctor")
    assert healthy.returncode == 0 and all(what in healthy.stdout for what in doctor.CHECKS)
    ill = kvreport("doctor", JAVA_HOME="/nowhere", COLUMNS="300")
    assert ill.returncode == 1 and re.search(
        r"JDK +missing +JAVA_HOME is /nowhere.*install a JDK", ill.stdout
    )


@pytest.mark.jvm
@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["setup"], "JAVA_HOME is /nowhere, and there is no JDK in it"),
        (["section", "99"], "There is no section 99; there are 00-harness, 01-lmdb-settings"),
    ],
)
def test_a_mistake_is_one_sentence_and_ends_with_2(arguments, sentence):
    refused = kvreport(*arguments, **({"JAVA_HOME": "/nowhere"} if "nowhere" in sentence else {}))
    assert (
        refused.returncode == 2 and refused.stderr.count("\n") == 1 and sentence in refused.stderr
    )


def test_what_jbang_remembers_of_another_checkout_is_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr(jbang, "CACHE", tmp_path)
    found = jdk.Jdk(tmp_path, "17.0.1", 17, "")
    remembered = tmp_path / "jbang-17.0.1" / "cache" / "dependency_cache.json"
    remembered.parent.mkdir(parents=True)
    for place, stays in (tmp_path / "m2", True), (tmp_path.parent / "elsewhere", False):
        remembered.write_text(json.dumps({"a:b:1": [{"file": f"{place}/b-1.jar"}]}))
        jbang.forget_what_is_wrong(found)
        assert remembered.exists() == stays
    (tmp_path / "m2").symlink_to(tmp_path.parent / "shared")
    assert jbang.is_own(f"{tmp_path.parent}/shared/b-1.jar")
