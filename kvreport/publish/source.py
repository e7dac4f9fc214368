"""The source of a version: the notebooks behind its pages, and the scripts that were measured.

Where git has it as it is, a version names the commit, and its archive holds it; else it holds it
itself.
"""

from pathlib import Path

import nbformat

from kvreport.base import notebooks, paths
from kvreport.base.errors import UserError
from kvreport.base.terminal import echo
from kvreport.data import repository
from kvreport.data.versions import Version
from kvreport.publish.zipped import archive
from kvreport.render.book import Book

KINDS = (".java", ".c")  # of what was measured
ARCHIVE = "source.zip"  # in the archive of a version


def named(book: Book) -> list[str]:
    """The files and folders that the commit has as they are; none where it does not."""
    folders = {Path(chapter.source).parts[0] for chapter in book.chapters}
    wanted = [paths.JBANG.relative_to(paths.ROOT).as_posix(), *sorted(folders)]
    return wanted if repository.is_committed(wanted, paths.ROOT) else []


def add(data: Path, book: Book) -> None:
    """Adds the source to a version's data."""
    chapters = [chapter.source for chapter in book.chapters]
    archive(data / "notebooks.zip", {each: _without_outputs(book.root / each) for each in chapters})
    archive(
        data / "scripts.zip",
        {
            file.relative_to(paths.ROOT).as_posix(): file.read_bytes()
            for file in paths.JBANG.rglob("*")
            if file.suffix in KINDS
        },
    )
    echo(
        "Notebooks or scripts that git has not as they are went into the version; once they are"
        " committed it would name them only."
    )


def of(version: Version) -> bytes | None:
    """The source as an archive, of a version that names it; None where it holds it itself. Raises
    UserError where git has it no more.
    """
    if "source" not in version.manifest:
        return None
    wanted, commit = version.manifest["source"], version.manifest["commit"]
    content = repository.archive_of(commit, wanted, version.root)
    if content is None:
        raise UserError(
            f"Git does not have commit {commit}, from which {version.folder.name} was made: fetch"
            " the project's whole history."
        )
    return content


def _without_outputs(source: Path) -> bytes:
    """A chapter's source; of a notebook its cells alone, as the pages show what they put out."""
    if source.suffix != ".ipynb":
        return source.read_bytes()
    notebook = notebooks.read(source)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return f"{nbformat.writes(notebook)}\n".encode()
