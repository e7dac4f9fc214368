"""What is left after a crash is told truly: stores that keep their promises are never accused, and
those that do not are caught.
"""

import numpy as np
import pandas as pd
import pytest
from crash_records import WELL, group, kept, store

import kvreport as kv
from kvreport.analysis.crashes import KEPT, Verdict, verdict
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.crash import fault_injection, mounts, record, replay, selection
from kvreport.crash.isolation import Stopped
from kvreport.crash.programs import Subject
from kvreport.crash.selection import Wanted
from kvreport.data import crashes
from kvreport.data.crashes import FAULT, FULL, KILL, POWER
from kvreport.toolchain import catalogue, recoveries

SCRIPTS = [
    paths.ROOT / "tests" / "stores" / f"{name}.java"
    for name in ("AppendedFile", "KeepsBack", "ForcesSome")
]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({}, Verdict.SURVIVES),
        ({"lost": 1}, Verdict.LAST),
        ({"lost": 1, "holes": 1}, Verdict.MORE),
        ({"torn": 1}, Verdict.PART),
        ({"torn": 1, "lost": 1}, Verdict.MORE),
        ({"wrong": 1, "lost": 3}, Verdict.WRONG),
        ({"recovered": True, "torn": 1}, Verdict.RECOVERED),
        ({"recovered": True, "lost": 2}, Verdict.LAST),
        ({"failed": "open", "reason": "no header", "lost": 300}, Verdict.UNUSABLE),
        ({"failed": "write", "reason": "read only", "wrong": 1}, Verdict.UNUSABLE),
        ({"failed": "open", "reason": "no header", "acknowledged": 0}, Verdict.UNSTARTED),
    ],
)
@pytest.mark.fast
def test_a_verdict_follows_from_what_is_there(found, expected):
    assert verdict(group(**found)) is expected
    assert crashes.lost_something(group(**found)) is (expected not in KEPT)


@pytest.mark.fast
def test_what_broke_a_promise_is_replayed_once_and_its_replays_are_told(monkeypatch, shown):
    ends = [(7, {}), (2, {"lost": 4})]
    promised, unpromised = store("A", "on", kill=ends), store("A", "off", kill=ends)
    unpromised["crashes"][KILL]["transactions"] = selection.MANY
    shown(promised, unpromised)
    replayed = []

    def tries(kind, subject, seeds):
        replayed.append((subject.sync, *seeds))
        return [(each, WELL | {"lost": len(replayed) % 2}) for each in seeds]

    monkeypatch.setattr(fault_injection, "tries", tries)
    script = {"id": "A", "code": "c", "name": "A DB", "settings": {"sync": "as asked"}}
    wanted = [Wanted(script, sync, KILL, 9) for sync in ("off", "on")]
    record.record_replays("run", wanted)
    record.record_replays("run", wanted)
    assert replayed == [("on", 0), ("on", 1), ("on", 0)]
    told = kv.crashes("run").query("sync == 'on'").iloc[0]
    assert (told["seeds"], told["again"], told["replays"]) == ("0, 1", 2, 3)


@pytest.mark.fast
def test_a_replayed_try_is_complained_of_where_something_acknowledged_is_not_there(monkeypatch):
    def complaints(**found):
        monkeypatch.setattr(fault_injection, "tries", lambda *_: [(7, WELL | found)])
        return replay.replay_seed([Wanted({"name": "A DB"}, "on", KILL, 1)], 7)

    def fails(**found):
        return {"failed": "read", "reason": "no map"} | found

    assert complaints() == complaints(torn=1) == complaints(**fails(acknowledged=0)) == []
    assert (
        complaints(lost=1)
        == complaints(wrong=1)
        == complaints(**fails())
        == ["A DB, sync on, kill, seed 7: not all that was acknowledged is there."]
    )


@pytest.mark.fast
def test_tries_that_end_alike_are_counted_together():
    groups: list[dict] = []
    for seed, lost in enumerate([0, 3, 1, 0, 9, 2]):
        record.add_try(groups, seed, WELL | {"lost": lost})
    record.add_try(groups, 6, WELL | {"failed": "open", "reason": "/tmp/x/db: page 17 is torn"})
    record.add_try(groups, 7, WELL | {"failed": "open", "reason": "/tmp/y/db: page 4 is torn"})
    assert [(each["count"], each["seeds"], each["lost"]) for each in groups] == [
        (2, [0, 3], [0, 0]),
        (4, [1, 2, 4], [1, 9]),
        (2, [6, 7], [0, 0]),
    ]
    assert groups[2]["reason"] == "…/db: page N is torn"
    said = "org.h2.Failure: block 17 of /tmp/x1/db.h2 at 0x7f3a [2.5.250/1]\nat org.h2.Store"
    assert record.bare(said) == "org.h2.Failure: block N of …/db.h2 at N [N.N.N/N]"


