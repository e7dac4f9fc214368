"""The power fails while a store commits (S04): its commits are recorded on a disk, and the database
is looked at as it lies on many disks that a power cut could have left.

Run as a program, with mounts of its own (`mounts.isolated`), it does so for one series.
"""

import json
import subprocess
import sys
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from random import Random

from kvreport.base.paths import CACHE
from kvreport.base.scratch import scratch
from kvreport.measure.crash import block_log, images, mounts, power
from kvreport.measure.crash.programs import (
    DATABASE,
    Examiner,
    Stopped,
    Subject,
    nothing,
    telling,
)

TOGETHER = 100  # images of one recording
TIMES_WRITTEN_BACK = 10
FILE_SYSTEM = "ext4"
RECORDINGS = CACHE / "recordings"
LIMIT_SECONDS = 1_800


def tries(subject: Subject, seeds: range) -> list[tuple[int, dict]]:
    """Looks at an image for each seed; all of one recording. Raises Stopped."""
    if reason := mounts.can_run():
        raise Stopped(reason)
    asked = {"subject": asdict(subject), "first": seeds.start, "end": seeds.stop}
    done = subprocess.run(
        mounts.isolated(sys.executable, "-m", __name__),
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
    )
    if done.returncode:
        raise Stopped((done.stderr.strip().splitlines() or ["it says nothing"])[-1])
    return [(seed, found) for seed, found in json.loads(done.stdout)]


def recording(subject: Subject, number: int) -> Path:
    """Where the recording is kept of which some image lacks what its commits were to keep: who
    doubts it can have just that image again.
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


def looked_at(subject: Subject, seeds: range) -> list[tuple[int, dict]]:
    """The same in this program, which has mounts of its own."""
    kept = recording(subject, seeds.start // TOGETHER)
    with scratch(CACHE) as folder, Examiner(subject, folder) as examiner:
        if not kept.exists():
            command = subject.command("commit", folder, "--wait", DATABASE)
            made = power.record(
                command,
                folder / "log",
                kind=FILE_SYSTEM,
                written_back=written_back(subject, seeds.start // TOGETHER),
                limit=LIMIT_SECONDS,
            )
            if made.exit:
                raise Stopped(telling(made.words))
        log = block_log.read(kept if kept.exists() else folder / "log")

        def examine(at: Path, acknowledged: int | None) -> dict:
            number = acknowledged or 0
            return examiner.examine(at / DATABASE, number) | {"acknowledged": number}

        wanted = [images.random_image(log, seed) for seed in seeds]
        found = [
            (image.seed, left if isinstance(left, dict) else nothing("mount", left))
            for image, left in power.examined(log, wanted, examine, kind=FILE_SYSTEM)
        ]
        accused = subject.sync == "on" and any(left["failed"] or left["lost"] for _, left in found)
        if accused and not kept.exists():
            RECORDINGS.mkdir(parents=True, exist_ok=True)
            (folder / "log").replace(kept)
    return sorted(found, key=lambda each: each[0])


def main() -> None:
    """Reads the series from standard input, and prints what is left."""
    asked = json.load(sys.stdin)
    subject = Subject(**asked["subject"])
    try:
        json.dump(looked_at(subject, range(asked["first"], asked["end"])), sys.stdout)
    except Stopped as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
