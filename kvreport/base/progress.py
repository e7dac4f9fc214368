"""What a command is at, for whoever watches it."""

import os

import click

from kvreport.base.paths import QUIET
from kvreport.base.text import visible


def report_progress(line: str) -> None:
    """Prints a line, unless the user has asked for quiet."""
    if not os.environ.get(QUIET):
        click.echo(visible(line))
