"""What broke a promise, tried again before it is printed: of its seeds so many replays, and in how
many of them something acknowledged was missing again.

A replay is what `kvreport crash --seed` makes, so this is what who doubts a finding will see.
"""

from kvreport.base.parallel import parallel_map
from kvreport.crash.programs import Stopped
from kvreport.crash.record import Wanted, ending, entry_of, undisturbed
from kvreport.data import crashes
from kvreport.measure import jvm
from kvreport.toolchain.stores import write

REPLAYS = 3  # of each group of tries


def record(run: str, wanted: list[Wanted]) -> None:
    """Makes the replays that a run's findings lack; what cannot be replayed stays without."""
    kept = crashes.begun(run)
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
            return {"tries": REPLAYS, "lost": sum(_lost(each, seed) for seed in seeds)}
        except Stopped:
            return None

    with undisturbed() as progress:
        bar = progress.add_task("", total=len(work))
        for (each, group), replays in zip(work, parallel_map(made, work)):
            progress.update(bar, description=f"{each.store['name']}, {each.kind}, again")
            if replays:
                group["replays"] = replays
                write(crashes.file(run), kept)
            progress.advance(bar)


def _lost(each: Wanted, seed: int) -> bool:
    jvm.raise_if_stopping()
    return crashes.lost_something(ending(each.one(seed)))
