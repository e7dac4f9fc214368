"""Makes the virtual environment from the lock; `make` runs it with whatever Python there is, so it needs nothing but that.

The syntax stays old on purpose: a Python too old for the project must still get as far as the sentence that says so.
"""
import os
import shutil
import subprocess
import sys

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
    sys.exit("Python 3.11 or newer is needed and this is %d.%d: install one (Debian 12 and later: apt install "
             "python3 python3-venv), or name the one to use: make PYTHON=/path/to/python3." % sys.version_info[:2])


def works(python):
    """Whether an earlier environment can be brought up to date: it is there, and the Python it links to still is."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return os.path.exists(python) and subprocess.call([python, "-m", "pip", "--version"], **quiet) == 0


def make_environment(venv):
    try:
        import ensurepip  # noqa: F401  Debian packs venv without it
        import venv as builder
    except ImportError:
        sys.exit("Python's venv module is missing: install it (Debian: apt install python3-venv).")
    print("Making the Python environment in %s" % venv, flush=True)
    builder.EnvBuilder(with_pip=True, clear=True).create(venv)


def install(python):
    with open("requirements.lock") as lock:
        total = sum(1 for line in lock if line[0].isalpha())
    pip(python, total, "--require-hashes", "-r", "requirements.lock")
    pip(python, 1, "--no-deps", "--no-build-isolation", "--no-index", "-e", ".")


def pip(python, total, *arguments):
    """Installs, counting packages as pip names them; a failure ends everything with pip's last lines."""
    # what is imported is compiled then, which is a part of what there is
    command = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-compile", "--progress-bar", "off"]
    process = subprocess.Popen(command + list(arguments), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               universal_newlines=True)
    live, count, lines = sys.stdout.isatty(), 0, []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("Collecting "):
            count += 1
            if live or count % 40 == 0:
                tell("  fetched %d of about %d packages" % (count, total), live)
        elif line.startswith("Installing collected") and total > 1:
            tell("  installing them", live)
    if live:
        tell("", live)
    if process.wait():
        sys.exit("".join(lines[-6:]) + "pip cannot install what the report needs; is a package index reachable?")


def tell(text, live):
    print("\r\033[K" + text if live else text, end="" if live else "\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
