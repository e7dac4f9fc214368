"""Under which conditions was measured: what else differs between two editions (machine, JDK,
libraries, options, code), and what disturbed trials: other guests of the machine, other programs,
and what the launcher warned of.
"""

import re
from collections.abc import Iterable
from typing import Any

from kvreport.base.text import join_words
from kvreport.data.runs import SKIPPED

STOLEN, ELSEWHERE = "stolen", "busy_elsewhere"  # of a trial's record: shares of all processors
MUCH = {  # beyond which times are as much the others' doing
    STOLEN: 0.02,
    ELSEWHERE: 0.1,
}
WHO = {
    STOLEN: "other guests of the machine took up to {:.1f}% of the processors' time",
    ELSEWHERE: "other programs used up to {:.0f}% of the processors",
}


def worst(trials: Iterable[dict], what: str) -> float | None:
    """The largest share of the processors' time that others had while one of these trials ran:
    STOLEN or ELSEWHERE; None where no record says.
    """
    return max(_shares(trials, what), default=None)


def warnings(trials: Iterable[dict], environment: dict) -> list[str]:
    """What may have distorted the trials of a section, a clause each: what the records say of while
    they ran, and what the run's environment says of before.
    """
    trials, found = list(trials), []
    for what, most in MUCH.items():
        much = [share for share in _shares(trials, what) if share > most]
        if much:
            found.append(
                f"{WHO[what].format(100 * max(much))} while {_test(trials[0])} ran, in"
                f" {len(much)} of {len(trials)} trials"
            )
    before: dict[str, str] = {}  # by what is the same, whatever the numbers
    for warning in environment["warnings"]:
        if not re.match(SKIPPED.format(".*", ""), warning):
            before.setdefault(re.sub(r"[\d.,]+", "", warning), warning.partition(": ")[0])
    return found + [f"the launcher warned that {each}" for each in before.values()]


def _shares(trials: Iterable[dict], what: str) -> list[float]:
    shares = (trial.get(what) for trial in trials)
    return [share for share in shares if share is not None]


def _test(trial: dict) -> str:
    number = trial["section"][:2]
    return f"Test {int(number)}" if number.isdecimal() else trial["section"]


def changes(first: dict[str, Any], second: dict[str, Any]) -> list[dict[str, str]]:
    """What differs between two editions' descriptions, stores that both have only."""
    found = _differences(_facts(first), _facts(second))
    for store in [store for store in first["stores"] if store in second["stores"]]:
        old, new = (_options(each["stores"][store]) for each in (first, second))
        names = dict.fromkeys([*old, *new])
        both = ({name: each.get(name, "not set") for name in names} for each in (old, new))
        found += [
            each | {"what": f"{second['stores'][store]['name']}, {each['what']}"}
            for each in _differences(*both)
        ]
    old, new = _code(first), _code(second)
    shared = old.keys() & new
    if other := [what for what in shared if old[what] != new[what]]:
        found.append(
            {
                "what": "code that measured",
                "first": "one",
                "second": f"another, for {len(other)} of {len(shared)} sections' stores",
            }
        )
    return found


def _differences(was: dict[str, str], now: dict[str, str]) -> list[dict[str, str]]:
    """What both have, with other values: what, first, second."""
    return [
        {"what": what, "first": was[what], "second": now[what]}
        for what in was
        if what in now and was[what] != now[what]
    ]


def _code(about: dict[str, Any]) -> dict[str, str]:
    """The hash of what measured, by section and store."""
    return {
        f"{section}/{store}": digest
        for section, of in about["sections"].items()
        for store, digest in of["code"].items()
    }


def _facts(about: dict[str, Any]) -> dict[str, str]:
    lists = {what: sorted(about[what]) for what in ("host", "profile", "jdk", "jvm")}
    return {what: join_words(each) for what, each in lists.items()} | about["machine"]


def _options(store: dict[str, Any]) -> dict[str, str]:
    return {"library": f"{store['library']}:{store['version']}", "engine": store["engine"]} | store[
        "options"
    ]
