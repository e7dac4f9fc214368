"""What a chapter's notebook starts with: one section's results, the stores behind them, and where
they come from.

from kvreport.claims import checks as claims
from kvreport.exhibits import chapter, charts, tables
test = chapter.of("04-small-values")
test.opening("A07 to A12")         # where the figures come from, or the notice that there are none
test.say(lambda: f"...")           # a sentence computed from the data
"""

import functools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import noise, stats
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.text import listing, span
from kvreport.data import runs, sidecars
from kvreport.data.cases import CONTROL, LIMIT, LOOK_INTO, WORKLOADS, Case
from kvreport.data.runs import SKIPPED, Run, load, run_of

SPACE = [
    "store",
    *stats.CASE,
    "entries",
    "reason",
    "failures",
    "value",
    "low",
    "high",
    "n",
    "status",
    "values",
    "flat",
    "trials",
    "bytes",
    "open_bytes",
    "overhead",
]


def of(section: str) -> "Chapter":
    """The chapter on a section of the run that the report is about; without measurements, one that
    says so.
    """
    try:
        return Chapter(section, _loaded(run_of(section), paths.RUNS))
    except UserError as problem:
        return Chapter(section, None, str(problem))


def in_full(section: str) -> "Chapter":
    """The chapter on a section at the sources' own size, where the report shows it at a smaller
    one: each store of the first run at profile full that has it.
    """
    try:
        found = [_loaded(name, paths.RUNS) for name in runs.in_full(section)]
    except UserError as problem:
        return Chapter(section, None, str(problem))
    if not found:
        return Chapter(
            section,
            None,
            "No run here has this section at profile `full` beside the one shown: `make section"
            f" S={section[:2]} PROFILE=full` measures it.",
        )
    first = {
        trial["store"]["id"]: run
        for run in reversed(found)
        for trial in run.trials
        if trial["section"] == section
    }
    trials = [
        trial
        for run in found
        for trial in run.trials
        if trial["section"] == section and first[trial["store"]["id"]] is run
    ]
    return Chapter(section, Run(found[0].name, found[0].environment, trials))


@functools.lru_cache(16)  # as many runs as a report may draw on
def _read(name: str, folder: Path, stamp: tuple) -> Run:
    return load(name)


def _loaded(name: str, folder: Path) -> Run:
    """A run, read again only when a file of it changed: a notebook opens several chapters."""
    return _read(
        name,
        folder,
        tuple(
            sorted((file.name, file.stat().st_mtime_ns) for file in (folder / name).rglob("*.json"))
        ),
    )


