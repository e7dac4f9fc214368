"""Checks of statements, on evidence made by hand: what each verdict takes, and the numbers that the
sentences are filled with.
"""

from dataclasses import replace
from math import inf, log, nan

import numpy as np
import pytest

from kvreport.analysis import model, stats
from kvreport.analysis.stats import Difference
from kvreport.base.templates import fill
from kvreport.base.text import some
from kvreport.claims import changes, checks, pairs, ranks, resources
from kvreport.claims.evidence import APART, Evidence, Time, merged, trials_needed, within
from kvreport.claims.finding import Finding, Verdict, combined, not_measured, takes, weighed
from kvreport.data.cases import Case

HOLDS, MOSTLY, HALF, FAILS, INCONCLUSIVE, NOT_MEASURED = Verdict
BASE, RANDOM = Case("int", "sequential"), Case("int", "random")
NAMES = {"A1": "Alpha one", "A2": "Alpha two", "B": "Beta", "C": "Gamma"}
ENGINES = {"A1": "Alpha", "A2": "Alpha", "B": "Beta", "C": "Gamma"}


def time(store: str, ns: float, spread: float = 0.01, **more) -> Time:
    """A time of three trials that scatter by so much."""
    return Time(store, ns, (ns * (1 - spread), ns, ns * (1 + spread)), **more)


def shot(store: str, ns: float, error: float = nan) -> Time:
    """A published time, with its error where one was printed."""
    return Time(store, ns, (), ns - error, ns + error)


def evidence(times: dict | None = None, **more) -> Evidence:
    keyed = {
        (key if isinstance(key[0], Case) else (BASE, key)): found
        for key, found in (times or {}).items()
    }
    return Evidence(keyed, more.pop("overheads", {}), NAMES, ENGINES, **more)


# --- verdicts ---


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        ([HOLDS, HOLDS], HOLDS),
        ([HOLDS] * 9 + [NOT_MEASURED], NOT_MEASURED),
        ([HOLDS, NOT_MEASURED, INCONCLUSIVE], INCONCLUSIVE),
        ([NOT_MEASURED, INCONCLUSIVE, FAILS, HOLDS], FAILS),
        ([], NOT_MEASURED),
    ],
)
def test_one_cell_refutes_and_every_cell_has_to_be_measured_and_hold(verdicts, whole):
    assert combined(verdicts) is combined(reversed(verdicts)) is whole


@pytest.mark.parametrize(
    ("holds", "fails", "unclear", "missing", "whole", "words"),
    [
        (6, 0, 0, 0, HOLDS, "holds"),
        (87, 6, 0, 0, MOSTLY, "mostly holds (87 of 93)"),
        (4, 0, 1, 0, MOSTLY, "mostly holds (4 of 5; 1 too noisy)"),
        (12, 3, 3, 0, MOSTLY, "mostly holds (12 of 18; 3 too noisy)"),
        (12, 4, 4, 0, HALF, "half true (12 of 20; 4 too noisy)"),
        (3, 1, 4, 0, INCONCLUSIVE, "too noisy to say"),
        (3, 1, 2, 0, HALF, "half true (3 of 6; 2 too noisy)"),
        (1, 1, 3, 0, INCONCLUSIVE, "too noisy to say"),
        (4, 1, 3, 0, HALF, "half true (4 of 8; 3 too noisy)"),
        (1, 1, 0, 0, HALF, "half true (1 of 2)"),
        (7, 0, 13, 0, INCONCLUSIVE, "too noisy to say"),
        (1, 9, 0, 0, FAILS, "does not hold (1 of 10)"),
        (0, 3, 3, 0, FAILS, "does not hold"),
        (1, 0, 0, 1, NOT_MEASURED, "not measured"),
        (3, 0, 1, 1, INCONCLUSIVE, "too noisy to say"),
        (0, 0, 0, 2, NOT_MEASURED, "not measured"),
    ],
)
def test_a_statement_is_weighed_by_its_cells(holds, fails, unclear, missing, whole, words):
    cells = [HOLDS] * holds + [FAILS] * fails
    cells += [INCONCLUSIVE] * unclear + [NOT_MEASURED] * missing
    assert weighed(cells) is whole and Finding(tuple(cells), "").outcome == words


