"""Values over a size, a rate, a batch or time: a curve for each store."""

from collections.abc import Callable, Sequence
from math import nan

import pandas as pd
from altair import Chart

from kvreport.base.text import number
from kvreport.charts.curves import Curves, curves
from kvreport.charts.figures import Panels
from kvreport.charts.rows import coloured, needed, panels_of, plain, unchecked
from kvreport.charts.small_multiples import Multiples, multiples


@unchecked
def lines(
    rows: pd.DataFrame,
    x: str,
    y: str = "median",
    panel: str | None = None,
    x_title: str = "",
    unit: str = "ns an entry",
    low: str | None = "low",
    high: str | None = "high",
    then: str | None = None,
    x_label: Callable[[float], str] = number,
    even: bool = False,
    ending: str | None = None,
) -> Chart | Panels:
    """Draws a curve for each store over `x` on a logarithmic axis, with its name at the end.

    rows   one row a store, x and panel: store, name, family, engine and the columns named here
    then   a column of what a source published, drawn as a tick
    ending a column with the share of a value that is drawn apart, as `dots` has it
    x_label  names an x value;  even: these are places in a row, and the axis is not logarithmic

    Raises ValueError for a column that is not there.
    """
    needed(rows, "store", "name", "family", "engine", x, y, panel, then, ending)
    shown = coloured(rows)
    shown = shown.assign(
        x=shown[x].astype(float),
        value=shown[y].astype(float),
        low=shown[low].astype(float) if low in shown else nan,
        high=shown[high].astype(float) if high in shown else nan,
        mark=shown[then].astype(float) if then else nan,
    )
    if ending:
        shown["until"] = shown["value"] * (1 - shown[ending].where(shown[ending] > 0).astype(float))
    ticks = {at: x_label(at) for at in sorted(shown["x"].dropna().unique())}
    panels = [
        Curves(name, group, x_title or x, unit, ticks, even)
        for name, group in panels_of(shown, panel)
    ]
    return plain(curves(panels))


@unchecked
def tail(
    rows: pd.DataFrame,
    thick: str,
    others: Sequence[str] = (),
    at: float = 99.9,
) -> Chart | Panels:
    """Draws the percentiles of single operations, a small panel for each store over all others in
    grey, the best first, with the value at `at` percent beside its name.

    rows    as tails.latencies gives them: store, name, family, engine, loop, percentile, ns, trial;
            rows of a trial give the range of the trials
    thick   the loop that is drawn thick, and by which the stores are sorted;  others: thin, dashed

    Raises ValueError for a column that is not there.
    """
    needed(rows, "store", "name", "family", "engine", "loop", "percentile", "ns", "trial")
    shown = coloured(rows)
    points = sorted(shown["percentile"].unique())
    places = {point: place for place, point in enumerate(points, 1)}
    shown = shown.assign(
        kind=shown["loop"], x=shown["percentile"].map(places), value=shown["ns"] / 1e3
    )
    whole = shown[shown["trial"].isna()]
    span = (
        shown[shown["trial"].notna()]
        .groupby(["store", "kind", "x"])["value"]
        .agg(low="min", high="max")
        .reset_index()
    )
    whole = whole.merge(span, on=["store", "kind", "x"], how="left")
    ticks: dict[float, str] = {
        place: "max" if point == 100 else f"{point:g}%" for point, place in places.items()
    }
    labelled = tuple(place for place, name in ticks.items() if name in ("50%", "99%", "max"))
    chart = Multiples(
        whole, (thick, *others), "of operations", "µs", ticks, labelled, places.get(at, 1)
    )
    return plain(multiples(chart))
