"""Which trials of a section are there and which are to be made, in which order."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Protocol

from kvreport.base import paths
from kvreport.data import harness, records
from kvreport.data.rows import results
from kvreport.measure.plan import Plan
from kvreport.measure.section import Section
from kvreport.measure.trial import Trial
from kvreport.toolchain import availability

LONG_SECONDS = 600  # a store whose trial takes longer has one trial unless more are asked for


class Reached(Protocol):
    """analysis.reach.Reach, which this room does not see."""

    @property
    def ratio(self) -> float: ...
    @property
    def short(self) -> frozenset[tuple[str, str]]: ...
    @property
    def hopeless(self) -> int: ...


@dataclass(frozen=True)
class Until:
    """The ratio that each comparison is to tell, and what a section's trials in a run tell, of a
    ratio that is wanted (analysis.reach).
    """

    ratio: float
    reach: Callable[[str, str, float], Reached]


@dataclass(frozen=True)
class Request:
    """What a launch asks for, besides the section.

    rounds        trials of each store at most for now; None: as many as the plan has
    retry_failed  whether to make again the trials that failed
    long          whether a store whose trial takes long has as many as the others
    until         whether to go on beyond the plan, and how far
    so_far        what a run tells after a round, in a line (analysis); only where all the time
                  until the end is to be spent, on as many rounds as fit, whatever the plan has
    ends          when no further trial is begun, as time.monotonic has it
    """

    rounds: int | None = None
    retry_failed: bool = False
    long: bool = False
    until: Until | None = None
    so_far: Callable[[str], str] | None = None
    ends: float = inf

    @property
    def seconds_left(self) -> float:
        """Until it ends; negative afterwards."""
        return self.ends - time.monotonic()


@dataclass(frozen=True)
class Job:
    """A section in a run: what is measured of it, where it goes, and under which harness."""

    section: Section
    plan: Plan
    stores: list[str]
    run: str
    conditions: dict
    known: dict

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return paths.RUNS / self.run

    def trial(self, store: str, number: int, position: int) -> Trial:
        """A trial of one of its stores."""
        return Trial(
            plan=self.plan,
            cells=self.section.cells,
            store=self.known["stores"].get(store) or {"id": store, "code": ""},
            number=number,
            position=position,
            seed=self.conditions["seed"],
            harness=self.conditions["harness"],
            timed_path=self.known["timed_path"],
            workloads=self.known["workloads"],
            run=self.folder,
        )


def round_of(job: Job, number: int) -> list[Trial]:
    """A round: a trial of each store, in shuffled order.

    So what drifts while a run goes on meets all stores alike, and a trial's neighbours differ from
    round to round.
    """
    order = sorted(job.stores)
    random.Random(f"{job.conditions['seed']} {job.section.id} {number}").shuffle(order)
    before = (number - 1) * len(order)
    return [job.trial(store, number, before + at) for at, store in enumerate(order, start=1)]


@dataclass(frozen=True)
class Round:
    """The trials to make of a section next: those of a round that are missing."""

    job: Job
    number: int
    missing: list[Trial]


def next_round(job: Job, stores: set[str], recorded: list[dict]) -> Round | None:
    """The first round in which one of these stores has no trial yet; None where there is no
    store. `recorded` are the records that stand.
    """
    made = {(record["store"]["id"], record["trial"]) for record in recorded}
    for number in range(1, 2 + max((number for _, number in made), default=0)):
        missing = [
            each
            for each in round_of(job, number)
            if each.id in stores and (each.id, number) not in made
        ]
        if missing:
            return Round(job, number, missing)
    return None


def goes_on(store: str, job: Job, recorded: list[dict], long: bool) -> bool:
    """Return whether a store of this launch gets further trials: something was measured when it was
    last tried, as what fails, or cannot be had here, is not tried for ever, and that did not take
    longer than is asked for.
    """
    own = [record for record in recorded if record["store"]["id"] == store]
    last = max(own, key=lambda record: record["trial"], default=None)
    good = last is None or (
        last["status"] == "ok" and any(each["status"] == "ok" for _, each in results(last))
    )
    return store in job.stores and good and (long or not is_long(store, own))


def rounds_made(job: Job) -> int:
    """The number of the last round that the section has a trial of in its run."""
    numbers = [
        file.stem.rpartition("-")[2] for file in (job.folder / job.section.id).glob("*-*.json")
    ]
    return max((int(number) for number in numbers if number.isdecimal()), default=0)


def sort(
    job: Job, request: Request, set_aside: Callable[[Path, str, str], None]
) -> tuple[list[dict], list[Trial]]:
    """The records that stand and the trials to make, which are of the plan's rounds: beyond these
    only what stands counts.

    set_aside  receives the file of a record that does not stand, a suffix that says what is wrong
               with it, and why in words; it must move the file away
    """
    recorded, missing = [], []
    planned = min(job.plan.trials, request.rounds or job.plan.trials)
    for number in range(1, max(job.plan.trials, rounds_made(job)) + 1):
        for each in round_of(job, number):
            record = standing(each, job.known, request.retry_failed, set_aside)
            if record:
                recorded.append(record)
            elif number <= planned:
                missing.append(each)
    return recorded, [each for each in missing if request.long or not is_long(each.id, recorded)]


def standing(
    each: Trial, known: dict, retry_failed: bool, set_aside: Callable[[Path, str, str], None]
) -> dict | None:
    """The record of a trial, unless it has to be made again: then it is set aside."""
    if not each.file.exists():
        return None
    try:
        record = records.read_trial(each.file)
    except records.Newer:  # which stays where it is
        raise
    except records.Damaged as problem:
        set_aside(each.file, "damaged", problem.what)
        return None
    name = f"{record['store']['name']}, trial {each.number}"
    if why := outdated(record, each):
        set_aside(each.file, "old", f"{name}, {why}")
        return None
    if record["status"] == records.NA and not availability.missing(known, each.id):
        set_aside(each.file, "old", f"{name}, was n/a ({record['reason']}) and need not be")
        return None
    if record["status"] == "failed" and retry_failed:
        set_aside(each.file, "failed", f"{name}, failed ({record['reason']})")
        return None
    return record


def outdated(record: dict, each: Trial) -> str | None:
    """Return why a record is not of what a trial would measure now; None where it is."""
    if records.is_void(record):
        return f"could not be measured ({record['reason']})"
    if record["harness"] != each.harness:
        return f"was measured by harness {record['harness']}, not {each.harness}"
    if other := harness.outdated(record, each.workloads):
        return f"was measured with another workload {other}"
    if record["store"]["code"] != each.store["code"]:
        return "was measured with another script of the store"
    if not each.plan.covers(record):
        return "was measured on other data or workloads than the notebook now names"
    return None


def is_whole_section(job: Job) -> bool:
    """Return whether nothing of a section is missing in its run; nothing is moved."""
    recorded, missing = sort(job, Request(), lambda *_: None)
    return bool(recorded) and not missing


def is_long(store: str, recorded: list[dict]) -> bool:
    """Return whether a trial of this store has taken so long that one has to do."""
    return any(
        record["store"]["id"] == store and record["seconds"] > LONG_SECONDS for record in recorded
    )
