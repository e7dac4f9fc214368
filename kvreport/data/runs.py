"""The recorded runs, and which of them the report shows.

A run is a folder data/runs/<date>-<host> with environment.json and, for each section, one JSON file
a trial (data.trials). It holds what one machine measured at one profile. Nothing here measures.
"""

import contextlib
import os

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import Unreadable, damaged, read_text
from kvreport.base.paths import shown
from kvreport.base.text import one_line
from kvreport.data.records import ENVIRONMENT, Damaged, Newer, read_environment
from kvreport.data.trials import Run, read_run

REFERENCE = "reference.txt"
# a JVM's flag: how many bytes the process could have, where that was limited
MEMORY = "-Dkvreport.memory="
REPORTED_PROFILES = "quick", "standard", "full"
SKIPPED = "section {} was skipped: {}"  # a warning of a run


def runs() -> dict[str, dict]:
    """Every run's environment by the run's name, oldest first; those that a newer version made are
    left out, and `newer` has them. Raises UserError for one that is damaged or lost.
    """
    return _read_all()[0]


def newer() -> list[Newer]:
    """The runs that a newer version made, each with what to do. Raises UserError as `runs`."""
    return _read_all()[1]


def _read_all() -> tuple[dict[str, dict], list[Newer]]:
    found, unknown = [], []
    for folder in sorted(paths.RUNS.glob("*/")):
        if os.path.lexists(folder / ENVIRONMENT) or _has_trials(folder.name):
            try:
                found.append(read_environment(folder / ENVIRONMENT))
            except Newer as problem:
                unknown.append(problem)
    known = sorted(found, key=lambda environment: (environment["started"], environment["run"]))
    return {environment["run"]: environment for environment in known}, unknown


def _has_trials(run: str, section: str = "*") -> bool:
    return any(paths.RUNS.glob(f"{run}/{section}/*.json"))


def selected_run() -> str:
    """The run to report on: the first that KVREPORT_RUN names, else the newest that holds
    a trial.
    """
    known = runs()
    for name in named_runs():
        return existing(name, known)
    for name in reversed(known):
        if _has_trials(name):
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
        raise damaged(file, problem) from None
    known, unknown = _read_all()
    left_out = {problem.file.parent.name for problem in unknown}
    for name in listed:
        if name not in {*known, *left_out}:
            raise UserError(
                f"{shown(file)} names the run {one_line(name)}, and there is none of that name:"
                f" restore it with `git checkout {shown(paths.RUNS)}`, or take the name out."
            )
    return [name for name in listed if name in known]


def _names(listed: str) -> list[str]:
    return list(dict.fromkeys(name for each in listed.split(",") if (name := each.strip())))


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
    """Return whether a run came with the project and is shown only for what was not measured on the
    machine that the report is about.
    """
    selected = selected_run()
    shipped = reference_runs()
    if named_runs() or selected in shipped or name not in shipped:
        return False
    known = runs()
    return machine(known[name]) != machine(known[selected])


def machine(environment: dict) -> tuple:
    """Return what runs have in common that are of one machine: a label alone does not make one."""
    return tuple(identity(environment).values())


def identity(environment: dict) -> dict:
    """Return what tells a run's machine from others, by name. One whose processor has no name may
    be any: no other run is known to be of it.
    """
    known = {"host": environment["host"]} | processor(environment["cpu"])
    return known if known["model"] else known | {"processor of run": environment["run"]}


def processor(cpu: dict) -> dict:
    """Return what tells processors apart, by name: two that differ in any of it are two machines,
    though their model's name is one. None for what a run did not record.
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
    return shown_sections().get(section) or selected_run()


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
        if known[name]["profile"] == "full" and _has_trials(name, section)
    ]
    if run_of(section) in found:
        return []
    first = [comparison_group(known[name]) for name in found[:1]]
    return [name for name in found if comparison_group(known[name]) in first]


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
