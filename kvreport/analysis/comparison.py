"""What a comparison of two editions came to: its rows, what they add up to, and both in words.
analysis.compare makes it.
"""

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from math import ceil, log
from typing import Any

import numpy as np
import pandas as pd

from kvreport.base.templates import fill
from kvreport.data.cases import Case
from kvreport.data.editions import KEY

LEVEL = 0.05  # of the adjusted p-values
LOST = [*KEY, "name", "reason"]
LEAST_TRIALS = 2  # that have an interval


class Change(StrEnum):
    """What became of a result from one edition to the next."""

    SLOWER = "slower"
    FASTER = "faster"
    SAME = "no detectable difference"


SUMMARY = """
Of {{ "{:,}".format(results) }} results that both have, {{ "{:,}".format(slower) }} became slower,
{{ "{:,}".format(faster) }} became faster, and {{ "{:,}".format(same) }} show no detectable
difference; the noise floor is {{ "%.1f" | format(floor_percent) }}%.
{%- if detectable_percent == detectable_percent %} The smallest change that half of them would have
shown is {{ detectable_percent | number }}%.{% endif %}
{%- if lost %} {{ (lost | count("result")).capitalize() }}
{{ "is" if lost == 1 else "are" }} lost.{% endif %}
{%- if single %} {{ (single | count("result")).capitalize() }} with one trial on a side
{{ "is" if single == 1 else "are" }} inconclusive.{% endif %}
"""
GONE = """
lost: {{ name }}, {{ workload }}, {{ case }} ({{ section }}): {{ reason }}
"""
LINE = """
{{ verdict }}: {{ name }}, {{ workload }}, {{ case }} ({{ section }}): {{ ratio | number }} times
the time ({{ low | format_range(high) }}), {{ first | number }} -> {{ second | number }} ns/entry
"""


@dataclass(frozen=True)
class Comparison:
    """
    first, second  the editions' names
    rows     one for each store, case and workload that both have, the largest change first: KEY,
             entries, name; first, second (median ns/entry); trials (the fewer); ratio, low, high;
             p, adjusted; error, freedom (of the ratio's logarithm); verdict (a Change);
             detectable (the smallest ratio that is found four times in five)
    lost     results that are: KEY, name, reason
    floor    the noise floor, a ratio
    changes  what else is different: what, first, second
    lacking  how many results only one of the two has: in "first", in "second"
    """

    first: str
    second: str
    rows: pd.DataFrame
    floor: float
    changes: list[dict[str, str]]
    lacking: dict[str, int]
    lost: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=LOST))

    @cached_property
    def found(self) -> pd.DataFrame:
        """The rows with a difference."""
        return self.rows[self.rows["verdict"] != Change.SAME]

    def regressions(self, share: float) -> pd.DataFrame:
        """The rows that became slower by more than a share."""
        return self.rows[(self.rows["verdict"] == Change.SLOWER) & (self.rows["ratio"] > 1 + share)]

    def trials_needed(self, share: float) -> int | None:
        """How many trials on each side would detect a change by a share, or by the noise floor
        where that is more, in half of the results, where these do not; None where they do. Of
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
        """The numbers of SUMMARY: how many results there are, of each Change, and with a single
        trial on a side, are lost; the noise floor in percent, and the smallest change that half of
        the results would have shown (NaN where none could).
        """
        found = self.rows["verdict"].value_counts()
        return {
            "results": len(self.rows),
            **{change.name.lower(): int(found.get(change, 0)) for change in Change},
            "single": int((self.rows["trials"] < 2).sum()),
            "lost": len(self.lost),
            "floor_percent": 100 * (self.floor - 1),
            "detectable_percent": 100 * (self.rows["detectable"].median() - 1),
        }

    @property
    def summary(self) -> str:
        """What came out, in a sentence or two."""
        return fill(SUMMARY, **self.counts)

    def as_json(self) -> dict[str, Any]:
        """The comparison as `kvreport compare --json` prints it."""
        rows = json.loads(self.rows.to_json(orient="records", double_precision=15))
        return {
            "format": 1,
            "first": self.first,
            "second": self.second,
            "summary": self.summary,
            "noise_floor": self.floor,
            "correction": "Benjamini-Hochberg",
            "level": LEVEL,
            "results": rows,
            "changes": self.changes,
            "only_in": self.lacking,
            "lost": json.loads(self.lost.to_json(orient="records")),
        }


def lines(comparison: Comparison) -> list[str]:
    """The comparison for a terminal: what changed, and what came out."""
    first, second, lacking = comparison.first, comparison.second, comparison.lacking
    changed = [
        f"  {each['what']}: {each['first']} -> {each['second']}" for each in comparison.changes
    ]
    found = [f"  {line(row)}" for row in comparison.found.to_dict("records")]
    found += [f"  {line(row, GONE)}" for row in comparison.lost.to_dict("records")]
    missing = (
        f"Not compared: {lacking['first']:,} results that only {first} has,"
        f" {lacking['second']:,} that only {second} has."
    )
    return [
        f"{second} against {first}",
        *changed,
        "",
        comparison.summary,
        *found,
        *(["", missing] if any(lacking.values()) else []),
    ]


def line(row: Mapping[Hashable, Any], template: str = LINE) -> str:
    """A row of a Comparison in words."""
    numbers = {str(name): value for name, value in row.items()}
    return fill(template, **numbers, case=Case(*(row[name] for name in Case._fields)))
