"""Statements of the sources, as rules over tidy rows.

A rule gets an `Evidence` and returns a frame with a row for each thing that the statement is about
and its verdict in `holds`. What the statement comes to is the share of rows in which it holds.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from kvreport.analysis.evidence import Evidence, Verdict
from kvreport.base.text import format_range, join_words, number
from kvreport.data import frames

MOST = 0.8  # of a statement's rows agree where it mostly holds, and do not where it fails
VERDICTS = ["statement", "source", "in its own figures", "here", "found"]


def weighed(holds: Iterable[str]) -> Verdict:
    """Return the verdict on a statement by the share of its rows in which it holds.

    Rows that are too noisy or not measured could go either way: where the statement might mostly
    hold and might not, that is the verdict, unless it is contradicted and most rows are decided.
    """
    count = Counter(holds)
    rows, holding, noisy = count.total(), count[Verdict.HOLDS], count[Verdict.INCONCLUSIVE]
    undecided = noisy + count[Verdict.NOT_MEASURED]
    decided = rows - undecided
    if count[Verdict.NOT_MEASURED] == rows:
        return Verdict.NOT_MEASURED
    if holding >= MOST * rows:
        return Verdict.HOLDS if holding == rows else Verdict.MOSTLY
    contradicted = count[Verdict.FAILS] > 0 and 2 * decided > rows
    if contradicted or holding + undecided < MOST * rows:
        share = holding / decided
        if share >= MOST and 2 * holding > rows:
            return Verdict.MOSTLY
        return Verdict.HALF if share > 1 - MOST else Verdict.FAILS
    return Verdict.INCONCLUSIVE if noisy else Verdict.NOT_MEASURED


@dataclass(frozen=True)
class Claim:
    """A statement of a source with its rule: Claim("LMDB is the fastest at every read", "A09 to
    A12", lambda of: of.leads("LMDB").query("workload in @READS")).

    text     in our words;  source: its exhibit, as "A09 to A12"
    rule     from an Evidence to a frame with a row for each thing that the statement is about and
             its Verdict in `holds`
    edition  the source, where a section has several (frames.printed)
    entries  of how many it was said, where fewer refute nothing
    """

    text: str
    source: str
    rule: Callable[[Evidence], pd.DataFrame]
    edition: str = ""
    entries: int = 0

    def verdict(self, rows: pd.DataFrame, entries: int) -> Verdict:
        """Return what the rows of its rule come to, of so many entries."""
        found = weighed(rows["holds"])
        few = found is Verdict.FAILS and 0 < entries < self.entries
        return Verdict.NOT_MEASURED if few else found

    def found(self, rows: pd.DataFrame, entries: int) -> str:
        """Return in words what rows of so many entries come to, and that there are fewer of them
        than it was said of.
        """
        if weighed(rows["holds"]) is Verdict.NOT_MEASURED:
            return ""
        words = effect(rows)
        return f"{words}; said of {self.entries:,} entries" if entries < self.entries else words


def verdicts(
    claims: Sequence[Claim], here: pd.DataFrame, sections: str | Sequence[str]
) -> pd.DataFrame:
    """Return a row for each of a source's statements: statement, source, what it comes to in the
    source's own figures of some sections, and here (frames.results of them), and in words what was
    found here.
    """
    names = [sections] if isinstance(sections, str) else sections
    ours = Evidence(here)
    own = {
        edition: Evidence(pd.concat([frames.printed(name, edition) for name in names]))
        for edition in {each.edition for each in claims}
    }
    rows = []
    for each in claims:
        was, now = each.rule(own[each.edition]), each.rule(ours)
        verdict = each.verdict(now, ours.entries)
        rows.append([each.text, each.source, outcome(each.verdict(was, 0), was)])
        rows[-1] += [outcome(verdict, now), each.found(now, ours.entries)]
    return pd.DataFrame(rows, columns=VERDICTS)


def outcome(verdict: Verdict, rows: pd.DataFrame) -> str:
    """Return a verdict with its share where that is not all or none: "mostly holds (87 of 93; 2 too
    noisy)".
    """
    count = Counter(rows["holds"])
    holding, noisy = count[Verdict.HOLDS], count[Verdict.INCONCLUSIVE]
    if verdict in (Verdict.MOSTLY, Verdict.HALF) or (verdict is Verdict.FAILS and holding):
        left = f"; {noisy} too noisy" if noisy else ""
        return f"{verdict} ({holding} of {len(rows)}{left})"
    return str(verdict)


def effect(rows: pd.DataFrame) -> str:
    """Return what a rule's rows come to in a few words: "in 7 of 18, by 1.65 to 123 times", or the
    `value` of each in its `unit`.
    """
    if "ratio" not in rows:
        values = rows.sort_values("value").assign(unit=rows.get("unit", ""))
        named = [
            f"{name} {number(value)}{unit}"
            for name, value, unit in values[["name", "value", "unit"]].itertuples(index=False)
        ]
        return join_words(named) if len(named) < 4 else f"{named[0]} to {named[-1]}"
    known = rows.dropna(subset="ratio")
    if len(known) == 1:
        [row] = known.to_dict("records")
        slow, fast = ("other", "first") if row["ratio"] > 1 else ("first", "other")
        times = number(max(row["ratio"], 1 / row["ratio"]))
        than = f" as {row[fast]}" if row[fast] != row[slow] else ""
        return f"{row[slow]} takes {times} times as long{than}"
    ahead = known[known["holds"] == Verdict.HOLDS]["ratio"]
    if len(ahead):
        return f"in {len(ahead)} of {len(rows)}, by {format_range(ahead.min(), ahead.max())} times"
    against = known[known["holds"] == Verdict.FAILS]["ratio"]
    if against.empty:
        return f"in none of {len(rows)}"
    behind, found = ("behind by", 1 / against) if against.max() < 1 else ("at", against)
    return f"in none of {len(rows)}, {behind} {format_range(found.min(), found.max())} times"
