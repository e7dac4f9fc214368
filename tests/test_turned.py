"""Verdicts that turned since a version was published, with why."""

import shutil

import pytest
import synthetic

from kvreport.analysis.results import SectionResults
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.charts import chapter
from kvreport.claims import turned
from kvreport.claims.finding import Verdict
from kvreport.claims.turned import Cause
from kvreport.data import published_verdicts, records, runs
from kvreport.data.cases import Case
from kvreport.data.harness import EQUAL_TERMS
from kvreport.exhibits import turned as exhibit

SECTION = synthetic.SECTION
BASE, RANDOM = Case("int", "sequential"), Case("int", "random")
LABEL = "tbl-claims-4"
LEVELDB_WRITES = "With int keys in random order LevelDB writes faster than LMDB"
FIRST = "2026-11-24"  # the first version whose verdicts are read
READS = "LMDB is the fastest at every read workload"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    monkeypatch.delenv("KVREPORT_RUN", raising=False)
    return tmp_path


PAGE = """<figure id="tbl-claims-4" class="x"><div><table><thead><tr><th></th>
<th>the source’s statement</th><th>in its own figures</th><th>here</th></tr></thead><tbody>
<tr><td>1</td><td>LMDB is the
fastest</td><td>holds</td><td><strong>cannot tell</strong></td></tr>
<tr><td>2</td><td>It’s <code>so</code></td><td>holds</td><td><strong>mostly holds (4 of 5)</strong>:
LMDB leads</td></tr>
<tr><td>half a row</td></tr></tbody></table></div></figure>
<figure id="tbl-claims-5"></figure><figure id="tbl-other"><table><tr><th>here</th></tr></table>
</figure>"""


def test_verdicts_are_read_from_a_published_page():
    assert published_verdicts.of_page(PAGE) == {
        LABEL: {"LMDB is the fastest": "cannot tell", "It’s so": "mostly holds (4 of 5)"}
    }
    assert turned.verdict_of("cannot tell") is Verdict.INCONCLUSIVE
    assert turned.verdict_of("mostly holds (4 of 5)") is Verdict.MOSTLY
    assert turned.verdict_of("of another time") is None


def test_the_published_versions_verdicts_are_on_today_s_statements():
    found = published_verdicts.verdicts(paths.REPORT / FIRST)
    for test in turned.TESTS:
        words = {turned._plain(says) for says in found[test.label]}
        assert words == {turned.as_published(claim) for claim in test.statements.claims}
    assert all(turned.verdict_of(each) for label in found.values() for each in label.values())


def test_a_page_that_changed_is_refused(tmp_path):
    version = tmp_path / FIRST
    shutil.copytree(paths.REPORT / FIRST, version)
    page = next(version.glob("notebooks/chapters/04*.html"))
    page.write_text(page.read_text().replace("cannot tell", "holds"))
    with pytest.raises(UserError, match="is not what was published"):
        published_verdicts.verdicts(version)


def equal(name: str) -> None:
    """Makes a run one that was measured on equal terms."""
    file = paths.RUNS / name / records.ENVIRONMENT
    file.write_text(file.read_text().replace('"harness": 1,', f'"harness": {EQUAL_TERMS},'))


def sides(old: str, new: str) -> tuple[dict, dict]:
    return (
        {SECTION: SectionResults(SECTION, runs.load(old))},
        {SECTION: SectionResults(SECTION, runs.load(new))},
    )


def causes_of(folder, published: str, says: str = LEVELDB_WRITES) -> tuple[Cause, ...] | None:
    """Why that verdict on LevelDB's writes turned; None where it did not."""
    before, here = sides("2026-01-01-lab", "2026-01-02-lab")
    found = turned.turned({LABEL: {says: published}}, before, here)
    return found[0].causes if found else None


def longer(times: float, workloads=("write",), close: float = 0.0, case: str = "random"):
    """A change of records: times as long, of which a close takes a share."""

    def change(of: dict, trial: int) -> None:
        for result in of["results"]:
            if of["order"] == case and result["workload"] in workloads and result["iteration_ns"]:
                whole = [int(ns * times) for ns in result["iteration_ns"]]
                result["iteration_ns"] = whole
                result["observed"] = {
                    "commit_ns": [0] * len(whole),
                    "close_ns": [int(ns * close) for ns in whole],
                }

    return change


