"""The LevelDB page (C01 to C19): entries a second, and what each variant makes of the baseline, as
the page prints it.
"""

from dataclasses import dataclass
from math import isnan, nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import contrasts, stats, terms
from kvreport.analysis.stats import Difference
from kvreport.base.markdown import marked
from kvreport.base.text import format_range, number
from kvreport.charts.bars import Panel, figure, ranked
from kvreport.charts.chapter import Chapter
from kvreport.charts.figures import Figure, placeholder
from kvreport.charts.tables import MISSING, table
from kvreport.data import published
from kvreport.data.cases import Case, on_page
from kvreport.exhibits.charts import ends
from kvreport.exhibits.tables import STATUS, nothing

THREE = ("LevelDbJni", "TreeDb", "Sqlite")  # the page's stores; the others are drawn paler
RATE = (
    ("value", "entries/s", ",.4~g"),
    ("low", "interval from, entries/s", ",.4~g"),
    ("high", "to, entries/s", ",.4~g"),
    ("factor", "times the baseline", ",.3~g"),
    ("mark", "published in 2011, entries/s", ",.4~g"),
    ("then_factor", "published in 2011, times the baseline", ",.3~g"),
    ("trials", "trials", "d"),
)
COLUMNS = [
    "store",
    "name",
    "colour",
    "pale",
    "is_baseline",
    "baseline",
    "status",
    "reason",
    "value",
    "low",
    "high",
    "trials",
    "factor",
    "difference",
    "mark",
    "then_factor",
    "label",
    "until",
]
FASTEST = ["exhibit", "title", "store", "name", "ms"]
SHORTEST_MS = (
    20.0  # of a workload that stores are ranked by: less may be a clock's or an interrupt's
)
CHANGED = ["exhibit", "store", "name", "factor", "printed", "difference"]


@dataclass(frozen=True)
class Exhibit:
    """One chart of the page: a workload of a case, and the baseline that it is set against, if the
    page sets it against one.
    """

    id: str
    title: str
    workload: str
    case: Case
    baseline: Case | None = None


def both(
    ids: tuple[str, str], what: str, changes: dict, against: bool = True, value_bytes: int = 100
) -> dict[str, Exhibit]:
    """The exhibits of one variant, in sequential and in random order; `what` is "writes" or
    "reads".
    """
    found = {}
    for id, order, read in zip(ids, ("sequential", "random"), ("readSeq", "readKey")):
        found[id] = Exhibit(
            id,
            f"{order} {what}",
            "write" if what == "writes" else read,
            on_page(order, value_bytes, **changes),
            on_page(order) if against else None,
        )
    return found


EXHIBITS = (
    both(("C01", "C02"), "reads", {}, against=False)
    | both(("C03", "C04"), "writes", {}, against=False)
    | both(("C05", "C06"), "writes", {}, against=False, value_bytes=100_000)
    | both(("C07", "C08"), "writes", {"batch": "1000"})
    | both(("C09", "C10"), "writes", {"sync": "on"})
    | both(("C11", "C12"), "writes", {"compression": "other"})
    | both(("C13", "C14"), "writes", {"memory": "128-writes"})
    | both(("C15", "C16"), "reads", {"memory": "128-reads"})
    | both(("C17", "C18"), "reads", {"compression": "other"})
)


