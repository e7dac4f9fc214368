"""How far the harness is from JMH, and a shared kernel from one of the store's own: ratios with intervals."""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport import crosscheck, stats
from kvreport.chapter import WORKLOADS, Chapter
from kvreport.charts import WHAT, Figure, Panel, figure, placeholder
from kvreport.tables import interval, table
from kvreport.text import count, listing, number, significant

AIM = 1.05  # within this factor of JMH the harness counts as unbiased
NONE = "This run has not been checked against JMH: `kvreport crosscheck` does that."
RATIO = (("value", "times", ",.3f"), ("low", "interval from", ",.3f"), ("high", "to", ",.3f"), ("own", "this harness, ns/entry", ",.4~g"),
         ("other", "compared with, ns/entry", ",.4~g"))
PAIRS = {"harness": (crosscheck.ISOLATED, crosscheck.JMH, "this harness over JMH"), "shared": (crosscheck.SHARED, crosscheck.ISOLATED, "shared kernel over own")}


def ratios(chapter: Chapter, pair: str) -> pd.DataFrame:
    """A row for each store and workload that both ways measured: name, workload, value, low, high (the ratio), own, other (ns an entry), n."""
    found = crosscheck.load(chapter.run.name) if chapter.run else None
    first, second, _ = PAIRS[pair]
    rows = []
    for store, told in (found or {"stores": {}})["stores"].items():
        for workload in WORKLOADS:
            mine, other = told[first].get(workload), told[second].get(workload)
            if mine and other:
                between = stats.ratio(mine, other)
                rows.append({"store": store, "name": told["name"], "colour": told["colour"], "workload": workload} | vars(between) | {
                    "own": stats.estimate(mine).value, "other": stats.estimate(other).value})
    return pd.DataFrame(rows, columns=["store", "name", "colour", "workload", "value", "low", "high", "n", "own", "other"])


def figure_of(chapter: Chapter, id: str, pair: str) -> Figure:
    """A panel for each workload: the ratio for each store, with its interval."""
    rows = ratios(chapter, pair)
    if not len(rows):
        return placeholder(id, NONE)
    rows = rows.assign(status="ok", reason="", is_limit=False, limit=1.0, mark=nan, label=[significant(value) for value in rows["value"]])
    panels = [Panel(f"{workload} · {WHAT[workload]}", rows[rows["workload"] == workload], "times", RATIO) for workload in WORKLOADS if workload in set(rows["workload"])]
    near = (rows["value"].between(1 / AIM, AIM)).sum()
    return figure(id, panels, f"{near} of {len(rows)} ratios ({PAIRS[pair][2]}) are within {100 * (AIM - 1):.0f}%",
                  f"{PAIRS[pair][2]} · {count(int(rows['n'].min()), 'round')} · thin line: {stats.interval_name(int(rows['n'].min()))} · dashed: equal")


def table_of(chapter: Chapter) -> Markdown:
    """Both comparisons in numbers."""
    rows = []
    for pair, (_, _, words) in PAIRS.items():
        for i, row in enumerate(ratios(chapter, pair).to_dict("records")):
            rows.append([f"**{words}**" if i == 0 else "", row["name"], row["workload"], number(row["own"]), number(row["other"]), significant(row["value"]), interval(row),
                         verdict(row)])
    return table(["compared", "store", "workload", ">first, ns/entry", ">second, ns/entry", ">ratio, times", ">95% interval, times", "verdict"],
                 rows) if rows else table(["no cross-check"], [[NONE]])


def verdict(row: dict) -> str:
    """Whether the ratio is within the aim, by its interval."""
    if pd.isna(row["low"]):
        return "cannot tell"
    if 1 / AIM <= row["low"] and row["high"] <= AIM:
        return "within 5%"
    if row["high"] < 1 / AIM or row["low"] > AIM:
        return "beyond 5%"
    return "no bias found" if row["low"] <= 1 <= row["high"] else "biased, perhaps within 5%"


def in_short(chapter: Chapter, pair: str) -> str:
    """How many ratios are within the aim, and which certainly are not."""
    rows = ratios(chapter, pair)
    if not len(rows):
        return NONE
    found = rows.assign(verdict=[verdict(row) for row in rows.to_dict("records")])
    beyond = found[found["verdict"] == "beyond 5%"]
    return (f"Of {len(rows)} ratios ({PAIRS[pair][2]}) {int(rows['value'].between(1 / AIM, AIM).sum())} are within {100 * (AIM - 1):.0f}%, and the median of all is "
            f"{number(rows['value'].median())}. " + (f"Beyond that for certain: {listing(f'{row.name_} at {row.workload} ({number(row.value)})' for row in beyond.rename(columns={'name': 'name_'}).itertuples())}."
                                                  if len(beyond) else "Of none is it certain that it is beyond that."))
