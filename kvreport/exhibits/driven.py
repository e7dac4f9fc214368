"""How each store was driven: its own code, printed from its script, with the options it was run
with.

The appendix is for the reader who doubts a number: it shows what ran, and where it is to be had.
"""

from collections.abc import Iterator

from IPython.display import Markdown

from kvreport.base import paths
from kvreport.data import scripts
from kvreport.exhibits.chapter import shown_stores
from kvreport.exhibits.charts import anchor
from kvreport.exhibits.tables import table

SHOWN = {
    "open": "Opening the database",
    "put": "Writing an entry",
    "get": "Getting an entry by its key",
    "ascend": "Scanning in ascending order",
}


def every_store() -> Markdown:
    """All stores that the report shows something of, by name."""
    stores = shown_stores()
    if not stores:
        return Markdown("*Not measured.*")
    return driven(dict(sorted(stores.items(), key=lambda item: item[1]["name"].lower())))


def driven(stores: dict[str, dict]) -> Markdown:
    """Every store in turn: a sentence, its options, and its methods as they are written.

    stores  what each store says of itself, by id, as a trial's record has it
    """
    parts = [part for store, about in stores.items() for part in _of(store, about)]
    return Markdown("\n\n".join(parts))


def _of(store: str, about: dict) -> Iterator[str]:
    script = scripts.script_of(store)
    yield f"## {about['name']} {{#{anchor(store)}}}"
    library = f"`{about['library']}` {about['version']}" if about["library"] else "no library"
    yield f"{about['about'][:1].upper()}{about['about'][1:]}. Run with {library}."
    if about["options"]:
        rows = [
            [
                f"[{option['name']}]({option['link']})" if option["link"] else option["name"],
                option["value"],
                option["why"],
            ]
            for option in about["options"]
        ]
        yield table(["option", "as set here", "why"], rows).data
    if not script.exists():
        yield "Its script is no longer in this project."
        return
    files = scripts.own_sources(script)
    for name, heading in SHOWN.items():
        found = [(file, each) for file in files for each in scripts.methods(file, {name})]
        if found:
            yield f"**{heading}.**"
        for file, each in found:
            where = file.relative_to(paths.ROOT).as_posix()
            yield f"`{where}`, class `{each.owner}`:\n\n```java\n{each.text}\n```"
