"""The launcher: plans a run's trials, makes each in a fresh Java kernel, and goes on where an earlier launch stopped.

A run belongs to one host, profile, seed, JDK, file system and shared core (jbang/kv); when one of them changes, a new run begins.
A trial also belongs to its store's script and to the notebook's code; when those change, that trial alone is made again.
"""

import contextlib
import fcntl
import hashlib
import os
import platform
import random
import re
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from kvreport import environment, filesystems, jvm, memory, paths, runs, syscalls, trial
from kvreport.errors import UserError
from kvreport.jdk import find_jdk
from kvreport.progress import Progress
from kvreport.scratch import remove_leftovers
from kvreport.section import Section, find_section, log, sections
from kvreport.stores import catalog
from kvreport.together import together
from kvreport.trial import Trial

LONG_SECONDS = 600  # a store whose trial takes longer has one trial unless more are asked for, and the report says so
STOPPED = 130  # what a shell expects of a program that Ctrl-C ended
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
console = Console(stderr=True, highlight=False)


def measure(section: str | None = None, profile: str = "quick", run: str | None = None, stores: list[str] | None = None,
            host: str | None = None, rounds: int | None = None, retry_failed: bool = False, long: bool = False) -> str:
    """Measures what is not recorded yet, and returns the run's name.

    section       number or name; all sections when there is none
    profile       smoke, quick, standard or full
    run           name of the run to go on with or to begin; otherwise the newest that this launch would be part of, or a new one
    stores        ids of the stores to measure; all those of the section when there are none. With all sections, each
                  section measures those of them that are its own
    host          label of this machine; otherwise KVREPORT_HOST or its name
    rounds        trials of each store to make at most for now; all that the profile asks for when there is none
    retry_failed  whether to make again the trials that failed
    long          whether a store whose trial takes long has as many as the others

    Raises UserError; exits with 130 when it is interrupted, after which the same call goes on.
    """
    chosen = [find_section(section)] if section else sections()
    known = catalog()
    if profile not in known["profiles"]:
        raise UserError(f"There is no profile {profile}; there are {', '.join(known['profiles'])}.")
    if section and not chosen[0].settings(profile, known["profiles"])["trials"]:
        raise UserError(f"Section {chosen[0].id} is not measured at profile {profile}: make section takes PROFILE=standard, kvreport --profile standard.")
    wanted = {each: each.stores(known, stores) for each in chosen}
    if not section:
        wanted = {each: ids for each in chosen if (ids := [store for store in wanted[each] if store in each.stores(known)])}
    environment.writable(paths.WORK)
    conditions = current_conditions(host, profile, known)
    refuse_other_machine(conditions["host"], environment.cpu()["model"])
    name = run_name(run, conditions)
    with locked(name), interruptible():
        remove_leftovers(paths.WORK)  # now, before free disk is compared with what is needed
        for each, ids in wanted.items():
            measure_section(each, ids, name, conditions, known, rounds, retry_failed, long)
        for each in wanted:
            if each.counts_system_calls:
                syscalls.record(each.id, name, known)
            if each.stores_by_filesystem:
                filesystems.record(each, name, known)
    for _ in together(lambda each: log(each, name, known), wanted):
        pass
    return name


def current_conditions(host: str | None, profile: str, known: dict) -> dict:
    """What all trials of a run have in common, as in environment.json."""
    label = re.sub(r"[^A-Za-z0-9]+", "-", host or os.environ.get("KVREPORT_HOST") or platform.node()).strip("-").lower()
    jdk = find_jdk()
    core = hashlib.sha256(b"\0".join(source.read_bytes() for source in sorted(paths.JBANG_KV.rglob("*.java"))))
    return {"host": label or "host", "profile": profile, "seed": known["seed"], "code": core.hexdigest(),
            "jdk": {"version": jdk.version, "name": jdk.name}, "filesystem": environment.filesystem(paths.WORK)}


def refuse_other_machine(host: str, processor: str):
    """Raises UserError where runs of that label were measured on another processor: the report would show them as one machine's."""
    for name, recorded in runs.runs().items():
        if recorded["host"] == host and recorded["cpu"]["model"] != processor:
            raise UserError(f"Run {name} of host {host} was measured on {recorded['cpu']['model']}, and this machine has {processor}: "
                            "call this one otherwise with --host or KVREPORT_HOST.")


def run_name(wanted: str | None, conditions: dict) -> str:
    """The run to go on with, or the name of a new one. Raises UserError when the wanted one was measured otherwise."""
    known = runs.runs()
    if wanted in known:
        different = [what for what in conditions if known[wanted][what] != conditions[what]]
        if different:
            raise UserError(f"Run {wanted} has another {different[0]} than this launch would have, and a run has one of each: "
                            "give another name with --run.")
    if wanted:
        if not re.fullmatch(r"\w[\w.-]*", wanted):
            raise UserError(f"A run's name has letters, digits, '-', '_' and '.' only, and {wanted} has others.")
        return wanted
    for name, recorded in reversed(known.items()):
        if all(recorded[what] == conditions[what] for what in conditions):
            return name
    name = today = f"{datetime.now():%Y-%m-%d}-{conditions['host']}"
    count = 1
    while (paths.RUNS / name).exists():
        count += 1
        name = f"{today}.{count}"
    return name


