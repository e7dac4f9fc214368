"""A change of each store: before it and after."""

from math import nan

import pandas as pd
from altair import Chart

from kvreport.base.text import number
from kvreport.charts.bars import short
from kvreport.charts.before_after import Pairs, pairs
from kvreport.charts.figures import Panels
from kvreport.charts.rows import coloured, needed, panels_of, plain, unchecked

UNTOLD = "no difference found"


@unchecked
def dumbbells(
    rows: pd.DataFrame,
    panel: str | None = None,
    unit: str = "ns an entry",
    by: str = "before",
    then: tuple[str, str] | None = None,
) -> Chart | Panels:
    """Draws a hollow circle before and a full one after for each store, with intervals, and beside
    them how many times as long it takes, where that can be told.

    rows   as ranking.change gives them
    panel  a column that tells the panels apart and names them
    by     "before" or "after": by which the stores are sorted, the least first
    then   columns of what a source published, before and after, drawn as ticks, the second thick

    Raises ValueError for a column that is not there.
    """
    marks = then or ()
    needed(rows, "store", "name", "family", "engine", "before", "after", "ratio", panel, *marks)
    shown = coloured(rows)
    told = shown["verdict"].isin(("slower", "faster"))
    shown = shown.assign(
        change=[
            f"× {number(ratio)}" if known else UNTOLD for ratio, known in zip(shown["ratio"], told)
        ],
        note=[
            short(reason, "na") if isinstance(reason, str) else "–" for reason in shown["reason"]
        ],
        mark_before=shown[then[0]].astype(float) if then else nan,
        mark_after=shown[then[1]].astype(float) if then else nan,
    )
    panels = [Pairs(name, group, unit, by) for name, group in panels_of(shown, panel)]
    return plain(pairs(panels))
