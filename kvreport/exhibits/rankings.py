"""Tests 5 and 6: rankings (B03 to B09), and how much of the sources' data a run has."""

from collections import Counter

from IPython.display import Markdown

from kvreport.analysis import stats
from kvreport.base.text import join_words, number
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.exhibits import prose, verdicts
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import ranked
from kvreport.exhibits.tables import MISSING, STATUS, nothing, table


def times(
    chapter: Chapter, case: Case, workload: str, then: tuple[str, Case] | None = None
) -> Markdown:
    """B04 to B09: implementation, ms a pass, times the fastest. What the trials cannot tell from
    the fastest is "Fastest", too; where one trial stands against one, which tells nothing apart,
    the factor stands in parentheses.

    `then` names the edition and the case whose published times stand beside, per entry as ours.
    """
    if not chapter.measured:
        return nothing(chapter)
    found = chapter.case(case)
    found = found[(found["workload"] == workload) & found["store"].map(chapter.is_store)]
    first = {row["store"] for row in stats.fastest(found, chapter.floor)}
    good = found[found["status"] == "ok"].sort_values("value")
    was = published.times(then[0], chapter.test) if then else {}
    single = {
        row["store"]
        for row in good.to_dict("records")
        if not stats.ratio(row["values"], good["values"].iloc[0]).has_interval
    }
    rows = []
    for row in good.to_dict("records"):
        factor = f"× {number(row['value'] / good['value'].iloc[0])}"
        old = was.get((row["store"], then[1], workload)) if then else None
        rows.append(
            [
                chapter.name(row["store"]),
                number(row["ms"]),
                number(row["value"]),
                (
                    f"({factor})"
                    if row["store"] in single
                    else "Fastest"
                    if row["store"] in first
                    else factor
                ),
                number(old.value) if old else MISSING,
            ]
        )
    rows += [
        [chapter.name(row["store"]), STATUS[row["status"]], MISSING, row["reason"], MISSING]
        for row in found[found["status"] != "ok"].to_dict("records")
    ]
    return table(
        [
            "implementation",
            ">ms/pass",
            ">ns/entry",
            "times the fastest" + (" (of one trial)" if single else ""),
            ">2016, ns/entry",
        ],
        rows,
    )


def storage(chapter: Chapter, case: Case, then: tuple[str, Case]) -> Markdown:
    """B03: bytes an entry and percent over the array, ours and those of an edition's case."""
    if not chapter.measured:
        return nothing(chapter)
    was, rows = published.sizes(then[0], chapter.test), []
    for row in ranked(chapter.plot_rows(chapter.sizes(case))).to_dict("records"):
        old = was.get((row["store"], then[1]))
        good = row["status"] == "ok"
        rows.append(
            [
                row["name"],
                number(row["value"]) if good else STATUS[row["status"]],
                f"{row['overhead']:.2f}" if good else MISSING,
                number(old.value) if old else MISSING,
                f"{100 * (old.value / then[1].flat - 1):.2f}" if old else MISSING,
            ]
        )
    return table(
        ["implementation", ">B/entry", ">over the array, %", ">2016, B/entry", ">2016, over, %"],
        rows,
    )


def capped(chapter: Chapter) -> str:
    """How much less data than the sources' this run has, and which stores have fewer trials for
    that they take so long.
    """
    largest = chapter.results["user_bytes"].max() / 1e9
    source = verdicts.SOURCE_ENTRIES[chapter.test]
    few, most = chapter.trial_counts
    counts = Counter(trial["store"]["id"] for trial in chapter.trials)
    slow = [chapter.name(store) for store, trials in counts.items() if trials < most]
    told = (
        f"Ten million entries, as in the source: up to {largest:.0f} GB."
        if chapter.entries()[0] >= source
        else (
            f"The source had {source:,} entries; profile {chapter.run.environment['profile']} caps"
            f" the data of a case at about {largest:.1f} GB, which makes"
            f" {prose.number_range(chapter.entries())} entries."
        )
    )
    return told + (
        f" {join_words(slow)} had {few} of {most} trials, as one takes over ten minutes."
        if slow
        else ""
    )


def in_full(chapter: Chapter) -> str:
    """Where the trials at the source's size come from, and how far passes of one of them lie
    apart.
    """
    passes, told = (
        chapter.frame[chapter.frame["status"] == "ok"],
        f"*{chapter.provenance('A14 to A16')}.* {capped(chapter)}",
    )
    if chapter.trial_count == 1:
        told += " One trial of each store tells no two of them apart."
    if passes.empty:
        return told
    passes = passes.assign(spread=[max(each) / min(each) for each in passes["iteration_ns"]])
    widest = passes.loc[passes["spread"].idxmax()]
    return (
        f"{told} The passes that lie furthest apart are those of {widest['workload']} in"
        f" {widest['order']} order: {chapter.name(widest['store'])}'s slowest took"
        f" {number(widest['spread'])} times its fastest. The tables have the median pass."
    )