def test_all_of_some_checks_have_their_verdicts_combined_and_their_evidence_once():
    def check(verdict: Verdict, why: str):
        return lambda _: Finding((verdict,), "{{ why }}", {"why": why})

    found = checks.all_of(check(HOLDS, "a"), check(NOT_MEASURED, "b"), check(HOLDS, "a"))
    assert found(evidence()).cells == (HOLDS, NOT_MEASURED, HOLDS)
    assert found(evidence()).why == "a; b"
    many = checks.all_of(
        *(check(HOLDS, each) for each in "abcd"), check(FAILS, "f"), check(INCONCLUSIVE, "i")
    )
    assert many(evidence()).why == "a; b; c; d; f; i"
    assert many(evidence()).effect == "f; i; a; and 3 more", "what speaks against it comes first"


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (2, 3, HOLDS),
        (2.1, 2.9, HOLDS),
        (1.9, 2.5, INCONCLUSIVE),
        (2.5, 3.1, INCONCLUSIVE),
        (1, 4, INCONCLUSIVE),
        (1, 1.9, FAILS),
        (3.1, 4, FAILS),
    ],
)
def test_an_interval_lies_between_two_bounds_or_apart_from_them_or_across_one(low, high, verdict):
    assert within(low, high, 2, 3) is verdict


# --- times ---


def test_published_times_differ_where_their_intervals_do_and_single_shots_beyond_a_twentieth():
    assert shot("A1", 100, 4).compare(shot("B", 110, 5)) is Difference.LESS
    assert shot("B", 110, 5).compare(shot("A1", 100, 4)) is Difference.GREATER
    assert shot("A1", 100, 6).compare(shot("B", 110, 5)) is Difference.INCONCLUSIVE
    assert shot("A1", 100).compare(shot("B", 104, 1)) is Difference.INCONCLUSIVE
    assert shot("B", 104, 1).compare(shot("A1", 100)) is Difference.INCONCLUSIVE
    assert shot("A1", 100).compare(shot("B", 110, 1)) is Difference.LESS
    assert shot("A1", 100).compare(shot("B", 106)) is Difference.LESS
    assert shot("B", 106).compare(shot("A1", 100)) is Difference.GREATER


@pytest.mark.parametrize(("mine", "other"), [(1.0, 1.5), (1.5, 1.0)])
def test_the_higher_of_two_noise_floors_counts(mine, other):
    assert time("A1", 100).compare(time("B", 130)) is Difference.LESS
    less, more = time("A1", 100, floor=mine), time("B", 130, floor=other)
    assert less.compare(more) is more.compare(less) is Difference.INCONCLUSIVE


def test_times_of_two_machines_are_not_compared():
    here, there = time("A1", 100), time("B", 300, comparison_group=("elsewhere",))
    assert here.compare(there) is Difference.INCONCLUSIVE
    assert here.is_less(there) is here.is_close(there) is NOT_MEASURED
    assert here.is_less(replace(there, comparison_group=())) is HOLDS


def test_two_times_are_close_within_a_quarter_either_way():
    for close, apart in ((120, 140), (85, 70)):
        assert time("A1", close).is_close(time("B", 100)) is HOLDS
        assert time("A1", apart).is_close(time("B", 100)) is FAILS
        assert shot("A1", close).is_close(shot("B", 100)) is HOLDS
        assert shot("A1", apart).is_close(shot("B", 100)) is FAILS
    assert time("A1", 124, 0.05).is_close(time("B", 100, 0.05)) is INCONCLUSIVE
    assert Time("A1", 100, (100,)).is_close(Time("B", 100, (100,))) is INCONCLUSIVE


# --- who leads ---


def test_a_lead_is_over_every_store_that_is_not_ones_own():
    found = evidence(
        {
            "write": [time("A1", 100), time("A2", 105), time("B", 200), time("C", 300)],
            "readKey": [time("A2", 300), time("B", 200)],
            "readSeq": [time("A1", 100), time("B", 100.5)],
            "readRev": [time("A1", 100)],
        }
    )
    keys = ranks.at([BASE], ("write", "readKey", "readSeq", "readRev"))
    whole = ranks.leads(keys, "Alpha")(found)
    assert whole.verdict is HALF
    groups = {
        name: [pair.where.split()[0] for pair in whole.numbers[name]]
        for name in ("ahead", "behind", "unclear", "missing")
    }
    assert groups == {
        "ahead": ["write"],
        "behind": ["readKey"],
        "unclear": ["readSeq"],
        "missing": ["readRev"],
    }
    (ahead,), (behind,) = whole.numbers["ahead"], whole.numbers["behind"]
    assert (ahead.first, ahead.other, ahead.times) == ("Alpha one", "Beta", 2)
    assert (behind.ns, behind.other_ns) == (300, 200)
    for part in ("1 of 4", "2.00 times", "Alpha two 300", "Beta 200", "not measured: readRev"):
        assert part in whole.why
    for key, verdict in zip(keys, (HOLDS, FAILS, INCONCLUSIVE, NOT_MEASURED)):
        assert ranks.leads([key], "Alpha")(found).verdict is verdict
    against = ranks.leads([keys[0]], "B", against="C")(found)
    assert against.verdict is HOLDS and against.numbers["times"] == 1.5
    assert "Gamma takes 1.50 times as long as Beta: 300 against 200 ns/entry" in against.why


