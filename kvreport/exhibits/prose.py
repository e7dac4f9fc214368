"""What the sources' statements come to, in a sentence."""

from kvreport.base.text import count
from kvreport.claims import checks as claims
from kvreport.data import published
from kvreport.exhibits.chapter import Chapter

SOURCE_ENTRIES = {
    3: 10_000_000,
    5: 10_000_000,
    6: 10_000_000,
    10: 1_000_000_000,
}  # of the largest cases in the sources' tests
FEWEST = 1_000_000  # in the other tests


def verdicts(statements: claims.Statements, *chapters: Chapter) -> str:
    """How many of the sources' statements hold, and whether they were about as many entries."""
    here = [finding.verdict for _, _, finding in claims.findings(statements, *chapters)]
    fewer = [
        chapter
        for chapter in chapters
        if chapter.measured and chapter.entries()[1] < SOURCE_ENTRIES.get(chapter.test, FEWEST)
    ]
    return (
        f"Of {count(len(here), 'statement')}, {counted(here.count(claims.HOLDS), 'holds', 'hold')}"
        f" here, {counted(here.count(claims.FAILS), 'does', 'do')} not hold, and of"
        f" {here.count(claims.UNKNOWN)} these measurements cannot tell."
        + "".join(
            dict.fromkeys(
                f" {f'Those on Test {chapter.test}' if chapter.test in published.TESTS else 'They'}"
                f" are about {SOURCE_ENTRIES.get(chapter.test, FEWEST):,} entries; this run has"
                f" {number_range(chapter.entries())}."
                for chapter in fewer
            )
        )
    )


def counted(n: int, one: str, more: str) -> str:
    """A number with its verb: 1 holds, 2 hold."""
    return f"{n} {one if n == 1 else more}"


def number_range(ends: tuple[int, int]) -> str:
    """1,000 to 2,000, or one number where both are alike."""
    return " to ".join(dict.fromkeys(f"{end:,}" for end in ends))
