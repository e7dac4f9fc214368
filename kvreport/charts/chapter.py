"""A section's results with the words that captions have for where they come from."""

import contextlib
from collections.abc import Iterable
from datetime import date
from functools import cached_property
from typing import NamedTuple

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
from kvreport.data.trials import Run


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
    for chapter in shown():
        stores = chapter.stores | stores
    return stores


def shown() -> list["Chapter"]:
    """The chapters on all sections that the report shows something of."""
    with contextlib.suppress(UserError):  # nothing is measured yet
        return [of(section) for section in runs.shown_sections()]
    return []


NOT_MEASURED = Markdown("*Not measured.*")


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

    def opening(self, exhibits: str) -> Markdown:
        """Return where the chapter's figures come from and which of the section's stores have none,
        or the notice that there are none at all.
        """
        if self.run and self.measured:
            planned = extra_measurements.plan(self.run.name, self.section)
            named = planned["stores"] if planned and "*" not in planned["stores"] else []
            absent = [code(store) for store in named if store not in self.stores]
            more = " Not measured in this run yet: {}; {} measures what is missing."
            return Markdown(
                marked("*{}.*", provenance([self], exhibits))
                + warned([self])
                + (marked(more, markdown.join_words(absent), self.command) if absent else "")
                + "".join(marked(" Left out: {}", prose(each)) for each in self.damaged)
            )
        return Markdown(
            f'::: {{.callout-important title="No measurements"}}\n{self.missing()}\n:::'
        )

    @property
    def stands_in(self) -> bool:
        """Return whether the results are of a run that came with the project, in place of one of
        this machine.
        """
        return self.run is not None and runs.stands_in(self.run.name)


def comparable(chapters: Iterable[Chapter]) -> list[Chapter]:
    """The measured ones of some chapters whose figures may be set against one another: those of the
    last one's machine, profile and harness.
    """
    there = sorted(
        (chapter for chapter in chapters if chapter.measured), key=lambda chapter: chapter.test
    )
    return [chapter for chapter in there if chapter.comparison_group == there[-1].comparison_group]


def opening(chapters: list[Chapter], exhibits: str) -> Markdown:
    """Return where figures come from that draw on several sections: a line for each machine and
    profile; or the notice that there are none at all.
    """
    groups: dict[tuple, list[Chapter]] = {}
    for chapter in chapters:
        if chapter.measured:
            groups.setdefault(chapter.comparison_group, []).append(chapter)
    if not groups:
        return chapters[0].opening(exhibits)
    return Markdown(
        "\n\n".join(
            marked(
                "*{}.*",
                provenance(group, exhibits + (f", {tests(group)}" if len(groups) > 1 else "")),
            )
            + warned(group)
            for group in groups.values()
        )
    )


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


def elsewhere(chapter: Chapter) -> str:
    """For captions: when, where and at which profile most sections of the report were measured,
    unless this one was measured so, too.
    """
    if chapter.stands_in:  # whose machine it is stands above it
        return ""
    sections = runs.shown_sections()
    of_machine = {name for name in set(sections.values()) if not runs.stands_in(name)}
    sections = {id: name for id, name in sections.items() if name in of_machine}
    found = {name: loaded(name) for name in of_machine}
    places = [_origin(found[name], section) for section, name in sections.items()]
    assert chapter.run, "nothing is measured without a run"
    own, common = _origin(chapter.run, chapter.section), max(places, key=places.count, default=None)
    if not common or (
        (own.machine, own.profile) == (common.machine, common.profile)
        and _days(common.last, own.first) <= 1  # as a sitting may last past midnight
        and _days(own.last, common.first) <= 1
    ):
        return ""
    return (
        f" · unlike most sections, which were measured"
        f" {format_range(common.first, common.last, str)} on"
        f" {common.host}"
        + (
            f" with another processor ({different(own.machine, common.machine)})"
            if own.host == common.host and own.machine != common.machine
            else ""
        )
        + (f" at profile {common.profile}" if own.profile != common.profile else "")
    )


def different(own: dict, other: dict) -> str:
    """In what of it another processor differs first: "microcode 0x2", "L1d 48K"."""
    what = next(name for name in own | other if own.get(name) != other.get(name))
    if what == "caches":
        known = own[what].split(", ")
        return ", ".join(part for part in other[what].split(", ") if part not in known)
    return f"{what} {'unknown' if (value := other.get(what)) is None else value}"


class Origin(NamedTuple):
    """Where a section of a run was measured, at which profile, and from which day to which."""

    host: str
    machine: dict
    profile: str
    first: str
    last: str


def _days(first: str, last: str) -> int:
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def _origin(run: Run, section: str) -> Origin:
    days = [trial["started"][:10] for trial in run.trials if trial["section"] == section]
    host, profile = run.environment["host"], run.environment["profile"]
    return Origin(host, runs.identity(run.environment), profile, min(days), max(days))


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
        f" {format_range(least, largest, '{:,}'.format)} entries{elsewhere(chapters[-1])}"
    )


def _extremes(ranges: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """The least and the largest of ranges."""
    lows, highs = zip(*ranges)
    return min(lows), max(highs)
