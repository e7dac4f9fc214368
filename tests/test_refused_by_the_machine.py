"""A disk that is full, cannot be written or fails: one sentence that names the place, and nothing
is lost.
"""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from kvreport import cli
from kvreport.base import files
from kvreport.base.paths import ROOT

REFUSALS = [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO]
REFUSALS += [errno.EFBIG, errno.EMFILE, errno.ENAMETOOLONG]
STEPS = [(files.locks, "create"), (Path, "replace")]  # of writing a file


def invoke(work) -> str:
    """What a command that does this prints on its way out."""
    command = click.Command("work", callback=work)
    done = CliRunner().invoke(cli.Commands(commands={"work": command}), ["work"])
    assert done.exit_code == 2, done.output
    return done.output


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step[1])
@pytest.mark.parametrize("refusal", REFUSALS, ids=errno.errorcode.get)
def test_what_is_refused_names_the_file_and_keeps_it(refusal, step, tmp_path, monkeypatch):
    file = tmp_path / "kept.json"
    files.write_atomically(file, "before")

    def refuse(*_, **__):
        raise OSError(refusal, os.strerror(refusal))  # a full disk names no file

    monkeypatch.setattr(*step, refuse)
    said = invoke(lambda: files.write_atomically(file, "after"))
    assert said.startswith(f"{file}: {os.strerror(refusal)}: ") and said.count("\n") == 1
    assert file.read_text() == "before"


def test_a_folder_that_cannot_be_copied_names_the_first_file(tmp_path, monkeypatch):
    (tmp_path / "from").mkdir()
    (tmp_path / "from" / "page.html").write_text("a page")

    def full(source, target, **_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), target)

    copy = shutil.copytree
    said = invoke(lambda: copy(tmp_path / "from", tmp_path / "to", copy_function=full))
    assert said.startswith(f"{tmp_path / 'to' / 'page.html'}: No space left on device: free some")


def test_what_is_a_fault_of_the_code_is_not_said_to_be_the_machine_s():
    command = click.Command("work", callback=lambda: open("/nowhere/at/all"))
    done = CliRunner().invoke(cli.Commands(commands={"work": command}), ["work"])
    assert isinstance(done.exception, FileNotFoundError)


def test_an_environment_that_cannot_be_written_is_one_sentence():
    command = [sys.executable, "-m", "kvreport.bootstrap", "/proc/venv"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("/proc/venv: ") and "can be written" in done.stderr


MOUNTS = {
    "read-only": "mount --bind data data && mount -o remount,ro,bind data data",
    "full": (
        "mount -t tmpfs -o size=64k tmpfs data && echo before > data/kept &&"
        " { cat /dev/zero > data/.full 2>/dev/null || true; }"
    ),
}
WRITES = """
from pathlib import Path
from kvreport import cli
from kvreport.base.files import write_atomically
cli.main.command("work")(lambda: write_atomically(Path("data/kept").resolve(), "a" * 9999))
cli.main(["work"])
"""


@pytest.mark.parametrize("kind", MOUNTS)
def test_a_folder_that_cannot_be_written_is_one_sentence(kind, tmp_path):
    """A real one, mounted where only this process sees it."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "kept").write_text("before\n")
    inside = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    mounts = f"{{ {MOUNTS[kind]}; }} || exit 99"
    command = f'{mounts}; "$0" -c "$1"; echo $? $(cat data/kept) $(ls -A data)'
    if not shutil.which("unshare"):
        pytest.skip("there is no unshare(1)")
    done = subprocess.run(
        [*inside, command, sys.executable, WRITES], cwd=tmp_path, capture_output=True, text=True
    )
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    left = ".full kept" if kind == "full" else "kept"
    assert done.stdout == f"2 before {left}\n" and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith(f"{tmp_path}/data/kept: ") and "Error" not in done.stderr
