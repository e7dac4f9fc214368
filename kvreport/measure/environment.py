"""The machine that measures: what it is, for environment.json, and what about it would spoil the
figures, told beforehand.

Sources: /proc and /sys as the Linux kernel documents them, and psutil. What a system does not tell
is None, never a guess.
"""

import os
import platform
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.text import visible
from kvreport.measure import limits
from kvreport.measure.linux import chosen, number, read
from kvreport.measure.plan import Plan
from kvreport.measure.processor import CPUS, cpu

if TYPE_CHECKING:  # psutil gives its rows no public name
    from psutil._ntuples import sdiskpart

BUSY_PERCENT = 10  # of all CPUs, used by others
READ_AHEAD_KB = 1024  # eight times what Linux has by default
FAST_CLOCKS = (
    "tsc",
    "kvm-clock",
    "hyperv_clocksource_tsc_page",
    "arch_sys_counter",
)  # read without a call into the kernel
GB = 1e9


def describe_machine() -> dict:
    """Return what environment.json says of the machine and its state now; takes half a second."""
    return {
        "revision": revision(),
        "cpu": cpu(),
        "memory_bytes": psutil.virtual_memory().total,
        "kernel": f"{platform.system()} {platform.release()}",
        "os": operating_system(),
        "thp": chosen(read("/sys/kernel/mm/transparent_hugepage/enabled")),
        "governor": governor(),
        "turbo": turbo(),
        "read_ahead_kb": number(read(disk_of(partition(paths.WORK)) / "queue/read_ahead_kb")),
        "limits": {
            "open_files": limits.open_files(),
            "memory_bytes": limits.memory_allowed(),
        },
        "load_before": [round(load, 2) for load in os.getloadavg()],
        "busy_before": psutil.cpu_percent(interval=0.5),
    }


def check(plan: Plan, state: dict) -> list[str]:
    """The faults of a machine's state that are likely to distort the figures, a clause each;
    `state` is as in environment.json.

    Raises UserError where measuring cannot even begin.
    """
    refuse_full(plan)
    free, available = psutil.disk_usage(str(paths.WORK)).free, limits.memory_available()
    disk, files = state["filesystem"], state["limits"]["open_files"]
    ahead, clock = state.get("read_ahead_kb") or 0, clock_source()
    found = []
    if disk["is_tmpfs"]:
        found.append(
            f"the work directory is in memory ({disk['type']}), so no figure is that of a disk: set"
            " KVREPORT_WORK to a folder on one"
        )
    if free < 2 * plan.disk_bytes:
        found.append(
            f"the disk of the work directory has {size(free)} left and the section may take"
            f" {size(plan.disk_bytes)}: a file system slows down when it fills"
        )
    if state["busy_before"] > BUSY_PERCENT:
        found.append(f"other programs use {state['busy_before']:.0f}% of the CPUs: end them")
    if state["governor"] not in (None, "performance"):
        found.append(
            f"the CPU governor is {state['governor']}, not performance: times will wander with the"
            " frequency"
        )
    if ahead > READ_AHEAD_KB:
        found.append(
            f"the device reads {ahead:,} KiB ahead, and of a mapped file as much is fetched, and"
            " written, for a page: set read_ahead_kb in /sys/block to 128"
        )
    if files is not None and files < limits.OPEN_FILES:
        found.append(
            f"at most {files} files can be open and {limits.OPEN_FILES} are wanted:"
            f" {limits.FILES_REMEDY}"
        )
    if available < plan.cached_bytes:
        found.append(
            f"{size(available)} of memory are available and {size(plan.cached_bytes)} are wanted:"
            " data may not stay cached"
        )
    if state["cpu"]["usable_threads"] < 2:
        found.append(
            "one CPU is usable: what stores do in threads of their own takes it from the thread"
            " that is timed"
        )
    if clock not in (None, *FAST_CLOCKS):
        found.append(
            f"the system's clock is {clock}, which is slow to look at: latencies of single"
            " operations contain it"
        )
    if power() is False:
        found.append("this machine runs on its battery, and may slow down to spare it")
    return found


