"""The project's folders, in one place. All are absolute."""

import codecs
import locale
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# what a person writes
JBANG = ROOT / "jbang"
JBANG_KV = JBANG / "kv"
JBANG_STORES = ROOT / "jbang" / "stores"
JBANG_RECOVERIES = ROOT / "jbang" / "recoveries"
JBANG_BUILDS = ROOT / "jbang" / "build" / "Builds.java"
RECORDER = ROOT / "jbang" / "record" / "Recorder.java"
CROSS_CHECK = ROOT / "jbang" / "jmh" / "CrossCheck.java"
MEASURE = ROOT / "notebooks" / "measure"
CHAPTERS = ROOT / "notebooks" / "chapters"
PUBLISHED = ROOT / "data" / "published"
SCHEMA = ROOT / "data" / "schema"
HARNESS = ROOT / "data" / "harness.json"
NEEDS = ROOT / "data" / "needs.toml"
TRIAL_SECONDS = ROOT / "data" / "trial_seconds.toml"
THEME = ROOT / "report" / "theme"

# what measuring and rendering leave
RUNS = Path(os.environ.get("KVREPORT_RUNS") or ROOT / "data" / "runs").resolve()
REPORT = ROOT / "report"
DRAFT = REPORT / "draft"

# what `make` makes and nobody keeps: downloads and built class paths, the stores' files while they
# are measured
CACHE = ROOT / ".cache"
CATALOG = CACHE / "catalog.json"
WORK = Path(os.environ.get("KVREPORT_WORK") or ROOT / ".work").resolve()

# the environment in use: .venv, or a conda environment
ENVIRONMENT = Path(sys.prefix)
BIN = ENVIRONMENT / "bin"
JAVA_KERNEL = ENVIRONMENT / "share" / "jupyter" / "kernels" / "java"

QUIET = "KVREPORT_QUIET"  # set: progress is not shown


def shown(path: Path) -> str:
    """A path as a person wants to read it: from the project's root, where it is inside."""
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


def name_files_in_utf8() -> None:
    """Has what is started here take the names of files as UTF-8 where the locale knows ASCII only,
    as Python does by itself: a JVM finds no other name then.
    """
    if codecs.lookup(locale.nl_langinfo(locale.CODESET)).name == "ascii":
        os.environ["LC_ALL"] = "C.UTF-8"


def keep_home_clean():
    """Sends what Jupyter and IPython write to .cache, unless the user has set places of his own."""
    for variable, name in {
        "IPYTHONDIR": "ipython",
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
    }.items():
        folder = CACHE / "jupyter" / name
        folder.mkdir(parents=True, exist_ok=True)
        os.environ.setdefault(variable, str(folder))
