"""The commands that check the harness: what a change of its timed path means, and how far it is to
be trusted.
"""

import json
from pathlib import Path

import click

from kvreport.base.errors import UserError
from kvreport.base.terminal import echo
from kvreport.options import beside_another
from kvreport.preparation import prepare


@click.group(invoke_without_command=True)
@click.pass_context
def harness(context: click.Context) -> None:
    """Show the number of the harness, or say what a change of its timed path means."""
    if not context.invoked_subcommand:
        from kvreport.data import harness
        from kvreport.toolchain import fingerprint

        of = fingerprint.workloads()
        echo(f"Harness {harness.current(of)}, timed path {fingerprint.timed_path(of)}")


@harness.command()
@click.argument("because")
def differs(because: str) -> None:
    """Numbers may differ, BECAUSE of what changed: the harness gets a new number, or, where only
    some workloads changed, only those are measured anew.
    """
    from kvreport.data import harness
    from kvreport.toolchain import fingerprint

    state = harness.add_state(fingerprint.workloads(), harness.DIFFERS, because)
    echo(f"Harness {state['number']}: {harness.consequence(state)}.")


@harness.command()
@click.argument("because")
@click.option(
    "--against",
    required=True,
    type=click.Path(exists=True, path_type=Path),
    help="a checkout of the older state, set up",
)
@click.option("--rounds", default=6, show_default=True, type=click.IntRange(3))
@click.option("--profile", default="quick", show_default=True, help="quick or standard")
@beside_another
def same(because: str, against: Path, rounds: int, profile: str) -> None:
    """Figures stay the same, BECAUSE of something: an A/B run has to show it."""
    from kvreport.analysis.ab import verdict
    from kvreport.data import harness
    from kvreport.measure import ab
    from kvreport.toolchain import fingerprint

    catalogs = prepare(), ab.catalog_of(against)
    found = verdict(ab.run_ab(against, rounds, profile, catalogs))
    mean = found["mean"]
    echo(f"This over the other: {mean['ratio']:.3f} ({mean['low']:.3f} to {mean['high']:.3f})")
    if not found["same"]:
        echo(json.dumps(found, indent=1))
        raise UserError(
            f"The two differ by more than {found['margin']:.2f} times, or may: find out why, or "
            "give the harness a new number with `kvreport harness differs`."
        )
    found |= {"rounds": rounds, "profile": profile}
    state = harness.add_state(fingerprint.workloads(), harness.SAME, because, found)
    echo(f"Harness {state['number']}, as before.")


@click.command()
@click.option("--run", metavar="NAME", help="the run to check; the newest of this machine else")
@click.option(
    "--store", "stores", multiple=True, metavar="ID", help="only this store; may be repeated"
)
@beside_another
def crosscheck(run: str | None, stores: tuple[str, ...]) -> None:
    """Measure a few stores with JMH too, and in a kernel that measured others before: how far the
    harness is to be trusted.
    """
    from kvreport.analysis.crosscheck import biased
    from kvreport.data.extra_measurements import crosscheck_file
    from kvreport.measure.crosscheck import measure_crosscheck
    from kvreport.measure.run_selection import on_this_machine

    name = on_this_machine(run, crosscheck_file)
    measure_crosscheck(name, list(stores) or None, biased)