def refuse_full(plan: Plan) -> None:
    """Raises UserError where the machine has too little disk or memory left for a section, or lets
    no program have as many files open, or as large ones, as it takes.
    """
    writable(paths.WORK)
    free = psutil.disk_usage(str(paths.WORK)).free
    if free < plan.disk_bytes:
        raise UserError(
            f"Section {plan.section} wants {size(plan.disk_bytes)} of disk and the work directory's"
            f" has {size(free)}: free some, set KVREPORT_WORK to a folder that has it, or"
            " choose a smaller profile."
        )
    free_files = os.statvfs(paths.WORK).f_favail  # 0 where a file system has no limit
    if 0 < free_files < plan.files:
        raise UserError(
            f"Section {plan.section} makes {plan.files:,} files and the disk of the work directory"
            f" has room for {free_files:,}: remove some, set KVREPORT_WORK to a folder that has it,"
            " or choose a smaller profile."
        )
    largest = limits.file_bytes()
    if largest is not None and largest < plan.disk_bytes:
        raise UserError(
            f"Section {plan.section} may make a file of {size(plan.disk_bytes)} and none may have"
            f" more than {size(largest)}: raise the limit (`ulimit -f unlimited`), or choose a"
            " smaller profile."
        )
    files = limits.open_files()
    if files is not None and files < plan.open_files:
        raise UserError(
            f"Section {plan.section} may have {plan.open_files:,} files open and {files:,} can be:"
            f" {limits.FILES_REMEDY}."
        )
    available, allowed = limits.memory_available(), limits.memory_allowed()
    if available < plan.least_bytes:
        within = f" of {size(allowed)} that the system allows" if allowed else ""
        raise UserError(
            f"Section {plan.section} wants {size(plan.least_bytes)} of memory and"
            f" {size(available)}{within} are available: end other programs, or choose a smaller"
            " profile."
        )


def size(of: float) -> str:
    """Bytes in words: "12.3 GB", "40 MB"."""
    return f"{of / GB:.1f} GB" if of >= GB / 10 else f"{of / 1e6:.0f} MB"


def writable(folder: Path) -> None:
    """Makes the folder, and makes sure that files can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as problem:
        raise UserError(
            f"The work directory {folder} cannot be written ({problem.strerror}): "
            "set KVREPORT_WORK to a folder that can."
        ) from None


def operating_system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.platform()


def filesystem(folder: Path) -> dict:
    """The file system a folder is on, or will be."""
    part = partition(folder)
    disk = disk_of(part)
    rotational = read(disk / "queue/rotational")
    return {
        "type": part.fstype,
        "device": part.device,
        "device_model": read(disk / "device/model"),
        "rotational": rotational and rotational == "1",
        "write_cache": read(disk / "queue/write_cache"),
        "mount": part.mountpoint,
        "options": part.opts,
        "is_tmpfs": part.fstype in ("tmpfs", "ramfs"),
    }


def partition(folder: Path) -> "sdiskpart":
    """Return what is mounted where a folder is, or where the nearest folder above it is that is
    there.
    """
    there = next(path for path in (folder, *folder.parents) if path.exists())
    inside = [
        part for part in psutil.disk_partitions(all=True) if there.is_relative_to(part.mountpoint)
    ]
    return max(inside, key=lambda part: len(part.mountpoint))


def disk_of(part: "sdiskpart") -> Path:
    """Return where the kernel tells of the device that has a partition; there is nothing where it
    is no block device.
    """
    block = Path("/sys/class/block", Path(part.device).resolve().name).resolve()
    return block.parent if (block / "partition").exists() else block


def governor() -> str | None:
    return read(CPUS / "cpu0/cpufreq/scaling_governor")


def turbo() -> bool | None:
    off, boost = read(CPUS / "intel_pstate/no_turbo"), read(CPUS / "cpufreq/boost")
    return off == "0" if off else boost == "1" if boost else None


def clock_source() -> str | None:
    """Return what the kernel tells the time by."""
    return read("/sys/devices/system/clocksource/clocksource0/current_clocksource")


def power() -> bool | None:
    """Return whether the machine runs on mains power; None where there is no battery."""
    battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    return battery and battery.power_plugged


def revision() -> str | None:
    """Return what git calls the version of this project, "-dirty" when files differ from it."""
    try:
        asked = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=paths.ROOT,
            capture_output=True,
            text=True,
            errors="replace",  # of a tag git demands no encoding
        )
    except FileNotFoundError:
        return None
    return visible(asked.stdout.strip()) or None
