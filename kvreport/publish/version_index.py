"""What lies beside the published versions: index.html, versions.json, versions.js and latest/.

All follow from the versions, and from the list of those that are withdrawn, which versions.json
carries on. versions.js is what shows the reader of an older version that it is out of date
(exhibit B10).
"""

import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import vl_convert
from PIL import Image

from kvreport.base import paths
from kvreport.data.versions import LISTED, MANIFEST, RESULTS, Version, order, sha256
from kvreport.publish.pages import page

ANSWER = "fig-answer"  # the picture of the first page, which the index of versions shows, too
PREVIEWS = ANSWER, "fig-a07", "fig-a11"  # figures of the newest version that README.md shows
TABLES = {  # the results, as versions of each format have them
    "csv": RESULTS,
    "parquet": ("data/results.parquet",),
    "jmh": ("data/jmh-result.json.gz", "data/jmh-result.json"),
}


def surroundings(
    folder: Path, places: Iterable[Path], withdrawn: Mapping[str, str] | None = None
) -> list[str]:
    """Writes what lies beside some versions into a folder, and names it.

    places     where the versions are
    withdrawn  the commits of those that are not there any more, by name
    """
    known = sorted(map(Version.at, places), key=lambda each: order(each.folder.name), reverse=True)
    newest = known[0].manifest
    name, pages = newest["version"], newest["pages"]
    listed = [listing_of(version) for version in known]
    names = [each["version"] for each in listed]
    gone = [
        {"version": each, "commit": commit}
        for each, commit in sorted(
            (withdrawn or {}).items(), key=lambda item: order(item[0]), reverse=True
        )
        if each not in names
    ]
    (folder / LISTED).write_text(
        json.dumps({"format": 1, "latest": name, "versions": listed, "withdrawn": gone}, indent=1)
        + "\n"
    )
    script = {"versions": names + [each["version"] for each in gone], "pages": pages}
    (folder / "versions.js").write_text(
        f"window.kvVersions = {json.dumps(script)};\n"
    )  # a script, as pages opened from disk may not fetch
    pictures = previews(known[0].folder)
    (folder / "index.html").write_text(
        page(
            "index.html",
            title=newest["title"],
            versions=listed,
            withdrawn=gone,
            picture=f"latest/{ANSWER}.png" if ANSWER in pictures else "",
        )
    )
    for each in pages:
        above = "../" * (1 + each.count("/"))
        forward(folder / "latest" / each, f"{above}{name}/{each}", f"version {name}")
    for figure, picture in pictures.items():
        (folder / "latest" / f"{figure}.png").write_bytes(picture)
    return [LISTED, "versions.js", "index.html", "latest"]


def previews(version: Path) -> dict[str, bytes]:
    """The figures of PREVIEWS as PNG, made from a version's pages' pictures."""
    found = {}
    vl_convert.register_font_directory(str(paths.THEME / "fonts"))
    for figure in PREVIEWS:
        for place in ("*_files", "notebooks/chapters/*_files"):
            for file in version.glob(f"{place}/**/{figure}-*.svg"):
                found[figure] = squeezed(vl_convert.svg_to_png(file.read_text()))
    return found


def squeezed(png: bytes) -> bytes:
    """The same picture, compressed as well as can be."""
    smaller = io.BytesIO()
    Image.open(io.BytesIO(png)).save(smaller, "png", optimize=True)
    return smaller.getvalue()


def listing_of(version: Version) -> dict:
    """Return what versions.json lists of a version; addresses are from the folder that it is in."""
    published = version.manifest
    name, about = published["version"], published["about"]
    every = [day for section in about["sections"].values() for day in section["measured"]]
    return {
        "version": name,
        "date": published["date"],
        "published": published["published"],
        "measured": [min(every), max(every)],
        **{what: about[what] for what in ("host", "jdk", "profile")},
        "sections": list(about["sections"]),
        "missing": published["missing"],
        "stores": {
            store["name"]: f"{store['library']}:{store['version']}"
            for store in about["stores"].values()
            if store["library"]
        },
        "html": f"{name}/index.html",
        "pdf": f"{name}/{published['pdf']}",
        "data": f"{name}/data/index.html",
        **{
            what: f"{name}/{file}"
            for what, files in TABLES.items()
            for file in files
            if file in published["files"]
        },
        "citation": f"{name}/CITATION.cff",
        "manifest": f"{name}/{MANIFEST}",
        "manifest_sha256": sha256(version.folder / MANIFEST),
    }


def forward(file: Path, address: str, where: str) -> None:
    """Writes a page that leads to an address, the part after # kept where scripts run; `where` says
    what is there.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(page("latest.html", address=address, where=where))
