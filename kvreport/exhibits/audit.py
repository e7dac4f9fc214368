"""What an audit of version 2026-11-24 found unequal, line by line: what was wrong, what is true
now, and by what one sees it. Figures are computed, from the records that the version drew on and
from those that the report shows; the two were measured on different machines, so that what counts
is a ratio within a line.
"""

from IPython.display import Markdown

from kvreport.analysis.results import SectionResults, loaded
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.markdown import Marked, code, joined, marked
from kvreport.data import versions
from kvreport.exhibits.audit_figures import Line, Records
from kvreport.exhibits.audit_lines import LINES
from kvreport.exhibits.chapter import of
from kvreport.exhibits.tables import MISSING, table

VERSION = "2026-11-24"


def table_of() -> Markdown:
    """The lines, each with what the records of both sides say of it, and what shows it: exhibits,
    and the files of tests.
    """
    before, here = Records(then), Records(of)
    rows = [
        [
            f"{number}",
            _side(f"**{line.where}.** {line.wrong}", line.tell(before)),
            _side(line.now, line.tell(here)),
            _seen(line),
        ]
        for number, line in enumerate(LINES, 1)
    ]
    return table(["", "what was wrong", "what is true now", "seen by"], rows)


def _side(words: str, figures: str) -> Marked:
    """What is to be said of one side, and its figures."""
    return joined(" ", [Marked(words), marked("*{}.*", figures)]) if figures else Marked(words)


def _seen(line: Line) -> Marked:
    files = dict.fromkeys(test.partition(".")[0] for test in line.tests)
    shown = [*([Marked(line.seen)] if line.seen else []), *map(code, files)]
    return joined(", ", shown or [MISSING])


def then(section: str) -> SectionResults:
    """A section as the audited version drew on it; none where its records are not here."""
    try:
        about = versions.manifest(paths.REPORT / VERSION)["about"]["sections"]
        run = about[section]["run"]
        return SectionResults(section, loaded(run, paths.RUNS))
    except (UserError, KeyError, FileNotFoundError) as problem:
        return SectionResults(section, None, str(problem))
