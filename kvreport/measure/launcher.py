"""The launcher: makes a section's missing trials, each in a fresh Java kernel.

What an earlier launch has recorded stands, so the same command goes on where it stopped.
"""

import contextlib
import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import remove_partials, write_atomically
from kvreport.base.parallel import parallel_map
from kvreport.base.scratch import remove_leftovers
from kvreport.base.terminal import Terminal
from kvreport.base.text import brief
from kvreport.data import extra_measurements, records, runs
from kvreport.measure import environment, filesystems, jvm, memory, run_selection, syscalls, trial
from kvreport.measure.adaptive_rounds import further_rounds
from kvreport.measure.budget import fitting_rounds, has_to_be
from kvreport.measure.log import times_by_hand, write_log
from kvreport.measure.machine_lock import alone
from kvreport.measure.outcome import Outcome
from kvreport.measure.plan import Plan, plans
from kvreport.measure.progress import Progress
from kvreport.measure.schedule import Job, Request, Round, is_long, is_whole_section, sort
from kvreport.measure.section import Section, find_section, sections
from kvreport.measure.trial import Trial
from kvreport.measure.trial_seconds import Lengths, duration
from kvreport.toolchain import availability

STOPPED = 130  # what a shell expects of a program that Ctrl-C ended
NUMBER = re.compile(r"[\d.,]+")  # in a warning
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
console = Terminal(quiet=bool(os.environ.get(paths.QUIET)))


def measure(
    known: dict,
    section: str | Section | None = None,
    profile: str = "quick",
    run: str | None = None,
    stores: list[str] | None = None,
    host: str | None = None,
    again: bool = False,
    request: Request = Request(),  # noqa: B008  frozen
) -> Outcome:
    """Measures what is not recorded yet.

    known    the catalogue: toolchain.catalogue.catalog
    section  number or name, or one that is not the report's; all sections when there is none
    profile  smoke, quick, standard or full
    run      name of the run to go on with or to begin; by default each section goes on in the
             newest run of these conditions that has it, and where there is none a run begins
    stores   ids of the stores to measure; all those of the section when there are none. With all
             sections, each section measures those of them that are its own
    host     label of this machine; otherwise KVREPORT_HOST or its name
    again    whether what is recorded whole is measured once more, in a new run

    Raises UserError; exits with 130 when it is interrupted, after which the same call goes on.
    """
    if profile not in known["profiles"]:
        raise UserError(f"There is no profile {profile}; there are {', '.join(known['profiles'])}.")
    if isinstance(section, str):
        section = find_section(section)
    chosen = [section] if section else sections()
    environment.writable(paths.WORK)
    conditions = run_selection.conditions_now(host, profile, known)
    run_selection.refuse_other_machine(conditions["host"], environment.cpu())
    outcome = Outcome()
    with interruptible():
        planned = plans(chosen, profile, known)
        jobs = [
            Job(each, plan, ids, name, conditions, known)
            for each in chosen
            if (ids := wanted(plan := planned[each.id], stores, known, section is not None))
            for name in [run_for(each.id, run, conditions)]
        ]
        if again and request.until is None:  # which goes on with what is whole
            jobs = anew(jobs)
        with contextlib.ExitStack() as locks:
            for name in dict.fromkeys(job.run for job in jobs):
                locks.enter_context(locked(name))
            if request != Request() or not all(map(is_whole_section, jobs)):
                locks.enter_context(alone())
            remove_leftovers(paths.WORK)  # now, before free disk is compared with what is needed
            recorded = make_rounds(jobs, request)
            for job in jobs:
                outcome.add(job.run, recorded[job.section.id])
                if not request.so_far:
                    measure_beside(job)
            outcome.ended = time.monotonic()
            write_logs(jobs)
    return outcome


def wanted(plan: Plan, stores: list[str] | None, known: dict, alone: bool) -> list[str]:
    """The stores of a section to measure; `alone` says that the user named this section. Raises
    UserError for a store that there is not.
    """
    asked = plan.stores_of(known, stores)
    if alone or not stores:
        return asked
    own = plan.stores_of(known)
    return [store for store in asked if store in own]


