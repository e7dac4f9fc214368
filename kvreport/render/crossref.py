"""Numbers a book's sections, figures and tables and resolves what refers to them, on pandoc's
syntax trees.
"""

import posixpath
import re
from dataclasses import dataclass

from kvreport.render.book import Chapter

SHOWN = {"fig": "Image", "tbl": "Table"}
KINDS = {"fig": "Figure", "tbl": "Table", "sec": "Section"}
EXTERNAL = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)
CALLOUTS = ("note", "tip", "warning", "important", "caution")


@dataclass
class Document:
    """A chapter with its pandoc blocks and its pictures."""

    chapter: Chapter
    blocks: list
    pictures: dict[str, str]


@dataclass(frozen=True)
class Target:
    """Something with a name: its number ("3.1"), how a reference to it reads ("Figure 3.1") and the
    chapter it is in.
    """

    number: str
    text: str
    chapter: Chapter


def walk(node, change):
    """Copies a tree; `change` gives None to leave a node and look inside, or the nodes to put in
    its place.
    """
    if isinstance(node, list):
        copied = []
        for item in node:
            new = change(item) if isinstance(item, dict) and "t" in item else None
            copied += [walk(item, change)] if new is None else new
        return copied
    if isinstance(node, dict):
        return {key: walk(value, change) for key, value in node.items()}
    return node


def element(kind, *content):
    return {"t": kind, "c": list(content) if len(content) != 1 else content[0]}


def words(inlines) -> str:
    """The plain text of some inlines or blocks."""
    text = []

    def collect(node):
        if node["t"] in ("Str", "Code"):
            text.append(node["c"] if node["t"] == "Str" else node["c"][1])
        elif node["t"] in ("Space", "SoftBreak", "LineBreak", "Para", "Plain", "Header"):
            text.append(" ")

    walk(inlines, collect)
    return re.sub(r"\s+", " ", "".join(text)).strip()


def number(documents) -> tuple[dict[str, Target], list[str]]:
    """Numbers every section, figure and table: {id: Target}, and what is wrong with them, a
    sentence each.

    Headers carry their number as an attribute from then on; figures and tables get theirs when they
    are resolved.
    """
    targets, problems = {}, []
    for document in documents:
        for identifier, target in named(document, problems):
            if identifier in targets:
                sources = f"{target.chapter.source} and {targets[identifier].chapter.source}"
                problems.append(f"{sources} both use the name {identifier}: rename one.")
            targets[identifier] = target
    return targets, problems


def named(document: Document, problems: list[str]) -> list[tuple[str, Target]]:
    """What has a name in a chapter, in the order of the text."""
    chapter, found, counts, sections = document.chapter, [], {"fig": 0, "tbl": 0}, []

    def visit(node):
        if node["t"] == "Header":
            header(*node["c"])
        elif kind := float_kind(node):
            (identifier, _, _), content = node["c"]
            counts[kind] += 1
            own = f"{chapter.number}.{counts[kind]}".lstrip(".")
            found.append((identifier, Target(own, f"{KINDS[kind]} {own}", chapter)))
            if not holds(content, SHOWN[kind]):
                problems.append(
                    f"{chapter.source}: the cell {identifier} shows no {SHOWN[kind].lower()}: run"
                    " the notebook and save it."
                )

    def header(level, attributes, title):
        identifier, classes, rest = attributes
        own = ""
        if chapter.number and "unnumbered" not in classes:
            sections[:] = (sections + [0] * level)[:level]
            sections[-1] += 1
            own = ".".join([chapter.number, *map(str, sections[1:])])
            rest.append(["number", own])
        elif not chapter.number:
            classes.append("unnumbered")
        if identifier.startswith("sec-"):
            kind = ("Appendix" if chapter.appendix else "Chapter") if level == 1 else "Section"
            found.append(
                (identifier, Target(own, f"{kind} {own}" if own else words(title), chapter))
            )

    walk(document.blocks, visit)
    return found


