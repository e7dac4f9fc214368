"""Notebooks, read as what they should be; and whose the outputs of one are: this package's, which
executed it, or a person's.

Whatever here executes a notebook notes in it the hash of the outputs that it leaves. Jupyter keeps
that note when a person executes the notebook once more and saves it, and its outputs then differ.
"""

import hashlib
import json
from pathlib import Path

import nbformat
from nbformat import NotebookNode, ValidationError

from kvreport.base.files import Unreadable, damaged, parse_json, read_text

METADATA = "kvreport"  # the notebook's metadata that are ours
FORMAT = 4  # of notebooks, Jupyter's
# in them: the hashes of the outputs that this package left, and of what it made them from
OUTPUTS, INPUTS = "outputs", "inputs"


def is_whole_notebook(file: Path) -> bool:
    """Return whether a file is there and has a notebook, and not half of one."""
    try:
        return "cells" in parse_json(read_text(file))
    except (Unreadable, TypeError):
        return False


def read_notebook(file: Path) -> NotebookNode:
    """The notebook that a file holds. Raises UserError."""
    try:
        content = parse_json(read_text(file))
        if not isinstance(content, dict) or content.get("nbformat") != FORMAT:
            raise Unreadable(f"no notebook of Jupyter's format {FORMAT}")
        nbformat.validate(content)
        spec = content["metadata"].get("kernelspec", {})
        if not isinstance(content["metadata"].get(METADATA, {}), dict) or not isinstance(
            spec.get("language"), str | None
        ):
            raise TypeError  # what Jupyter leaves to others, and is read here
    except Unreadable as problem:
        raise damaged(file, problem) from None
    except ValidationError as problem:
        raise damaged(file, f"no notebook: {problem.message[:160]}") from None
    except (AttributeError, KeyError, TypeError):  # it expects some form even of what is none
        raise damaged(file, "no notebook: a part is of another type") from None
    notebook = nbformat.v4.to_notebook(content)  # `reads` would parse and validate once more
    if not notebook.cells:
        raise damaged(file, "it has no cells")
    return notebook


def note(notebook: NotebookNode, inputs: str, **more: str) -> None:
    """Notes that the outputs are what this package made or accepts, the hash of what they were
    made from, and more beside.
    """
    notebook.metadata[METADATA] = {OUTPUTS: _digest(notebook), INPUTS: inputs, **more}


def made_from(notebook: NotebookNode) -> str | None:
    """The hash of what a notebook's outputs were made from; None where nothing was noted."""
    return noted(notebook, INPUTS)


def noted(notebook: NotebookNode, what: str) -> str | None:
    """Return what was noted under a name; None where nothing was."""
    return notebook.metadata.get(METADATA, {}).get(what)


def is_by_hand(notebook: NotebookNode) -> bool:
    """Return whether a person has executed all cells since this package did, and saved the
    notebook.
    """
    before = noted(notebook, OUTPUTS)
    return before not in (None, _digest(notebook)) and all(
        cell.execution_count for cell in _code(notebook) if cell.source.strip()
    )


def _code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _digest(notebook: NotebookNode) -> str:
    """SHA-256 of the outputs, in whatever order and numbering they came."""
    kept = [
        [{name: each[name] for name in each if name != "execution_count"} for each in cell.outputs]
        for cell in _code(notebook)
    ]
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()