def test_a_lead_among_those_that_sort_leaves_out_what_cannot_scan():
    found = evidence({"write": [time("A1", 100), time("B", 50)], "readSeq": [time("A1", 1)]})
    with_rival = evidence(
        {
            "write": [time("A1", 100), time("B", 50), time("C", 150)],
            "readSeq": [time("A1", 1), time("C", 1)],
        }
    )
    key = [(BASE, "write")]
    assert ranks.leads(key, "A1", ordered=True)(found).verdict is NOT_MEASURED
    assert ranks.leads(key, "A1", ordered=True)(with_rival).verdict is HOLDS
    assert ranks.leads(key, "A1")(with_rival).verdict is FAILS


@pytest.mark.parametrize(
    ("mine", "verdict"),
    [
        (time("A1", 250), HOLDS),
        (time("A1", 400), FAILS),
        (time("A1", 150), FAILS),
        (time("A1", 300, 0.1), INCONCLUSIVE),
        (Time("A1", 250, (250,)), INCONCLUSIVE),
    ],
)
def test_a_factor_has_its_whole_interval_between_its_bounds(mine, verdict):
    other = time("B", 100) if len(mine.values) > 1 else Time("B", 100, (100,))
    found = evidence({"write": [mine, other]})
    whole = ranks.factor((BASE, "write"), "A1", "B", 2, 3)(found)
    assert whole.verdict is verdict
    assert whole.numbers["times"] == pytest.approx(mine.value / 100)
    assert (whole.numbers["first"], whole.numbers["other"]) == ("Alpha one", "Beta")


def test_a_factor_of_published_times_is_taken_as_it_stands():
    key = BASE, "write"
    for ns, verdict in ((200, HOLDS), (300, HOLDS), (199, FAILS), (301, FAILS)):
        found = evidence({"write": [shot("A1", ns, 50), shot("B", 100, 50)]})
        assert ranks.factor(key, "A1", "B", 2, 3)(found).verdict is verdict
        assert ranks.at_least(key, "A1", "B", 2)(found).verdict is (HOLDS if ns > 199 else FAILS)
    elsewhere = time("B", 100, comparison_group=("elsewhere",))
    apart = ranks.factor(key, "A1", "B", 0, inf)(evidence({"write": [time("A1", 1), elsewhere]}))
    assert apart == not_measured(APART)
    assert ranks.factor(key, "A1", "C", 0, inf)(evidence()).verdict is NOT_MEASURED


def test_stores_are_close_by_the_slowest_and_the_fastest_of_them():
    key, whos = (BASE, "write"), ["A1", "B", "C"]
    found = evidence({"write": [time("B", 140), time("A1", 100), time("C", 120)]})
    assert ranks.close(key, whos, 1.5)(found).verdict is HOLDS
    far = ranks.close(key, whos, 1.3)(found)
    assert far.verdict is FAILS and far.numbers["times"] == pytest.approx(1.4)
    assert far.why.startswith("slowest against fastest: Beta takes 1.40 times")
    assert ranks.close(key, whos, 9)(evidence({"write": [time("B", 1)]})).verdict is NOT_MEASURED


# --- the section's model ---


