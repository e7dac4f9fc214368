"""What commits and recoveries take is what was timed, and is told as what it is."""

import shutil

import pytest
from crash_records import kept, store

import kvreport as kv
from kvreport.base import paths
from kvreport.crash import commit_latency, disks, mounts, reopenings
from kvreport.crash.isolation import Stopped
from kvreport.crash.programs import Subject
from kvreport.crash.selection import Wanted
from kvreport.data import crashes
from kvreport.toolchain import catalogue


def priced(*p50s: int, commits: int = 500, syncs: float | None = 1.0, **more) -> dict:
    """Rounds of two seconds each, with those medians."""
    ends = {"p99_ns": 9_000_000, "p999_ns": 20_000_000, "max_ns": 30_000_000}
    rounds = [
        {"commits": commits, "seconds": 2.0, "p50_ns": each, "written_bytes": commits * 4096} | ends
        for each in p50s
    ]
    of = {"transactions": 300, "value_bytes": 100, "rounds": rounds, "syncs": syncs}
    return of | {"problem": None} | more


@pytest.mark.fast
def test_a_commit_is_a_row_for_each_round_beside_the_bare_file(tmp_path, monkeypatch):
    before, after = (10_000, 30_000, 11_000), (2_000_000, 1_000_000, 1_100_000)
    run = kept(
        tmp_path,
        monkeypatch,
        store("A", "os") | {"price": priced(*before)},
        store("A", "on") | {"price": priced(*after)},
        store("BareFile", None) | {"price": priced(550_000)},
    )
    rows = kv.commits(run)
    assert rows[["store", "settings", "trial", "p50_ns"]].to_numpy().tolist() == [
        *(["A", "sync=os", trial, ns] for trial, ns in enumerate((10_000, 30_000, 11_000))),
        *(
            ["A", "sync=on", trial, ns]
            for trial, ns in enumerate((2_000_000, 1_000_000, 1_100_000))
        ),
        ["BareFile", "sync=off", 0, 550_000],
    ]
    # 500 commits of ten entries and 4,096 bytes in two seconds
    assert set(rows["per_second"]) == {250} and set(rows["ns_per_entry"]) == {400_000}
    assert set(rows["written"]) == {4096} and set(rows["syncs"]) == {1}
    changed = kv.change(rows, "settings", "sync=os", "sync=on", value="p50_ns").set_index("store")
    assert changed.loc["A", ["before", "after"]].tolist() == [11_000, 1_100_000]
    # the mean of the rounds' ratios, on logarithms
    assert changed["ratio"]["A"] == pytest.approx((200 * 1000 / 30 * 100) ** (1 / 3))


@pytest.mark.fast
def test_commits_together_and_in_large_transactions_are_rows_with_settings(tmp_path, monkeypatch):
    group = {"threads": priced(1, commits=1_500, syncs=0.9, threads=8)}
    group |= {"entries": priced(1, commits=400, batch=100)}
    cannot = "A DB cannot run this case: one writer"
    alone = {"threads": priced(syncs=None, threads=8, problem=cannot)}
    run = kept(
        tmp_path,
        monkeypatch,
        store("A", "on") | {"price": priced(1), "group": alone},
        store("B", "on") | {"price": priced(1), "group": group},
    )
    rows = kv.commits(run).set_index(["store", "settings"])
    assert rows["ns_per_entry"]["B", "batch=100, sync=on"] == 50_000
    assert rows["per_second"]["B", "sync=on, threads=8"] == 750
    assert rows.loc[("A", "sync=on, threads=8"), ["status", "reason"]].tolist() == ["na", cannot]
    changed = kv.change(kv.commits(run), "settings", "sync=on", "sync=on, threads=8")
    assert changed["ratio"].tolist()[1:] == [pytest.approx(1 / 3)]
    assert changed["verdict"].tolist() == ["n/a", "one trial"]


@pytest.mark.fast
def test_file_systems_are_rows_and_one_that_failed_says_why(tmp_path, monkeypatch):
    elsewhere = {"ext4": priced(100_000), "btrfs": priced(problem="too small")}
    run = kept(tmp_path, monkeypatch, store("A", "on") | {"filesystems": elsewhere})
    rows = kv.commits(run).set_index("filesystem")
    assert rows["settings"]["ext4"] == "filesystem=ext4, sync=on"
    assert rows["status"].to_dict() == {"ext4": "ok", "btrfs": "failed"}
    assert rows["reason"]["btrfs"] == "too small" and rows["p50_ns"].isna()["btrfs"]


