"""A store's script, run in a JVM of its own for what is measured outside all trials."""

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

from kvreport.base.scratch import scratch
from kvreport.base.unpacking import unpacking
from kvreport.measure import jvm
from kvreport.toolchain.jdk import find_jdk, first_error


class ScriptFailed(Exception):
    """Why a script measured nothing: a clause."""


def script_command(
    store: dict,
    class_path: str,
    flags: Iterable[str],
    arguments: Iterable[object],
    work: Path,
    unpacked: Path,
) -> list[str]:
    """The command line of a store's script with those flags of the JVM and those arguments; its
    files go into `work`, and what libraries unpack into `unpacked`.
    """
    return [
        str(find_jdk().java),
        *store["runtime_options"],
        *flags,
        f"-Djava.io.tmpdir={unpacked}",
        "-cp",
        class_path,
        store["main"],
        *map(str, arguments),
        "--work",
        str(work),
    ]


def script_results(
    store: dict,
    class_path: str,
    heap: str,
    arguments: Iterable[object],
    folder: Path,
    limit_seconds: float,
) -> list[dict]:
    """The results of the one case that a script measures, in a new folder within `folder`. Raises
    ScriptFailed.
    """
    with scratch(folder) as work, unpacking(work) as unpacked:
        arguments = [*arguments, "--json"]
        flags = jvm.heap(heap)
        command = script_command(store, class_path, flags, arguments, work, unpacked)
        try:
            done = jvm.run_java(command, work, limit_seconds)
            return json.loads(done.stdout)["cases"][0]["results"]
        except subprocess.TimeoutExpired:
            raise ScriptFailed(f"it took more than {limit_seconds} s") from None
        except (ValueError, LookupError):
            raise ScriptFailed(first_error(done.stderr)) from None