def test_times_of_a_section_are_compared_by_its_model():
    """What scatters by round alone is told apart; what is chosen from many is held to more."""
    rounds = {"A1": (100, 200, 151), "B": (120, 206, 171), "C": (130, 262, 194)}
    whole = model.fit({store: dict(enumerate(ns)) for store, ns in rounds.items()})
    times = {store: Time(store, ns[2], ns, fit=whole) for store, ns in rounds.items()}
    fast, near, slow = times.values()
    assert stats.compare(fast.values, slow.values, 1) == "inconclusive"
    assert fast.is_less(slow) is HOLDS and slow.is_less(fast) is FAILS
    assert fast.is_less(near) is HOLDS and fast.is_less(near, 9000) is INCONCLUSIVE
    between = slow.over(fast)
    assert between.low < between.value == 194 / 151 < between.high < 1.5
    later = replace(fast, value=180.0, fit=model.fit({"A1": {0: 120.0, 1: 241.0, 2: 180.0}}))
    assert fast.is_less(later) is HOLDS, "one store in two cases is paired by trial"
    unclear = replace(fast, fit=replace(whole, variance=0.04))
    found = ranks.leads([(BASE, "write")], "A1")(
        evidence({"write": [unclear, replace(near, fit=unclear.fit)]})
    )
    assert found.verdict is INCONCLUSIVE and f"{found.numbers['needed']} trials" in found.why


def test_how_many_times_two_are_compared_is_once_unless_more_is_said():
    """At an error between the two critical values, one comparison tells what two do not."""
    rounds = {"A1": (100, 200, 151), "B": (120, 206, 171), "C": (130, 262, 194)}
    whole = model.fit({store: dict(enumerate(ns)) for store, ns in rounds.items()})
    unit = whole.error("C", "A1") / whole.variance
    between = sum(model.critical(many, whole.freedom) for many in (1, 2)) / 2
    edge = replace(whole, variance=(log(whole.compare("C", "A1").ratio) / between) ** 2 / unit)
    fast, slow = (Time(store, rounds[store][2], rounds[store], fit=edge) for store in ("A1", "C"))
    assert fast.is_less(slow) is fast.is_less(slow, 1) is HOLDS
    assert fast.is_less(slow, 2) is INCONCLUSIVE and fast.compare(slow) is Difference.LESS
    assert fast.contrast(slow) == edge.compare("A1", "C", 1)
    assert fast.over(slow).low == edge.compare("A1", "C", 1).low
    needed = [edge.compare("A1", "C", many).trials_needed() for many in (1, 2, 3)]
    assert len(set(needed)) == 3
    assert trials_needed(fast, slow) == pairs.pair("", fast, slow).needed == needed[0]
    assert pairs.pair("", fast, slow, comparisons=3).needed == needed[2]
    assert pairs.pair("", fast, slow).verdict is HOLDS
    assert pairs.MARGIN_PERCENT == "a difference of 10%"


def test_a_time_without_a_fit_or_of_another_machine_is_in_no_contrast():
    fit = model.fit({"A1": {0: 1.0, 1: 2.0}, "B": {0: 1.1, 1: 2.2}})
    fitted, bare = time("A1", 100, fit=fit), time("A1", 100)
    assert fitted == bare, "a fit is no part of what a time is"
    assert fitted.contrast(bare) is bare.contrast(fitted) is None
    there = time("B", 300, fit=fit, comparison_group=("elsewhere",))
    assert fitted.contrast(there) is None and fitted.contrast(time("B", 3, fit=fit)) is not None


def test_without_a_fit_the_trials_needed_are_by_welchs_variances():
    single, two, three = (Time("A1", 100, values) for values in ((100,), (90, 110), (99, 130, 160)))
    assert trials_needed(single, three) == trials_needed(three, single) == 0
    logs = [np.log(each.values) for each in (two, three)]
    scatter = model.Scatter(sum(each.var(ddof=1) for each in logs), 3)
    assert trials_needed(two, three, 1.9) == scatter.trials_needed(1.9) > 0
    wild = Time("B", 100, (1, 100, 10_000))
    assert trials_needed(wild, three) == inf and trials_needed(shot("A1", 1), three) is None


def test_a_lead_of_the_best_of_several_is_over_each_of_the_others():
    rounds = {
        "A1": (100, 240, 151),
        "A2": (104, 200, 160),
        "B": (110, 220, 171),
        "C": (1e3, 2e3, 2e3),
    }
    whole = model.fit({store: dict(enumerate(ns)) for store, ns in rounds.items()})
    times = {store: Time(store, ns[2], ns, fit=whole) for store, ns in rounds.items()}
    found = ranks.leads([(BASE, "write")], "Alpha")(evidence({"write": list(times.values())}))
    needed = [trials_needed(times["A1"], times["B"], comparisons=many) for many in (1, 2, 3, 4, 5)]
    assert len(set(needed)) == 5 and found.numbers["needed"] == needed[2]


