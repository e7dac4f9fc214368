"""Test 1: what LMDB's settings cost (A01 to A04), and the proof that durable loads sync."""

from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import stats
from kvreport.analysis.stats import Difference
from kvreport.base.text import join_words, number
from kvreport.data import published, sidecars
from kvreport.data.cases import Case
from kvreport.data.published import JULY
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.charts import Figure, exhibit_of, placeholder
from kvreport.exhibits.curves import Pairs, pairs
from kvreport.exhibits.tables import MISSING, STATUS, interval, nothing, table

NO_CHANGE = "no difference found"


def figure(chapter: Chapter, id: str, before: Case, after: Case, words: tuple[str, str]) -> Figure:
    """A01 to A04: each binding's load in two cases; `words` say what the hollow and the full circle
    stand for.
    """
    exhibit = exhibit_of(id)
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    rows = changed(chapter, before, after)
    found = {outcome: list(group["name"]) for outcome, group in rows.groupby("outcome")}
    named = {
        outcome: "every binding" if len(names) == len(rows) else join_words(sorted(names))
        for outcome, names in found.items()
    }
    told = [
        f"{words[1]} {verb} with {named[outcome]}"
        for outcome, verb in (("greater", "takes longer"), ("less", "is faster"))
        if outcome in found
    ]
    title = "; ".join(told) or f"{words[1]}: {NO_CHANGE}"
    title = title[0].upper() + title[1:]
    return pairs(
        id,
        [Pairs(f"write · hollow: {words[0]}, full: {words[1]}", rows, "ns/entry")],
        title,
        f"{chapter.provenance(exhibit, before)} · thin lines:"
        f" {stats.interval_name(chapter.trial_count)}, hollow above, full below · ticks: July 2016,"
        f" the thicker {words[1]}",
    )


def changed(chapter: Chapter, before: Case, after: Case, workload: str = "write") -> pd.DataFrame:
    """A row for each store that has both cases, in the columns of curves.Pairs; outcome says
    whether after is less or greater.
    """
    was, now = (
        {
            row["store"]: row
            for row in chapter.plot_rows(chapter.case(case)).to_dict("records")
            if row["workload"] == workload and row["status"] == "ok"
        }
        for case in (before, after)
    )
    then = published.times(JULY, chapter.test)
    rows = []
    for store in was.keys() & now.keys():
        first, last = was[store], now[store]
        between, outcome = (
            stats.ratio(last["values"], first["values"]),
            stats.compare(last["values"], first["values"], chapter.floor),
        )
        marks = [
            then[store, case, workload].value if (store, case, workload) in then else nan
            for case in (before, after)
        ]
        rows.append(
            {
                "store": store,
                "name": first["name"],
                "colour": first["colour"],
                "outcome": outcome,
                "ratio": between.value,
                "change": f"× {number(between.value)}"
                if outcome != Difference.INCONCLUSIVE
                else NO_CHANGE,
            }
            | {
                f"{when}{end}": row[column]
                for when, row in (("before", first), ("after", last))
                for end, column in (("", "value"), ("_low", "low"), ("_high", "high"))
            }
            | {"mark_before": marks[0], "mark_after": marks[1]}
        )
    return pd.DataFrame(rows, columns=None if rows else ["store", "name", "outcome"])


def loads(chapter: Chapter, cases: dict[str, Case]) -> Markdown:
    """The load of every binding in each of some cases: ns an entry, and what was published in July
    2016.
    """
    if not chapter.measured:
        return nothing(chapter)
    then, rows = published.times(JULY, chapter.test), []
    for store, told in chapter.stores.items():
        line = [told["name"]]
        for case in cases.values():
            found = chapter.case(case)
            found = found[(found["store"] == store) & (found["workload"] == "write")].to_dict(
                "records"
            )
            was = then.get((store, case, "write"))
            line += [
                (
                    (
                        number(found[0]["value"])
                        if found[0]["status"] == "ok"
                        else STATUS[found[0]["status"]]
                    )
                    if found
                    else MISSING
                ),
                interval(found[0]) if found and found[0]["status"] == "ok" else MISSING,
                number(was.value) if was else MISSING,
            ]
        rows.append(line)
    heads = [
        head
        for words in cases
        for head in (f">{words}, ns/entry", ">95% interval, ns/entry", ">2016, ns/entry")
    ]
    return table(["store", *heads], rows)


def syncs(chapter: Chapter) -> Markdown:
    """The system calls that waited for the device, for each binding and case."""
    told = (
        sidecars.syscalls(chapter.run.name, chapter.section)
        if chapter.run
        else {"problem": chapter.missing(), "counts": {}}
    )
    if told["problem"]:
        return table(["no counts"], [[told["problem"]]])
    rows = []
    for store, counted in told["counts"].items():
        for i, case in enumerate(counted["cases"]):
            settings = (
                ", ".join(f"{name}={value}" for name, value in case["settings"].items())
                or "no sync (all other tests)"
            )
            calls = join_words(
                f"{made / case['loads']:.3g} × {name}" for name, made in case["calls"].items()
            )
            rows.append([chapter.name(store) if i == 0 else "", settings, case["problem"] or calls])
    return table(["store", "settings", "calls that wait for the device, in a load"], rows)


def syncs_summary(chapter: Chapter) -> str:
    """Whether every durable case syncs and no other does."""
    told = sidecars.syscalls(chapter.run.name, chapter.section)
    if told["problem"]:
        return f"There is no proof in this run: {told['problem']}."
    cases = [
        (chapter.name(store), case)
        for store, counted in told["counts"].items()
        for case in counted["cases"]
        if not case["problem"]
    ]
    idle = [
        name for name, case in cases if case["settings"].get("sync") == "on" and not case["calls"]
    ]
    eager = [name for name, case in cases if case["settings"].get("sync") != "on" and case["calls"]]
    found = [
        (
            f"{join_words(idle)} did not wait at all where it should have"
            if idle
            else "every durable load waited for the device"
        ),
        (
            f"{join_words(dict.fromkeys(eager))} waited although nothing asked for it"
            if eager
            else "no other load did"
        ),
    ]
    return f"Of {len(cases)} loads watched, {' and '.join(found)} ({told['tool']})."
