"""What stands behind a version: the records of what was measured, the notebooks behind its pages,
and the scripts that were measured.

Where git has a file as it is, a version names it; else it holds it itself.
"""

from pathlib import Path

import nbformat

from kvreport.base import notebooks, paths
from kvreport.base.errors import UserError
from kvreport.data import records, repository, runs
from kvreport.data.versions import Version, size_and_sha256
from kvreport.render.book import Book

KINDS = (".java", ".c")  # of what was measured
ARCHIVE = "source.zip"  # in the archive of a version


def records_behind() -> list[Path]:
    """The records, environments and further measurements that the report draws on."""
    sections = runs.shown_sections()
    full = [(name, run) for name in sections for run in runs.in_full(name)]
    return sorted(
        {
            file
            for section_id, run in [*sections.items(), *full]
            for folder in [paths.RUNS / run]
            for file in [
                folder / records.ENVIRONMENT,
                *folder.glob(f"{section_id}/*.json"),
                *folder.glob(f"{section_id}.*json"),
            ]
        }
    )


def divided(files: list[Path]) -> tuple[dict[str, dict], dict[str, bytes]]:
    """Records that the repository has, as a manifest names them, and those that it does not."""
    objects = repository.objects_of(files, paths.ROOT)
    named = {_name(file): size_and_sha256(file) | {"git": name} for file, name in objects.items()}
    return named, {_name(file): file.read_bytes() for file in files if file not in objects}


def committed(book: Book) -> list[str]:
    """The files and folders of notebooks and scripts that the commit has as they are; none where it
    does not.
    """
    folders = {Path(chapter.source).parts[0] for chapter in book.chapters}
    wanted = [_name(paths.JBANG), *sorted(folders)]
    return wanted if repository.is_committed(wanted, paths.ROOT) else []


def contents_of(book: Book) -> dict[str, bytes]:
    """Notebooks and scripts by their names."""
    chapters = {each.source: _without_outputs(book.root / each.source) for each in book.chapters}
    scripts = [file for file in paths.JBANG.rglob("*") if file.suffix in KINDS]
    return chapters | {_name(file): file.read_bytes() for file in scripts}


def archive_of(version: Version) -> bytes | None:
    """The notebooks and scripts of a version that names them as an archive; None where it holds
    them itself. Raises UserError where git has them no more.
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


def _name(file: Path) -> str:
    return file.relative_to(paths.ROOT).as_posix()


def _without_outputs(source: Path) -> bytes:
    """A chapter's source; of a notebook its cells alone, as the pages show what they put out."""
    if source.suffix != ".ipynb":
        return source.read_bytes()
    notebook = notebooks.read_notebook(source)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return f"{nbformat.writes(notebook)}\n".encode()
