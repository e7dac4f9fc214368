"""Finds the JDK that builds and runs the stores."""

import functools
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from kvreport.base.errors import UserError
from kvreport.base.paths import CACHE

OLDEST = 17
QUICK_TO_START = (
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
)  # flags for a short program whose time is nobody's measure
HOW_TO_GET = (
    "install a JDK, 17 or newer (Debian: apt install default-jdk-headless; conda: openjdk) or set"
    " JAVA_HOME to one"
)
MORE_MEMORY = "end other programs, or raise the limit of memory (`ulimit -v`)"
# Lines of a JVM that say that it ends and not why; its warnings, and which options it picked up.
NO_CAUSE = re.compile(
    r"(NOTE: )?Picked up |\[[\d.]+s\]\[|OpenJDK .* warning:|There is insufficient memory for"
    r"|Error occurred during initialization|Error: (Could not create the|A fatal exception)"
)
TELLING = re.compile(r"SIG[A-Z]|Exception|Error")


def crashes() -> Path:
    """The folder for what a JVM leaves that crashes outside a trial: the current directory of those
    that are started here, as HotSpot writes there, and whatever they start, too.
    """
    folder = CACHE / "crashes"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def crash_flags() -> list[str]:
    """The flags of a JVM that has to run elsewhere."""
    return [
        f"-XX:ErrorFile={crashes()}/hs_err_pid%p.log",
        f"-XX:ReplayDataFile={crashes()}/replay_pid%p.log",
        "-XX:-CreateCoredumpOnCrash",
    ]


@dataclass(frozen=True)
class Jdk:
    """An installed JDK: its folder, version ("17.0.15"), feature release (17) and the vendor's name
    for itself.
    """

    home: Path
    version: str
    feature: int
    name: str

    @property
    def java(self) -> Path:
        """The launcher, as an absolute path."""
        return self.home / "bin" / "java"

    def environment(self) -> dict[str, str]:
        """This process's environment with this JDK first, for tools that look for `java` by
        themselves.
        """
        return os.environ | {
            "JAVA_HOME": str(self.home),
            "PATH": f"{self.home / 'bin'}{os.pathsep}{os.environ['PATH']}",
        }


@functools.cache
def find_jdk() -> Jdk:
    """The JDK that JAVA_HOME names, else the one on PATH.

    Raises UserError when there is none, it is older than 17, or it is a runtime without a compiler.
    """
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if not java:
        raise UserError(f"There is no JDK on this machine's PATH: {HOW_TO_GET}.")
    if not shutil.which(java):
        raise UserError(f"JAVA_HOME is {home}, and there is no JDK in it: {HOW_TO_GET}.")
    jdk = describe(java)
    if jdk.feature < OLDEST:
        raise UserError(f"The JDK in {jdk.home} is version {jdk.version}, too old: {HOW_TO_GET}.")
    if not (jdk.home / "bin" / "javac").exists():
        raise UserError(f"The Java in {jdk.home} is a runtime without a compiler: {HOW_TO_GET}.")
    return jdk


def first_error(said: str) -> str:
    """Of what a program printed, the first line that tells why it ended."""
    lines = [line for each in said.splitlines() if (line := each.strip("# \t"))]
    causes = [line for line in lines if not NO_CAUSE.match(line)]
    telling = (line for line in causes if TELLING.search(line))
    return next(telling, next(iter(causes or lines), "it said nothing"))


def describe(java: str) -> Jdk:
    """Asks a `java` launcher what it is, which also sees through shims and links."""
    asked = subprocess.run(
        [java, *crash_flags(), "-XshowSettings:properties", "-version"],
        capture_output=True,
        text=True,
    )
    said = {
        name.strip(): value.strip()
        for name, _, value in (line.partition("=") for line in asked.stderr.splitlines())
    }
    if "java.home" not in said:
        cause = first_error(asked.stdout + asked.stderr)
        scarce = re.search(r"memory|reserve|allocat", cause)
        raise UserError(f"{java} does not run ({cause}): {MORE_MEMORY if scarce else HOW_TO_GET}.")
    feature = int(said["java.specification.version"].removeprefix("1."))
    return Jdk(
        Path(said["java.home"]),
        said["java.version"],
        feature,
        said.get("java.vendor.version") or said["java.vendor"],
    )
