"""Makes the virtual environment from the lock; `make` runs it with whatever Python there is, so it needs nothing but that.

The syntax stays old on purpose: a Python too old for the project must still get as far as the sentence that says so.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

OLDEST = (3, 11)
NEWER = ["python3.14", "python3.13", "python3.12", "python3.11"]


def main(venv):
    if sys.version_info < OLDEST:
        hand_over_to_a_newer_python()
    python = os.path.join(venv, "bin", "python")
    if not works(python):
        make_environment(venv)
    install(python)
    open(os.path.join(venv, ".ready"), "w").close()


def hand_over_to_a_newer_python():
    for name in NEWER:
        if shutil.which(name):
            os.execvp(name, [name, "-m", "kvreport.bootstrap"] + sys.argv[1:])
    sys.exit(
        "Python 3.11 or newer is needed and this is %d.%d: install one (Debian 12 and later: apt install "
        "python3 python3-venv), or name the one to use: make PYTHON=/path/to/python3."
        % sys.version_info[:2]
    )


def works(python):
    """Whether an earlier environment can be brought up to date: it is there, and the Python it links to still is."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return (
        os.path.exists(python) and subprocess.call([python, "-m", "pip", "--version"], **quiet) == 0
    )


def make_environment(venv):
    try:
        import ensurepip  # noqa: F401  Debian packs venv without it
        import venv as builder
    except ImportError:
        sys.exit("Python's venv module is missing: install it (Debian: apt install python3-venv).")
    print("Making the Python environment in %s" % venv, flush=True)
    builder.EnvBuilder(with_pip=True, clear=True).create(venv)


def install(python):
    """With uv, in a tenth of pip's time; with pip where uv does not get what it needs, as behind an index that only pip's settings name."""
    print("Installing the packages of requirements.lock", flush=True)
    # compiled now, as every kernel would compile it anew where PYTHONDONTWRITEBYTECODE is set
    uv = [python, "-m", "uv", "pip", "install", "--compile-bytecode", "--python", python] + (
        [] if sys.stdout.isatty() else ["--quiet"]
    )
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    pinned = ["--require-hashes", "-r", "requirements.lock"]
    if not (install_uv(pip) and run(uv + pinned)):
        print("uv cannot: pip does it, in a minute or two", flush=True)
        if not run(pip + pinned):
            sys.exit("pip cannot install what the report needs; is a package index reachable?")
    if not run(pip + ["--no-deps", "--no-build-isolation", "--no-index", "-e", "."]):
        sys.exit(
            "pip cannot install the project itself; remove %s and call make again."
            % os.path.dirname(os.path.dirname(python))
        )


def install_uv(pip):
    """Whether uv is there afterwards, in the locked version: its part of the lock is a lock of its own."""
    with open("requirements.lock") as lock:
        entry = re.search(r"^uv==(?:.*\n)(?: .*\n?)*", lock.read(), re.MULTILINE).group()
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as part:
        part.write(entry)
        part.flush()
        return run(pip + ["--require-hashes", "-r", part.name])


def run(command):
    return (
        subprocess.call(command, env=dict(os.environ, UV_CACHE_DIR=os.path.join(".cache", "uv")))
        == 0
    )


if __name__ == "__main__":
    main(sys.argv[1])
