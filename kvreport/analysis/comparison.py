"""What a comparison of two editions came to: its rows, what they add up to, and both in words.
analysis.compare makes it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from math import ceil, isnan, log, nan
from typing import Any

import numpy as np
import pandas as pd

from kvreport.base.text import count, format_range, number
from kvreport.data.cases import Case
from kvreport.data.results_table import KEY

LEVEL = 0.05  # of the adjusted p-values
LEAST_TRIALS = 2  # that have an interval
PAIRED = [*KEY, "entries"]  # what two results that are compared have in common
ABOUT = ["name", "family", "engine"]
COLUMNS = [*PAIRED, *ABOUT, "before", "after", "trials", "ratio", "ratio_low", "ratio_high"]
COLUMNS += ["p", "error", "freedom", "adjusted", "verdict", "detectable"]
LOST = [*KEY, "name", "reason"]
IN_JSON = {"before": "first", "after": "second", "ratio_low": "low", "ratio_high": "high"}


class Change(StrEnum):
    """What became of a result from one edition to the next."""

    SLOWER = "slower"
    FASTER = "faster"
    SAME = "no detectable difference"


@dataclass(frozen=True)
class Comparison:
    """
    first, second  the editions' names
    rows     one for each store, case and workload that both have, the largest change first: KEY,
             entries, name, family, engine; before, after (median ns/entry); trials (the fewer);
             ratio, ratio_low, ratio_high; p, adjusted; error, freedom (of the ratio's logarithm);
             verdict (a Change); detectable (the smallest ratio that is found four times in five)
    floor    the noise floor, a ratio
    changes  what else is different: what, first, second
    lacking  how many results only one of the two has: in "first", in "second"
    lost     results that are: KEY, name, reason
    problem  why there is nothing to compare; "" where there is
    """

    first: str = ""
    second: str = ""
    rows: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=COLUMNS))
    floor: float = nan
    changes: list[dict[str, str]] = field(default_factory=list)
    lacking: dict[str, int] = field(default_factory=dict)
    lost: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=LOST))
    problem: str = ""

    @cached_property
    def found(self) -> pd.DataFrame:
        """The rows with a difference."""
        return self.rows[self.rows["verdict"] != Change.SAME]

    def regressions(self, share: float) -> pd.DataFrame:
        """The rows that became slower by more than a share."""
        return self.rows[(self.rows["verdict"] == Change.SLOWER) & (self.rows["ratio"] > 1 + share)]

    def trials_needed(self, share: float) -> int | None:
        """Return how many trials on each side would detect a change by a share, or by the noise
        floor where that is more, in half of the results, where these do not; None where they do. Of
        a result with a single trial only the least is known.
        """
        ratio = max(1 + share, self.floor)
        unseen = self.rows[~(self.rows["detectable"] <= ratio)]  # of single trials it is NaN
        if len(unseen) <= len(self.rows) / 2:
            return None
        reach = np.log(unseen["detectable"].astype(float)) / log(ratio)
        return ceil(float((unseen["trials"] * reach**2).fillna(LEAST_TRIALS).median()))

    @property
    def counts(self) -> dict[str, Any]:
        """Return how many results there are, of each Change, and with a single trial on a side, are
        lost; the noise floor in percent, and the smallest change that half of the results would
        have shown (NaN where none could).
        """
        found = self.rows["verdict"].value_counts()
        return {
            "results": len(self.rows),
            **{change.name.lower(): int(found.get(change, 0)) for change in Change},
            "single": int((self.rows["trials"] < LEAST_TRIALS).sum()),
            "lost": len(self.lost),
            "floor_percent": 100 * (self.floor - 1),
            "detectable_percent": 100 * (self.rows["detectable"].astype(float).median() - 1),
        }

    @property
    def summary(self) -> str:
        """Return what came out, in a sentence or two."""
        of = self.counts
        said = (
            f"Of {of['results']:,} results that both have, {of['slower']:,} became slower,"
            f" {of['faster']:,} became faster, and {of['same']:,} show no detectable difference;"
            f" the noise floor is {of['floor_percent']:.1f}%."
        )
        if not isnan(of["detectable_percent"]):
            least = number(of["detectable_percent"])
            said += f" The smallest change that half of them would have shown is {least}%."
        for what, end in (("lost", "lost"), ("single", "inconclusive")):
            if many := of[what]:
                said += f" {count(many, 'result').capitalize()}"
                said += " with one trial on a side" * (what == "single")
                said += f" {'is' if many == 1 else 'are'} {end}."
        return said

    def as_json(self) -> dict[str, Any]:
        """The comparison as `kvreport compare --json` prints it."""
        rows = self.rows.drop(columns=["family", "engine"]).rename(columns=IN_JSON)
        return {
            "format": 1,
            "first": self.first,
            "second": self.second,
            "summary": self.summary,
            "noise_floor": self.floor,
            "correction": "Benjamini-Hochberg",
            "level": LEVEL,
            "results": json.loads(rows.to_json(orient="records", double_precision=15)),
            "changes": self.changes,
            "only_in": self.lacking,
            "lost": json.loads(self.lost.to_json(orient="records")),
        }

    def lines(self) -> Iterator[str]:
        """The comparison for a terminal: what changed, and what came out."""
        yield f"{self.second} against {self.first}"
        for each in self.changes:
            yield f"  {each['what']}: {each['first']} -> {each['second']}"
        yield from ("", self.summary)
        for row in self.found.to_dict("records"):
            yield (
                f"  {row['verdict']}: {_result(row)}: {number(row['ratio'])} times the time"
                f" ({format_range(row['ratio_low'], row['ratio_high'])}),"
                f" {number(row['before'])} -> {number(row['after'])} ns/entry"
            )
        for row in self.lost.to_dict("records"):
            yield f"  lost: {_result(row)}: {row['reason']}"
        if any(self.lacking.values()):
            yield ""
            yield (
                f"Not compared: {self.lacking['first']:,} results that only {self.first} has,"
                f" {self.lacking['second']:,} that only {self.second} has."
            )


def _result(row: dict) -> str:
    case = Case(*(row[name] for name in Case._fields))
    return f"{row['name']}, {row['workload']}, {case} ({row['section']})"