def measure_section(section: Section, ids: list[str], run: str, conditions: dict, known: dict, rounds: int | None, retry_failed: bool,
                    long: bool):
    """Makes the trials of a section that are missing."""
    recorded, missing = plan(section, ids, run, conditions, known, rounds, retry_failed, long)
    if missing:
        settings = section.settings(conditions["profile"], known["profiles"])
        prepare(section, run, conditions, settings)
        if "memory_bytes" in settings and (why := memory.why_not()):
            warn(run, runs.SKIPPED.format(section.id, why))
            return
        with Progress(console, recorded, [each.id for each in missing]) as progress:
            for each in missing:
                jvm.heed()
                if not long and is_long(each.id, recorded):
                    progress.skip()
                    continue
                progress.begin(each.store.get("name", each.id), each.number)
                unbuilt = known["failed"].get(each.id)
                record = trial.give_up(each, f"does not build: {gist(unbuilt)}") if unbuilt else trial.measure(each, progress.tell)
                progress.end(record)
                recorded.append(record)
    failed = sum(record["status"] == "failed" for record in recorded)
    console.print(f"Section {section.id} is measured: {len(recorded)} trials in {runs.shown(paths.RUNS / run)}, {len(missing)} of them new"
                  + (f"; {failed} failed, which --retry-failed makes again" if failed else "") + ".", soft_wrap=True)


def is_long(store: str, recorded: list[dict]) -> bool:
    """Whether a trial of this store has taken so long that one has to do."""
    return any(record["store"]["id"] == store and record["seconds"] > LONG_SECONDS for record in recorded)


def plan(section: Section, ids: list[str], run: str, conditions: dict, known: dict, rounds: int | None = None,
         retry_failed: bool = False, long: bool = False) -> tuple[list[dict], list[Trial]]:
    """The records there are and the trials to make: round after round, in each every store in shuffled order.

    So what drifts while a run goes on meets all stores alike, and a trial's neighbours differ from round to round.
    """
    settings, recorded, missing = section.settings(conditions["profile"], known["profiles"]), [], []
    for number in range(1, min(settings["trials"], rounds or settings["trials"]) + 1):
        order = sorted(ids)
        random.Random(f"{conditions['seed']} {section.id} {number}").shuffle(order)
        for place, store in enumerate(order, start=1):
            built = known["stores"].get(store)
            each = Trial(section.id, section.cells, built or {"id": store}, number, (number - 1) * len(order) + place,
                         conditions["profile"], settings, conditions["seed"],
                         section.fingerprint(built["code"]) if built else "", paths.RUNS / run)
            record = standing_record(each, retry_failed)
            recorded.append(record) if record else missing.append(each)
    return recorded, [each for each in missing if long or not is_long(each.id, recorded)]


def standing_record(each: Trial, retry_failed: bool) -> dict | None:
    """The record of a trial, unless it has to be made again: then what there is is set aside, never deleted."""
    if not each.file.exists():
        return None
    try:
        record = runs.read_trial(each.file)
    except runs.Damaged as problem:
        return set_aside(each.file, "damaged", problem.what)
    name = f"{record['store']['name']}, trial {each.number}"
    if record["code"] != each.code:
        return set_aside(each.file, "old", f"{name}, was measured by other code or not at all")
    if record["status"] == "failed" and retry_failed:
        return set_aside(each.file, "failed", f"{name}, failed ({record['reason']})")
    return record


def set_aside(file: Path, suffix: str, why: str):
    aside, count = file.with_name(f"{file.name}.{suffix}"), 1
    while aside.exists():
        count += 1
        aside = file.with_name(f"{file.name}.{suffix}.{count}")
    file.rename(aside)
    console.print(f"{why}; it is kept as {aside.name} and measured again.", style="yellow", markup=False, soft_wrap=True)


def prepare(section: Section, run: str, conditions: dict, settings: dict):
    """Makes sure that the machine can measure the section, says what will distort the figures, and records both."""
    file, flat, heap = paths.RUNS / run / runs.ENVIRONMENT, section.flat_bytes(settings), jvm.bytes_of(settings["heap"])
    state = environment.machine() | conditions
    warnings = environment.check(environment.Need(section.id, flat, heap, settings["kept_bytes"], flat if section.holds_all else 0, section.files(settings)), state)
    if not file.exists():
        runs.write(file, {"format": 1, "run": run, "started": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", "warnings": []} | state, "environment")
    told = runs.read_environment(file)["warnings"]
    warn(run, *(warning for warning in warnings if warning not in told))  # once a run, though every section meets it
    for unfinished in (paths.RUNS / run).glob("*/.*.tmp"):  # of a kernel killed while it wrote
        unfinished.unlink()


def warn(run: str, *warnings: str):
    """Says what distorts a run's figures, or is missing from it, and records it."""
    for warning in warnings:
        console.print(f"Warning: {warning}.", style="yellow", markup=False, soft_wrap=True)
    file = paths.RUNS / run / runs.ENVIRONMENT
    record = runs.read_environment(file)
    runs.write(file, record | {"warnings": list(dict.fromkeys(record["warnings"] + list(warnings)))}, "environment")


@contextlib.contextmanager
def locked(run: str) -> Iterator[None]:
    """Keeps other launchers out of a run, until this process ends, however it ends."""
    file = paths.CACHE / "locks" / run
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"Run {run} is being measured by another launcher: wait until it has ended, or stop it.") from None
        yield


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Ends the program in good order when it is told to stop; a second Ctrl-C does not disturb that."""
    heeded = [number for number in STOPS if signal.getsignal(number) != signal.SIG_IGN]  # nohup has one ignored
    jvm.stopping.clear()
    before = {number: signal.signal(number, lambda *_: jvm.stopping.set()) for number in heeded}
    try:
        yield
    except KeyboardInterrupt:
        console.print("Stopped; what is recorded is kept, and the same command goes on from there.", soft_wrap=True)
        raise SystemExit(STOPPED) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def gist(words: str) -> str:
    """The compiler's first error in what JBang said, or its first line."""
    lines = words.replace(f"{paths.ROOT}/", "").strip().splitlines()
    return next((line for line in lines if "error:" in line), lines[0]).strip()
