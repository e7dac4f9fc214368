"""What an audit of version 2026-11-24 found unequal, line by line: what was wrong, what is true
now, and by what one sees it. Figures are computed, from the records that the version drew on and
from those that the report shows; the two were measured on different machines, so that what counts
is a ratio within a line.
"""

from collections.abc import Sequence

from IPython.display import Markdown

from kvreport.analysis.results import SectionResults, loaded
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.markdown import Marked, code, joined
from kvreport.data import versions
from kvreport.exhibits.audit_figures import Line, Records
from kvreport.exhibits.audit_lines import LINES
from kvreport.exhibits.chapter import of
from kvreport.exhibits.tables import MISSING, table

VERSION = "2026-11-24"


def table_of(lines: Sequence[Line] | None = None) -> Markdown:
    """The lines, each with what the records of both sides say of it."""
    before, here = Records(then), Records(of)
    rows = [
        [
            line.where,
            line.wrong,
            line.tell(before) or MISSING,
            line.now,
            line.tell(here) or MISSING,
            joined("; ", filter(None, [Marked(line.seen), *map(code, line.tests)])),
        ]
        for line in (LINES if lines is None else lines)
    ]
    heads = ["where", "what was wrong", "records of then", "what is true now", "records of now"]
    return table([*heads, "seen by"], rows)


def then(section: str) -> SectionResults:
    """A section as the audited version drew on it; none where its records are not here."""
    try:
        about = versions.manifest(paths.REPORT / VERSION)["about"]["sections"]
        run = about[section]["run"]
        return SectionResults(section, loaded(run, paths.RUNS))
    except (UserError, KeyError, FileNotFoundError) as problem:
        return SectionResults(section, None, str(problem))
