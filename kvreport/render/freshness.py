"""Re-executes the Python chapters whose data, code or text changed since their outputs were
made.
"""

import ast
import functools
import hashlib
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import nbformat
from nbformat import NotebookNode

from kvreport.base import notebooks, paths
from kvreport.base.files import write_atomically

PACKAGE = "kvreport"
NOTHING: Mapping[str, str] = MappingProxyType({})
VERSIONS = re.compile(r"\bkv\.since\(")  # in a chapter that compares with published versions
SCRIPTS = "kvreport/data/scripts.py"  # what a chapter imports that prints the stores' scripts
METADATA = {  # of an executed chapter, without what its kernel adds of versions
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
PARSING = (
    threading.Lock()
)  # CPython 3.11 parses in one thread at a time only: two at once end in a SystemError


def refresh(
    notebook: Path, root: Path, runs: list[Path], variables: Mapping[str, str] = NOTHING
) -> bool:
    """Executes a Python notebook if it is stale and writes it back whole; tells whether it did.
    Java notebooks are left alone; one that a person has executed and saved counts as made from
    what there is now, and its outputs stay.

    `runs` are the folders of measurements that the chapter reads, and `variables` what its kernel
    has in its environment beside our own. Raises UserError naming the chapter, the cell and the
    error when it fails; the file is then as it was.
    """
    content = notebooks.read_notebook(notebook)
    if content.metadata.get("kernelspec", {}).get("language", "python") != "python":
        return False
    inputs = fingerprint(content, root, runs)
    if notebooks.made_from(content) == inputs:
        return False
    from kvreport.charts import figures, page  # slow to import

    by_hand = notebooks.is_by_hand(content)
    if not by_hand:
        from kvreport.render.execution import execute  # slow to import

        execute(content, notebook, root, variables)
        content.metadata = nbformat.from_dict(METADATA)
    driven = notebook.with_name(figures.DRIVEN).with_suffix(".ipynb")
    page.gather(
        content,
        book="../" * len(notebook.relative_to(root).parent.parts),
        driven=figures.DRIVEN if driven.is_file() else "",
    )
    notebooks.note(content, inputs)
    write_atomically(notebook, nbformat.writes(content) + "\n")
    return not by_hand


def is_stale(notebook: Path, root: Path, runs: list[Path]) -> bool:
    """Return whether `refresh` would execute a Python notebook."""
    content = notebooks.read_notebook(notebook)
    return notebooks.made_from(content) != fingerprint(content, root, runs)


def fingerprint(content: NotebookNode, root: Path, runs: list[Path]) -> str:
    """SHA-256 of all that a notebook's outputs follow from: its cells, this package's modules it
    imports, the published figures, what is known of the stores, the runs' files, the look of the
    charts, and, where it prints or compares with them, the stores' scripts and earlier versions.
    """
    digest = hashlib.sha256()
    code = [cell.source for cell in content.cells if cell.cell_type == "code"]
    for cell in content.cells:
        digest.update(f"{cell.cell_type}\0{cell.source}\0".encode())
    files = [
        *modules(code, root),
        *sorted((root / "data" / "published").glob("**/*")),
        root / "report/theme/charts.json",
    ]
    # named alike whether the project or a tree of its sources is rendered
    named = {file.relative_to(root).as_posix(): file for file in files}
    beside = [*sorted(paths.JBANG_STORES.glob("*.toml")), paths.NEEDS]
    if SCRIPTS in named:
        beside += sorted(paths.JBANG.glob("*/*.java"))
    named |= {f"{file.parent.name}/{file.name}": file for file in beside}
    for run in runs:
        named |= {
            f"{run.name}/{file.relative_to(run).as_posix()}": file
            for file in sorted(run.glob("**/*"))
            if not file.name.startswith(".")  # what a launcher that measures meanwhile is writing
        }
    for name, file in named.items():
        if file.is_file():
            digest.update(f"{name}\0".encode())
            digest.update(file.read_bytes())
    if runs and any(map(compares_versions, code)):
        # which draw much with them that no other chapter needs
        from kvreport.data import editions, versions

        for name in versions.earlier_than(editions.shown_edition()):
            digest.update(f"{name}\0{versions.manifest(paths.REPORT / name)['sha256']}\0".encode())
    return digest.hexdigest()


def compares_versions(code: str) -> bool:
    """Return whether a cell follows from versions that were published before."""
    return VERSIONS.search(code) is not None


def modules(sources: list[str], root: Path) -> list[Path]:
    """The files of this package that some Python code imports, directly or through one another."""
    found, waiting = set(), list(sources)
    while waiting:
        for name in imports(waiting.pop()):
            base = root.joinpath(*name.split("."))
            for file in (base.with_suffix(".py"), base / "__init__.py"):
                if file.exists() and file not in found:
                    found.add(file)
                    waiting.append(file.read_text())
    return sorted(found)


@functools.cache
def imports(source: str) -> list[str]:
    """The names of this package's modules that a piece of code may import; cells with magics count
    as importing none.
    """
    try:
        with PARSING:
            tree = ast.parse(source)
    except SyntaxError:
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        found += [name for name in names if name.split(".")[0] == PACKAGE]
    return found
