"""What each store is, for those who choose one: jbang/stores/<id>.toml, each fact with where it is
said. One that is another way to a store which has them says only `same_as = "<its id>"`.
"""

import datetime
import functools
from typing import Any

import pandas as pd

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.files import own_toml
from kvreport.base.paths import shown
from kvreport.base.text import join_words
from kvreport.data.needs import ORDERED
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
    words, the `source` that says so, and what else the fact has by data/schema/facts.schema.json.
    """
    return pd.DataFrame([{"store": store} | found[fact] for store, found in known().items()])


def lacks(store: str, fact: str) -> bool:
    """Whether a store is without what a need asks for (data.needs.ORDERED and PURE_JAVA), or
    nothing is known of it.
    """
    facts = known().get(store)
    if facts is None:
        return True
    return not facts["ordered"]["value"] if fact == ORDERED else facts["platforms"]["native"]


def may_lose(store: str) -> bool:
    """Whether a power cut may cost data that a commit had written, as the store is shipped."""
    facts = known().get(store)
    return facts is not None and facts["durability"]["default"] in ("none", "process")


def promises(store: str) -> bool:
    """Whether a commit may be asked to survive a power cut; nothing is known of a store: it may."""
    facts = known().get(store)
    return facts is None or "commit" in facts["durability"]["tiers"]


def _checked(content: dict[str, Any]) -> Facts:
    """Dates as text, which the schema checks and JSON can have."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: plain(each) for name, each in value.items()}
        return value.isoformat() if isinstance(value, datetime.date) else value

    return content if content.keys() == {SAME} else validator("facts")(plain(content))
