"""What a launch says in the terminal of its results: a line after each round, and the last lines of
`make report`.
"""

from collections.abc import Iterator

import pandas as pd

from kvreport.analysis import answers, measured, ranking
from kvreport.analysis.answers import WANTED
from kvreport.base.text import count, join_words, number
from kvreport.data.cases import BASELINE, CONTROL
from kvreport.data.needs import FIRST_LOOK, needs

SPOKEN = ("gets", "scans", "puts", "durable")  # needs that a line after a round has room for


def so_far(run: str) -> str:
    """Return what a run's first look tells by now, in a line; nothing yet of single trials."""
    asked = [need for need in needs() if need.id in SPOKEN]
    found = answers.rank_needs(asked, measured.measurements([run], [FIRST_LOOK]))
    firsts = found.drop_duplicates("id")
    found = found[~found["id"].isin(firsts.loc[firsts["verdict"] == ranking.SINGLE, "id"])]
    return "; ".join(
        f"{need}: {named_best(rows) or 'too noisy to say'}"
        for need, rows in found.groupby("need", sort=False)
    )


def named_best(rows: pd.DataFrame) -> str:
    """Who is best at a need and who is next, with intervals: "LMDB; next RocksDB 2.90× [2.20,
    3.80]"; nothing where nobody is named.
    """
    if not (best := ranking.best(rows)):
        return ""
    behind = rows[rows["verdict"] == ranking.SLOWER].head(1).to_dict("records")
    return best + "".join(
        f"; next {row['name']} {number(row['ratio'])}×"
        f" [{number(row['ratio_low'])}, {number(row['ratio_high'])}]"
        for row in behind
    )


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
    said = found[found["said"].astype(bool)]
    yield (
        "The first page names a store, or several that are level, at"
        f" {said.loc[said['verdict'] == ranking.FASTEST, 'id'].nunique()} of"
        f" {sum(need.said for need in needs())} needs. A store that takes"
        f" {number(found['tells'].median())} times as long as the best would be told four times in"
        " five, of the median pair."
    )
    more = said[(said["ratio"] > 1) & (said["tells"] > WANTED) & (said["minutes"] > 0)]
    if len(more):
        needed = join_words(more["need"].unique())
        most = int(more["minutes"].max()) + 2
        yield f"`make report MINUTES={most}` would tell {WANTED} times at {needed}, too."
