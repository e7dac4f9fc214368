"""The tree that is rendered: a copy of the book's sources, in which chapters are executed.

Rendering leaves the tracked notebooks alone. .cache/book holds `_quarto.yml`, `index.ipynb`, the
other notebooks and the theme; a notebook there keeps the outputs that it was given until its
tracked one changes, which then takes its place, with its outputs as they were saved. `save` writes
what was executed back to the tracked notebooks, as publishing does.
"""

import hashlib
from pathlib import Path

from kvreport.base import notebooks, paths
from kvreport.base.files import Unreadable, damaged, read_bytes, write_atomically
from kvreport.render import stamps
from kvreport.render.declaration import DECLARATION, declaration

FRONT = "index.ipynb"
LINKED = ("kvreport", "data")  # code that chapters import, and what they read


def build_tree() -> Path:
    """Brings the tree up to date with the tracked sources and the executed logs; its folder."""
    tree = paths.CACHE / "book"
    declaration(paths.ROOT)  # what is damaged is named where a person mends it, not in the tree
    copy(paths.ROOT / DECLARATION, tree / DECLARATION)
    for file in tree.glob("index.*"):  # of a book that began with another
        if file.name != FRONT:
            file.unlink()
    take(paths.ROOT / FRONT, tree / FRONT)
    for name in LINKED:
        relink(tree / name, paths.ROOT / name)
    for file in paths.THEME.rglob("*"):
        if not file.is_dir():
            copy(file, tree / file.relative_to(paths.ROOT))
    for folder in (paths.CHAPTERS, paths.MEASURE):
        beside = tree / "notebooks" / folder.name
        tracked = {file.name: file for file in folder.glob("*.ipynb")}
        for file in beside.glob("*.ipynb"):
            if file.name not in tracked:
                file.unlink()
        for file in tracked.values():
            take(file, beside / file.name)
    for file in (paths.CACHE / "notebooks" / "measure").glob("*.ipynb"):
        target = tree / "notebooks" / "measure" / file.name
        if (
            target.exists()
            and notebooks.is_whole_notebook(file)
            and shows(file, paths.MEASURE / file.name)
        ):
            copy(file, target)
    return tree


def shows(log: Path, tracked: Path) -> bool:
    """Return whether the executed log of a section is to be shown, and not the tracked notebook.

    That is so where both have the same cells, unless a person has executed the tracked one since.
    """
    saved = notebooks.read_notebook(tracked)
    newer = tracked.stat().st_mtime > log.stat().st_mtime
    return sources(log) == sources(tracked) and not (newer and notebooks.is_by_hand(saved))


def take(tracked: Path, target: Path) -> None:
    """Copies a tracked notebook into the tree, unless it is what the tree's was made from. Raises
    UserError where it is damaged.
    """
    digest = hashlib.sha256(content_of(tracked)).hexdigest()
    if notebooks.is_whole_notebook(target) and stamps.is_current(str(target), digest):
        return
    notebooks.read_notebook(tracked)
    copy(tracked, target)
    stamps.note(str(target), digest)


def save() -> list[str]:
    """Writes executed notebooks of the tree back to the tracked ones; names those that changed."""
    saved = []
    folders = (paths.CHAPTERS, paths.MEASURE)
    every = [
        paths.ROOT / FRONT,
        *(file for each in folders for file in sorted(each.glob("*.ipynb"))),
    ]
    for tracked in every:
        executed = paths.CACHE / "book" / tracked.relative_to(paths.ROOT)
        if notebooks.is_whole_notebook(executed) and executed.read_bytes() != tracked.read_bytes():
            copy(executed, tracked)
            take(tracked, executed)
            saved.append(tracked.name)
    return saved


def sources(file: Path) -> list[str]:
    """A notebook's cells, without their outputs."""
    return [cell.source for cell in notebooks.read_notebook(file).cells]


def relink(link: Path, target: Path) -> None:
    """Has a link lead to its target; in a checkout that was copied it still leads to the other."""
    if link.is_symlink() and link.readlink() == target:
        return
    link.unlink(missing_ok=True)
    link.symlink_to(target)


def copy(file: Path, target: Path) -> None:
    """Copies a file where that changes anything, so that what watches the copy is left in peace."""
    content = content_of(file)
    if target.is_file() and target.read_bytes() == content:
        return
    write_atomically(target, content)


def content_of(file: Path) -> bytes:
    """The bytes of one of the sources. Raises UserError where it is no file."""
    try:
        return read_bytes(file)
    except Unreadable as problem:
        raise damaged(file, problem) from None
