"""The processor: what it is, and what it did while a trial ran: how much of its time the hypervisor
gave to other guests, how much other programs used, and its clock.

Sources: /proc/cpuinfo and /proc/stat as proc(5) documents them, and Arm's MIDR_EL1, whose numbers
have the names that util-linux's lscpu gives them.
"""

import os
import platform
import re
import resource
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path

import psutil

from kvreport.measure.linux import facts, number, read

CPUS = Path("/sys/devices/system/cpu")
STAT, CPUINFO = Path("/proc/stat"), Path("/proc/cpuinfo")
IDLE, WAITING, STEAL, COUNTED = 3, 4, 7, 8  # of the line "cpu": fields, and how many are no sums
CLOCK = re.compile(r"^cpu MHz\s*:\s*([0-9.]+)", re.M)
TICK_SECONDS = 1 / os.sysconf("SC_CLK_TCK")
IMPLEMENTERS = {
    0x41: "ARM",
    0x42: "Broadcom",
    0x43: "Cavium",
    0x46: "Fujitsu",
    0x48: "HiSilicon",
    0x4E: "Nvidia",
    0x50: "APM",
    0x51: "Qualcomm",
    0x53: "Samsung",
    0x56: "Marvell",
    0x61: "Apple",
    0x6D: "Microsoft",
    0x70: "Phytium",
    0xC0: "Ampere",
}
PARTS = {  # those of servers and small boards
    (0x41, 0xD03): "Cortex-A53",
    (0x41, 0xD08): "Cortex-A72",
    (0x41, 0xD0B): "Cortex-A76",
    (0x41, 0xD0C): "Neoverse-N1",
    (0x41, 0xD40): "Neoverse-V1",
    (0x41, 0xD49): "Neoverse-N2",
    (0x41, 0xD4F): "Neoverse-V2",
    (0x46, 0x001): "A64FX",
    (0x48, 0xD01): "TaiShan-v110",
}


def cpu() -> dict:
    """What the processor is, as in environment.json."""
    text = read(CPUINFO)
    known = facts((text or "").split("\n\n")[0], ":")
    smt = read(CPUS / "smt/active")
    virtual = "hypervisor" in known["flags"].split() if "flags" in known else None
    return {
        "model": model(text or "") or brand(),
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


def model(cpuinfo: str) -> str | None:
    """The name of the processor that /proc/cpuinfo describes: its maker's or, of one of Arm's kind,
    who made it, which part it is and its revision, of each kind of core; None where it has none.
    """
    blocks = [facts(block, ":") for block in cpuinfo.split("\n\n")]
    names = dict.fromkeys(filter(None, map(_model, blocks)))
    return " and ".join(names) or None


def _model(core: dict[str, str]) -> str | None:
    try:
        maker, part, variant = (
            int(core[f"CPU {each}"], 0) for each in ("implementer", "part", "variant")
        )
        of = IMPLEMENTERS.get(maker, f"implementer {maker:#x}")
        name = PARTS.get((maker, part), f"part {part:#x}")
        return f"{of} {name} r{variant}p{core['CPU revision']}"
    except (KeyError, ValueError):
        return core.get("model name") or core.get("cpu") or core.get("uarch")  # x86, POWER, RISC-V


def brand() -> str | None:
    """The processor's name where there is no /proc/cpuinfo, as macOS has it."""
    if platform.system() != "Darwin":
        return None
    asked = subprocess.run(
        ["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True
    )
    return asked.stdout.strip() or None


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


@dataclass(frozen=True)
class Look:
    """All processors at one moment: ticks since the system started, those of them stolen and those
    in which a program or the system ran, the seconds of the latter that were this program's and
    those of what it started and saw the end of, and the clock in GHz; None where the system does
    not say.
    """

    ticks: int | None
    stolen: int | None
    busy: int | None
    own_seconds: float
    ghz: float | None


def look() -> Look:
    """Now."""
    total = next((line for line in (read(STAT) or "").splitlines() if line.startswith("cpu ")), "")
    ticks = [int(field) for field in total.split()[1 : COUNTED + 1]]
    known = len(ticks) == COUNTED
    clocks = [float(mhz) for mhz in CLOCK.findall(read(CPUINFO) or "")]
    return Look(
        sum(ticks) if known else None,
        ticks[STEAL] if known else None,
        sum(ticks) - ticks[IDLE] - ticks[WAITING] - ticks[STEAL] if known else None,
        own_seconds(),
        round(statistics.fmean(clocks) / 1000, 3) if clocks else None,
    )


def own_seconds() -> float:
    """Seconds of processors that this program has used, and those of what it started that ended."""
    own = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, own))


def between(before: Look, after: Look) -> dict:
    """The fields of a trial's record, from a look before it and one after, when all that it started
    has ended.
    """
    stolen = busy = None
    if before.ticks is not None and after.ticks is not None and after.ticks > before.ticks:
        ticks = after.ticks - before.ticks
        stolen = _share((after.stolen or 0) - (before.stolen or 0), ticks)
        own = (after.own_seconds - before.own_seconds) / TICK_SECONDS
        busy = _share((after.busy or 0) - (before.busy or 0) - own, ticks)
    clocks = [before.ghz, after.ghz]
    return {
        "stolen": stolen,
        "busy_elsewhere": busy,
        "clock_ghz": None if None in clocks else clocks,
    }


def _share(part: float, whole: int) -> float:
    return round(max(0, part) / whole, 5)
