"""Stores in their order, each with its value, an interval and what a source published."""

from math import nan

import pandas as pd
from altair import Chart

from kvreport.base.text import number
from kvreport.charts import bars
from kvreport.charts.bars import Panel
from kvreport.charts.figures import Panels
from kvreport.charts.rows import OK, STATUS, coloured, needed, panels_of, plain, unchecked

ALIKE = 3  # rows without a value for one reason are one row


@unchecked
def dots(
    rows: pd.DataFrame,
    x: str = "median",
    panel: str | None = None,
    unit: str = "ns an entry",
    low: str | None = "low",
    high: str | None = "high",
    then: str | None = None,
    ending: str | None = None,
    more_is_better: bool = False,
    line: float | None = None,
) -> Chart | Panels:
    """Draws a row for each store, the best first: a dot on a logarithmic axis where the values
    spread widely, else a bar, its interval, its value beside it, and the flat file as a line.

    rows   one row a store and panel, as ranking.compare gives them: store, name, family, engine and
           the columns named here; `verdict` or `status`, and `reason`, of those without a value
    x      the column of values, with its `unit`;  low, high: of the interval, or None
    panel  a column that tells the panels apart and names them
    then   a column of what a source published, drawn as a tick
    ending a column with the share of a value, from 0 to 1, that is drawn apart: of a load its last
           commit and close
    line   a value that is drawn as a dashed line in place of the flat file's

    Raises ValueError for a column that is not there.
    """
    needed(rows, "store", "name", "family", "engine", x, panel, then, ending)
    shown = coloured(rows).reset_index(drop=True)
    verdict = shown["verdict"] if "verdict" in shown else shown.get("status", pd.Series(dtype=str))
    value = shown[x].astype(float)
    shown = shown.assign(
        value=value,
        label=value.map(number),
        low=shown[low].astype(float) if low in shown else nan,
        high=shown[high].astype(float) if high in shown else nan,
        mark=shown[then].astype(float) if then else nan,
        status=verdict.map(STATUS).reindex(shown.index).fillna(OK),
        reason=shown["reason"].fillna("") if "reason" in shown else "",
    )
    if ending:
        shown["until"] = value * (1 - shown[ending].where(shown[ending] > 0).astype(float))
    shown = _in_one_row(shown[shown["value"].notna() | (shown["status"] != OK)], panel)
    tooltip = [("value", unit, ",.4~g"), ("low", "interval from", ",.4~g"), ("high", "to", ",.4~g")]
    if then:
        tooltip.append(("mark", "published", ",.4~g"))
    panels = [
        Panel(
            name,
            group.assign(baseline=group.loc[group["is_baseline"], "value"].min())
            if line is None
            else group.assign(baseline=line, is_baseline=False),
            unit,
            tuple(tooltip),
            more_is_better,
        )
        for name, group in panels_of(shown, panel)
    ]
    return plain(bars.figure(panels))


def _in_one_row(rows: pd.DataFrame, panel: str | None) -> pd.DataFrame:
    """The rows, those of a panel that have no value for one and the same reason as one of them."""
    reasons = rows[rows["status"] != OK].groupby([*([panel] if panel else []), "status", "reason"])
    for _, alike in reasons:
        if len(alike) >= ALIKE:
            names = ", ".join(alike["name"])
            one = alike.head(1).assign(
                name=f"{len(alike)} stores", reason=alike["reason"] + ": " + names
            )
            rows = pd.concat([rows.drop(alike.index), one])
    return rows
