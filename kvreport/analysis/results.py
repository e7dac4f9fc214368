"""A section of the run that is shown, as captions speak of it: its stores, its trials, and on which
terms they were measured.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from kvreport.base.text import format_range, join_words
from kvreport.data import runs
from kvreport.data.cases import BASELINE, NO_STORES, Case
from kvreport.data.rows import labels
from kvreport.data.runs import MEMORY
from kvreport.data.trials import Run

FITTING = "caches hold all of the data unless the options say otherwise"


@dataclass(frozen=True, eq=False)
class SectionResults:
    """One section of a run. `problem` says why there is none. Equal only to itself, so that what
    follows from it can be kept.
    """

    section: str
    run: Run | None
    problem: str = ""

    @property
    def test(self) -> int:
        """Its number in the sources."""
        return int(self.section[:2])

    @cached_property
    def trials(self) -> list[dict]:
        """The section's trial records."""
        trials = self.run.trials if self.run else []
        return [trial for trial in trials if trial["section"] == self.section]

    @cached_property
    def damaged(self) -> list[str]:
        """Return what is wrong with the section's files that are left out, a sentence each."""
        files = self.run.damaged if self.run else ()
        return [str(each) for each in files if each.file.parent.name == self.section]

    @property
    def measured(self) -> bool:
        """Return whether there is anything to show."""
        return any(trial["cases"] for trial in self.trials)

    @cached_property
    def stores(self) -> dict[str, dict]:
        """Return what each store says of itself, by id, the baseline first; of several trials, one
        that succeeded if any did.
        """
        found = {
            trial["store"]["id"]: trial["store"]
            for trial in sorted(self.trials, key=lambda t: t["status"] == "ok")
        }
        return dict(
            sorted(found.items(), key=lambda item: (item[1]["family"] != BASELINE, item[1]["name"]))
        )

    @cached_property
    def cases(self) -> dict[Case, int]:
        """The cases that were measured, each with its number of entries."""
        cases = (case for trial in self.trials for case in trial["cases"])
        return {Case(**labels(case)): case["entries"] for case in cases}

    @property
    def entries(self) -> tuple[int, int]:
        """Least and most entries of the cases."""
        return min(self.cases.values()), max(self.cases.values())

    @cached_property
    def trial_counts(self) -> tuple[int, int]:
        """Least and most trials of a store, failed ones included: a store whose trials take very
        long has one.
        """
        counts = Counter(trial["store"]["id"] for trial in self.trials).values()
        return min(counts), max(counts)

    @property
    def comparison_group(self) -> tuple:
        """The machine and the profile: only figures of one group are compared."""
        if self.run is None:
            raise ValueError(f"{self.section} has no run: {self.problem}")
        return runs.comparison_group(self.run.environment)

    @property
    def memory(self) -> str:
        """Return what a store may keep: a limit of the whole process, budgets of some megabytes, or
        caches for all of the data.
        """
        limits = sorted(
            _number(flag.removeprefix(MEMORY))
            for trial in self.trials
            for flag in (trial["jvm"] or {"flags": ()})["flags"]
            if flag.startswith(MEMORY)
        )
        if limits:
            amounts = format_range(limits[0] / 1e6, limits[-1] / 1e6, "{:,.0f}".format)
            return f"{amounts} MB for the whole process"
        settings = [each for case in self.cases for each in case.settings.split(", ")]
        budgets = {
            _number(each.removeprefix("memory=").partition("-")[0])
            for each in settings
            if each.startswith("memory=")
        }
        megabytes = join_words(map(str, sorted(budgets)))
        return f"{megabytes} MB of cache and buffer" if budgets else FITTING


def memory_of(sections: Iterable[SectionResults]) -> str:
    """Return what stores may keep in some sections, for a caption; nothing where none was
    measured.
    """
    found = [
        section.memory
        for section in sections
        if any(store["family"] not in NO_STORES for store in section.stores.values())
    ]
    return f"memory: {join_words(dict.fromkeys(found))}" if found else ""


def _number(words: str) -> int:
    """A number from a setting; 0 for what is none."""
    return int(words) if words.isdecimal() else 0
