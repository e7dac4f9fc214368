"""Power cuts: honest stores lose nothing, each liar is caught, and nothing is left behind."""

import contextlib
import hashlib
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
from kvreport.crash import block_log, disk_images, mounts
from kvreport.crash.block_log import BlockLog, Flush, Mark, Write
from kvreport.crash.disk_images import Image
from kvreport.crash.fuse_disk import Disk

COMMITS = 200
PATIENCE_SECONDS = 10
LIARS = {  # with the kind of image that shows it and how many, or any kind
    "acknowledges before its sync": ("any", 20),
    "does not sync new data": ("any", 20),
    "does not sync every tenth file": ("any", 20),
    "does not sync the folder": ("any", 20),
    "drops every tenth sync": ("flushed", 100),  # the next sync makes up for it: one cut in twelve
    "overwrites in place": ("torn", 20),
}
RECORDS = """
import sys
from pathlib import Path
from kvreport.crash import power
orders = {5: sys.argv[2]} if sys.argv[2:] else {}
store = [sys.executable, sys.argv[3], "commit", "honest", "20"] if orders else ["sleep", "60"]
recording = power.record(store, Path(sys.argv[1]), orders=orders, size=64 << 20)
print(recording.exit, recording.words)
"""
STUCK = """
import sys
from pathlib import Path
from kvreport.crash import power
script = "exec <&-; echo 1; echo not a number; echo in trouble >&2; sleep 60"
recording = power.record(["sh", "-c", script], Path(sys.argv[1]), size=64 << 20, limit=0.5)
print((recording.exit, recording.words))
"""
BLANK = """
from kvreport.crash import block_log, disk_images, power
log = block_log.BlockLog(16 << 20, (block_log.Mark(1),))
image = disk_images.Image(1, "everything", 0)
for _, verdict in power.examined(log, [image], lambda folder, acknowledged: "mounted"):
    print(verdict)
"""


