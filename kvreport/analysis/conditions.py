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


def warnings(trials: Iterable[dict], environment: dict) -> list[str]:
    """Return what may have distorted the trials of a section, a clause each: what the records say
    of while they ran, and what the run's environment says of before.
    """
    trials, found = list(trials), []
    for what, most in MUCH.items():
        much = [trial[what] for trial in trials if (trial.get(what) or 0) > most]
        if much:
            number = trials[0]["section"][:2]
            test = f"Test {int(number)}" if number.isdecimal() else trials[0]["section"]
            words = WHO[what].format(100 * max(much))
            found.append(f"{words} while {test} ran, in {len(much)} of {len(trials)} trials")
    before: dict[str, str] = {}  # by what is the same, whatever the numbers
    for warning in environment["warnings"]:
        if not re.match(SKIPPED.format(".*", ""), warning):
            before.setdefault(re.sub(r"[\d.,]+", "", warning), warning.partition(": ")[0])
    return found + [f"the launcher warned that {each}" for each in before.values()]


def changes(first: dict[str, Any], second: dict[str, Any]) -> list[dict[str, str]]:
    """Return what differs between two editions' descriptions: what, first, second; of stores that
    both have only.
    """
    was, now = _facts(first), _facts(second)
    found = [(what, was[what], now[what]) for what in was if what in now]
    for store in [store for store in first["stores"] if store in second["stores"]]:
        old, new = (_options(each["stores"][store]) for each in (first, second))
        name = second["stores"][store]["name"]
        found += [
            (f"{name}, {option}", old.get(option, "not set"), new.get(option, "not set"))
            for option in dict.fromkeys([*old, *new])
        ]
    old, new = _code(first), _code(second)
    shared = old.keys() & new
    if other := [what for what in shared if old[what] != new[what]]:
        words = f"another, for {len(other)} of {len(shared)} sections' stores"
        found.append(("code that measured", "one", words))
    return [dict(zip(("what", "first", "second"), each)) for each in found if each[1] != each[2]]


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
    library = {"library": f"{store['library']}:{store['version']}", "engine": store["engine"]}
    return library | store["options"]
