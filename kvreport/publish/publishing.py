"""Publishes the report as a dated version that is never changed. It appears whole or not at all."""

import contextlib
import os
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.scratch import scratch
from kvreport.base.terminal import echo
from kvreport.base.text import count, join_words
from kvreport.charts.chapter import of
from kvreport.data import editions, repository, results_table, runs, versions
from kvreport.data.editions import Edition
from kvreport.data.needs import FIRST_LOOK
from kvreport.measure import log, section
from kvreport.publish import export, source
from kvreport.publish.minify import slim, slim_pdf
from kvreport.publish.page_footers import dress
from kvreport.publish.shared import take_out
from kvreport.publish.version_index import surroundings
from kvreport.publish.zipped import archive
from kvreport.render import cite, offline, quarto
from kvreport.render.book import Book, language_of, load_book
from kvreport.render.engines import render
from kvreport.render.freshness import is_stale
from kvreport.render.sources import write_variables
from kvreport.render.standing_in import drawn_on
from kvreport.render.tree import build_tree, save


def publish(day: str | None = None, revision: bool = False, allow_missing: bool = False) -> str:
    """Publishes what the report shows now and returns the version's name.

    day            the version's date, today unless given
    revision       publish beside a version of the same date
    allow_missing  publish though sections have no results

    Raises UserError, with nothing published, when the date is taken, chapters are stale, sections
    are missing or rendering fails.
    """
    name = new_name(f"{date.today()}" if day is None else day, revision)
    refuse_stale(load_book(build_tree()))
    for saved in save():
        echo(f"Saved {saved} as it was executed")
    book, edition = load_book(paths.ROOT), editions.shown_edition()
    missing = [
        each.id
        for each in section.sections()
        if each.id != FIRST_LOOK  # whose needs have chapters of their own
        and (of(each.id).stands_in or not has_results(edition, each.id))
    ]
    if missing and not allow_missing:
        raise UserError(
            f"Nothing is measured of {join_words(missing)}: measure it ({of(missing[0]).command}), "
            "or publish without it (--allow-missing)."
        )
    with scratch(paths.REPORT) as folder:
        manifest = make(folder, name, book, edition, missing)
        beside = surroundings(
            folder,
            [*map(paths.REPORT.joinpath, versions.names()), folder / name],
            versions.withdrawn(paths.REPORT),
        )
        shared = [f"{versions.SHARED}/{each}" for each in unshared(manifest["shared"])]
        put(folder, [name, *shared, *beside], paths.REPORT)
    size = sum(file["bytes"] for file in manifest["files"].values())
    echo(
        f"Published {paths.shown(paths.REPORT / name)}: {len(manifest['files'])} files,"
        f" {size / 1e6:.1f} MB; {paths.shown(paths.REPORT)}/index.html lists it."
    )
    return name


def make(folder: Path, name: str, book: Book, edition: Edition, missing: list[str]) -> dict:
    """Makes a version, and `shared` beside it, in a folder; its manifest."""
    made = folder / name
    engine = rendered(book, made, name)
    slim_pdf(made / book.pdf)
    named = add_data(made, name, edition, book)
    pages = [chapter.page for chapter in book.chapters]
    dress(made, pages, name, book.pdf, figure_files(made, edition))
    slim(made)
    take_out(made, folder / versions.SHARED)
    content = {
        "format": 2,
        "version": name,
        "date": name[:10],
        "published": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "commit": repository.commit(paths.ROOT),
        "engine": engine,
        "title": book.config["book"]["title"],
        "pdf": book.pdf,
        "pages": pages,
        "missing": missing,
        "about": edition.about,
        "results": versions.results_sha256(edition),
        "files": versions.contents(made),
        "shared": versions.contents(folder / versions.SHARED),
        **named,
    }
    (made / versions.MANIFEST).write_text(versions.written(content))
    return versions.Version(made, paths.ROOT).verify()


def unshared(shared: dict[str, dict]) -> list[str]:
    """Return what no earlier version shares yet. Raises UserError where what one does is
    damaged.
    """
    place = paths.REPORT / versions.SHARED
    there = [name for name in shared if (place / name).exists()]
    for name in there:
        if versions.size_and_sha256(place / name) != shared[name]:
            raise UserError(f"{paths.shown(place / name)} is damaged: take it from a backup.")
    return [name for name in shared if name not in there]


