"""What a store that commits is made to suffer (S03 to S05), and what is left then: its process is
killed, the power fails, the device fails, or it is full. Each try is decided by its seed alone.
"""

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Collection
from dataclasses import asdict
from pathlib import Path
from random import Random

from kvreport.base import paths
from kvreport.base.scratch import scratch
from kvreport.base.unpacking import place, unpacking
from kvreport.crash import disk_images, isolation, mounts, power
from kvreport.crash.block_log import BlockLog, read_log
from kvreport.crash.disk_images import Image
from kvreport.crash.isolation import Stopped
from kvreport.crash.programs import DATABASE, Examiner, Subject, nothing, run_commits, started
from kvreport.data.crashes import FAULT, FULL, KILL, POWER
from kvreport.measure import jvm
from kvreport.toolchain.jdk import first_error

# tries that are made together, from a multiple of it on: one JVM looks at their databases
TOGETHER = {KILL: 20, POWER: 100, FAULT: 10, FULL: 10}
SHARE = 0.9  # of the transactions, in which something happens: the rest is there to be under way
KILL_SECONDS, COMMIT_SECONDS = 60, 1_500  # at most, for all transactions
TIMES_WRITTEN_BACK = 10
RECORDINGS = paths.CACHE / "block-logs"
LEFT_BYTES = 64 << 10  # at most, of a device that is full

Tries = list[tuple[int, dict]]


def tries(kind: str, subject: Subject, seeds: range) -> Tries:
    """Return what each seed's try leaves, as Examiner.examine has it. Raises Stopped."""
    if kind == KILL:
        return tries_here(kind, subject, seeds)
    if reason := mounts.can_run():
        raise Stopped(reason)
    question = {"kind": kind, "subject": asdict(subject), "seeds": [seeds.start, seeds.stop]}
    return [(seed, found) for seed, found in isolation.ask(__name__, question)]


def tries_here(kind: str, subject: Subject, seeds: range) -> Tries:
    """The same in this program, which has mounts of its own where the kind takes them."""
    found: Tries = []
    with scratch(place()) as folder, Examiner(subject, folder) as examiner:
        if kind == POWER:
            return lose_power(subject, seeds, folder, examiner)
        for seed in seeds:
            jvm.raise_if_stopping()
            found.append((seed, ONE_BY_ONE[kind](subject, seed, folder, examiner)))
    return found


# --- the process is killed ---


def kill(subject: Subject, seed: int, _: Path, examiner: Examiner) -> dict:
    """Kills the program some time after it has acknowledged a transaction that the seed draws. What
    the system had by then stays, as the machine goes on.
    """
    drawn = Random(f"kill {seed}")
    until, wait = drawn.randrange(int(SHARE * subject.transactions)), 2 * drawn.random()
    with scratch(paths.WORK) as folder, unpacking(folder) as temporary:
        command = subject.command("commit", temporary, str(folder / DATABASE))
        with started(command) as program, program.within(KILL_SECONDS):
            numbers = program.numbers()
            first = last = next(numbers, None)  # the database is open
            begun = time.monotonic()
            while last is not None and last < until:
                last = next(numbers, None)
            if first is None or last is None:
                raise Stopped(program.why_it_ended())
            time.sleep(wait * (time.monotonic() - begun) / max(last, 1))
            program.kill()
            for number in numbers:
                last = number
        return examiner.examine(folder / DATABASE, last)


# --- the power fails ---


def lose_power(subject: Subject, seeds: range, folder: Path, examiner: Examiner) -> Tries:
    """Records the commits on a disk, and looks at the database as it lies on many disks that a
    power cut could have left, one for each seed.
    """
    number = seeds.start // TOGETHER[POWER]
    kept = recording(subject, number)
    if not kept.exists():
        made = power.record_disk(
            subject.command("commit", folder, "--wait", DATABASE),
            folder / "log",
            written_back=written_back(subject, number),
            limit=COMMIT_SECONDS,
        )
        if made.exit:
            raise Stopped(first_error(made.words))
    log = read_log(kept if kept.exists() else folder / "log")
    wanted = [disk_images.random_image(log, seed) for seed in seeds]
    found = examine_images(log, wanted, examiner)
    accused = subject.sync == "on" and any(left["failed"] or left["lost"] for _, left in found)
    if accused and not kept.exists():
        RECORDINGS.mkdir(parents=True, exist_ok=True)
        shutil.move(folder / "log", kept)
    return found


