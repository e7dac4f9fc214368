"""What a longer trial would buy: how passes scatter within a trial, and trials among themselves."""

from collections import defaultdict
from collections.abc import Iterable
from math import log
from statistics import median, stdev
from typing import NamedTuple

from kvreport.data.rows import labels, results

LEAST = 3  # trials of a result, and passes of each, to say how they scatter


class Scatter(NamedTuple):
    """Standard deviations of log time, each the median over some results.

    within   of the passes of a trial
    medians  of trials, each the median of its passes;  firsts: each its first pass alone
    results  how many these are of
    """

    within: float
    medians: float
    firsts: float
    results: int


def of_passes(trials: Iterable[dict]) -> Scatter | None:
    """The scatter of a section's results of several passes in several trials (records, of one
    machine and profile); None where there are none.
    """
    found: dict[tuple, list[list[float]]] = defaultdict(list)
    for trial in trials:
        for case, result in results(trial):
            if result["status"] == "ok" and len(result["iteration_ns"]) >= LEAST:
                key = (trial["store"]["id"], *labels(case).values(), result["workload"])
                found[key].append([log(ns) for ns in result["iteration_ns"]])
    several = [passes for passes in found.values() if len(passes) >= LEAST]
    if not several:
        return None
    return Scatter(
        median(median(map(stdev, passes)) for passes in several),
        median(stdev(map(median, passes)) for passes in several),
        median(stdev(each[0] for each in passes) for passes in several),
        len(several),
    )