def rows_of(chapter: Chapter, exhibit: Exhibit) -> pd.DataFrame:
    """A row for each store, for bars.Panel: value, low and high in entries a second; factor over
    the baseline, and what is measurable of it (difference: a Difference; None without a factor);
    mark and then_factor, what the page printed; until, the rate without a load's last commit and
    close, NaN where these were not timed.
    """
    was = published.page(exhibit.id)
    rows, found = [], results(chapter, exhibit.case, exhibit.workload)
    baseline = results(chapter, exhibit.baseline or exhibit.case, exhibit.workload)
    base = {row["store"]: row for row in baseline.to_dict("records") if exhibit.baseline}
    for row in (chapter.plot_rows(found) if len(found) else found).to_dict("records"):
        then, then_factor = was.get(row["store"], (nan, nan))
        before, factor, difference = base.get(row["store"]), nan, None
        if before and before["values"] and row["values"]:
            ratio, difference = contrasts.compare(chapter, before, row)
            factor = ratio.value
        rows.append(
            row
            | {
                "value": 1e9 / row["value"],
                "low": 1e9 / row["high"],
                "high": 1e9 / row["low"],
                "pale": row["store"] not in THREE,
                "factor": factor,
                "difference": difference,
                "mark": then,
                "then_factor": then_factor,
                "label": " ".join(filter(None, [short_rate(1e9 / row["value"]), times(factor)])),
                "until": _of_puts(row),
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def _of_puts(row: dict) -> float:
    """Entries a second without the last commit and the close."""
    left = 1 - row["ending"]
    return 1e9 / row["value"] / left if left > 0 else nan


def results(chapter: Chapter, case: Case, workload: str) -> pd.DataFrame:
    """What the stores did of a case; the flat file, should someone measure it here, is none of the
    page's. Without measurements there are only the columns that are read here.
    """
    if not chapter.measured:
        return pd.DataFrame(columns=["store", "workload", "status", "value", "values"])
    rows = chapter.case(case)
    return rows[(rows["workload"] == workload) & rows["store"].map(chapter.is_store).astype(bool)]


def chart(chapter: Chapter, ids: tuple[str, ...]) -> Figure:
    """The exhibits side by side. The title is the chapter's."""
    id = ids[0].lower()
    if not chapter.measured:
        return placeholder(id, f"{ids[0]}: {chapter.missing()}")
    shown = [(EXHIBITS[each], rows_of(chapter, EXHIBITS[each])) for each in ids]
    panels = [
        Panel(f"{exhibit.id} · {exhibit.title}", rows, "entries/s", RATE, most_first=True)
        for exhibit, rows in shown
        if len(rows)
    ]
    if not panels:
        return placeholder(id, f"{ids[0]}: no trial got to these cases.")
    exhibits = f"{ids[0]} to {ids[-1]}" if len(ids) > 2 else " and ".join(ids)
    return figure(
        id,
        panels,
        subtitle=f"{chapter.provenance(exhibits, shown[0][0].case)} ·"
        f" {terms.survives([exhibit.case for exhibit, _ in shown])} · more is better · paler row:"
        f" not on the page of 2011 · thin line: {stats.interval_name(chapter.trial_count)} · tick:"
        f" 2011{ends(panels)}",
    )


def fastest(chapter: Chapter, ids: tuple[str, ...]) -> pd.DataFrame:
    """A row for each exhibit and each of its stores that no other is measurably faster than, the
    fastest first: exhibit (its id), title, store, name; ms, what all entries together took.
    """
    rows = [
        [id, EXHIBITS[id].title, row["store"], chapter.name(row["store"]), row["ms"]]
        for id in ids
        for row in contrasts.fastest(
            chapter, results(chapter, EXHIBITS[id].case, EXHIBITS[id].workload)
        )
    ]
    return pd.DataFrame(rows, columns=FASTEST)


def changed(chapter: Chapter, ids: tuple[str, ...]) -> pd.DataFrame:
    """What a variant makes of the page's three stores, a row for each store and exhibit that has a
    factor: exhibit, store, name; factor, times the baseline's rate; printed, the factor as the page
    writes it; difference, of the baseline's time from the variant's: a Difference.
    """
    rows = pd.concat([rows_of(chapter, EXHIBITS[id]).assign(exhibit=id) for id in ids])
    rows = rows[rows["store"].isin(THREE)].dropna(subset="factor")
    rows = rows.assign(printed=rows["factor"].map(times), rank=rows["store"].map(THREE.index))
    return rows.sort_values(["rank", "exhibit"])[CHANGED].reset_index(drop=True)


def rates(chapter: Chapter, ids: tuple[str, ...]) -> Markdown:
    """The numbers of some exhibits, beside the page's own, and in full why one is missing; in
    parentheses factors that may as well be 1.
    """
    if not chapter.measured:
        return nothing(chapter)
    lines, against = [], any(EXHIBITS[id].baseline for id in ids)
    for id in ids:
        exhibit = EXHIBITS[id]
        for i, row in enumerate(
            ranked(rows_of(chapter, exhibit), most_first=True).to_dict("records")
        ):
            good = row["status"] == "ok"
            line = [
                (
                    marked("**{}** {}", id, exhibit.case.order if against else exhibit.title)
                    if i == 0
                    else ""
                ),
                row["name"],
                number(row["value"]) if good else f"{STATUS[row['status']]}: {row['reason']}",
                format_range(row["low"], row["high"]) if row["low"] == row["low"] else MISSING,
                number(row["mark"]) or MISSING,
            ]
            factor = (
                f"({times(row['factor'])})"
                if row["difference"] == Difference.INCONCLUSIVE
                else times(row["factor"])
            )
            factors = [factor or MISSING, times(row["then_factor"]) or MISSING]
            lines.append(line + (factors if against else []))
    return table(
        [
            "exhibit",
            "store",
            ">entries/s",
            ">95% interval, entries/s",
            ">2011, entries/s",
            *([">times the baseline", ">2011, times the baseline"] if against else []),
        ],
        lines,
    )


def compression(chapter: Chapter) -> pd.DataFrame:
    """Which way each store's compression is toggled: store, name; default, "on", "off", or "none"
    where it cannot compress.
    """
    rows = []
    for id, store in chapter.stores.items():
        if chapter.is_store(id):
            setting = store["settings"].get("compression")
            ways = [way for way in ("on", "off") if (setting or "").startswith(f"{way} by default")]
            if ways or setting is None:
                rows.append([id, store["name"], ways[0] if ways else "none"])
    return pd.DataFrame(rows, columns=["store", "name", "default"])


def misprints(apart: float = 0.25) -> pd.DataFrame:
    """The factors of the page that are more than `apart` off what its own rates give: exhibit;
    store, the page's name of it; printed and follows, times the baseline.
    """
    rows = []
    for exhibit in EXHIBITS.values():
        if exhibit.baseline:
            base = next(
                id
                for id, other in EXHIBITS.items()
                if (other.case, other.workload) == (exhibit.baseline, exhibit.workload)
            )
            for store, (rate, factor) in published.page(exhibit.id).items():
                follows = rate / published.page(base)[store][0]
                if abs(factor / follows - 1) > apart and times(factor) != times(follows):
                    rows.append([exhibit.id, store_name(store), factor, follows])
    return pd.DataFrame(rows, columns=["exhibit", "store", "printed", "follows"])


def store_name(store: str) -> str:
    """What the page calls a store."""
    rows = published.read(published.LEVELDB)
    return rows.loc[rows["store_id"] == store, "system"].iloc[0]


def times(factor: float) -> str:
    """A factor as the page writes it: 1.08x · 12.3x · 0.003x."""
    if isnan(factor):
        return ""
    return (
        f"{number(factor)}x"
        if factor >= 0.095
        else f"{float(f'{factor:.2g}'):.9f}".rstrip("0") + "x"
    )


def short_rate(value: float) -> str:
    """A rate in few characters: 4.03M · 812k · 9.86k · 88.0."""
    if isnan(value):
        return ""
    power, unit = next(
        ((power, unit) for power, unit in ((1e6, "M"), (1e3, "k")) if value >= 0.9995 * power),
        (1, ""),
    )
    return f"{number(value / power)}{unit}"
