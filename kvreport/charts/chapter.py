"""A section's results with the words that captions have for where they come from."""

import contextlib
from collections.abc import Iterable
from functools import cached_property

from IPython.display import Markdown

from kvreport.analysis.conditions import warnings
from kvreport.analysis.results import SectionResults, memory_of
from kvreport.base import markdown
from kvreport.base.errors import UserError
from kvreport.base.markdown import Marked, code, joined, marked, prose
from kvreport.base.text import format_range, join_words
from kvreport.charts.palette import colour
from kvreport.data import extra_measurements, runs
from kvreport.data.frames import loaded
from kvreport.data.runs import SKIPPED, run_of


def of(section: str) -> "Chapter":
    """The chapter on a section of the run that the report is about; without measurements, one that
    says so.
    """
    try:
        return Chapter(section, loaded(run_of(section)))
    except UserError as problem:
        return Chapter(section, None, str(problem))


def shown_stores() -> dict[str, dict]:
    """Return what each store that the report shows something of says of itself, by id."""
    stores: dict[str, dict] = {}
    with contextlib.suppress(UserError):  # nothing is measured yet
        for section in runs.shown_sections():
            stores = of(section).stores | stores
    return stores


class Chapter(SectionResults):
    """The results of a section, with the words that captions and openings have for them."""

    @cached_property
    def stores(self) -> dict[str, dict]:
        """Return what each store says of itself, by id, as SectionResults has it; its colour is
        that of the report.
        """
        own = super().stores
        return {
            id: about
            | {"colour": colour(id, about["colour"], about["family"], about.get("engine") or "")}
            for id, about in own.items()
        }

    @property
    def environment(self) -> dict:
        """The record of the machine and the profile of a section that is measured."""
        assert self.run, "nothing is measured without a run"
        return self.run.environment

    def missing(self) -> Marked:
        """Return why there is nothing to show and what to do, as Markdown."""
        if self.trials:
            return joined(
                " ",
                [
                    "No trial of this section succeeded.",
                    *(f"{trial['store']['name']}: {trial['reason']}." for trial in self.trials),
                ],
            )
        skipped = [
            warning
            for warning in (self.run.environment["warnings"] if self.run else [])
            if warning.startswith(SKIPPED.format(self.section, ""))
        ]
        if self.problem or self.damaged:
            return joined(" ", map(prose, self.damaged)) if self.damaged else prose(self.problem)
        if skipped:
            why = "This run has no results of this section; {}: {} measures it."
            return marked(why, skipped[0], self.command)
        return marked("This run has no results of this section yet: {} measures it.", self.command)

    @property
    def command(self) -> Marked:
        """The command that measures the section, at the run's profile where that is not the
        default.
        """
        profile = self.run.environment["profile"] if self.run else "quick"
        if self.stands_in:
            profile = runs.runs()[runs.selected_run()]["profile"]
        other = "" if profile == "quick" else f" PROFILE={profile}"
        return code(f"make section S={self.section[:2]}{other}")

    def left_out(self) -> str:
        """Return which of the section's stores and files the figures have nothing of."""
        assert self.run, "nothing is measured without a run"
        planned = extra_measurements.plan(self.run.name, self.section)
        named = planned["stores"] if planned and "*" not in planned["stores"] else []
        absent = [code(store) for store in named if store not in self.stores]
        found = [marked(" Left out: {}", prose(each)) for each in self.damaged]
        if absent:
            more = " Not measured in this run yet: {}; {} measures what is missing."
            found.insert(0, marked(more, markdown.join_words(absent), self.command))
        return "".join(found)

    @property
    def stands_in(self) -> bool:
        """Return whether the results are of a run that came with the project, in place of one of
        this machine.
        """
        return self.run is not None and runs.stands_in(self.run.name)


def opening(chapters: list[Chapter], exhibits: str) -> Markdown:
    """Return where figures come from that draw on sections, and what is left out of them: a line
    for each machine and profile; or the notice that there are none at all.
    """
    groups: dict[tuple, list[Chapter]] = {}
    for chapter in chapters:
        if chapter.measured:
            groups.setdefault(chapter.comparison_group, []).append(chapter)
    if not groups:
        why = chapters[0].missing()
        return Markdown(f'::: {{.callout-important title="No measurements"}}\n{why}\n:::')
    lines = []
    for group in groups.values():
        named = exhibits + (f", {tests(group)}" if len(groups) > 1 else "")
        line = marked("*{}.*", provenance(group, named)) + warned(group)
        lines.append(line + "".join(chapter.left_out() for chapter in group))
    return Markdown("\n\n".join(lines))


def warned(chapters: list[Chapter]) -> str:
    """Return what may have distorted the figures of chapters, as their runs' records say; nothing
    where nothing has.
    """
    found = dict.fromkeys(
        clause for each in chapters for clause in warnings(each.trials, each.environment)
    )
    return marked(" Warning: {}.", "; ".join(found)) if found else ""


def tests(chapters: list[Chapter]) -> str:
    """ "Test 4" or "Tests 5 and 6"."""
    return (
        f"Test{'s' if len(chapters) > 1 else ''}"
        f" {join_words(str(chapter.test) for chapter in chapters)}"
    )


def provenance(chapters: list[Chapter], exhibit: str) -> str:
    """Return where the figures of an exhibit come from that draws on chapters of one machine and
    profile, and what a store may keep in memory there, for captions.
    """
    environment = chapters[0].environment
    days = sorted(trial["started"][:10] for chapter in chapters for trial in chapter.trials)
    few, most = _extremes(chapter.trial_counts for chapter in chapters)
    least, largest = _extremes(chapter.entries for chapter in chapters)
    memory = memory_of(chapters)
    return (
        f"{exhibit} · measured {format_range(days[0], days[-1], str)} on {environment['host']}"
        f" · profile {environment['profile']}{f' · {memory}' if memory else ''} ·"
        f" {format_range(few, most, str)} {'trial' if most == 1 else 'trials'} ·"
        f" {format_range(least, largest, '{:,}'.format)} entries"
    )


def _extremes(ranges: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """The least and the largest of ranges."""
    lows, highs = zip(*ranges)
    return min(lows), max(highs)
