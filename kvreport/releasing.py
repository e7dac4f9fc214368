"""The commands that publish a version, prove it, and compare two."""

import json
import sys
from pathlib import Path

import click

from kvreport.base.paths import shown
from kvreport.base.terminal import echo
from kvreport.preparation import give_way

UNDECIDED = 3  # the exit code where trials are too few to say


@click.command()
@click.option(
    "--date", "day", metavar="DATE", help="of the version, as 2026-11-21; today unless given"
)
@click.option(
    "--revision", is_flag=True, help="publish beside the version of the same date: 2026-11-21.2"
)
@click.option("--allow-missing", is_flag=True, help="publish though sections have no results")
def publish(day: str | None, revision: bool, allow_missing: bool) -> None:
    """Freeze what the report shows as a dated version, report/DATE/, that is never changed."""
    from kvreport.publish.publishing import publish

    give_way()
    publish(day, revision, allow_missing)


@click.command()
@click.argument("names", metavar="VERSION...", nargs=-1, required=True)
def withdraw(names: tuple[str, ...]) -> None:
    """Take a VERSION (2026-11-21) that was a step on the way out of report/; git keeps it, and
    report/index.html says at which commit.
    """
    from kvreport.publish.withdrawal import withdraw

    withdraw(names)


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
def verify(path: Path) -> None:
    """Prove a published version whole: its folder, its archive, or what that was unpacked to."""
    from kvreport.publish.bundle import verify

    proof = verify(path)
    name = proof.manifest["version"]
    first, *others = proof.sentences()
    for line in (f"{path}{'' if path.name == name else f', version {name},'} is {first}", *others):
        echo(line)


@click.command()
@click.argument("version")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="the archive's file; in report/ unless given",
)
def bundle(version: str, output: Path | None) -> None:
    """Make the single archive of a VERSION (2026-11-24) that stands alone, records included."""
    from kvreport.publish.bundle import bundle

    made = bundle(version, output)
    echo(f"Made {shown(made)}, {made.stat().st_size / 1e6:.1f} MB")


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("--json", "as_json", is_flag=True, help="print everything as JSON")
@click.option(
    "--fail-on-regression",
    "limit",
    metavar="SHARE",
    help="end with 1 when something became slower by more than this, as 10%, or is lost, and with 3"
    " when there are too few trials to see it in half of the results",
)
@click.option("--other-machine", is_flag=True, help="compare though no machine is in both")
def compare(first: str, second: str, as_json: bool, limit: str | None, other_machine: bool) -> None:
    """Show what became slower or faster from FIRST to SECOND: versions (2026-11-21, latest), runs,
    or folders of them.
    """
    from kvreport.analysis.compare import compare_editions, find, share

    most = None if limit is None else share(limit)
    found = compare_editions(find(first), find(second), other_machine)
    echo(json.dumps(found.as_json(), indent=1) if as_json else "\n".join(found.lines()))
    if most is None:
        return
    if needed := found.trials_needed(most):
        echo(f"Too few trials to say: to see {limit}, {needed} on each side are needed.", err=True)
    if len(worse := found.regressions(most)):
        echo(
            f"{len(worse)} of {len(found.rows)} results became slower by more than {limit}.",
            err=True,
        )
    if len(found.lost):
        echo(f"{len(found.lost)} of the results of {found.first} are lost.", err=True)
    if len(worse) or len(found.lost):
        sys.exit(1)
    if needed:
        sys.exit(UNDECIDED)
