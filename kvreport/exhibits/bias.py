"""How far the harness is from JMH, and a shared kernel from one of the store's own: ratios with
intervals.
"""

from math import isfinite, nan
from typing import Any

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import crosscheck
from kvreport.analysis.crosscheck import Bias
from kvreport.base.markdown import Marked, marked
from kvreport.base.text import count, number, significant
from kvreport.charts.bars import Panel, figure
from kvreport.charts.chapter import Chapter
from kvreport.charts.figures import Figure, placeholder
from kvreport.charts.palette import colour
from kvreport.charts.tables import table
from kvreport.data import sidecars
from kvreport.data.cases import WORKLOADS, Case
from kvreport.exhibits.charts import panel_title
from kvreport.exhibits.tables import interval

NONE = Marked("This run has not been checked against JMH: `kvreport crosscheck` does that.")
NOT_TIMED = Marked(
    "The cross-check of this run is older than passes timed by hand; `kvreport crosscheck` makes"
    " one that has them."
)
RATIO = (
    ("value", "times", ",.3f"),
    ("low", "interval from", ",.3f"),
    ("high", "to", ",.3f"),
    ("own", "this harness, ns/entry", ",.4~g"),
    ("other", "compared with, ns/entry", ",.4~g"),
)
PAIRS = {
    "harness": (sidecars.ISOLATED, sidecars.JMH, "this harness over JMH"),
    "alone": (sidecars.ALONE, sidecars.JMH, "one workload alone over JMH"),
    "before": (sidecars.ISOLATED, sidecars.ALONE, "all workloads over one alone"),
    "shared": (sidecars.SHARED, sidecars.ISOLATED, "shared kernel over own"),
    "hand": (sidecars.HAND, sidecars.ISOLATED, "by hand over a trial"),
    "again": (sidecars.AGAIN, sidecars.ISOLATED, "a second trial over the first"),
}
CHECKED = (*WORKLOADS, "readKeyXxh64")  # in the order of figures and tables
APART = (Bias.BEYOND, Bias.BIASED)  # verdicts on ratios that are off for certain
KEY = ["store", *Case._fields, "workload"]
RATIOS = [*KEY, "name", "family", "colour", "value", "low", "high", "n"]
RATIOS += ["own", "other", "smallest", "verdict"]
UNKNOWN = "not recorded"  # a store's family, in older checks


def ratios(chapter: Chapter, pair: str) -> pd.DataFrame:
    """A row for each case, store and workload that both ways of a pair measured; empty where none
    is.

    store, name, family, colour, workload, and the fields of the case
    value, low, high  the first way's time over the second's, with its interval over n rounds
    own, other        ns/entry of both
    smallest          ratio that so many rounds tell in four of five
    verdict           analysis.crosscheck's
    """
    found = chapter.crosscheck
    if not found:
        return pd.DataFrame(columns=RATIOS)
    first, second, _ = PAIRS[pair]
    between = chapter.between if chapter.measured else 0.0
    compared = crosscheck.compare(found, first, second, between)
    order = list(found["stores"])
    compared.sort(key=lambda each: (each.at, order.index(each.store), _place(each.workload)))
    rows = []
    for each in compared:
        about = found["stores"][each.store]
        rows.append(
            {
                "store": each.store,
                "name": about["name"],
                "family": about.get("family", UNKNOWN),
                "colour": colour(
                    each.store, about["colour"], about.get("family", ""), about.get("engine", "")
                ),
                "workload": each.workload,
                "own": each.own,
                "other": each.other,
                "smallest": each.smallest,
                "verdict": each.verdict,
            }
            | each.case._asdict()
            | vars(each.ratio)
        )
    return pd.DataFrame(rows, columns=RATIOS)


def _place(workload: str) -> int:
    return CHECKED.index(workload) if workload in CHECKED else len(CHECKED)


def counts(chapter: Chapter, pair: str) -> dict[str, Any]:
    """How the ratios of a pair lie.

    all, cases         how many there are, and of how many cases
    within, noisy      how many are shown to be within the aim of aim_percent, and say nothing
    mean               geometric, of all, with its interval: value, low, high
    smallest           the ratio that half of them could have told, None where there is nothing to
                       judge it by
    beyond, apart      rows beyond the aim, and rows only apart: name, workload, case, value
    """
    rows = ratios(chapter, pair)
    rows = rows.assign(case=[str(_case(row)) for row in rows.to_dict("records")])
    found = {
        verdict: rows.loc[rows["verdict"] == verdict, ["name", "workload", "case", "value"]]
        for verdict in APART
    }
    smallest = rows["smallest"].astype(float).median()
    return {
        "compared": PAIRS[pair][2],
        "all": len(rows),
        "cases": rows["case"].nunique(),
        "within": int((rows["verdict"] == Bias.WITHIN).sum()),
        "noisy": int((rows["verdict"] == Bias.NOISY).sum()),
        "aim_percent": round(100 * (crosscheck.AIM - 1)),
        "mean": vars(crosscheck.mean(rows["value"])),
        "smallest": float(smallest) if isfinite(smallest) else None,
        "beyond": found[Bias.BEYOND].to_dict("records"),
        "apart": found[Bias.BIASED].to_dict("records"),
    }


