"""The commands that crash stores, and that time what it costs to be safe from it."""

import click

from kvreport.base.paths import shown
from kvreport.base.terminal import echo
from kvreport.options import beside_another
from kvreport.preparation import end_with, prepare_crashes

of_stores = click.option(
    "--store",
    "stores",
    multiple=True,
    metavar="ID",
    help="only this store, or the script of one (path/MyStore.java); may be repeated",
)
in_run = click.option(
    "--run",
    metavar="NAME",
    help="the run to go on with; else the newest of this machine that was begun so, or the newest",
)


@click.command()
@of_stores
@click.option(
    "--tier",
    "tiers",
    multiple=True,
    type=click.Choice(["none", "process", "commit"]),
    help="only where a commit survives nothing, the process's death, or a power cut",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["kill", "power", "fault", "full"]),
    help="only where the process is killed, the power fails, the device does, or its room ends;"
    " all unless given",
)
@click.option("--tries", type=click.IntRange(1), metavar="N", help="crashes of each kind and tier")
@click.option(
    "--seed",
    type=click.IntRange(0),
    metavar="N",
    help="replay the try of this seed, record nothing, and say what is left",
)
@in_run
@beside_another
def crash(
    stores: tuple[str, ...],
    tiers: tuple[str, ...],
    kinds: tuple[str, ...],
    tries: int | None,
    seed: int | None,
    run: str | None,
) -> None:
    """Crash stores while they commit, and record what is left: their process is killed, the power
    fails, the device fails, or it is full. What breaks a promise is then replayed.
    """
    from kvreport.crash import record, replay, selection
    from kvreport.data import crashes

    ids, known = prepare_crashes(stores)
    wanted = selection.wanted(known, ids, list(tiers) or None, list(kinds) or None, tries)
    if seed is not None:
        end_with(replay.replay_seed(wanted, seed))
        return
    name = _run(run)
    record.record_crashes(name, wanted)
    record.record_replays(name, wanted)
    echo(f"The crashes are in {shown(crashes.file(name))}; `make render` shows them.")


@click.command()
@of_stores
@in_run
@beside_another
def commits(stores: tuple[str, ...], run: str | None) -> None:
    """Time what a commit takes at each tier of durability, by one thread and several, on each file
    system, and count the calls that wait for the device.
    """
    from kvreport.crash import commit_latency, selection

    ids, known = prepare_crashes(stores)
    name = _run(run)
    commit_latency.record_commits(name, known, selection.wanted(known, ids, kinds=["kill"]))
    echo("What commits take is recorded; `make render` shows it.")


@click.command()
@of_stores
@in_run
@beside_another
def recoveries(stores: tuple[str, ...], run: str | None) -> None:
    """Time how long stores take to open what a kill has left, by size."""
    from kvreport.crash import reopenings, selection

    ids, known = prepare_crashes(stores)
    name = _run(run)
    reopenings.record_reopenings(name, selection.wanted(known, ids, kinds=["kill"]))
    echo("What recoveries take is recorded; `make render` shows it.")


def _run(named: str | None) -> str:
    """The run that keeps them: one that is named, or one of this machine."""
    from kvreport.data import crashes
    from kvreport.measure.run_selection import on_this_machine

    return on_this_machine(named, crashes.file)