def with_floats(blocks: list) -> list:
    """Blocks in which a table named in its own caption (`: Times {#tbl-x}`) is a Div around table
    and caption, as for a cell's.
    """

    def change(node):
        if node["t"] != "Table" or not node["c"][0][0].startswith("tbl-"):
            return None
        (identifier, classes, rest), (_, caption), *table = node["c"]
        content = [
            element("Table", ["", classes, rest], [None, []], *table),
            *(element("Para", block["c"]) for block in caption),
        ]
        return [element("Div", [identifier, [], []], content)]

    return walk(blocks, change)


def float_kind(node):
    """ "fig" or "tbl" for a Div that holds a figure or a table, else None."""
    if node["t"] == "Div" and node["c"][0][0][:4] in ("fig-", "tbl-"):
        return node["c"][0][0][:3]
    return None


def holds(blocks, kind) -> bool:
    """Whether there is an element of a kind in some blocks, at any depth."""
    found = []
    walk(blocks, lambda node: found.append(node) if node["t"] == kind else None)
    return bool(found)


def resolve(document: Document, targets: dict[str, Target], writer) -> tuple[list, list[str]]:
    """A chapter's blocks with references, links, figures, tables and callouts as `writer` writes
    them, and what is dangling.
    """
    problems, chapter = [], document.chapter

    def change(node):
        match node["t"]:
            case "Cite":
                return reference(node)
            case "Link":
                return link(node)
            case "Div" if float_kind(node):
                identifier, *content = node["c"][0][0], *node["c"][1]
                captioned = content[-1]["t"] == "Para" and not holds(content[-1:], "Image")
                caption = content.pop()["c"] if captioned else []
                return writer.float(
                    float_kind(node),
                    identifier,
                    targets[identifier],
                    walk(caption, change),
                    walk(content, change),
                )
            case "Div" if callout := next(
                (kind for kind in CALLOUTS if f"callout-{kind}" in node["c"][0][1]), None
            ):
                title = dict(node["c"][0][2]).get("title", callout.capitalize())
                return writer.callout(callout, title, walk(node["c"][1], change))
            case "Header" | "Image" | "CodeBlock" | "RawBlock":
                return writer.block(node, document, lambda content: walk(content, change))
        return None

    def reference(node):
        links = []
        for citation in node["c"][0]:
            identifier = citation["citationId"]
            target = targets.get(identifier)
            if not target:
                problems.append(
                    f"{chapter.source} refers to @{identifier}, and nothing in the book has that"
                    " name."
                )
                continue
            short = citation["citationMode"]["t"] == "SuppressAuthor"
            text = [element("Str", target.number if short else target.text.replace(" ", "\u00a0"))]
            links += [element("Str", ", ")] if links else []
            links.append(
                element(
                    "Link",
                    ["", ["quarto-xref"], []],
                    text,
                    [writer.address(chapter, target.chapter, identifier), ""],
                )
            )
        return links

    def link(node):
        attributes, text, (address, title) = node["c"]
        if EXTERNAL.match(address):
            return None
        path, _, anchor = address.partition("#")
        source = (
            posixpath.normpath(posixpath.join(posixpath.dirname(chapter.source), path))
            if path
            else chapter.source
        )
        other = next(
            (
                document.chapter
                for document in writer.documents
                if document.chapter.source == source
            ),
            None,
        )
        if not other:
            problems.append(
                f"{chapter.source} links to {path}, which is not a chapter of the book."
            )
        elif anchor and (anchor not in targets or targets[anchor].chapter != other):
            problems.append(
                f"{chapter.source} links to #{anchor}, and {other.source} has nothing of that name."
            )
        else:
            return [
                element(
                    "Link",
                    attributes,
                    walk(text, change),
                    [writer.address(chapter, other, anchor), title],
                )
            ]
        return []

    return walk(document.blocks, change), problems
