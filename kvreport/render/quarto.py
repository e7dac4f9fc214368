"""Finds Quarto, or tries once to fetch it. Without it the offline engine renders."""

import functools
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

from kvreport.base.paths import CACHE
from kvreport.base.terminal import echo

OLDEST = (1, 9)  # the first to render a book as PDF through Typst
# PyPI's package is a small script that downloads Quarto from its own release page.
VERSION = "1.10.19"
REQUIREMENT = (
    f"quarto-cli=={VERSION}"
    " --hash=sha256:e4b14f3aeb38ea536672428a402c413c962bd4ba9d0b9805f416779226eb53e2"
)
RELEASES = "https://github.com/quarto-dev/quarto-cli/releases"
LIMIT_SECONDS = 300

FOLDER = CACHE / "quarto"
FETCHED = FOLDER / "quarto_cli" / "bin" / "quarto"
OUT_OF_REACH = CACHE / "quarto-out-of-reach"


def find_quarto() -> Path | None:
    """The user's own Quarto if it is new enough, else a fetched one, else None after having said so
    once.
    """
    quarto = installed_quarto()
    if quarto or OUT_OF_REACH.exists():
        return quarto
    reason = fetch()
    if not reason:
        return FETCHED
    CACHE.mkdir(exist_ok=True)
    OUT_OF_REACH.write_text(reason)
    echo(
        f"Quarto is not installed and cannot be fetched ({reason}); the offline engine renders"
        f" instead. Delete .cache/{OUT_OF_REACH.name} to try again.",
        err=True,
    )
    return None


@functools.cache
def installed_quarto() -> Path | None:
    """Quarto as it is on PATH or was fetched before, if it is new enough. Downloads nothing."""
    for quarto in (shutil.which("quarto"), FETCHED):
        if quarto and tuple(map(int, re.findall(r"\d+", version(quarto))[:2])) >= OLDEST:
            return Path(quarto)
    return None


def version(quarto: Path | str) -> str:
    """Return what a Quarto says its version is; empty when it does not run."""
    try:
        return subprocess.run([quarto, "--version"], capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def fetch() -> str | None:
    """Fetches Quarto into .cache; what prevented it otherwise. A few seconds tell whether its
    release page can be reached.
    """
    try:
        urllib.request.urlopen(urllib.request.Request(RELEASES, method="HEAD"), timeout=5).close()
    except OSError:
        return "its release page is out of reach"
    echo(f"Fetching Quarto {VERSION}, about 130 MB, once", err=True)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--upgrade",
        "--require-hashes",
        "--target",
        str(FOLDER),
        "-r",
        "/dev/stdin",
    ]
    try:
        done = subprocess.run(
            pip, input=REQUIREMENT, capture_output=True, text=True, timeout=LIMIT_SECONDS
        )
    except subprocess.TimeoutExpired:
        done = None
    if not done or done.returncode or not version(FETCHED):
        shutil.rmtree(FOLDER, ignore_errors=True)
        return (
            f"it took longer than {LIMIT_SECONDS} s" if not done else "its package does not install"
        )
    installed_quarto.cache_clear()
    return None