@pytest.mark.parametrize(("low", "high", "nearest"), [(1.2, 1.56, "1.56"), (1.48, 1.9, "1.48")])
def test_what_is_unclear_would_be_told_from_the_nearer_bound(low, high, nearest):
    found = evidence({"write": [time("A1", 151, 0.2), time("B", 100, 0.2)]})
    factor = ranks.factor((BASE, "write"), "A1", "B", low, high)(found)
    assert factor.verdict is INCONCLUSIVE and f"from {nearest}" in factor.numbers["takes"]


def test_a_factor_of_the_best_of_several_has_a_wider_interval_and_says_what_would_decide_it():
    rounds = {"A1": (100, 200, 151), "A2": (101, 205, 149), "B": (150, 290, 230)}
    whole = model.fit({store: dict(enumerate(ns)) for store, ns in rounds.items()})
    times = [Time(store, ns[2], ns, fit=whole) for store, ns in rounds.items()]
    found = evidence({"write": times})
    numbers = ranks.factor((BASE, "write"), "B", "Alpha", 1, 9)(found).numbers
    alone, several = (whole.compare("B", "A2", comparisons) for comparisons in (1, 2))
    assert (numbers["low"], numbers["high"]) == (several.low, several.high)
    assert several.low < alone.low
    near = ranks.close((BASE, "write"), ["Alpha", "B"], 1.56)(found)
    needed = several.trials_needed(1.56 / numbers["times"])
    assert near.verdict is INCONCLUSIVE
    assert f"{needed} trials would tell that from 1.56" in near.why


@pytest.mark.parametrize(
    ("needed", "words"),
    [
        ([], ""),
        ([9, None], ""),  # published
        ([0], "single trials say nothing, and two are the least"),
        ([3, 7, 0], "7 trials would tell 10%"),
        ([inf, 7], "more than 200 trials are needed to tell 10%"),
    ],
)
def test_what_it_takes_is_what_the_noisiest_comparison_takes(needed, words):
    assert takes(needed, "10%") == words


# --- the same store twice ---


def test_strings_are_like_ints_where_all_pairs_are_close():
    strings = BASE._replace(keys="string")

    def found(*times: Time) -> Finding:
        ints = [time("A1", 100), time("B", 100), time("C", 100)]
        return changes.string_like_int(
            evidence({(BASE, "write"): ints, (strings, "write"): list(times)})
        )

    assert found(time("A1", 110), time("B", 95)).verdict is HOLDS
    unclear = time("B", 125, 0.05)
    noisy = found(time("A1", 110), unclear)
    assert noisy.verdict is INCONCLUSIVE
    assert noisy.numbers["takes"] == takes(
        [trials_needed(unclear, time("B", 100), 1.25)], "a quarter"
    )
    assert noisy.numbers["takes"] and not found(time("A1", 110)).numbers["takes"]
    far = found(time("A1", 110), time("B", 50), time("C", 160))
    assert far.verdict is HALF
    expected = {"pairs": 3, "close": 1, "far": 2, "store": "Beta", "string_ns": 50, "int_ns": 100}
    assert far.numbers.items() >= expected.items()
    assert changes.string_like_int(evidence()).verdict is NOT_MEASURED


def test_scans_beat_gets_in_every_store_that_has_both():
    gets = [time("A1", 100), time("B", 100), time("C", 1)]
    fast = evidence({"readKey": gets, "readSeq": [time("A1", 20), time("B", 50)]})
    slow = evidence({"readKey": gets, "readSeq": [time("A1", 20), time("B", 150)]})
    holds, fails = changes.cursors_beat_keys(fast), changes.cursors_beat_keys(slow)
    assert holds.verdict is HOLDS and fails.verdict is HALF
    assert sorted(pair.times for pair in holds.numbers["ahead"]) == [2, 5]
    (behind,) = fails.numbers["behind"]
    assert behind.where.startswith("Beta") and (behind.ns, behind.other_ns) == (150, 100)


SYNCED = BASE._replace(settings="sync=on")


