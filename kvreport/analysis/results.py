"""One section's results in the run that is shown: what every figure, table and claim starts from.

Nothing here is text for a reader; exhibits.chapter has the captions.
"""

import functools
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from pathlib import Path

import pandas as pd

from kvreport.analysis import model, noise, stats
from kvreport.base import paths
from kvreport.data import extra_measurements, runs
from kvreport.data.cases import ACCESS_PATH, BASELINE, CONTROL, NO_STORE, Case
from kvreport.data.runs import Run, load

SPACE_KEY = ["store", *stats.CASE]
SPACE = [
    *SPACE_KEY,
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

# Of an engine with several rows, the one that stands for it wherever engines are compared, named
# before anything was measured: the first of these that a section has
STAND_FOR = {
    "LMDB": ("LmdbJavaBb", "LmdbJavaDb"),
    "Chronicle": ("ChronicleMap",),
    "MVStore": ("MvStore",),
}


@functools.lru_cache(16)  # as many runs as a report may draw on
def _read(name: str, folder: Path, stamp: tuple) -> Run:
    return load(name, bearing=True)


def loaded(name: str, folder: Path) -> Run:
    """A run, read again only when a file of it changed: a notebook opens several chapters."""
    return _read(name, folder, tuple(sorted(_files(folder / name))))


def _files(folder: Path | str) -> Iterator[tuple[str, int]]:
    """Name and time of each record in a folder and those in it, of none where there is none; asked
    for at every caption.
    """
    for each in os.scandir(folder) if os.path.isdir(folder) else ():
        if each.is_dir(follow_symlinks=False):
            yield from _files(each.path)
        elif each.name.endswith(".json"):
            yield each.name, each.stat(follow_symlinks=False).st_mtime_ns


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

    @property
    def _shown(self) -> Run:
        """The run, where there is one: nothing is asked of what was not measured."""
        if self.run is None:
            raise ValueError(f"{self.section} has no run: {self.problem}")
        return self.run

    @cached_property
    def trials(self) -> list[dict]:
        """The section's trial records."""
        return (
            [trial for trial in self.run.trials if trial["section"] == self.section]
            if self.run
            else []
        )

    @cached_property
    def damaged(self) -> list[str]:
        """What is wrong with the section's files that are left out, a sentence each."""
        files = self.run.damaged if self.run else ()
        return [str(each) for each in files if each.file.parent.name == self.section]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The section's results, each trial's by itself, as runs.Run.frame has them."""
        frame = self._shown.frame
        return frame[frame["section"] == self.section]

    @cached_property
    def loads(self) -> pd.DataFrame:
        """What the section's loads occupied and left to be done, each trial's by itself, as
        runs.Run.space has them.
        """
        space = self._shown.space
        return space[space["section"] == self.section]

    @property
    def measured(self) -> bool:
        """Whether there is anything to show."""
        return any(trial["cases"] for trial in self.trials)

    @cached_property
    def stores(self) -> dict[str, dict]:
        """What each store says of itself, by id, the baseline first; of several trials, one that
        succeeded if any did.
        """
        found = {
            trial["store"]["id"]: trial["store"]
            for trial in sorted(self.trials, key=lambda t: t["status"] == "ok")
        }
        return dict(
            sorted(found.items(), key=lambda item: (item[1]["family"] != BASELINE, item[1]["name"]))
        )

    def name(self, store: str) -> str:
        """A store's name as shown."""
        return self.stores[store]["name"]

    def is_store(self, store: str) -> bool:
        """Whether it is a store, and not what stores are measured against."""
        return self.stores[store]["family"] not in (BASELINE, CONTROL)

    @cached_property
    def engines(self) -> list[str]:
        """The stores that stand for their engines, one each, wherever engines are compared."""
        others = (BASELINE, CONTROL, NO_STORE, ACCESS_PATH)
        there = [id for id, store in self.stores.items() if store["family"] not in others]
        stand = {
            engine: next((store for store in named if store in self.stores), None)
            for engine, named in STAND_FOR.items()
        }
        return [store for store in there if stand.get(self.engine(store)) in (None, store)]

    def engine(self, store: str) -> str:
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
        return stats.cells(self.frame).set_index("store", drop=False).rename_axis(None)

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
        measured: dict[tuple, list[tuple[float, float]]] = {}  # bytes after close, and before
        columns = [*SPACE_KEY, "closed_bytes", "open_bytes"]
        loads = self.loads[columns].astype(dict.fromkeys(columns[-2:], float))
        for *of, closed, opened in loads.itertuples(index=False):
            if not isnan(closed):
                measured.setdefault(tuple(of), []).append((closed, opened))
        rows = []
        for loaded in self.results[self.results["workload"] == "write"].to_dict("records"):
            key = tuple(loaded[name] for name in SPACE_KEY)
            found = measured.get(key, [])
            row = dict(zip(SPACE_KEY, key)) | {
                name: loaded[name] for name in ["entries", "reason", "failures"]
            }
            flat = loaded["user_bytes"] / loaded["entries"]
            values = tuple(closed / loaded["entries"] for closed, _ in found)
            size = stats.estimate(values)
            rows.append(
                row
                | vars(size)
                | {
                    "status": "ok" if values else "failed",
                    "values": values,
                    "flat": flat,
                    "trials": len(values),
                    "bytes": size.value * loaded["entries"],
                    "open_bytes": stats.median(opened for _, opened in found),
                    "overhead": 100 * (size.value / flat - 1),
                }
            )
        return pd.DataFrame(rows, columns=SPACE).set_index("store", drop=False).rename_axis(None)

    @cached_property
    def cases(self) -> list[Case]:
        """The cases there are, as measured."""
        return [
            Case(*key) for key in self.results[stats.CASE].drop_duplicates().itertuples(index=False)
        ]

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
    def machine(self) -> tuple:
        """What measured: a host's label and its processor."""
        return runs.machine(self._shown.environment)

    @property
    def comparison_group(self) -> tuple:
        """The machine and the profile: only figures of one group are compared."""
        return runs.comparison_group(self._shown.environment)

    @cached_property
    def fits(self) -> dict[tuple, model.Fit]:
        """model.fits of the section, what its session adds to a difference included."""
        return {
            key: replace(fit, between=self.between) for key, fit in model.fits(self.frame).items()
        }

    @cached_property
    def between(self) -> float:
        """What A/A controls differ by beyond chance (noise.excess): the section's own or, where it
        has none, the largest of the report's runs of this group.
        """
        own = noise.excess(self.frame)
        if own is not None:
            return own
        found = [noise.excess(run.frame) for run in self._group]
        return max((each for each in found if each is not None), default=0.0)

    @property
    def _group(self) -> list[Run]:
        """The report's runs of this machine and profile, and the one that is shown."""
        known = runs.runs()
        return [self._shown] + [
            loaded(name, paths.RUNS)
            for name in runs.shown_runs(runs.selected_run())
            if runs.comparison_group(known[name]) == self.comparison_group
        ]

    @property
    def crosscheck(self) -> dict | None:
        """The cross-check with JMH of the run that is shown or, where it has none, of the first of
        the report's other runs of this group that has.
        """
        if self.run is None:
            return None
        return next(
            filter(None, (extra_measurements.crosscheck(run.name) for run in self._group)), None
        )


def of_case(rows: pd.DataFrame, case: Case) -> pd.DataFrame:
    """The rows of one case."""
    return rows[(rows[list(Case._fields)] == list(case)).all(axis=1)]


def _first_word(store: dict) -> str:
    return (store["engine"] or store["name"]).split()[0]
