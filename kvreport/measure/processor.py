"""The processor: its name and kind, and its use while a trial ran: how much of its time the
hypervisor gave to other guests, how much other programs used, and its clock.

Sources: psutil, /proc/cpuinfo and, for processors whose maker puts no name there, lscpu.
"""

import json
import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import psutil

from kvreport.measure.linux import facts, number, read

CPUS = Path("/sys/devices/system/cpu")
CPUINFO = Path("/proc/cpuinfo")
TOLD_TWICE = ("guest", "guest_nice")  # are in user and nice, too


def cpu() -> dict:
    """The processor, as in environment.json."""
    known = facts((read(CPUINFO) or "").split("\n\n")[0], ":")
    smt = read(CPUS / "smt/active")
    virtual = "hypervisor" in known["flags"].split() if "flags" in known else None
    return {
        "model": known.get("model name") or _named_by_the_system() or numbered(known),
        "family": number(known.get("cpu family")),
        "model_number": number(known.get("model")),
        "stepping": number(known.get("stepping")),
        "microcode": known.get("microcode"),
        "clock_mhz": clock_mhz(known, bool(virtual)),
        "architecture": platform.machine(),
        "cores": psutil.cpu_count(logical=False),
        "threads": psutil.cpu_count(),
        "usable_threads": (
            len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else psutil.cpu_count()
        ),
        "smt": smt and smt == "1",
        "virtual": virtual,
        "caches": dict(sorted(cache(folder) for folder in (CPUS / "cpu0/cache").glob("index*"))),
    }


def _named_by_the_system() -> str | None:
    """The name of a processor that has none in /proc/cpuinfo, such as Arm's: that of each kind of
    its cores, as lscpu or macOS has it.
    """
    if platform.system() == "Darwin":
        asked = subprocess.run(
            ["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True
        )
        return asked.stdout.strip() or None
    if not shutil.which("lscpu"):
        return None
    asked = subprocess.run(
        ["lscpu", "--json"], capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"}
    )
    return named_by_lscpu(asked.stdout)


def named_by_lscpu(answer: str) -> str | None:
    """The names of the models in the JSON of lscpu, whose older versions do not nest it."""
    names: list[str] = []

    def collect(entries: list[dict]) -> None:
        for entry in entries:
            if entry["field"] == "Model name:" and entry["data"] not in ("", "-"):
                names.append(entry["data"])
            collect(entry.get("children", []))

    collect(json.loads(answer)["lscpu"] if answer.strip() else [])
    return " and ".join(names) or None


def numbered(known: dict[str, str]) -> str | None:
    """The numbers of a processor of Arm's kind that lscpu has no name for; None of any other."""
    fields = ("CPU implementer", "CPU part", "CPU variant", "CPU revision")
    if not known.keys() >= set(fields):
        return None
    return "implementer {} part {} variant {} revision {}".format(*map(known.get, fields))


def clock_mhz(known: dict[str, str], virtual: bool) -> int | None:
    """The highest clock of the first core; of a virtual one the clock that the system tells of,
    which is constant there and wanders elsewhere.
    """
    highest = number(read(CPUS / "cpu0/cpufreq/cpuinfo_max_freq"))
    if highest:
        return highest // 1000
    return round(float(known["cpu MHz"])) if virtual and "cpu MHz" in known else None


def cache(folder: Path) -> tuple[str, str]:
    """A cache's level with its kind, "L1d", and its size, "32K"."""
    kind = {"Data": "d", "Instruction": "i"}.get(read(folder / "type") or "", "")
    return f"L{read(folder / 'level')}{kind}", read(folder / "size") or "unknown"


class Look(NamedTuple):
    """All processors at one moment: seconds since the system started in each of its states, those
    in which this program ran and what it started and saw the end of, and the clock in GHz; None
    where the system does not say.
    """

    states: dict[str, float]
    own: float
    ghz: float | None


def look() -> Look:
    """The processors now."""
    own, clock = psutil.Process().cpu_times(), psutil.cpu_freq()
    states = psutil.cpu_times()._asdict()
    return Look(
        {name: seconds for name, seconds in states.items() if name not in TOLD_TWICE},
        own.user + own.system + own.children_user + own.children_system,
        round(clock.current / 1000, 3) if clock else None,
    )


def between(before: Look, after: Look) -> dict:
    """The fields of a trial's record, from a look before it and one after, when all that it started
    has ended.
    """
    spent = {name: after.states[name] - before.states[name] for name in after.states}
    whole = sum(spent.values())
    idle = sum(spent.get(name, 0) for name in ("idle", "iowait", "steal"))
    elsewhere = whole - idle - (after.own - before.own)
    clocks = [before.ghz, after.ghz]
    return {
        "stolen": _share(spent["steal"], whole) if "steal" in spent else None,
        "busy_elsewhere": _share(elsewhere, whole),
        "clock_ghz": None if None in clocks else clocks,
    }


def _share(part: float, whole: float) -> float | None:
    return round(max(0, part) / whole, 5) if whole > 0 else None
