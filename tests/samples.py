"""A small book with the real declaration and theme, for the tests of rendering: one Python chapter,
one Java log, both with outputs.
"""

import shutil
from pathlib import Path

import yaml

from kvreport.base.paths import ROOT

FIGURES = "notebooks/chapters/figures.ipynb"
LOG = "notebooks/measure/log.ipynb"
IDENTITY = "Run 2026-11-20-a_host on a host, profile smoke"


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
