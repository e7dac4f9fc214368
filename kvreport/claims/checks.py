"""What the sources state, each as a named check; claims.statements has them.

Every check runs on two bodies of evidence, this report's own trials and the figures that the source
itself published, so that a reader sees whether a sentence was true of its own data before seeing
whether it is true here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from kvreport.analysis.results import SectionResults
from kvreport.claims.evidence import Evidence, measured, merged, printed
from kvreport.claims.finding import PRECEDENCE, Finding, combined

Check = Callable[[Evidence], Finding]


@dataclass(frozen=True)
class Claim:
    """A statement of a source, in our words, with the exhibits it is about and its check."""

    says: str
    edition: str
    figures: str
    check: Check


@dataclass(frozen=True)
class Statements:
    """What the sources state on some of their tests."""

    tests: tuple[int, ...]
    claims: tuple[Claim, ...]


PARTS = "{{ parts | join('; ') }}"
MOST = 3  # parts that a summary names


def all_of(*checks: Check) -> Check:
    """All of some checks, the cells of each counted. What they come to is named from what speaks
    against the statement to what speaks for it.
    """

    def check(evidence: Evidence) -> Finding:
        found = [each(evidence) for each in checks]
        weighty = sorted(found, key=lambda finding: PRECEDENCE.index(combined(finding.cells)))
        return Finding(
            tuple(cell for finding in found for cell in finding.cells),
            PARTS,
            {
                "parts": list(dict.fromkeys(finding.why for finding in found)),
                "effects": list(dict.fromkeys(filter(None, (each.effect for each in weighty)))),
                "most": MOST,
            },
            "{{ effects | some(most) }}",
        )

    return check


def findings(
    statements: Statements, *chapters: SectionResults
) -> list[tuple[Claim, Finding, Finding]]:
    """Each claim with what the source's own figures say to it, and what this report's
    chapters do.
    """
    own = {
        edition: printed(edition, statements.tests)
        for edition in {claim.edition for claim in statements.claims}
    }
    here = merged([measured(chapter) for chapter in chapters if chapter.measured])
    return [
        (claim, claim.check(own[claim.edition]), claim.check(here)) for claim in statements.claims
    ]
