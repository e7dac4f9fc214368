"""What a trial's first case pays that later ones do not, and what is said of it."""

import math

import pytest

from kvreport.analysis import first_cases

pytestmark = pytest.mark.fast


def case(turn: int | None, value_bytes: int = 100, first_loads=None, **ns: int | dict) -> dict:
    """A case with the time of one pass by workload; what is a load says so by its close."""
    return {
        "turn": turn,
        "keys": "int",
        "order": "random",
        "value_bytes": value_bytes,
        "settings": {},
        "first_loads_ns": first_loads,
        "results": [
            {
                "workload": workload,
                "status": "ok",
                "iteration_ns": [time],
                "observed": {"close_ns": [1]} if workload.startswith("write") else None,
                "singles": {"per_second": 5.0} if workload.endswith("Response") else None,
            }
            for workload, time in ns.items()
        ],
    }


def trial(*cases: dict, store: str = "A") -> dict:
    return {"section": "s", "store": {"id": store, "name": f"{store} DB"}, "cases": list(cases)}


def test_a_first_case_is_set_against_the_same_case_of_trials_that_had_it_later():
    early = trial(case(0, write=300, get=100), case(1, 9, write=100, get=50, writeResponse=4))
    late = trial(case(1, write=100, get=110), case(0, 9, write=400, get=40, writeResponse=9))
    later = trial(case(1, write=200, get=90), case(2, 9, write=100, get=60))
    loads, reads = first_cases.ratios([early, late, later])
    assert loads.value == pytest.approx(math.sqrt(300 / 150 * 400 / 100)) and loads.n == 2
    assert reads.value == pytest.approx(math.sqrt(100 / 100 * 40 / 55)) and reads.n == 2
    assert loads.low < loads.value < loads.high
    failed = trial(case(0, 7, write=9), case(1, 7, write=3))
    failed["cases"][0]["results"][0]["status"] = "failed"
    for unlike in (
        [trial(case(0, write=1)), trial(case(1, write=1), store="B")],
        [trial(case(0, write=1)), trial(case(1, 101, write=1))],
        [trial(case(None, write=1)), trial(case(1, write=1))],
        [failed],
    ):
        assert [each.n for each in first_cases.ratios(unlike)] == [0, 0]


def test_a_first_load_is_so_many_times_the_fastest_after_it():
    several = trial(case(0, first_loads={"bulkLoad": [60, 20, 30], "write": [10, 12]}), case(1))
    alone = trial(case(0, first_loads={"write": [50]}), store="B")
    found = first_cases.first_loads([several, alone, trial(case(0))])
    assert found == [first_cases.FirstLoad("A DB", 3.0), first_cases.FirstLoad("A DB", 1.0)]
