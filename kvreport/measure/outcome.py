"""What a launch leaves."""

import time
from dataclasses import dataclass, field

from kvreport.base.text import join_words
from kvreport.data import records


@dataclass
class Outcome:
    """What a launch leaves: the runs that have its sections, the records that failed, those that
    say nothing of the store, as the machine spoiled them, and those for which the machine lacks
    something; and when measuring ended, as time.monotonic has it.
    """

    runs: list[str] = field(default_factory=list)
    failed: list[dict] = field(default_factory=list)
    spoiled: list[dict] = field(default_factory=list)
    na: list[dict] = field(default_factory=list)
    ended: float = field(default_factory=time.monotonic)

    def add(self, run: str, recorded: list[dict]) -> None:
        """The records of one section."""
        if run not in self.runs:
            self.runs.append(run)
        for record in recorded:
            if record["status"] == "failed":
                (self.spoiled if records.is_void(record) else self.failed).append(record)
            elif record["status"] == records.NA:
                self.na.append(record)

    def unavailable(self) -> list[tuple[str, str]]:
        """The stores that are n/a, by name, each with what this machine lacks for it and how to get
        it. Nothing to complain of.
        """
        return records.unavailable(self.na)

    def complaints(self) -> list[str]:
        """A sentence for what failed, and one for what was spoiled, with the stores' names."""
        return [
            f"{len(found)} of the trials {what}, of {join_words(_names(found))}: {then}."
            for found, what, then in (
                (
                    self.failed,
                    "failed",
                    "the report has their reasons, and --retry-failed makes them again",
                ),
                (self.spoiled, "were spoiled by the machine", "the same command makes them again"),
            )
            if found
        ]


def _names(recorded: list[dict]) -> list[str]:
    return list(
        dict.fromkeys(f"{record['store']['name']} ({record['section']})" for record in recorded)
    )