@pytest.mark.fast
def test_another_script_begins_anew_and_another_recovery_call_crashes_anew(monkeypatch):
    monkeypatch.setattr(record, "described", lambda subject: {"name": "A DB"})
    script = {"id": "A", "code": "1", "settings": {"sync": "by a flush"}}
    kept: dict = {"subjects": []}

    def subject(**changes) -> dict:
        return record.subject_of(kept, Wanted(script | changes, "on", KILL, 1))

    subject()["crashes"]["kill"] = "some"
    subject()["price"] = subject()["reopenings"] = "some"
    assert subject()["crashes"] and len(kept["subjects"]) == 1
    with_call = {"recovery": {"code": "a"}}
    assert subject(**with_call).keys() >= {"price"} and not subject(**with_call)["crashes"]
    assert "reopenings" not in subject(**with_call)
    assert "price" not in subject(code="2", **with_call) and len(kept["subjects"]) == 1


@pytest.mark.fast
def test_no_loss_in_n_tries_is_worth_three_in_n(shown):
    """Clopper and Pearson: 0 of 300 is at most 0.00994, and 5 of 100 is 0.0164 to 0.1128."""
    never = store("A", "on", kill=[(300, {})])
    some = store("B", "on", kill=[(95, {}), (5, {"lost": 1})])
    assert shown(never, some)[["low", "high"]].to_numpy() == pytest.approx(
        np.array([[0, 0.00994], [0.0164, 0.1128]]), abs=5e-5
    )


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """The frame of a run whose crashes are those given."""

    def of(*subjects: dict) -> pd.DataFrame:
        return kv.crashes(kept(tmp_path, monkeypatch, *subjects))

    return of


@pytest.mark.fast
def test_a_promise_is_of_a_tier_and_a_kind_of_crash(shown):
    """Who promises nothing breaks nothing, and a power cut is more than a kill."""
    lost = [(3, {}), (2, {"lost": 4})]
    rows = shown(
        store("A", "off", kill=lost, power=lost),
        store("A", "os", kill=[(5, {})], power=lost),
        store("A", "on", kill=lost, power=[(5, {})]),
        store("B", None, kill=lost),
    )
    rows = rows.assign(sync=rows["sync"].fillna(""), cost=rows["tries"] - rows["kept"])
    rows = rows.set_index(["kind", "name", "sync"])
    assert set(rows.index[rows["promised"]]) == {
        (KILL, "A DB", "os"),
        (KILL, "A DB", "on"),
        (POWER, "A DB", "on"),
    }
    assert set(rows.index[rows["promised"] & (rows["cost"] > 0)]) == {(KILL, "A DB", "on")}
    broken = rows.loc[(KILL, "A DB", "on")]
    assert (broken["cost"], broken["tries"], broken["last"], broken["survives"]) == (2, 5, 2, 3)
    assert broken["verdict"] == "the last commits are lost" and broken["seeds"] == "0, 1"
    assert broken["lost_least"] == broken["lost_most"] == 4 and broken["engine"] == "b 1"


@pytest.mark.fast
def test_a_recovery_call_keeps_a_promise_and_is_counted(shown):
    (row,) = shown(store("A", "on", kill=[(2, {}), (3, {"recovered": True})])).to_dict("records")
    assert (row["kept"], row["recovered"], row["low"]) == (5, 3, 0)


@pytest.mark.fast
def test_of_a_device_that_fails_it_is_known_in_how_many_tries_a_commit_failed(shown):
    ends = [(3, {"reported": True}), (2, {"reported": False, "lost": 1})]
    rows = shown(store("A", "on", fault=ends), store("B", "on", fault=[(1, {})]))
    assert rows["reported"].fillna(-1).tolist() == [3, -1]
    assert rows[["kind", "tries", "kept"]].to_numpy().tolist() == [[FAULT, 5, 3], [FAULT, 1, 1]]


@pytest.mark.fast
def test_each_verdict_is_counted_and_the_worst_says_how_to_see_it_again(shown):
    ends = [(7, {}), (2, {"lost": 4}), (1, {"failed": "open", "reason": "torn"})]
    (row,) = shown(store("A", "on", kill=ends)).to_dict("records")
    assert [row[each.name.lower()] for each in Verdict] == [7, 0, 0, 0, 2, 0, 1, 0]
    assert (row["tries"], row["reason"], row["seeds"]) == (10, "torn", "0")


@pytest.mark.fast
def test_nothing_tried_has_its_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    assert kv.crashes().empty and "promised" in kv.crashes()


