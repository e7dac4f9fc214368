"""The sources' statements whose verdict is another than the version published before had, and
why.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from IPython.display import Markdown

from kvreport.analysis.results import SectionResults, loaded
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.markdown import Marked, marked, prose
from kvreport.base.text import join_words
from kvreport.charts.chapter import of
from kvreport.charts.tables import MISSING, table
from kvreport.claims import turned
from kvreport.claims.turned import Turned
from kvreport.data import editions, preceding, published_verdicts, versions


@dataclass(frozen=True)
class Verdicts:
    """Verdicts here beside those of the version before; `problem` says why there are none.

    version   the one before
    tests     names of the tests that are compared: all of their sections have equal terms
    all       how many statements these have
    found     those whose verdict is another
    machines  that the sections were measured on, then and now, where these differ
    """

    problem: str = ""
    version: str = ""
    tests: tuple[str, ...] = ()
    all: int = 0
    found: list[Turned] = field(default_factory=list)
    machines: tuple[str, str] = ("", "")

    def counts(self) -> dict[str, Any]:
        """The numbers of a sentence: those of the class, and causes, how many verdicts each
        turned.
        """
        causes = turned.counted(self.found)
        return {
            "problem": self.problem,
            "version": self.version,
            "tests": self.tests,
            "all": self.all,
            "turned": len(self.found),
            "then": self.machines[0],
            "now": self.machines[1],
            "causes": [{"why": str(cause), "verdicts": many} for cause, many in causes.items()],
        }

    def table_of(self) -> Markdown:
        """Each statement that turned: what was printed, what the records of then come to as judged
        today, what is true now, and why.
        """
        heads = ["test", "statement", "printed then", "those records, judged as now", "now", "why"]
        if self.problem:
            return table(heads, [[prose(self.problem), *[MISSING] * 5]])
        rows = [
            [
                each.test,
                Marked(each.claim.says),
                each.published,
                each.then.outcome if each.then else MISSING,
                _now(each),
                join_words(each.causes),
            ]
            for each in self.found
        ]
        return table(heads, rows or [["none", *[MISSING] * 5]])


def _now(each: Turned) -> Marked:
    now = each.now
    return marked("**{}**: {}" if now.effect else "**{}**", now.outcome, now.effect)


def since() -> Verdicts:
    """Against the newest published version that is of other measurements."""
    try:
        here = editions.shown()
        before = preceding.earlier(here)
        if not before:
            return Verdicts("No version of other measurements is published before this one.")
        folder = paths.REPORT / before[0]
        about = versions.manifest(folder)["about"]["sections"]
        sections = {name: of(name) for name in here.about["sections"]}
        tests = turned.comparable(sections)
        if not tests:
            return Verdicts("No test's sections have all been measured on equal terms yet.")
        named = {name for test in tests for name in test.sections}
        then = {
            name: SectionResults(name, loaded(about[name]["run"], paths.RUNS))
            for name in sorted(named)
            if name in about and (paths.RUNS / about[name]["run"]).is_dir()
        }
        found = turned.turned(published_verdicts.verdicts(folder), then, sections)
    except UserError as problem:
        return Verdicts(str(problem))
    return Verdicts(
        "",
        before[0],
        tuple(test.name for test in tests),
        sum(len(test.statements.claims) for test in tests),
        found,
        (_machines(then.values()), _machines(sections[name] for name in named)),
    )


def _machines(sections: Iterable[SectionResults]) -> str:
    return join_words(sorted({each.run.environment["host"] for each in sections if each.run}))
