"""Which trials of a section are there and which are to be made, in which order."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kvreport.base import paths
from kvreport.data import records
from kvreport.measure.plan import Plan
from kvreport.measure.section import Section
from kvreport.measure.trial import Trial

LONG_SECONDS = 600  # a store whose trial takes longer has one trial unless more are asked for


@dataclass(frozen=True)
class Request:
    """What a launch asks for, besides the section.

    rounds        trials of each store at most for now; None: as many as the plan has
    retry_failed  whether to make again the trials that failed
    long          whether a store whose trial takes long has as many as the others
    """

    rounds: int | None = None
    retry_failed: bool = False
    long: bool = False


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
            run=self.folder,
        )


def trials(job: Job, rounds: int | None = None) -> list[Trial]:
    """All trials of a section: round after round, in each every store in shuffled order.

    So what drifts while a run goes on meets all stores alike, and a trial's neighbours differ from
    round to round.
    """
    made = []
    for number in range(1, min(job.plan.trials, rounds or job.plan.trials) + 1):
        order = sorted(job.stores)
        random.Random(f"{job.conditions['seed']} {job.section.id} {number}").shuffle(order)
        for place, store in enumerate(order, start=1):
            made.append(job.trial(store, number, (number - 1) * len(order) + place))
    return made


def sort(
    job: Job, request: Request, set_aside: Callable[[Path, str, str], None]
) -> tuple[list[dict], list[Trial]]:
    """The records that stand and the trials to make.

    set_aside  receives the file of a record that does not stand, a suffix that says what is wrong
               with it, and why in words; it must move the file away
    """
    recorded, missing = [], []
    for each in trials(job, request.rounds):
        record = standing(each, request.retry_failed, set_aside)
        if record:
            recorded.append(record)
        else:
            missing.append(each)
    return recorded, [each for each in missing if request.long or not is_long(each.id, recorded)]


def standing(
    each: Trial, retry_failed: bool, set_aside: Callable[[Path, str, str], None]
) -> dict | None:
    """The record of a trial, unless it has to be made again: then it is set aside."""
    if not each.file.exists():
        return None
    try:
        record = records.read_trial(each.file)
    except records.Damaged as problem:
        set_aside(each.file, "damaged", problem.what)
        return None
    name = f"{record['store']['name']}, trial {each.number}"
    if why := outdated(record, each):
        set_aside(each.file, "old", f"{name}, {why}")
        return None
    if record["status"] == "failed" and retry_failed:
        set_aside(each.file, "failed", f"{name}, failed ({record['reason']})")
        return None
    return record


def outdated(record: dict, each: Trial) -> str | None:
    """Why a record is not of what a trial would measure now; None where it is."""
    if records.is_void(record):
        return f"could not be measured ({record['reason']})"
    if record["harness"] != each.harness:
        return f"was measured by harness {record['harness']}, not {each.harness}"
    if record["store"]["code"] != each.store["code"]:
        return "was measured with another script of the store"
    if not each.plan.covers(record):
        return "was measured on other data or workloads than the notebook now names"
    return None


def is_whole(job: Job) -> bool:
    """Whether nothing of a section is missing in its run; nothing is moved."""
    recorded, missing = sort(job, Request(), lambda *_: None)
    return bool(recorded) and not missing


def is_long(store: str, recorded: list[dict]) -> bool:
    """Whether a trial of this store has taken so long that one has to do."""
    return any(
        record["store"]["id"] == store and record["seconds"] > LONG_SECONDS for record in recorded
    )