def figure_of(chapter: Chapter, id: str, pair: str) -> Figure:
    """A panel for each workload: the ratio for each store in the first case that was checked, with
    its interval. Its title is the chapter's.
    """
    rows = ratios(chapter, pair)
    if not len(rows):
        return placeholder(id, NONE)
    case = _case(rows.iloc[0].to_dict())
    rows = rows[(rows[list(Case._fields)] == list(case)).all(axis=1)]
    rows = rows.assign(
        status="ok",
        reason="",
        is_baseline=False,
        baseline=1.0,
        mark=nan,
        label=[significant(value) for value in rows["value"]],
    )
    panels = [
        Panel(panel_title(workload), rows[rows["workload"] == workload], "times", RATIO)
        for workload in CHECKED
        if workload in set(rows["workload"])
    ]
    rounds = int(rows["n"].min())
    return figure(
        id,
        panels,
        subtitle=f"{PAIRS[pair][2]} · {case} · {count(rounds, 'round')} · thin line: 95% interval"
        " (log time ~ way + round) · dashed: equal",
    )


def by_case(chapter: Chapter, pair: str) -> Markdown:
    """How a pair's ratios lie in each case, for each family of stores: how many there are, and what
    they come to.
    """
    rows = ratios(chapter, pair)
    cells = []
    for _, own in rows.groupby([*Case._fields, "family"], sort=False):
        verdicts, first = list(own["verdict"]), own.iloc[0].to_dict()
        cells.append(
            [
                str(_case(first)),
                first["family"],
                f"{len(own)}",
                significant(own["value"].median()),
                *(f"{verdicts.count(verdict)}" for verdict in Bias),
            ]
        )
    heads = ["case", "family", ">ratios", ">median, times", *(f">{verdict}" for verdict in Bias)]
    return table(heads, cells) if cells else table(["no cross-check"], [[NONE]])


def table_of(chapter: Chapter) -> Markdown:
    """The comparisons in numbers."""
    rows = []
    for pair, (_, _, words) in PAIRS.items():
        before = None
        for row in ratios(chapter, pair).to_dict("records"):
            case = _case(row)
            rows.append(
                [
                    marked("**{}**", words) if before is None else "",
                    str(case) if case != before else "",
                    row["name"],
                    row["workload"],
                    number(row["own"]),
                    number(row["other"]),
                    significant(row["value"]),
                    interval(row),
                    row["verdict"],
                ]
            )
            before = case
    heads = [
        "compared",
        "case",
        "store",
        "workload",
        ">first, ns/entry",
        ">second, ns/entry",
        ">ratio, times",
        ">95% interval, times",
        "verdict",
    ]
    return table(heads, rows) if rows else table(["no cross-check"], [[NONE]])


def retried(chapter: Chapter) -> pd.DataFrame:
    """A row for each ratio of this harness over JMH that is apart: whether it still is when the
    workload is measured alone, as a fork of JMH does.

    name, workload, case
    value  the ratio;  alone: the same, measured alone; NaN where it has not been yet
    explained  whether the workloads before it make the difference: alone it is not apart, and they
               change it in the same direction as the harness is off
    """
    rows = ratios(chapter, "harness")
    rows = rows.assign(case=[str(_case(row)) for row in rows.to_dict("records")])
    off = rows.loc[rows["verdict"].isin(APART), [*KEY, "case", "name", "value"]].set_index(KEY)
    alone, before = (ratios(chapter, pair).set_index(KEY) for pair in ("alone", "before"))
    alone, before = alone.reindex(off.index), before.reindex(off.index)
    shown = before["verdict"].isin(APART)
    same_way = shown & ((before["value"] > 1) == (off["value"] > 1))
    measured = alone["value"].notna()
    found = off.assign(
        alone=alone["value"], explained=measured & ~alone["verdict"].isin(APART) & same_way
    )
    return found.reset_index()[["name", "workload", "case", "value", "alone", "explained"]]


def _case(row: dict) -> Case:
    return Case(*(row[name] for name in Case._fields))
