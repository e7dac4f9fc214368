"""What git has of the project's files: which are in it as they are, and what an object holds."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from kvreport.base.errors import UserError

OF_ANOTHER = b"dubious ownership"  # in what git says of another user's repository


def objects_of(files: Iterable[Path], root: Path) -> dict[Path, str]:
    """Of some files those that git has as they are, committed or added, each with its object's
    name; none where the project is no repository.
    """
    wanted = list(files)
    listed = _git(root, "ls-files", "--stage", "-z") if wanted else b""
    known = {}
    for entry in (listed or b"").decode().split("\0"):
        if entry:
            state, _, name = entry.partition("\t")
            known[root / name] = state.split()[1]
    return {
        file: known[file]
        for file in wanted
        if file in known and known[file] == _object_name(file.read_bytes(), len(known[file]))
    }


def content_of(name: str, root: Path) -> bytes | None:
    """Return what a git object holds; None where the repository, if it is one, does not have it.
    Raises UserError where git does not read the repository.
    """
    return _git(root, "cat-file", "blob", name, wanted=True)


def commit(root: Path) -> str | None:
    """The commit that is checked out; None where the project is no repository, or has none."""
    found = _git(root, "rev-parse", "--verify", "--quiet", "HEAD")
    return found.decode().strip() if found else None


def last_commit_of(name: str, root: Path) -> str | None:
    """The commit that changed a file or a folder last; None where git has none."""
    found = _git(root, "log", "-1", "--format=%H", "--", name)
    return found.decode().strip() or None if found else None


def is_committed(names: Iterable[str], root: Path) -> bool:
    """Return whether the commit that is checked out has some files and folders as they are."""
    changed = _git(root, "status", "--porcelain", "--untracked-files=all", "--", *names)
    return commit(root) is not None and changed == b""


def archive_of(commit: str, names: Iterable[str], root: Path) -> bytes | None:
    """Some files and folders of a commit as a ZIP archive; None where git does not have them.
    Raises UserError where git does not read the repository.
    """
    return _git(root, "archive", "--format=zip", commit, "--", *names, wanted=True)


def _object_name(content: bytes, digits: int) -> str:
    """The name that git gives a file's content: SHA-1, or SHA-256 in newer repositories."""
    algorithm = "sha1" if digits == 40 else "sha256"
    return hashlib.new(algorithm, b"blob %d\0" % len(content) + content).hexdigest()


def _git(root: Path, *arguments: str, wanted: bool = False) -> bytes | None:
    """The output of a git command; None of one that fails. Of a repository of another user git
    reads nothing: where its answer is wanted, and not only of use, that is an error.
    """
    git = shutil.which("git")
    if git is None:
        return None
    done = subprocess.run(
        [git, "-C", str(root), *arguments], capture_output=True, env=os.environ | {"LC_ALL": "C"}
    )
    if wanted and OF_ANOTHER in done.stderr:
        raise UserError(
            f"git does not read {root}, as another user owns it: `git config --global --add"
            f" safe.directory {root}` lets it."
        )
    return done.stdout if done.returncode == 0 else None
