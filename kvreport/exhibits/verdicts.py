"""The sources' statements with what their own figures and this report's say to them."""

from typing import Any

from IPython.display import Markdown

from kvreport.base.markdown import Marked, marked
from kvreport.charts.chapter import NOT_MEASURED, Chapter, of
from kvreport.charts.tables import folded, table
from kvreport.claims import checks as claims
from kvreport.claims.checks import Statements
from kvreport.claims.finding import Verdict
from kvreport.data import published
from kvreport.exhibits.tables import nothing

# entries of the largest case in the sources' tests, by test; in all others
SOURCE_ENTRIES = {3: 10_000_000, 5: 10_000_000, 6: 10_000_000, 10: 1_000_000_000}
FEWEST = 1_000_000

SUMMARY = """{% macro verb(n, one, more) -%}
{{ n or "none" }} {{ more if n > 1 else one }}
{%- endmacro -%}
Of {{ statements | count("statement") }}, {{ verb(holds, "holds", "hold") }} here
{%- if mostly %}, {{ verb(mostly, "mostly holds", "mostly hold") }}{% endif %}
{%- if half %}, {{ verb(half, "is half true", "are half true") }}{% endif %}
{%- if fails %} and {{ verb(fails, "does", "do") }} not{% endif %}
{%- if inconclusive %}; for {{ inconclusive }} the figures are too noisy to say{% endif %}
{%- if not_measured %}; {{ verb(not_measured, "is", "are") }} not measured{% endif %}.
{%- for each in smaller %}
{{ "The statements on Test %d" | format(each.test) if each.test else "They" }} are about cases of up
to {{ "{:,}".format(each.source) }} entries; this run has {{ "{:,}".format(each.least) }}
{%- if each.most > each.least %} to {{ "{:,}".format(each.most) }}{% endif %}.
{%- endfor %}
"""
IN_SHORT = '::: {.callout-note title="In short"}\n\n' + SUMMARY + "\n\n:::"


def counts(statements: Statements, *chapters: Chapter) -> dict[str, Any]:
    """The numbers of SUMMARY.

    statements  how many there are
    holds, mostly, half, fails, inconclusive, not_measured  how many come to that verdict here
    smaller     a row for each test of which this run has fewer entries: test (its number in the
                LmdbJava reports, or None), source, least, most (entries)
    """
    found = [here.verdict for _, _, here in claims.findings(statements, *chapters)]
    entries = [
        (
            chapter.test if chapter.test in published.TESTS else None,
            SOURCE_ENTRIES.get(chapter.test, FEWEST),
            *chapter.entries(),
        )
        for chapter in chapters
        if chapter.measured
    ]
    names = "test", "source", "least", "most"
    rows: list[dict] = [dict(zip(names, each)) for each in dict.fromkeys(entries)]
    return {
        "statements": len(found),
        **{verdict.name.lower(): found.count(verdict) for verdict in Verdict},
        "smaller": [row for row in rows if row["most"] < row["source"]],
    }


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
                Marked(claim.says),
                published.NAMES[claim.edition],
                Marked(claim.figures),
                own.outcome,
                marked("**{}**: {}" if here.effect else "**{}**", here.outcome, here.effect),
            ]
            for i, (claim, own, here) in enumerate(claims.findings(statements, *chapters), 1)
        ],
        whole=True,
    )


def evidence(statements: Statements, *chapters: Chapter) -> Markdown:
    """For each of the sources' statements, the figures behind its two verdicts, as a list that is
    folded on the page; the PDF leaves it to the page.
    """
    if not any(chapter.measured for chapter in chapters):
        return NOT_MEASURED
    lines = []
    for i, (claim, own, here) in enumerate(claims.findings(statements, *chapters), 1):
        lines += [
            f"{i}. **{claim.says}.**",
            "",
            *(
                marked("    - {}: {}; {}.", place, found.outcome, found.why)
                for place, found in (("Here", here), ("In the source's own figures", own))
            ),
            "",
        ]
    return Markdown(folded("The figures behind each verdict", "\n".join(lines)))


def scoreboard(tests: dict[str, tuple]) -> Markdown:
    """How many statements come to each verdict, by test; each has its statements and the sections
    that they are checked on.
    """
    rows = []
    for name, (statements, *sections) in tests.items():
        found = counts(statements, *map(of, sections))
        by_verdict = [str(found[verdict.name.lower()]) for verdict in Verdict]
        rows.append([name, str(found["statements"]), *by_verdict])
    return table(["test", ">statements", *(f">{verdict}" for verdict in Verdict)], rows, whole=True)
