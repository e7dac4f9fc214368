"""The machine that measures: what it is, for environment.json, and what about it would spoil the
figures, told beforehand.

Sources: /proc and /sys as the Linux kernel documents them, and psutil. What a system does not tell
is None, never a guess.
"""

import os
import platform
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.text import visible
from kvreport.measure import limits
from kvreport.measure.linux import chosen, number, read
from kvreport.measure.processor import CPUS, cpu

if TYPE_CHECKING:  # psutil gives its rows no public name
    from psutil._ntuples import sdiskpart

DISK_FACTOR = (
    4  # a store's files against its bare entries, logs and files about to be merged included
)
NATIVE_BYTES = 10**9  # of a JVM and a store beside the heap: code, keys, caches, write buffers
FILE_BYTES = 4096  # of the last block of each file, at most
TABLE_BYTES = 32 << 20  # of the data, for each of which a tree may keep a file open
OPEN_FILES = 4096  # enough for an LSM tree that keeps all its tables open
BUSY_PERCENT = 10  # of all CPUs, used by others
READ_AHEAD_KB = 1024  # eight times what Linux has by default
FAST_CLOCKS = (
    "tsc",
    "kvm-clock",
    "hyperv_clocksource_tsc_page",
    "arch_sys_counter",
)  # read without a call into the kernel
GB = 1e9


