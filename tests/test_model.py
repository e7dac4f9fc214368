"""The model of a section: differences of stores against values known from elsewhere, and what its
answers are worth where the truth is known.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats as known

from kvreport.analysis import model, moderated, sessions, simulation
from kvreport.analysis.contrast import Contrast, critical
from kvreport.analysis.stats import Difference
from kvreport.base import paths

LOGS = {"A": [0.0, 0.3, 0.1], "B": [0.2, 0.4, 0.35], "C": [0.9, 1.3, 1.0]}


def fit(logs: dict[str, list[float]]) -> model.Fit:
    return model.fit(
        {store: {at: math.exp(each) for at, each in enumerate(own)} for store, own in logs.items()}
    )


def test_two_stores_in_blocks_are_a_paired_t_test():
    pair = {store: LOGS[store] for store in "AB"}
    student = known.ttest_rel(LOGS["B"], LOGS["A"]).confidence_interval()
    found = fit(pair).compare("B", "A")
    assert (math.log(found.low), math.log(found.high)) == pytest.approx(tuple(student))
    scan, get = (fit({"A": [value + each for value in LOGS["A"]]}) for each in (0, 1))
    changed = model.changed(replace(scan, logs={"A": dict(enumerate(LOGS["B"]))}), scan, "A")
    assert (math.log(changed.low), math.log(changed.high)) == pytest.approx(tuple(student))
    assert model.changed(get, scan, "A").ratio == pytest.approx(math.e)
    assert model.changed(get, scan, "B") is None and fit(pair).compare("A", "C") is None


def test_a_trial_that_failed_leaves_the_rounds_effect_out_of_the_difference():
    """B lacks the slow round, and is as fast as A in the others: so are they."""
    trials = {"A": {1: 1.0, 2: 9.0, 3: 1.1}, "B": {1: 1.0, 3: 1.1}, "C": {1: 2.0, 2: 18.0, 3: 2.2}}
    found = model.fit(trials)
    assert found.compare("B", "A").ratio == pytest.approx(1) and found.freedom == 3
    assert found.compare("C", "B").ratio == pytest.approx(2)


def test_each_trial_adds_to_the_error_by_its_weight_and_its_stores_variance():
    """Whichever are missing: a weight is by how much the difference moves with the trial."""
    logs = {
        "A": {1: 0.0, 2: 0.3},
        "B": {1: 0.2, 3: 0.4, 4: 0.1},
        "C": {2: 0.9, 3: 1.3, 4: 1.0},
        "D": {1: 0.4, 4: 0.2},
    }
    known = {"A": (0.5, 6.0), "B": (2.0, 9.0), "C": (3.0, 12.0), "D": (1.5, 7.0)}

    def difference(moved: tuple[str, int] | None = None) -> float:
        trials = {
            store: {at: math.exp(x + ((store, at) == moved)) for at, x in own.items()}
            for store, own in logs.items()
        }
        return math.log(model.fit(trials).compare("A", "B").ratio)

    parts = {
        store: sum((difference((store, at)) - difference()) ** 2 for at in own) * known[store][0]
        for store, own in logs.items()
    }
    trials = {store: {at: math.exp(x) for at, x in own.items()} for store, own in logs.items()}
    found = replace(model.fit(trials), variance=0.04, freedom=8.0, factors=known)
    whole = sum(parts.values())
    doubt = 1 / 8 + sum((part / whole) ** 2 / known[store][1] for store, part in parts.items())
    assert found.error("A", "B") == pytest.approx(0.04 * whole)
    assert found.compare("A", "B").freedom == pytest.approx(1 / doubt)
    assert found.compare("A", "B").variance == pytest.approx(0.04 * 2.5)
    assert found.alone("A")[1:] == pytest.approx((0.04 * 0.5 / 2, 1 / (1 / 8 + 1 / 6)))


def test_a_store_that_scatters_more_in_all_cells_is_known_by_it_and_no_other_pays():
    rng = np.random.default_rng(2)
    names = [f"{store:02}" for store in range(10)]
    spread = 0.1 * np.array([3.0, *[1.0] * 8, 0.4])[:, None]

    def cells(many: int, shared: float = 0.0) -> list[model.Fit]:
        common = rng.normal(0, 1, (10, 4))
        own = [rng.normal(0, 1, (10, 4)) for _ in range(many)]
        logs = [spread * (shared * common + (1 - shared**2) ** 0.5 * each) for each in own]
        return model.moderate([fit(dict(zip(names, each.tolist()))) for each in logs])

    found = cells(60)[0]
    usual = found.factor("04")[0]
    assert found.factor("00")[0] / usual == pytest.approx(9, rel=0.2)
    assert found.factor("09")[0] / usual == pytest.approx(0.16, rel=0.3)
    assert found.variance * usual == pytest.approx(0.01, rel=0.2)
    one, many = cells(20, shared=0.9)[0].factor("00")[1], found.factor("00")[1]
    assert one < many / 4, "cells of one machine say the same again"
    few = model.moderate([fit(LOGS)])[0]
    assert few.factors == {}, "of three stores none is told from the others"


def test_thousands_of_rounds_are_solved_as_a_few_are():
    """By equations of as many unknowns as there are stores."""
    rng = np.random.default_rng(1)
    logs = rng.normal(0, 0.1, (3, 5_000)) + rng.normal(0, 1, 5_000) + [[0.0], [0.1], [0.3]]
    found = fit(dict(zip("ABC", logs.tolist())))
    assert math.log(found.compare("C", "A").ratio) == pytest.approx((logs[2] - logs[0]).mean())
    left = logs - logs.mean(axis=0) - logs.mean(axis=1, keepdims=True) + logs.mean()
    assert found.freedom == 2 * 4_999
    assert found.variance == pytest.approx((left**2).sum() / found.freedom)


@pytest.mark.parametrize(("comparisons", "freedom"), [(1, 10), (11, 2), (2, 4), (5, 10), (11, 22)])
def test_the_critical_value_is_dunnetts(comparisons, freedom):
    """A multivariate t, whose correlations are a half, lies within it in 95% of cases."""
    value = np.full(comparisons, critical(comparisons, freedom))
    shape = np.eye(comparisons) / 2 + 0.5
    inside = known.multivariate_t(shape=shape, df=freedom, seed=1).cdf(value, lower_limit=-value)
    assert inside == pytest.approx(0.95, abs=0.0007)


def test_noise_is_not_called_equal_and_controls_widen_every_interval():
    alike = fit({"A": [0.0, 0.01, 0.0], "B": [0.01, 0.0, 0.01], "C": [0.2, 0.21, 0.21]})
    assert alike.compare("A", "B").difference is Difference.EQUIVALENT
    assert alike.compare("A", "C").difference is Difference.LESS
    noisy = replace(alike, variance=0.01)
    assert noisy.compare("A", "B").difference is Difference.INCONCLUSIVE
    assert noisy.compare("A", "B").trials_needed() > 3
    apart = fit({"A": [0.0, 0.01, 0.0], "AAgain": [0.3, 0.31, 0.3], "C": [0.2, 0.21, 0.21]})
    excess = model.excess([(apart, "A", "AAgain")])
    assert excess == pytest.approx(0.09, rel=0.05) and model.excess([]) == 0
    held = replace(apart, between=excess).compare("A", "C")
    assert held.difference is Difference.INCONCLUSIVE and held.trials_needed() is None


def test_a_ratio_is_within_a_margin_by_two_tests_and_has_a_p_value():
    pair = {store: LOGS[store] for store in "AB"}
    found, test = fit(pair).compare("B", "A"), known.ttest_rel(LOGS["B"], LOGS["A"])
    assert found.p_value == pytest.approx(test.pvalue)
    edge = math.exp(test.confidence_interval(0.9).high)
    assert found.is_within(edge * 1.001) and not found.is_within(edge * 0.999)
    turned = fit(pair).compare("A", "B")
    assert turned.is_within(edge * 1.001) and not turned.is_within(edge * 0.999)
    assert turned.p_value == pytest.approx(test.pvalue)


def test_as_many_trials_as_are_asked_for_have_the_power():
    def contrast(variance: float, trials: int = 1) -> Contrast:
        return Contrast(0.0, math.sqrt(variance / trials), variance, 1e6)

    scatter = 2 * 0.1**2
    needed = contrast(scatter).trials_needed(1.1)
    assert contrast(scatter, needed).tells <= 1.1 < contrast(scatter, needed - 1).tells
    normal = 2 * (0.1 * (1.96 + 0.8416) / math.log(1.1)) ** 2  # the textbook's formula
    assert needed == math.ceil(normal)
    one = (math.log(1.1) / (1.96 + 0.8416)) ** 2  # the variance that a single trial would do for
    for variance, trials in ((199.6 * one, 200), (200.4 * one, None)):
        assert contrast(variance).trials_needed(1.1) == trials, "200 are the most"


def test_medians_that_point_the_other_way_show_no_difference():
    found = fit(LOGS).compare("A", "C")
    assert found.beside(0.5) is Difference.LESS
    assert found.beside(1.5) is Difference.INCONCLUSIVE


def test_intervals_cover_and_chance_is_what_is_promised():
    few, many = (simulation.simulate(trials, sections=12) for trials in (3, 10))
    for found in few, many:
        assert 0.9 < found.coverage < 0.99
        assert found.chance < 0.10
    assert few.power > 0.65 and many.power > 0.85
    assert few.equal < many.equal


CHANGES = {  # log ratios of two workloads, by store and round; D lacks a round that A has
    "A": {1: 0.31, 2: 0.52, 3: 0.44, 4: 0.29},
    "B": {1: 0.10, 2: 0.36, 3: 0.21, 4: 0.17, 5: 3.0},
    "C": {1: -0.20, 2: 0.11, 3: -0.02, 4: -0.25},
    "D": {1: 9.0, 2: -9.0, 3: 4.0},
}


def changes(logs=CHANGES, **of) -> tuple[model.Fit, model.Fit]:
    """The fits of a workload and of another, between which stores change by these."""
    later = {store: {at: 2.0 + each for at, each in own.items()} for store, own in logs.items()}
    sooner = {store: dict.fromkeys([*own, 9], 2.0) for store, own in logs.items()}
    blank = fit(LOGS)
    return replace(blank, logs=later, **of), replace(blank, logs=sooner)


@pytest.mark.parametrize(("between", "comparisons"), [(0.0, 1), (0.04, 1), (0.0, 6)])
def test_a_change_has_the_interval_of_a_layout_with_random_rounds(between, comparisons):
    """Satterthwaite's, from sums of squares added up one by one (Montgomery 2017, chapter 13)."""
    kept, rounds = "ABC", (1, 2, 3, 4)
    values = [[CHANGES[store][at] for at in rounds] for store in kept]
    middle = sum(map(sum, values)) / 12
    by_round = [sum(own[at] for own in values) / 3 for at in range(4)]
    of_store = [sum(own) / 4 for own in values]
    round_mean_square = 3 * sum((each - middle) ** 2 for each in by_round) / 3
    rest_mean_square = (
        sum(
            (values[i][j] - of_store[i] - by_round[j] + middle) ** 2
            for i in range(3)
            for j in range(4)
        )
        / 6
    )
    parts = round_mean_square / 3, 2 / 3 * rest_mean_square
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / 3 + parts[1] ** 2 / 6)
    error = math.sqrt(sum(parts) / 4 + between)
    reach = critical(comparisons, freedom) * error
    later, sooner = changes(between=between)
    for pair in ((later, sooner), (sooner, later)):
        found = model.changed(*pair, "A", comparisons)
        sign = 1 if pair[0] is later else -1
        ends = sorted(sign * (of_store[0] + way * reach) for way in (-1, 1))
        assert [math.log(found.low), math.log(found.high)] == pytest.approx(ends)
        assert math.log(found.ratio) == pytest.approx(sign * of_store[0])
        assert found.variance == pytest.approx(sum(parts))
        assert found.freedom == pytest.approx(freedom)
        assert found.between == between and found.comparisons == comparisons


