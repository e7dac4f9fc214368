"""A statement of a source, or of ours, set against rows: its verdict and the evidence for it."""

from dataclasses import dataclass

import pandas as pd

from kvreport.base.markdown import marked
from kvreport.charts import frames

HOLDS, FAILS, OPEN = "Holds", "Does not hold", "Cannot tell"


@dataclass(frozen=True)
class Claim:
    """
    text    as the source has it, or in our words;  source: its exhibit, as "A26", or ""
    of      the rows that it is about, shown as its evidence
    holds   whether they bear it out; None where they do not say
    """

    text: str
    source: str
    of: pd.DataFrame
    holds: bool | None

    @property
    def verdict(self) -> str:
        """HOLDS, FAILS or OPEN; OPEN of no rows."""
        if self.holds is None or self.of.empty:
            return OPEN
        return HOLDS if self.holds else FAILS

    def _repr_markdown_(self) -> str:
        where = f" ({self.source})" if self.source else ""
        head = marked("**{}**: {}{}", self.verdict, self.text, where)
        rows = frames.shown(self.of) if len(self.of) else "Nothing of it is measured."
        return f'::: {{.callout-note collapse="true" title="{head}"}}\n\n{rows}\n\n:::'


def claim(text: str, source: str = "", *, of: pd.DataFrame, holds: bool | None) -> Claim:
    """States something of rows: "LMDB is the fastest at every get", source="A26", of=ranked,
    holds=(ranked.query("verdict == 'fastest'").name == "LMDB").all().
    """
    return Claim(text, source, of, None if holds is None else bool(holds))
