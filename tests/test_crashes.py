"""A JVM that crashes outside a trial leaves its report below .cache, and not where it was
started.
"""

import json
import subprocess
from pathlib import Path

import pytest

from kvreport.base.errors import UserError
from kvreport.measure import kernel
from kvreport.toolchain import catalogue, jbang, jdk, libraries, stores

JAVA = """\
#!/bin/sh
case "$*" in *-jar*) echo "$JAVA_HOME/bin/java -cp x Main"; exit 255;; esac
echo "$PWD" "$@"
"""


@pytest.fixture
def java(tmp_path, monkeypatch):
    """A JDK that says where and how its JVM was started; its folder, whose name has a blank."""
    home = tmp_path / "a jdk"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text(JAVA)
    (home / "bin" / "java").chmod(0o755)
    found = jdk.Jdk(home, "17.0.1", 17, "Nobody")
    monkeypatch.setattr(jdk, "CACHE", tmp_path / "a cache")
    for module in (jbang, catalogue, kernel):
        monkeypatch.setattr(module, "find_jdk", lambda: found)
    return home


def report_of(folder: Path) -> str:
    return f"-XX:ErrorFile={folder}/a cache/crashes/hs_err_pid%p.log"


def test_jbang_and_what_it_starts_run_where_reports_may_lie(java, tmp_path, monkeypatch):
    crashes = str(tmp_path / "a cache" / "crashes")
    ours = jbang.of_jar(tmp_path / "jbang.jar")
    said = jbang.JBang((str(java / "bin" / "java"),), "", own=True).run("build", "x")
    assert said.startswith(f"{crashes} build")
    (failed,) = ours.together("build", [tmp_path / "X.java"])
    assert failed["failed"].startswith(crashes)
    with pytest.raises(UserError, match=f"before it had answered: {crashes}"):
        catalogue.described({"X": stores.Built("", "", [], [])})


def test_by_hand_a_script_s_jvm_reports_there(java, tmp_path, monkeypatch):
    """Unless the JDK's folder has a blank: JBang then quotes it."""
    found = jdk.Jdk(java.rename(tmp_path / "jdk"), "17.0.1", 17, "Nobody")
    monkeypatch.setattr(jbang, "find_jdk", lambda: found)
    monkeypatch.setattr(jbang, "JAR", tmp_path / "jbang.jar")
    monkeypatch.setattr(jbang, "SHIM", tmp_path / "jbang")
    monkeypatch.setattr(libraries, "LOCK", tmp_path / "libraries.lock")
    (tmp_path / "jbang.jar").write_text("JBang")
    libraries.LOCK.write_text(f"{libraries.sha256(jbang.JAR)}  {libraries.named(jbang.JAR)}\n")
    jbang.fetched_jbang()
    done = subprocess.run([jbang.SHIM, "X.java"], capture_output=True, text=True, cwd=tmp_path)
    assert report_of(tmp_path) in done.stdout and done.stdout.endswith("-cp x Main\n")


def test_a_kernel_by_hand_reports_there(java, tmp_path, monkeypatch):
    monkeypatch.setattr(kernel, "JAVA_KERNEL", tmp_path)
    monkeypatch.setattr(kernel, "make_archive", lambda: None)
    kernel.register({"stores": {"X": {"runtime_options": [], "class_path": []}}})
    assert report_of(tmp_path) in json.loads((tmp_path / "kernel.json").read_text())["argv"]


@pytest.mark.jvm
def test_a_jvm_that_crashes_writes_there(tmp_path, monkeypatch):
    monkeypatch.setattr(jdk, "CACHE", tmp_path / "a cache")
    (tmp_path / "Crash.java").write_text(
        "class Crash { public static void main(String[] a) throws Exception {"
        ' new ProcessBuilder("kill", "-SEGV", "" + ProcessHandle.current().pid()).start();'
        " Thread.sleep(60000); } }"
    )
    command = [jdk.find_jdk().java, *jdk.QUICK_TO_START, *jdk.crash_flags(), "Crash.java"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60)
    assert list(jdk.crashes().glob("hs_err_pid*.log"))
    assert {file.name for file in tmp_path.iterdir()} == {"Crash.java", "a cache"}
