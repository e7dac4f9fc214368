"""A small book with the real declaration and theme, for the tests of rendering: one Python chapter,
one Java log, both with outputs.
"""

import shutil
from pathlib import Path

import nbformat
import yaml

from kvreport.base.paths import ROOT

STORES = "notebooks/chapters/stores-driven.ipynb"
FIGURES = "notebooks/chapters/figures.ipynb"
LOG = "notebooks/measure/log.ipynb"
IDENTITY = "Run 2026-11-20-a_host on a host, profile smoke"

DRIVEN = """# How each store was driven {#sec-driven}

Some are [left out](#sec-left-out), not [Alpha](#sec-driven-alpha).

## Left out {#sec-left-out}

Gamma.
"""
TWO_STORES = """## Alpha {#sec-driven-alpha}

Alpha is unlike [Beta & Co.](#sec-driven-beta), and no store that was [left out](#sec-left-out).

**Opening it.**

```java
open("alpha");
```

## Beta & Co. {#sec-driven-beta}

| option | value |
|:--|:--|
| size | 4 |
"""
NOT_COPIED = (
    *(".git", ".venv", ".cache", ".work", "runs", "draft", ".draft", "20??-??-??*"),
    *("__pycache__", ".pytest_cache", ".ruff_cache", "*.tmp", "*.egg-info"),
)
LINK = "Of [Alpha](stores-driven.ipynb#sec-driven-alpha) more elsewhere."


def copy_project(folder: Path, *less: str) -> Path:
    """Copies the project without what is made and measured in it, and without more."""
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*NOT_COPIED, *less))
    (folder / ".cache").mkdir()
    return folder


def make(folder: Path, alone: bool = False) -> Path:
    """Lays the sample book out in an empty folder; alone it is without the project's own steps
    before and after Quarto.
    """
    shutil.copytree(ROOT / "tests" / "fixtures" / "book", folder, dirs_exist_ok=True)
    declaration = yaml.safe_load((ROOT / "_quarto.yml").read_text())
    declaration["project"]["output-dir"] = "report/draft"
    declaration["book"] |= {
        "chapters": ["index.qmd", {"part": "The tests", "chapters": [FIGURES]}],
        "appendices": [LOG],
    }
    for step in ("pre-render", "post-render") if alone else ():
        del declaration["project"][step]
    (folder / "_quarto.yml").write_text(yaml.safe_dump(declaration))
    (folder / "_variables.yml").write_text(yaml.safe_dump({"run": IDENTITY, "version": "Draft"}))
    (folder / "report").mkdir()
    (folder / "report" / "theme").symlink_to(ROOT / "report" / "theme")
    return folder


def add_stores(folder: Path) -> None:
    """Adds the appendix on how each store was driven, of two stores, as its last; the chapter has a
    link to one of them.
    """
    declaration = yaml.safe_load((folder / "_quarto.yml").read_text())
    declaration["book"]["appendices"].append(STORES)
    (folder / "_quarto.yml").write_text(yaml.safe_dump(declaration))
    new = nbformat.v4
    shown = new.new_output("display_data", data={"text/markdown": TWO_STORES})
    driven = new.new_notebook(
        cells=[
            new.new_markdown_cell(DRIVEN, id="whole"),
            new.new_code_cell("driven()", id="driven", execution_count=1, outputs=[shown]),
        ],
    )
    driven.cells[1].source = "#| echo: false\ndriven()"
    nbformat.write(driven, folder / STORES)
    figures = nbformat.read(folder / FIGURES, as_version=4)
    figures.cells.append(new.new_markdown_cell(LINK, id="of-a-store"))
    nbformat.write(figures, folder / FIGURES)
