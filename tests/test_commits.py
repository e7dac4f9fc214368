"""What commits and recoveries take is what was timed, and is told as what it is."""

import shutil

import pytest
from crash_records import kept, store

from kvreport.charts.tables import MISSING
from kvreport.data import crashes
from kvreport.exhibits.grouping import Grouping
from kvreport.exhibits.prices import Prices
from kvreport.exhibits.reopenings import Reopenings
from kvreport.measure.crash import disks, prices, reopenings
from kvreport.measure.crash.programs import Stopped, Subject
from kvreport.measure.crash.record import Wanted
from kvreport.toolchain import stores


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
def test_a_price_is_the_median_of_its_rounds_beside_the_bare_file(tmp_path, monkeypatch):
    run = kept(
        tmp_path,
        monkeypatch,
        store("A", "os") | {"price": priced(10_000, 30_000, 11_000)},
        store("A", "on") | {"price": priced(2_000_000, 1_000_000, 1_100_000)},
        store("BareFile", "on") | {"price": priced(550_000)},
    )
    found = Prices(run)
    numbers = found.numbers()
    assert numbers["times"]["median"] == 100 and numbers["bare"] == 550_000
    assert (numbers["first"], numbers["least"]) == ("A DB", 1_100_000)
    rows = {(row[0], row[1]): row for row in found.table().frame.itertuples(index=False)}
    assert list(rows["A DB", "a power cut"])[2:] == [
        *("250", "1,100", "9,000", "20,000", "2.00", "1.00", "4,096")
    ]
    assert len(found.picture("commits").chart.concat) == 2


@pytest.mark.fast
def test_threads_share_a_way_to_the_device_where_each_commit_has_fewer_syncs(tmp_path, monkeypatch):
    """More commits a second alone prove nothing: threads may overlap other work."""
    run = kept(
        tmp_path,
        monkeypatch,
        store("A", "on")
        | {"price": priced(1, syncs=1.0)}
        | {"group": {"threads": priced(1, commits=2_000, syncs=0.25, threads=8)}},
        store("B", "on")
        | {"price": priced(1, syncs=1.0)}
        | {
            "group": {
                "threads": priced(1, commits=1_500, syncs=0.9, threads=8),
                "entries": priced(1, commits=400, batch=100),
            }
        },
        store("C", "on")
        | {"price": priced(1)}
        | {"group": {"threads": priced(syncs=None, problem="one writer at a time")}},
    )
    found = Grouping(run)
    numbers = found.numbers()
    assert numbers["sharing"] == ["A DB"] and numbers["least"] == numbers["most"] == 4
    assert (numbers["threads"], numbers["batch"]) == (8, 100)
    assert numbers["large"] == 8  # 20,000 entries a second against 2,500
    rows = {row[0]: list(row) for row in found.table().frame.itertuples(index=False)}
    assert rows["A DB"][1:6] == ["250", "1,000", "4.00", "1.00", "0.25"]
    assert rows["B DB"][6:8] == ["2,500", "20,000"]
    assert rows["C DB"][2] == MISSING and rows["C DB"][-1] == "one writer at a time"


@pytest.mark.fast
def test_file_systems_are_compared_with_the_first(tmp_path, monkeypatch):
    elsewhere = {"ext4": priced(100_000, 300_000, 200_000), "btrfs": priced(500_000)}
    refused = {"ext4": priced(problem="too small"), "btrfs": priced(problem="too small")}
    run = kept(
        tmp_path,
        monkeypatch,
        store("A", "on") | {"price": priced(1), "filesystems": elsewhere},
        store("B", "on") | {"price": priced(1), "filesystems": refused},
    )
    assert Grouping(run).filesystems().frame.to_numpy().tolist() == [
        ["A DB", "200", "500", "2.50", ""],
        ["B DB", MISSING, MISSING, MISSING, "too small"],
    ]


