"""The calls that vendors have for a database that does not open: scripts in jbang/recoveries, each
named after the script of its store.
"""

from kvreport.base.errors import UserError
from kvreport.base.paths import JBANG_RECOVERIES, shown
from kvreport.data.scripts import sources
from kvreport.toolchain import fingerprint, stores

SUFFIX = "Recovery"


def add(known: dict) -> None:
    """Adds to each store of a catalogue that has such a call its `recovery`: the script's `name`,
    `class_path` and `code`, the hash of its tokens. Raises UserError where one does not build.
    """
    scripts = {
        script.stem.removesuffix(SUFFIX): script
        for script in sorted(JBANG_RECOVERIES.glob(f"*{SUFFIX}.java"))
    }
    of_stores = {id: script for id, script in scripts.items() if id in known["stores"]}
    built = stores.build(list(of_stores.values()))
    for id, script in of_stores.items():
        result = built[script.stem]
        if result.failed:
            raise UserError(f"{shown(script)} does not build:\n{result.failed}")
        known["stores"][id]["recovery"] = {
            "name": script.stem,
            "class_path": result.class_path,
            "code": fingerprint.store(sources(script)),
        }
