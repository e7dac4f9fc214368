# ruff: noqa: F811
"""A launch that has a time to spend: which rounds it makes, in which order, and when it ends."""

import itertools
import time
from dataclasses import replace
from typing import ClassVar

import pytest
import synthetic
from test_until import RUN, STORES, counted, job, made  # noqa: F401

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.data.needs import FIRST_LOOK, needs
from kvreport.measure import budget, launcher, schedule, section, trial_seconds
from kvreport.measure.budget import AHEAD
from kvreport.measure.schedule import Request, Round
from kvreport.measure.section import FIRST_ROUNDS, Section
from kvreport.measure.trial_seconds import Lengths


class Named(Section):
    """A section of the report that has no notebook."""

    cells: ClassVar = []

    def __init__(self, id: str):
        super().__init__(paths.MEASURE / f"{id}.ipynb")


def named(job: schedule.Job, id: str) -> schedule.Job:
    return replace(
        job,
        section=Named(id),
        plan=replace(job.plan, section=id, profile="quick"),
    )


def spent(job: schedule.Job, seconds: float, said: list[str] | None = None) -> list[dict]:
    """The records after a launch that has so many seconds."""

    def so_far(run: str) -> str:
        (said if said is not None else []).append(run)
        return "known"

    request = Request(so_far=so_far, ends=time.monotonic() + seconds)
    return launcher.make_rounds([job], request)[job.section.id]


def test_the_first_look_goes_ahead_and_sections_follow_as_needs_draw_on_them(job):
    ids = ["00-harness", "04-small-values", "05-medium-values", "13-cold", FIRST_LOOK]
    order = [each.section.id for each in budget.in_order(named(job, id) for id in reversed(ids))]
    assert order == [FIRST_LOOK, "04-small-values", "05-medium-values", "13-cold", "00-harness"]
    assert sum(cell.section == "04-small-values" for need in needs() for cell in need.cells) > 9

    lengths, small = Lengths(), named(job, "04-small-values")
    first = [Round(named(job, FIRST_LOOK), n, []) for n in range(1, AHEAD + 3)]
    others = [Round(small, n, []) for n in range(1, 4)]
    in_turn = [each.number for each in sorted([*others, *first], key=budget.turn)]
    assert in_turn[:AHEAD] == [*range(1, AHEAD + 1)]
    assert sorted(in_turn[AHEAD : AHEAD + 4]) == [1, 2, AHEAD + 1, AHEAD + 2], "then by turns"
    assert budget.fitting([others[0], first[0]], lengths, 100) is first[0]


def test_a_round_that_does_not_fit_is_not_begun_but_the_first_ones_are(job):
    look, small = named(job, FIRST_LOOK), named(job, "04-small-values")
    lengths = Lengths({(FIRST_LOOK, STORES[0]): [7.0], ("04-small-values", STORES[0]): [20.0]})
    trials = [each for each in schedule.round_of(look, 1) if each.id == STORES[0]]
    needed = Round(look, FIRST_ROUNDS, trials)
    more = Round(look, FIRST_ROUNDS + 1, trials)
    slow = Round(small, 1, [each for each in schedule.round_of(small, 1) if each.id == STORES[0]])
    assert budget.fitting([needed, slow], lengths, -100) is needed
    assert budget.fitting([more, slow], lengths, 6) is None
    assert budget.fitting([more, slow], lengths, 7) is more
    assert budget.fitting([slow], lengths, 19) is None
    long, late = (Round(look, n, trials * 4) for n in (AHEAD, AHEAD + 1))
    assert budget.fitting([long, slow], lengths, 25) is None, "the first look goes before all else"
    assert budget.fitting([late, slow], lengths, 25) is slow


