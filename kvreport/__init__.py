"""Measures embedded key-value stores for the JVM and renders the report on them.

In a notebook, `import kvreport as kv` has what a chapter is written with: see kvreport.notebook.
"""

import sys
from types import ModuleType
from typing import Any, cast

# Where this is installed (JupyterLab brings it) jsonschema, and so Altair, imports it and compiles
# a grammar for more than a second,
# for a format that nothing here has. None lets the import fail, which jsonschema is prepared for.
sys.modules.setdefault("rfc3987_syntax", cast(ModuleType, None))

__all__ = [
    "DOES",
    "agreement",
    "alone",
    "answers",
    "beside",
    "best",
    "change",
    "chooser",
    "claim",
    "columns",
    "commits",
    "compare",
    "count",
    "crashes",
    "crosscheck",
    "dots",
    "dumbbells",
    "engines",
    "escape",
    "evidence",
    "excerpts",
    "facts",
    "filesystems",
    "finding",
    "first",
    "heat",
    "in_full",
    "join",
    "latencies",
    "lines",
    "link",
    "machine",
    "machines",
    "md",
    "mean",
    "ns",
    "number",
    "own_machine",
    "printed",
    "provenance",
    "published",
    "records",
    "reopenings",
    "resources",
    "results",
    "rounds",
    "score",
    "sentence",
    "settings",
    "settled",
    "simulate",
    "since",
    "space",
    "syscalls",
    "table",
    "tail",
    "times",
    "title",
    "trials",
    "twice",
    "verdicts",
    "within",
]


def __getattr__(name: str) -> Any:
    """Imports the notebook's names when one is asked for: the command line wants none."""
    if name not in __all__:
        raise AttributeError(f"module 'kvreport' has no attribute '{name}'")
    from kvreport import notebook

    notebook.enable()
    return getattr(notebook, name)
