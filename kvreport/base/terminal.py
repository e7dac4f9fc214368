"""The one place where anything is printed: much of it other people's words, such as an option, a
name or a reason, whose control characters are shown and not obeyed.
"""

import os
from typing import Any

import click
from rich.console import Console

from kvreport.base.paths import QUIET
from kvreport.base.text import visible


def echo(line: str, err: bool = False) -> None:
    """Prints a line, or several; `err` to stderr."""
    click.echo(visible(line), err=err)


def report_progress(line: str) -> None:
    """Prints what a command is at, unless the user has asked for quiet."""
    if not os.environ.get(QUIET):
        echo(line)


class Terminal(Console):
    """Rich's console, for bars and colours: on stderr unless said otherwise. A text is printed as
    it is, without markup or line breaks of Rich's own.
    """

    def __init__(self, **options: Any):
        super().__init__(**({"stderr": True, "highlight": False, "markup": False} | options))

    def print(self, *what: Any, **options: Any) -> None:
        """As Rich prints it, `what` being texts or what Rich can draw."""
        if all(isinstance(each, str) for each in what):
            what, options = tuple(map(visible, what)), {"soft_wrap": True} | options
        super().print(*what, **options)
