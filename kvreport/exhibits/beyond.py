"""Data larger than the memory that a process may have: what each workload takes, against the same in memory."""

from IPython.display import Markdown

from kvreport import charts, costs
from kvreport.cases import Case
from kvreport.chapter import LOOK_INTO, Chapter, alike
from kvreport.charts import Figure, placeholder, ranked
from kvreport.runs import MEMORY
from kvreport.tables import MISSING, STATUS, interval, nothing, rounded, table
from kvreport.text import listing, number, span

READS = {LOOK_INTO: "A get by key", "readXxh64": "A scan"}
IN_MEMORY = {LOOK_INTO: "readKey"}  # whose values Test 5 does not look into


def figure(chapter: Chapter, id: str, case: Case) -> Figure:
    """A panel for each workload: ns an entry."""
    return charts.workloads(chapter, id, case, headline(chapter, case)) if chapter.measured else placeholder(id, chapter.missing())


def headline(chapter: Chapter, case: Case) -> str:
    """The range of gets by key, in a sentence without its full stop."""
    rows = chapter.case(case)
    rows = rows[(rows["workload"] == LOOK_INTO) & (rows["status"] == "ok") & rows["store"].map(chapter.is_store)].sort_values("value")
    return (f"Beyond memory a get by key takes {number(rows['value'].iloc[0] / 1e3)} µs ({chapter.name(rows['store'].iloc[0])}) to "
            f"{number(rows['value'].iloc[-1] / 1e3)} µs ({chapter.name(rows['store'].iloc[-1])})") if len(rows) else "No store could be read beyond memory"


def slower(chapter: Chapter, roomy: Chapter, case: Case) -> dict[tuple[str, str], float]:
    """How many times as long an entry takes as where the data fit into memory, by store and workload."""
    there = {(row["store"], row["workload"]): row["value"] for row in roomy.case(case).to_dict("records") if row["status"] == "ok"} if roomy in alike([roomy, chapter]) else {}
    return {(row["store"], row["workload"]): row["value"] / there[key] for row in chapter.case(case).to_dict("records")
            if row["status"] == "ok" and (key := (row["store"], IN_MEMORY.get(row["workload"], row["workload"]))) in there}


def table_of(chapter: Chapter, roomy: Chapter, case: Case) -> Markdown:
    """Each workload's stores by time, with the factor over memory and the bytes that a pass had from the device."""
    if not chapter.measured:
        return nothing(chapter)
    results, factors, read, lines = chapter.case(case), slower(chapter, roomy, case), costs.of_workloads(chapter, case), []
    for workload in chapter.workloads:
        middle = costs.medians(read[read["workload"] == workload])[costs.READ]
        for i, row in enumerate(ranked(chapter.drawn(results[results["workload"] == workload])).to_dict("records")):
            good = row["status"] == "ok"
            lines.append([f"**{workload}**" if i == 0 else "", row["name"], number(row["value"]) if good else f"{STATUS[row['status']]}: {row['reason']}",
                          interval(row) if good else MISSING, number(factors.get((row["store"], workload), float("nan"))) or MISSING,
                          rounded(middle.get(row["store"], float("nan")), 2) if good else MISSING])
    return table(["workload", "store", ">ns/entry", ">95% interval, ns/entry", ">times as long as in memory", ">OS bytes read per user byte"], lines)


def room(chapter: Chapter) -> str:
    """How much memory the processes had, as their records say it."""
    sizes = {int(flag.removeprefix(MEMORY)) for trial in chapter.trials if trial["jvm"] for flag in trial["jvm"]["flags"] if flag.startswith(MEMORY)}
    heaps = {trial["jvm"]["heap_bytes"] for trial in chapter.trials if trial["jvm"]}
    data = {case["flat_bytes"] for trial in chapter.trials for case in trial["cases"]}
    return (f"{span(min(data) / 1e6, max(data) / 1e6)} MB of keys and values in a process that may have {span(min(sizes) / 1e6, max(sizes) / 1e6)} MB, "
            f"{span(min(heaps) / 1e6, max(heaps) / 1e6)} MB of them its heap.") if sizes and data else ""


def in_short(chapter: Chapter, roomy: Chapter, case: Case) -> str:
    """The room there was, and how much longer reads take than in memory: the least and the most."""
    factors = {key: factor for key, factor in slower(chapter, roomy, case).items() if chapter.is_store(key[0])}
    told = [room(chapter)]
    for workload, words in READS.items():
        found = sorted((factor, chapter.name(store)) for (store, each), factor in factors.items() if each == workload)
        if found:
            told.append(f"{words} takes {number(found[0][0])} ({found[0][1]}) to {number(found[-1][0])} ({found[-1][1]}) times as long as in memory.")
    lost = sorted({chapter.name(row["store"]) for row in chapter.case(case).to_dict("records") if row["status"] == "failed"})
    return " ".join(each for each in [*told, f"{listing(lost)} did not get through; the table says why." if lost else ""] if each)
