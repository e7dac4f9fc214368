"""How long a store takes to open what a kill has left (S06), by the number of entries, beside what
was closed. It is open once the entry that was committed last has been read.

A database is opened several times, each time another copy of it by the same JVM, which nothing else
may disturb. All is kept in data/runs/<run>/crashes.json, and belongs to the stores' code.
"""

import shutil
import subprocess
from pathlib import Path

from kvreport.base import paths
from kvreport.base.files import write_json
from kvreport.base.scratch import scratch
from kvreport.base.unpacking import unpacking
from kvreport.crash.isolation import Stopped
from kvreport.crash.programs import DATABASE, Answering, Subject, started
from kvreport.crash.record import subject_of, undisturbed
from kvreport.crash.selection import VALUE_BYTES, Wanted
from kvreport.data import crashes
from kvreport.toolchain.availability import NA

SIZES = (10_000, 100_000, 1_000_000)  # entries
BATCH = 1_000  # entries of a transaction
TIMES = 5  # copies that are opened, of which the first warms the JVM up
LIMIT_SECONDS = 300
ENDS = ("closed", "killed")


def record_reopenings(run: str, wanted: list[Wanted]) -> None:
    """Times what a run lacks, of each store at its safest tier. Raises UserError for a damaged
    file.
    """
    kept = crashes.begun(run)
    safest = {each.store["id"]: each for each in wanted}  # tiers come from the weakest on
    of_store = {id: timed_before(subject_of(kept, each)) for id, each in safest.items()}
    missing = [
        (each, of_store[id], entries)
        for entries in SIZES
        for id, each in safest.items()
        if entries not in [one["entries"] for one in of_store[id]]
    ]
    titled = (("Timing recoveries", item) for item in missing)
    for each, sizes, entries in undisturbed(titled, len(missing)):
        subject = Subject(each.store, each.sync, entries // BATCH, VALUE_BYTES, BATCH)
        sizes.append({"entries": entries} | of_size(subject))
        write_json(crashes.file(run), kept)


def timed_before(subject: dict) -> list[dict]:
    """Return what is kept of a subject by size, to be added to; what was n/a is left out, as it may
    be so no more.
    """
    subject["reopenings"] = [
        each for each in subject.get("reopenings", []) if not (each["problem"] or "").startswith(NA)
    ]
    return subject["reopenings"]


def of_size(subject: Subject) -> dict:
    """Seconds of openings after each of ENDS, whether they took the vendor's recovery call, and
    what kept them from being timed.
    """
    try:
        if missing := subject.store.get("missing"):
            raise Stopped(f"{NA}{missing}")
        found = {end: reopened(subject, end) for end in ENDS}
    except Stopped as problem:
        return {"closed": [], "killed": [], "recovered": False, "problem": str(problem)}
    seconds = {end: each for end, (each, _) in found.items()}
    return seconds | {"recovered": found["killed"][1], "problem": None}


def reopened(subject: Subject, end: str) -> tuple[list[float], bool]:
    """Seconds of each opening of a database that ended as one of ENDS, and whether they took the
    vendor's recovery call. Raises Stopped.
    """
    with scratch(paths.WORK) as folder, unpacking(folder) as temporary:
        make(subject, folder, temporary, end)
        for recovering in subject.recoveries():
            command = subject.command("reopen", temporary, quick=False, recovering=recovering)
            with Answering(command, LIMIT_SECONDS) as program:
                answers = [opened(program, folder) for _ in range(TIMES)]
            problems = [each for each in answers if each["failed"]]
            if not problems:
                break
    if problems:
        raise Stopped(": ".join(filter(None, (problems[0].get(of) for of in ("failed", "reason")))))
    if not all(each["found"] for each in answers):
        raise Stopped("the entry that was committed last is not there")
    return [each["seconds"] for each in answers[1:]], recovering


def opened(program: Answering, folder: Path) -> dict:
    """Return what kv.crash.Reopening says of a copy of the database in a folder."""
    copy = folder / "copy"
    subprocess.run(["cp", "-a", "--sparse=always", folder / DATABASE, copy], check=True)
    try:
        return program.answer(str(copy))
    finally:
        shutil.rmtree(copy)


def make(subject: Subject, folder: Path, temporary: Path, end: str) -> None:
    """Makes a database with all transactions of a ledger, and closes it or kills the program that
    has it open. Raises Stopped.
    """
    command = subject.command("commit", temporary, "--wait", str(folder / DATABASE))
    with started(command) as program, program.within(LIMIT_SECONDS):
        number = -1
        for number in program.numbers():
            if number == subject.transactions and end == "killed":
                return  # the last is acknowledged, and nothing closed
            program.tell("ok")
        if number < subject.transactions or program.process.wait():
            raise Stopped(program.why_it_ended())
