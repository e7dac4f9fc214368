"""The LevelDB page (C01 to C19): entries a second, and what each variant makes of the baseline, as
the page prints it.
"""

from dataclasses import dataclass
from math import isnan, nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import stats
from kvreport.analysis.stats import Difference
from kvreport.base.text import format_range, join_words, number
from kvreport.data import published
from kvreport.data.cases import Case, on_page
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import Figure, Panel, figure, placeholder, ranked
from kvreport.exhibits.tables import MISSING, STATUS, nothing, table

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
    "outcome",
    "mark",
    "then_factor",
    "label",
]


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
    """A row for each store, for charts.Panel: value, low and high in entries a second; factor over
    the baseline, and what is measurable of it (outcome: a Difference); mark and
    then_factor, what the page printed.
    """
    was = published.page(exhibit.id)
    rows, found = [], results(chapter, exhibit.case, exhibit.workload)
    base = (
        results(chapter, exhibit.baseline, exhibit.workload)["values"].to_dict()
        if exhibit.baseline
        else {}
    )
    for row in (chapter.plot_rows(found) if len(found) else found).to_dict("records"):
        then, then_factor = was.get(row["store"], (nan, nan))
        before = base.get(row["store"], ())
        told = row["values"] and before
        factor = stats.ratio(before, row["values"]).value if told else nan
        outcome = stats.compare(before, row["values"], chapter.floor) if told else ""
        rows.append(
            row
            | {
                "value": 1e9 / row["value"],
                "low": 1e9 / row["high"],
                "high": 1e9 / row["low"],
                "pale": row["store"] not in THREE,
                "factor": factor,
                "outcome": outcome,
                "mark": then,
                "then_factor": then_factor,
                "label": " ".join(filter(None, [short_rate(1e9 / row["value"]), times(factor)])),
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def results(chapter: Chapter, case: Case, workload: str) -> pd.DataFrame:
    """What the stores did of a case; the flat file, should someone measure it here, is none of the
    page's.
    """
    rows = chapter.case(case)
    return rows[(rows["workload"] == workload) & rows["store"].map(chapter.is_store).astype(bool)]


def chart(chapter: Chapter, ids: tuple[str, ...], what: str = "") -> Figure:
    """The exhibits side by side. The title says what the variant comes to, or without one which
    stores are first.
    """
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
    title = (
        changed(shown, what)
        if what
        else "First at " + "; at ".join(first(chapter, exhibit) for exhibit, _ in shown)
    )
    exhibits = f"{ids[0]} to {ids[-1]}" if len(ids) > 2 else " and ".join(ids)
    return figure(
        id,
        panels,
        title,
        f"{chapter.provenance(exhibits, shown[0][0].case)} · more is better · paler: not on the"
        f" page of 2011 · thin line: {stats.interval_name(chapter.trial_count)} · tick: 2011",
    )


def first(chapter: Chapter, exhibit: Exhibit) -> str:
    """Which stores are first in an exhibit: the fastest, and those that it cannot be told apart
    from.
    """
    names = [
        chapter.name(row["store"])
        for row in stats.fastest(results(chapter, exhibit.case, exhibit.workload), chapter.floor)
    ]
    who = (
        names[0]
        if len(names) == 1
        else f"{join_words(names)}, which cannot be told apart"
        if len(names) < 4
        else "inconclusive"
    )
    return f"{exhibit.title}: {who if names else 'none succeeded'}"


def changed(shown: list[tuple[Exhibit, pd.DataFrame]], what: str) -> str:
    """What a variant makes of the page's three stores."""
    told = []
    for store in THREE:
        found = [
            row
            for _, rows in shown
            for row in rows[rows["store"] == store].to_dict("records")
            if not isnan(row["factor"])
        ]
        if found:
            factors = " and ".join(times(row["factor"]) for row in found)
            told.append(
                f"{found[0]['name']} {factors}"
                + (
                    ", inconclusive"
                    if {row["outcome"] for row in found} == {Difference.INCONCLUSIVE}
                    else ""
                )
            )
    return (
        f"{what}, sequential and random, against the baseline:"
        f" {'; '.join(told) or 'nothing to compare'}"
    )


def rates(chapter: Chapter, ids: tuple[str, ...]) -> Markdown:
    """The numbers of some exhibits, beside the page's own, and in full why one is missing; in
    parentheses factors that may as well be 1.
    """
    if not chapter.measured:
        return nothing(chapter)
    lines, against = [], any(EXHIBITS[id].baseline for id in ids)
    for id in ids:
        for i, row in enumerate(
            ranked(rows_of(chapter, EXHIBITS[id]), most_first=True).to_dict("records")
        ):
            good = row["status"] == "ok"
            line = [
                (
                    f"**{id}** {EXHIBITS[id].title if not against else EXHIBITS[id].case.order}"
                    if i == 0
                    else ""
                ),
                row["name"],
                number(row["value"]) if good else f"{STATUS[row['status']]}: {row['reason']}",
                format_range(row["low"], row["high"]) if row["low"] == row["low"] else MISSING,
                number(row["mark"]) or MISSING,
            ]
            told = (
                f"({times(row['factor'])})"
                if row["outcome"] == Difference.INCONCLUSIVE
                else times(row["factor"])
            )
            lines.append(
                line + ([told or MISSING, times(row["then_factor"]) or MISSING] if against else [])
            )
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


def directions(chapter: Chapter) -> str:
    """Which stores compress by default, and so have it turned off, and which have it turned on."""
    stores = [store for id, store in chapter.stores.items() if chapter.is_store(id)]
    on, off = (
        [
            store["name"]
            for store in stores
            if store["settings"].get("compression", "").startswith(f"{default} by default")
        ]
        for default in ("on", "off")
    )
    without = [store["name"] for store in stores if "compression" not in store["settings"]]
    return (
        f"Compression is turned off where it is on by default ({join_words(on)}) and on where it is"
        f" off ({join_words(off)}). Without compression altogether: {join_words(without)}."
    )


def misprints(apart: float = 0.25) -> str:
    """The factors of the page that do not follow from its own rates."""
    told = []
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
                    told.append(
                        f"{exhibit.id}, {store_name(store)}: {times(factor)}, where the rates give"
                        f" {times(follows)}"
                    )
    return (
        f"Of the page's factors {len(told)} do not follow from its own rates: {'; '.join(told)}."
        if told
        else ""
    )


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