def run_for(section: str, run: str | None, conditions: dict) -> str:
    """The name of the run that a section is measured in."""
    if run is not None:
        return run_selection.named(run, conditions)
    return run_selection.run_of(section, conditions) or run_selection.fresh(conditions)


def anew(jobs: list[Job]) -> list[Job]:
    """The same jobs, those that are recorded whole in a new run; says that the older one stays."""
    made = []
    for job in jobs:
        if is_whole_section(job):
            name = run_selection.fresh(job.conditions)
            console.print(
                f"Section {job.section.id} is measured again, as run {name}; the trials of "
                f"{job.run} are kept."
            )
            job = Job(job.section, job.plan, job.stores, name, job.conditions, job.known)
        made.append(job)
    return made


def make_rounds(jobs: list[Job], request: Request) -> dict[str, list[dict]]:
    """Makes the trials that are asked for and missing; all records of each section."""
    recorded: dict[str, list[dict]] = {job.section.id: [] for job in jobs}
    if request.so_far:
        lengths = Lengths()
        for job in jobs:
            recorded[job.section.id] = sort(job, request, set_aside)[0]
            lengths.add(recorded[job.section.id])
        rounds = fitting_rounds(jobs, request, recorded, lengths, console.print)
    else:
        rounds = planned_rounds(jobs, request, recorded)
    for chosen in rounds:
        try:
            make_trials(chosen, request, recorded[chosen.job.section.id])
        except UserError as problem:  # of this section alone: there is time for others
            if not request.so_far:
                raise
            console.print(f"{problem}")
    return recorded


def planned_rounds(
    jobs: list[Job], request: Request, recorded: dict[str, list[dict]]
) -> Iterator[Round]:
    """The rounds of each section's plan that are missing, together, and those beyond it that are
    asked for. `recorded` is as budget.fitting_rounds has it.
    """
    for job in jobs:
        there = recorded[job.section.id]
        stand, missing = sort(job, request, set_aside)
        there += stand
        if missing:
            yield Round(job, 1, missing)
            if len(there) == len(stand):  # the machine cannot make any
                continue
        if request.until:
            yield from further_rounds(job, request, there, console.print)
        failed = sum(record["status"] == "failed" for record in there)
        console.print(
            f"Section {job.section.id} is measured: {len(there)} trials in"
            f" {paths.shown(job.folder)}, {len(there) - len(stand)} of them new"
            + (f"; {failed} failed, which --retry-failed makes again" if failed else "")
            + "."
        )


def make_trials(chosen: Round, request: Request, recorded: list[dict]) -> None:
    """Makes the trials of a round and adds each to the records; no further one where the time is
    up, unless the round has to be. Where the machine cannot measure the section it says so and
    makes none.
    """
    job = chosen.job
    prepare_run(job)
    if job.plan.memory_bytes and (why := memory.why_not()):
        return warn(job.run, runs.SKIPPED.format(job.section.id, why))
    must = has_to_be(chosen) and request.so_far

    def in_all() -> str:
        left = max(0.0, request.seconds_left)
        return f"; {duration(left)} left to measure" if request.so_far else ""

    with Progress(console, recorded, chosen.missing, in_all) as progress:
        for each in chosen.missing:
            jvm.raise_if_stopping()
            late = request.seconds_left <= 0 and not must
            if late or (not request.long and is_long(each.id, recorded)):
                progress.skip()
                continue
            environment.refuse_full(job.plan)
            progress.begin()
            record = make_trial(each, job.known, progress.report_progress)
            progress.end(record)
            recorded.append(record)
    return None


def make_trial(each: Trial, known: dict, report: Callable[[str], None]) -> dict:
    """The record of a trial that is made now; n/a where this machine lacks what its store needs."""
    if missing := availability.noted(known, each.id):
        return trial.give_up(each, missing, records.NA)
    if unbuilt := known["failed"].get(each.id):
        return trial.give_up(each, gist(unbuilt))
    record = trial.measure_trial(each, report)
    return trial.na_where(lambda: availability.missing(known, each.id), each, record)


