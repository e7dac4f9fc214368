"""The machine that measures: what it is, for environment.json, and what about it would spoil the
figures, told beforehand.

Sources: /proc and /sys as the Linux kernel documents them, and psutil. What a system does not tell
is None, never a guess.
"""

import os
import platform
import resource
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from kvreport.base import paths
from kvreport.base.errors import UserError

if TYPE_CHECKING:  # psutil gives its rows no public name
    from psutil._ntuples import sdiskpart

CPUS = Path("/sys/devices/system/cpu")
DISK_FACTOR = (
    4  # a store's files against its bare entries, logs and files about to be merged included
)
NATIVE_BYTES = 10**9  # of a JVM and a store beside the heap: code, keys, caches, write buffers
FILE_BYTES = 4096  # of the last block of each file, at most
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
            "open_files": open_files(),
            "memory_bytes": memory_allowed(),
        },
        "load_before": [round(load, 2) for load in os.getloadavg()],
        "busy_before": psutil.cpu_percent(interval=0.5),
    }


def check(need: Need, state: dict) -> list[str]:
    """What of a machine's state is likely to distort the figures, a sentence each; `state` is as in
    environment.json.

    Raises UserError where measuring cannot even begin.
    """
    allowed = state["limits"].get("memory_bytes")
    refuse_full(need, allowed)
    free = psutil.disk_usage(str(paths.WORK)).free
    available, battery = memory_available(allowed), power()
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
                f"at most {files} files can be open and {OPEN_FILES} are wanted: raise the limit"
                " (ulimit -Hn)"
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


def refuse_full(need: Need, allowed: int | None) -> None:
    """Raises UserError where the machine has too little disk or memory left for a section.

    allowed  bytes of memory that the system allows in all; None for no limit
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
    available = memory_available(allowed)
    if available < need.least_memory:
        raise UserError(
            f"Section {need.section} wants {size(need.least_memory)} of memory and"
            f" {size(available)} are available: end other programs, or choose a smaller"
            " profile."
        )


def memory_allowed() -> int | None:
    """Bytes of memory that the system allows this program in all; None for no limit."""
    return number(read("/sys/fs/cgroup/memory.max"))


def memory_available(allowed: int | None) -> float:
    """Bytes of memory that a program can have now, of those that the system allows in all."""
    return min(psutil.virtual_memory().available, allowed or float("inf"))


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


def cpu() -> dict:
    described = dict(
        line.split(":", 1)
        for line in (read("/proc/cpuinfo") or "").split("\n\n")[0].splitlines()
        if ":" in line
    )
    facts = {name.strip(): value.strip() for name, value in described.items()}
    smt = read(CPUS / "smt/active")
    virtual = "hypervisor" in facts["flags"].split() if "flags" in facts else None
    return {
        "model": facts.get("model name") or platform.processor() or None,
        "family": number(facts.get("cpu family")),
        "model_number": number(facts.get("model")),
        "stepping": number(facts.get("stepping")),
        "microcode": facts.get("microcode"),
        "clock_mhz": clock_mhz(facts, bool(virtual)),
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


def clock_mhz(facts: dict[str, str], virtual: bool) -> int | None:
    """The highest clock of the first core; of a virtual one the clock that the system tells of,
    which is constant there and wanders elsewhere.
    """
    highest = number(read(CPUS / "cpu0/cpufreq/cpuinfo_max_freq"))
    if highest:
        return highest // 1000
    return round(float(facts["cpu MHz"])) if virtual and "cpu MHz" in facts else None


def cache(folder: Path) -> tuple[str, str]:
    kind = {"Data": "d", "Instruction": "i"}.get(read(folder / "type") or "", "")
    return f"L{read(folder / 'level')}{kind}", read(folder / "size") or "unknown"


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


def open_files() -> int | None:
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return None if limit == resource.RLIM_INFINITY else limit


def revision() -> str | None:
    """What git calls the version of this project, "-dirty" when files differ from it."""
    try:
        asked = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=paths.ROOT,
            capture_output=True,
            text=True,
        )
    except FileNotFoundError:
        return None
    return asked.stdout.strip() or None


def read(file: str | Path) -> str | None:
    """A small file's text; None where there is none, or nothing in it."""
    try:
        return Path(file).read_text().strip() or None
    except OSError:
        return None


def chosen(options: str | None) -> str | None:
    """The choice in brackets: "madvise" of "always [madvise] never"."""
    return options and options.partition("[")[2].partition("]")[0]


def number(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() else None
