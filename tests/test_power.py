"""Power cuts: honest stores lose nothing, each liar is caught, and nothing is left behind."""

import contextlib
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import power_stores
import pytest

from kvreport.base.errors import UserError
from kvreport.crash import disk_images, isolation, mounts
from kvreport.crash.block_log import BlockLog, Event, Flush, LogWriter, Mark, Write, read_log
from kvreport.crash.disk_images import Image, images_of
from kvreport.crash.fuse_disk import Disk

COMMITS = 200
PATIENCE_SECONDS = 10
LIARS = {  # with the kind of image that shows it and how many, or any kind
    "acknowledges before its sync": ("any", 20),
    "does not sync new data": ("any", 20),
    "does not sync every tenth file": ("any", 20),
    "does not sync the folder": ("any", 20),
    "drops every tenth sync": ("flushed", 100),  # the next sync makes up for it: one cut in twelve
}
RECORDS = """
import sys
from pathlib import Path
from kvreport.crash import power
orders = {5: sys.argv[2]} if sys.argv[2:] else {}
store = [sys.executable, sys.argv[3], "commit", "honest", "20"] if orders else ["sleep", "60"]
recording = power.record_disk(store, Path(sys.argv[1]), orders=orders, size=64 << 20)
print(recording.exit, recording.words)
"""
STUCK = """
import sys
from pathlib import Path
from kvreport.crash import power
script = "exec <&-; echo 1; echo not a number; echo in trouble >&2; sleep 60"
recording = power.record_disk(["sh", "-c", script], Path(sys.argv[1]), size=64 << 20, limit=0.5)
print((recording.exit, recording.words))
"""
BLANK = """
from kvreport.crash import block_log, disk_images, power
log = block_log.BlockLog(16 << 20, (block_log.Mark(1),))
image = disk_images.Image(1, "everything", 0)
print([at for _, at in power.mounted_images(log, [image])])
"""