@pytest.mark.fast
def test_an_opening_is_a_row_by_how_the_database_had_ended(tmp_path, monkeypatch):
    size = {"entries": 1000, "closed": [0.02, 0.03], "killed": [], "recovered": True}
    size |= {"problem": "no header"}
    run = kept(tmp_path, monkeypatch, store("A", "on") | {"reopenings": [size]})
    rows = kv.reopenings(run)
    assert rows[["ended", "trial", "status", "reason"]].to_numpy().tolist() == [
        *(["closed", 0, "ok", ""], ["closed", 1, "ok", ""], ["killed", 0, "failed", "no header"])
    ]
    assert rows["ns"].tolist()[:2] == [2e7, 3e7] and rows["recovered"].all()


@pytest.mark.fast
def test_nothing_timed_has_its_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    assert kv.commits().empty and kv.reopenings().empty
    assert kv.change(kv.commits(), "settings", "sync=os", "sync=on").empty


# --- with a JVM ---


@pytest.fixture(scope="module")
def known():
    return catalogue.catalog()


ROUND = priced(1)["rounds"][0]


@pytest.mark.jvm
def test_commits_are_timed_alone_together_and_on_each_file_system(known, tmp_path, monkeypatch):
    """The bare file's threads have a sync each; RocksDB's share theirs. What shows nothing more is
    not timed, but made up.
    """
    timed, counted = commit_latency.timed, commit_latency.syncs
    monkeypatch.setattr(commit_latency, "WARM_UP", 0.1)
    monkeypatch.setattr(commit_latency, "SECONDS", 0.5)
    monkeypatch.setattr(commit_latency, "ROUNDS", 1)
    monkeypatch.setattr(disks, "BYTES", 512 << 20)
    elsewhere = [] if mounts.can_run() else ["ext4"]
    monkeypatch.setattr(disks, "available", lambda: elsewhere)
    monkeypatch.setattr(
        commit_latency,
        "timed",
        lambda subject, way, disk: (
            timed(subject, way, disk)
            if (subject.store["id"], way.place[-1])
            in [("RocksDb", "entries"), ("RocksDb", "ext4"), ("Sparkey", "threads")]
            else ROUND
        ),
    )
    monkeypatch.setattr(
        commit_latency,
        "syncs",
        lambda subject, threads: (
            counted(subject, threads)
            if subject.sync == "on" and subject.batch == 10 and subject.store["id"] != "Sparkey"
            else 1.0
        ),
    )
    run = kept(tmp_path, monkeypatch)
    wanted = [Wanted(known["stores"][id], "on", crashes.KILL) for id in ("RocksDb", "Sparkey")]
    commit_latency.record_commits(run, known, wanted)
    subjects = {(each["id"], each["sync"]): each for each in crashes.read_crashes(run)["subjects"]}
    rocks, bare = subjects["RocksDb", "on"], subjects["BareFile", "on"]
    # one each, and a few of the opening, which weigh where a busy machine makes few commits
    if shutil.which("strace"):
        assert 1 <= bare["price"]["syncs"] < 1.5
        assert rocks["group"]["threads"]["syncs"] < 0.7 < rocks["price"]["syncs"]
    assert rocks["group"]["entries"]["batch"] == 100 and rocks["group"]["entries"]["rounds"]
    assert "one writer at a time" in subjects["Sparkey", "on"]["group"]["threads"]["problem"]
    if elsewhere:
        [on_ext4] = rocks["filesystems"]["ext4"]["rounds"]
        assert on_ext4 != ROUND
    assert "group" not in subjects["BareFile", "os"]


@pytest.mark.jvm
def test_openings_are_timed_after_a_close_and_after_a_kill(known, monkeypatch):
    monkeypatch.setattr(reopenings, "TIMES", 2)
    subject = Subject(known["stores"]["H2MvStore"], "on", 5, 100, 100)
    found = reopenings.of_size(subject)
    assert found["problem"] is None and len(found["closed"]) == len(found["killed"]) == 1
    assert all(0 < seconds < 10 for seconds in found["closed"] + found["killed"])
    never = Subject(known["stores"]["H2MvStore"], "never", 5, 100, 100)
    with pytest.raises(Stopped, match="sync is on, os or off, not never"):
        reopenings.reopened(never, "closed")
