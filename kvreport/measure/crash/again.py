"""What broke a promise, tried again before it is printed: of its seeds so many replays, and in how
many of them something acknowledged was missing again.

A replay is what `kvreport crash --seed` makes, so this is what who doubts a finding will see.
"""

from rich.progress import Progress

from kvreport.base.parallel import parallel_map
from kvreport.base.terminal import Terminal
from kvreport.data import crashes
from kvreport.measure import jvm
from kvreport.measure.alone import alone
from kvreport.measure.crash.programs import Stopped
from kvreport.measure.crash.record import KINDS, Wanted, ending, entry_of
from kvreport.measure.launcher import interruptible
from kvreport.toolchain.stores import write

REPLAYS = 3  # of each group of tries
console = Terminal()


def record(run: str, wanted: list[Wanted]) -> None:
    """Makes the replays that a run's findings lack; what cannot be replayed stays without."""
    kept = crashes.read(run) or {"format": 1, "subjects": []}
    work = [
        (each, group)
        for each in wanted
        if each.sync in crashes.ASKED[each.kind]
        for group in entry_of(kept, each)["found"]
        if crashes.lost_something(group) and "replays" not in group
    ]

    def made(item: tuple[Wanted, dict]) -> dict | None:
        each, group = item
        seeds = [group["seeds"][number % len(group["seeds"])] for number in range(REPLAYS)]
        try:
            found = [_replayed(each, seed) for seed in seeds]
        except Stopped:
            return None
        return {"tries": len(found), "lost": sum(map(crashes.lost_something, found))}

    with (
        interruptible(),
        alone(),
        Progress(console=console, disable=not console.is_terminal) as progress,
    ):
        bar = progress.add_task("", total=len(work))
        for (each, group), replays in zip(work, parallel_map(made, work)):
            progress.update(bar, description=f"{each.store['name']}, {each.kind}, again")
            if replays:
                group["replays"] = replays
                write(crashes.file(run), kept)
            progress.advance(bar)


def _replayed(each: Wanted, seed: int) -> dict:
    jvm.raise_if_stopping()
    ((_, found),) = KINDS[each.kind].tries(each.subject, range(seed, seed + 1))
    return ending(found)
