"""What a commit takes at each tier (S02), beside what the device takes for the same bytes.

Each store at each tier commits for some seconds in a JVM of its own, in several rounds, each in
another order; nothing else may run. Calls that wait for the device are counted apart, where strace
is there. All is kept in data/runs/<run>/crashes.json, and belongs to the stores' code.
"""

import json
import random
import re
import shutil
import subprocess

from rich.progress import track

from kvreport.base import paths
from kvreport.base.scratch import scratch
from kvreport.base.terminal import Terminal
from kvreport.data import crashes
from kvreport.measure import jvm
from kvreport.measure.alone import alone
from kvreport.measure.crash.programs import DATABASE, Stopped, Subject, telling
from kvreport.measure.crash.record import VALUE_BYTES, Wanted, subject_of
from kvreport.measure.launcher import interruptible
from kvreport.measure.syscalls import SYNCS
from kvreport.toolchain.stores import write

ROUNDS = 3
TRANSACTIONS = 20_000  # which are committed over and over
WARM_UP, SECONDS = 1.0, 2.0  # of a round
LIMIT_SECONDS = 60
COUNTED = (100, 300)  # transactions, the difference of whose calls is that of so many commits
CALL = re.compile(r"^\d+\s+(\w+)\(")  # a line of strace that begins a call
BARE = "BareFile"  # kv.crash.BareFile
console = Terminal()


def record(run: str, known: dict, wanted: list[Wanted]) -> None:
    """Times what a run lacks. Raises UserError for a damaged file."""
    kept = crashes.read(run) or {"format": 1, "subjects": []}
    bare = known["stores"]["FlatFile"] | {"id": BARE, "code": "", "settings": {"sync": ""}}
    tiers = [Wanted(bare, sync, crashes.KILL, 0) for sync in ("off", "os", "on")]
    entries = [
        (Subject(each.store, each.sync, TRANSACTIONS, VALUE_BYTES), _price(kept, each))
        for each in [*tiers, *wanted]
    ]
    missing = [
        (subject, entry, turn)
        for turn in range(ROUNDS)
        for subject, entry in random.Random(turn).sample(entries, len(entries))
        if len(entry["rounds"]) <= turn
    ]
    with interruptible(), alone():
        for subject, entry, _ in track(
            missing, "Timing commits", console=console, disable=not console.is_terminal
        ):
            jvm.raise_if_stopping()
            if not entry["problem"]:
                try:
                    entry["rounds"].append(timed(subject))
                except Stopped as problem:
                    entry["problem"] = str(problem)
            write(crashes.file(run), kept)
        for subject, entry in entries:
            if entry["syncs"] is None and shutil.which("strace") and not entry["problem"]:
                entry["syncs"] = syncs(subject)
                write(crashes.file(run), kept)


def timed(subject: Subject) -> dict:
    """One round of a store at a tier, as kv.crash.Price has it. Raises Stopped."""
    with scratch(paths.WORK) as folder:
        limits = ("--warm-up", str(WARM_UP), "--seconds", str(SECONDS))
        command = subject.command("price", folder, *limits, str(folder / DATABASE), quick=False)
        try:
            done = jvm.run(command, folder, LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            raise Stopped(f"no commits within {LIMIT_SECONDS} s") from None
    answer = next((line for line in done.stdout.splitlines() if line.startswith("{")), None)
    if done.returncode or answer is None:
        raise Stopped(telling(done.stderr))
    return json.loads(answer)


def syncs(subject: Subject) -> float:
    """Calls a commit that wait for the device. Raises Stopped."""
    few, many = (
        calls(Subject(subject.store, subject.sync, each, subject.value_bytes)) for each in COUNTED
    )
    return (many - few) / (COUNTED[1] - COUNTED[0])


def calls(subject: Subject) -> int:
    """Calls that wait for the device, of a program that makes a ledger's commits."""
    with scratch(paths.WORK) as folder:
        trace = folder / "trace"
        watch = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", f"trace={','.join(SYNCS)}"]
        command = [*watch, "-o", trace, *subject.command("commit", folder, str(folder / DATABASE))]
        done = jvm.run(command, folder, LIMIT_SECONDS)
        if done.returncode:
            raise Stopped(telling(done.stderr))
        found = (CALL.match(line) for line in trace.read_text(errors="replace").splitlines())
        return sum(1 for each in found if each and each[1] in SYNCS)


def _price(kept: dict, each: Wanted) -> dict:
    """What is kept of the price of a store's commits at a tier, or has to be found out."""
    given = {"transactions": TRANSACTIONS, "value_bytes": VALUE_BYTES}
    subject = subject_of(kept, each)
    entry = subject.get("price")
    if entry is None or not given.items() <= entry.items():
        entry = given | {"rounds": [], "syncs": None, "problem": None}
        subject["price"] = entry
    return entry
