"""The harness by number: which ways of measuring give comparable figures.

data/harness.json is a ledger. Each entry is a state of the timed path: by workload, the hash of the
tokens of what it runs (kv.store, kv.data, its class and the loops, the clock and the sinks that
this uses), with the number of the harness that it is. A changed state needs a decision: either
"numbers may differ", which gives the harness a new number where every workload changed, and else
has those measured anew that did; or "the same", with the reason and the A/B run that shows it. A
new workload needs none.
"""

import functools
import json
from datetime import date
from enum import StrEnum
from typing import TypedDict

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import own_json, write_atomically
from kvreport.base.text import join_words
from kvreport.data.schemas import validator

DIFFERS, SAME = "numbers may differ", "the same"  # the two decisions on a change


class Side(StrEnum):
    """A checkout in an A/B run."""

    THIS = "this"
    OTHER = "other"


class State(TypedDict):
    """An entry of the ledger."""

    number: int
    workloads: dict[str, str]  # the hashes, by toolchain.fingerprint; older ones have `timed_path`
    date: str
    decision: str  # DIFFERS or SAME
    because: str
    ab: dict | None  # of SAME: what `kvreport ab` found


def current(workloads: dict[str, str]) -> int:
    """The number of the harness whose workloads have those hashes; what it does not know is new.
    Raises UserError where none has.
    """
    for state in reversed(ledger()["states"]):
        known = _known(state)
        if known and known.items() <= workloads.items():
            return state["number"]
    changed = join_words(sorted(_changed(ledger()["states"][-1], workloads)))
    raise UserError(
        "The timed path (jbang/kv/store, data, bench, workloads) has changed, and"
        f" {paths.shown(paths.HARNESS)} does not know it, of {changed}: `kvreport harness"
        " differs 'what changed'` gives it a new number, after which that is measured anew;"
        " if figures stay what they were, `kvreport harness same 'why' --against CHECKOUT` shows"
        " it by an A/B run and keeps the number."
    )


def outdated(record: dict, workloads: dict[str, str]) -> str | None:
    """The first workload of a trial that ran other code than it would now, whose figures may
    differ; None where there is none. Results of older harnesses do not say what they ran.
    """
    for case in record["cases"]:
        for result in case["results"]:
            name, code = result["workload"], result.get("code")
            if code and code not in _same(name, workloads.get(name, ""), record["harness"]):
                return name
    return None


def _same(workload: str, now: str, number: int) -> set[str]:
    """The hashes of a workload, in a harness, whose figures are as those of now."""
    same: set[str] = set()
    before = ""
    for state in ledger()["states"]:
        code = _known(state).get(workload, "")
        if state["number"] == number and code:
            same = set() if state["decision"] == DIFFERS and code != before else same
            same.add(code)
        before = code
    return same | {now} if now in same else {now}


def add_state(
    workloads: dict[str, str], decision: str, because: str, ab: dict | None = None
) -> State:
    """Writes a decision on a changed timed path into the ledger. Raises UserError where none is
    due.
    """
    last = ledger()["states"][-1]
    changed = _changed(last, workloads)
    if not changed and _known(last):
        raise UserError(f"The timed path has not changed since harness {last['number']}.")
    state = State(
        number=last["number"] + (decision == DIFFERS and changed == _known(last).keys()),
        workloads=workloads,
        date=f"{date.today()}",
        decision=decision,
        because=because,
        ab=ab,
    )
    content = ledger() | {"states": [*ledger()["states"], state]}
    write_atomically(paths.HARNESS, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    ledger.cache_clear()
    return state


def consequence(state: State) -> str:
    """The part that is measured anew after a decision that numbers may differ, a clause."""
    *_, before, _ = ledger()["states"]
    if state["number"] > before["number"]:
        return "everything is measured anew"
    changed = join_words(sorted(_changed(before, state["workloads"])))
    return f"as before, and {changed} measured anew"


def _known(state: State) -> dict[str, str]:
    return state.get("workloads", {})


def _changed(state: State, workloads: dict[str, str]) -> set[str]:
    """The workloads of a state that are not what they were."""
    return {name for name, code in _known(state).items() if workloads.get(name) != code}


@functools.cache
def ledger() -> dict:
    """data/harness.json: its `states` (State), oldest first."""
    return own_json(paths.HARNESS, validator("harness"))
