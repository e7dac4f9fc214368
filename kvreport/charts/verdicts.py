"""Verdicts on a source's statements as a page shows them: how many hold, and on what rows."""

from collections.abc import Sequence

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis.claims import Claim
from kvreport.analysis.evidence import Evidence, Verdict
from kvreport.analysis.stats import CASE
from kvreport.base.text import count
from kvreport.charts import frames
from kvreport.charts.tables import folded

SAME = (*CASE, "workload")  # columns that are left out where they say one thing only
SHOWN = (
    *SAME,
    "name",
    "trial",
    "first",
    "other",
    "ns",
    "other_ns",
    "ratio",
    "low",
    "high",
    "value",
    "unit",
    "holds",
)


def score(verdicts: pd.DataFrame) -> str:
    """Return how many statements come to which verdict here: "Of 12 statements, 3 hold here, 5 do
    not hold, 4 are too noisy to say."
    """
    here = verdicts["here"].str.split(" (", regex=False).str[0]
    found = [f"{n} {_verb(each, n)}" for each in Verdict if (n := int((here == each).sum()))]
    return f"Of {count(len(verdicts), 'statement')}, {', '.join(found)} here."


def _verb(verdict: Verdict, n: int) -> str:
    one, many = {
        Verdict.HOLDS: ("holds", "hold"),
        Verdict.MOSTLY: ("mostly holds", "mostly hold"),
        Verdict.HALF: ("is half true", "are half true"),
        Verdict.FAILS: ("does not hold", "do not hold"),
        Verdict.INCONCLUSIVE: ("is too noisy to tell", "are too noisy to tell"),
        Verdict.NOT_MEASURED: ("is not measured", "are not measured"),
    }[verdict]
    return one if n == 1 else many


def evidence(claims: Sequence[Claim], here: pd.DataFrame) -> Markdown:
    """Return the rows behind each verdict here that is not simply that a statement holds, folded on
    a page and left out of the PDF.
    """
    ours = Evidence(here)
    parts = []
    for each in claims:
        rows = each.rule(ours)
        against = rows[rows["holds"] != Verdict.HOLDS]
        if len(against) and each.verdict(rows, ours.entries) is not Verdict.NOT_MEASURED:
            told = [name for name in SHOWN if name in against]
            told = [name for name in told if name not in SAME or rows[name].nunique() > 1]
            shown = against[told].dropna(axis="columns", how="all")
            parts += [f"**{each.text}**, but:", frames.whole(shown).data]
    title = "The rows that speak against a statement, or do not tell"
    return Markdown(folded(title, "\n\n".join(parts)) if parts else "")