def test_a_change_of_one_store_has_the_freedom_of_its_rounds_and_two_are_the_least():
    later, sooner = changes({"A": {1: 0.1, 2: 0.3}, "B": {1: 0.2}})
    found = model.changed(later, sooner, "A")
    assert found.freedom == 1 and found.variance == pytest.approx(0.02)
    assert model.changed(later, sooner, "B") is None
    still, before = changes({"A": {1: 0.1, 2: 0.1, 3: 0.1}})
    assert model.changed(still, before, "A").freedom == 2
    two, apart = changes({"A": {1: 0.0, 2: 0.4}, "B": {1: 0.4, 2: 0.0}})
    assert model.changed(two, apart, "A").freedom == 1, "no less than one"


def test_what_trials_tell_has_the_sessions_part_that_no_trial_takes_away():
    error = math.sqrt(0.02 / 5 + 0.003)
    reach = critical(2, 4) + known.t.ppf(0.8, 4)
    assert Contrast(0, error, 0.02, 4, 0.003, 2).tells == pytest.approx(math.exp(reach * error))
    cauchy = math.tan(0.475 * math.pi) + math.tan(0.3 * math.pi)  # its quantiles at 0.975 and 0.8
    for freedom in (0.2, 1):
        found = Contrast(0, 0.1, 0.02, freedom, comparisons=0)
        assert math.log(found.tells) == pytest.approx(0.1 * cauchy), "no less than one"
    assert Contrast(0, 0.1, 1e-9, 10).trials_needed(1.5) == 2, "a single trial has no scatter"
    alike = fit({"A": [0.0, 0.01, 0.0], "B": [0.01, 0.0, 0.01], "C": [0.2, 0.21, 0.21]})
    found = replace(alike, between=0.003).compare("A", "B", 4)
    assert found.error == pytest.approx(math.sqrt(alike.error("A", "B") + 0.003))
    assert (found.variance, found.freedom) == (2 * alike.variance, alike.freedom)
    assert (found.between, found.comparisons) == (0.003, 4)
    assert fit({"A": [0.0, 0.0], "B": [1.0, 1.3]}).compare("A", "B"), "one degree is enough"


