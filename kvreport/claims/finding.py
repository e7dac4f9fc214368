"""What a check comes to: a verdict, and the sentence with the figures that it rests on."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from kvreport.base.templates import fill


class Verdict(StrEnum):
    """What a statement comes to."""

    HOLDS = "holds"
    FAILS = "does not hold"
    INCONCLUSIVE = "too noisy to say"
    NOT_MEASURED = "not measured"


# What decides where several verdicts make one, the first before the others: one cell that
# contradicts a statement refutes it whatever the rest say; a statement holds only where every cell
# was measured and agrees.
PRECEDENCE = (Verdict.FAILS, Verdict.INCONCLUSIVE, Verdict.NOT_MEASURED, Verdict.HOLDS)


def combined(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict on a statement that claims all of several things; of none it is not measured."""
    found = set(verdicts)
    return next((each for each in PRECEDENCE if each in found), Verdict.NOT_MEASURED)


def passes(test: bool) -> Verdict:
    """The verdict of a test that noise does not touch, of sizes that repeat for instance."""
    return Verdict.HOLDS if test else Verdict.FAILS


@dataclass(frozen=True)
class Finding:
    """A verdict and its evidence: a template over `numbers` (base.templates)."""

    verdict: Verdict
    template: str
    numbers: dict[str, Any] = field(default_factory=dict)

    @property
    def why(self) -> str:
        """The evidence as a sentence without its full stop."""
        return fill(self.template, **self.numbers)

    def after(self, words: str, **numbers: Any) -> "Finding":
        """The same, its evidence after some words and a colon: a template over more numbers."""
        return replace(
            self, template=words + ":{{ ' ' }}" + self.template, numbers=self.numbers | numbers
        )


def not_measured(why: str = "there are no figures") -> Finding:
    """The finding where nothing can be compared."""
    return Finding(Verdict.NOT_MEASURED, why)