@dataclass(frozen=True)
class Chapter:
    """One section of a run. `problem` says why there is none."""

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
        return (
            [trial for trial in self.run.trials if trial["section"] == self.section]
            if self.run
            else []
        )

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The section's results, each trial's by itself, as runs.Run.frame has them."""
        return self.run.frame[self.run.frame["section"] == self.section]

    @cached_property
    def loads(self) -> pd.DataFrame:
        """What the section's loads occupied and left to be done, each trial's by itself, as
        runs.Run.space has them.
        """
        return self.run.space[self.run.space["section"] == self.section]

    @property
    def measured(self) -> bool:
        """Whether there is anything to show."""
        return any(trial["cases"] for trial in self.trials)

    @cached_property
    def stores(self) -> dict[str, dict]:
        """What each store says of itself, by id, the limit first; of several trials, one that
        succeeded if any did.
        """
        told = {
            trial["store"]["id"]: trial["store"]
            for trial in sorted(self.trials, key=lambda t: t["status"] == "ok")
        }
        return dict(
            sorted(told.items(), key=lambda item: (item[1]["family"] != LIMIT, item[1]["name"]))
        )

    def name(self, store: str) -> str:
        """A store's name as shown."""
        return self.stores[store]["name"]

    def is_limit(self, store: str) -> bool:
        return self.stores[store]["family"] == LIMIT

    def is_store(self, store: str) -> bool:
        """Whether it is a store, and not what stores are measured against."""
        return self.stores[store]["family"] not in (LIMIT, CONTROL)

    def brand(self, store: str) -> str:
        """The engine's name where several stores are bindings of one engine ("LMDB"), else the
        store's own.
        """
        words = Counter(_first_word(other) for other in self.stores.values())
        word = _first_word(self.stores[store])
        return word if words[word] > 1 else self.name(store)

    @cached_property
    def results(self) -> pd.DataFrame:
        """stats.cells of the section: one row for each store, case and workload, those that failed
        early included.
        """
        return stats.cells(self.frame, self.floor).set_index("store", drop=False).rename_axis(None)

    def case(self, case: Case) -> pd.DataFrame:
        """The results of one case."""
        return of_case(self.results, case)

    @cached_property
    def space(self) -> pd.DataFrame:
        """One row for each store and case: bytes an entry on disk after close, as `results` has
        times.

        value, low, high  median and interval over trials, bytes an entry;  flat: what a flat array
                          takes
        bytes, open_bytes  median bytes after close, and before it;  overhead: percent over the flat
                           array
        """
        measured = {key: group for key, group in self.loads.groupby(["store", *stats.CASE])}
        rows = []
        for loaded in self.results[self.results["workload"] == "write"].to_dict("records"):
            key = loaded["store"], *(loaded[name] for name in stats.CASE)
            found = measured.get(key, self.loads[:0]).dropna(subset="closed_bytes")
            row = dict(zip(["store", *stats.CASE], key)) | {
                name: loaded[name] for name in ["entries", "reason", "failures"]
            }
            flat = loaded["user_bytes"] / loaded["entries"]
            values = tuple(found["closed_bytes"] / loaded["entries"])
            size = stats.estimate(values) if values else stats.NOTHING
            rows.append(
                row
                | vars(size)
                | {
                    "status": "ok" if values else "failed",
                    "values": values,
                    "flat": flat,
                    "trials": len(values),
                    "bytes": size.value * loaded["entries"],
                    "open_bytes": found["open_bytes"].median(),
                    "overhead": 100 * (size.value / flat - 1),
                }
            )
        return pd.DataFrame(rows, columns=SPACE).set_index("store", drop=False).rename_axis(None)

    def sizes(self, case: Case) -> pd.DataFrame:
        """The space of one case."""
        return of_case(self.space, case)

    @cached_property
    def cases(self) -> list[Case]:
        """The cases there are, as measured."""
        return [
            Case(*key) for key in self.results[stats.CASE].drop_duplicates().itertuples(index=False)
        ]

    @cached_property
    def workloads(self) -> list[str]:
        """The workloads there are, in the sources' order; gets that look into values, which no
        source has, come last.
        """
        return [
            workload
            for workload in (*WORKLOADS, LOOK_INTO)
            if workload in set(self.results["workload"])
        ]

    def drawn(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows for a figure or table: the stores and the limit, with each one's name and colour,
        and `limit`, its value.

        A name says how many trials are behind it when some failed: "MapDB (2/3)".
        """
        rows = rows[[self.stores[store]["family"] != CONTROL for store in rows["store"]]]
        names = [
            self.name(row.store)
            + (
                f" ({row.trials}/{row.trials + row.failures})"
                if row.trials and row.failures
                else ""
            )
            for row in rows.itertuples()
        ]
        is_limit = rows["store"].map(self.is_limit)
        return rows.assign(
            name=names,
            colour=[self.stores[store]["colour"] for store in rows["store"]],
            is_limit=is_limit,
            limit=rows.loc[is_limit, "value"].min(),
        )

    def entries(self, case: Case | None = None) -> tuple[int, int]:
        """Least and most entries of the cases, or of one."""
        entries = (self.case(case) if case else self.results)["entries"]
        return int(entries.min()), int(entries.max())

    @cached_property
    def trial_counts(self) -> tuple[int, int]:
        """Least and most trials of a store, failed ones included: a store whose trials take very
        long has one.
        """
        counts = Counter(trial["store"]["id"] for trial in self.trials).values()
        return min(counts), max(counts)

    @property
    def trial_count(self) -> int:
        """Trials of each store, but for those that take very long."""
        return self.trial_counts[1]

    def provenance(self, exhibit: str, case: Case | None = None) -> str:
        """Where an exhibit's figures come from, for captions."""
        return provenance([self], exhibit, case)

    @property
    def machine(self) -> tuple[str, str]:
        """What measured: a host's label and its processor."""
        return runs.machine(self.run.environment)

    @property
    def kind(self) -> tuple:
        """The machine and the profile: figures of one kind may be set against one another."""
        return runs.kind(self.run.environment)

    @cached_property
    def floor(self) -> float:
        """How many times one another two results must be to differ at all: noise.floor of the run
        or, where it has no store twice, the highest of the report's other runs of this kind.
        """
        if (own := noise.floor(self.run)) > noise.NONE:
            return own
        known = runs.runs()
        return max(
            (
                noise.floor(_loaded(name, paths.RUNS))
                for name in runs.shown_runs(runs.selected_run())
                if name != self.run.name and runs.kind(known[name]) == self.kind
            ),
            default=noise.NONE,
        )

    @property
    def hardware(self) -> str:
        """The machine, its file system and its Java in a line, as published.HARDWARE has those of
        2016.
        """
        told = self.run.environment
        cores, disk = told["cpu"]["cores"] or told["cpu"]["threads"], told["filesystem"]
        return (
            f"{told['cpu']['model'] or 'a processor that is not told'}, {cores}"
            f" {'core' if cores == 1 else 'cores'}, {told['memory_bytes'] / 1e9:.0f} GB, data on"
            f" {disk['type']}, Java {told['jdk']['version']}"
        )

    def missing(self) -> str:
        """Why there is nothing to show and what to do."""
        if self.trials:
            return "No trial of this section succeeded. " + " ".join(
                f"{trial['store']['name']}: {trial['reason']}." for trial in self.trials
            )
        skipped = [
            warning
            for warning in (self.run.environment["warnings"] if self.run else [])
            if warning.startswith(SKIPPED.format(self.section, ""))
        ]
        return (
            self.problem
            or "This run has no results of this section"
            f"{'; ' + skipped[0] + ':' if skipped else ' yet:'} {self.command} measures it."
        )

    @property
    def command(self) -> str:
        """The command that measures the section, at the run's profile where that is not the
        default.
        """
        profile = self.run.environment["profile"] if self.run else "quick"
        return (
            "`make section"
            f" S={self.section[:2]}{'' if profile == 'quick' else f' PROFILE={profile}'}`"
        )

    def opening(self, exhibits: str) -> Markdown:
        """Where the chapter's figures come from and which of the section's stores have none, or the
        notice that there are none at all.
        """
        if self.measured:
            planned = sidecars.plan(self.run.name, self.section)
            named = planned["stores"] if planned and "*" not in planned["stores"] else []
            absent = [f"`{store}`" for store in named if store not in self.stores]
            return Markdown(
                f"*{self.provenance(exhibits)}.*"
                + (
                    f" Not measured in this run yet: {listing(absent)}; {self.command} measures"
                    " what is missing."
                    if absent
                    else ""
                )
            )
        return Markdown(
            f'::: {{.callout-important title="No measurements"}}\n{self.missing()}\n:::'
        )

    def say(self, text) -> Markdown:
        """Markdown that `text()` computes from the data; without data it is not called."""
        return Markdown(text() if self.measured else "*Not measured.*")


def alike(chapters: Iterable[Chapter]) -> list[Chapter]:
    """The measured ones of some chapters whose figures may be set against one another: those of the
    kind of the last.
    """
    there = sorted(
        (chapter for chapter in chapters if chapter.measured), key=lambda chapter: chapter.test
    )
    return [chapter for chapter in there if chapter.kind == there[-1].kind]


def opening(chapters: list[Chapter], exhibits: str) -> Markdown:
    """Where figures come from that draw on several sections: a line for each machine and profile;
    or the notice that there are none at all.
    """
    groups = {}
    for chapter in chapters:
        if chapter.measured:
            groups.setdefault(chapter.kind, []).append(chapter)
    if not groups:
        return chapters[0].opening(exhibits)
    return Markdown(
        "\n\n".join(
            f"*{provenance(group, exhibits + (f', {tests(group)}' if len(groups) > 1 else ''))}.*"
            for group in groups.values()
        )
    )


def tests(chapters: list[Chapter]) -> str:
    """ "Test 4" or "Tests 5 and 6"."""
    return (
        f"Test{'s' if len(chapters) > 1 else ''}"
        f" {listing(str(chapter.test) for chapter in chapters)}"
    )


def elsewhere(chapter: Chapter) -> str:
    """For captions: when, where and at which profile most sections of the report were measured,
    unless this one was measured so, too.
    """
    places = [
        _origin(_loaded(name, paths.RUNS), section)
        for section, name in runs.shown_sections().items()
    ]
    own, common = _origin(chapter.run, chapter.section), max(places, key=places.count, default=None)
    if (
        not common
        or (own.host, own.profile) == (common.host, common.profile)
        and own.first <= common.last
        and common.first <= own.last
    ):
        return ""
    return (
        f" · unlike most sections, which were measured {span(common.first, common.last, str)} on"
        f" {common.host}"
        + (f" at profile {common.profile}" if own.profile != common.profile else "")
    )


class Origin(NamedTuple):
    """Where a section of a run was measured, at which profile, and from which day to which."""

    host: str
    profile: str
    first: str
    last: str


def _origin(run: Run, section: str) -> Origin:
    days = [trial["started"][:10] for trial in run.trials if trial["section"] == section]
    return Origin(run.environment["host"], run.environment["profile"], min(days), max(days))


def provenance(chapters: list[Chapter], exhibit: str, case: Case | None = None) -> str:
    """Where the figures of an exhibit come from that draws on chapters of one machine and profile,
    for captions.
    """
    told, days = (
        chapters[0].run.environment,
        sorted(trial["started"][:10] for chapter in chapters for trial in chapter.trials),
    )
    few, most = _span(chapter.trial_counts for chapter in chapters)
    least, largest = _span(chapter.entries(case) for chapter in chapters)
    return (
        f"{exhibit} · measured {span(days[0], days[-1], str)} on {told['host']} · profile"
        f" {told['profile']} · {span(few, most, str)} {'trial' if most == 1 else 'trials'} ·"
        f" {span(least, largest, '{:,}'.format)} entries{elsewhere(chapters[-1])}"
    )


def _span(ranges) -> tuple[int, int]:
    """From the least to the largest of ranges."""
    lows, highs = zip(*ranges)
    return min(lows), max(highs)


def of_case(rows: pd.DataFrame, case: Case) -> pd.DataFrame:
    """The rows of one case."""
    return rows[(rows[list(Case._fields)] == list(case)).all(axis=1)]


def _first_word(store: dict) -> str:
    return (store["engine"] or store["name"]).split()[0]
