"""What lies beside the published versions: index.html, versions.json, versions.js and latest/.

All follow from the versions' manifests alone. versions.js is what tells the reader of an older
version that it is out of date (exhibit B10).
"""

import html
import json
import shutil
import string
from pathlib import Path

from kvreport.base import paths
from kvreport.base.text import join_words
from kvreport.data import editions
from kvreport.data.versions import MANIFEST, PREVIEW, manifest, names, order, sha256


def surroundings(folder: Path, fresh: Path | None = None) -> list[str]:
    """Writes what lies beside the versions into a folder, and names it; `fresh` is a version that
    is not in its place yet.
    """
    places = {
        place.name: place
        for place in [*map(paths.REPORT.joinpath, names()), *([fresh] if fresh else [])]
    }
    known = [manifest(places[name]) for name in sorted(places, key=order, reverse=True)]
    newest = known[0]
    listed = [listing_of(told, places[told["version"]]) for told in known]
    (folder / "versions.json").write_text(
        json.dumps({"format": 1, "latest": newest["version"], "versions": listed}, indent=1) + "\n"
    )
    script = {"versions": [told["version"] for told in known], "pages": newest["pages"]}
    (folder / "versions.js").write_text(
        f"window.kvVersions = {json.dumps(script)};\n"
    )  # a script, as pages opened from disk may not fetch
    (folder / "index.html").write_text(index(listed, newest["title"]))
    for page in newest["pages"]:
        forward(
            folder / "latest" / page,
            "../" * (1 + page.count("/")) + f"{newest['version']}/{page}",
            newest["version"],
        )
    for picture in (places[newest["version"]] / PREVIEW).glob("*"):
        shutil.copyfile(picture, folder / "latest" / picture.name)
    return ["versions.json", "versions.js", "index.html", "latest"]


def listing_of(told: dict, folder: Path) -> dict:
    """What versions.json says of a version; addresses are from the folder that it is in."""
    name, about = told["version"], told["about"]
    every = [day for section in about["sections"].values() for day in section["measured"]]
    return {
        "version": name,
        "date": told["date"],
        "published": told["published"],
        "measured": [min(every), max(every)],
        **{what: about[what] for what in ("host", "jdk", "profile")},
        "sections": list(about["sections"]),
        "missing": told["missing"],
        "stores": {
            store["name"]: f"{store['library']}:{store['version']}"
            for store in about["stores"].values()
            if store["library"]
        },
        "html": f"{name}/index.html",
        "pdf": f"{name}/{told['pdf']}",
        "data": f"{name}/data/index.html",
        **{
            what: f"{name}/data/{file}"
            for what, file in (
                ("csv", "results.csv"),
                ("parquet", "results.parquet"),
                ("jmh", "jmh-result.json"),
            )
        },
        "citation": f"{name}/CITATION.cff",
        "manifest": f"{name}/{MANIFEST}",
        "manifest_sha256": sha256(folder / MANIFEST),
    }


def index(listed: list[dict], title: str) -> str:
    """The page that lists the versions."""
    return template("index.html").substitute(
        title=html.escape(title),
        versions="\n".join(
            template("version.html").substitute(
                {
                    name: html.escape(value)
                    for name, value in {
                        "version": each["version"],
                        "newest": "newest" if each is listed[0] else "out of date",
                        "html": each["html"],
                        "pdf": each["pdf"],
                        "data": each["data"],
                        "citation": each["citation"],
                        "manifest": each["manifest"],
                        "measured": editions.days(each),
                        "host": join_words(each["host"]),
                        "jdk": join_words(each["jdk"]),
                        "profile": join_words(each["profile"]),
                        "sections": join_words(each["sections"]),
                        "missing": join_words(each["missing"]),
                        "stores": join_words(
                            f"{name} {what.rpartition(':')[2]}"
                            for name, what in each["stores"].items()
                        ),
                    }.items()
                }
            )
            for each in listed
        ),
    )


def template(name: str) -> string.Template:
    return string.Template((paths.THEME / "versions" / name).read_text())


def forward(file: Path, address: str, name: str) -> None:
    """Writes a page that leads to an address, the part after # kept where scripts run."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        template("latest.html").substitute(
            address=html.escape(address), script=json.dumps(address), version=name
        )
    )
