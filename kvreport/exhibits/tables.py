"""The report's tables: Markdown pipe tables, numbers to the right with their unit in the header,
rows in a stated order.
"""

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import contrasts, noise, stats, steady
from kvreport.analysis import costs as machine
from kvreport.analysis.steady import Steadiness
from kvreport.base.markdown import joined, marked
from kvreport.base.text import format_range, join_words, number, significant
from kvreport.charts.bars import ranked
from kvreport.charts.chapter import NOT_MEASURED, Chapter
from kvreport.charts.tables import MISSING, table
from kvreport.data import published
from kvreport.data.cases import CASES, Case
from kvreport.data.published import JULY
from kvreport.exhibits.charts import describe


def speeds(chapter: Chapter, case: Case) -> Markdown:
    """Every store's time for each workload of a case: the table under a figure of
    charts.workloads.
    """
    if not chapter.measured:
        return nothing(chapter)
    was, results = then_times(case, chapter.test), chapter.case(case)
    rows = []
    for workload in chapter.workloads:
        found = ranked(chapter.plot_rows(results[results["workload"] == workload]))
        for i, row in enumerate(found.to_dict("records")):
            good = row["status"] == "ok"
            rows.append(
                [
                    marked("**{}**", workload) if i == 0 else "",
                    row["name"],
                    number(row["value"]) if good else STATUS[row["status"]],
                    interval(row),
                    number(row["ms"]) or MISSING,
                    MISSING if pd.isna(row["gbs"]) else significant(row["gbs"]),
                    number(row["value"] / row["baseline"])
                    if good and row["baseline"] > 0
                    else MISSING,
                    number(
                        was.get(
                            (row["store"], chapter.as_published(row["store"], case, workload)),
                            float("nan"),
                        )
                    )
                    or MISSING,
                ]
            )
    heads = [
        "workload",
        "store",
        ">ns/entry",
        ">95% interval, ns/entry",
        ">ms/pass",
        ">GB/s",
        ">times the flat file",
        ">2016, ns/entry",
    ]
    shown = [  # a section may have no flat file, or no figure of 2016
        i for i in range(len(heads)) if i < 4 or any(row[i] != MISSING for row in rows)
    ]
    return table([heads[i] for i in shown], [[row[i] for i in shown] for row in rows])


def rounded(value: float, digits: int) -> str:
    """A number that may be missing, with as many digits after the point."""
    return MISSING if pd.isna(value) else f"{value:,.{digits}f}"


STATUS = {"na": "n/a", "failed": "failed"}


def interval(row: dict) -> str:
    return MISSING if pd.isna(row["low"]) else format_range(row["low"], row["high"])


def then_times(case: Case, test: int) -> dict[tuple[str, str], float]:
    """What the report of July 2016 measured of a case, ns an entry by store and workload."""
    return {
        (store, workload): was.value
        for (store, measured, workload), was in published.times(JULY, test).items()
        if measured == case
    }


def then_sizes(test: int = 4) -> dict[tuple[str, Case], float]:
    """Bytes an entry after close in a test of July 2016, by store and case."""
    return {key: was.value for key, was in published.sizes(JULY, test).items()}


def notes(chapter: Chapter, exhibit: str, case: Case) -> Markdown:
    """What a figure and its table have no room for: where they come from, and in full why values
    are missing.
    """
    if not chapter.measured:
        return NOT_MEASURED
    why: dict[tuple[str, str, str], list[str]] = {}
    for row in chapter.plot_rows(chapter.case(case)).to_dict("records"):
        if row["reason"]:
            what = {"na": "n/a", "failed": "failed"}.get(
                row["status"],
                f"{row['failures']} of {row['trials'] + row['failures']} trials failed",
            )
            why.setdefault((chapter.name(row["store"]), what, row["reason"]), []).append(
                row["workload"]
            )
    for (store, workload), pass_trend in steady.pass_trends(chapter, case).items():
        if pass_trend.verdict == Steadiness.CHANGING and (
            chapter.is_store(store) or chapter.is_baseline(store)
        ):
            why.setdefault(
                (
                    chapter.name(store),
                    "not settled",
                    f"{pass_trend.summary} from the first measured pass to the last",
                ),
                [],
            ).append(workload)
    below = f"{100 * (chapter.floor - 1):.1f}%"
    origin = marked(
        "{}, {}; {}. {}Then: {}. Now: {}.",
        chapter.provenance(exhibit, case),
        describe(case),
        stats.interval_name(chapter.trial_count),
        marked(
            f"In {noise.SHARE}% of cases, two measurements of one store differ by less than {{}}"
            " (@sec-noise). ",
            below,
        )
        if chapter.floor > noise.NONE
        else "",
        published.HARDWARE,
        chapter.hardware,
    )
    every, every_count = "every workload", len(chapter.workloads)
    return Markdown(
        joined(
            "\n",
            [
                origin,
                "",
                *(
                    marked(
                        "- **{}**, {}: {}, {}",
                        name,
                        every if len(workloads) == every_count else join_words(workloads),
                        what,
                        reason,
                    )
                    for (name, what, reason), workloads in sorted(why.items())
                ),
            ],
        )
    )


