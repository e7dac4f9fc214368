"""Which published versions an edition is compared with: those that are of other measurements."""

import hashlib

from kvreport.base import paths
from kvreport.data import results_table, versions
from kvreport.data.editions import Edition


def earlier(edition: Edition) -> list[str]:
    """The published versions that are of other measurements than an edition, newest first. What is
    said against them stays the same when the edition is published, and when its text is revised.
    """
    own = identity(edition)
    return [
        name
        for name in versions.names()
        if results_of(versions.manifest(paths.REPORT / name)) != own
    ]


def identity(edition: Edition) -> str:
    """What editions of the same measurements have in common: the SHA-256 of all results."""
    return hashlib.sha256(results_table.csv(edition).encode()).hexdigest()


def results_of(published: dict) -> str:
    """The `identity` of the edition that a version published; `published` is its manifest."""
    return published.get("results") or published["files"][versions.RESULTS[-1]]["sha256"]
