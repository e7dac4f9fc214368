"""Recorded runs: found, validated against data/schema, and laid out as tables.

A run is a folder data/runs/<date>-<host> with environment.json and, for each section, one JSON file
a trial. It holds what one machine measured at one profile. Nothing here measures; a file that is
damaged is an error, never left out in silence.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import Unreadable, kind_of, read_text
from kvreport.base.paths import shown
from kvreport.base.text import one_line
from kvreport.data.cases import Case
from kvreport.data.records import ENVIRONMENT, NA, Damaged, Newer, read_environment, read_trial
from kvreport.data.rows import SIZES, ending, labels, results, sizes, speed

if TYPE_CHECKING:
    import pandas as pd

REFERENCE = "reference.txt"
RESTORE = "restore it with `git checkout data/runs`"
# a JVM's flag: how many bytes the process could have, where that was limited
MEMORY = "-Dkvreport.memory="
REPORTED_PROFILES = "quick", "standard", "full"
SKIPPED = "section {} was skipped: {}"  # a warning of a run
STORE = ["id", "name", "family", "colour"]
COSTS = [
    "cpu_user_ns",
    "cpu_system_ns",
    "os_read_bytes",
    "os_written_bytes",
    "peak_rss_bytes",
    "gc_ms",
    "gc_count",
    "open_files",
    "store_files",
    "threads",
]
HEAD = ["run", "section", "store", *STORE[1:], "trial", "position", "mode"]
RESULT = [*HEAD, "heap_bytes", *Case._fields, "workload", "status", "reason", *SIZES, "user_bytes"]
RESULT += ["warmup_ns", "iteration_ns", "ms", "ns_per_entry", "gb_per_s", "entries_per_s"]
RESULT += ["ending", *COSTS, "singles"]

BLOCKS = ["aged_bytes", "open_bytes", "closed_bytes"]
DEBT = [
    "quiet_seconds",
    "close_seconds",
    "cpu_user_ns",
    "cpu_system_ns",
    "os_read_bytes",
    "os_written_bytes",
]


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
        """One row a result: what one trial measured of one workload in one case.

        run, section, store (its id), name, family, colour, trial, position, mode; keys, order,
        value_bytes, settings ("sync=on, writeMap=off"; "" for none), content, workload; status,
        reason; entries, key_bytes, flat_bytes, user_bytes (a pass); warmup_ns, iteration_ns (lists,
        a pass each); ms, ns_per_entry, gb_per_s (10^9 bytes), entries_per_s, all of the median
        pass; ending, the share of a load's time after its last put; the costs as recorded, which
        are summed over the measured passes; heap_bytes, of the JVM, all of which is resident from
        the start; singles, the histogram of single operations, or None.
        Numbers are missing unless status is "ok".

        What a trial did not get to that failed, or is n/a, has a row too, with its reason.
        """
        import pandas as pd  # slow to import, and not needed to find and check runs

        matrix: dict[tuple, dict] = {}
        for trial in self.trials:
            for case in trial["cases"]:
                where = trial["section"], *labels(case).values()
                for result in case["results"]:
                    if (of := (*where, result["workload"])) not in matrix:
                        matrix[of] = sizes(case) | {"user_bytes": result["user_bytes"]}
        rows = [row for trial in self.trials for row in self._rows(trial, matrix)]
        return pd.DataFrame(rows, columns=RESULT)

    def _rows(self, trial: dict, matrix: dict) -> Iterator[dict]:
        head = self._head(trial) | {"heap_bytes": (trial["jvm"] or {}).get("heap_bytes")}
        reached = set()
        for case in trial["cases"]:
            named = labels(case)
            of_case = head | named | sizes(case)
            where = trial["section"], *named.values()
            for result in case["results"]:
                reached.add((*where, result["workload"]))
                yield (
                    of_case
                    | {name: result[name] for name in ("workload", "status", "reason")}
                    | {name: result[name] for name in ("user_bytes", "warmup_ns", "iteration_ns")}
                    | speed(result)
                    | {"ending": ending(result)}
                    | {name: result.get(name) for name in (*COSTS, "singles")}
                )
        for key, size in matrix.items():
            if key[0] == trial["section"] and key not in reached:
                yield (
                    head
                    | dict(zip((*Case._fields, "workload"), key[1:]))
                    | size
                    | {
                        "status": NA if trial["status"] == NA else "failed",
                        "reason": trial["reason"] or "not measured",
                        "warmup_ns": [],
                        "iteration_ns": [],
                    }
                )

    @functools.cached_property
    def space(self) -> pd.DataFrame:
        """One row a case of a trial: the columns that identify it, its sizes, open_bytes and
        closed_bytes (allocated disk blocks after the load, database open and closed; aged_bytes:
        closed after it was overwritten) and its debt after the load: quiet_seconds, close_seconds,
        cpu_user_ns, cpu_system_ns, os_read_bytes, os_written_bytes. Missing when the load failed.
        """
        import pandas as pd

        rows = [
            self._head(trial)
            | labels(case)
            | sizes(case)
            | {"aged_bytes": None}
            | case["space"]
            | (case["settle"] or {})
            for trial in self.trials
            for case in trial["cases"]
        ]
        return pd.DataFrame(rows, columns=[*HEAD, *Case._fields, *SIZES, *BLOCKS, *DEBT])

    def _head(self, trial: dict) -> dict:
        store = {"store" if name == "id" else name: trial["store"][name] for name in STORE}
        return (
            {"run": self.name, "section": trial["section"]}
            | store
            | {name: trial[name] for name in ("trial", "position", "mode")}
        )


def runs() -> dict[str, dict]:
    """Every run's environment by the run's name, oldest first; those that a newer version made are
    left out, and `newer` has them. Raises UserError for one that is damaged or lost, and for what
    stands where a run or a section of it should.
    """
    return _read_all()[0]


def newer() -> list[Newer]:
    """What to say of the runs that a newer version made. Raises UserError as `runs`."""
    return _read_all()[1]


def _read_all() -> tuple[dict[str, dict], list[Newer]]:
    found, unknown = [], []
    for folder in _folders(paths.RUNS):
        if os.path.lexists(folder / ENVIRONMENT) or any(folder.glob("*/*.json")):
            try:
                found.append(read_environment(folder / ENVIRONMENT))
            except Newer as problem:
                unknown.append(problem)
            _folders(folder)
    known = sorted(found, key=lambda environment: (environment["started"], environment["run"]))
    return {environment["run"]: environment for environment in known}, unknown


def _folders(place: Path) -> list[Path]:
    """The folders in another. Raises UserError for what is none and no file; whoever reads a record
    or a list says that of it.
    """
    found = []
    for each in sorted(place.glob("*")):
        if each.is_dir():
            found.append(each)
        elif each.suffix not in (".json", ".txt") and (kind := kind_of(each)):
            raise UserError(
                f"{shown(each)} is {kind}, and neither run nor record: move it away, or {RESTORE}."
            )
    return found


def selected_run() -> str:
    """The run to report on: the first that KVREPORT_RUN names, else the newest that holds
    a trial.
    """
    known = runs()
    for name in named_runs():
        return existing(name, known)
    for name in reversed(known):
        if any(paths.RUNS.glob(f"{name}/*/*.json")):
            return name
    for problem in newer():
        raise problem
    raise UserError(
        "Nothing is measured yet: `make report` measures, or `make section S=04` one section."
    )


def named_runs() -> list[str]:
    """The runs that KVREPORT_RUN names, with commas between them."""
    return _names(os.environ.get("KVREPORT_RUN", ""))


def reference_runs() -> list[str]:
    """The runs that came with the project, of several machines, in the order in which the report
    takes its sections from them.
    """
    file = paths.RUNS / REFERENCE
    if not os.path.lexists(file):
        return []
    try:
        listed = _names(read_text(file).replace("\n", ","))
    except Unreadable as problem:
        raise UserError(f"{shown(file)} cannot be read ({problem}): {RESTORE}.") from None
    if not listed:
        raise UserError(f"{shown(file)} names no run: {RESTORE}.")
    twice = [name for at, name in enumerate(listed) if name in listed[:at]]
    if twice:
        raise UserError(f"{shown(file)} names {one_line(twice[0])} twice: take one out.")
    known, unknown = _read_all()
    left_out = {problem.file.parent.name for problem in unknown}
    for name in listed:
        if name not in known and name not in left_out:
            raise UserError(
                f"{shown(file)} names the run {one_line(name)}, and there is none of that name:"
                f" {RESTORE}, or take the name out."
            )
    return [name for name in listed if name in known]


def _names(listed: str) -> list[str]:
    return [name for each in listed.split(",") if (name := each.strip())]


def shown_runs(selected: str) -> list[str]:
    """The runs that a report on a run draws on; each section is shown of the first that has it.

    Those that KVREPORT_RUN names; as long as there is no run but those that came with the project,
    these. Else the run and older ones of its machine, those of its profile before the others, and
    none at profile smoke, which only tests that things work; then those that came with the project,
    for what was never measured on this machine.
    """
    known = runs()
    if named := named_runs():
        return [existing(name, known) for name in named]
    shipped = reference_runs()
    if selected in shipped:
        return shipped
    environment = known[selected]
    older = [
        name
        for name, each in known.items()
        if name != selected
        and machine(each) == machine(environment)
        and each["started"] <= environment["started"]
        and each["profile"] in (environment["profile"], *REPORTED_PROFILES)
    ]
    own = [
        selected,
        *sorted(reversed(older), key=lambda name: known[name]["profile"] != environment["profile"]),
    ]
    return [*own, *(name for name in shipped if name not in own)]


def stands_in(name: str) -> bool:
    """Whether a run came with the project and is shown only for what was not measured on the
    machine that the report is about.
    """
    selected = selected_run()
    shipped = reference_runs()
    if named_runs() or selected in shipped or name not in shipped:
        return False
    known = runs()
    return machine(known[name]) != machine(known[selected])


def machine(environment: dict) -> tuple:
    """What runs have in common that are of one machine: a label alone does not make one."""
    return tuple(identity(environment).values())


def identity(environment: dict) -> dict:
    """What tells a run's machine from others, by name. One whose processor has no name may be any:
    no other run is known to be of it.
    """
    known = {"host": environment["host"]} | processor(environment["cpu"])
    return known if known["model"] else known | {"processor of run": environment["run"]}


def processor(cpu: dict) -> dict:
    """What tells processors apart, by name: two that differ in any of it are two machines, though
    their model's name is one. None for what a run did not record.
    """
    clock = cpu.get("clock_mhz")
    return {
        "model": cpu["model"],
        "family": cpu.get("family"),
        "model number": cpu.get("model_number"),
        "stepping": cpu.get("stepping"),
        "microcode": cpu.get("microcode"),
        "caches": ", ".join(f"{level} {size}" for level, size in sorted(cpu["caches"].items())),
        "cores": cpu["cores"],
        # to 0.1 GHz: what a virtual machine is told is measured, and differs a little each time
        "clock": clock and f"{clock / 1000:.1f} GHz",
    }


def comparison_group(environment: dict) -> tuple:
    """Its machine and its profile: figures of one group are comparable."""
    return *machine(environment), environment["profile"]


def run_of(section: str) -> str:
    """The run whose results of a section are shown."""
    selected = selected_run()
    return next(
        (name for name in shown_runs(selected) if any(paths.RUNS.glob(f"{name}/{section}/*.json"))),
        selected,
    )


def shown_sections() -> dict[str, str]:
    """The sections that the report shows, in order, each with the run that its results are from."""
    found: dict[str, str] = {}
    for name in shown_runs(selected_run()):
        for file in paths.RUNS.glob(f"{name}/*/*.json"):
            found.setdefault(file.parent.name, name)
    return dict(sorted(found.items()))


def in_full(section: str) -> list[str]:
    """The runs of one machine that have a section at the sources' own size, of those that the
    report draws on; none where one of them is the one shown.
    """
    known = runs()
    found = [
        name
        for name in shown_runs(selected_run())
        if known[name]["profile"] == "full" and any(paths.RUNS.glob(f"{name}/{section}/*.json"))
    ]
    return (
        []
        if run_of(section) in found
        else [
            name
            for name in found
            if comparison_group(known[name]) == comparison_group(known[found[0]])
        ]
    )


def shown_environments() -> list[dict]:
    """The environments of the runs that the report shows something of, in the order of its
    sections.
    """
    known = runs()
    return [known[name] for name in dict.fromkeys(shown_sections().values())]


def existing(name: str, known: dict) -> str:
    """The name of a run that is known. Raises UserError; Newer for one of a newer version."""
    if name not in known:
        if os.path.lexists(paths.RUNS / name / ENVIRONMENT):
            read_environment(paths.RUNS / name / ENVIRONMENT)
        raise UserError(
            f"There is no run {name} in {shown(paths.RUNS)}; there are"
            f" {', '.join(known) or 'none'}."
        )
    return name


def load(name: str | None = None, section: str | None = None, bearing: bool = False) -> Run:
    """Reads a run, or one section of it; without a name, the selected one. Raises UserError for a
    file that is damaged, unless `bearing` with a trial's: the run then names it.
    """
    folder = paths.RUNS / (existing(name, runs()) if name else selected_run())
    return read_run(folder, section, bearing)


def damaged_files() -> list[Damaged]:
    """The files that the report shown had to leave out: trials', and of runs that a newer version
    made their environments.
    """
    with contextlib.suppress(UserError):
        sections = dict.fromkeys(shown_sections().values())
        return [
            *newer(),
            *(each for name in sections for each in load(name, bearing=True).damaged),
        ]
    return []


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
    trials.sort(key=lambda t: (t["section"], t["store"]["id"], t["trial"]))
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
        times = [result["iteration_ns"] for _, result in results(trial)]
        if any(times):
            same = trial["section"], trial["store"]["id"], json.dumps(trial["cases"])
            if (other := self.passes.setdefault(same, file.name)) != file.name:
                raise Damaged(file, f"it is the trial in {other} under another number")
        for case in trial["cases"]:
            key = trial["section"], *labels(case).values()
            entries, first = self.entries.setdefault(key, (case["entries"], file.name))
            if entries != case["entries"]:
                raise Damaged(
                    file, f"{case['entries']:,} entries of a case that has {entries:,} in {first}"
                )
        return trial
