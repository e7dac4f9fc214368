"""What a trial's first case pays that later ones do not. The virtual machine loads before it, and
counts none of that (kv.trial.FirstLoads); whether that is enough shows where other trials have the
same case later.
"""

import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from kvreport.analysis import crosscheck, stats
from kvreport.data.rows import labels, results


@dataclass(frozen=True)
class FirstLoad:
    """How many times as long the first load of a trial took as the fastest that followed it."""

    store: str
    times: float


def first_loads(trials: Iterable[dict]) -> list[FirstLoad]:
    """Of every trial and way of loading that has several recorded."""
    return [
        FirstLoad(trial["store"]["name"], loads[0] / min(loads))
        for trial in trials
        for case in trial["cases"]
        for loads in (case.get("first_loads_ns") or {}).values()
        if len(loads) > 1
    ]


def ratios(trials: Iterable[dict]) -> tuple[stats.Estimate, stats.Estimate]:
    """What loads, and what reads, take in a trial's first case over what the same takes in other
    trials, where its case came later: the geometric means over all results, with a 95% interval.

    An open loop, which is as long as its rate makes it, is left out, and so are trials that did not
    record the order of their cases.
    """
    passes: dict[tuple, dict[bool, list[float]]] = defaultdict(lambda: defaultdict(list))
    for trial in trials:
        of = trial["section"], trial["store"]["id"]
        for case, result in results(trial):
            paced = (result.get("singles") or {}).get("per_second")
            if result["status"] == "ok" and case.get("turn") is not None and not paced:
                loads = bool((result.get("observed") or {}).get("close_ns"))
                key = *of, *labels(case).values(), result["workload"], loads
                time = statistics.median(result["iteration_ns"])
                passes[key][case["turn"] == 0].append(time)
    found: dict[bool, list[float]] = {True: [], False: []}
    for (*_, loads), times in passes.items():
        if times[True] and times[False]:
            first, later = (statistics.median(times[is_first]) for is_first in (True, False))
            found[loads].append(first / later)
    loading, reading = (crosscheck.mean(found[loads]) for loads in (True, False))
    return loading, reading
