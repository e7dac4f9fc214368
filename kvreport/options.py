"""The options of every command that measures."""

import os
from collections.abc import Callable
from math import inf, nan
from typing import TypedDict

import click

from kvreport.base.errors import UserError


class Measuring(TypedDict):
    """The options of every command that measures, as `measuring` declares them."""

    profile: str
    stores: tuple[str, ...]
    run: str | None
    host: str | None
    rounds: int | None
    retry_failed: bool
    long: bool
    until: float | None
    limit_hours: float | None
    minutes: float | None


def ask_for_both(context: click.Context, option: click.Parameter, both: bool) -> None:
    """Lets a measurement begin though another one runs."""
    from kvreport.measure.machine_lock import BESIDE

    if both:
        os.environ[BESIDE] = "1"


def ratio(_: click.Context, __: click.Parameter, text: str | None) -> float | None:
    """ "1.3x" as 1.3. Raises UserError."""
    if text is None:
        return None
    try:
        value = float(text.removesuffix("x"))
    except ValueError:
        value = nan
    if not text.endswith("x") or not 1 < value < inf:
        raise UserError(f"{text} is no ratio to see: write it as 1.3x, more than 1.")
    return value


beside_another = click.option(
    "--beside-another",
    is_flag=True,
    expose_value=False,
    callback=ask_for_both,
    help="measure though another measurement runs on this machine, which distorts both",
)


def measuring(command: Callable) -> Callable:
    """The options of every command that measures."""
    for option in reversed(
        [
            click.option(
                "--profile",
                default="quick",
                show_default=True,
                metavar="NAME",
                help="smoke, quick, standard or full: how many entries, iterations and trials",
            ),
            click.option(
                "--store",
                "stores",
                multiple=True,
                metavar="ID",
                help="only this store, or the script of one (path/MyStore.java); may be repeated",
            ),
            click.option(
                "--run",
                metavar="NAME",
                help="the run to go on with or to begin; the newest that fits unless given",
            ),
            click.option("--host", metavar="LABEL", help="what to call this machine in the report"),
            click.option(
                "--rounds",
                type=click.IntRange(1),
                metavar="N",
                help=(
                    "no more than N trials of each store for now; the same call without it makes "
                    "the others"
                ),
            ),
            click.option("--retry-failed", is_flag=True, help="make again the trials that failed"),
            click.option(
                "--long",
                is_flag=True,
                help=(
                    "as many trials of a store whose trial takes over ten minutes as of the "
                    "others; otherwise it has one"
                ),
            ),
            click.option(
                "--until",
                metavar="RATIO",
                callback=ratio,
                help=(
                    "go on with rounds until the fastest store of each case and workload can be "
                    "told from every other that takes RATIO times as long, as 1.3x"
                ),
            ),
            click.option(
                "--limit-hours",
                type=click.FloatRange(0, min_open=True),
                metavar="H",
                help="begin no trial later than this, whatever --until wants",
            ),
            beside_another,
        ]
    ):
        command = option(command)
    return command


minutes = click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    metavar="M",
    help=(
        "the time to spend in all, set-up and rendering included, on as many rounds as fit;"
        " without it each store has the profile's number of trials"
    ),
)