def test_of_a_store_beside_itself_is_said_what_differs():
    other = BASE._replace(settings="sync=on, batch=1", order="random")
    found = evidence({(BASE, "write"): [time("A1", 200)], (other, "write"): [time("A1", 100)]})
    check = ranks.factor((BASE, "write"), "A1", "A1", 1.5, 3, than=(other, "write"))
    assert check(found).verdict is HOLDS
    assert check(found).effect == (
        "Alpha one takes 2.00 times as long with sequential as with sync=on, batch=1, random"
    )
    assert ranks.different((other, "write"), (other._replace(settings="batch=1"), "readKey")) == (
        ("sync=on, write", "readKey")
    )
    assert ranks.different((BASE, "write"), (SYNCED, "write")) == ("no setting", "sync=on")
    assert ranks.different((SYNCED, "write"), (BASE, "write")) == ("sync=on", "no setting")
    missing = ranks.factor((BASE, "write"), "A1", "A1", 1.5, 3, than=(SYNCED, "write"))
    assert missing(found) == not_measured()


# --- what stores take besides time ---


def test_every_store_of_every_engine_passes_a_test_of_its_size():
    sizes = {RANDOM: {"A1": 2.0, "A2": 2.5, "B": 4.0}}
    found = evidence(overheads=sizes)
    assert resources.overhead(["Alpha"], lambda over: over < 3)(found).verdict is HOLDS
    both = resources.overhead(["Alpha", "B"], lambda over: over < 3)(found)
    assert both.verdict is HALF
    assert [row["value"] for row in both.numbers["rows"]] == [2.0, 2.5, 4.0]
    part = resources.overhead(["Alpha", "C"], lambda over: over < 3)(found)
    assert part.verdict is NOT_MEASURED and part.numbers["missing"] == ["C"]
    assert part.why == "Alpha one +2.00% and Alpha two +2.50%; C not measured"
    assert resources.overhead(["C"], lambda over: over < 3)(found) == not_measured()


def test_cores_and_files_are_those_of_the_workload():
    key = BASE, "write"
    found = evidence(
        cores={key: {"A1": 0.9, "B": 1.6}, (BASE, "readKey"): {"A1": 5}}, files={key: {"A1": 2}}
    )
    assert resources.busy(["A1"], key, lambda cores: cores < 1.1)(found).verdict is HOLDS
    assert resources.busy(["A1", "B"], key, lambda cores: cores > 1.1)(found).verdict is HALF
    unknown = resources.busy(["A1", "B"], key, lambda cores: cores > 1.1, "as it may wait")(found)
    assert unknown.cells == (NOT_MEASURED, HOLDS)
    assert resources.holding(["A1"], key, lambda files: files > 2)(found).verdict is FAILS
    assert resources.holding(["A1", "B"], key, lambda n: n <= 2)(found).verdict is NOT_MEASURED
    few = replace(found, entries={BASE: 9})
    many = resources.holding(["A1"], key, lambda files: files > 2, 10)
    assert many(few).verdict is NOT_MEASURED and "10 entries" in many(few).why
    assert many(replace(found, entries={BASE: 10})).verdict is FAILS
    assert resources.holding(["A1"], key, lambda files: files <= 2, 10)(few).verdict is HOLDS
    assert unknown.why.endswith("; as it may wait")
    assert "wait" not in resources.busy(["A1"], key, lambda busy: busy > 0.8, "it waits")(found).why


def test_sizes_shrink_where_all_do():
    check = resources.shrinks(BASE, RANDOM)
    less = evidence(overheads={BASE: {"A1": 65.0, "B": 3.0}, RANDOM: {"A1": 35.0, "B": 1.0}})
    more = evidence(overheads={BASE: {"A1": 65.0, "B": 3.0}, RANDOM: {"A1": 35.0, "B": 3.0}})
    assert check(less).verdict is HOLDS and len(check(less).numbers["rows"]) == 2
    assert check(more).verdict is FAILS
    assert [row["store"] for row in check(more).numbers["larger"]] == ["Beta"]
    assert check(evidence(overheads={BASE: {"A1": 1.0}})).verdict is NOT_MEASURED


def test_a_store_runs_out_where_a_load_failed():
    check = resources.runs_out("B", [BASE, RANDOM], 1000)
    failed = evidence({"write": [time("B", 5)]}, failed={RANDOM: {"B": "out of memory"}})
    assert check(failed).verdict is HOLDS and check(failed).why == "out of memory"
    loaded = check(evidence({"write": [time("B", 5), time("A1", 1)]}))
    assert loaded.verdict is FAILS and loaded.numbers["loads"] == [{"case": BASE, "ns": 5}]
    fewer = check(evidence({"write": [time("B", 5)]}, entries={BASE: 999}))
    assert fewer.verdict is NOT_MEASURED and "1,000 entries" in fewer.why
    assert check(evidence({"write": [time("B", 5)]}, entries={BASE: 1000})).verdict is FAILS
    both = {(BASE, "write"): [time("B", 5)], (RANDOM, "write"): [time("B", 5)]}
    assert check(evidence(both, entries={BASE: 1000, RANDOM: 9})).verdict is FAILS, "one is enough"
    assert check(evidence({"write": [time("A1", 1)]})).verdict is NOT_MEASURED


