"""What each source states, checked on the figures that it printed itself: its sentences are true of
them, but for the ones below. A check on the wrong case, store, edition or direction is found so.
"""

import pytest

from kvreport.claims import checks, statements
from kvreport.claims.evidence import printed
from kvreport.claims.finding import Verdict

# a letter for each claim in its order; what a source printed no figures of is not measured
LETTERS = {"T": Verdict.HOLDS, "F": Verdict.FAILS, "?": Verdict.INCONCLUSIVE}
LETTERS |= {"-": Verdict.NOT_MEASURED, "M": Verdict.MOSTLY, "H": Verdict.HALF}
VERDICTS = {
    "TEST_4": "TT??TMTM?TTT",
    "TEST_5": "-HTTTTT-T",
    "TEST_6": "TTTTT",
    "CONCLUSION": "MMTTTT---TMTT",
}


def named() -> dict[str, checks.Statements]:
    known = vars(statements)
    return {name: each for name, each in known.items() if isinstance(each, checks.Statements)}


@pytest.mark.parametrize("name", VERDICTS)
def test_what_a_source_states_is_true_of_its_own_figures_as_far_as_it_printed_them(name):
    stated = named()[name]
    found = [claim.check(printed(claim.edition, stated.tests)).verdict for claim in stated.claims]
    assert found == [LETTERS[letter] for letter in VERDICTS[name]]


def test_the_conclusion_counts_what_its_tests_count():
    """Of reads, every workload and case of Test 4's own statement is in the conclusion's, and those
    of Tests 5 and 6."""
    own = printed("2016-07", (4, 5, 6))
    reads = "LMDB is the fastest at every read workload"
    [small] = (each for each in statements.TEST_4.claims if each.says == reads)
    [large] = (each for each in statements.TEST_6.claims if each.says.startswith("LMDB reads"))
    whole = statements.CONCLUSION.claims[0].check(own)
    medium = 2 * 2  # orders, and workloads that its figures have
    counted = len(small.check(own).cells) + medium + len(large.check(own).cells)
    assert len(whole.cells) == counted == 30


def test_no_statement_is_left_out():
    assert set(VERDICTS) == set(named())
