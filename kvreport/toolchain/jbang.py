"""JBang, which builds the stores' scripts: the user's own, else the one from Maven Central.

The artefact from Maven Central prints the command that runs a script instead of running it, so a
shell shim beside it evaluates what it prints, as JBang's own launcher does, once the libraries that
are here have proved to be those of the lock. That one also resolves and builds many scripts in one
JVM, in half the time. Either way everything it downloads and builds stays in .cache.
"""

import functools
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kvreport.base.errors import UserError
from kvreport.base.paths import BIN, CACHE, JBANG_BUILDS, ROOT, shown
from kvreport.base.scratch import scratch
from kvreport.toolchain import libraries
from kvreport.toolchain.jdk import QUICK_TO_START, Jdk, crash_flags, crashes, find_jdk

OLDEST = (0, 127)
VERSION = "0.132.1"
JAR = CACHE / f"jbang-cli-{VERSION}-all.jar"

JVM_FLAGS = "JAVA_TOOL_OPTIONS"  # the variable of which each JVM says that it picked it up
RECORD = "\x1e"  # before each answer of Builds.java
SHIM = BIN / "jbang"  # for the user's shell
MARK = b"Written by `make`"
SHIM_TEXT = """\
#!/bin/sh
# Written by `make`. JBang answers 255 and the command to run, or does the work itself and
# answers anything else.
export {settings}
export JBANG_RUNTIME_SHELL=bash JBANG_LAUNCH_CMD="$0"
(cd {root} && sha256sum --check --quiet --ignore-missing {lock}) >&2 || {{
    echo "A library is not as {lock} has it: make setup fetches it anew." >&2
    exit 2
}}
command=$({java} {quick} {aside} -jar {jar} "$@")
status=$?
of_java=${{command#"$JAVA_HOME/bin/java"}}
[ "$of_java" = "$command" ] || command="$JAVA_HOME/bin/java {aside}$of_java"
[ $status -eq 255 ] && eval "exec $command"
[ -n "$command" ] && printf '%s\\n' "$command"
exit $status
"""


@dataclass(frozen=True)
class JBang:
    """A JBang that works: what starts it, its version, whether the user brought it, and the folder
    for what it fetches and builds.
    """

    command: tuple[str, ...]
    version: str
    own: bool
    place: Path = CACHE

    def run(self, *arguments: str) -> str:
        """Runs JBang and returns what it prints; raises JBangFailed with its own words."""
        done = subprocess.run(
            [*self.command, *arguments],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            env=self.environment(),
            cwd=crashes(),
        )
        if done.returncode:
            raise JBangFailed(
                essence(done.stderr)
                or done.stdout.strip()
                or f"JBang's exit code is {done.returncode}"
            )
        return done.stdout

    def environment(self) -> dict[str, str]:
        """Its flags reach the compiler too, which JBang starts for each script."""
        jdk = find_jdk()
        flags = " ".join((*os.environ.get(JVM_FLAGS, "").split(), *QUICK_TO_START))
        return jdk.environment() | settings(jdk, self.place) | {JVM_FLAGS: flags}

    def resolve(self, scripts: list[Path]) -> Iterator[dict]:
        """Fetches what scripts need; for each, in order, what `jbang info tools` says of it, or
        {"failed": JBang's words}.
        """
        return self.each("info tools", scripts)

    def build(self, scripts: list[Path]) -> Iterator[dict]:
        """Builds scripts; for each, in order, {}, or {"failed": the compiler's words}. Every other
        one is another process's: what they need is resolved, and each has a folder of its own.
        """
        halves = [self.each("build", half) for half in (scripts[::2], scripts[1::2]) if half]
        for pair in itertools.zip_longest(*halves):
            yield from (answer for answer in pair if answer is not None)

    def each(self, command: str, scripts: list[Path]) -> Iterator[dict]:
        return (self.apart if self.own else self.together)(command, scripts)

    def apart(self, command: str, scripts: list[Path]) -> Iterator[dict]:
        for script in scripts:
            try:
                yield json.loads(self.run(*command.split(), str(script)) or "{}")
            except JBangFailed as problem:
                yield {"failed": str(problem)}

    def together(self, command: str, scripts: list[Path]) -> Iterator[dict]:
        words: list[str | Path] = [find_jdk().java, "-cp", self.command[-1]]
        words += [JBANG_BUILDS, command, *scripts]
        started = subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            stdin=subprocess.DEVNULL,
            env=self.environment(),
            cwd=crashes(),
        )
        return self.answers(started, scripts)

    def answers(self, started: subprocess.Popen[str], scripts: list[Path]) -> Iterator[dict]:
        with started as builds:
            for _ in scripts:
                said = []
                for line in builds.stdout or ():
                    if line.startswith(RECORD):
                        break
                    said.append(line)
                else:
                    line = ""  # it died
                answer = line.removeprefix(RECORD).strip()
                yield (
                    json.loads(answer)
                    if answer
                    else {"failed": essence("".join(said)) or "JBang said nothing"}
                )


