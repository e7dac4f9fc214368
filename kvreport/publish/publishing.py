"""Publishes the report as a dated version that is never changed. It appears whole or not at all."""

import os
import re
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path

import click
import vl_convert

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.scratch import scratch
from kvreport.base.text import join_words
from kvreport.data import editions, records, results_table, runs, versions
from kvreport.data.editions import Edition
from kvreport.exhibits.chapter import of
from kvreport.measure import log, section
from kvreport.publish import export
from kvreport.publish.dress import dress
from kvreport.publish.surroundings import surroundings
from kvreport.render import cite, offline, quarto, render
from kvreport.render.book import Book, cells_of, joined, language_of, load, options_of
from kvreport.render.freshness import is_stale
from kvreport.render.sources import write_variables
from kvreport.render.tree import build_tree, save

PREVIEWS = (
    "fig-a07",
    "fig-a11",
)  # figures that the newest version offers as pictures, for README.md
EPOCH = (1980, 1, 1, 0, 0, 0)  # of files in archives, so that the same content gives the same bytes


def publish(day: str | None = None, revision: bool = False, allow_missing: bool = False) -> str:
    """Publishes what the report shows now and returns the version's name.

    day            the version's date, today unless given
    revision       publish beside a version of the same date
    allow_missing  publish though sections have no results

    Raises UserError, with nothing published, when the date is taken, chapters are stale, sections
    are missing or rendering fails.
    """
    name = new_name(day or f"{date.today()}", revision)
    refuse_stale(load(build_tree()))
    for source in save():
        click.echo(f"Saved {source} as it was executed")
    book, edition = load(paths.ROOT), editions.shown()
    missing = [each.id for each in section.sections() if not has_results(edition, each.id)]
    if missing and not allow_missing:
        raise UserError(
            f"Nothing is measured of {join_words(missing)}: measure it ({of(missing[0]).command}), "
            "or publish without it (--allow-missing)."
        )
    with scratch(paths.REPORT) as folder:
        made = folder / name
        engine = rendered(book, made, name)
        add_data(made, name, edition, book)
        pages = [chapter.page for chapter in book.chapters]
        dress(made, pages, name, book.pdf, figure_files(made, edition))
        told = {
            "format": 1,
            "version": name,
            "date": name[:10],
            "published": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            "engine": engine,
            "title": book.config["book"]["title"],
            "pdf": book.pdf,
            "pages": pages,
            "missing": missing,
            "about": edition.about,
            "files": versions.contents(made),
        }
        (made / versions.MANIFEST).write_text(versions.written(told))
        versions.verify(made)
        beside = surroundings(folder, made)
        put([folder / each for each in (name, *beside)], paths.REPORT, folder / "before")
    size = sum(file["bytes"] for file in told["files"].values())
    click.echo(
        f"Published {paths.shown(paths.REPORT / name)}: {len(told['files'])} files,"
        f" {size / 1e6:.1f} MB; {paths.shown(paths.REPORT)}/index.html lists it."
    )
    return name


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
    name = _next(same[0]) if same else day
    if (paths.REPORT / name).exists():
        raise UserError(
            f"{paths.shown(paths.REPORT / name)} is there and is no published version: move it"
            " away."
        )
    return name


def _next(name: str) -> str:
    day, revision = versions.order(name)
    return f"{day}.{revision + 1}"


def refuse_stale(book: Book) -> None:
    """Raises UserError where a chapter's outputs are not those of its data, code and text, or a log
    is of other trials.
    """
    folders = [paths.RUNS / name for name in runs.shown_runs(runs.selected_run())]
    stale = []
    for source in (
        chapter.source for chapter in book.chapters if chapter.source.endswith(".ipynb")
    ):
        file = book.root / source
        if language_of(file) == "python":
            old = is_stale(file, book.root, folders)
        else:
            run = runs.run_of(file.stem)
            trials = runs.load(run, file.stem).trials
            stamp = log.stamp_of(section.Section(file), run, trials)
            old = bool(trials) and not log.is_of(file, stamp)
        stale += [source] if old else []
    if stale:
        raise UserError(
            f"{join_words(stale)} {'is' if len(stale) == 1 else 'are'} older than the data or"
            f" the code"
            " behind: `make render` brings chapters, and `kvreport log` the logs of sections, up"
            " to date; read them, then publish."
        )


def has_results(edition: Edition, section_id: str) -> bool:
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


def add_data(made: Path, name: str, edition: Edition, book: Book) -> None:
    """Adds the data, the records behind them, the notebooks, the citation and the pictures for
    README.md.
    """
    front = book.config["book"]
    export.write(edition, made / "data", f"{front['title']}, version {name}")
    packed = {}
    sections = runs.shown_sections()
    for each, run in [
        *sections.items(),
        *((name, full) for name in sections for full in runs.in_full(name)),
    ]:
        folder = paths.RUNS / run
        for file in [
            folder / records.ENVIRONMENT,
            *folder.glob(f"{each}/*.json"),
            *folder.glob(f"{each}.*json"),
        ]:
            packed[file.relative_to(paths.RUNS).as_posix()] = file
    archive(made / "data" / "trials.zip", packed)
    archive(
        made / "data" / "notebooks.zip",
        {chapter.source: book.root / chapter.source for chapter in book.chapters},
    )
    (made / "CITATION.cff").write_text(cite.cff(front, name, name[:10]))
    for figure, svg in pictures(book).items():
        (made / versions.PREVIEW).mkdir(exist_ok=True)
        (made / versions.PREVIEW / f"{figure}.png").write_bytes(vl_convert.svg_to_png(svg))


def archive(file: Path, files: dict[str, Path]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, content.read_bytes(), zipfile.ZIP_DEFLATED)


def pictures(book: Book) -> dict[str, str]:
    """The figures of PREVIEWS as their chapters hold them, as SVG."""
    found = {}
    vl_convert.register_font_directory(str(paths.THEME / "fonts"))
    for cell in (
        cell
        for chapter in book.chapters
        for cell in cells_of(book.root / chapter.source)
        if cell["cell_type"] == "code"
    ):
        label = options_of(cell["source"])[0].get("label")
        for output in cell["outputs"] if label in PREVIEWS else []:
            if "image/svg+xml" in output.get("data", {}):
                found[label] = joined(output["data"]["image/svg+xml"])
    return found


def figure_files(made: Path, edition: Edition):
    """What writes a figure's rows into a version, for render.dress."""

    def write(figure: str, sources: list[dict]) -> str:
        rows = export.figure(edition, sources)
        if not len(rows):
            return ""
        file = made / "data" / "figures" / f"{figure}.csv"
        file.parent.mkdir(exist_ok=True)
        file.write_text(results_table.text(rows))
        return file.relative_to(made).as_posix()

    return write


def put(made: list[Path], place: Path, before: Path) -> None:
    """Moves what was made to its place, all of it or nothing; what was there before goes to
    `before`.
    """
    before.mkdir()
    done = []
    try:
        for each in made:
            target = place / each.name
            done.append((each, target, before / each.name))
            if target.exists():
                target.rename(before / each.name)
            each.rename(target)
    except BaseException:
        for each, target, was in reversed(done):
            if not each.exists() and target.exists():
                target.rename(each)
            if was.exists():
                was.rename(target)
        raise
