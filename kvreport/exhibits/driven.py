"""How each store was driven: its own code, printed from its script, with the options it was run
with.

The appendix is for the reader who doubts a number: it shows what ran, and where it is to be had.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from IPython.display import Markdown

from kvreport.base import paths
from kvreport.base.markdown import Marked, code, escape, link, marked
from kvreport.charts.chapter import shown_stores
from kvreport.charts.figures import anchor
from kvreport.charts.tables import table
from kvreport.data import facts, scripts
from kvreport.data.scripts import Method
from kvreport.exhibits.portraits import Portraits

FACTS = {  # of a store's script, and what the table calls them
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
OPEN, PUT, GET, SCAN, CLOSE = "open", "put", "get", "ascend", "close"
HEADINGS = {  # of a store's methods, and of those that only a plain map has
    OPEN: "Opening the database",
    "empty": "Making an empty map",
    PUT: "Writing an entry",
    GET: "Getting an entry by its key",
    SCAN: "Scanning in ascending order",
    "serialise": "Turning the map into bytes",
    "save": "Writing the bytes to a file and deleting it",
}
END = "Ending a load"
CALLED = "What these methods call"
IN_C = {OPEN: "open_database", PUT: "put", GET: "get_(?:pinned|copied)", SCAN: "scan"}
NO_SCAN = "A plain map is not scanned: it is filled, turned into bytes and saved."
ENTRY_POINTS = {"describe", "engine", "workloads", "main"}  # called by nothing that is timed

Shown = tuple[Path, Method]


def every_store() -> Markdown:
    """All stores that the report shows something of, by name."""
    stores = shown_stores()
    if not stores:
        return Markdown("*Nothing is measured yet, so no store is shown.*")
    by_name = dict(sorted(stores.items(), key=lambda item: item[1]["name"].lower()))
    return driven(by_name, Portraits.shown())


def driven(stores: dict[str, dict], found: Portraits | None = None) -> Markdown:
    """Every store in turn: a sentence, its options, and its methods as they are written.

    stores  the description of each store by id, as a trial's record has it
    found   what the report says of each
    """
    parts = [part for store, about in stores.items() for part in _of(store, about, found)]
    return Markdown("\n\n".join(parts))


def _of(store: str, about: dict, found: Portraits | None) -> Iterator[str]:
    yield f"## {escape(about['name'])} {{#{anchor(store)}}}"
    library = marked("{} {}", code(about["library"]), about["version"])
    yield marked(
        "{}. Run with {}.",
        f"{about['about'][:1].upper()}{about['about'][1:]}",
        library if about["library"] else "no library",
    )
    if found:
        yield from found.of(store, about["name"])
    if known := facts.known().get(store):
        rows = [[heading, _fact(name, known[name])] for name, heading in FACTS.items()]
        whole = table(["fact", f"as of {known['checked']}"], rows).data
        yield f'::: {{.content-visible when-format="html"}}\n\n{whole}\n\n:::'
    if about["options"]:
        yield _options(about["options"])
    script = scripts.script_of(store)
    if script.exists():
        yield '::: {.content-visible when-format="html"}'  # as print it would fill 80 pages
        yield from _code(script, about["unsupported"])
        yield ":::"
    else:
        yield "Its script is no longer in this project."


def _fact(name: str, fact: dict[str, Any]) -> Marked:
    words = fact["text"]
    if name == "release":
        words = f"{fact['version']}, {fact['date']}: {words}"
    if fact.get("unconfirmed"):
        words += " (no source seen that says so)"
    return link(words, fact["source"])


def _options(options: list[dict]) -> str:
    rows = [
        [
            link(option["name"], option["link"]),
            option["value"],
            option["why"],
        ]
        for option in options
    ]
    return table(["option", "as set here", "why"], rows).data


def _code(script: Path, unsupported: dict[str, str]) -> Iterator[str]:
    """A store's methods under their headings, then what they call.

    unsupported  reasons by workload
    """
    every = [
        (file, method)
        for file in scripts.own_sources(script)
        for method in scripts.methods(file)
        if method.name not in ENTRY_POINTS
    ]
    functions = _c_functions(script)
    shown: list[Shown] = []
    for name, heading in HEADINGS.items():
        found = _of_name(name, script, every)
        if name == SCAN and "readSeq" in unsupported:
            yield marked("**{}.** n/a: {}.", heading, unsupported["readSeq"])
            continue
        if found or name in functions:
            yield f"**{heading}.**"
            yield from map(_printed, found)
            yield from functions.get(name, [])
        elif name == SCAN:
            yield f"**{heading}.** {NO_SCAN}"
        shown += found
        if name == PUT:
            ends = _ends(every)
            shown += ends
            yield from _under(END, ends)
    yield from _under(CALLED, _called(shown, every))


def _of_name(name: str, script: Path, every: list[Shown]) -> list[Shown]:
    """The methods of a name: the script's own where it has one, else its family's."""
    found = [each for each in every if each[1].name == name]
    return [each for each in found if each[0] == script] or found


def _under(heading: str, found: list[Shown]) -> Iterator[str]:
    if found:
        yield f"**{heading}.**"
        yield from map(_printed, found)


def _ends(every: list[Shown]) -> list[Shown]:
    """How the classes that put also end a load: a commit is there."""
    writers = {(file, method.owner) for file, method in every if method.name == PUT}
    return [
        (file, method)
        for file, method in every
        if method.name == CLOSE and (file, method.owner) in writers
    ]


def _called(shown: list[Shown], every: list[Shown]) -> list[Shown]:
    """The store's other methods that these call, and those that they call, in the files' order."""
    known, waiting = list(shown), list(shown)
    while waiting:
        text = waiting.pop()[1].text
        new = [each for each in every if each not in known and _calls(text, each[1])]
        known += new
        waiting += new
    return [each for each in every if each in known and each not in shown]


def _calls(text: str, method: Method) -> bool:
    """Whether code calls a method: one that is named as those shown only by its class."""
    name = f"{method.owner}\\." if method.name in (*HEADINGS, CLOSE) else ""
    return re.search(rf"\b{name}{method.name}\(", text) is not None


def _printed(shown: Shown) -> str:
    file, method = shown
    where = file.relative_to(paths.ROOT).as_posix()
    return f"`{where}`, class `{method.owner}`:\n\n```java\n{method.text}\n```"


def _c_functions(script: Path) -> dict[str, list[str]]:
    """The functions of a store's C program, printed, by the method that they stand for."""
    files = [file for file in scripts.sources(script) if file.suffix == ".c"]
    return {
        name: [
            f"`{file.relative_to(paths.ROOT).as_posix()}`:\n\n```c\n{found[0]}\n```"
            for file in files
            for found in re.finditer(
                rf"^\w[^\n;]*\b{function}\([^\n;]*{{\n(?:.*\n)*?}}", file.read_text(), re.MULTILINE
            )
        ]
        for name, function in IN_C.items()
        if files
    }
