"""Claims, tables and sentences of a chapter, on a run whose numbers are known, on one trial, and on
nothing.
"""

import functools
import itertools
import json
import re
import shutil
from dataclasses import replace

import chapters
import pytest
import synthetic

import kvreport as kv
from kvreport.base import paths
from kvreport.base.markdown import link
from kvreport.base.templates import fill
from kvreport.charts import chapter, figures
from kvreport.claims import checks as claims
from kvreport.claims import statements
from kvreport.claims.finding import Verdict
from kvreport.claims.ranks import leads
from kvreport.data.cases import Case
from kvreport.data.runs import shown_environments
from kvreport.exhibits import (
    baseline,
    charts,
    costs,
    crossover,
    driven,
    rankings,
    tables,
    verdicts,
)
from kvreport.render import cite

# chapters that have a finding: of the tests, of costs and of crashes
FINDING = sorted(
    file
    for pattern in ("[0-9][0-9]-*", "costs", "crashes")
    for file in paths.ROOT.glob(f"notebooks/chapters/{pattern}.ipynb")
)
EVERY = tuple(synthetic.STORES)


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    monkeypatch.delenv("KVREPORT_RUN", raising=False)
    return tmp_path


@pytest.fixture(scope="module")
def runs_of(tmp_path_factory):
    """A folder with a run of some stores, written once."""

    @functools.cache
    def folder(stores: tuple[str, ...]):
        made = tmp_path_factory.mktemp("runs")
        if stores:
            synthetic.write_run(made, stores=stores, trials=2)
        return made

    return folder


@pytest.fixture(scope="module")
def test(tmp_path_factory):
    with synthetic.shown(tmp_path_factory.mktemp("shown")):
        yield chapter.of(synthetic.SECTION)


