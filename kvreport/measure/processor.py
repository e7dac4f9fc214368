"""What the processor did while a trial ran: how much of its time the hypervisor gave to other
guests, and its clock. Sources: /proc/stat and /proc/cpuinfo, as proc(5) documents them.
"""

import re
import statistics
from dataclasses import dataclass
from pathlib import Path

STAT, CPUINFO = Path("/proc/stat"), Path("/proc/cpuinfo")
STEAL, COUNTED = 7, 8  # of the line "cpu": where steal is, and how many fields contain no other
CLOCK = re.compile(r"^cpu MHz\s*:\s*([0-9.]+)", re.M)


@dataclass(frozen=True)
class Look:
    """All processors at one moment: ticks since the system started, those of them stolen, and the
    clock in GHz; None where the system does not say.
    """

    ticks: int | None
    stolen: int | None
    ghz: float | None


def look() -> Look:
    """Now."""
    total = next((line for line in _text(STAT).splitlines() if line.startswith("cpu ")), "")
    ticks = [int(field) for field in total.split()[1 : COUNTED + 1]]
    known = len(ticks) == COUNTED
    clocks = [float(mhz) for mhz in CLOCK.findall(_text(CPUINFO))]
    return Look(
        sum(ticks) if known else None,
        ticks[STEAL] if known else None,
        round(statistics.fmean(clocks) / 1000, 3) if clocks else None,
    )


def between(before: Look, after: Look) -> dict:
    """The fields of a trial's record, from a look before it and one after."""
    share = None
    if before.ticks is not None and after.ticks is not None and after.ticks > before.ticks:
        stolen = (after.stolen or 0) - (before.stolen or 0)
        share = round(max(0, stolen) / (after.ticks - before.ticks), 5)
    clocks = [before.ghz, after.ghz]
    return {"stolen": share, "clock_ghz": None if None in clocks else clocks}


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