def test_a_result_that_is_level_stays_so_whichever_way_medians_point():
    level = fit({"A": [0.0, 0.01, 0.0], "B": [0.01, 0.0, 0.01]}).compare("A", "B")
    assert level.difference is Difference.EQUIVALENT
    assert level.beside(0.9) is level.beside(1.1) is Difference.EQUIVALENT


def test_what_has_no_trials_or_one_of_each_has_no_freedom():
    assert model.fit({}).freedom == 0 and model.fit({"A": {}}).stores == ()
    one = model.fit({"A": {1: 2.0}, "B": {1: 3.0}})
    assert one.freedom == 0 and one.variance == 0 and one.compare("A", "B") is None
    lone = model.fit({"A": {1: 2.0, 2: 2.2}})
    assert lone.freedom == 0, "what one store scatters by may be the rounds'"


def test_variances_that_differ_by_chance_only_are_one_and_others_are_drawn_by_their_weight():
    logs = {"A": [0.0, 0.1, 0.3], "B": [0.4, 0.2, 0.5]}
    same = model.moderate([fit(logs) for _ in range(5)])
    assert {each.freedom for each in same} == {math.inf}
    # two degrees of freedom leave the log of a variance too small by Euler's gamma, in the mean
    variances = [fit(logs).variance * math.exp(np.euler_gamma)] * 5
    assert [each.variance for each in same] == pytest.approx(variances)
    spread = [replace(fit(logs), variance=10.0**n) for n in range(-4, 1)]
    common, weight = moderated.prior(
        np.array([each.variance for each in spread]), np.array([each.freedom for each in spread])
    )
    assert 0 < weight < math.inf
    for each, own in zip(model.moderate(spread), spread):
        assert each.freedom == pytest.approx(own.freedom + weight)
        whole = weight * common + own.freedom * own.variance
        assert each.variance == pytest.approx(whole / each.freedom)
    single = fit({"A": [0.0], "B": [1.0]})
    assert model.moderate([single]) == [single] and model.moderate([]) == []


