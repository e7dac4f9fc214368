"""Makes the virtual environment from the locks; `make` runs it with whatever Python there is.

It needs nothing but that Python. The syntax stays old on purpose: a Python too old for the project
must still get as far as the sentence that says so.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

OLDEST = (3, 11)
NEWER = ["python3.14", "python3.13", "python3.12", "python3.11"]


# what the report needs, what tests and development need on top of it, and what plants faults; each
# leaves a stamp that says where the checkout was when it was installed
LOCK, DEV_LOCK, MUTANTS_LOCK = (
    "requirements.lock",
    "requirements-dev.lock",
    "requirements-mutants.lock",
)
FULL_BYTES = 16 << 20  # of a disk that has no more left, nothing can be installed
UV_CACHE = os.path.join(".cache", "uv")  # while it installs
STAMPS = {LOCK: ".ready", DEV_LOCK: ".ready-dev", MUTANTS_LOCK: ".ready-mutants"}


def main(venv, lock=LOCK):
    """Brings the environment in the folder `venv` up to one of the locks."""
    if sys.version_info < OLDEST:
        hand_over_to_a_newer_python()
    python = os.path.join(venv, "bin", "python")
    if not works(python) or was_elsewhere(venv):
        make_environment(venv)
    install(python, lock)
    if lock == LOCK:
        install_project(python)
    stamp = os.path.join(venv, STAMPS[lock])
    if os.path.isdir(stamp):
        shutil.rmtree(stamp)
    with open(stamp, "w") as file:
        file.write(os.getcwd())


def hand_over_to_a_newer_python():
    for name in NEWER:
        if shutil.which(name):
            os.execvp(name, [name, "-m", "kvreport.bootstrap"] + sys.argv[1:])
    sys.exit(
        "Python 3.11 or newer is needed and this is %d.%d: install one (Debian 12 and later: apt"
        " install python3 python3-venv), or name the one to use: make PYTHON=/path/to/python3."
        % sys.version_info[:2]
    )


def works(python):
    """Return whether an earlier environment is there and can be brought up to date.

    It cannot where the Python that it links to is gone.
    """
    nowhere = subprocess.DEVNULL
    asks = [python, "-m", "pip", "--version"]
    return os.path.exists(python) and subprocess.call(asks, stdout=nowhere, stderr=nowhere) == 0


def was_elsewhere(venv):
    """Return whether the environment came along when the checkout was copied or moved.

    Its commands then still start in the old place.
    """
    try:
        with open(os.path.join(venv, STAMPS[LOCK]), errors="replace") as stamp:
            return stamp.read() not in ("", os.getcwd())
    except OSError:
        return False


def make_environment(venv):
    try:
        import ensurepip  # noqa: F401  Debian packs venv without it
        import venv as builder
    except ImportError:
        sys.exit("Python's venv module is missing: install it (Debian: apt install python3-venv).")
    print("Making the Python environment in %s" % venv, flush=True)
    try:
        builder.EnvBuilder(with_pip=True, clear=True).create(venv)
    except subprocess.CalledProcessError as failed:
        refuse_full_disk(venv)
        sys.exit("%s cannot be made: %s ends with %d." % (venv, failed.cmd, failed.returncode))


def refuse_full_disk(folder):
    """Ends with a sentence where the disk of a folder has no room, which the installers say as the
    last of many lines, or not at all.
    """
    if shutil.disk_usage(folder).free < FULL_BYTES:
        sys.exit("The disk of %s is full: free some space, and call make again." % folder)


def install(python, lock):
    """Installs a lock with uv, in a tenth of pip's time.

    With pip where uv does not get what it needs, as behind an index that only pip's settings name.
    """
    print("Installing the packages of %s" % lock, flush=True)
    # compiled now, as every kernel would compile it anew where PYTHONDONTWRITEBYTECODE is set
    uv = [python, "-m", "uv", "pip", "install", "--compile-bytecode", "--python", python] + (
        [] if sys.stdout.isatty() else ["--quiet"]
    )
    pip, venv = pip_of(python), os.path.dirname(os.path.dirname(python)) or "."
    pinned = ["--require-hashes", "-r", lock]
    if not (install_uv(pip) and run(uv + pinned)):
        refuse_full_disk(venv)
        print("uv cannot: pip does it, in a minute or two", flush=True)
        if not run(pip + pinned):
            refuse_full_disk(venv)
            sys.exit("pip cannot install what %s lists; is a package index reachable?" % lock)
    # Every file of the environment once more, which Quarto would walk over twice in each render
    shutil.rmtree(UV_CACHE, ignore_errors=True)


def install_project(python):
    """Installs the project itself, as the folder that it is."""
    project = ["--no-deps", "--no-build-isolation", "--no-index", "-e", "."]
    if not run(pip_of(python) + project):
        sys.exit(
            "pip cannot install the project itself; remove %s and call make again."
            % os.path.dirname(os.path.dirname(python))
        )


def pip_of(python):
    return [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]


def install_uv(pip):
    """Return whether uv is there afterwards, in the locked version: its part of the lock is a lock
    of its own.
    """
    with open(LOCK) as lock:
        entry = re.findall(r"^uv==(?:.*\n)(?: .*\n?)*", lock.read(), re.MULTILINE)[0]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as part:
        part.write(entry)
        part.flush()
        return run(pip + ["--require-hashes", "-r", part.name])


def run(command):
    return subprocess.call(command, env=dict(os.environ, UV_CACHE_DIR=UV_CACHE)) == 0


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except OSError as refused:
        sys.exit(
            "%s: %s: the project needs a folder that can be written, and some space."
            % (refused.filename, refused.strerror)
        )
