"""The options of every command that measures."""

import os
from collections.abc import Callable
from typing import TypedDict

import click


class Measuring(TypedDict):
    """The options of every command that measures, as `measuring` declares them."""

    profile: str
    stores: tuple[str, ...]
    run: str | None
    host: str | None
    rounds: int | None
    retry_failed: bool
    long: bool


def ask_for_both(context: click.Context, option: click.Parameter, both: bool) -> None:
    """Lets a measurement begin though another one runs."""
    from kvreport.measure.alone import BESIDE

    if both:
        os.environ[BESIDE] = "1"


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
            beside_another,
        ]
    ):
        command = option(command)
    return command