@pytest.fixture(scope="module")
def isolated():
    """Runs a program isolated, with arguments, and gives what it prints."""
    if why := mounts.can_run():
        pytest.skip(why)

    def run(*command) -> str:
        done = subprocess.run(
            isolation.isolated(sys.executable, *command), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    return run


def tried(isolated, tmp_path: Path, store: str, seeds: int, kind: str = "any") -> dict:
    command = [power_stores.__file__, "try", store, COMMITS, tmp_path / "log", seeds, kind]
    found = json.loads(isolated(*command))
    assert (found["exit"], found["words"], found["last"]) == (0, "", COMMITS)
    return found


# --- what stores lose ---


@pytest.mark.parametrize(("store", "seeds"), [("honest", 150), ("honest files", 50)])
def test_an_honest_store_loses_nothing(store, seeds, isolated, tmp_path):
    """A fault that one image in fifty shows would be noticed here with a probability of 95%."""
    assert not any(tried(isolated, tmp_path, store, seeds)["found"])


@pytest.mark.parametrize("store", LIARS)
def test_a_liar_is_caught(store, isolated, tmp_path):
    kind, seeds = LIARS[store]
    assert any(tried(isolated, tmp_path, store, seeds, kind)["found"])


def test_pages_that_are_overwritten_in_place_are_lost_where_a_write_is_torn_only(
    isolated, tmp_path
):
    found = tried(isolated, tmp_path, "overwrites in place", 80)
    lost = {kind for kind, each in zip(found["kinds"], found["found"]) if each}
    assert lost == {"torn"} and set(found["kinds"]) == set(disk_images.KINDS)


def test_a_disk_that_fails_is_an_error_of_the_sync(isolated, tmp_path):
    for order in ("fail flush", "fail write"):
        log = tmp_path / "log"
        said = isolated("-c", RECORDS, log, order, power_stores.__file__)
        assert said.split() == ["3", "EIO"]
        events = read_log(log).events
        assert disk_images.acknowledged(BlockLog(0, events), len(events)) == 5


def test_a_program_that_neither_reads_nor_ends_is_killed_and_quoted(isolated, tmp_path):
    said = isolated("-c", STUCK, tmp_path / "log")
    assert said == "(-9, 'not a number\\nin trouble\\n')\n"


def test_a_file_system_that_does_not_mount_is_a_verdict(isolated):
    assert isolated("-c", BLANK) == "[None]\n"


# --- what is left behind ---


def attached(loop: str) -> str | None:
    """The number of what is attached to a loop device, which nothing else ever has."""
    device = Path("/sys/block") / loop
    return (device / "diskseq").read_text() if (device / "loop").exists() else None


def with_token(token: str) -> list[int]:
    """The processes that have a token in their environment."""
    found = []
    for file in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if token.encode() in file.read_bytes():
                found.append(int(file.parent.name))
    return sorted(found)


def mounts_of(process: int) -> str:
    return Path(f"/proc/{process}/mountinfo").read_text()


@pytest.mark.parametrize("victim", ["the launcher", "the recorder", "the disk"])
def test_a_tester_that_is_killed_leaves_nothing(victim, isolated, tmp_path):
    token = secrets.token_hex(8)
    command = isolation.isolated(sys.executable, "-c", RECORDS, tmp_path / "log")
    launch = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
    with subprocess.Popen(
        [sys.executable, "-c", launch, *command],
        env=os.environ | {"TOKEN": token},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as launcher:
        try:
            [store] = awaited(lambda: [p for p in with_token(token) if words(p) == "sleep 60 "])
            [disk] = [p for p in with_token(token) if "fuse_disk" in words(p)]
            recorder = int(Path(f"/proc/{disk}/stat").read_text().split()[3])
            [loop] = re.findall(" - ext4 /dev/(loop[0-9]+) ", mounts_of(store))
            sequence, source = attached(loop), f" /dev/{loop} "
            assert sequence and source not in mounts_of(os.getpid())
            assert source not in mounts_of(disk), "it would wait for itself when it unmounts it"
            victims = {"the launcher": launcher.pid, "the recorder": recorder, "the disk": disk}
            os.kill(victims[victim], signal.SIGKILL)
            if victim == "the disk":  # the recorder waits for its program
                os.kill(store, signal.SIGKILL)
            awaited(lambda: not with_token(token) and attached(loop) != sequence)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(launcher.pid, signal.SIGKILL)


def words(process: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    return ""


def awaited(condition):
    """What a condition gives, once it holds."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not (found := condition()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)
    return found


def test_nothing_is_mounted_where_others_see_it(tmp_path):
    with pytest.raises(RuntimeError, match="isolated"):
        mounts.mount("tmpfs", tmp_path, "tmpfs")


def test_why_power_cuts_cannot_be_tried_is_a_sentence(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(mounts.os, "geteuid", lambda: 1000)
        assert mounts.can_run.__wrapped__().startswith("Only root")
    monkeypatch.setattr(mounts.os, "geteuid", lambda: 0)
    monkeypatch.setattr(mounts.shutil, "which", lambda tool: tool)
    monkeypatch.setattr(mounts.os, "access", lambda device, mode: device != mounts.FUSE)
    assert mounts.FUSE in mounts.can_run.__wrapped__()
    monkeypatch.setattr(mounts.os, "access", lambda device, mode: True)
    refusal = ["sh", "-c", "echo no mounts >&2; exit 1"]
    monkeypatch.setattr(isolation, "isolated", lambda *_: refusal)
    assert mounts.can_run.__wrapped__().endswith("no mounts.")
    monkeypatch.setattr(mounts.shutil, "which", lambda tool: None)
    assert "install util-linux" in mounts.can_run.__wrapped__()


# --- the disk and its log ---


def test_a_disk_fails_when_it_is_asked_to_and_logs_what_it_did(tmp_path):
    disk = Disk(8192, LogWriter(tmp_path / "log", 8192))
    disk.write(4096, b"ab")
    disk.write(0, b"")
    disk.flush()
    disk.obey("mark 9")
    with pytest.raises(OSError, match="No space"):
        disk.write(8191, b"ab")
    for operation, act in {"write": lambda: disk.write(0, b"a"), "flush": disk.flush}.items():
        disk.obey(f"fail {operation}")
        for _ in range(2):
            with pytest.raises(OSError, match="Input/output error"):
                act()
    disk.obey("end")
    disk.failing.clear()
    disk.write(0, b"after the end")
    assert disk.content[4096:4098] == b"ab" and disk.content[:5] == b"after"
    kept = (Write(4096, b"ab"), Write(0, b""), Flush(), Mark(9))
    assert read_log(tmp_path / "log") == BlockLog(8192, kept)
    for line in ("", "mark", "mark x", "fail read", "end"):
        with pytest.raises(ValueError):
            disk.obey(line)


# --- images ---


def random_log(events: int = 300, size: int = 1 << 20) -> BlockLog:
    """Writes of many sizes, some zeros, some of one place; flushes and marks among them."""
    random = Random(1)
    found: list[Event] = [Mark(0)]
    for number in range(1, events):
        kind = random.random()
        if kind < 0.1:
            found.append(Flush())
        elif kind < 0.2:
            found.append(Mark(number))
        else:
            sectors = random.choice([1, 8, 16, 32])
            offset = random.randrange(size // 512 - sectors) * 512 % (size // 4)
            filled = number % 251 if kind < 0.8 else 0
            found.append(Write(offset, bytes([filled]) * (512 * sectors)))
    return BlockLog(size, tuple(found))


def expected(log: BlockLog, image: Image) -> bytes:
    """An image, made event by event."""
    before = log.events[: image.cut]
    flushed = max((index for index, event in enumerate(before) if event == Flush()), default=0)
    pending = [event for event in before[flushed:] if isinstance(event, Write)]
    content = bytearray(log.size)
    for write in [event for event in before[:flushed] if isinstance(event, Write)] + (
        disk_images.survivors(image, pending)
    ):
        content[write.offset : write.offset + len(write.data)] = write.data
    return bytes(content)


def test_an_image_is_the_same_whatever_is_built_beside_it():
    log = random_log()
    wanted = [disk_images.random_image(log, seed) for seed in range(200)]
    assert wanted == [disk_images.random_image(log, seed) for seed in range(200)]
    assert {image.kind for image in wanted} == set(disk_images.KINDS)
    built = {image: os.pread(file, 2 * log.size, 0) for image, file in images_of(log, wanted)}
    assert all(built[image] == expected(log, image) for image in wanted)


def test_images_of_a_large_disk_are_sparse():
    log = BlockLog(1 << 40, (Write(1 << 39, b"x"), Flush(), Write(0, b"y"), Mark(1)))
    [(_, file)] = (
        (image, os.fstat(file)) for image, file in images_of(log, [Image(4, "everything", 0)])
    )
    assert file.st_size == 1 << 40 and file.st_blocks <= 16


def test_cuts_come_anywhere_from_the_first_mark_on():
    log = BlockLog(4096, (Flush(), Flush(), Mark(4), Flush(), Mark(5), Flush()))
    cuts = [disk_images.random_image(log, seed).cut for seed in range(1000)]
    assert set(cuts) == {2, 3, 4, 5, 6}
    assert all(cuts.count(cut) == pytest.approx(200, abs=60) for cut in set(cuts))
    assert [disk_images.acknowledged(log, cut) for cut in range(7)] == [0, 0, 0, 4, 4, 5, 5]
    with pytest.raises(UserError, match="nothing that a power cut could lose"):
        disk_images.first_mark(BlockLog(4096, (Flush(),)))


EIGHT = [Write(4096 * place, bytes([place])) for place in range(8)]


def test_writes_before_a_flush_are_kept_and_of_the_others_all_none_or_some():
    def kept(kind: str, writes: list[Write] = EIGHT) -> list[list[Write]]:
        return [disk_images.survivors(Image(0, kind, seed), writes) for seed in range(400)]

    assert kept("everything") == [EIGHT] * 400 and kept("flushed") == [[]] * 400
    for kind in ("subset", "torn"):
        assert all(some == [write for write in EIGHT if write in some] for some in kept(kind))
    for kind in ("subset", "reordered", "torn"):
        for write in EIGHT:
            assert sum(write in some for some in kept(kind)) == pytest.approx(200, abs=40)
    earlier, later = Write(0, b"earlier"), Write(0, b"later")
    last = [some[-1] for some in kept("reordered", [earlier, later]) if some]
    assert last.count(earlier) == pytest.approx(last.count(later), rel=0.4)


def test_of_a_torn_write_some_sectors_are_missing():
    whole = Write(1024, Random(1).randbytes(5 * 4096))  # begins within a page
    units, shapes = [], set()
    for seed in range(400):
        kept = disk_images.survivors(Image(0, "torn", seed), [*EIGHT, whole])
        part = sorted((write for write in kept if write not in EIGHT), key=lambda w: w.offset)
        content = bytearray(len(whole.data))
        for write in part:
            at = write.offset - whole.offset
            content[at : at + len(write.data)] = write.data
        sectors = [content[at : at + 512] for at in range(0, len(content), 512)]
        real = [whole.data[at : at + 512] for at in range(0, len(content), 512)]
        there = [sector == other for sector, other in zip(sectors, real)]
        assert all(ok or not any(sector) for ok, sector in zip(there, sectors))
        assert 0 < sum(there) < len(there)
        pages = [set(there[at : at + 8]) for at in range(6, len(there), 8)]
        units.append(4096 if all(len(page) == 1 for page in pages) else 512)
        shapes.add("prefix" if there == sorted(there, reverse=True) else "any")
    assert units.count(4096) == pytest.approx(220, abs=50)  # half, and some by chance
    assert shapes == {"prefix", "any"}