@dataclass(frozen=True)
class Need:
    """What the largest data set of a section asks of the machine, in bytes.

    flat  keys and values;  heap  of the JVM;  kept  of the entries by the harness, off the heap;
          held  data that a store is given at once, and so must hold in memory;
    files  that there are at once, a number
    """

    section: str
    flat: int
    heap: int
    kept: int = 0
    held: int = 0
    files: int = 0

    @property
    def disk(self) -> int:
        return max(self.flat * DISK_FACTOR, self.flat + self.files * FILE_BYTES)

    @property
    def open_files(self) -> int:
        return min(limits.KERNEL_FILES + self.flat // TABLE_BYTES, OPEN_FILES)

    @property
    def memory(self) -> int:
        """To keep the data cached."""
        return self.heap + self.kept + 2 * self.flat

    @property
    def least_memory(self) -> int:
        """To run at all: what is held is held by the batch, and again by the store that sorts
        it.
        """
        return self.heap + NATIVE_BYTES + self.kept + 2 * self.held


def machine() -> dict:
    """What environment.json says of the machine and its state now; takes half a second."""
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


def check(need: Need, state: dict) -> list[str]:
    """What of a machine's state is likely to distort the figures, a sentence each; `state` is as in
    environment.json.

    Raises UserError where measuring cannot even begin.
    """
    refuse_full(need)
    free = psutil.disk_usage(str(paths.WORK)).free
    available, battery = limits.memory_available(), power()
    file_system, files, clock = state["filesystem"], state["limits"]["open_files"], clock_source()
    trouble = [
        (
            file_system["is_tmpfs"],
            (
                f"the work directory is in memory ({file_system['type']}), so no figure is that of"
                " a disk: set KVREPORT_WORK to a folder on one"
            ),
        ),
        (
            free < 2 * need.disk,
            (
                f"the disk of the work directory has {size(free)} left and the section may"
                f" take {size(need.disk)}: a file system slows down when it fills"
            ),
        ),
        (
            state["busy_before"] > BUSY_PERCENT,
            f"other programs use {state['busy_before']:.0f}% of the CPUs: end them",
        ),
        (
            state["governor"] not in (None, "performance"),
            (
                f"the CPU governor is {state['governor']}, not performance: times will wander with"
                " the frequency"
            ),
        ),
        (
            (ahead := state.get("read_ahead_kb") or 0) > READ_AHEAD_KB,
            (
                f"the device reads {ahead:,} KiB ahead, and of a mapped file as much is fetched,"
                " and written, for a page: set read_ahead_kb in /sys/block to 128"
            ),
        ),
        (
            files is not None and files < OPEN_FILES,
            (
                f"at most {files} files can be open and {OPEN_FILES} are wanted:"
                f" {limits.FILES_REMEDY}"
            ),
        ),
        (
            available < need.memory,
            (
                f"{size(available)} of memory are available and {size(need.memory)} are"
                " wanted: data may not stay cached"
            ),
        ),
        (
            state["cpu"]["usable_threads"] < 2,
            (
                "one CPU is usable: what stores do in threads of their own takes it from the thread"
                " that is timed"
            ),
        ),
        (
            clock not in (None, *FAST_CLOCKS),
            (
                f"the system's clock is {clock}, which is slow to look at: latencies of single"
                " operations contain it"
            ),
        ),
        (battery is False, "this machine runs on its battery, and may slow down to spare it"),
    ]
    return [sentence for holds, sentence in trouble if holds]


def refuse_full(need: Need) -> None:
    """Raises UserError where the machine has too little disk or memory left for a section, or lets
    no program have as many files open, or as large ones, as it takes.
    """
    writable(paths.WORK)
    free = psutil.disk_usage(str(paths.WORK)).free
    if free < need.disk:
        raise UserError(
            f"Section {need.section} wants {size(need.disk)} of disk and the work directory's"
            f" has {size(free)}: free some, set KVREPORT_WORK to a folder that has it, or"
            " choose a smaller profile."
        )
    free_files = os.statvfs(paths.WORK).f_favail  # 0 where a file system has no limit
    if 0 < free_files < need.files:
        raise UserError(
            f"Section {need.section} makes {need.files:,} files and the disk of the work directory"
            f" has room for {free_files:,}: remove some, set KVREPORT_WORK to a folder that has it,"
            " or choose a smaller profile."
        )
    _refuse_limited(need)


def _refuse_limited(need: Need) -> None:
    largest = limits.file_bytes()
    if largest is not None and largest < need.disk:
        raise UserError(
            f"Section {need.section} may make a file of {size(need.disk)} and none may have more"
            f" than {size(largest)}: raise the limit (`ulimit -f unlimited`), or choose a smaller"
            " profile."
        )
    files = limits.open_files()
    if files is not None and files < need.open_files:
        raise UserError(
            f"Section {need.section} may have {need.open_files:,} files open and {files:,} can be:"
            f" {limits.FILES_REMEDY}."
        )
    available, allowed = limits.memory_available(), limits.memory_allowed()
    if available < need.least_memory:
        within = f" of {size(allowed)} that the system allows" if allowed else ""
        raise UserError(
            f"Section {need.section} wants {size(need.least_memory)} of memory and"
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
    """What is mounted where a folder is, or where the nearest folder above it is that is there."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    inside = [
        part for part in psutil.disk_partitions(all=True) if there.is_relative_to(part.mountpoint)
    ]
    return max(inside, key=lambda part: len(part.mountpoint))


def disk_of(part: "sdiskpart") -> Path:
    """Where the kernel tells of the device that has a partition; there is nothing where it is no
    block device.
    """
    block = Path("/sys/class/block", Path(part.device).resolve().name).resolve()
    return block.parent if (block / "partition").exists() else block


def governor() -> str | None:
    return read(CPUS / "cpu0/cpufreq/scaling_governor")


def turbo() -> bool | None:
    off, boost = read(CPUS / "intel_pstate/no_turbo"), read(CPUS / "cpufreq/boost")
    return off == "0" if off else boost == "1" if boost else None


def clock_source() -> str | None:
    """What the kernel tells the time by."""
    return read("/sys/devices/system/clocksource/clocksource0/current_clocksource")


def power() -> bool | None:
    """Whether the machine runs on mains power; None where there is no battery."""
    battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    return battery and battery.power_plugged


def revision() -> str | None:
    """What git calls the version of this project, "-dirty" when files differ from it."""
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
