"""What happens before every render, by Quarto or by the offline engine: `_quarto.yml` names this
file as its pre-render step.

Quarto runs it with whatever Python it finds, so it first hands over to the project's own
environment.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OWN_PYTHON = ROOT / ".venv" / "bin" / "python"


def main() -> int:
    if OWN_PYTHON.exists() and Path(sys.prefix) != OWN_PYTHON.parents[1]:
        os.execv(OWN_PYTHON, [str(OWN_PYTHON), "-m", "kvreport.render.prerender"])
    return prepare_for_quarto()


def prepare_for_quarto() -> int:
    """Prepares the files that Quarto is about to render; a user's mistake is one sentence and the
    exit code 2.
    """
    try:
        from kvreport.base.errors import UserError, sentence_of
        from kvreport.base.paths import keep_home_clean
        from kvreport.base.terminal import echo
        from kvreport.render.place import BOOK
        from kvreport.render.sources import prepare
    except ModuleNotFoundError as missing:
        print(
            f"The Python at {sys.executable} lacks {missing.name}: run `make setup` first, or"
            " activate the environment that environment.yml makes.",
            file=sys.stderr,
        )
        return 2
    keep_home_clean()
    named = os.environ.get("QUARTO_PROJECT_INPUT_FILES", "").split("\n")
    everything = os.environ.get("QUARTO_PROJECT_RENDER_ALL") or not any(named)
    try:
        prepare(
            Path(os.environ.get(BOOK) or ROOT),
            None if everything else [name for name in named if name],
        )
    except (UserError, OSError) as problem:
        sentence = sentence_of(problem)
        if sentence is None:
            raise
        echo(sentence, err=True)
        return 2
    return 0


if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # run as a file, Python would look for the package in this folder
    sys.exit(main())