# --- evidence and its sentences ---


def test_of_a_case_that_two_sections_have_the_first_counts():
    first, second = evidence({"write": [time("A1", 1)]}), evidence({"write": [time("A1", 2)]})
    second.times[(RANDOM, "write")] = [time("A1", 3)]
    joined = merged([first, second])
    assert joined.times[(BASE, "write")][0].value == 1
    assert joined.times[(RANDOM, "write")][0].value == 3


def test_an_engine_stands_for_its_stores_and_a_store_for_itself():
    found = evidence({"write": [time("A1", 3), time("A2", 2), time("B", 1)]})
    key = BASE, "write"
    assert found.best(key).store == "B" and found.best(key, but="B").store == "A2"
    assert found.best(key, "Alpha").store == "A2" and found.best(key, "A1").store == "A1"
    assert found.best(key, "Nothing") is None
    assert set(found.by_store(key, "Alpha")) == {"A1", "A2"}


def test_some_phrases_are_listed_and_the_rest_counted():
    assert (
        some(["a", "b", "c"]) == "a; b; c" and some(["a", "b", "c", "d"], 2) == "a; b; and 2 more"
    )
    rows = [{"name": "a", "ns": 1234.5}, {"name": "b", "ns": 1}]
    template = "{{ rows | each('{{ name }} {{ ns | number }}') | some }}"
    assert fill(template, rows=rows) == "a 1,234; b 1.00"


# --- boundaries ---


def test_what_touches_differs_in_nothing():
    for less, more in (
        (shot("A1", 100, 5), shot("B", 110, 5)),
        (shot("A1", 100, 5), shot("B", 102, 5)),
        (shot("A1", 100), shot("B", 105)),
    ):
        assert less.compare(more) is more.compare(less) is Difference.INCONCLUSIVE
    assert shot("A1", 100, 1).compare(shot("B", 110)) is Difference.LESS
    assert shot("A1", 110).compare(shot("B", 100, 1)) is Difference.GREATER
    assert time("A1", 100, 0.001).compare(time("B", 105, 0.001)) is Difference.LESS
    assert within(1, 2, 2, 3) is within(3, 4, 2, 3) is INCONCLUSIVE
    assert time("A1", 100).over(time("B", 50)).value == 2


def test_the_furthest_pair_is_found_either_way():
    strings = BASE._replace(keys="string")
    ints = [time("A1", 100), time("B", 100)]
    for first, second, store in ((300, 50, "Alpha one"), (200, 25, "Beta")):
        longer = {(BASE, "write"): ints, (strings, "write"): [time("A1", first), time("B", second)]}
        assert changes.string_like_int(evidence(longer)).numbers["store"] == store


def test_a_finding_after_words_has_the_numbers_of_both():
    whole = Finding((HOLDS,), "{{ a }}", {"a": 1}).after("{{ b }}", b=2)
    assert (whole.verdict, whole.numbers) == (HOLDS, {"a": 1, "b": 2})
    assert (whole.why, whole.summary) == ("2: 1", "")


def test_a_lead_takes_both_sides_and_names_the_case():
    alone = evidence({"write": [time("B", 100)], "readKey": [time("A1", 100)]})
    for workload in ("write", "readKey"):
        assert ranks.leads([(BASE, workload)], "Alpha")(alone).verdict is NOT_MEASURED
        factor = ranks.factor((BASE, workload), "Alpha", "B", 0, inf)
        assert factor(alone) == not_measured()
    both = evidence({"write": [time("A1", 50), time("B", 100)]})
    keys = ranks.at([BASE], ("write", "readKey"))
    for against, words in ((None, "Alpha leads"), ("B", "Alpha is ahead of Beta")):
        found = ranks.leads(keys, "Alpha", against)(both)
        assert found.numbers["what"] == words
        [ahead], [missing] = found.numbers["ahead"], found.numbers["missing"]
        assert (ahead.where, missing.where) == (f"write of {BASE}", f"readKey of {BASE}")
    assert ranks.READS == ("readKey", "readSeq", "readRev", "readCrc", "readXxh64")


