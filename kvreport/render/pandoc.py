"""Calls the pandoc that comes with the PyPI package `pypandoc_binary`."""

import functools
import json
import subprocess
from pathlib import Path

import pypandoc

API_VERSION = [1, 23, 1]  # of pandoc-types, for the syntax trees that are handed to it
READER = "markdown+autolink_bare_uris"


def parse(markdown: str) -> list:
    """The blocks of a Markdown text, as pandoc's JSON."""
    return json.loads(parsed(markdown))["blocks"]


@functools.cache
def parsed(markdown: str) -> str:
    """That JSON as text; a book is read once to be checked and once to be rendered."""
    return run(["--from", READER, "--to", "json"], markdown)


def pandoc(blocks: list, to: str, *arguments: str, output: Path, variables: dict) -> None:
    """Writes blocks as `to`; variables that are None or empty stay unset in the template."""
    given = [f"--variable={name}:{value}" for name, value in variables.items() if value]
    document = {"pandoc-api-version": API_VERSION, "meta": {}, "blocks": blocks}
    run(
        ["--from", "json", "--to", to, "--output", str(output), *given, *arguments],
        json.dumps(document),
    )


def version() -> str:
    return run(["--version"], "").split()[1]


def run(arguments: list[str], text: str) -> str:
    done = subprocess.run(
        [pypandoc.get_pandoc_path(), *arguments], input=text, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"pandoc: {done.stderr.strip()}")
    return done.stdout
