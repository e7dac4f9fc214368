"""The trials of a run, read and laid out as a table. A file that is damaged is an error, or named
where the reader bears with it; none is left out in silence.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kvreport.data.records import ENVIRONMENT, NA, Damaged, read_environment, read_trial
from kvreport.data.rows import ending, labels, results, sizes, speed

if TYPE_CHECKING:
    import pandas as pd

COSTS = ["cpu_user_ns", "cpu_system_ns", "os_read_bytes", "os_written_bytes", "peak_rss_bytes"]
COSTS += ["gc_ms", "gc_count", "open_files", "store_files", "threads"]
SINGLES = ["per_second", "count", "max_ns", "counts"]


@dataclass(frozen=True)
class Run:
    """A run, read whole. `environment` and each of `trials` are the files' content; see
    data/schema. `damaged`: the files that had to be left out, where the reader bears with them.
    """

    name: str
    environment: dict
    trials: list[dict]
    damaged: tuple[Damaged, ...] = ()

    @functools.cached_property
    def frame(self) -> pd.DataFrame:
        """One row a result: what one trial measured of one workload in one case, in the columns of
        the results table, and `ending`, the share of a load's time after its last put.

        What a trial did not get to that failed, or is n/a, has a row too, with its reason.
        """
        import pandas as pd  # slow to import, and not needed to check runs

        from kvreport.data.results_table import COLUMNS

        everything: dict[tuple, dict] = {}
        for trial in self.trials:
            for case, result in results(trial):
                key = _key(trial, case, result["workload"])
                what = {"workload": result["workload"], "user_bytes": result["user_bytes"]}
                everything.setdefault(key, labels(case) | sizes(case) | what)
        rows = [row for trial in self.trials for row in self._rows(trial, everything)]
        return pd.DataFrame(rows, columns=[*COLUMNS, "ending"])

    def _rows(self, trial: dict, everything: dict[tuple, dict]) -> Iterator[dict]:
        left = {key: row for key, row in everything.items() if key[0] == trial["section"]}
        of_trial, of_cases = self._of_trial(trial), {}
        for case in trial["cases"]:
            of_case = of_cases[_key(trial, case)] = _space(case)
            for result in case["results"]:
                row = left.pop(_key(trial, case, result["workload"]))
                yield of_trial | of_case | row | _measured(result)
        not_measured = {
            "status": NA if trial["status"] == NA else "failed",
            "reason": trial["reason"] or "not measured",
            "passes": 0,
            "warmup_passes": 0,
            "iteration_ns": "",
        }
        for key, row in left.items():
            yield of_trial | of_cases.get(key[:-1], {}) | row | not_measured

    def _of_trial(self, trial: dict) -> dict:
        jvm, store = trial["jvm"] or {}, trial["store"]
        return {
            "run": self.name,
            **{name: self.environment[name] for name in ("host", "profile")},
            "jdk": (jvm or self.environment["jdk"])["version"],
            "heap_bytes": jvm.get("heap_bytes"),
            "store": store["id"],
            **{name: store[name] for name in ("name", "family", "library", "version", "engine")},
            **{name: trial[name] for name in ("section", "trial", "position", "mode", "started")},
        }


def _key(trial: dict, case: dict, *workload: str) -> tuple:
    return trial["section"], *labels(case).values(), *workload


def _space(case: dict) -> dict:
    """The size of a case on disk, and its debt after the load."""
    debt = {f"after_load_{name}": value for name, value in (case["settle"] or {}).items()}
    return case["space"] | debt


def _measured(result: dict) -> dict:
    singles = result.get("singles")
    return {
        **{name: result.get(name) for name in ("status", "reason", *COSTS)},
        "passes": len(result["iteration_ns"]),
        "warmup_passes": len(result["warmup_ns"]),
        "iteration_ns": " ".join(map(str, result["iteration_ns"])),
        **{f"singles_{name}": singles.get(name) for name in SINGLES if singles},
        **speed(result),
        "ending": ending(result),
    }


def read_run(folder: Path, section: str | None = None, bearing: bool = False) -> Run:
    """Reads the run, or one section of it, that a folder anywhere holds. Raises UserError for a
    file that is damaged, unless `bearing` with a trial's.
    """
    environment = read_environment(folder / ENVIRONMENT)
    trials: list[dict] = []
    damaged: list[Damaged] = []
    known = _Known(environment)
    for file in sorted(folder.glob(f"{section or '*'}/*.json")):
        try:
            trials.append(known.agreeing(file, read_trial(file)))
        except Damaged as problem:
            if not bearing:
                raise
            damaged.append(problem)
    trials.sort(key=lambda trial: (trial["section"], trial["store"]["id"], trial["trial"]))
    return Run(folder.name, environment, trials, tuple(damaged))


class _Known:
    """What the trials of a run that were read so far agree on."""

    def __init__(self, environment: dict):
        self.environment = environment
        self.entries: dict[tuple, tuple[int, str]] = {}
        self.passes: dict[tuple, str] = {}

    def agreeing(self, file: Path, trial: dict) -> dict:
        """The trial. Raises Damaged where it contradicts its run, or is another under a new
        number.
        """
        for name in ("profile", "seed"):
            if trial[name] != self.environment[name]:
                run = f"{name} {self.environment[name]}"
                raise Damaged(file, f"its {name} is {trial[name]}, and its run has {run}")
        if any(result["iteration_ns"] for _, result in results(trial)):
            same = trial["section"], trial["store"]["id"], json.dumps(trial["cases"])
            if (other := self.passes.setdefault(same, file.name)) != file.name:
                raise Damaged(file, f"it is the trial in {other} under another number")
        for case in trial["cases"]:
            entries, first = self.entries.setdefault(
                _key(trial, case), (case["entries"], file.name)
            )
            if entries != case["entries"]:
                raise Damaged(
                    file, f"{case['entries']:,} entries of a case that has {entries:,} in {first}"
                )
        return trial