def measure_beside(job: Job) -> None:
    """Measures what a section wants besides its trials, where it is missing."""
    if not (job.folder / records.ENVIRONMENT).exists():
        return
    if job.plan.system_calls:
        syscalls.measure_syscalls(job.section.id, job.run, job.known)
    if job.plan.filesystems:
        filesystems.measure_filesystems(job.plan, job.run, job.known)


def write_logs(jobs: list[Job]) -> None:
    """Makes the sections' logs, several at once but for those that time anything."""

    def write(job: Job) -> None:
        try:
            write_log(job.section, job.run, job.plan.heap, job.known)
        except UserError as problem:  # the trials are recorded all the same
            console.print(f"{problem}", style="yellow")

    timing = [job for job in jobs if times_by_hand(job.section)]
    for at_once in (*([job] for job in timing), [job for job in jobs if job not in timing]):
        for _ in parallel_map(write, at_once):  # in threads, though it be one
            pass


def set_aside(file: Path, suffix: str, why: str) -> None:
    """Moves a record away that does not stand; it is never deleted."""
    aside, count = file.with_name(f"{file.name}.{suffix}"), 1
    while aside.exists():
        count += 1
        aside = file.with_name(f"{file.name}.{suffix}.{count}")
    file.rename(aside)
    console.print(f"{why}; it is kept as {aside.name} and measured again.", style="yellow")


def prepare_run(job: Job) -> None:
    """Makes sure that the machine can measure the section, and records it with what distorts."""
    plan, file = job.plan, job.folder / records.ENVIRONMENT
    state = environment.describe_machine() | job.conditions
    warnings = environment.check(plan, state)
    if not file.exists():
        begun = {
            "format": records.ENVIRONMENT_FORMAT,
            "run": job.run,
            "started": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            "warnings": [],
        }
        records.write_record(file, begun | state, "environment")
    # once a run, though every section and round meets it, with another number each time
    stated = {NUMBER.sub("", each) for each in records.read_environment(file)["warnings"]}
    warn(job.run, *(each for each in warnings if NUMBER.sub("", each) not in stated))
    beside = {"format": 1, "section": plan.section, "stores": plan.stores}
    write_atomically(
        extra_measurements.plan_file(job.run, plan.section), json.dumps(beside, indent=1) + "\n"
    )
    remove_partials(job.folder)


def warn(run: str, *warnings: str) -> None:
    """Says what distorts a run's figures, or is missing from it, and records it."""
    for warning in warnings:
        console.print(f"Warning: {warning}.", style="yellow")
    file = paths.RUNS / run / records.ENVIRONMENT
    record = records.read_environment(file)
    stated = list(dict.fromkeys(record["warnings"] + list(warnings)))
    records.write_record(file, record | {"warnings": stated}, "environment")


@contextlib.contextmanager
def locked(run: str) -> Iterator[None]:
    """Keeps other launchers out of a run, until this process ends, however it ends."""
    file = paths.CACHE / "locks" / run
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        held = FileLock(file).acquire(timeout=0)
    except Timeout:
        raise UserError(
            f"Run {run} is being measured by another launcher: wait until it has ended, or stop it."
        ) from None
    with held:
        yield


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Ends the program in good order when it is told to stop; a second Ctrl-C changes nothing."""
    # nohup has one of them ignored
    caught = [number for number in STOPS if signal.getsignal(number) != signal.SIG_IGN]
    jvm.stopping.clear()
    before = {number: signal.signal(number, lambda *_: jvm.stopping.set()) for number in caught}
    try:
        yield
    except KeyboardInterrupt:
        console.print("Stopped; what is recorded is kept, and the same command goes on from there.")
        raise SystemExit(STOPPED) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def gist(reason: str) -> str:
    """Return why a store cannot be used, in a line: of what JBang said the compiler's first error,
    or its first line.
    """
    clause, *lines = reason.replace(f"{paths.ROOT}/", "").strip().splitlines()
    first = next((line for line in lines if "error:" in line), "".join(lines[:1]))
    return brief(f"{clause} {first}")
