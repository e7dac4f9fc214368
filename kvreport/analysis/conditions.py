"""What else differs between two editions: machine, JDK, libraries, options, code."""

from typing import Any

from kvreport.base.text import join_words


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
