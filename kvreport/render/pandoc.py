"""Calls the pandoc that comes with the PyPI package `pypandoc_binary`."""

import contextlib
import functools
import hashlib
import json
import subprocess
from pathlib import Path

import pypandoc

from kvreport.base import cached, paths
from kvreport.base.files import write_atomically

API_VERSION = [1, 23, 1]  # of pandoc-types, for the syntax trees that are handed to it
READER = "markdown+autolink_bare_uris"
HARMLESS = paths.THEME / "harmless.lua"  # what is read by it may be anybody's
KEPT = 200  # texts, of which a book has 40


def parse(markdown: str) -> list:
    """The blocks of a Markdown text, as pandoc's JSON, without what could act on a page. They are
    kept in .cache/pandoc, as a book is read to be checked and to be rendered, again and again,
    while few of its chapters change.
    """
    by = f"{version()} {READER}\n{HARMLESS.read_text()}"
    name = hashlib.sha256(f"{by}\n{markdown}".encode()).hexdigest()
    file = paths.CACHE / "pandoc" / f"{name}.json"
    kept = cached.kept(file)
    if kept is None:
        text = run(["--from", READER, "--to", "json", f"--lua-filter={HARMLESS}"], markdown)
        kept = json.loads(text)
        write_atomically(file, text)
        with contextlib.suppress(FileNotFoundError):  # another process may delete them, too
            by_age = sorted(file.parent.glob("*.json"), key=lambda each: each.stat().st_mtime)
            for old in by_age[:-KEPT]:
                old.unlink(missing_ok=True)
    return kept["blocks"]


def pandoc(blocks: list, to: str, *arguments: str, output: Path, variables: dict) -> None:
    """Writes blocks as `to`; variables that are None or empty stay unset in the template."""
    given = [f"--variable={name}:{value}" for name, value in variables.items() if value]
    document = {"pandoc-api-version": API_VERSION, "meta": {}, "blocks": blocks}
    run(
        ["--from", "json", "--to", to, "--output", str(output), *given, *arguments],
        json.dumps(document),
    )


@functools.cache
def version() -> str:
    return run(["--version"], "").split()[1]


def run(arguments: list[str], text: str) -> str:
    done = subprocess.run(
        [pypandoc.get_pandoc_path(), *arguments], input=text, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"pandoc: {done.stderr.strip()}")
    return done.stdout
