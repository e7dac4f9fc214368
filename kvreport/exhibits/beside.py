"""The first page on a machine of the reader's own: what each need's answer is here, and whether it
is that of the reference machine.
"""

from collections.abc import Iterable
from functools import cached_property
from math import ceil, isnan
from typing import NamedTuple

from IPython.display import Markdown

from kvreport.analysis.answer import Place, Ranking
from kvreport.base.errors import UserError
from kvreport.base.markdown import Marked, joined, marked
from kvreport.base.text import count, join_words, number
from kvreport.charts import chapter
from kvreport.charts.chapter import Chapter
from kvreport.charts.tables import MISSING, table
from kvreport.data import runs
from kvreport.data.needs import FIRST_LOOK, needs
from kvreport.exhibits.answer import NAMED, Answer

WANTED = 1.3  # the ratio for which more minutes are named
FINE = 1.5  # the ratio that the first look is to tell
START_SECONDS = 3  # of a kernel, which no record has


class Share(NamedTuple):
    """How many of some pairs."""

    some: int
    all: int

    def __str__(self) -> str:
        return f"{self.some} of {self.all} ({100 * self.some / max(1, self.all):.0f}%)"


class Beside:
    """The answers of this machine, and those of the runs that came with the project."""

    def __init__(self, here: Answer, reference: Answer):
        self.here, self.reference = here, reference

    @classmethod
    def shown(cls, lost: Iterable[str] | None = None) -> "Beside | None":
        """Of what the report shows; None where it shows what came with the project."""
        try:
            shipped = runs.reference_runs()
            if runs.named_runs() or runs.selected_run() in shipped or not shipped:
                return None
        except UserError:  # nothing is measured yet
            return None
        sections = {each for need in needs() for each in need.sections}
        of_others = {each: chapter.of_runs(each, shipped) for each in sections}
        return cls(Answer.here(lost), Answer(of_others, lost=lost))

    @property
    def first_look(self) -> Chapter:
        return self.here.chapters[FIRST_LOOK]

    @cached_property
    def power(self) -> Share:
        """Of the pairs of a store with the best at a need, those of which a ratio of FINE would be
        told four times in five.
        """
        pairs = [(each.tells, len(each.places) - 1) for each in self.here.measured.values()]
        return Share(
            sum(many for tells, many in pairs if tells <= FINE), sum(many for _, many in pairs)
        )

    def answered(self) -> int:
        """At how many needs a store, or a level group, is named here."""
        return sum(
            bool(each.best and each.trials > 1)
            for each in self.here.rankings.values()
            if each.need.said
        )

    def opening(self) -> Markdown:
        """Which machine is meant, and what was measured on it."""
        measured = [each for each in self.here.chapters.values() if each.measured]
        if not measured:
            return Markdown(
                "**Nothing that a need asks for is measured on this machine yet**: `make report`"
                " measures it. What follows is of the reference machine."
            )
        first, *_ = measured
        days = sorted(trial["started"][:10] for each in measured for trial in each.trials)
        engines = {store for each in measured for store in each.engines}
        return Markdown(
            marked(
                "**Measured on this machine** on {}, {}: {}, at profile {}. ",
                days[-1],
                first.hardware,
                f"{count(len(engines), 'engine')} in {count(self._trials(), 'round')}",
                first.environment["profile"],
            )
            + marked(
                "Of {} pairs of a store with the best it would be told four times in five that one"
                " takes {} times as long as the other. Beside each answer is that of the reference"
                " machine, on more data and in more trials.",
                str(self.power),
                number(FINE),
            )
        )

    def _trials(self) -> int:
        return max(each.trials for each in self.here.measured.values())

    def answers(self) -> Markdown:
        """Both machines' answers or, where nothing is measured here, the reference machine's."""
        return self.table() if self.here.measured else self.reference.sentences()

    def conditions(self) -> Markdown:
        """What the answers of both hold for."""
        own = [f"On this machine: {self.here.conditions().data}"] if self.here.measured else []
        other = f"On the reference machine: {self.reference.conditions().data}"
        more = (
            "Chapters that were not measured on this machine show the reference run, under a line"
            " that says so; so do the paragraphs here that draw on them."
        )
        return Markdown("\n\n".join([*own, other, more]))

    def table(self) -> Markdown:
        """A row for each need with a sentence: the answer here, there, and whether they agree."""
        rows = []
        for id, ranking in self.here.rankings.items():
            if ranking.need.said:
                other = self.reference.rankings[id]
                chapters = joined(", ", [Marked(f"@{each}") for each in ranking.need.chapters])
                rows.append(
                    [
                        marked("{} ({})", ranking.need.name, chapters),
                        self.cell(ranking, self.here),
                        self.cell(other, self.reference),
                        agreement(ranking, other),
                    ]
                )
        return table(
            ["need", "on this machine", "on the reference machine", "same answer"], rows, True
        )

    def cell(self, ranking: Ranking, of: Answer) -> str:
        """What a machine answers, with its interval."""
        if ranking.problem:
            return "not measured"
        if ranking.trials < 2:
            return "single trials tell nothing"
        return (
            named(ranking) or f"cannot tell below {number(ranking.tells)}×{self._more(ranking, of)}"
        )

    def _more(self, ranking: Ranking, of: Answer) -> str:
        """How many more minutes would tell WANTED; nothing where nobody can say."""
        minutes = self.minutes(ranking, of)
        if minutes is None:
            return f"; no number of trials here would tell {WANTED}×"
        return f"; about {minutes} more minutes would tell {WANTED}×"

    def minutes(self, ranking: Ranking, of: Answer) -> int | None:
        """Minutes of further rounds until a need tells WANTED; None where none would do."""
        needed = ranking.trials_needed(WANTED)
        if needed is None:
            return None
        rounds = max(0, needed - ranking.trials)
        one = sum(round_seconds(of.chapters[each]) for each in ranking.sections)
        return ceil(rounds * one / 60)


def named(ranking: Ranking) -> str:
    """Who is best at a need and who is next, with intervals; nothing where nobody is named."""
    best, following = ranking.best, ranking.following
    if not best:
        return ""
    names = [place.name for place in best]
    words = join_words(names) if len(best) <= NAMED else f"{len(best)} level, {names[0]} least"
    if 1 < len(best) <= NAMED:
        words += " level"
    if len(best) > 1:
        words += f" (up to {times(best[-1])})"
    return words + (f"; next {following.name} {times(following)}" if following else "")


def times(place: Place) -> str:
    """How many times the best one's cost a store has, with the interval."""
    return f"{number(place.ratio)}× [{number(place.low)}, {number(place.high)}]"


def round_seconds(section: Chapter) -> float:
    """What a round of a section takes: a trial of each store."""
    took = [trial["seconds"] + START_SECONDS for trial in section.trials]
    return sum(took) / max(1, section.trial_count)


def agreement(here: Ranking, there: Ranking) -> str:
    """Whether two machines have the same answer, in a word or two."""
    if here.problem or there.problem:
        return MISSING
    ours, theirs = ({place.name for place in each.best} for each in (here, there))
    if not ours or not theirs or here.trials < 2:
        return "cannot be told yet"
    if ours & theirs:
        return "yes" if ours == theirs else "yes, as far as this tells"
    behind = [place for name in theirs if (place := here.of(name))]
    if any(place.noisy or isnan(place.low) for place in behind):
        return "cannot be told yet"
    return "no" if behind else "no; theirs was not measured here"
