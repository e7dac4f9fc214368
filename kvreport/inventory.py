"""What there is, a line each: sections, stores, runs and exhibits."""

import os
import re
from collections.abc import Iterator

from kvreport.base import notebooks, paths
from kvreport.base.files import Unreadable, damaged
from kvreport.data import runs as recorded
from kvreport.data.cases import BASELINE
from kvreport.measure.section import sections as all_sections
from kvreport.render.book import options_of
from kvreport.toolchain.catalogue import catalog

TITLE = re.compile(r"^# +(.+?) *(?:\{.*\})?$", re.MULTILINE)
EXHIBIT = re.compile(r"\*\*([A-E]\d\d)")


def sections() -> Iterator[str]:
    """Number, name and title of each section."""
    for section in all_sections():
        chapter = paths.CHAPTERS / section.file.name
        notebook = notebooks.read_notebook(chapter if os.path.lexists(chapter) else section.file)
        title = TITLE.search(notebook.cells[0].source)
        yield f"{section.id:<20} {title[1] if title else ''}"


def stores() -> Iterator[str]:
    """Id, name, family and library of each store."""
    known = catalog()
    for store, about in known["stores"].items():
        family = "baseline" if about["family"] == BASELINE else about["family"]
        yield f"{store:<16} {about['name']:<18} {family:<20} {about['library']}".rstrip()
    for store, reason in known["failed"].items():
        yield f"{store:<16} {reason.splitlines()[0].removesuffix(':')}"
    for store, reason in known["unavailable"].items():
        yield f"{store:<16} n/a here: {reason}"


def runs() -> Iterator[str]:
    """Name, profile, harness and sections of each run, oldest first; those of the reference report
    are marked. What a newer version made follows, with what to do.
    """
    reference = recorded.reference_runs()
    for name, environment in recorded.runs().items():
        folders = sorted(each.name[:2] for each in (paths.RUNS / name).iterdir() if each.is_dir())
        harness = f"harness {environment['harness'] or '?'}"
        mark = "*" if name in reference else " "
        yield f"{mark} {name:<36} {environment['profile']:<9} {harness:<11} {' '.join(folders)}"
    yield from (f"  {problem}" for problem in recorded.newer())
    if reference:
        yield f"* what the report shows unless told otherwise, as {recorded.REFERENCE} names it"


def exhibits() -> Iterator[str]:
    """Id, label and caption of each figure and table of the sources, by chapter."""
    for file in sorted(paths.CHAPTERS.glob("*.ipynb")):
        for position, cell in enumerate(notebooks.read_notebook(file).cells, 1):
            try:
                options = options_of(cell.source)[0] if cell.cell_type == "code" else {}
            except Unreadable as problem:
                raise damaged(file, f"the options of cell {position}: {problem}") from None
            caption = str(options.get("fig-cap") or options.get("tbl-cap") or "")
            if exhibit := EXHIBIT.match(caption):
                words = caption.replace("**", "").removeprefix(exhibit[1]).lstrip(" ,.:·")
                label = str(options.get("label", ""))
                plain = words.partition(". ")[0].removesuffix(".")
                yield f"{exhibit[1]}  {label:<18} {file.stem:<20} {plain[:70]}"