@pytest.fixture(scope="module")
def driven_headings(runs_of) -> set[str]:
    """Of how each store was driven, in the run of all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "RUNS", runs_of(EVERY))
        patch.delenv("KVREPORT_RUN", raising=False)
        return set(re.findall(r"\{#(sec-driven-.*)\}", driven.every_store().data))


def lines(table) -> list[list[str]]:
    """The cells of a pipe table, header first and rule second."""
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in table.data.splitlines()
    ]


def test_results_count_failures_and_never_take_their_values(test):
    write = test.case(Case("int", "sequential"))
    write = write[write["workload"] == "write"]
    assert write.loc["LmdbJavaBb", ["value", "trials", "failures", "gbs"]].tolist() == [
        100.0,
        3,
        0,
        pytest.approx(1.04),
    ]
    assert write.loc["Xodus", ["status", "reason", "failures"]].tolist() == [
        "failed",
        synthetic.TIMEOUT,
        3,
    ]
    random = test.case(Case("int", "random"))
    rocks = random[random["workload"] == "write"].loc["RocksDb"]
    assert (rocks["status"], rocks["trials"], rocks["failures"], rocks["reason"]) == (
        "ok",
        2,
        1,
        synthetic.CRASH,
    )
    assert test.sizes(Case("int", "random")).loc["LmdbJavaBb", "overhead"] == pytest.approx(
        100 * 65 / 104
    )


def test_a_workload_that_no_python_names_is_shown(runs):
    name = synthetic.write_run(runs, sections=[synthetic.SECTION])
    for file in (runs / name / synthetic.SECTION).glob("*.json"):
        file.write_text(file.read_text().replace('"readSeq"', '"readBlake"'))
    found = chapter.of(synthetic.SECTION)
    assert found.workloads == ["write", "readKey", "readRev", "readCrc", "readXxh64", "readBlake"]
    figure = charts.workloads(found, "fig-x", Case("int", "random"))
    assert "readBlake" in json.dumps(figure.spec)
    rows = lines(tables.speeds(found, Case("int", "random")))
    assert "**readBlake**" in [row[0] for row in rows]


def test_a_table_of_times_has_units_order_and_every_row(test):
    head, rule, *rows = lines(tables.speeds(test, Case("string", "random")))
    assert head[2:] == [
        "ns/entry",
        "95% interval, ns/entry",
        "ms/pass",
        "GB/s",
        "times the flat file",
        "2016, ns/entry",
    ]
    assert all(cell.endswith(":") for cell in rule[2:]) and len(rows) == 6 * (
        len(synthetic.STORES) - 1
    )
    each = len(synthetic.STORES) - 1
    scan = [row[1:] for row in rows[2 * each : 3 * each]]
    assert [row[0] for row in scan] == [
        "Flat file",
        "LMDB BB",
        "LMDB DB",
        "LMDB BB safe",
        "RocksDB (2/3)",
        "LevelDB",
        "MapDB",
        "Chronicle",
        "Xodus",
    ]
    assert (
        scan[1][1] == "150" and scan[1][5] == "10.0" and scan[1][6] == "81.3"
    )  # 100 x 1.5 x 3 / 3; 2016: 81.325047 ms
    assert [row[1:] for row in scan[-2:]] == [["n/a", *["–"] * 5], ["failed", *["–"] * 4, "1,330"]]


def test_the_notes_give_every_reason_in_full(test):
    told = tables.notes(test, "A12", Case("string", "random")).data
    assert told.startswith(
        "A12 · measured 2026-01-02 on lab · profile smoke · memory: as the options say · 3 trials ·"
        " 1,000 entries, 16-byte string keys, random order"
    )
    assert f"- **LevelDB**, readCrc: failed, {synthetic.WRONG}" in told
    assert f"- **RocksDB**, every workload: 1 of 3 trials failed, {synthetic.CRASH}" in told
    assert (
        f"- **Chronicle**, readSeq, readRev, readCrc and readXxh64: n/a, {synthetic.UNORDERED}"
        in told
    )
    assert f"- **Xodus**, every workload: failed, {synthetic.TIMEOUT}" in told


def test_sizes_stand_beside_what_was_printed(test):
    rows = {row[0]: row[1:] for row in lines(tables.sizes(test, Case("int", "random"), "A08"))}
    assert rows["LMDB BB"] == ["169,000", "169", "62.50", "172,040,192", "65.42"]
    assert rows["Xodus"] == ["failed", "–", "–", "473,067,520", "354.87"]
    of_another = tables.sizes(test, Case("int", "random"), "A14")
    rows = {row[0]: row[1:] for row in lines(of_another)}
    assert rows["LMDB BB"] == ["169,000", "169", "62.50", "27,439,894,528", "35.17"]


# Rule D03: a column of numbers, and an axis, has a unit, or names what it counts.
UNIT = re.compile(
    r"\b(ns|µs|ms|s|s\)|KB|MB|GB|B|bytes?|times|cores|files|threads|trials|entries|number|"
    r"holds|hold|half true|say|measured|statements|run|writes/s|operations/s|"
    r"(ns|µs|B)/entry|ms/(pass|run)|G[BE]/s)\b|%"
)


def without_unit(text: str) -> list[str]:
    """The headers of columns set to the right, in the pipe tables of a text, that have no unit."""
    heads = re.findall(r"^\| (.+) \|\n\| ([-:| ]+) \|$", text, re.M)
    return [
        name
        for head, rule in heads
        for name, dashes in zip(head.split(" | "), rule.split(" | "))
        if dashes.endswith("-:") and not UNIT.search(name)
    ]


def axes_without_unit(spec: dict) -> list[str]:
    """The panels of a figure with an axis of values whose unit stands neither beside it nor in the
    panel's title.
    """
    found = []
    for panel in spec.get("concat", []):
        title = panel["title"]["text"]
        for layer in panel["layer"]:
            for channel in ("x", "y"):
                axis = layer["encoding"].get(channel, {})
                if (
                    axis.get("type") == "quantitative"
                    and axis.get("axis") is not None
                    and not UNIT.search(axis.get("title") or axis["axis"].get("title") or title)
                ):
                    found.append(f"{title}: {channel}")
    return found


def test_a_missing_unit_is_found():
    assert without_unit("| store | time | size, MB |\n| :---- | ---: | ---: |\n| a | 1 | 2 |") == [
        "time"
    ]
    axis = {"encoding": {"y": {"type": "quantitative", "title": None, "axis": {"title": None}}}}
    assert axes_without_unit(
        {
            "concat": [
                {"title": {"text": "write"}, "layer": [axis]},
                {"title": {"text": "write · µs/entry"}, "layer": [axis]},
            ]
        }
    ) == ["write: y"]


def test_columns_have_room_for_their_longest_word_and_wide_ones_give_way_first():
    numbers = [f">share {i}, operations/s" for i in range(6)]
    [head, rule, row] = tables.table(
        ["option", *numbers, "why"],
        [
            [
                link("a_rather_long_name", "https://example.org/page.html"),
                *["1,234,567"] * 6,
                "because " * 20,
            ]
        ],
    ).data.splitlines()
    widths = [len(dashes) for dashes in rule.strip("| ").split(" | ")]
    assert all(
        width >= len(word) + 2
        for width, word in zip(widths, ["a_rather_long_name", *["operations/s"] * 6, "because"])
    )
    assert widths[0] < 30 and sum(widths[1:7]) < 6 * 20, "what a link leads to takes no room"
    assert widths[-1] < 20, "words are broken between lines before numbers are"


def test_every_number_column_says_its_unit(test):
    """Rule D03: a header to the right has a unit, or is a count."""
    for table in (
        tables.speeds(test, Case("int", "random")),
        tables.sizes(test, Case("int", "random"), "A08"),
        tables.overheads(test),
        tables.costs(test, Case("int", "random"), "write"),
        tables.changes(test, Case("int", "sequential"), Case("int", "random")),
        costs.debts(test, Case("int", "random")),
        costs.workloads(test, Case("int", "random")),
        baseline.table_of(test, Case("int", "random")),
    ):
        head, rule, *rows = lines(table)
        for name, dashes in zip(head, rule):
            assert not dashes.endswith(":") or re.search(
                r"ns/entry|ms/|GB/s|bytes?|B/entry|%|times|MB|, s$|cores|files|threads", name
            ), name


def test_verdicts_follow_from_the_figures(test):
    found = {claim.says: here for claim, _, here in claims.findings(statements.TEST_4, test)}
    verdict = {says: finding.verdict for says, finding in found.items()}
    first = found[
        "With int keys in sequential order LMDB is the fastest at everything, writing included"
    ]
    assert first.verdict is Verdict.HOLDS
    assert verdict["With int keys in random order LevelDB writes faster than LMDB"] == Verdict.FAILS
    assert (
        verdict["A scan with a cursor beats reading by key, in every store and case"]
        == Verdict.HOLDS
    )
    assert verdict["LevelDB and RocksDB need less than 3% over a flat array"] == Verdict.HOLDS
    assert (
        verdict["Xodus takes 4.5 times the flat array (4 to 5 are taken as such)"]
        == Verdict.NOT_MEASURED
    )
    assert (
        verdict["String keys perform as int keys do (within a quarter is taken as such)"]
        == Verdict.FAILS
    )  # half as long again
    ahead = [pair.times for pair in first.numbers["ahead"]]
    assert len(ahead) == len(first.numbers["pairs"]) == 6
    assert (min(ahead), max(ahead)) == (pytest.approx(1.5, rel=1e-3), pytest.approx(3, rel=1e-3))


def test_the_summary_counts_what_the_table_shows(test):
    found = verdicts.counts(statements.TEST_4, test)
    said = [row[-1] for row in lines(verdicts.table_of(statements.TEST_4, test))[2:]]
    shown = [each.split("**")[1] for each in said]
    assert any("leads in" in each for each in said), "what it comes to stands beside the verdict"
    assert found["statements"] == len(statements.TEST_4.claims) == len(shown)
    assert [found[verdict.name.lower()] for verdict in Verdict] == [*map(shown.count, Verdict)]
    assert {found["holds"], found["fails"], found["not_measured"]}.isdisjoint({0})
    assert found["smaller"] == [{"test": 4, "source": 1_000_000, "least": 1000, "most": 1000}]
    head, _, row = lines(verdicts.scoreboard({"Test 4": (statements.TEST_4, synthetic.SECTION)}))
    assert head[2:] == [*Verdict] and row[2:] == [str(shown.count(verdict)) for verdict in Verdict]
    text = fill(verdicts.SUMMARY, **found)
    for said in (found["holds"], found["fails"], "1,000,000", "1,000"):
        assert str(said) in text
    listed = verdicts.evidence(statements.TEST_4, test).data
    assert re.findall(r"(?m)^    - Here: ([^;]+);", listed) == shown


def test_a_tie_is_called_one(test):
    rows = {row[0]: row[1:] for row in lines(tables.glance(test))}
    assert rows["**write**"][0] == "100: LMDB BB and LMDB DB"
    evidence = claims.measured(test)
    close = [(Case("int", "sequential"), "write")]
    tied = leads(close, "LmdbJavaBb", against="LmdbJavaDb")(evidence)
    assert tied.verdict == Verdict.FAILS, "half a percent apart, and hardly any scatter"
    assert (tied.numbers["ns"], tied.numbers["other_ns"]) == (100, 100.5)
    assert leads(close, "MapDb")(evidence).verdict == Verdict.FAILS
    assert leads(close, "Nothing")(evidence).verdict == Verdict.NOT_MEASURED


def test_one_trial_decides_nothing(runs):
    synthetic.write_run(runs, trials=1)
    test = chapter.of(synthetic.SECTION)
    assert set(rankings.leaders(test, Case("int", "sequential"))["leader"]) == {""}
    timed = [
        here.verdict
        for claim, _, here in claims.findings(statements.TEST_4, test)
        if "tbl-" not in claim.figures
    ]
    assert set(timed) == {Verdict.INCONCLUSIVE}
    assert {row[3] for row in lines(tables.speeds(test, Case("int", "random")))[2:]} == {"–"}


def test_a_run_of_one_section_is_shown_though_chapters_draw_on_others(runs, monkeypatch):
    name = synthetic.write_run(runs, trials=1, stores=("FlatFile",), sections=[synthetic.SECTION])
    shutil.rmtree(runs / name / synthetic.HARNESS)
    bare = chapter.of(synthetic.HARNESS)
    assert [len(rows) for rows in (bare.results, bare.space)] == [0, 0]
    assert "1,000 entries" in chapters.execute("methodology", runs, monkeypatch).text
    shutil.rmtree(runs / name / synthetic.SECTION)
    monkeypatch.setenv("KVREPORT_RUN", name)
    assert not len(chapter.of(synthetic.SECTION).results), "a run without any trial"


OF_NO_SECTION = {"changes", "crashes", "library", "stores-driven"}  # but of versions, of scripts


@pytest.mark.end_to_end
@pytest.mark.parametrize(
    "notebook", sorted(paths.CHAPTERS.glob("*.ipynb")), ids=lambda path: path.stem
)
@pytest.mark.parametrize(
    "stores",
    [EVERY, ("FlatFile", "Xodus"), ("Xodus",), ("Memory",), ()],
    ids=["everything", "the-limit-alone", "one-that-failed", "no-store", "nothing"],
)
def test_every_chapter_runs_whatever_was_measured(
    notebook, stores, runs_of, driven_headings, monkeypatch, capsys
):
    """What there is little of is drawn, too; all that there can be is by the end-to-end tests."""
    whole = stores == EVERY
    text = chapters.execute(notebook, runs_of(stores), monkeypatch, whole, not whole).text
    if whole:
        assert (
            without_unit(text) == []
            and {
                id: found
                for id, spec in figures.specs().items()
                if (found := axes_without_unit(spec))
            }
            == {}
        )
        linked = {about["driven"].partition("#")[2] for about in figures.stores().values()}
        assert linked <= driven_headings, "of how each store was driven"
    assert " object at 0x" not in text, "a template printed what is no text"
    assert ("Nothing is measured yet" in text) == (
        not stores and notebook.stem not in {"crashes", "library"}
    ), "which show what was crashed, whether it was measured or not, and what there is"
    assert not re.findall(r"\bnan\b", text)
    assert (f"No trial of this section succeeded. Xodus: {synthetic.TIMEOUT}" in text) == (
        stores == ("Xodus",) and notebook.stem not in OF_NO_SECTION
    )


@pytest.mark.parametrize("notebook", FINDING, ids=lambda file: file.stem)
def test_a_chapter_begins_with_what_was_found(notebook):
    """Below its heading, and whose machine it is about where that is another, before any other
    words and the line on where the figures come from.
    """
    heading, *cells = json.loads(notebook.read_text())["cells"]
    assert re.fullmatch(r"# .*\n\n\{\{< var measured(-\d\d)? >\}\}", "".join(heading["source"]))
    computed = itertools.takewhile(lambda cell: cell["cell_type"] == "code", cells)
    *_, finding = ("".join(cell["source"]) for cell in computed)
    assert re.search(r"(\.markdown|\.findings|Sentence|kv\.finding)\(", finding)
    assert ".opening(" not in finding and "provenance(" not in finding


def test_a_section_names_the_stores_that_it_has_not_measured_yet(runs):
    name = synthetic.write_run(runs)
    planned = {"stores": ["LevelDbJni", "RocksDb", "Xodus"]}
    (runs / name / "03-batch-sizes.plan.json").write_text(json.dumps(planned))
    whole = chapter.of("03-batch-sizes").opening("A06").data
    for file in (runs / name / "03-batch-sizes").glob("RocksDb-*.json"):
        file.unlink()
    told = chapter.of("03-batch-sizes").opening("A06").data
    assert "RocksDb" not in whole and re.search(
        r"Not measured in this run yet: .*`RocksDb`.*; `make section S=03.*` measures what is"
        r" missing",
        told,
    )


def test_a_section_of_another_day_says_so_in_its_captions(runs):
    name = synthetic.write_run(runs)
    for file in (runs / name / "03-batch-sizes").iterdir():
        file.write_text(
            file.read_text().replace('"started": "2026-01-02T', '"started": "2026-01-09T')
        )
    told = chapter.of("03-batch-sizes").provenance("A06")
    assert "A06 · measured 2026-01-09 on lab" in told and told.endswith(
        " · unlike most sections, which were measured 2026-01-02 on lab"
    )
    small = chapter.of(synthetic.SECTION)
    assert "unlike" not in small.provenance("A09")
    later = runs / name / "03-batch-sizes" / "RocksDb-1.json"
    later.write_text(
        later.read_text().replace('"started": "2026-01-09T', '"started": "2026-01-02T')
    )
    told = chapter.of("03-batch-sizes").provenance("A06")
    assert "A06 · measured 2026-01-02 to 2026-01-09 on lab" in told and "unlike" not in told, (
        "it shares a day with the others"
    )
    for file in (runs / name / "03-batch-sizes").iterdir():
        file.write_text(re.sub('"2026-01-0[29]T', '"2026-01-03T', file.read_text()))
    assert "unlike" not in chapter.of("03-batch-sizes").provenance("A06"), "of the night between"
    fewer = replace(small)
    vars(fewer)["results"] = small.results.assign(entries=90)
    assert chapter.provenance([small, fewer, small], "Crossover").endswith(
        " trials · 90 to 1,000 entries"
    ), "of all that an exhibit draws on"


def test_sections_of_another_profile_say_so_and_are_not_set_against_others(runs):
    first = synthetic.write_run(runs, "2026-01-02-lab", sections=["05-medium-values"])
    synthetic.write_run(runs, "2026-01-03-lab", sections=["04-small-values", "06-large-values"])
    file = runs / first / "environment.json"
    sections = "04-small-values", "05-medium-values", "06-large-values"
    shown = [*map(chapter.of, sections)]
    assert chapter.comparable(shown) == shown
    synthetic.change_profile(runs / first, "quick")
    file.write_text(file.read_text().replace("2026-01-02T", "2026-01-01T"))
    small, medium, large = tests = [*map(chapter.of, sections)]
    assert medium.provenance("A15").endswith(
        "which were measured 2026-01-02 on lab at profile smoke"
    ) and "unlike" not in small.provenance("A09")
    assert chapter.comparable(tests) == [small, large] and chapter.comparable([small, medium]) == [
        medium
    ]
    less, more = (
        claims.measured(each).best((Case("int", "random", size), "write"), who)
        for each, size, who in ((small, 100, "LMDB"), (medium, 2026, "MapDB"))
    )
    assert (
        less.compare(replace(more, comparison_group=less.comparison_group)) == "less"
        and not less.compare(more).measurable
        and less.is_close(more) == less.is_less(more) == Verdict.NOT_MEASURED
    )
    assert set(crossover.rows_of(tests)["x"]) == set(crossover.rows_of([small, large])["x"])
    assert crossover.left_out(tests) == [medium] and crossover.left_out([small, large]) == []
    first, second = chapter.opening(tests, "A26").data.split("\n\n")
    assert (
        first.startswith("*A26, Tests 4 and 6 · measured 2026-01-02 on lab · profile smoke")
        and second.startswith("*A26, Test 5 · measured")
        and "profile quick" in second
    )
    one, *more = chapter.opening([small, large], "A26").data.split("\n\n")
    assert (
        not more
        and one.startswith("*A26 · measured")
        and one.startswith(f"*{chapter.provenance([small, large], 'A26')}.*")
        and "on older terms" in one
    ), "with the entries of both"


def test_a_section_tried_at_the_sources_size_stands_beside_the_one_shown(runs):
    section = "05-medium-values"
    synthetic.write_run(runs, "2026-01-03-lab", sections=[section])
    alone = chapter.in_full(section)
    assert (
        not alone.measured
        and "make section S=05 PROFILE=full" in alone.problem
        and "PROFILE=full" in tables.speeds(alone, Case("int", "random", 2026)).data
    )
    for name, stores in (
        ("2026-01-02-lab", ("RocksDb",)),
        ("2026-01-01-lab", ("LmdbJavaDb", "RocksDb")),
    ):
        file = (
            runs
            / synthetic.write_run(runs, name, trials=1, stores=stores, sections=[section])
            / "environment.json"
        )
        synthetic.change_profile(file.parent, "full")
        file.write_text(file.read_text().replace("2026-01-02T", f"{name[:10]}T"))
    whole = chapter.in_full(section)
    assert (
        [*whole.stores] == ["LmdbJavaDb", "RocksDb"]
        and whole.trial_counts == (1, 1)
        and len(chapter.of(section).stores) > 2
    )
    provenance = whole.provenance("A14 to A16")
    assert "· profile full · memory: as the options say · 1 trial · " in provenance
    assert "unlike most sections, which were measured 2026-01-02 on lab at profile smoke" in (
        provenance
    )
    assert rankings.scale(whole, 10_000_000)["trials"] == (1, 1)
    furthest = rankings.spreads(whole).iloc[0]
    assert furthest["name"] == "RocksDB" and 1 < furthest["times"] < 2
    case = Case("int", "random", 2026)
    same = rankings.orders(whole, chapter.of(section), case)
    assert set(same["workload"]) == {"write", "readKey", "readSeq"} and not same["turned"].any()

    def slow(measured, _):
        for result in measured["results"]:
            if result["workload"] == "write":
                result["iteration_ns"] = [100 * ns for ns in result["iteration_ns"]]

    for file in runs.glob(f"2026-01-01-lab/{section}/LmdbJavaDb-*.json"):
        record = json.loads(file.read_text())
        for measured in record["cases"]:
            slow(measured, 1)
        file.write_text(json.dumps(record))
    turned = rankings.orders(chapter.in_full(section), chapter.of(section), case)
    turned = turned.set_index("workload")
    assert turned["turned"].to_dict() == {"write": True, "readKey": False, "readSeq": False}
    assert turned.loc["write", "names"] == ["RocksDB", "LMDB DB"]
    assert turned.loc["write", "fewer"] == ["LMDB DB", "RocksDB"]
    assert turned.loc["write", "ns"] == sorted(turned.loc["write", "ns"])


def test_processors_of_one_label_are_told_apart(runs):
    synthetic.write_run(runs, "2026-01-02-lab", sections=["05-medium-values"])
    other = synthetic.write_run(runs, "2026-01-03-lab", sections=["04-small-values"])
    file = runs / other / "environment.json"
    file.write_text(file.read_text().replace('"32M"', '"8M", "L2": "1M"'))
    (runs / "reference.txt").write_text(f"2026-01-02-lab\n{other}\n")
    assert (
        chapter.of("04-small-values")
        .provenance("A09")
        .endswith(" 2026-01-02 on lab with another processor (L3 32M)")
    )


def test_sections_of_two_machines_are_told_apart(runs):
    names = (
        synthetic.write_run(runs, "2026-01-02-lab", sections=["05-medium-values"]),
        synthetic.write_run(runs, "2026-01-02-pool", sections=["04-small-values"]),
    )
    file = runs / names[1] / "environment.json"
    file.write_text(
        file.read_text()
        .replace('"host": "lab"', '"host": "pool"')
        .replace('"model": "CPU"', '"model": "another CPU"')
    )
    lab = runs / names[0] / "environment.json"
    lab.write_text(json.dumps(json.loads(lab.read_text()) | {"read_ahead_kb": 128}))
    (runs / "reference.txt").write_text("\n".join(names))
    small, medium, bare = map(chapter.of, ("04-small-values", "05-medium-values", "00-harness"))
    assert small.provenance("A09").endswith(
        "unlike most sections, which were measured 2026-01-02 on lab"
    )
    machines = kv.machines().set_index("host")
    assert machines["sections"].to_dict() == {"pool": ["04"], "lab": ["00", "05"]}
    assert machines["cpu.model"].to_dict() == {"pool": "another CPU", "lab": "CPU"}
    cases = (small, Case("int", "random")), (medium, Case("int", "random", 2026))
    assert {row[0] for row in lines(baseline.bandwidth(bare, *cases))[2:]} == {
        row[0] for row in lines(baseline.bandwidth(bare, cases[1]))[2:]
    }
    assert cite.conditions(shown_environments()) == "profile smoke, measured on lab and pool"
