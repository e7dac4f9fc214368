"""Editions: what a run, the report, or a published version holds, in one form that can be exported
and compared.

An edition is a tidy table, one row a result, and a description of what was measured: machine, JDK,
stores, settings.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from kvreport.data import runs
from kvreport.data.results_table import KEY, NEEDED
from kvreport.data.trials import Run

PROCESSOR = "processor"  # begins the names of what a machine's description says of it


@dataclass(frozen=True)
class Edition:
    """
    name   of the version or the run
    rows   one row a result of a trial; results_table has every column's type, unit and meaning
    about  host, profile, jdk, jvm (lists of the values there are); started (UTC); machine (by name,
           of the newest run); sections: by id run,
           first and last day, trials and code (SHA-256 by store); stores: by id name, family,
           colour, library, version, engine, options (values by name). All are JSON.
    """

    name: str
    rows: pd.DataFrame
    about: dict


def shown_edition() -> Edition:
    """The edition that the report shows: of each section the run that its chapter draws on. Raises
    UserError where nothing is measured.
    """
    sections = runs.shown_sections()
    whole = {name: runs.load(name) for name in dict.fromkeys(sections.values())}
    name = runs.selected_run()
    return edition_of(
        name,
        [
            Run(
                name,
                run.environment,
                [trial for trial in run.trials if sections[trial["section"]] == name],
            )
            for name, run in whole.items()
        ],
    )


def edition_of(name: str, parts: Iterable[Run]) -> Edition:
    """The edition of some runs."""
    parts = sorted(
        (part for part in parts if part.trials),
        key=lambda run: run.environment["started"],
        reverse=True,
    )
    measured = [part.frame for part in parts if len(part.frame)]
    rows = pd.concat(measured) if measured else pd.DataFrame(columns=NEEDED)
    return Edition(name, rows.sort_values([*KEY, "trial"]).reset_index(drop=True), describe(parts))


def describe(parts: list[Run]) -> dict:
    """Return what some runs, the newest first, were measured with."""
    trials = [trial for part in parts for trial in part.trials]
    environments = [part.environment for part in parts]
    machines = [trial["jvm"] for trial in trials if trial["jvm"]]
    sections = {
        section: [trial for trial in trials if trial["section"] == section]
        for section in sorted({trial["section"] for trial in trials})
    }
    of_section = {trial["section"]: part.name for part in parts for trial in part.trials}
    return {
        **{
            what: _distinct(environment[what] for environment in environments)
            for what in ("host", "profile")
        },
        "jdk": _distinct(
            f"{environment['jdk']['version']} ({environment['jdk']['name']})"
            for environment in environments
        ),
        "jvm": _distinct(
            f"{each['vm']} {each['version']} ({each['vendor']}), heap {each['heap_bytes'] >> 20}"
            f" MiB, {', '.join(each['gc'])}"
            for each in machines
        ),
        "started": min((trial["started"] for trial in trials), default=""),
        "machine": machine_of(environments[0]) if environments else {},
        "sections": {
            section: {
                "run": of_section[section],
                "measured": [min(days), max(days)],
                "trials": len(own),
                "code": {trial["store"]["id"]: measured_by(trial) for trial in own},
            }
            for section, own in sections.items()
            for days in [[trial["started"][:10] for trial in own]]
        },
        "stores": {
            trial["store"]["id"]: (
                {
                    name: trial["store"][name]
                    for name in ("name", "family", "colour", "library", "version", "engine")
                }
                | {
                    "options": {
                        option["name"]: option["value"] for option in trial["store"]["options"]
                    }
                }
            )
            for trial in sorted(
                trials, key=lambda t: (t["store"]["id"], t["status"] == "ok", t["started"])
            )
        },
    }


def measured_by(trial: dict) -> str:
    """Return what measured a trial: the number of the harness, and the hash of the
    store's script.
    """
    return f"{trial['harness']} {trial['store']['code']}"


def machine_of(environment: dict) -> dict[str, str]:
    """Return what of a run's environment can change its figures, by name."""
    disk, cpu = environment["filesystem"], environment["cpu"]
    name = cpu["model"] or f"one without a name, of run {environment['run']}"
    known = {what: value for what, value in runs.processor(cpu).items() if value is not None}
    return {
        PROCESSOR: f"{name}, {cpu['usable_threads']} of {cpu['threads']} threads",
        **{f"{PROCESSOR}, {what}": str(value) for what, value in known.items() if what != "model"},
        "memory": f"{environment['memory_bytes'] / 1e9:.1f} GB",
        "system": f"{environment['os']}, {environment['kernel']}",
        "file system": f"{disk['type']} on {disk['device']} ({disk['options']})",
        "huge pages": str(environment["thp"]),
        "CPU governor": str(environment["governor"]),
        "turbo": str(environment["turbo"]),
        "limit on open files": str(environment["limits"]["open_files"]),
        "harness": str(environment["harness"] or "unknown"),
    }


def days(section: dict) -> str:
    """When a section was measured: one day, or the first and the last."""
    return " to ".join(dict.fromkeys(section["measured"]))


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
