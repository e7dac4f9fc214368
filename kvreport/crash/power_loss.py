"""The power fails while a store commits (S04): its commits are recorded on a disk, and the database
is looked at as it lies on many disks that a power cut could have left.
"""

from collections.abc import Collection
from pathlib import Path
from random import Random

from kvreport.base.paths import CACHE
from kvreport.base.scratch import scratch
from kvreport.crash import block_log, disk_images, power, series
from kvreport.crash.programs import (
    DATABASE,
    Examiner,
    Stopped,
    Subject,
    nothing,
)
from kvreport.toolchain.jdk import first_error

MODULE = "kvreport.crash.power_loss"
TOGETHER = 100  # images of one recording
TIMES_WRITTEN_BACK = 10
FILE_SYSTEM = "ext4"
RECORDINGS = CACHE / "recordings"


def tries(subject: Subject, seeds: range) -> series.Tries:
    """Looks at an image for each seed; all of one recording. Raises Stopped."""
    return series.isolated(MODULE, subject, seeds)


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


def looked_at(subject: Subject, seeds: range) -> series.Tries:
    """The tries, in a program that has mounts of its own."""
    number = seeds.start // TOGETHER
    kept = recording(subject, number)
    with scratch(CACHE) as folder, Examiner(subject, folder) as examiner:
        if not kept.exists():
            made = power.record(
                subject.command("commit", folder, "--wait", DATABASE),
                folder / "log",
                kind=FILE_SYSTEM,
                written_back=written_back(subject, number),
                limit=series.LIMIT_SECONDS,
            )
            if made.exit:
                raise Stopped(first_error(made.words))
        log = block_log.read(kept if kept.exists() else folder / "log")
        wanted = [disk_images.random_image(log, seed) for seed in seeds]
        found = examined(examiner, log, wanted)
        accused = subject.sync == "on" and any(left["failed"] or left["lost"] for _, left in found)
        if accused and not kept.exists():
            RECORDINGS.mkdir(parents=True, exist_ok=True)
            (folder / "log").replace(kept)
    return found


def examined(
    examiner: Examiner, log: block_log.BlockLog, wanted: list[disk_images.Image]
) -> series.Tries:
    """What is left in each image of a recording, by seed."""

    def examine(at: Path, acknowledged: int | None) -> dict:
        number = acknowledged or 0
        return examiner.examine(at / DATABASE, number) | {"acknowledged": number}

    found = power.examined(log, wanted, examine, kind=FILE_SYSTEM)
    return sorted(
        (image.seed, left if isinstance(left, dict) else nothing("mount", left))
        for image, left in found
    )


if __name__ == "__main__":
    series.serve(looked_at)
