"""The harness by number: which ways of measuring give comparable figures.

data/harness.json is a ledger. Each entry is a state of the timed path (kv.store, kv.data,
kv.bench), named by the hash of its tokens, with the number of the harness that it is. A new state
either gets a new number ("numbers may differ") or keeps the last one ("the same", with the reason
and the A/B run that shows it).
"""

import functools
import json
from datetime import date
from enum import StrEnum
from typing import TypedDict

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import own_json, write_atomically
from kvreport.data.schemas import validator

DIFFERS, SAME = "numbers may differ", "the same"  # the two decisions on a change


class Side(StrEnum):
    """A checkout in an A/B run."""

    THIS = "this"
    OTHER = "other"


class State(TypedDict):
    """An entry of the ledger."""

    number: int
    timed_path: str  # the hash, by toolchain.fingerprint
    date: str
    decision: str  # DIFFERS or SAME
    because: str
    ab: dict | None  # of SAME: what `kvreport ab` found


def current(timed_path: str) -> int:
    """The number of the harness whose timed path has that hash. Raises UserError where none has."""
    for state in reversed(ledger()["states"]):
        if state["timed_path"] == timed_path:
            return state["number"]
    raise UserError(
        "The timed path (jbang/kv/store, data, bench) has changed, and"
        f" {paths.shown(paths.HARNESS)} does not know its hash {timed_path}: `kvreport harness"
        " differs 'what changed'` gives it a new number, after which everything is measured anew;"
        " if figures stay what they were, `kvreport harness same 'why' --against CHECKOUT` shows"
        " it by an A/B run and keeps the number."
    )


def add_state(timed_path: str, decision: str, because: str, ab: dict | None = None) -> State:
    """Writes a decision on a changed timed path into the ledger. Raises UserError where none is
    due.
    """
    states = ledger()["states"]
    if states[-1]["timed_path"] == timed_path:
        raise UserError(f"The timed path has not changed since harness {states[-1]['number']}.")
    number = states[-1]["number"] + (decision == DIFFERS)
    today = f"{date.today()}"
    state = State(
        number=number,
        timed_path=timed_path,
        date=today,
        decision=decision,
        because=because,
        ab=ab,
    )
    content = ledger() | {"states": [*states, state]}
    write_atomically(paths.HARNESS, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    ledger.cache_clear()
    return state


@functools.cache
def ledger() -> dict:
    """data/harness.json: its `states` (State), oldest first."""
    return own_json(paths.HARNESS, validator("harness"))