def recording(subject: Subject, number: int) -> Path:
    """Return where the recording is kept of which some image lacks what its commits were to keep:
    who doubts it can have just that image again.
    """
    store = subject.store
    return RECORDINGS / f"{store['id']}-{subject.sync}-{store['code'][:8]}-{number}.log"


def written_back(subject: Subject, number: int) -> Collection[int]:
    """The commits after which the system writes back what it has, as it would if they came over a
    minute; none where each waits for the device, whose waiting that would do for it.
    """
    if subject.sync == "on":
        return ()
    drawn = Random(f"written back {number}")
    return drawn.sample(range(subject.transactions), TIMES_WRITTEN_BACK)


def examine_images(log: BlockLog, wanted: list[Image], examiner: Examiner) -> Tries:
    """Return what is left in each image of a recording, by seed."""
    found = []
    for image, at in power.mounted_images(log, wanted):
        acknowledged = disk_images.acknowledged(log, image.cut)
        if at:
            left = examiner.examine(at / DATABASE, acknowledged)
        else:
            left = nothing("mount", "file system does not mount") | {"acknowledged": acknowledged}
        found.append((image.seed, left))
    return sorted(found, key=lambda each: each[0])


# --- the device fails, or is full ---


def fail_device(subject: Subject, seed: int, folder: Path, examiner: Examiner) -> dict:
    """Has the device refuse to write, or to flush, from a moment on, as one that breaks does (EIO).
    A commit after that must say that it failed; what was acknowledged is to be there when the
    database is opened on what the device has.
    """
    drawn = Random(f"fault {seed}")
    after = drawn.randrange(1, int(SHARE * subject.transactions))
    made = power.record_disk(
        subject.command("commit", folder, "--wait", DATABASE),
        folder / f"log-{seed}",
        orders={after: f"fail {drawn.choice(['write', 'flush'])}"},
        limit=COMMIT_SECONDS,
    )
    whole = Image(len(made.log.events), "everything", seed)
    ((_, left),) = examine_images(made.log, [whole], examiner)
    return reported(subject, left)


def fill_device(subject: Subject, seed: int, folder: Path, examiner: Examiner) -> dict:
    """Leaves hardly any room on the device from a moment on (ENOSPC), as where another program
    takes it, and gives it back when the program has ended. A commit that finds none must say that
    it failed; what was acknowledged is to be there.
    """
    drawn = Random(f"full {seed}")
    after, left = drawn.randrange(1, int(SHARE * subject.transactions)), drawn.randrange(LEFT_BYTES)
    acknowledged = 0
    with disk_images.memory_file(power.SIZE) as file:
        mounts.formatted(mounts.in_memory(file))
        with mounts.mounted(mounts.in_memory(file)) as at:
            ballast = at / "ballast"

            def on_commit(number: int) -> None:
                nonlocal acknowledged
                acknowledged = number
                if number == after:
                    fill(ballast, left)

            command = subject.command("commit", folder, "--wait", DATABASE)
            _, words = run_commits(command, at, on_commit, COMMIT_SECONDS)
            if not ballast.exists():
                raise Stopped(first_error(words))
            ballast.unlink()
            return reported(subject, examiner.examine(at / DATABASE, acknowledged))


def fill(ballast: Path, left: int) -> None:
    """Takes all the room of a file system but so many bytes."""
    mounts.write_back(ballast.parent)  # what waits to be written has its room
    with ballast.open("wb") as file:
        there = os.fstatvfs(file.fileno())
        with contextlib.suppress(OSError):  # it took what it could get
            os.posix_fallocate(file.fileno(), 0, there.f_bfree * there.f_frsize - left)


def reported(subject: Subject, left: dict) -> dict:
    """Return what is left, and whether a commit said that it failed: the program ends with it,
    before its last.
    """
    return left | {"reported": left["acknowledged"] < subject.transactions}


ONE_BY_ONE: dict[str, Callable[[Subject, int, Path, Examiner], dict]] = {
    KILL: kill,
    FAULT: fail_device,
    FULL: fill_device,
}

if __name__ == "__main__":
    isolation.reply(
        lambda kind, subject, seeds: tries_here(kind, Subject(**subject), range(*seeds))
    )
