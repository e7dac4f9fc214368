"""What happens before every render by Quarto: `_quarto.yml` names this file as its pre-render step.

Quarto gives each page that is named to it, and each click in its preview, to this step. Where
nothing has changed since the last one it is over in a tenth of a second.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Prepares the files that Quarto is about to render; a user's mistake is one sentence and the
    exit code 2.
    """
    try:
        import kvreport.render.stamps as stamps
        from kvreport.base.errors import UserError, sentence_of
        from kvreport.render.place import BOOK, READY

        if os.environ.get(READY):
            return 0
        root = Path(os.environ.get(BOOK) or ROOT)
        named = os.environ.get("QUARTO_PROJECT_INPUT_FILES", "").split("\n")
        pages = [] if os.environ.get("QUARTO_PROJECT_RENDER_ALL") else sorted(filter(None, named))
        stamps.once(root, pages, lambda: prepare(root, pages))
    except ModuleNotFoundError as missing:
        print(
            f"The Python at {sys.executable} lacks {missing.name}: run `make setup` first, or"
            " activate the environment that environment.yml makes.",
            file=sys.stderr,
        )
        return 2
    except (UserError, OSError) as problem:
        sentence = sentence_of(problem)
        if sentence is None:
            raise
        from kvreport.base.terminal import echo

        echo(sentence, err=True)
        return 2
    return 0


def prepare(root: Path, pages: list[str]) -> None:
    from kvreport.base.paths import keep_home_clean
    from kvreport.render import sources

    keep_home_clean()
    sources.prepare_sources(root, pages or None)


if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # run as a file, Python would look for the package in this folder
    sys.exit(main())
