"""Cold, lukewarm and warm: gets by key from a database in use, from one just opened, and from one
just opened that is not in memory.
"""

from math import nan

from IPython.display import Markdown

from kvreport.analysis import costs, stats
from kvreport.base.text import format_range, join_words, number
from kvreport.data.cases import Case
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import SPEED, Figure, Panel, describe, figure, placeholder
from kvreport.exhibits.tables import MISSING, STATUS, interval, nothing, table

STATES = {
    "readKey": "warm: open, and read before",
    "readLukewarm": "lukewarm: just opened",
    "readCold": "cold: just opened, not in memory",
}
# bytes that a pass must have had from the device, for each byte of keys and values, to count as
# cold
LEAST_READ = 0.1


def figure_of(chapter: Chapter, id: str, case: Case) -> Figure:
    """A panel for each state: ns an entry; a lukewarm or cold pass includes opening the
    database.
    """
    if not chapter.measured:
        return placeholder(id, chapter.missing())
    rows = chapter.plot_rows(chapter.case(case))
    bare = {row["workload"]: row["value"] for row in rows[rows["is_baseline"]].to_dict("records")}
    panels = []
    for state, words in STATES.items():
        of = rows[rows["workload"] == state]
        if len(of):
            baseline = bare.get(state, nan)
            panels.append(
                Panel(
                    words,
                    of.assign(
                        baseline=baseline,
                        label=of["value"].map(number),
                        mark=nan,
                        times=of["value"] / baseline,
                    ),
                    "ns/entry",
                    SPEED,
                )
            )
    return figure(
        id,
        panels,
        headline(chapter, case),
        f"{chapter.provenance('Cold', case)}, {describe(case)} · thin line:"
        f" {stats.interval_name(chapter.trial_count)}",
    )


def factors(chapter: Chapter, case: Case) -> list[tuple[float, str]]:
    """How many times as long a cold pass takes as a warm one, by store, of those that were cold;
    the least first.
    """
    rows = {
        (row["store"], row["workload"]): row
        for row in chapter.case(case).to_dict("records")
        if row["status"] == "ok"
    }
    cached = still_cached(chapter, case)
    return sorted(
        (rows[store, "readCold"]["value"] / rows[store, "readKey"]["value"], chapter.name(store))
        for store in chapter.stores
        if chapter.is_store(store)
        and store not in cached
        and (store, "readCold") in rows
        and (store, "readKey") in rows
    )


def still_cached(chapter: Chapter, case: Case) -> list[str]:
    """The stores whose cold passes had nearly nothing from the device: what they read was in memory
    after all.
    """
    read = costs.of_workloads(chapter, case)
    read = read[read["workload"] == "readCold"].groupby("store")[costs.READ].median()
    return [store for store, bytes_ in read.items() if bytes_ < LEAST_READ]


def headline(chapter: Chapter, case: Case) -> str:
    """The range of what a cold start costs, in a sentence without its full stop."""
    found = factors(chapter, case)
    return (
        f"A pass that begins cold takes {number(found[0][0])} ({found[0][1]}) to"
        f" {number(found[-1][0])} ({found[-1][1]}) times as long as a warm one"
        if found
        else "No pass could be made cold"
    )


def table_of(chapter: Chapter, case: Case) -> Markdown:
    """Each store in each state, and what a pass had from the device."""
    if not chapter.measured:
        return nothing(chapter)
    rows = {(row["store"], row["workload"]): row for row in chapter.case(case).to_dict("records")}
    read, lines = costs.of_workloads(chapter, case), []
    for store in [
        store for store in chapter.stores if chapter.is_store(store) or chapter.is_baseline(store)
    ]:
        for state in STATES:
            row = rows.get((store, state))
            good = row and row["status"] == "ok"
            bytes_ = read[(read["store"] == store) & (read["workload"] == state)][
                costs.READ
            ].median()
            lines.append(
                [
                    chapter.name(store) if state == "readKey" else "",
                    STATES[state].partition(":")[0],
                    (
                        number(row["value"])
                        if good
                        else f"{STATUS[row['status']]}: {row['reason']}"
                        if row
                        else MISSING
                    ),
                    interval(row) if good else MISSING,
                    number(row["ms"]) if good else MISSING,
                    f"{bytes_:.2f}" if good and bytes_ == bytes_ else MISSING,
                ]
            )
    return table(
        [
            "store",
            "state",
            ">ns/entry",
            ">95% interval, ns/entry",
            ">ms/pass",
            ">OS bytes read per user byte",
        ],
        lines,
    )


def summary(chapter: Chapter, case: Case) -> str:
    """What a cold start costs, what opening costs, and which passes were not cold."""
    rows = {
        (row["store"], row["workload"]): row["value"]
        for row in chapter.case(case).to_dict("records")
        if row["status"] == "ok"
    }
    opened = [
        rows[store, "readLukewarm"] / rows[store, "readKey"]
        for store in chapter.stores
        if chapter.is_store(store)
        and (store, "readLukewarm") in rows
        and (store, "readKey") in rows
    ]
    cached = [chapter.name(store) for store in still_cached(chapter, case)]
    return (
        f"{headline(chapter, case)}."
        + (
            " Opening the database and reading it for the first time, with its files in memory,"
            f" takes {format_range(min(opened), max(opened))} times as long as reading it again."
            if opened
            else ""
        )
        + (
            f" Nearly nothing came from the device for {join_words(cached)}: their cold passes were"
            " not cold, and are left out of this comparison."
            if cached
            else ""
        )
    )