def new_name(day: str, revision: bool) -> str:
    """The name of the version to publish. Raises UserError when it is taken, or no date."""
    try:
        known = re.fullmatch(r"\d{4}-\d\d-\d\d", day) and date.fromisoformat(day)
    except ValueError:
        known = None
    if not known:
        raise UserError(f"{day} is no date: write it as {date.today()}.")
    published = versions.names()
    same = [name for name in published if name[:10] == day]
    if same and not revision:
        raise UserError(
            f"{same[0]} is published, and a published version is never changed: --revision"
            f" publishes {_next(same[0])} beside it."
        )
    if revision and not same:
        raise UserError(f"There is no version of {day} to revise: publish it without --revision.")
    if published and published[0][:10] > day:
        raise UserError(
            f"Versions follow one another, and {published[0]} is published already: {day} is"
            " before it."
        )
    return _next(same[0]) if same else day


def _next(name: str) -> str:
    day, revision = versions.order(name)
    return f"{day}.{revision + 1}"


def refuse_stale(book: Book) -> None:
    """Raises UserError where a chapter's outputs are not those of its data, code and text, or a log
    is of other trials.
    """
    stale = []
    for notebook in (
        chapter.source for chapter in book.chapters if chapter.source.endswith(".ipynb")
    ):
        file = book.root / notebook
        if language_of(file) == "python":
            old = is_stale(file, book.root, drawn_on(notebook).folders)
        else:
            run = runs.run_of(file.stem)
            trials = runs.load(run, file.stem).trials
            stamp = log.stamp_of(section.Section(file), run, trials)
            old = bool(trials) and not log.is_of(file, stamp)
        stale += [notebook] if old else []
    if stale:
        raise UserError(
            f"{join_words(stale)} {'is' if len(stale) == 1 else 'are'} older than the data or"
            f" the code"
            " behind: `make render` brings chapters, and `kvreport log` the logs of sections, up"
            " to date; read them, then publish."
        )


def has_results(edition: Edition, section_id: str) -> bool:
    """Return whether anything of a section was measured."""
    return bool(((edition.rows["section"] == section_id) & (edition.rows["status"] == "ok")).any())


def rendered(book: Book, made: Path, name: str) -> str:
    """Renders the version into its folder and names the engine."""
    engine = quarto.find_quarto()
    os.environ[cite.VERSION] = name
    try:
        render(root=book.root, output=made)
    finally:
        del os.environ[cite.VERSION]
        write_variables(book.root)  # those of the draft again
    return f"Quarto {quarto.version(engine)}" if engine else offline.name()


def add_data(made: Path, name: str, edition: Edition, book: Book) -> dict[str, Any]:
    """Adds the data, the citation, and what of records, notebooks and scripts the repository does
    not have; names the others as a manifest does, by its `records` and `source`.
    """
    front = book.config["book"]
    data = made / "data"
    export.write_results(edition, data)
    records, held = source.divided(source.records_behind())
    committed = source.committed(book)
    if not committed:
        held |= source.contents_of(book)
    if held:
        archive(data / export.HELD, held)
        echo(
            f"{count(len(held), 'file')} of records, notebooks and scripts that git does not have"
            " went into the version; once they are committed it would name them only."
        )
    commit = repository.commit(paths.ROOT) if committed else None
    export.write_dictionary(data, f"{front['title']}, version {name}", commit)
    (made / "CITATION.cff").write_text(cite.cff(front, name, name[:10], commit))
    return {"records": records} | ({"source": committed} if committed else {})


def figure_files(made: Path, edition: Edition) -> Callable[[str, list[dict]], str]:
    """Return what writes a figure's rows into a version, for publish.page_footers; figures of the
    same rows have one file.
    """
    written: dict[str, str] = {}

    def write(figure: str, sources: list[dict]) -> str:
        rows = export.figure_rows(edition, sources)
        if not len(rows):
            return ""
        table = results_table.text(rows)
        if table not in written:
            file = made / "data" / "figures" / f"{figure}.csv.gz"
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(export.compressed(table.encode()))
            written[table] = file.relative_to(made).as_posix()
        return written[table]

    return write


def put(folder: Path, made: list[str], place: Path) -> None:
    """Moves what was made in a folder to its place, all of it or nothing."""
    with contextlib.ExitStack() as undone:

        def move(one: Path, other: Path) -> None:
            other.parent.mkdir(parents=True, exist_ok=True)
            undone.callback(lambda: one.exists() or other.rename(one))
            one.rename(other)

        for name in made:
            if (place / name).exists():
                move(place / name, folder / "before" / name)
            move(folder / name, place / name)
        undone.pop_all()
