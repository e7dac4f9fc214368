"""The sections of runs that answers and the chooser are made of, and what their cells cost."""

import functools
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from kvreport.analysis import latency, model, ranking, stats
from kvreport.analysis.ranking import ABOUT, STAND_FOR
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.data import frames, runs
from kvreport.data.cases import Case
from kvreport.data.needs import CPU, FIRST_LOOK, SPACE, TAIL, TIME, Cell, needs

PERCENTILE = 99.9  # of TAIL
START_SECONDS = 3  # of a kernel, which no record has


@dataclass(frozen=True, eq=False)
class Measured:
    """A section of a run: its rows (frames.results)."""

    section: str
    run: str
    rows: pd.DataFrame

    @cached_property
    def engines(self) -> dict[str, str]:
        """The stores that are compared, by id, each under its engine's name."""
        kept = ranking.engines(self.rows)
        standing = {store: engine for engine, stores in STAND_FOR.items() for store in stores}
        return dict(zip(kept["store"], kept["store"].map(standing).fillna(kept["name"])))

    def of(self, case: Case) -> pd.DataFrame:
        """The rows of one case."""
        return self._cases.get(tuple(case), self.rows.head(0))

    @cached_property
    def _cases(self) -> dict[tuple, pd.DataFrame]:
        return dict(iter(self.rows.groupby(stats.CASE)))

    @functools.lru_cache(64)  # noqa: B019  # a page asks several times
    def cost(self, cell: Cell, measure: str) -> tuple[pd.DataFrame, model.Fit]:
        """Return what a cell cost: a row for each trial of an engine, failures included; and the
        fit of all stores, which tell together how trials scatter.
        """
        rows = self.of(cell.case)
        rows = rows[rows["workload"].isin(cell.workloads)]
        rows = COSTS[measure](rows)[[*ABOUT, "trial", "status", "reason", "cost"]]
        own = rows[rows["store"].isin(self.engines)]
        own = own.assign(name=own["store"].map(self.engines))
        if measure == TIME and len(cell.workloads) == 1:
            return own, self.fits[(*cell.case, cell.workloads[0])]
        fit = model.fit_of(rows, "cost")
        if measure == SPACE:  # most take the same in every trial
            return own, fit.each_by_itself()
        if measure == TIME:  # of several workloads, which scatter as each does
            fit = replace(fit, factors=next(iter(self.fits.values())).factors)
        return own, replace(fit, between=self.between)

    @cached_property
    def fits(self) -> dict[tuple, model.Fit]:
        """By (*case, workload)."""
        return ranking.fitted(self.rows, [*stats.CASE, "workload"])

    @property
    def between(self) -> float:
        """The variance that a session adds to a difference."""
        return next((fit.between for fit in self.fits.values()), 0.0)

    @cached_property
    def trials(self) -> int:
        """Of each store, but for those that take very long."""
        return int(self.rows.groupby("store")["trial"].nunique().max())

    @cached_property
    def group(self) -> tuple:
        """The machine and the profile: only figures of one group are compared."""
        return runs.comparison_group(runs.runs()[self.run])

    @cached_property
    def round_seconds(self) -> float:
        """Return what a round takes: a trial of each store."""
        trials = frames.loaded(self.run, self.section).trials
        return sum(trial["seconds"] + START_SECONDS for trial in trials) / max(1, self.trials)

    def has(self, cell: Cell) -> bool:
        """Return whether one of a cell's workloads is measured."""
        rows = self.of(cell.case)
        return bool(rows[rows["status"] == "ok"]["workload"].isin(cell.workloads).any())


Sections = dict[str, Measured]


def own_machine() -> bool:
    """Return whether the report is about a machine of the reader's own, and not about the runs that
    came with the project.
    """
    try:
        shipped = runs.reference_runs()
        return bool(shipped) and not runs.named_runs() and runs.selected_run() not in shipped
    except UserError:  # nothing is measured yet
        return False


def own_runs(stand_ins: bool = False) -> list[str]:
    """The runs that the report shows, those that only stand in for what was not measured on its
    machine where that is asked for.
    """
    try:
        every = runs.shown_runs(runs.selected_run())
    except UserError:  # nothing is measured
        return []
    return [name for name in every if stand_ins or not runs.stands_in(name)]


def measurements(names: Collection[str], sections: Iterable[str] = ()) -> Sections:
    """Some sections (none: those of the needs, and the first look) of the first of some runs that
    has each, without those of which nothing is measured.
    """
    wanted = sections or [FIRST_LOOK, *(each for need in needs() for each in need.sections)]
    found = {}
    for section in dict.fromkeys(wanted):
        there = (name for name in names if any((paths.RUNS / name / section).glob("*.json")))
        if run := next(there, None):
            each = _measured(section, run, frames.stamp(run, section))
            if (each.rows["status"] == "ok").any():
                found[section] = each
    return found


def shown_measurements(sections: Iterable[str] = ()) -> Sections:
    """The same as the report shows them."""
    return measurements(own_runs(stand_ins=True), sections)


@functools.lru_cache(64)  # a page asks for each several times
def _measured(section: str, run: str, stamp: tuple) -> Measured:
    return Measured(section, run, frames.results(section, run))


def _quickest(rows: pd.DataFrame) -> pd.DataFrame:
    """Of several workloads each store's quickest."""
    rows = rows.assign(cost=rows["ns_per_entry"])
    good = rows[rows["status"] == "ok"]
    medians = good.groupby(["store", "workload"])["cost"].median().reset_index()
    best = medians.sort_values("cost").drop_duplicates("store").set_index("store")["workload"]
    chosen = rows["store"].map(best)
    return rows[chosen.isna() | (chosen == rows["workload"])]


def _tail(rows: pd.DataFrame) -> pd.DataFrame:
    """Of single operations the one in a thousand."""
    return rows.assign(cost=latency.percentile(rows, PERCENTILE))


def _cpu(rows: pd.DataFrame) -> pd.DataFrame:
    """Of all threads, what a load leaves to be done included."""
    during, after = (
        rows[f"{when}cpu_user_ns"] + rows[f"{when}cpu_system_ns"] for when in ("", "after_load_")
    )
    return rows.assign(cost=(during / rows["passes"] + after) / rows["entries"])


def _space(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(cost=rows["closed_bytes"] / rows["flat_bytes"])


COSTS = {TIME: _quickest, TAIL: _tail, CPU: _cpu, SPACE: _space}
