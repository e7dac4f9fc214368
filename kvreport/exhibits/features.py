"""What each store is, for those who choose one: its facts (data.facts), each with its source."""

from collections.abc import Collection
from typing import Any

from IPython.display import Markdown

from kvreport.analysis.tiers import SURVIVED
from kvreport.base.markdown import Marked, escape, link
from kvreport.base.text import join_words, number
from kvreport.charts import chapter
from kvreport.charts.figures import anchor
from kvreport.charts.tables import MISSING, table
from kvreport.data import facts
from kvreport.data.cases import Case
from kvreport.data.facts import Facts
from kvreport.exhibits import costs

PROCESSES = {"one": "one", "readers": "one, others read", "several": "several"}
PLATFORMS = {
    "linux-x64": "Linux x64",
    "linux-arm64": "Linux ARM",
    "macos-x64": "macOS x64",
    "macos-arm64": "macOS ARM",
    "windows-x64": "Windows",
}
MATRIX = {  # what the matrix has of each store, and its columns' heads
    "ordered": "keys in order",
    "transactions": "transactions",
    "processes": "processes",
    "size_beforehand": "size first",
    "key_limit": "longest key",
    "durability": "survives, as shipped",
    "memory": ">memory, MB",
    "platforms": "native code for",
    "java": "Java from",
    "licence": "licence",
    "release": "last release",
    "maintained": "maintained",
}
# whose load the memory of the matrix is measured at, and where the report shows it
LOADED, LOADS = ("05-medium-values", Case("int", "random", 2026)), "costs.ipynb#sec-costs-5"
HEADINGS = {
    "good": "made for",
    "ordered": "order",
    "transactions": "transactions",
    "concurrency": "writers and readers",
    "processes": "processes",
    "size_beforehand": "size beforehand",
    "key_limit": "keys",
    "value_limit": "values",
    "compression": "compression",
    "durability": "durability as shipped",
    "memory": "memory outside the heap",
    "files": "files",
    "growth": "growth",
    "platforms": "platforms",
    "java": "Java",
    "licence": "licence",
    "release": "last release",
    "maintained": "maintained",
}


def matrix(
    chapters: str = "notebooks/chapters/",
    only: Collection[str] = (),
    columns: Collection[str] = tuple(MATRIX),
) -> Markdown:
    """A row for each store that the report shows and has facts of, or for some of these, in few
    words; each leads to where its vendor says so, or what was measured to where it is shown, and
    each name to how the store was driven.

    chapters  the chapters' folder, from the page
    columns   those of MATRIX
    """
    shown = {
        store: about["name"]
        for store, about in chapter.shown_stores().items()
        if not only or store in only
    }
    memory = _memory(f"{chapters}{LOADS}")
    driven = f"{chapters}stores-driven.ipynb"
    rows = [
        [
            Marked(f"[{escape(shown[store])}]({driven}#{anchor(store)})"),
            *(
                memory.get(shown[store], MISSING)
                if name == "memory"
                else link(_short(found)[name], found[name]["source"])
                for name in columns
            ),
        ]
        for store, found in sorted(
            facts.known().items(), key=lambda item: shown.get(item[0], "").lower()
        )
        if store in shown
    ]
    heads = ["store", *(MATRIX[name] for name in columns)]
    return (
        table(heads, rows, whole=True)
        if rows
        else table(["store"], [["No facts are held of any."]])
    )


def _memory(place: str) -> dict[str, Marked]:
    """By a store's name: the most that was resident beside the heap while it loaded, MB, leading to
    that place.
    """
    section, case = LOADED
    load = costs.of_load(chapter.of(section), case)
    return {
        name: Marked(f"[{number(memory)}]({place})")
        for name, memory in zip(load["store"], load["memory"])
        if memory == memory
    }


def _short(found: Facts) -> dict[str, str]:
    """The words of MATRIX."""
    return {
        "ordered": _yes(found["ordered"]),
        "transactions": found["transactions"]["value"],
        "processes": PROCESSES[found["processes"]["value"]],
        "size_beforehand": _yes(found["size_beforehand"]),
        "key_limit": _bytes(found["key_limit"]["bytes"]),
        "durability": SURVIVED[found["durability"]["default"]],
        "platforms": _native(found["platforms"]),
        "java": str(found["java"]["least"]),
        "licence": found["licence"]["spdx"],
        "release": found["release"]["date"][:7],
        "maintained": _yes(found["maintained"]),
    }


def _bytes(limit: int) -> str:
    if not limit:
        return "no limit"
    return f"{limit:,} B" if limit < 1e6 else f"{limit / 1e6:,.0f} MB"


def _yes(fact: dict[str, Any]) -> str:
    return "yes" if fact["value"] else "no"


def _native(fact: dict[str, Any]) -> str:
    """Where the native part runs or, where that is shorter, where it does not."""
    if not fact["native"]:
        return "none"
    if fact.get("optional"):
        return "where it loads"
    runs: list[str] = []
    lacks: list[str] = []
    for platform, words in PLATFORMS.items():
        (runs if platform in fact["value"] else lacks).append(words)
    if not lacks:
        return "all"
    if set(fact["value"]) == {each for each in PLATFORMS if each.endswith("x64")}:
        return "all on x64"
    if len(runs) <= len(lacks):
        return f"{join_words(runs)} only"
    return f"all but {join_words(lacks)}"


def of_store(store: str) -> Markdown | None:
    """All that is known of a store, a row for each fact; None where nothing is."""
    found = facts.known().get(store)
    if found is None:
        return None
    rows = [[heading, _told(name, found[name])] for name, heading in HEADINGS.items()]
    return table(["fact", f"as of {found['checked']}"], rows)


def _told(name: str, fact: dict[str, Any]) -> Marked:
    words = fact["text"]
    if name == "release":
        words = f"{fact['version']}, {fact['date']}: {words}"
    if fact.get("unconfirmed"):
        words += " (no source seen that says so)"
    return link(words, fact["source"])