def test_what_controls_differ_by_beyond_what_is_expected_is_averaged_and_never_negative():
    near = fit({"A": [0.0, 0.01, 0.0], "AAgain": [0.01, 0.0, 0.01], "C": [0.2, 0.21, 0.21]})
    far = fit({"A": [0.0, 0.01, 0.0], "AAgain": [0.3, 0.31, 0.3], "C": [0.2, 0.21, 0.21]})
    own = [
        (each.effect("A") - each.effect("AAgain")) ** 2 - each.error("A", "AAgain")
        for each in (near, near, far)
    ]
    pairs = [(each, "A", "AAgain") for each in (near, near, far)]
    assert model.excess(pairs) == pytest.approx(sum(own) / 3)
    assert model.excess(pairs[:1]) == 0, "they differ by less than is expected"


# --- sessions ---


def test_what_sessions_add_is_found_beside_what_trials_scatter():
    """Stores that another session moves by 10% each, or not at all; trials scatter by 5%."""
    rng = np.random.default_rng(1)
    for moved in (0.0, 0.1):
        found = []
        for _ in range(200):
            session = [
                model.fit(
                    {
                        f"{store:02}": dict(enumerate(np.exp(of + rng.normal(0, 0.05, 4))))
                        for store, of in enumerate(rng.normal(0, moved, 10))
                    }
                )
                for _ in range(2)
            ]
            found += sessions.unexplained({("case",): session[0]}, {("case",): session[1]})
        assert np.mean(found) == pytest.approx(2 * moved**2, rel=0.1, abs=3e-4)


def test_a_session_is_never_taken_to_add_nothing():
    assert [each[0] for each in sessions.pairs(paths.RUNS)].count("04-small-values") == 1
    assert 1e-4 < sessions.between([]) < 0.01, "of the runs that came with the project"
