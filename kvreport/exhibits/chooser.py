"""The chooser of the first page: the table of what was measured (analysis.chooser) and the facts of
each store, as report/theme/chooser.js reads them; for print, a few cases ranked.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from IPython.display import Markdown

from kvreport.analysis import chooser
from kvreport.analysis.answer import engine_name
from kvreport.analysis.chooser import GET, PUT, SCAN, Query, Ranked, Table
from kvreport.base.text import duration, format_range, number
from kvreport.charts import chapter
from kvreport.charts.chapter import Chapter
from kvreport.charts.tables import table
from kvreport.data import facts
from kvreport.data.cases import WRITE_ONCE
from kvreport.data.needs import FIRST_LOOK

SECTIONS = (
    *("04-small-values", "05-medium-values", "06-large-values"),
    *("07-leveldb-page", "15-beyond-memory"),
)
SCRIPTS = "ranking", "chooser"  # of the theme: the arithmetic, and the page
PRINTED = {  # what the PDF has of it
    "nine gets, a put": {GET: 0.9, PUT: 0.1},
    "a get, a put": {GET: 0.5, PUT: 0.5},
    "a get, nine scanned entries": {GET: 0.1, SCAN: 0.9},
}


@dataclass(frozen=True)
class Chooser:
    """The table, the stores that are known by name, those of them that are written once, and those
    that lost a commit that was to be on the device.

    others  the tables of other machines, by what each is called: for what the first has not
    """

    table: Table
    stores: dict[str, str]
    once: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    others: dict[str, Table] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
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

    def page(self, book: str = "../../") -> "Component":
        """The component; book: the book's folder, from the page."""
        return Component(json.dumps(self.as_json(), separators=(",", ":")), book)

    def printed(self) -> Markdown:
        """The mixes of PRINTED in random order, in memory, by value size: the first three."""
        rows = [
            [words, keys, f"{size:,.0f}", *_first_three(ranked)]
            for words, shares in PRINTED.items()
            for keys, size in self._measured()
            if (ranked := self._ranked(Query(keys, "random", size, shares)))
        ]
        heads = ["operations", "keys", ">value, B", "first", "second", "third"]
        return (
            table(heads, rows, whole=True)
            if rows
            else table(["operations"], [["Nothing is measured."]])
        )

    def _ranked(self, query: Query) -> list[Ranked]:
        able = [each for each in self.stores if not (query.shares.get(PUT) and each in self.once)]
        return chooser.rank(self.table, query, able)

    def _measured(self) -> list[tuple[str, float]]:
        """Keys and sizes of values that were measured in random order."""
        found: set[tuple[str, float]] = set()
        for place, stores in self.table.points.items():
            keys, order, tier, regime, _ = place.split("|")
            if (order, tier, regime) == ("random", chooser.NONE, chooser.MEMORY):
                found |= {(keys, point[0]) for points in stores.values() for point in points}
        return sorted(found)


@dataclass(frozen=True)
class Component:
    """The elements of the chooser; the data have no "<", as report/theme/harmless.lua asks."""

    data: str
    book: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict:
        data = self.data.replace("<", "\\u003c")
        return {
            "text/plain": "",
            "text/markdown": "\n".join(
                [
                    f'<script type="application/json" id="kv-chooser">{data}</script>',
                    "",
                    ':::: {.content-visible when-format="html"}',
                    "::: {#kv-choose}",
                    "Where scripts may run your case is ranked here; the table below has a few.",
                    ":::",
                    "::::",
                    "",
                    *(
                        f'<script src="{self.book}report/theme/{each}.js"></script>'
                        for each in SCRIPTS
                    ),
                ]
            ),
        }


def measured_sections() -> tuple[str, ...]:
    """Those that the chooser draws on: the first look before all where Test 4 is not of this
    machine.
    """
    return (FIRST_LOOK, *SECTIONS) if chapter.of(SECTIONS[0]).stands_in else SECTIONS


def of(sections: Iterable[str] | None = None, lost: Iterable[str] = ()) -> Chooser:
    """The chooser on what the report shows; lost: the names of the stores that lost a commit."""
    shown: list[Chapter] = [chapter.of(each) for each in sections or measured_sections()]
    made, *others = chooser.tables(shown)
    used = {section for table in (made, *others) for section in table.sections}
    stores = {
        engine_name(store, each.name(store)): store
        for each in reversed(shown)
        if each.section in used
        for store in each.engines
    }
    once = {
        name
        for name, id in stores.items()
        for each in shown
        if id in each.stores and each.stores[id]["family"] == WRITE_ONCE
    }
    by_name = {each.section: each for each in shown}
    named = {_where(by_name[table.sections[0]]): table for table in others}
    return Chooser(made, stores, frozenset(once), frozenset(lost), named)


def _where(measured: Chapter) -> str:
    """What a machine is called, with the profile and the days, and the first test of it."""
    days = sorted(trial["started"][:10] for trial in measured.trials)
    about = measured.environment
    when = format_range(days[0], days[-1], str)
    return f"{about['host']}, profile {about['profile']}, {when} ({chapter.tests([measured])})"


def _facts(store: str) -> dict[str, Any] | None:
    """What chooser.js filters by."""
    found = facts.known().get(store)
    if found is None:
        return None
    plain = ("ordered", "transactions", "processes", "size_beforehand", "maintained")
    return {name: found[name]["value"] for name in plain} | {
        "native": found["platforms"]["native"],
        "platforms": found["platforms"]["value"],
        "licence": found["licence"]["spdx"],
        "tiers": found["durability"]["tiers"],
        "default": found["durability"]["default"],
    }


def _first_three(ranked: list[Ranked]) -> list[str]:
    """The three at which the mix costs least; no rank of single trials, nor of a store that is too
    noisy to place.
    """
    if len(ranked) > 1 and ranked[1].ratio_low is None:
        return ["single trials rank nobody", "", ""]
    placed = [each for each in ranked if not each.noisy]
    level = [each for each in placed if each.tied]
    if not placed:
        return ["too noisy to say", "", ""]

    def told(each: Ranked) -> str:
        place = " (level)" if len(level) > 1 and each in level else ""
        times = "" if each is ranked[0] else f", {number(each.ratio)}×"
        return f"{each.store} {duration(each.cost)}{times}{place}"

    return [*map(told, placed[:3]), "", "", ""][:3]
