"""Colours: kinds of stores must be told apart by whoever looks, on light pages and on dark ones."""

import itertools
import re

import pytest

from kvreport.base import paths
from kvreport.charts.palette import FIRST, GREY, HASH, HUES, KINDS, TREE, colour
from kvreport.data.cases import ACCESS_PATH, BASELINE, CONTROL, NO_STORE, WRITE_ONCE

Rgb = tuple[float, float, float]
GROUNDS = ("#ffffff", "#16191d")
LEAST = 3.0  # that of WCAG 2 for graphics
FAR = 0.06  # in OKLab, in which 0.02 is just seen
# what of linear red, green and blue is seen, by Machado, Oliveira and Fernandes (2009), IEEE
# Transactions on Visualization and Computer Graphics 15, table 1, severity 1.0
SEEN = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(colour: str) -> Rgb:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return tuple(
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (red, green, blue)
    )


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2."""
    seen = (0.2126, 0.7152, 0.0722)
    luminances = (sum(map(float.__mul__, seen, linear(each))) for each in (one, other))
    dark, light = sorted(luminances)
    return (light + 0.05) / (dark + 0.05)


def times(matrix, colour) -> Rgb:
    return tuple(sum(a * b for a, b in zip(row, colour)) for row in matrix)


def oklab(rgb: Rgb) -> Rgb:
    """Ottosson (2020), in which distances are about as they look."""
    to_cones = (
        (0.4122214708, 0.5363325363, 0.0514459929),
        (0.2119034982, 0.6806995451, 0.1073969566),
        (0.0883024619, 0.2817188376, 0.6299787005),
    )
    to_lab = (
        (0.2104542553, 0.7936177850, -0.0040720468),
        (1.9779984951, -2.4285922050, 0.4505937099),
        (0.0259040371, 0.7827717662, -0.8086757660),
    )
    return times(to_lab, [max(0.0, each) ** (1 / 3) for each in times(to_cones, rgb)])


def apart(one: str, other: str, sight: str) -> float:
    first, second = (oklab(times(SEEN[sight], linear(each))) for each in (one, other))
    return sum((a - b) ** 2 for a, b in zip(first, second)) ** 0.5


@pytest.mark.parametrize("sight", SEEN)
def test_kinds_are_told_apart(sight):
    near = {
        (one, other): distance
        for (kind, shades), (another, others) in itertools.combinations(HUES.items(), 2)
        for one, other in itertools.product(shades, others)
        if GREY not in (kind, another) and (distance := apart(one, other, sight)) < FAR
    }
    assert near == {}


def test_every_shade_and_every_store_s_colour_reads_on_light_and_on_dark_pages():
    texts = [script.read_text() for script in paths.JBANG_STORES.glob("*.java")]
    own = [
        re.findall(r'"(#[0-9a-f]{6})"', text)[0]
        for text in texts
        if "StoreDescriptor.CONTROL" not in text
    ]
    assert len(own) > 10
    colours = {*own, *itertools.chain(*HUES.values())}
    assert not [
        each for each in colours if min(contrast(each, ground) for ground in GROUNDS) < LEAST
    ]


def test_every_family_that_a_store_may_say_has_a_hue():
    descriptor = (paths.ROOT / "jbang/kv/store/StoreDescriptor.java").read_text()
    families = {WRITE_ONCE, *re.findall(r'String [A-Z_]+ = "(.+)";', descriptor)}
    assert families - {CONTROL, BASELINE, NO_STORE, ACCESS_PATH} == set(KINDS)
    assert set(KINDS.values()) | {GREY} == set(HUES)
    scripts = {script.stem for script in paths.JBANG_STORES.glob("*.java")}
    assert scripts.issuperset(FIRST)


def test_a_hue_is_the_family_s_and_of_another_way_to_an_engine_the_engine_s():
    own = "#123456"
    assert colour("MyStore", own, "B+ tree") == HUES[TREE][1]
    assert colour("LmdbJavaBb", own, "B+ tree", "LMDB 0.9.33") == HUES[TREE][0]
    assert colour("LmdbJni", own, ACCESS_PATH, "LMDB 0.9.19") == HUES[TREE][0]
    assert colour("ChronicleMap1", own, ACCESS_PATH, "Chronicle Map 2026.1") == HUES[HASH][0]
    others = (ACCESS_PATH, "RocksDB 11"), (NO_STORE, ""), (CONTROL, "LMDB 1"), ("mine", "LMDB 1")
    for family, engine in others:
        assert colour("LmdbJavaBb", own, family, engine) == own
