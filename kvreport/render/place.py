"""Puts what Quarto made in its place, so that a render that fails leaves the last good draft.

Quarto empties its output folder before it begins. So it has one beside the draft, and what it made
there becomes the draft once all of it is made: `_quarto.yml` names this file as its post-render
step, which runs with whatever Python there is.
"""

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

if __name__ == "__main__":  # Quarto names the file, and a path of the package's modules is wanted
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from kvreport.base.scratch import scratch
from kvreport.render import store_pages

# an environment variable: the book that `kvreport render` has Quarto render
BOOK = "KVREPORT_BOOK"
# another: set where that book is prepared already
READY = "KVREPORT_BOOK_IS_READY"
DRAFT = Path(__file__).resolve().parents[2] / "report" / "draft"
LIBRARIES = "site_libs"  # where Quarto puts the scripts and styles that its pages share


def main() -> None:
    """The post-render step. What `kvreport render` asked for, that puts in its place itself."""
    if os.environ.get(BOOK):
        return
    made = Path(os.environ["QUARTO_PROJECT_OUTPUT_DIR"]).resolve()
    if os.environ.get("QUARTO_PROJECT_RENDER_ALL") or not DRAFT.exists():
        with scratch(DRAFT.parent) as folder:
            shutil.copytree(made, folder / "made")
            store_pages.cut(folder / "made")
            replace(DRAFT, folder / "made")
    else:
        files = os.environ["QUARTO_PROJECT_OUTPUT_FILES"].splitlines()
        add(DRAFT, made, (Path(name).resolve() for name in files))
        store_pages.cut(DRAFT)
    print(f"Put in its place: {os.path.relpath(DRAFT)}")


def replace(place: Path, made: Path) -> None:
    """Puts a folder where another is, which is there until then and gone afterwards."""
    with scratch(place.parent) as folder:
        if place.exists():
            place.rename(folder / "before")
        made.rename(place)


def add(place: Path, made: Path, pages: Iterable[Path]) -> None:
    """Copies single pages of a folder, with what they show, into another one."""
    for page in pages:
        target = place / page.relative_to(made)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, target)
        _copy(page.with_name(f"{page.stem}_files"), target.with_name(f"{page.stem}_files"))
    _copy(made / LIBRARIES, place / LIBRARIES)


def _copy(folder: Path, target: Path) -> None:
    if folder.is_dir():
        shutil.copytree(folder, target, dirs_exist_ok=True)


if __name__ == "__main__":
    main()
