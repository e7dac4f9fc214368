"""Finds an installed Chromium for the tests that open the report's pages. None is ever
downloaded.
"""

import shutil
from pathlib import Path

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"]
MACOS = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
]
HOW_TO_GET = "Debian: apt install chromium"


def find_browser() -> Path | None:
    """The first Chromium or relative of it on this machine."""
    found = [shutil.which(name) for name in NAMES] + [path for path in MACOS if Path(path).exists()]
    return next((Path(path) for path in found if path), None)
