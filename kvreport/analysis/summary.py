"""What a launch says in the terminal of its results: a line after each round, and the last lines of
`make report`.
"""

from collections.abc import Iterator

import pandas as pd

from kvreport.analysis import answers, measured
from kvreport.analysis.answers import BEST, WANTED
from kvreport.analysis.ranking import SINGLE, SLOWER
from kvreport.base.text import count, join_words, number
from kvreport.data.cases import BASELINE, CONTROL
from kvreport.data.needs import FIRST_LOOK, needs

SPOKEN = ("gets", "scans", "puts", "durable")  # needs that a line after a round has room for
NAMED = 4  # stores that a line names
FINE = 1.5  # the ratio that the first look is to tell


def so_far(run: str) -> str:
    """Return what a run's first look tells by now, in a line; nothing yet of single trials."""
    asked = [need for need in needs() if need.id in SPOKEN]
    found = answers.rank_needs(asked, measured.measurements([run], [FIRST_LOOK]))
    found = found[~found["id"].isin(found.loc[found["verdict"] == SINGLE, "id"])]
    return "; ".join(
        f"{need}: {_named(rows) or 'too noisy to say'}"
        for need, rows in found.groupby("need", sort=False)
    )


def _named(rows: pd.DataFrame) -> str:
    """Who is best at a need and who is next, with intervals: "LMDB; next RocksDB 2.90× [2.20,
    3.80]"; nothing where nobody is named.
    """
    best, others = rows[rows["verdict"].isin(BEST)], rows[rows["verdict"] == SLOWER]
    if best.empty:
        return ""
    names = list(best["name"])
    words = join_words(names) if len(best) <= NAMED else f"{len(best)} level, {names[0]} least"
    if 1 < len(best) <= NAMED:
        words += " level"
    if len(best) > 1:
        words += f" (up to {_times(best.iloc[-1])})"
    return words + "".join(f"; next {row['name']} {_times(row)}" for row in _first(others))


def summary(absent: list[tuple[str, str]]) -> Iterator[str]:
    """The last lines of a launch: what ran, what the page can say, and what more minutes would
    buy. `absent`: the stores that this machine lacks something for, each with what that is.
    """
    known = measured.measurements(measured.own_runs()) if measured.own_machine() else {}
    found = answers.rank_needs(needs(), known)
    if found.empty:
        return
    rows = pd.concat([each.rows[["name", "family", "status"]] for each in known.values()])
    ran = rows[(rows["status"] == "ok") & ~rows["family"].isin((BASELINE, CONTROL))]
    missing = "; ".join(f"{name} is n/a here: {reason}" for name, reason in absent)
    yield f"{count(ran['name'].nunique(), 'store')} ran." + (f" {missing}." if missing else "")
    said, pairs = found[found["said"].astype(bool)], found[found["ratio"] > 1]
    told = int((pairs["tells"] <= FINE).sum())
    yield (
        f"The first page names a store, or several that are level, at"
        f" {said.loc[said['verdict'].isin(BEST), 'id'].nunique()} of"
        f" {sum(need.said for need in needs())} needs. Of {told} of {len(pairs)}"
        f" ({100 * told / max(1, len(pairs)):.0f}%) pairs with the best, one that takes {FINE}"
        " times as long would be told four times in five."
    )
    more = said[(said["ratio"] > 1) & (said["tells"] > WANTED) & (said["minutes"] > 0)]
    if len(more):
        needed = join_words(more["need"].unique())
        most = int(more["minutes"].max()) + 2
        yield f"`make report MINUTES={most}` would tell {WANTED} times at {needed}, too."


def _times(row: dict | pd.Series) -> str:
    return f"{number(row['ratio'])}× [{number(row['ratio_low'])}, {number(row['ratio_high'])}]"


def _first(rows: pd.DataFrame) -> list[dict]:
    return rows.head(1).to_dict("records")
