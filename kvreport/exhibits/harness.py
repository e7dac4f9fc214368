"""How a run measured, by its own records: what it leaves open, its passes, what the harness costs."""

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import stats
from kvreport.analysis.results import of_case
from kvreport.base.text import count, format_range, join_words, number
from kvreport.data.cases import WORKLOADS
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.tables import MISSING, interval, nothing, table


def limits(chapter: Chapter) -> str:
    """What this run cannot tell, from its own records; the limits that hold for every run are in
    the chapter's text.
    """
    told = chapter.run.environment
    largest = chapter.results["user_bytes"].max()
    memory = min(told["memory_bytes"], told["limits"]["memory_bytes"] or told["memory_bytes"])
    trials = chapter.trial_count
    lines = [
        (
            f"**Everything is in memory.** The largest data set here has {number(largest / 1e6)} MB"
            f" of keys and values, {100 * largest / memory:.1f}% of this machine's"
            f" {memory / 1e9:.1f} GB, and it is read right after it was written: nothing here says"
            " what a store does when data must come from a disk."
        ),
        f"**{count(trials, 'trial').capitalize()} a store.** "
        + (
            "One trial gives no interval: nothing can be told apart."
            if trials < 2
            else (
                "An interval from so few trials is wide, and rests on times being log-normal."
                if trials < stats.ENOUGH_TO_RESAMPLE
                else (
                    f"With {trials} trials a bootstrap interval of the median is little more than"
                    " the range of the trials."
                )
            )
        ),
        f"**{chapter.entries()[1]:,} entries.** "
        + (
            "The sources' own size."
            if chapter.entries()[1] >= 1_000_000
            else (
                "A tenth of the sources' size or less: fixed costs and preallocated files weigh"
                " more, and caches hide more."
            )
        ),
        f"**One machine**, {told['cpu']['model'] or 'of an unknown make'}"
        + (
            ", virtual: what its neighbours do may be in these figures."
            if told["cpu"]["virtual"]
            else "."
        ),
    ]
    if told["filesystem"]["is_tmpfs"]:
        lines.append(
            "**The stores' files were in memory** (tmpfs): no figure involves a disk at all."
        )
    shared = sorted(
        {trial["store"]["name"] for trial in chapter.trials if trial["mode"] == "shared"}
    )
    if shared:
        lines.append(
            f"**A JVM shared between stores** measured {join_words(shared)}: their compiled code"
            f" suits"
            " several stores at once."
        )
    lines += [f"**Warned of before it began:** {warning}." for warning in told["warnings"]]
    return "\n".join(f"- {line}" for line in lines)


def passes(chapter: Chapter) -> str:
    """How many passes a workload had: "three measured passes after one unmeasured pass"."""
    good = chapter.frame[chapter.frame["status"] == "ok"]
    warm, timed = good["warmup_ns"].map(len), good["iteration_ns"].map(len)
    return f"{_passes(timed, 'measured')} after {_passes(warm, 'unmeasured')}"


def _passes(numbers: pd.Series, kind: str) -> str:
    least, most = numbers.min(), numbers.max()
    return (
        count(most, f"{kind} pass", "es") if least == most else f"{least} to {most} {kind} passes"
    )


def steadiness(chapter: Chapter) -> str:
    """Whether passes still became faster or slower while they were measured, as far as the records
    tell.
    """
    good = chapter.frame[chapter.frame["status"] == "ok"]
    drift = pd.Series([times[-1] / times[0] for times in good["iteration_ns"] if len(times) > 1])
    if not len(drift):
        return "With one measured pass a trial, nothing shows whether times had settled."
    return (
        "From the first measured pass to the last, times changed by a factor of"
        f" {number(drift.median())} in the median result, and by a factor between"
        f" {number(drift.quantile(0.05))} and {number(drift.quantile(0.95))} in nine of ten: "
        + (
            "they had settled."
            if 0.95 <= drift.median() <= 1.05
            else "they had not settled everywhere."
        )
    )


def harness(chapter: Chapter) -> Markdown:
    """What the harness itself costs: its own section, in ns an entry."""
    if not chapter.measured:
        return nothing(chapter)
    rows, bare = [], _bare(chapter)
    for each in [case for case in chapter.cases if len(of_case(bare, case))]:
        case = of_case(bare, each).set_index("workload")
        for i, what in enumerate(("median", "95% interval")):
            cells = {
                workload: (number(row["value"]), interval(row))[i]
                for workload, row in case.iterrows()
            }
            rows.append(
                [
                    f"{each.keys}, {each.order}" if i == 0 else "",
                    what,
                    *(cells.get(workload) or MISSING for workload in WORKLOADS),
                ]
            )
    return table(["keys, order", "", *(f">{workload}, ns/entry" for workload in WORKLOADS)], rows)


def _bare(chapter: Chapter) -> pd.DataFrame:
    """The results of the control that is nothing but harness, on its smallest values."""
    bare = chapter.results[chapter.results["store"] == "Memory"]
    return bare[bare["value_bytes"] == bare["value_bytes"].min()]


def harness_cost(chapter: Chapter) -> str:
    """A sentence on a scan without a store, which is all harness."""
    bare = _bare(chapter)
    scans = bare[(bare["workload"] == "readSeq") & (bare["status"] == "ok")]
    if not len(scans):
        return "The harness's own cost could not be measured in this run."
    return (
        f"A scan without any store takes"
        f" {format_range(scans['value'].min(), scans['value'].max())} ns an"
        " entry: so much of every scan in this report is the harness."
    )
