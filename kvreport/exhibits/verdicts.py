"""The sources' statements with what their own figures and this report's say to them."""

from IPython.display import Markdown

from kvreport.base.text import count
from kvreport.claims import checks as claims
from kvreport.claims.checks import Statements
from kvreport.data import published
from kvreport.exhibits import prose
from kvreport.exhibits.chapter import Chapter, of
from kvreport.exhibits.tables import nothing, table

FEWEST = 1_000_000  # entries in the sources' tests that prose.SOURCE_ENTRIES leaves out


def table_of(statements: Statements, *chapters: Chapter) -> Markdown:
    """The sources' statements, with what their own figures and ours say; the evidence follows as a
    list.
    """
    if not any(chapter.measured for chapter in chapters):
        return nothing(chapters[0])
    return table(
        ["", "the source's statement", "source", "shown in", "in its own figures", "here"],
        [
            [
                f"{i}",
                claim.says,
                published.NAMES[claim.edition],
                claim.figures,
                own.verdict,
                f"**{here.verdict}**",
            ]
            for i, (claim, own, here) in enumerate(claims.findings(statements, *chapters), 1)
        ],
    )


def evidence(statements: Statements, *chapters: Chapter) -> str:
    """For each of the sources' statements, the figures behind its two verdicts, as a list."""
    lines = []
    for i, (claim, own, here) in enumerate(claims.findings(statements, *chapters), 1):
        lines += [
            f"{i}. **{claim.says}.**",
            "",
            *(
                f"    - {place}: {found.verdict}; {found.why}."
                for place, found in (("Here", here), ("In the source's own figures", own))
            ),
            "",
        ]
    return "\n".join(lines)


def scoreboard(tests: dict[str, tuple]) -> Markdown:
    """How many statements hold, by test; each has its statements and the sections that they are
    checked on.
    """
    rows = []
    for name, (statements, *sections) in tests.items():
        found = [here.verdict for _, _, here in claims.findings(statements, *map(of, sections))]
        rows.append(
            [
                name,
                str(len(found)),
                *(
                    str(found.count(verdict))
                    for verdict in (claims.HOLDS, claims.FAILS, claims.UNKNOWN)
                ),
            ]
        )
    return table(
        ["test", ">statements", f">{claims.HOLDS}", f">{claims.FAILS}", f">{claims.UNKNOWN}"], rows
    )


def summary(statements: Statements, *chapters: Chapter) -> str:
    """How many of the sources' statements hold, and whether they were about as many entries."""
    here = [finding.verdict for _, _, finding in claims.findings(statements, *chapters)]
    fewer = {
        chapter.test: (prose.SOURCE_ENTRIES.get(chapter.test, FEWEST), chapter.entries())
        for chapter in chapters
        if chapter.measured
    }
    return (
        f"Of {count(len(here), 'statement')}, {counted(here.count(claims.HOLDS), 'holds', 'hold')}"
        f" here, {counted(here.count(claims.FAILS), 'does', 'do')} not hold, and of"
        f" {here.count(claims.UNKNOWN)} these measurements cannot tell."
        + "".join(
            dict.fromkeys(
                f" {f'Those on Test {test}' if test in published.TESTS else 'They'}"
                f" are about {source:,} entries; this run has {prose.number_range(entries)}."
                for test, (source, entries) in fewer.items()
                if entries[1] < source
            )
        )
    )


def counted(n: int, one: str, more: str) -> str:
    """A number with its verb: 1 holds, 2 hold."""
    return f"{n} {one if n == 1 else more}"
