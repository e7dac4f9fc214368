"""The device fails while a store commits (S05): from a moment on it refuses to write, or to flush,
as one that breaks does (EIO). A commit after that must say that it failed; what was acknowledged is
to be there when the database is opened on what the device has.
"""

from random import Random

from kvreport.base.paths import CACHE
from kvreport.base.scratch import scratch
from kvreport.crash import disk_images, power, power_loss, series
from kvreport.crash.programs import DATABASE, Examiner, Subject

MODULE = "kvreport.crash.io_errors"
TOGETHER = 10  # tries whose databases one JVM looks at
SHARE = 0.9  # of the transactions, in which the failure begins
REFUSED = ("write", "flush")


def tries(subject: Subject, seeds: range) -> series.Tries:
    """Has the device fail once for each seed, and looks at what is left. Raises Stopped."""
    return series.isolated(MODULE, subject, seeds)


def looked_at(subject: Subject, seeds: range) -> series.Tries:
    """The tries, in a program that has mounts of its own."""
    found = []
    with scratch(CACHE) as folder, Examiner(subject, folder) as examiner:
        for seed in seeds:
            drawn = Random(f"fault {seed}")
            after = drawn.randrange(1, int(SHARE * subject.transactions))
            made = power.record(
                subject.command("commit", folder, "--wait", DATABASE),
                folder / f"log-{seed}",
                kind=power_loss.FILE_SYSTEM,
                orders={after: f"fail {drawn.choice(REFUSED)} 1 EIO"},
                limit=series.LIMIT_SECONDS,
            )
            whole = disk_images.Image(len(made.log.events), "everything", seed)
            ((_, left),) = power_loss.examined(examiner, made.log, [whole])
            found.append((seed, left | subject.reported(left["acknowledged"])))
    return found


if __name__ == "__main__":
    series.serve(looked_at)
