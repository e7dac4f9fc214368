"""The command line. Each command imports what it needs when it is called, so that one broken part leaves the others usable."""

import os
import sys

import click

from kvreport.errors import UserError
from kvreport.paths import ROOT, keep_home_clean

def measuring(command):
    """The options of every command that measures."""
    for option in reversed([
        click.option("--profile", default="quick", show_default=True, metavar="NAME",
                     help="smoke, quick, standard or full: how many entries, iterations and trials"),
        click.option("--store", "stores", multiple=True, metavar="ID", help="only this store; may be repeated"),
        click.option("--run", metavar="NAME", help="the run to go on with or to begin; the newest that fits unless given"),
        click.option("--host", metavar="LABEL", help="what to call this machine in the report"),
        click.option("--retry-failed", is_flag=True, help="make again the trials that failed"),
    ]):
        command = option(command)
    return command


class Commands(click.Group):
    """Says a user's mistake in its one sentence and ends with 2."""

    def invoke(self, context):
        try:
            return super().invoke(context)
        except UserError as mistake:
            click.echo(str(mistake), err=True)
            context.exit(2)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
def main():
    """Measures embedded key-value stores for the JVM and renders the report on them."""
    keep_home_clean()


@main.command()
def doctor():
    """Tell what is there, what is missing and how to get it."""
    from kvreport.doctor import examine
    sys.exit(0 if examine() else 1)


@main.command()
def setup():
    """Build the stores and register the Java kernel; costs nothing where nothing changed."""
    prepare()


@main.command()
@measuring
def report(**options):
    """Measure what is missing and render the report."""
    from kvreport.render import render
    measured(None, options)
    render()


@main.command()
@click.argument("section")
@measuring
def section(section, **options):
    """Measure what is missing of one SECTION (04, or 04-small-values) and render the report again."""
    from kvreport.render import render
    measured(section, options)
    render()


@main.command()
@click.argument("section", required=False)
@measuring
def measure(section, **options):
    """Measure what is missing, of one SECTION or of all, and render nothing."""
    measured(section, options)


@main.command()
@click.argument("chapter", required=False)
@click.option("--to", "formats", type=click.Choice(["html", "typst"]), multiple=True, help="only this format; both unless given")
def render(chapter, formats):
    """Render the report, or only the page of CHAPTER (notebooks/chapters/04-small-values.ipynb), from what is measured."""
    from kvreport.render import FORMATS, render
    render(formats or FORMATS, chapter)


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1)
def test(arguments):
    """Pass the tests; ARGUMENTS go to pytest."""
    prepare()
    os.chdir(ROOT)
    os.execv(sys.executable, [sys.executable, "-m", "pytest", *arguments])


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1)
def lab(arguments):
    """Open JupyterLab with the Java kernel ready; ARGUMENTS go to it."""
    prepare()
    os.execv(sys.executable, [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={ROOT}", *arguments])


def measured(section, options):
    from kvreport.measure import measure
    prepare()
    measure(section, **options | {"stores": list(options["stores"]) or None})


def prepare():
    """Builds what changed and registers the kernel; says on stderr which stores do not build, and goes on without them."""
    from kvreport import kernel, stores
    for store, reason in stores.catalog()["failed"].items():
        click.echo(f"{store} does not build and is left out:\n{reason}", err=True)
    kernel.register()