def test_a_factor_may_be_of_another_case_and_shows_its_interval():
    found = evidence({"write": [time("A1", 300)], "readKey": [time("A1", 100), time("B", 1)]})
    check = ranks.factor((BASE, "write"), "A1", "A1", 2, 4, than=(BASE, "readKey"))
    elsewhere = time("A1", 100, comparison_group=("elsewhere",))
    apart = evidence({"write": [time("A1", 300)], "readKey": [elsewhere]})
    assert check(apart).verdict is NOT_MEASURED and "than" not in check(apart).numbers
    numbers = check(found).numbers
    assert numbers["times"] == 3 and numbers["low"] < 2.99 and numbers["high"] > 3.01
    assert ranks.at_least((BASE, "write"), "A1", "A1", 2, (BASE, "readKey"))(found).verdict is HOLDS
    assert ranks._trials_ratio(shot("A1", 100, 9), shot("B", 50, 9), 1).n == 0
    near = evidence({"write": [time("A1", 100), time("B", 100.2)]})
    assert ranks.close((BASE, "write"), ["A1", "B"], 1.5)(near).verdict is HOLDS


def test_sizes_are_listed_from_the_least():
    sizes = {RANDOM: {"A1": 50.0, "B": 10.0}}
    found = evidence(overheads=sizes)
    rows = resources.overhead(["A1", "B"], lambda over: over < 60)(found).numbers["rows"]
    assert [row["value"] for row in rows] == [10, 50]


def test_one_store_stands_for_an_engine_and_others_only_for_themselves():
    key = BASE, "write"
    rows = {key: [time("A1", 10), time("A2", 5), time("B", 8)]}

    def stores(found: Evidence, who=None, **more) -> list[str]:
        return [each.store for each in found.candidates(key, who, **more)]

    found = evidence(rows, stand_for={"Alpha": ("A0", "A1", "A2")})
    assert stores(found, "Alpha") == ["A1"] and stores(found) == ["A1", "B"]
    assert stores(found, but="B") == ["A1"] and stores(found, "A2") == ["A2"]
    assert found.best(key).store == "B", "not the quicker way to the engine"
    assert stores(evidence(rows), "Alpha") == ["A1", "A2"], "of a source's own figures any counts"
    alone = evidence({key: [time("A2", 5)]}, stand_for={"Alpha": ("A0", "A1", "A2")})
    assert stores(alone, "Alpha") == ["A2"], "the first that is measured"


KEYS = ranks.at([BASE], ("write", "readKey"))
TWO = evidence(
    {"write": [time("A1", 50), time("B", 100)], "readKey": [time("A1", 9), time("B", 9)]}
)


@pytest.mark.parametrize(
    ("check", "effect"),
    [
        (ranks.leads(KEYS, "Alpha"), "Alpha leads in 1 of 2, by 2.00 times"),
        (ranks.leads(KEYS[:1], "Alpha"), "Beta takes 2.00 times as long as Alpha one"),
        (ranks.leads(KEYS[:1], "B"), "Beta takes 2.00 times as long as Alpha one"),
        (ranks.leads(KEYS[1:], "B"), "Beta 9.00, Alpha one 9.00 ns/entry"),
        (ranks.at_least(KEYS[0], "B", "Alpha", 1.5), "Beta takes 2.00 times as long as Alpha one"),
        (
            ranks.close(KEYS[0], ["Alpha", "B"], 1.5),
            "slowest against fastest: Beta takes 2.00 times as long as Alpha one",
        ),
        (changes.cursors_beat_keys, ""),
    ],
)
def test_what_a_finding_comes_to_is_its_numbers_without_single_figures(check, effect):
    found = check(TWO)
    assert found.effect == effect


def test_what_resources_come_to_is_from_the_least_to_the_most():
    sizes = {RANDOM: {"A1": 2.0, "A2": 2.5, "B": 4.0}, BASE: {"A1": 1.0, "A2": 3.0, "B": 1.0}}
    found = evidence(overheads=sizes)
    every = resources.overhead(["Alpha", "B"], lambda over: over < 9)(found)
    assert every.effect == "3 stores, from Alpha one +2.00% to Beta +4.00%"
    assert resources.overhead(["B"], lambda over: over < 9)(found).effect == "Beta +4.00%"
    assert resources.shrinks(RANDOM, BASE)(found).effect == "1 of 3 stores take relatively more"
    assert resources.shrinks(BASE, BASE)(found).effect == "3 of 3 stores take relatively more"
