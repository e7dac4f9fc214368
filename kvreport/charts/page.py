"""Any Altair chart that a cell returns, made fit for page and paper.

A kernel shows a chart as a picture in the report's look and puts its specification beside it. When
a chapter has been executed, `gather` takes these out of the cells' outputs and hands them to the
page's script together, which draws the same charts again: filtered, in the reader's colours, narrow
on a narrow page. Neither the chart nor its cell has to know of it.
"""

import re
from typing import Any

import altair as alt
import pandas as pd
from IPython import get_ipython
from nbformat import NotebookNode
from nbformat.v4 import new_output

from kvreport.base.svg import lean
from kvreport.base.text import visible_all
from kvreport.charts import figures, titles
from kvreport.charts.panels import PAPER, layout, placeholder

NAME = "kvreport"
MIME = "application/vnd.kvreport.chart+json"
LESS = " · other ways to an engine and further workloads: HTML edition"  # of a picture on paper
LABEL = re.compile(r"^#\| *label: *(fig-[\w-]+)", re.MULTILINE)


def enable() -> None:
    """Has a kernel show Altair charts so; outside of one nothing changes."""
    if get_ipython() is None:
        return
    alt.renderers.register(NAME, shown)
    alt.renderers.enable(NAME)
    alt.data_transformers.disable_max_rows()


def shown(spec: dict, **_: Any) -> dict:
    """Return what a kernel shows of a chart's specification: its picture and, where the cell is a
    figure of the report ("#| label: fig-…"), the specification.
    """
    whole = finished(spec)
    bundle: dict[str, Any] = {
        "image/svg+xml": lean(figures.picture(_on_paper(spec, whole)), PAPER),
        "text/plain": "A chart",
    }
    if label := LABEL.search(_cell()):
        bundle[MIME] = {"id": label[1], "spec": whole}
        bundle["text/plain"] = f"Figure {label[1].removeprefix('fig-')}"
    return bundle


def finished(spec: dict) -> dict:
    """A specification with a layout for narrow pages, as panels of which the page's script can take
    rows, and without a look of its own; a sentence in place of one without rows.
    """
    if "datasets" in spec and not any(spec["datasets"].values()):
        spec = placeholder().to_dict()
    whole = {name: part for name, part in spec.items() if name not in ("config", "usermeta")}
    if "concat" not in whole and not _is_text(whole):
        top = {
            name: whole.pop(name)
            for name in ("$schema", "datasets", "title", "padding", "background")
            if name in whole
        }
        whole = top | {"concat": [whole], "columns": 1}
    narrow = {"columns": 1} | layout(spec, "narrow")
    if "title" in whole:
        narrow["title"] = titles.in_lines(whole["title"], titles.NARROW)
    return visible_all(whole | {"usermeta": {"narrow": narrow}})


def _on_paper(spec: dict, whole: dict) -> dict:
    """The specification of the picture: with fewer rows where all would be too small to read."""
    on_paper = layout(spec, "paper")
    if not on_paper:
        return whole
    less = whole | on_paper
    if "title" in less:
        less["title"] = titles.in_lines(less["title"], titles.WIDE, LESS)
    return visible_all(less)


def _is_text(spec: dict) -> bool:
    """Return whether a chart is a sentence, such as that nothing could be drawn, and has
    no rows.
    """
    mark = spec.get("mark", "")
    return (mark["type"] if isinstance(mark, dict) else mark) == "text"


def _cell() -> str:
    """The source of the cell that is being executed."""
    shell = get_ipython()
    cells = shell.user_ns.get("In", []) if shell else []
    return cells[-1] if cells else ""


def gather(content: NotebookNode, book: str = "../../", driven: str = figures.DRIVEN) -> None:
    """Takes the specifications out of a notebook's outputs and puts all of them, with the scripts
    that draw them, at the end of its last cell without a label. A notebook without any is left as
    it is.

    book    the book's folder, from the page
    driven  the page of how each store was driven, from the page; empty where the book has none
    """
    found: dict[str, dict] = {}
    for output in _outputs(content):
        if drawn := output.get("data", {}).pop(MIME, None):
            found[drawn["id"]] = drawn["spec"]
    if not found:
        return
    free = [
        cell
        for cell in content.cells
        if cell.cell_type == "code" and not re.search(r"^#\| *label:", cell.source, re.MULTILINE)
    ]
    rows = [pd.DataFrame(each) for spec in found.values() for each in _datasets(spec)]
    scripts = figures.Scripts(f"{book}report/theme", found, figures.stores(rows, driven))
    free[-1].outputs.append(new_output("display_data", scripts._repr_mimebundle_()))


def _datasets(spec: dict) -> list[list[dict]]:
    narrow = spec["usermeta"]["narrow"].get("datasets", {})
    return [*spec.get("datasets", {}).values(), *narrow.values()]


def _outputs(content: NotebookNode) -> list[NotebookNode]:
    return [
        output
        for cell in content.cells
        if cell.cell_type == "code"
        for output in cell.get("outputs", [])
    ]
