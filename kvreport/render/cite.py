"""How to cite the report: a sentence for its first page, and CITATION.cff (Citation File Format
1.2.0).
"""

import os

import yaml

from kvreport.base.text import join_words
from kvreport.data.runs import shown_environments

# the name of the version that is being published; the pre-render step, which Quarto starts, reads
# it
VERSION = "KVREPORT_VERSION"
LICENCE = "CC-BY-4.0"  # of data and text, by its name in SPDX's list


def version_variables(front: dict, measured: bool) -> dict[str, str]:
    """Return what the first page and the footer say of the version; `front` is the book of
    _quarto.yml.
    """
    version = os.environ.get(VERSION)
    if not version:
        return {
            "version": "Draft",
            "citation": "This is a draft, which changes: cite a published version.",
        }
    where = f", {conditions(shown_environments())}" if measured else ""
    return {
        "version": f"Version {version}",
        "citation": (
            f"To cite it: {front['author']}, “{front['title']}: {front['subtitle']}”, version"
            f" {version}{where}."
        ),
    }


def conditions(shown: list[dict]) -> str:
    """At which profile and where some runs measured; they have a line in a footer."""
    profiles, hosts = (sorted({about[what] for about in shown}) for what in ("profile", "host"))
    return (
        f"{'profile' if len(profiles) == 1 else 'profiles'} {join_words(profiles)}, measured on"
        f" {join_words(hosts)}"
    )


def cff(front: dict, version: str, date: str, commit: str | None) -> str:
    """CITATION.cff of a version, made from a commit if that is known. The author is the project, an
    entity in the format's terms.
    """

    def work() -> dict:
        # made anew each time, as YAML would write a second mention as an alias, which readers of
        # the format refuse
        return {
            "title": f"{front['title']}: {front['subtitle']}",
            "authors": [{"name": front["author"]}],
            "license": LICENCE,
        }

    return yaml.safe_dump(
        {
            "cff-version": "1.2.0",
            "message": "If you use these measurements, please cite this version of the report.",
            "type": "dataset",
            **work(),
            "version": version,
            **({"commit": commit} if commit else {}),
            "date-released": date,
            "keywords": ["benchmark", "key-value store", "JVM"],
            "preferred-citation": {
                "type": "report",
                **work(),
                "version": version,
                "year": int(date[:4]),
                "month": int(date[5:7]),
                "date-released": date,
            },
        },
        sort_keys=False,
        allow_unicode=True,
        width=1000,
    )