@pytest.fixture
def both(folder):
    """An old run and one on equal terms, alike: LevelDB takes four times as long as LMDB."""
    for name in ("2026-01-01-lab", "2026-01-02-lab"):
        synthetic.write_run(folder, name, sections=[SECTION])
    equal("2026-01-02-lab")
    return folder


def change(folder, name: str, store: str, how) -> None:
    """Changes a store's records in one of the runs."""
    only = folder / "only"
    only.mkdir(exist_ok=True)
    (folder / name).rename(only / name)
    synthetic.edit(only, store, how)
    (only / name).rename(folder / name)


def test_what_is_judged_otherwise_is_told_from_what_was_measured_otherwise(both):
    assert causes_of(both, "does not hold") is None, "it did not turn"
    assert causes_of(both, "cannot tell") == (Cause.JUDGED,)
    change(both, "2026-01-01-lab", "LevelDbJni", longer(0.1))
    assert causes_of(both, "holds") == (Cause.REST,)
    assert causes_of(both, "cannot tell") == (Cause.JUDGED, Cause.REST)
    before, here = sides("2026-01-01-lab", "2026-01-02-lab")
    [found] = turned.turned({LABEL: {LEVELDB_WRITES: "holds"}}, {}, here)
    assert found.then is None and found.causes == (Cause.UNKNOWN,)
    assert not turned.turned({LABEL: {LEVELDB_WRITES: "holds"}}, here, before), "on older terms"


def test_a_close_within_the_clock_is_named_where_it_turns_a_verdict(both):
    """LevelDB's puts are as they were, a tenth of now, and its close takes the rest."""
    change(both, "2026-01-01-lab", "LevelDbJni", longer(0.1))
    change(both, "2026-01-02-lab", "LevelDbJni", longer(1, close=0.9))
    change(both, "2026-01-02-lab", "LmdbJavaBb", longer(1))
    assert causes_of(both, "holds") == (Cause.ENDING,)


def test_a_store_that_was_not_there_is_named_where_it_turns_a_verdict(both):
    """A store that scans faster than LMDB is new."""
    swift = folder_of(both, "2026-01-02-lab")
    for trial in (1, 2, 3):
        text = (swift / f"LmdbJavaBb-{trial}.json").read_text()
        text = text.replace('"id": "LmdbJavaBb"', '"id": "Swift"').replace("LMDB BB", "Swift")
        text = text.replace("LMDB 0.9.33", "Swift 1")
        (swift / f"Swift-{trial}.json").write_text(text)
    reads = ("readKey", "readSeq", "readRev", "readCrc", "readXxh64")
    for case in ("sequential", "random"):
        change(both, "2026-01-02-lab", "Swift", longer(0.2, reads, case=case))
    before, here = sides("2026-01-01-lab", "2026-01-02-lab")
    (lmdb,) = (claim for claim in turned.TESTS[3].statements.claims if claim.says == READS)
    was = lmdb.check(turned.merged([turned.measured(before[SECTION])])).verdict
    [found] = turned.turned({LABEL: {READS: str(was)}}, before, here)
    assert found.causes == (Cause.STORES,) and found.now.verdict is Verdict.FAILS


def folder_of(folder, name: str):
    return folder / name / SECTION


def instead(of: str, other: str, times: float, order: str = "random"):
    """A change of records: a workload takes so many times as long, and another is as it was."""

    def change(case: dict, trial: int) -> None:
        if case["order"] == order:
            [was] = [each for each in case["results"] if each["workload"] == of]
            case["results"].append(was | {"workload": other})
            longer(times, (of,), case=order)(case, trial)

    return change