def test_how_long_a_trial_takes_is_what_it_took_or_what_it_takes_elsewhere(job, monkeypatch):
    monkeypatch.setattr(
        trial_seconds, "guesses", lambda _: {FIRST_LOOK: 5.0, "04-small-values": 12.0}
    )
    lengths, look = Lengths(), named(job, FIRST_LOOK)
    unknown, known = schedule.round_of(named(job, "04-small-values"), 1)[:2]
    assert lengths.seconds(unknown) == 12
    of_look = [
        {"section": FIRST_LOOK, "store": {"id": each.id}, "seconds": 7.0}
        for each in schedule.round_of(look, 1)
    ]
    lengths.add(of_look, seconds=3 * 10.0)  # of which three each are the kernel's start
    assert lengths.start == 3 and lengths.seconds(schedule.round_of(look, 2)[0]) == 10
    assert lengths.seconds(unknown) == 24, "this machine takes twice as long"
    lengths.add([{"section": "04-small-values", "store": {"id": known.id}, "seconds": 50.0}])
    assert lengths.seconds(known) == 53


def test_time_is_spent_on_whole_rounds_and_a_launch_goes_on_where_one_stopped(
    job,
    monkeypatch,
    capsys,
):
    seen, said = counted(monkeypatch), []
    monkeypatch.setattr(section, "FIRST_LOOK", synthetic.SECTION)
    job = replace(job, section=Named(synthetic.SECTION))
    monkeypatch.setattr(trial_seconds, "guesses", lambda _: {synthetic.SECTION: 0.1})
    spent(job, -1, said)
    assert [number for number, _ in seen] == [1, 1, 1, 2, 2, 2, 3, 3, 3], "three have to be"
    assert said == [RUN] * FIRST_ROUNDS
    told = " ".join(capsys.readouterr().err.split())
    assert "Three rounds of three stores" in told and "So far: known" in told
    del seen[:]
    spent(job, -1)
    assert not seen, "the time is up, and what has to be is there"
    with monkeypatch.context() as later:
        left = itertools.count(900, -30)  # seconds, fewer each time that it is looked at
        later.setattr(Request, "seconds_left", property(lambda _: next(left)))
        records = spent(job, 0)
    numbers = sorted({number for number, _ in seen})
    assert numbers[0] == FIRST_ROUNDS + 1 and len(records) == 9 + len(seen) == 9 + len({*seen})


def test_a_section_that_the_machine_cannot_measure_ends_the_launch_with_a_sentence(
    job, monkeypatch, capsys
):
    def refuse(_) -> None:
        raise UserError("There is no room for it.")

    monkeypatch.setattr(launcher, "prepare_run", refuse)
    assert spent(replace(job, section=Named(synthetic.SECTION)), 100) == []
    assert capsys.readouterr().err.count("There is no room for it.") == 1


def test_what_fails_or_cannot_be_had_here_is_not_tried_in_each_round(job):
    lacking, failed, good = (made(each) for each in schedule.round_of(job, 1))
    for case in lacking["cases"]:
        for result in case["results"]:
            result |= {"status": "na", "reason": "no library"}
    failed |= {"status": "failed"}

    def following(*recorded: dict) -> Round | None:
        able = {each for each in STORES if schedule.goes_on(each, job, recorded, False)}
        return schedule.next_round(job, able, recorded)

    found = following(lacking, failed, good)
    assert found.number == 2
    assert [each.id for each in found.missing] == [good["store"]["id"]]
    assert following(lacking, failed).number == 1, "one was not tried yet"
    assert following(lacking, failed, good | {"status": "failed"}) is None
    assert following(lacking, failed, good | {"seconds": 601}) is None


@pytest.mark.parametrize(
    ("called", "since"), [("100", 40), ("", 0), ("nonsense", 0), ("200", 0), ("-1", 0)]
)
def test_the_time_begins_when_make_was_called(called, since, monkeypatch, tmp_path):
    monkeypatch.setenv(budget.CALLED, called)
    monkeypatch.setattr(budget, "RENDERING", tmp_path / "x" / "seconds")
    monkeypatch.setattr(time, "time", lambda: 140.0)
    now, seconds = time.monotonic(), 5 * 60

    def ends() -> float:
        return budget.measuring_ends(5) - now + since

    assert ends() == pytest.approx(seconds - budget.RENDERING_SECONDS, abs=1)
    budget.note_rendering(41.2)
    assert ends() == pytest.approx(seconds - 41, abs=1)
    budget.RENDERING.write_text("nonsense")
    assert budget.rendering_seconds() == budget.RENDERING_SECONDS
