"""What a trial's record has, as the fields of a table's row."""

import math
import statistics
from collections.abc import Iterator

from kvreport.data.cases import Case

SIZES = ["entries", "key_bytes", "flat_bytes"]


def results(trial: dict) -> Iterator[tuple[dict, dict]]:
    """Each result of a trial with the case it belongs to."""
    return ((case, result) for case in trial["cases"] for result in case["results"])


def labels(case: dict) -> dict:
    settings = ", ".join(f"{name}={value}" for name, value in case["settings"].items())
    return Case(
        case["keys"], case["order"], case["value_bytes"], settings, case.get("content", "random")
    )._asdict()


def sizes(case: dict) -> dict:
    return {name: case[name] for name in SIZES}


def speed(result: dict) -> dict:
    """The median pass in the units of the charts; nothing unless the result is ok."""
    if result["status"] != "ok":
        return {}
    ns = statistics.median(result["iteration_ns"])
    return {
        "ms": ns / 1e6,
        "ns_per_entry": ns / result["entries"],
        "gb_per_s": result["user_bytes"] / ns,
        "entries_per_s": result["entries"] / ns * 1e9,
    }


def ending(result: dict) -> float:
    """The share of a load's time after its last put: the last commit, in one thread, and the
    closing; of the median pass. NaN where these were not timed.
    """
    observed = result.get("observed") or {}
    closes = observed.get("close_ns") or []
    commits = observed.get("commit_ns") or [0] * len(closes)
    if not closes or not len(closes) == len(commits) == len(result["iteration_ns"]):
        return math.nan
    return statistics.median(
        min(1.0, (commit + close) / whole)
        for commit, close, whole in zip(commits, closes, result["iteration_ns"])
    )