def sizes(chapter: Chapter, case: Case, exhibit: str) -> Markdown:
    """Bytes after close against the flat array, and what the source printed in its table of that
    exhibit.
    """
    if not chapter.measured:
        return nothing(chapter)
    was = pd.concat([published.read(f"lmdbjava-{JULY}"), published.read(f"lmdbjava-{JULY}-more")])
    was = was[
        (was["exhibit"] == exhibit)
        & (was["store_id"] != "")
        & was["parameter"].isin([published.SIZE, "overhead"])
    ]
    was = was.drop_duplicates(["store_id", "parameter"]).pivot(
        index="store_id", columns="parameter", values="value"
    )
    rows = []
    for row in ranked(chapter.plot_rows(chapter.sizes(case))).to_dict("records"):
        good = row["status"] == "ok"
        then = was.loc[row["store"]] if row["store"] in was.index else {}
        rows.append(
            [
                row["name"],
                f"{row['bytes']:,.0f}" if good else STATUS[row["status"]],
                number(row["value"]) or MISSING,
                MISSING if not good else f"{row['overhead']:.2f}",
                f"{then[published.SIZE]:,.0f}" if len(then) else MISSING,
                (
                    f"{then['overhead']:.2f}"
                    if len(then) and then["overhead"] == then["overhead"]
                    else MISSING
                ),
            ]
        )
    return table(
        [
            "store",
            ">bytes",
            ">B/entry",
            ">over the flat array, %",
            ">2016, bytes",
            ">2016, over, %",
        ],
        rows,
    )


def overheads(chapter: Chapter) -> Markdown:
    """Percent over the flat array in every case, ours and that of 2016; in the order of the case
    that the source printed.
    """
    if not chapter.measured:
        return nothing(chapter)
    was = then_sizes()
    found = {case: chapter.sizes(case) for case in CASES}
    rows = []
    for row in ranked(chapter.plot_rows(found[Case("int", "random")])).to_dict("records"):
        line = [row["name"]]
        for case in CASES:
            here = found[case].loc[row["store"]]
            then = was.get((row["store"], case))
            line += [
                f"{here['overhead']:.1f}" if here["status"] == "ok" else STATUS[here["status"]],
                f"{100 * (then / here['flat'] - 1):.1f}" if then else MISSING,
            ]
        rows.append(line)
    return table(
        [
            "store",
            *(head for case in CASES for head in (f">{case.keys}, {case.order}, %", ">2016, %")),
        ],
        rows,
    )


def costs(chapter: Chapter, case: Case, workload: str) -> Markdown:
    """What a workload costs besides time, medians over trials; stores in the order of
    their times.
    """
    if not chapter.measured:
        return nothing(chapter)
    spent = machine.of_workloads(chapter, case)
    spent = machine.medians(spent[spent["workload"] == workload])
    quiet = machine.of_loads(chapter, case).groupby("store")[machine.QUIET]
    columns = {
        machine.CORES: ">CPU cores busy",
        machine.WRITTEN: ">OS bytes written per user byte",
        machine.MEMORY: ">peak beside the heap, MB",
        machine.GC: ">GC, ms/pass",
        machine.FILES: ">store's open files",
        machine.THREADS: ">threads",
    }
    results = chapter.case(case)
    rows = []
    for row in ranked(chapter.plot_rows(results[results["workload"] == workload])).to_dict(
        "records"
    ):
        if row["status"] == "ok":
            cost, settled = spent.loc[row["store"]], quiet.get_group(row["store"])
            rows.append(
                [
                    row["name"],
                    *(
                        rounded(cost[column], digits)
                        for column, digits in zip(columns, (2, 2, 0, 0, 0, 0))
                    ),
                    f"{settled.median():.1f}" if settled.notna().all() else "not quiet",
                ]
            )
    return table(["store", *columns.values(), ">quiet after, s"], rows)


def changes(chapter: Chapter, before: Case, after: Case) -> Markdown:
    """How many times as long each workload takes in one case as in another: the median store and
    the extremes.
    """
    if not chapter.measured:
        return nothing(chapter)
    was, now = [
        case[(case["status"] == "ok") & case["store"].map(chapter.is_store)]
        for case in (chapter.case(before), chapter.case(after))
    ]
    rows = []
    for workload in chapter.workloads:
        factors = (
            now[now["workload"] == workload]["value"] / was[was["workload"] == workload]["value"]
        ).dropna()
        if len(factors):
            ordered = sorted((factor, str(store)) for store, factor in factors.items())
            (least, first), (most, last) = ordered[0], ordered[-1]
            rows.append(
                [
                    workload,
                    number(factors.median()),
                    *(number(least), chapter.name(first)),
                    *(number(most), chapter.name(last)),
                ]
            )
    return table(
        [
            "workload",
            ">median store, times as long",
            ">least, times",
            "store",
            ">most, times",
            "store",
        ],
        rows,
    )


def glance(chapter: Chapter) -> Markdown:
    """The fastest store for each workload and case, with those that are not measurably slower."""
    if not chapter.measured:
        return nothing(chapter)
    rows = []
    for workload in chapter.workloads:
        line: list[str] = [marked("**{}**", workload)]
        for case in CASES:
            results = chapter.case(case)
            found = results[results["workload"] == workload]
            found = found[found["store"].map(chapter.is_store).astype(bool)]
            first = contrasts.fastest(chapter, found)
            line.append(
                f"{number(first[0]['value'])}:"
                f" {join_words(chapter.name(row['store']) for row in first)}"
                if first
                else "none succeeded"
                if len(found)
                else MISSING
            )
        rows.append(line)
    return table(
        ["workload", *(f"{case.keys} keys, {case.order}, ns/entry" for case in CASES)], rows
    )


def nothing(chapter: Chapter) -> Markdown:
    """A table that says why there is none."""
    return table(["no measurements"], [[chapter.missing()]])
