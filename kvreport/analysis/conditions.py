"""Under which conditions was measured: what else differs between two editions (machine, JDK,
libraries, options, code), and what other guests of the machine took from trials.
"""

from collections.abc import Iterable
from typing import Any

from kvreport.base.text import join_words

MUCH_STOLEN = 0.02  # of the processors' time: beyond it times are as much the neighbours' doing


def most_stolen(trials: Iterable[dict]) -> float | None:
    """The largest share of the processors' time that other guests took from one of these trials;
    None where no record says.
    """
    shares = [trial.get("stolen") for trial in trials]
    return max((share for share in shares if share is not None), default=None)


def stolen_warning(trials: Iterable[dict]) -> str:
    """A sentence where that is more than MUCH_STOLEN, else nothing."""
    most = most_stolen(trials) or 0
    if most <= MUCH_STOLEN:
        return ""
    return (
        f"Warning: other guests of the machine took up to {100 * most:.1f}% of the processors' time"
        " from a trial, so its times are too long."
    )


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
    return {what: join_words(about[what]) for what in ("host", "profile", "jdk", "jvm")} | about[
        "machine"
    ]


def _options(store: dict[str, Any]) -> dict[str, str]:
    return {"library": f"{store['library']}:{store['version']}", "engine": store["engine"]} | store[
        "options"
    ]
