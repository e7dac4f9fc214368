"""Whether two states of the harness measure the same: an A/B run of this checkout and another one.

The same stores run the same case with the scripts of both checkouts, each time in a JVM of its own,
the two in turns and in shuffled order. A ratio whose interval holds 1 and stays within the margin
shows that they are the same; data/harness.json keeps the ratios beside the decision.
"""

import json
import os
import random
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.scratch import scratch
from kvreport.base.terminal import Terminal
from kvreport.base.unpacking import unpacking
from kvreport.data.cases import WORKLOADS
from kvreport.data.harness import Side
from kvreport.measure import jvm
from kvreport.measure.machine_lock import alone
from kvreport.toolchain.jdk import find_jdk, first_error

STORES = ("FlatFile", "LmdbJavaBb", "RocksDb", "LevelDbJni", "MvStore")
LIMIT_SECONDS = 900
Ratio = Callable[[list[float], list[float]], dict]
console = Terminal()


def run(other: Path, rounds: int, profile: str, catalogs: tuple[dict, dict]) -> dict:
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
    with scratch(paths.WORK) as work, unpacking(work) as unpacked:
        command = [
            find_jdk().java,
            *store["runtime_options"],
            *jvm.heap("2g"),
            f"-Djava.io.tmpdir={unpacked}",
            "-cp",
            os.pathsep.join(store["class_path"]),
            store["main"],
            *WORKLOADS,
            "--order",
            "random",
            "--entries",
            "1000000" if profile == "standard" else "100000",
            "--profile",
            profile,
            "--work",
            str(work),
            "--json",
        ]
        try:
            done = jvm.run(command, work, LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            raise UserError(f"{store['id']} took more than {LIMIT_SECONDS} s.") from None
        try:
            results = json.loads(done.stdout)["cases"][0]["results"]
        except (ValueError, LookupError):
            raise UserError(f"{store['id']} does not run: {first_error(done.stderr)}") from None
    return {
        result["workload"]: statistics.median(result["iteration_ns"]) / result["entries"]
        for result in results
        if result["status"] == "ok"
    }


def catalog_of(root: Path) -> dict:
    """What another checkout has built. Raises UserError where it has built nothing."""
    try:
        return json.loads((root / ".cache" / "catalog.json").read_text())
    except (OSError, ValueError):
        raise UserError(
            f"{root} is no checkout that is set up: run `make setup` there first."
        ) from None
