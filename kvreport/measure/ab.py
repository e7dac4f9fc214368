"""The comparison of two states of the harness: an A/B run of this checkout and another one.

The same stores run the same case with the scripts of both checkouts, each time in a JVM of its own,
the two in turns and in shuffled order. A ratio whose interval holds 1 and stays within the margin
shows that they are the same; data/harness.json keeps the ratios beside the decision.
"""

import json
import os
import random
import statistics
from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.terminal import Terminal
from kvreport.data.cases import WORKLOADS
from kvreport.data.harness import Side
from kvreport.measure.machine_lock import alone
from kvreport.measure.store_script import ScriptFailed, script_results

STORES = ("FlatFile", "LmdbJavaBb", "RocksDb", "LevelDbJni", "MvStore")
LIMIT_SECONDS = 900
console = Terminal()


def run_ab(other: Path, rounds: int, profile: str, catalogs: tuple[dict, dict]) -> dict:
    """ns an entry by store, workload and Side, a value a round.

    other     the root of the other checkout, set up
    catalogs  what this and the other checkout have built
    """
    sides = dict(zip(Side, catalogs, strict=True))
    turns = [
        (store, side)
        for store in STORES
        if all(store in each["stores"] for each in catalogs)
        for side in sides
    ]
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    with alone():
        for number in range(1, rounds + 1):
            random.Random(number).shuffle(turns)
            for store, side in turns:
                console.print(f"Round {number} of {rounds}: {store}, {side}")
                for workload, ns in _pass(sides[side]["stores"][store], profile).items():
                    values = found.setdefault(store, {}).setdefault(workload, {})
                    values.setdefault(side, []).append(ns)
    return found


def _pass(store: dict, profile: str) -> dict[str, float]:
    """The median pass of each workload, int keys in random order, in ns an entry."""
    entries = 1_000_000 if profile == "standard" else 100_000
    arguments = [*WORKLOADS, "--order", "random", "--entries", entries, "--profile", profile]
    class_path = os.pathsep.join(store["class_path"])  # the other's libraries may be of other locks
    try:
        results = script_results(store, class_path, "2g", arguments, paths.WORK, LIMIT_SECONDS)
    except ScriptFailed as problem:
        raise UserError(f"{store['id']} does not run: {problem}.") from None
    return {
        result["workload"]: statistics.median(result["iteration_ns"]) / result["entries"]
        for result in results
        if result["status"] == "ok"
    }


def catalog_of(root: Path) -> dict:
    """Return what another checkout has built. Raises UserError where it has built nothing."""
    try:
        return json.loads((root / ".cache" / "catalog.json").read_text())
    except (OSError, ValueError):
        raise UserError(
            f"{root} is no checkout that is set up: run `make setup` there first."
        ) from None