class JBangFailed(Exception):
    """What JBang, or the compiler it runs, said."""


def essence(said: str) -> str:
    """The compiler's lines and JBang's errors, without what JBang tells of its progress."""
    told = ("[jbang]", f"Picked up {JVM_FLAGS}")
    return "\n".join(
        line for line in said.splitlines() if "[ERROR]" in line or not line.startswith(told)
    )


def settings(jdk: Jdk, place: Path = CACHE) -> dict[str, str]:
    """JBang's environment: nothing in the home directory, and a cache for each JDK, as its own does
    not tell them apart.
    """
    return {
        "JAVA_HOME": str(jdk.home),
        "JBANG_DIR": str(place / f"jbang-{jdk.version}"),
        "JBANG_REPO": str(place / libraries.REPOSITORY),
        "JBANG_NO_VERSION_CHECK": "true",
    }


def forget_what_is_wrong(jdk: Jdk) -> None:
    """Has JBang resolve dependencies anew where what it remembers of them is damaged, which it does
    not always survive, or is another checkout's: in a copy its class paths would lead to the place
    that it was copied from.
    """
    remembered = CACHE / f"jbang-{jdk.version}" / "cache" / "dependency_cache.json"
    if not remembered.exists():
        return
    try:
        text = remembered.read_text()
        right = isinstance(json.loads(text), dict)
    except (OSError, ValueError):
        right = False
    if not right or not all(map(is_own, re.findall(r'"(/[^"]+\.jar)"', text))):
        remembered.unlink()


def is_own(jar: str) -> bool:
    """Return whether a jar is in this checkout's cache, whose folders may be links to another's."""
    own = [CACHE / libraries.REPOSITORY, *CACHE.glob("jbang-*")]
    return any(Path(jar).resolve().is_relative_to(place.resolve()) for place in own)


@functools.cache
def find_jbang() -> JBang:
    """The JBang to use, downloaded now if there is none. Raises UserError when that is not
    possible.
    """
    return own_jbang() or fetched_jbang()


def own_jbang() -> JBang | None:
    """The user's JBang, if there is one on PATH that is recent enough."""
    launcher = shutil.which("jbang")
    if not launcher or MARK in Path(launcher).read_bytes()[:200]:
        return None
    asked = JBang((launcher,), "", own=True)
    try:
        version = asked.run("--version").strip()
    except (JBangFailed, OSError):
        return None
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if not numbers or tuple(map(int, numbers.groups())) < OLDEST:
        return None
    return JBang((launcher,), version, own=True)


def fetched_jbang() -> JBang:
    """JBang from Maven Central, behind a shim on the environment's PATH. Raises UserError."""
    if not JAR.exists() or libraries.damaged([str(JAR)]):
        download(JAR)
        libraries.check([JAR], "try again")
    made = of_jar(JAR)
    text = SHIM_TEXT.format(
        java=shlex.quote(made.command[0]),
        quick=" ".join(QUICK_TO_START),
        aside=" ".join(map(shlex.quote, crash_flags())),
        jar=shlex.quote(str(JAR)),
        settings=" ".join(
            f"{name}={shlex.quote(value)}" for name, value in settings(find_jdk()).items()
        ),
        root=shlex.quote(str(ROOT)),
        lock=shlex.quote(shown(libraries.LOCK)),
    )
    if not SHIM.is_file() or SHIM.read_bytes() != text.encode():
        SHIM.write_text(text)
        SHIM.chmod(0o755)
    return made


def of_jar(jar: Path, place: Path = CACHE) -> JBang:
    """JBang as its jar has it. Started so it cannot run scripts, but building never answers 255."""
    command = (str(find_jdk().java), "-jar", str(jar))
    return JBang(command, VERSION, own=False, place=place)


def download(jar: Path) -> None:
    """Fetches JBang to that file. Raises UserError where there is no network."""
    from jgo.maven import MavenContext  # slow to import, and needed once

    with scratch(jar.parent) as folder:
        maven = MavenContext(repo_cache=folder, timeout=60)
        try:
            fetched = (
                maven.project("dev.jbang", "jbang-cli")
                .at_version(VERSION)
                .artifact("all", "jar")
                .resolve()
            )
        except (OSError, RuntimeError) as problem:
            raise UserError(
                "JBang could not be downloaded from Maven Central: check the network, "
                f"or install JBang and put it on PATH ({type(problem).__name__}: {problem})."
            ) from problem
        fetched.replace(jar)