@pytest.mark.fast
def test_a_damaged_file_is_named(shown):
    with pytest.raises(UserError, match=r"crashes\.json is damaged .*any_lost.*kvreport crash"):
        broken = store("A", "on", kill=[(1, {})])
        del broken["crashes"]["kill"]["found"][0]["any_lost"]
        shown(broken)


@pytest.mark.fast
def test_what_is_wanted_is_tried_in_series_and_what_is_not_there_is_refused():
    known = {
        "stores": {"A": {"id": "A", "family": "B+ tree", "settings": {}}},
        "failed": {"C": "does not build"},
    }
    assert [each.sync for each in selection.wanted(known, None, kinds=[KILL])] == [None]
    [each] = selection.wanted(known, ["A"], kinds=[POWER], tries=250)
    assert list(each.series(30)) == [range(30, 100), range(100, 200), range(200, 250)]
    with pytest.raises(UserError, match="There is no store B; there are A"):
        selection.wanted(known, ["B"])
    with pytest.raises(UserError, match="C does not build"):
        selection.wanted(known, ["C"])
    with pytest.raises(UserError, match="None of the stores has the tier commit"):
        selection.wanted(known, None, ["commit"])


# --- stores that crash ---


@pytest.fixture(scope="module")
def known():
    return catalogue.catalog(SCRIPTS)["stores"]


def tries(kind, known: dict, store: str, sync: str, transactions: int, seeds: range) -> list[dict]:
    subject = Subject(known[store], sync, transactions, 100)
    found = fault_injection.tries(kind, subject, seeds)
    assert [seed for seed, _ in found] == list(seeds)
    return [left for _, left in found]


def accused(found: list[dict]) -> int:
    return sum(verdict(group(**WELL | each)) is not Verdict.SURVIVES for each in found)


@pytest.mark.jvm
def test_a_kill_costs_what_a_store_keeps_back(known):
    honest = tries(KILL, known, "AppendedFile", "os", 2000, range(8))
    assert accused(honest) == 0
    assert len({each["acknowledged"] for each in honest}) > 5  # the moments differ
    assert all(each["last"] >= each["acknowledged"] for each in honest)
    kept_back = tries(KILL, known, "KeepsBack", "os", 2000, range(3))
    assert accused(kept_back) == 3
    assert {each["last"] for each in kept_back} == {0}
    assert accused(tries(KILL, known, "AppendedFile", "off", 2000, range(2))) == 2


@pytest.mark.jvm
def test_a_power_cut_costs_what_is_not_forced(known):
    if reason := mounts.can_run():
        pytest.skip(reason)
    assert accused(tries(POWER, known, "AppendedFile", "on", 300, range(50))) == 0
    assert accused(tries(POWER, known, "ForcesSome", "on", 300, range(20))) > 0
    assert accused(tries(POWER, known, "AppendedFile", "os", 300, range(20))) > 0


@pytest.mark.jvm
def test_a_device_that_fails_is_noticed_by_who_waits_for_it(known):
    if reason := mounts.can_run():
        pytest.skip(reason)
    honest = tries(FAULT, known, "AppendedFile", "on", 60, range(5))
    assert accused(honest) == 0 and all(each["reported"] for each in honest)
    assert accused(tries(FAULT, known, "ForcesSome", "on", 60, range(5))) > 0


@pytest.mark.jvm
def test_a_device_that_is_full_costs_nothing_that_was_acknowledged(known):
    if reason := mounts.can_run():
        pytest.skip(reason)
    honest = tries(FULL, known, "AppendedFile", "on", 300, range(4))
    assert accused(honest) == 0
    assert any(each["reported"] for each in honest)
    kept_back = tries(FULL, known, "KeepsBack", "on", 300, range(4))
    assert accused(kept_back) == 4  # which finds no room when it is closed


@pytest.mark.jvm
def test_a_vendors_recovery_call_is_made_where_a_database_does_not_open(known):
    catalogue = {"stores": {"MapDb": dict(known["MapDb"])}}
    recoveries.add(catalogue)
    (mended,) = tries(KILL, catalogue["stores"], "MapDb", "os", 2000, range(1))
    assert mended["recovered"] and not mended["failed"] and not mended["wrong"]
    (refused,) = tries(KILL, known, "MapDb", "os", 2000, range(1))
    assert refused["failed"] == "open" and not refused["recovered"]


@pytest.mark.jvm
def test_a_store_that_ends_by_itself_says_why(known):
    with pytest.raises(Stopped, match="sync is on, os or off, not sometimes"):
        tries(KILL, known, "AppendedFile", "sometimes", 300, range(1))
