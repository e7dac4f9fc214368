"""The chooser of the first page, as report/theme/chooser.js reads it: what was measured
(analysis.chooser) and the facts of each store.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from kvreport.analysis import chooser, measured
from kvreport.analysis.chooser import BEYOND_MEMORY, LEVELDB_PAGE, PUT, Query, Table
from kvreport.analysis.measured import Measured
from kvreport.base.text import format_range
from kvreport.data import facts, runs
from kvreport.data.cases import WRITE_ONCE
from kvreport.data.needs import FIRST_LOOK

SECTIONS = "04-small-values", "05-medium-values", "06-large-values", LEVELDB_PAGE, BEYOND_MEMORY
SCRIPTS = "ranking", "chooser"  # of the theme: the arithmetic, and the page
MIXES = ["keys", "value_bytes", "name", "cost", "ratio", "ratio_low", "ratio_high", "verdict"]
PLAIN = "ordered", "transactions", "processes", "size_beforehand", "maintained"  # facts


@dataclass(frozen=True)
class Chooser:
    """What a page needs to rank the stores at a reader's own mix; as the result of a cell, that
    page's controls.

    stores  that are known, their ids by name;  once: those that are written once;  lost: those that
            lost a commit that was to be on the device
    others  the tables of other machines, by what each is called: for what the first has not
    """

    table: Table
    stores: dict[str, str]
    once: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    others: dict[str, Table] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return what chooser.js reads."""
        stores = [
            {
                "name": name,
                "once": name in self.once,
                "lost": name in self.lost,
                "facts": _facts(id),
            }
            for name, id in sorted(self.stores.items())
        ]
        others = [{"where": where} | each.as_json() for where, each in self.others.items()]
        return self.table.as_json() | {"stores": stores, "others": others}

    def mixes(self, **shares: float) -> pd.DataFrame:
        """Ranks the stores by what an operation of a mix costs, ns, at all keys and sizes of values
        that were measured in random order in memory, the best first.

        shares  of operations, which add up to 1: get, put, scan (one entry of it)
        """
        able = [each for each in self.stores if not (shares.get(PUT) and each in self.once)]
        rows = [
            [
                keys,
                size,
                each.store,
                each.cost,
                each.ratio,
                each.ratio_low,
                each.ratio_high,
                each.verdict,
            ]
            for keys, size in self._measured()
            for each in chooser.rank(self.table, Query(keys, "random", size, shares), able)
        ]
        numbers = dict.fromkeys(["cost", "ratio", "ratio_low", "ratio_high"], "float64")
        return pd.DataFrame(rows, columns=MIXES).astype(numbers)

    def _measured(self) -> list[tuple[str, float]]:
        found: set[tuple[str, float]] = set()
        for place, stores in self.table.points.items():
            keys, order, tier, regime, _ = place.split("|")
            if (order, tier, regime) == ("random", chooser.NONE, chooser.MEMORY):
                found |= {(keys, point[0]) for points in stores.values() for point in points}
        return sorted(found)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict:
        data = json.dumps(self.as_json(), separators=(",", ":"))
        data = data.replace("<", "\\u003c")  # as report/theme/harmless.lua asks
        lines = [
            f'<script type="application/json" id="kv-chooser">{data}</script>',
            "",
            ':::: {.content-visible when-format="html"}',
            "::: {#kv-choose}",
            "Where scripts may run your case is ranked here; the table below has a few.",
            ":::",
            "::::",
            "",
            *(f'<script src="report/theme/{each}.js"></script>' for each in SCRIPTS),
        ]
        return {"text/plain": "", "text/markdown": "\n".join(lines)}


def choices(lost: Iterable[str] = ()) -> Chooser:
    """The chooser on what the report shows, the first look before all where Test 4 is not of this
    machine; lost: the names of the stores that lost a commit.
    """
    every = measured.shown_measurements((FIRST_LOOK, *SECTIONS))
    small = every.get(SECTIONS[0])
    if small and not runs.stands_in(small.run):
        every.pop(FIRST_LOOK, None)
    made, *others = chooser.tables(every.values())
    used = {section for table in (made, *others) for section in table.sections}
    stores = {
        name: id
        for section, each in reversed(every.items())
        if section in used
        for id, name in each.engines.items()
    }
    families = {
        id: family
        for each in every.values()
        for id, family in zip(each.rows["store"], each.rows["family"])
    }
    once = frozenset(name for name, id in stores.items() if families[id] == WRITE_ONCE)
    named = {_where(every[table.sections[0]]): table for table in others}
    return Chooser(made, stores, once, frozenset(lost), named)


def _where(section: Measured) -> str:
    """Return what a machine is called, with the profile and the days, and the first test of it."""
    about, test = section.rows.iloc[0], int(section.section[:2])
    days = section.rows["started"].str[:10]
    when = format_range(days.min(), days.max(), str)
    return f"{about['host']}, profile {about['profile']}, {when} (Test {test})"


def _facts(store: str) -> dict[str, Any] | None:
    """Return what chooser.js filters by."""
    found = facts.known().get(store)
    if found is None:
        return None
    return {name: found[name]["value"] for name in PLAIN} | {
        "native": found["platforms"]["native"],
        "platforms": found["platforms"]["value"],
        "licence": found["licence"]["spdx"],
        "tiers": found["durability"]["tiers"],
        "default": found["durability"]["default"],
    }
