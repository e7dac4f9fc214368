"""Small stores, some of which lie, and what tries them: a program that tests run isolated.

    power_stores.py commit STORE COUNT
    power_stores.py try STORE COUNT LOG SEEDS KIND

The first commits in its folder, as `power.record_disk` asks for. The second records it and prints
what is found in an image for each seed, as JSON; KIND is one of images.KINDS, or "any".
"""

import dataclasses
import errno
import json
import os
import struct
import sys
from pathlib import Path

from kvreport.crash import disk_images, power

PAGES, PAGE_WORDS = 16, 2048  # pages of 8 KiB, each a number over and over


def repeated(number: int, times: int) -> bytes:
    return struct.pack("<I", number) * times


def acknowledge(number: int) -> None:
    print(number, flush=True)
    assert sys.stdin.readline()


def sync_folder() -> None:
    folder = os.open(".", os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def new_file(name: str, content: bytes = b"") -> int:
    file = os.open(name, os.O_CREAT | os.O_RDWR, 0o600)
    os.write(file, content)
    return file


# --- records of 64 bytes at the end of one file ---


def append(count: int, early: bool = False, dropped: int = 0) -> None:
    file = new_file("log")
    os.fsync(file)
    sync_folder()
    for number in range(1, count + 1):
        os.write(file, repeated(number, 16))
        if early:
            acknowledge(number)
        if not dropped or number % dropped:
            os.fdatasync(file)
        if not early:
            acknowledge(number)


def appended(folder: Path) -> int:
    """The last record of those that are whole, from the first on."""
    file = folder / "log"
    content = file.read_bytes() if file.exists() else b""
    number = 0
    while content[number * 64 : number * 64 + 64] == repeated(number + 1, 16):
        number += 1
    return number


# --- a file for each commit ---


def replace(count: int, data_unsynced: int = 0, folder_synced: bool = True) -> None:
    """The data of each `data_unsynced`-th file are not synced before it gets its name."""
    for number in range(1, count + 1):
        file = new_file("new", repeated(number, 2000))
        if not data_unsynced or number % data_unsynced:
            os.fsync(file)
        os.close(file)
        os.rename("new", f"{number}")
        if folder_synced:
            sync_folder()
        acknowledge(number)


def replaced(folder: Path) -> int:
    number = 0
    while (file := folder / f"{number + 1}").exists() and (
        file.read_bytes() == repeated(number + 1, 2000)
    ):
        number += 1
    return number


# --- pages that are overwritten in place, without a journal ---


def overwrite(count: int) -> None:
    """The pages lie apart, so that each is a write of its own to the disk."""
    file = new_file("pages", bytes(PAGES * 2 * PAGE_WORDS * 4))
    os.fsync(file)
    sync_folder()
    for number in range(1, count + 1):
        for page in range(PAGES):
            os.pwrite(file, repeated(number, PAGE_WORDS), page * 2 * PAGE_WORDS * 4)
        os.fdatasync(file)
        acknowledge(number)


def overwritten(folder: Path) -> int:
    """The least number that a page has; -1 where one has two."""
    with (folder / "pages").open("rb") as file:
        pages = [file.read(2 * PAGE_WORDS * 4)[: PAGE_WORDS * 4] for _ in range(PAGES)]
    numbers = [struct.unpack_from("<I", page)[0] for page in pages]
    return -1 if pages != [repeated(number, PAGE_WORDS) for number in numbers] else min(numbers)


STORES = {  # how each commits, and how to find its last commit
    "honest": (append, appended),
    "honest files": (replace, replaced),
    "acknowledges before its sync": (lambda count: append(count, early=True), appended),
    "drops every tenth sync": (lambda count: append(count, dropped=10), appended),
    "does not sync new data": (lambda count: replace(count, data_unsynced=1), replaced),
    "does not sync every tenth file": (lambda count: replace(count, data_unsynced=10), replaced),
    "does not sync the folder": (lambda count: replace(count, folder_synced=False), replaced),
    "overwrites in place": (overwrite, overwritten),
}


def commit(store: str, count: str) -> None:
    try:
        STORES[store][0](int(count))
    except OSError as problem:
        print(errno.errorcode[problem.errno or 0])
        sys.exit(3)


def attempt(store: str, count: str, log: str, seeds: str, kind: str) -> None:
    command = [sys.executable, __file__, "commit", store, count]
    recording = power.record_disk(command, Path(log))
    wanted = [disk_images.random_image(recording.log, seed) for seed in range(int(seeds))]
    if kind != "any":
        wanted = [dataclasses.replace(image, kind=kind) for image in wanted]

    found = {}
    for image, folder in power.mounted_images(recording.log, wanted):
        acknowledged = disk_images.acknowledged(recording.log, image.cut)
        last = STORES[store][1](folder) if folder else -1
        found[image.seed] = "" if last >= acknowledged else f"{acknowledged}, and {last} found"
    events = recording.log.events
    answer = {"exit": recording.exit, "words": recording.words}
    answer |= {"last": disk_images.acknowledged(recording.log, len(events))}
    answer |= {"kinds": [image.kind for image in wanted]}
    print(json.dumps(answer | {"found": [found[seed] for seed in sorted(found)]}))


if __name__ == "__main__":
    {"commit": commit, "try": attempt}[sys.argv[1]](*sys.argv[2:])
