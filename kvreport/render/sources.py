"""Makes the sources ready to render: what they are made from is current, and nothing in them would
break.
"""

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import yaml

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import write_atomically
from kvreport.base.markdown import escape
from kvreport.base.parallel import parallel_map
from kvreport.base.terminal import report_progress
from kvreport.base.text import count
from kvreport.data import runs
from kvreport.render import cite, standing_in
from kvreport.render.book import Book, cells_of, load_book
from kvreport.render.declaration import VARIABLES, declaration
from kvreport.render.documents import read_documents
from kvreport.render.freshness import refresh

# With any output of these kinds in a notebook, Quarto has its page load scripts from the web.
FROM_THE_WEB = ("text/html", "application/javascript")
ENDING = "\n})();\n"  # of the charts' scripts
VEGALITE = "6.4"  # the version that Altair writes


def prepare_sources(root: Path, only: list[str] | None = None) -> Book:
    """Writes `_variables.yml` and the charts' scripts, and re-executes and checks the chapters, or
    those named: for one page the others are not read beyond their titles.

    Raises UserError with a sentence for each thing that would render wrongly.
    """
    run = selected_run()
    write_variables(root)
    write_scripts(root)
    book = load_book(root)
    chapters = [each for each in book.chapters if only is None or each.source in only]
    notebooks = [each.source for each in chapters if each.source.endswith(".ipynb")]

    def refreshed(source: str) -> bool:
        drawn = standing_in.drawn_on(source) if run else standing_in.Drawn([], {})
        return refresh(root / source, root, *drawn)

    for source, executed in zip(notebooks, parallel_map(refreshed, notebooks)):
        if executed:
            report_progress(f"Re-executed {source}")
    problems = [
        problem
        for chapter in chapters
        for problem in stored_outputs(root / chapter.source, chapter.source)
    ]
    problems += read_documents(replace(book, chapters=chapters))[2]
    if problems:
        raise UserError("\n".join(problems))
    return book


def write_variables(root: Path) -> None:
    """Writes what the text's variables stand for: the run that is shown, the version, how to cite
    it, and which chapters are about another machine.
    """
    front, run = declaration(root)["book"], selected_run()
    known = {"run": identity(run)} | cite.version_variables(front, run is not None)
    known |= standing_in.variables(run is not None)
    texts = {name: str(escape(text)) for name, text in known.items()}  # Quarto reads Markdown
    write(root / VARIABLES, yaml.safe_dump(texts, allow_unicode=True, width=1000))


def write_scripts(root: Path) -> None:
    """Writes Vega, Vega-Lite and vega-embed as one script, 0.9 MB, that needs no network; unless it
    is there already.
    """
    scripts = root / "report" / "theme" / "vega.js"
    heading = (
        f"// Vega, Vega-Lite {VEGALITE} and vega-embed, as vl-convert"
        f" {version('vl-convert-python')} bundles them\n"
    )
    there = scripts.read_bytes() if scripts.is_file() else b""
    if not (there.startswith(heading.encode()) and there.endswith(ENDING.encode())):
        import vl_convert  # slow to import, and needed once

        # the snippet that its stub asks for is optional
        bundle = vl_convert.javascript_bundle(vl_version=VEGALITE)  # type: ignore[call-arg]
        write(scripts, f"{heading}(() => {{\n{bundle}{ENDING}")


def selected_run() -> Path | None:
    """The folder of the measurements that the report shows; None as long as nothing is measured."""
    return paths.RUNS / runs.selected_run() if any(paths.RUNS.glob("*/*/*.json")) else None


def identity(run: Path | None) -> str:
    """The line in every page's footer: which measurements the report shows."""
    if run is None:
        return "No run has been measured yet"
    shown = runs.shown_environments()
    if len(shown) == 1:
        return (
            f"Run {shown[0]['run']}, profile {shown[0]['profile']}, begun"
            f" {shown[0]['started'][:16].replace('T', ' ')} UTC"
        )
    return f"{count(len(shown), 'run').capitalize()}, {cite.conditions(shown)}"


def stored_outputs(path: Path, source: str) -> list[str]:
    """Return what in a notebook's outputs cannot be rendered, a sentence each."""
    problems = []
    for position, cell in enumerate(cells_of(path), 1):
        for output in cell.get("outputs", []):
            if output["output_type"] == "error":
                problems.append(
                    f"{source}: cell {position} ended in {output['ename']}: mend it, run the"
                    " notebook and save it."
                )
            for kind in set(FROM_THE_WEB) & set(output.get("data", {})):
                problems.append(
                    f"{source}: cell {position} shows {kind}, for which Quarto would fetch scripts"
                    " from the web: show text/markdown or image/svg+xml instead."
                )
    return problems


def write(path: Path, text: str) -> None:
    """Writes a file only when that changes it, so that whoever watches it is left in peace."""
    if not path.is_file() or path.read_bytes() != text.encode():
        write_atomically(path, text)
