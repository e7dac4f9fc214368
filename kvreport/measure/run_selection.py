"""Which run a launch belongs to.

A run belongs to one host, profile, seed, harness, JDK and file system; when one of them changes, a
new run begins. A trial also belongs to its store's script and to what its notebook measures; when
those change, that trial alone is made again.
"""

import os
import platform
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.data import harness, runs
from kvreport.measure import environment
from kvreport.toolchain.jdk import find_jdk

NAME = re.compile(r"\w[\w.-]*")
BY_HAND = "by-hand"  # the folder beside the runs of what a reader measures in JupyterLab


def conditions_now(host: str | None, profile: str, known: dict) -> dict:
    """Return what all trials of a run have in common, as in environment.json. Raises UserError."""
    label = host or os.environ.get("KVREPORT_HOST") or platform.node()
    label = re.sub(r"[^A-Za-z0-9]+", "-", label).strip("-").lower()
    jdk = find_jdk()
    return {
        "host": label or "host",
        "profile": profile,
        "seed": known["seed"],
        "harness": harness.current(known["workloads"]),
        "jdk": {"version": jdk.version, "name": jdk.name},
        "filesystem": environment.filesystem(paths.WORK),
    }


def refuse_other_machine(host: str, cpu: dict) -> None:
    """Raises UserError where runs of that label were measured on another processor, as far as they
    recorded what it was.

    The report would show them as one machine's.
    """
    for name, recorded in runs.runs().items():
        if recorded["host"] == host and (other := differing(recorded, cpu)):
            raise UserError(
                f"Run {name} of host {host} was measured on a processor with {other}: call this"
                " machine otherwise with --host or KVREPORT_HOST."
            )


def on_this_machine(run: str | None, file_of: Callable[[str], Path]) -> str:
    """The run in which something more of this machine is kept: one that is named, or of those that
    were measured here the newest that has the file of it already, or else the newest. Raises
    UserError where it is another machine's, or there is none.
    """
    known, cpu = runs.runs(), environment.cpu()
    if run is not None:
        if other := differing(known[runs.existing(run, known)], cpu):
            raise UserError(
                f"Run {run} was measured on a processor with {other}: a run is of one machine."
            )
        return run
    if not cpu["model"]:
        raise UserError(
            "This machine's processor has no name by which its runs could be told from those of"
            " others: name the run with --run."
        )
    here = runs.processor(cpu)
    own = [name for name in reversed(known) if runs.processor(known[name]["cpu"]) == here]
    if not own:
        raise UserError(
            "Nothing was measured on this machine yet: `make section S=04` begins a run of it."
        )
    return next((name for name in own if file_of(name).exists()), own[0])


def differing(recorded: dict, cpu: dict) -> str | None:
    """In what a run's processor differs from this one, in words, as far as the run says what it
    was; None where in nothing. One without a name is no other's that has one.
    """
    here, then = _described(cpu), _described(recorded["cpu"])
    for what, was in then.items():
        if was != here[what] and (was is not None or what == "model"):
            return f"{what} {was or 'unknown'}, and here it is {here[what] or 'unknown'}"
    return None


def _described(cpu: dict) -> dict:
    return runs.processor(cpu) | {"architecture": cpu["architecture"]}


def fitting(conditions: dict) -> list[str]:
    """The runs that a launch under these conditions may go on with, newest first."""
    return [
        name
        for name, recorded in reversed(runs.runs().items())
        if all(recorded[what] == conditions[what] for what in conditions)
    ]


def named(wanted: str, conditions: dict) -> str:
    """A run that the user names, old or new. Raises UserError when it was measured otherwise."""
    known = runs.runs()
    if wanted in known:
        different = [what for what in conditions if known[wanted][what] != conditions[what]]
        if different:
            raise UserError(
                f"Run {wanted} has another {different[0]} than this launch would have, and a run "
                "has one of each: give another name with --run."
            )
    if not NAME.fullmatch(wanted):
        raise UserError(
            f"A run's name has letters, digits, '-', '_' and '.' only, and {wanted!r} has others."
        )
    if wanted == BY_HAND or (paths.RUNS / wanted).is_file():
        raise UserError(f"{wanted} cannot be a run's name: it is something else's.")
    return wanted


def fresh(conditions: dict) -> str:
    """The name of a new run: the day and the host, with a number where that is taken."""
    name = today = f"{datetime.now():%Y-%m-%d}-{conditions['host']}"
    count = 1
    while (paths.RUNS / name).exists():
        count += 1
        name = f"{today}.{count}"
    return name


def run_of(section: str, conditions: dict) -> str | None:
    """The newest fitting run that has the section, else the newest that fits, else None."""
    names = fitting(conditions)
    having = [name for name in names if any((paths.RUNS / name / section).glob("*.json"))]
    return next(iter(having + names), None)
