"""Vega's pictures without what a file that is looked at does not need.

Vega writes for pictures that are part of a page: names for screen readers and for style sheets,
shapes that nothing paints, and ten digits where a pixel has two.
"""

import re
import xml.etree.ElementTree as tree
from math import inf

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
GROUP, LINE, PATH, CIRCLE, TEXT = (
    f"{{{SVG}}}{name}" for name in ("g", "line", "path", "circle", "text")
)
VEGAS = "marks"  # the class of the root of a picture that Vega drew
UNSEEN = re.compile(r"aria-.*|role|class|pointer-events")  # attributes
DEFAULTS = {"opacity": "1", "fill-opacity": "1", "stroke-opacity": "1", "stroke-width": "1"}
ENDS = "x1", "x2", "y1", "y2"  # of a line: 0 unless given
IN_PIXELS = "d", "transform", "x", "y", *ENDS, "width", "height", "r", "cx", "cy"
NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
INHERITED = (
    *("fill", "stroke", "fill-opacity", "stroke-opacity", "stroke-width"),
    *("font-family", "font-size", "font-style", "font-weight", "text-anchor"),
)
NUMERAL = r"-?[\d.]+"
MOVED = re.compile(rf"translate\(({NUMERAL}),({NUMERAL})\)")
ROUND = re.compile(rf"M({NUMERAL}),0A\1,\1,0,1,1,-\1,0A\1,\1,0,1,1,\1,0Z?")  # a circle's path
STAYS = "translate(0,0)"  # a transformation that changes nothing


def lean(svg: str, highest: float = inf) -> str:
    """A picture that looks the same in a third of the bytes, shown no higher than so many px; what
    Vega did not draw stays.
    """
    for prefix, address in (("", SVG), ("xlink", XLINK)):
        tree.register_namespace(prefix, address)
    root = tree.fromstring(svg)
    if root.get("class") != VEGAS:
        return svg
    _prune(root)
    width, height = (float(root.get(side, "nan")) for side in ("width", "height"))
    if height > highest:
        root.set("width", f"{width * highest / height:.0f}")
        root.set("height", f"{highest:.0f}")
    return tree.tostring(root, encoding="unicode")


def _prune(node: tree.Element) -> None:
    for child in list(node):
        _prune(child)
        if _paints_nothing(child):
            node.remove(child)
        elif child.tag == GROUP and not child.attrib:
            at = list(node).index(child)
            node[at : at + 1] = list(child)
    for name, value in list(node.attrib.items()):
        if UNSEEN.fullmatch(name) or DEFAULTS.get(name) == value or value == STAYS:
            del node.attrib[name]
        elif name in IN_PIXELS:
            node.set(name, NUMBER.sub(_rounded, value))
            if node.tag == LINE and name in ENDS and node.get(name) == "0":
                del node.attrib[name]
    if len(node):
        _hoist(node)
    else:
        _shorten(node)
        _make_paint_translucent(node)


def _hoist(group: tree.Element) -> None:
    """State by the group, once, what all of its parts have."""
    for name in INHERITED if group.tag == GROUP else ():
        values = {part.get(name) for part in group}
        if len(values) == 1 and None not in values:
            group.set(name, values.pop() or "")
            for part in group:
                del part.attrib[name]


def _shorten(shape: tree.Element) -> None:
    """A circle is no path, and a line of text has a place of its own."""
    circle = ROUND.fullmatch(shape.get("d", "")) if shape.tag == PATH else None
    moved = MOVED.fullmatch(shape.get("transform", "")) if shape.tag == TEXT else None
    if circle:  # which stays moved: circles alike that are moved take less of a PDF
        shape.tag = CIRCLE
        del shape.attrib["d"]
        shape.set("r", circle[1])
    elif moved and "x" not in shape.attrib:
        del shape.attrib["transform"]
        shape.attrib |= {"x": moved[1], "y": moved[2]}


def _make_paint_translucent(shape: tree.Element) -> None:
    """A shape that is only filled or only drawn as a line needs no layer of its own to be
    translucent; each layer is an object in the PDF.
    """
    painted = [paint for paint in ("fill", "stroke") if shape.get(paint, "none") != "none"]
    if "opacity" in shape.attrib and len(painted) == 1:
        own = f"{painted[0]}-opacity"
        if own not in shape.attrib:
            shape.set(own, shape.attrib.pop("opacity"))


def _paints_nothing(node: tree.Element) -> bool:
    if node.get("display") == "none":
        return True
    if node.tag == GROUP:
        return len(node) == 0
    painted = set(node.keys()) & {"fill", "stroke", "style"}  # Vega's root sets both to none
    return node.tag == PATH and (not painted or not node.get("d"))


def _rounded(number: re.Match[str]) -> str:
    """Two digits: a hundredth of a pixel."""
    short = f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short
