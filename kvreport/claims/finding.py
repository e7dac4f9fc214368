"""What a check comes to: a verdict, and the sentence with the figures that it rests on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from kvreport.analysis.model import MOST_TRIALS
from kvreport.base.templates import fill


class Verdict(StrEnum):
    """What a statement comes to."""

    HOLDS = "holds"
    MOSTLY = "mostly holds"
    HALF = "half true"
    FAILS = "does not hold"
    INCONCLUSIVE = "too noisy to say"
    NOT_MEASURED = "not measured"


# What decides where several verdicts make one, the first before the others: a store that is said to
# be ahead of three is not where it is behind one of them.
PRECEDENCE = (Verdict.FAILS, Verdict.INCONCLUSIVE, Verdict.NOT_MEASURED, Verdict.HOLDS)
MOST = 0.8  # of a statement's cells agree where it mostly holds, and do not where it fails


def combined(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict on what claims all of several things at once; of none it is not measured."""
    found = set(verdicts)
    return next((each for each in PRECEDENCE if each in found), Verdict.NOT_MEASURED)


def weighed(cells: Sequence[Verdict]) -> Verdict:
    """The verdict on a statement about several cells, by the share of them in which it holds. What
    is too noisy or not measured could go either way: where a statement might mostly hold and might
    not, that is the verdict, unless it is contradicted and most of its cells are decided. Then, and
    where it cannot mostly hold, the cells that are decided say how far.
    """
    count = {verdict: cells.count(verdict) for verdict in PRECEDENCE}
    if count[Verdict.NOT_MEASURED] == len(cells):
        return Verdict.NOT_MEASURED
    open_cells = count[Verdict.INCONCLUSIVE] + count[Verdict.NOT_MEASURED]
    decided = len(cells) - open_cells
    if count[Verdict.HOLDS] >= MOST * len(cells):
        return Verdict.HOLDS if count[Verdict.HOLDS] == len(cells) else Verdict.MOSTLY
    contradicted = count[Verdict.FAILS] > 0 and 2 * decided > len(cells)
    if contradicted or count[Verdict.HOLDS] + open_cells < MOST * len(cells):
        share = count[Verdict.HOLDS] / decided
        if share >= MOST and 2 * count[Verdict.HOLDS] > len(cells):
            return Verdict.MOSTLY
        return Verdict.HALF if share > 1 - MOST else Verdict.FAILS
    return Verdict.INCONCLUSIVE if count[Verdict.INCONCLUSIVE] else Verdict.NOT_MEASURED


def passes(test: bool) -> Verdict:
    """The verdict of a test that noise does not touch, of sizes that repeat for instance."""
    return Verdict.HOLDS if test else Verdict.FAILS


# what it takes where it is too noisy to say. needed: evidence.trials_needed; told: of what; most:
# trials that anyone would measure
TAKES = """
{%- if needed == 0 %}single trials say nothing, and two are the least
{%- elif needed and needed > most %}more than {{ most }} trials are needed to tell {{ told }}
{%- elif needed %}{{ needed }} trials would tell {{ told }}{% endif %}"""


def takes(needed: Iterable[float | None], told: str) -> str:
    """What it takes for all of some comparisons, in words; nothing where it is not known, as of
    published times.
    """
    numbers = list(needed)
    if None in numbers or not numbers:
        return ""
    return fill(
        TAKES, needed=max(each for each in numbers if each is not None), told=told, most=MOST_TRIALS
    )


@dataclass(frozen=True)
class Finding:
    """The verdicts on the cells that a statement is about, and its evidence: templates over
    `numbers` (base.templates).

    template  all of it
    summary   what it comes to, without single figures; all of it where there is none
    """

    cells: tuple[Verdict, ...]
    template: str
    numbers: dict[str, Any] = field(default_factory=dict)
    summary: str = ""

    @property
    def verdict(self) -> Verdict:
        return weighed(self.cells)

    @property
    def outcome(self) -> str:
        """The verdict in words, with its share where that is not all or none: "mostly holds (87 of
        93; 2 too noisy)".
        """
        holding, noisy = map(self.cells.count, (Verdict.HOLDS, Verdict.INCONCLUSIVE))
        if self.verdict in (Verdict.MOSTLY, Verdict.HALF) or (
            self.verdict is Verdict.FAILS and holding
        ):
            left = f"; {noisy} too noisy" if noisy else ""
            return f"{self.verdict} ({holding} of {len(self.cells)}{left})"
        return self.verdict

    @property
    def why(self) -> str:
        """The evidence as a sentence without its full stop."""
        return fill(self.template, **self.numbers)

    @property
    def effect(self) -> str:
        """What the evidence comes to: "LMDB leads in 7 of 18, by 1.65 to 123 times". Nothing where
        nothing was measured.
        """
        if self.verdict is Verdict.NOT_MEASURED:
            return ""
        return fill(self.summary or self.template, **self.numbers)

    def after(self, words: str, **numbers: Any) -> "Finding":
        """The same, its evidence after some words and a colon: a template over more numbers."""
        before = words + ":{{ ' ' }}"
        return replace(
            self,
            template=before + self.template,
            numbers=self.numbers | numbers,
            summary=before + self.summary if self.summary else "",
        )


def not_measured(why: str = "there are no figures") -> Finding:
    """The finding where nothing can be compared."""
    return Finding((Verdict.NOT_MEASURED,), why)
