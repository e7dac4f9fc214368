"""What each store is, for those who choose one: jbang/stores/<id>.toml, each fact with where it is
said. One that is another way to a store which has them says only `same_as = "<its id>"`.
"""

import datetime
import functools
from collections.abc import Callable
from typing import Any

import pandas as pd

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import own_toml
from kvreport.base.paths import shown
from kvreport.base.text import join_words
from kvreport.data import needs
from kvreport.data.cases import WRITE_ONCE
from kvreport.data.schemas import validator

Facts = dict[str, Any]  # as data/schema/facts.schema.json has them
SAME = "same_as"


@functools.cache
def known() -> dict[str, Facts]:
    """Every store's facts, by its id. Raises UserError where a file is damaged or leads to none."""
    files = sorted(paths.JBANG_STORES.glob("*.toml"))
    found = {file.stem: own_toml(file, _checked) for file in files}
    own = {store: facts for store, facts in found.items() if SAME not in facts}
    for file in files:
        other = found[file.stem].get(SAME)
        if other is not None and str(other) not in own:
            raise UserError(
                f"{shown(file)}: {SAME} is {other!r}, and has to be a store with facts of its own:"
                f" {join_words(own, 'or')}."
            )
    return {store: own[facts.get(SAME, store)] for store, facts in found.items()}


def frame(fact: str) -> pd.DataFrame:
    """One fact of every store, such as "durability": a row a store with `store`, `text` in a few
    words, the `source` that says so, when that was `checked`, and what else the fact has by
    data/schema/facts.schema.json; `short`, in a word or two, of those that SHORT names.
    """
    rows = pd.DataFrame(
        [
            {"store": store} | found[fact] | {"checked": found["checked"]}
            for store, found in known().items()
        ]
    )
    if short := SHORT.get(fact):
        rows["short"] = [short(found[fact]) for found in known().values()]
    return rows


def _yes(fact: dict[str, Any]) -> str:
    return "yes" if fact["value"] else "no"


def _bytes(fact: dict[str, Any]) -> str:
    limit = fact["bytes"]
    if not limit:
        return "no limit"
    return f"{limit:,} B" if limit < 1e6 else f"{limit / 1e6:,.0f} MB"


def _native(fact: dict[str, Any]) -> str:
    """Return where the native part runs or, where that is shorter, where it does not."""
    if not fact["native"]:
        return "none"
    if fact.get("optional"):
        return "where it loads"
    runs = [words for platform, words in PLATFORMS.items() if platform in fact["value"]]
    lacks = [words for words in PLATFORMS.values() if words not in runs]
    if not lacks:
        return "all"
    if set(fact["value"]) == {each for each in PLATFORMS if each.endswith("x64")}:
        return "all on x64"
    return f"{join_words(runs)} only" if len(runs) <= len(lacks) else f"all but {join_words(lacks)}"


PLATFORMS = {
    "linux-x64": "Linux x64",
    "linux-arm64": "Linux ARM",
    "macos-x64": "macOS x64",
    "macos-arm64": "macOS ARM",
    "windows-x64": "Windows",
}
PROCESSES = {"one": "one", "readers": "one, others read", "several": "several"}
SURVIVED = {  # by tier, what a commit survives
    "none": "nothing",
    "process": "the end of the process",
    "commit": "a power cut",
    "group": "a power cut, several threads together",
}
SHORT: dict[str, Callable[[dict[str, Any]], str]] = {
    "ordered": _yes,
    "transactions": lambda fact: fact["value"],
    "processes": lambda fact: PROCESSES[fact["value"]],
    "size_beforehand": _yes,
    "key_limit": _bytes,
    "durability": lambda fact: SURVIVED[fact["default"]],
    "platforms": _native,
    "java": lambda fact: str(fact["least"]),
    "licence": lambda fact: fact["spdx"],
    "release": lambda fact: fact["date"][:7],
    "maintained": _yes,
}


def lacks(store: str, family: str, fact: str) -> bool:
    """Return whether a store is without what a program asks for (UPDATES, which its family tells,
    ORDERED, PURE_JAVA, TRANSACTIONS or PROCESSES of data.needs), or nothing is known of it.
    """
    if fact == needs.UPDATES:
        return family == WRITE_ONCE
    facts = known().get(store)
    if facts is None:
        return True
    return {
        needs.ORDERED: not facts["ordered"]["value"],
        needs.PURE_JAVA: facts["platforms"]["native"],
        needs.TRANSACTIONS: facts["transactions"]["value"] not in ("snapshot", "serializable"),
        needs.PROCESSES: facts["processes"]["value"] != "several",
    }[fact]


def _checked(content: dict[str, Any]) -> Facts:
    """Dates as text, which the schema checks and JSON can have."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: plain(each) for name, each in value.items()}
        return value.isoformat() if isinstance(value, datetime.date) else value

    return content if content.keys() == {SAME} else validator("facts")(plain(content))
