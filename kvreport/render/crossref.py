"""Numbers a book's sections, figures and tables and resolves what refers to them, on pandoc's
syntax trees.
"""

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import pandocfilters
from pandocfilters import Div, Link, Str, stringify

from kvreport.render.book import Chapter

SHOWN = {"fig": "Image", "tbl": "Table"}
KINDS = {"fig": "Figure", "tbl": "Table", "sec": "Section"}
EXTERNAL = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)
PLAIN = ["", [], []]  # the attributes of an element that has none
BLOCKS = ("Para", "Plain", "Header")
LEAVES = ("Str", "Code", "Math", "Space", "SoftBreak", "LineBreak")
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


def walk(tree: list, change: Callable[[str, Any], list | None]) -> list:
    """A copy of a tree of pandoc's. `change` has an element's name and content and gives None to
    leave it, or the elements to put in its place, inside which it is called in turn.
    """
    return pandocfilters.walk(tree, lambda name, content, *_: change(name, content), "", {})


def as_content(blocks: list) -> dict:
    """Blocks as the content of an element that has taken the place of another, so that they are
    walked in their turn.
    """
    return Div(PLAIN, blocks)


def words(tree: list) -> str:
    """The plain text of some inlines or blocks, with a blank between blocks."""
    text: list[str] = []

    def collect(name: str, content: Any) -> None:
        if name in BLOCKS:
            text.append(" ")
        elif name in LEAVES:
            text.append(stringify([{"t": name, "c": content}]))

    walk(tree, collect)
    return " ".join("".join(text).split())


def number(documents: list[Document]) -> tuple[dict[str, Target], list[str]]:
    """Numbers every section, figure and table: {id: Target}, and what is wrong with them, a
    sentence each.

    Headers carry their number as an attribute from then on; figures and tables get theirs when they
    are resolved.
    """
    targets: dict[str, Target] = {}
    problems: list[str] = []
    for document in documents:
        for identifier, target in named_targets(document, problems):
            if identifier in targets:
                sources = f"{target.chapter.source} and {targets[identifier].chapter.source}"
                problems.append(f"{sources} both use the name {identifier}: rename one.")
            targets[identifier] = target
    return targets, problems


def named_targets(document: Document, problems: list[str]) -> list[tuple[str, Target]]:
    """Return what has a name in a chapter, in the order of the text."""
    chapter, counts = document.chapter, {"fig": 0, "tbl": 0}
    found: list[tuple[str, Target]] = []
    sections: list[int] = []

    def visit(name: str, content: Any) -> None:
        if name == "Header":
            header(*content)
        elif kind := float_kind(name, content):
            (identifier, _, _), inside = content
            counts[kind] += 1
            own = f"{chapter.number}.{counts[kind]}".lstrip(".")
            found.append((identifier, Target(own, f"{KINDS[kind]} {own}", chapter)))
            if not holds(inside, SHOWN[kind]):
                problems.append(
                    f"{chapter.source}: the cell {identifier} shows no {SHOWN[kind].lower()}: run"
                    " the notebook and save it."
                )

    def header(level: int, attributes: list, title: list) -> None:
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


def float_kind(name: str, content: Any) -> str | None:
    """ "fig" or "tbl" for a Div that holds a figure or a table, else None."""
    if name == "Div" and content[0][0][:4] in ("fig-", "tbl-"):
        return content[0][0][:3]
    return None


def holds(blocks: list, kind: str) -> bool:
    """Return whether there is an element of that name in some blocks, at any depth."""
    found = []
    walk(blocks, lambda name, _: found.append(name) if name == kind else None)
    return bool(found)


def resolve(
    document: Document, targets: dict[str, Target], writer: "Writer", alone: bool = False
) -> tuple[list, list[str]]:
    """A chapter's blocks with references, links, figures, tables and callouts as `writer` writes
    them, and what is dangling, a sentence each.

    alone   it is rendered by itself: the other chapters' outputs may be of another run, so what
            they will have is not known, and links into them stay as they are
    """
    problems: list[str] = []
    chapter = document.chapter

    def change(name: str, content: Any) -> list | None:
        match name:
            case "Cite":
                return reference(content[0])
            case "Link":
                return link(*content)
            case "Div" if dict(content[0][2]).get("when-format", writer.format) != writer.format:
                return []
            case "Div" if kind := float_kind(name, content):
                identifier, inside = content[0][0], list(content[1])
                captioned = inside[-1]["t"] == "Para" and not holds(inside[-1:], "Image")
                caption = inside.pop()["c"] if captioned else []
                return writer.float(kind, identifier, targets[identifier], caption, inside)
            case "Div" if kind := next(
                (each for each in CALLOUTS if f"callout-{each}" in content[0][1]), None
            ):
                given = dict(content[0][2])
                title = given.get("title", kind.capitalize())
                return writer.callout(kind, title, content[1], given.get("collapse") == "true")
        return writer.block(name, content, document)

    def reference(citations: list) -> list:
        links: list[dict] = []
        for citation in citations:
            identifier = citation["citationId"]
            target = targets.get(identifier)
            if not target:
                problems.append(
                    f"{chapter.source} refers to @{identifier}, and nothing in the book has that"
                    " name."
                )
                continue
            short = citation["citationMode"]["t"] == "SuppressAuthor"
            text = target.number if short else target.text.replace(" ", "\u00a0")
            address = writer.address(chapter, target.chapter, identifier)
            links += [Str(", ")] if links else []
            shown = Link(["", ["quarto-xref"], []], [Str(text)], [address, ""])
            links.append(shown if address else Str(target.chapter.title))
        return links

    def link(attributes: list, text: list, where: list) -> list | None:
        address, title = where
        if EXTERNAL.match(address):
            return None
        path, _, anchor = address.partition("#")
        source = posixpath.normpath(posixpath.join(posixpath.dirname(chapter.source), path))
        other = next(
            (
                document.chapter
                for document in writer.documents
                if document.chapter.source == (source if path else chapter.source)
            ),
            None,
        )
        if not other:
            problems.append(
                f"{chapter.source} links to {path}, which is not a chapter of the book."
            )
        elif (
            anchor
            and (anchor not in targets or targets[anchor].chapter != other)
            and (other == chapter or not alone)
        ):
            problems.append(
                f"{chapter.source} links to #{anchor}, and {other.source} has nothing of that name."
            )
        else:
            address = writer.address(chapter, other, anchor)
            return [Link(attributes, text, [address, title])] if address else text
        return []

    return walk(document.blocks, change), problems


class Writer(Protocol):
    """Writes for one format what pandoc has no notion of. Each element is written as others, inside
    which what `content_of` holds is resolved in turn.
    """

    format: str  # as Quarto's `content-visible` has it in `when-format`
    documents: list[Document]

    def address(self, here: Chapter, there: Chapter, anchor: str) -> str:
        """The address of a chapter, or of what has a name in it, from another's page; empty where
        the format leaves that chapter out.
        """

    def float(
        self, kind: str, identifier: str, target: Target, caption: list, content: list
    ) -> list:
        """A figure or table ("fig", "tbl") with its number."""

    def callout(self, kind: str, title: str, content: list, folded: bool) -> list:
        """A callout of one of CALLOUTS, folded where that can be."""

    def block(self, name: str, content: Any, document: Document) -> list | None:
        """Any other element; None to leave it as it is."""