@pytest.mark.fast
def test_a_recovery_is_told_beside_an_opening_after_a_close(tmp_path, monkeypatch):
    def size(entries: int, closed: list[float], killed: list[float], **more) -> dict:
        of = {"entries": entries, "closed": closed, "killed": killed, "recovered": False}
        return of | {"problem": None} | more

    run = kept(
        tmp_path,
        monkeypatch,
        store("A", "on")
        | {"reopenings": [size(10, [0.01], [0.01]), size(1000, [0.02, 0.03, 0.01], [0.1])]},
        store("B", "on") | {"reopenings": [size(1000, [0.04], [0.05], recovered=True)]},
        store("C", None) | {"reopenings": [size(1000, [], [], problem="no header")]},
    )
    found = Reopenings(run)
    numbers = found.numbers()
    assert (numbers["entries"], numbers["last"], numbers["slower"]) == (1000, "A DB", ["A DB"])
    assert (numbers["middle"], numbers["most"]) == (pytest.approx(75e6), pytest.approx(100e6))
    assert found.table().frame.to_numpy().tolist() == [
        ["A DB", "10.0 ms", "100 ms", "20.0 ms", "5.00", ""],
        ["B DB", MISSING, "50.0 ms", "40.0 ms", "1.25", "by its recovery call"],
        ["C DB", MISSING, MISSING, MISSING, MISSING, "no header"],
    ]


# --- with a JVM ---


@pytest.fixture(scope="module")
def known():
    return stores.catalog()


@pytest.mark.jvm
def test_commits_are_timed_alone_together_and_on_each_file_system(known, tmp_path, monkeypatch):
    """The bare file's threads have a sync each; RocksDB's share theirs."""
    monkeypatch.setattr(prices, "WARM_UP", 0.1)
    monkeypatch.setattr(prices, "SECONDS", 1.0)
    monkeypatch.setattr(prices, "ROUNDS", 1)
    monkeypatch.setattr(disks, "BYTES", 512 << 20)
    monkeypatch.setattr(disks, "available", lambda: ["ext4"] if can_mount() else [])
    run = kept(tmp_path, monkeypatch)
    wanted = [Wanted(known["stores"][id], "on", crashes.KILL, 0) for id in ("RocksDb", "Sparkey")]
    prices.record(run, known, wanted)
    subjects = {(each["id"], each["sync"]): each for each in crashes.read(run)["subjects"]}
    rocks, bare = subjects["RocksDb", "on"], subjects["BareFile", "on"]
    # one each, and a few of the opening, which weigh where a busy machine makes few commits
    assert 1 <= bare["price"]["syncs"] < 1.5
    if shutil.which("strace"):
        assert rocks["group"]["threads"]["syncs"] < 0.7 < rocks["price"]["syncs"]
    assert rocks["group"]["entries"]["batch"] == 100 and rocks["group"]["entries"]["rounds"]
    assert "one writer at a time" in subjects["Sparkey", "on"]["group"]["threads"]["problem"]
    if can_mount():
        assert len(rocks["filesystems"]["ext4"]["rounds"]) == 1
    assert "group" not in subjects["BareFile", "os"]


def can_mount() -> bool:
    return disks.mounts.can_run() is None


@pytest.mark.jvm
def test_openings_are_timed_after_a_close_and_after_a_kill(known, monkeypatch):
    monkeypatch.setattr(reopenings, "TIMES", 2)
    subject = Subject(known["stores"]["H2MvStore"], "on", 5, 100, 100)
    found = reopenings.of_size(subject)
    assert found["problem"] is None and len(found["closed"]) == len(found["killed"]) == 1
    assert all(0 < seconds < 10 for seconds in found["closed"] + found["killed"])
    never = Subject(known["stores"]["Sqlite"], "on", 5, 100, 100)
    monkeypatch.setattr(reopenings, "heeded", lambda *_: (1, "Error: no room"))
    with pytest.raises(Stopped, match="no room"):
        reopenings.reopened(never, "closed")