@pytest.fixture(scope="module")
def isolated():
    """Runs a program isolated, with arguments, and gives what it prints."""
    if why := mounts.can_run():
        pytest.skip(why)

    def run(*command) -> str:
        done = subprocess.run(
            mounts.isolated(sys.executable, *command), capture_output=True, text=True
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


def test_an_honest_store_loses_nothing_in_500_images(isolated, tmp_path):
    assert tried(isolated, tmp_path, "honest", 500)["found"] == [""] * 500


def test_files_that_are_synced_and_renamed_lose_nothing(isolated, tmp_path):
    assert tried(isolated, tmp_path, "honest files", 50)["found"] == [""] * 50


@pytest.mark.parametrize("store", LIARS)
def test_a_liar_is_caught(store, isolated, tmp_path):
    kind, seeds = LIARS[store]
    assert any(tried(isolated, tmp_path, store, seeds, kind)["found"])


def test_pages_that_are_overwritten_in_place_are_lost_where_a_write_is_torn_only(
    isolated, tmp_path
):
    found = tried(isolated, tmp_path, "overwrites in place", 40, "reordered")["found"]
    assert found == [""] * 40


def test_a_disk_that_fails_is_an_error_of_the_sync(isolated, tmp_path):
    for order in ("fail flush 1 EIO", "fail write 1 EIO"):
        log = tmp_path / "log"
        said = isolated("-c", RECORDS, log, order, power_stores.__file__)
        assert said.split() == ["3", "EIO"]
        events = block_log.read(log).events
        assert disk_images.acknowledged(BlockLog(0, events), len(events)) == 5


def test_a_program_that_neither_reads_nor_ends_is_killed_and_quoted(isolated, tmp_path):
    said = isolated("-c", STUCK, tmp_path / "log")
    assert said == "(-9, 'not a number\\nin trouble\\n')\n"


def test_a_file_system_that_does_not_mount_is_a_verdict(isolated):
    assert isolated("-c", BLANK) == "file system does not mount\n"


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
    command = mounts.isolated(sys.executable, "-c", RECORDS, tmp_path / "log")
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
    monkeypatch.setattr(mounts, "isolated", lambda *_: ["sh", "-c", "echo no mounts >&2; exit 1"])
    assert mounts.can_run.__wrapped__().endswith("no mounts.")
    monkeypatch.setattr(mounts.shutil, "which", lambda tool: None)
    assert "install util-linux" in mounts.can_run.__wrapped__()


# --- the disk and its log ---


def test_a_log_is_read_as_it_was_written(tmp_path):
    events = (Write(4096, b"data"), Flush(), Mark(7), Write(0, b""))
    file = tmp_path / "log"
    writer = block_log.Writer(file, 1 << 20)
    for event in events:
        writer.append(event)
    writer.close()
    assert block_log.read(file) == BlockLog(1 << 20, events)
    whole = file.read_bytes()
    for at in range(len(whole)):  # cut anywhere, or with one bit the other way
        broken = bytearray(whole)
        broken[at] ^= 1
        for content in (whole[:at], broken, whole[: at + 1] + whole[at:]):
            if 8 <= at < 16 and len(content) == len(whole):  # the size, which nothing checks
                continue
            file.write_bytes(content)
            with pytest.raises(UserError, match="log is no whole log of a disk"):
                block_log.read(file)
    file.unlink()
    with pytest.raises(UserError, match="no such file"):
        block_log.read(file)


def test_a_disk_fails_when_it_is_asked_to_and_logs_what_it_did(tmp_path):
    disk = Disk(8192, block_log.Writer(tmp_path / "log", 8192))

    def results(act, times: int) -> str:
        found = ""
        for _ in range(times):
            try:
                act()
                found += "."
            except OSError as problem:
                found += f" {problem.errno} "
        return found

    disk.obey("fail write 3 EIO")
    disk.obey("fail flush 1 ENOSPC")
    assert results(lambda: disk.write(4096, b"ab"), 4) == ".. 5  5 "
    assert results(disk.flush, 2) == " 28  28 "
    disk.obey("mend")
    assert results(disk.flush, 2) == ".."
    assert results(lambda: disk.write(8191, b"ab"), 1) == " 28 ", "past its end"
    disk.obey("mark 9")
    disk.obey("end")
    disk.write(0, b"after the end")
    assert disk.content[4096:4098] == b"ab" and disk.content[:5] == b"after"
    kept = (Write(4096, b"ab"), Write(4096, b"ab"), Flush(), Flush(), Mark(9))
    assert block_log.read(tmp_path / "log") == BlockLog(8192, kept)
    for line in ("", "mark", "mark x", "fail read 1 EIO", "fail write 1"):
        with pytest.raises(ValueError):
            disk.obey(line)


# --- images ---


def random_log(events: int = 300, size: int = 1 << 20) -> BlockLog:
    """Writes of many sizes, some zeros, some of one place; flushes and marks among them."""
    random = Random(1)
    found: list[block_log.Event] = [Mark(0)]
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


def built(builder: disk_images.Builder, image: Image) -> bytes:
    file = os.memfd_create("test")
    try:
        builder.build(image, file)
        return os.pread(file, 2 * builder.log.size, 0)
    finally:
        os.close(file)


def test_an_image_is_the_same_whatever_was_built_before_it():
    log = random_log()
    wanted = [disk_images.random_image(log, seed) for seed in range(200)]
    assert wanted == [disk_images.random_image(log, seed) for seed in range(200)]
    assert {image.kind for image in wanted} == set(disk_images.KINDS)
    ascending, any_order = disk_images.Builder(log), disk_images.Builder(log)
    for image in sorted(wanted, key=lambda image: image.cut):
        assert built(ascending, image) == expected(log, image), image
    for image in wanted:
        assert built(any_order, image) == expected(log, image), image


def test_images_of_a_real_log_are_sparse_and_the_same_for_a_seed(isolated, tmp_path):
    isolated("-c", RECORDS, tmp_path / "log", "mend", power_stores.__file__)
    sums = []
    for _ in range(2):
        log = block_log.read(tmp_path / "log")
        builder = disk_images.Builder(log)
        for seed in range(10):
            with (tmp_path / "disk").open("wb+") as file:
                builder.build(disk_images.random_image(log, seed), file.fileno())
                assert os.fstat(file.fileno()).st_blocks * 512 < log.size / 20
                file.seek(0)
                sums.append(hashlib.file_digest(file, "sha256").hexdigest())
    assert sums[:10] == sums[10:] and len(set(sums)) > 5


def test_cuts_come_anywhere_from_the_first_mark_on():
    log = BlockLog(4096, (Flush(), Flush(), Mark(4), Flush(), Mark(5), Flush()))
    cuts = [disk_images.random_image(log, seed).cut for seed in range(1000)]
    assert set(cuts) == {2, 3, 4, 5, 6}
    assert all(cuts.count(cut) == pytest.approx(200, abs=60) for cut in set(cuts))
    assert {disk_images.random_image(log, seed, 0).cut for seed in range(100)} == set(range(7))
    assert [disk_images.acknowledged(log, cut) for cut in range(7)] == [None] * 3 + [4, 4, 5, 5]
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
