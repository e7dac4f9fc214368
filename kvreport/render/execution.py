"""Executes a chapter in a kernel of its own."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from kvreport.base.errors import UserError
from kvreport.base.text import brief
from kvreport.measure import limits

LIMIT_SECONDS = 600  # a cell; a chapter only reads small files and draws


def execute(
    content: NotebookNode, notebook: Path, root: Path, variables: Mapping[str, str]
) -> None:
    """Runs every cell in a fresh kernel whose working folder is the notebook's, and which has some
    variables in its environment beside our own, leaving no trace of when or how fast.
    """
    limits.ensure_open_files()
    client = NotebookClient(
        content,
        timeout=LIMIT_SECONDS,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        # no warning that the kernel listens on this machine
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(notebook.parent)}},
    )
    at = notebook.relative_to(root)
    own = {"PYTHONPATH": str(root), "PYTHONHASHSEED": "0"}
    try:
        # what a kernel prints past its notebook is of its own end: tornado's traceback of a socket
        # that closed first
        client.execute(env={**os.environ, **own, **variables}, stderr=subprocess.DEVNULL)
    except CellExecutionError as failure:
        cell = next(
            position
            for position, cell in enumerate(content.cells, 1)
            if any(output.output_type == "error" for output in cell.get("outputs", []))
        )
        what = brief(f"{failure.ename}: {failure.evalue}")
        raise UserError(
            f"The chapter {at} does not run: cell {cell} fails with {what}"
        ) from failure
    except (CellTimeoutError, DeadKernelError) as failure:
        raise UserError(
            f"The chapter {at} does not run: {str(failure).splitlines()[0]}"
        ) from failure
    for cell in content.cells:
        cell.metadata.pop("execution", None)