def test_each_term_that_can_be_taken_back_is(both):
    trial = synthetic.record("LmdbJavaBb", 1)
    case = trial["cases"][2]
    assert (case["keys"], case["order"]) == ("int", "random")
    instead("readKey", "readKeyWritten", 5)(case, 1)
    was = {each["workload"]: each["iteration_ns"] for each in case["results"]}
    assert was["readKey"] != was["readKeyWritten"]

    def results(changed: dict, at: int = 2) -> dict:
        return {each["workload"]: each for each in changed["cases"][at]["results"]}

    gets = results(turned.TAKEN_BACK[Cause.GETS](trial))
    assert gets["readKey"]["iteration_ns"] == was["readKeyWritten"] and len(gets) == 6
    bulk = turned.TAKEN_BACK[Cause.PUTS]
    assert bulk(trial) == trial, "nothing was loaded in bulk"
    in_order = trial["cases"][0]
    instead("write", "bulkLoad", 3, "sequential")(in_order, 1)
    puts = {each["workload"]: each["iteration_ns"] for each in in_order["results"]}
    assert results(bulk(trial), 0)["write"]["iteration_ns"] == puts["bulkLoad"]
    dense = case | {
        "order": "dense",
        "results": [results(trial)["write"] | {"iteration_ns": [7]}],
    }
    sparse = results(turned.TAKEN_BACK[Cause.KEYS](trial | {"cases": [*trial["cases"], dense]}))
    assert sparse["write"]["iteration_ns"] == [7]
    assert sparse["readSeq"]["iteration_ns"] == was["readSeq"]
    cut = results(turned.TAKEN_BACK[Cause.ENDING](trial))["write"]["iteration_ns"]
    left = 1 - synthetic.COMMIT - synthetic.CLOSE
    assert cut == pytest.approx([left * ns for ns in was["write"]], rel=1e-3)


def test_the_table_has_what_turned_and_a_sentence_counts_it(both, monkeypatch):
    claim = turned.TESTS[3].statements.claims[4]
    change(both, "2026-01-01-lab", "LevelDbJni", longer(0.1))
    before, here = sides("2026-01-01-lab", "2026-01-02-lab")
    published = {LABEL: {LEVELDB_WRITES: "holds", READS: "of no scale"}}
    found = turned.turned(published, before, here)
    assert [each.claim for each in found][:1] == [claim]
    verdicts = exhibit.Verdicts("", "2026-01-01", ("100 bytes",), 12, found, ("a", "b"))
    [row, *_] = verdicts.table_of().frame.to_dict("records")
    assert row["printed then"] == "holds" and row["those records, judged as now"] == "holds"
    assert row["now"].startswith("**does not hold**: ") and row["why"] == Cause.REST
    told = verdicts.counts()
    assert told["turned"] == len(found) and told["causes"][0]["verdicts"] >= 1
    empty = exhibit.Verdicts("why not")
    assert empty.table_of().frame.shape == (1, 6) and "why not" in empty.table_of().data


def test_verdicts_are_set_beside_those_of_the_version_before(both, monkeypatch):
    """The version's records are those of the first run, and its pages are the real ones."""
    chosen = chapter.of(SECTION)
    assert chosen.run.name == "2026-01-02-lab"
    about = {"about": {"sections": {SECTION: {"run": "2026-01-01-lab"}}}}
    monkeypatch.setattr(exhibit.preceding, "earlier", lambda _: [FIRST])
    monkeypatch.setattr(exhibit.versions, "manifest", lambda _: about)
    monkeypatch.setattr(
        exhibit.published_verdicts, "verdicts", lambda _: {LABEL: {LEVELDB_WRITES: "holds"}}
    )
    found = exhibit.since()
    assert found.problem == "" and found.tests == ("100 bytes",) and found.all == 12
    assert [each.causes for each in found.found] == [(Cause.JUDGED,)]
    assert found.machines == ("lab", "lab")
    monkeypatch.setattr(exhibit.preceding, "earlier", lambda _: [])
    assert "No version" in exhibit.since().problem
    equal_terms = folder_of(both, "2026-01-02-lab").parent / records.ENVIRONMENT
    text = equal_terms.read_text()
    equal_terms.write_text(text.replace(f'"harness": {EQUAL_TERMS},', '"harness": 1,'))
    monkeypatch.setattr(exhibit.preceding, "earlier", lambda _: [FIRST])
    assert "equal terms" in exhibit.since().problem
