"""What two sessions of one machine differ by: a session is a random effect of each store.

Trials of one session do not show it: the same store in the same case comes out otherwise the next
day, after another boot, by more than its trials scatter. It is estimated by moments (DerSimonian
and Laird 1986) from every pair of runs of one machine and profile that have a section in common,
and is part of every difference of two stores that were measured in one session.
"""

import functools
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from kvreport.analysis import model, noise, stats
from kvreport.base import paths
from kvreport.data import frames, runs
from kvreport.data.cases import NO_STORES

CELL = [*stats.CASE, "workload"]
LOADS = ("write", "bulkLoad")


def between(names: Iterable[str]) -> float:
    """The variance that the session adds to the difference of two logarithms of times: what all
    pairs of sessions say or, where that is more, what stores that are measured twice differ by in
    the report's runs of the machine and profile that some runs are of.
    """
    return max(_of_pairs(paths.RUNS), _of_twice(paths.RUNS, tuple(names)))


@functools.lru_cache(4)  # of finished runs: it stays as it was when this process asked first
def _of_pairs(folder: Path) -> float:
    found = [
        beyond
        for section, first, second in pairs(folder)
        for beyond in unexplained(_fits(section, first), _fits(section, second))
    ]
    return max(0.0, float(np.mean(found))) if found else 0.0


@functools.lru_cache(16)
def _of_twice(folder: Path, names: tuple[str, ...]) -> float:
    known = runs.runs()
    groups = {runs.comparison_group(known[run]) for run in names if run in known}
    if not groups:
        return 0.0
    found = []
    for run in runs.shown_runs(runs.selected_run()):
        # sections that have a store twice: the others say nothing of it
        again = (folder / run).glob(f"*/*{noise.AGAIN}-*.json")
        sections = sorted({file.parent.name for file in again})
        if sections and runs.comparison_group(known[run]) in groups:
            rows = [frames.results(section, run) for section in sections]
            found.append(noise.excess(noise.fits_of(pd.concat(rows)).values()))
    return max((each for each in found if each is not None), default=0.0)


def pairs(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Every section that two runs of a machine and profile have, with their names."""
    groups = {name: runs.comparison_group(about) for name, about in runs.runs().items()}
    for one, other in combinations(groups, 2):
        if groups[one] == groups[other]:
            for section in sorted(_sections(folder / one) & _sections(folder / other)):
                yield section, one, other


def unexplained(first: dict[tuple, model.Fit], second: dict[tuple, model.Fit]) -> Iterator[float]:
    """For each cell and store of two sessions the square of what the store changed by beside the
    others, without what its trials explain.
    """
    for cell in first.keys() & second.keys():
        one, other = first[cell], second[cell]
        stores = [store for store in one.stores if store in other.stores]
        if len(stores) < 2 or one.freedom < 1 or other.freedom < 1:
            continue
        moved = np.array([one.effect(store) - other.effect(store) for store in stores])
        expected = [one.alone(store)[1] + other.alone(store)[1] for store in stores]
        yield from (moved - moved.mean()) ** 2 * len(stores) / (len(stores) - 1) - expected


def _sections(run: Path) -> set[str]:
    return {each.name for each in run.iterdir() if each.is_dir()}


def _fits(section: str, run: str) -> dict[tuple, model.Fit]:
    rows = frames.results(section, run)
    if not _first_loads_left_out(section, run):  # what the compiler had not seen is in its loads
        rows = rows[~rows["workload"].isin(LOADS)]
    return model.fits(rows[~rows["family"].isin(NO_STORES)], CELL)


def _first_loads_left_out(section: str, run: str) -> bool:
    return any(
        case.get("first_loads_ns")
        for trial in frames.loaded(run, section).trials
        for case in trial["cases"]
    )
