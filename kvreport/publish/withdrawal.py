"""Withdraws published versions: readers find few, and git has the others."""

import shutil
from collections.abc import Sequence

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.scratch import scratch
from kvreport.base.terminal import echo
from kvreport.base.text import count, join_words
from kvreport.data import repository, versions
from kvreport.data.versions import SHARED, Version
from kvreport.publish.publishing import put
from kvreport.publish.version_index import surroundings


def withdraw(names: Sequence[str]) -> None:
    """Takes versions out of report/, and of report/shared what no other needs. Raises UserError,
    with nothing changed, for the newest, and for one that no commit has as it was published.
    """
    published = versions.names()
    for name in names:
        versions.refuse_withdrawn(name)
        if name not in published:
            raise UserError(f"There is no version {name}; there are {join_words(published)}.")
    if published[0] in names:
        raise UserError(f"{published[0]} is the newest version, which is not withdrawn.")
    gone = {name: _commit_of(name) for name in names}
    kept = [Version.at(paths.REPORT / name) for name in published if name not in gone]
    with scratch(paths.REPORT) as folder:
        known = versions.withdrawn(paths.REPORT) | gone
        beside = surroundings(folder, [version.folder for version in kept], known)
        put(folder, beside, paths.REPORT)
    for name in gone:
        shutil.rmtree(paths.REPORT / name)
    needed = {name for version in kept for name in version.shared()}
    for file in (paths.REPORT / SHARED).glob("*"):
        if file.name not in needed:
            file.unlink()
    echo(
        f"Withdrew {count(len(gone), 'version')}; {paths.shown(paths.REPORT)}/index.html names"
        " the commits that have them."
    )


def _commit_of(name: str) -> str:
    Version.at(paths.REPORT / name).verify()
    folder = (paths.REPORT / name).relative_to(paths.ROOT).as_posix()
    commit = repository.last_commit_of(folder, paths.ROOT)
    if commit is None or not repository.is_committed([folder], paths.ROOT):
        raise UserError(f"{folder} is in no commit as it is: commit it, then withdraw it.")
    return commit
