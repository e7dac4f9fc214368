"""A run of which everything that its makers could write freely is hostile: what they would write
who want a page to run their script, a PDF to hold their markup, or a terminal to obey them.
"""

import contextlib
import csv
import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
import synthetic
from chapters import execute_cells

from kvreport.base import paths
from kvreport.base.text import visible
from kvreport.charts.page import gather
from kvreport.data import published, published_files, records

TOKEN = "H0stile"
# what would be markup where a paragraph, a cell or a line begins
OPENINGS = (
    "",
    "# ",
    "- ",
    "1. ",
    "::: ",
    "> ",
    ": ",
    "```{=html} ",
    "% ",
    "| ",
    "(@a) ",
    "\\",
    "=",
)
PAYLOAD = (
    TOKEN + ' "<script>alert(1)</script> <img src=x onerror=alert(2)> <iframe src=//evil.example>'
    "</iframe> `<b>x</b>`{=html} `#panic()`{=typst} `a`{onclick=alert(3)} [x](javascript:alert(4))"
    " ](javascript:alert(5)) [y](https://evil.example/) <https://evil.example/> javascript:alert(6)"
    " https://evil.example ![z](https://evil.example/z.png) {{< include /etc/passwd >}} {{< var"
    " run >}} {{ host }} {% raw %} @fig-nowhere [@x] [^1] ^[note] $x^2$ \\(y\\) \\end{x} #panic()"
    " *b* _i_ ~~s~~ H~2~O x^2^ | cell | --- ... -- &lt; &#60; a:::b </script><!-- --> \x1b[31mred"
    "\x1b]0; t\x07 \u202eback\n\n# Heading\n\n```{=html}\n<script>alert(7)</script>\n```\n\n"
    "::: {.callout-note onclick=x}\n\n- item\n\n<div onmouseover=alert(8)>\n\n    code\n\n"
    "[^1]: foot\n\n[x]: javascript:alert(9)"
)
SHORT = """Sh0rt "<script>alert(0)</script>`*_|$[x](javascript:0)@fig-x{{\x1b\u202e</a>"""
SEEN = " ".join(visible(PAYLOAD).split())  # as a reader should see it
KEPT = {  # by the name of their field: what chapters look results up by
    *("family", "engine"),
}


def spoil(value: Any, schema: dict, whole: dict, openings: Iterator[str], name: str = "") -> Any:
    """The value with every string that its schema leaves free made hostile."""
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    if isinstance(value, str):
        free = not {"enum", "const", "pattern"} & set(schema) and name not in KEPT
        text = SHORT if "maxLength" in schema else PAYLOAD
        return next(openings) + text if free else value
    if isinstance(value, list):
        items = schema.get("items", {})
        return [spoil(each, items, whole, openings, name) for each in value]
    if isinstance(value, dict):
        known, other = schema.get("properties", {}), schema.get("additionalProperties")
        of_others = other if isinstance(other, dict) else {}
        return {
            key: spoil(each, known.get(key, of_others), whole, openings, key)
            for key, each in value.items()
        }
    return value


def write_run(folder: Path) -> str:
    """Writes the hostile run of all sections into a folder of runs; its name."""
    name = synthetic.write_run(folder, trials=2)
    openings = (each for _ in iter(int, 1) for each in OPENINGS)
    schemas = {
        kind: json.loads((paths.SCHEMA / f"{kind}.schema.json").read_text())
        for kind in ("trial", "environment")
    }
    names: dict[tuple[str, str], str] = {}
    for file in sorted((folder / name).rglob("*.json")):
        kind = "environment" if file.name == records.ENVIRONMENT else "trial"
        record = json.loads(file.read_text())
        if kind == "environment":
            record |= {"revision": "v", "thp": "t", "governor": "g"}
            record["filesystem"] |= {"device_model": "m", "write_cache": "w"}
        settings = [case["settings"] for case in record.get("cases", [])]
        spoilt = spoil(record, schemas[kind], schemas[kind], openings)
        for case, kept in zip(spoilt.get("cases", []), settings):
            case["settings"] = kept
        if kind == "trial":  # a store says the same of itself in each trial
            about = names.setdefault(record["store"]["id"], spoilt["store"])
            spoilt["store"] = about
        records.write_record(file, spoilt, kind)
    return name


def write_figures(folder: Path) -> None:
    """Writes the published figures with every text in them hostile that nothing is looked up by."""
    shutil.copytree(paths.PUBLISHED, folder)
    known = {*published.MAP_IDS, *published.ROCKSJAVA_SIDES}
    for file in folder.glob("*.csv"):
        with open(file, newline="") as opened:
            rows = list(csv.DictReader(opened))
        with open(file, "w", newline="") as opened:
            writer = csv.DictWriter(opened, rows[0], lineterminator="\n")
            writer.writeheader()
            for row in rows:
                system = row["system"] if row["system"] in known else f"{SHORT} {row['system']}"
                writer.writerow(row | {"system": system, "source": PAYLOAD + row["source"]})
    sums = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}"
        for file in folder.glob("*.csv")
    ]
    (folder / published_files.SUMS).write_text("\n".join(sums))


@contextlib.contextmanager
def figures_in(folder: Path) -> Iterator[None]:
    """Has the published figures read from another folder, and in the end, however it is left, from
    the project's own again.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "PUBLISHED", folder)
        forget_figures()
        try:
            yield
        finally:
            forget_figures()


def forget_figures() -> None:
    """So that the published figures are read again."""
    for each in vars(published).values():
        if hasattr(each, "cache_clear"):
            each.cache_clear()


def save_chapter(notebook: Path, target: Path, runs: Path, monkeypatch, composed: bool) -> None:
    """Executes a chapter on a folder of runs and saves it with its outputs."""
    saved = nbformat.read(notebook, 4)
    shown = iter(execute_cells(notebook, runs, monkeypatch, composed))
    for cell in saved.cells:
        if cell.cell_type == "code":
            cell.outputs = [
                nbformat.v4.new_output("display_data", data=data) for data in next(shown)
            ]
    gather(saved)
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(saved, target)
