"""Tables and sentences of the methodology chapter, computed from the run's own records."""

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import stats
from kvreport.analysis.results import of_case
from kvreport.base.text import count, format_range, join_words, number
from kvreport.data import runs
from kvreport.data.cases import CONTROL, WORKLOADS
from kvreport.exhibits.chapter import Chapter, of
from kvreport.exhibits.tables import MISSING, interval, nothing, table

SHOWN_DIGITS = 12  # of a jar's SHA-256; the trial records have it whole


def machine(chapter: Chapter) -> Markdown:
    """What measured: the runs' environment files, as a table with a column for each machine of the
    report, this chapter's first.
    """
    if not chapter.run:
        return nothing(chapter)
    measured = {}
    for each in [chapter, *map(of, runs.shown_sections())]:
        measured.setdefault(each.machine, []).append(each)
    columns = [
        environment_rows(chapters[0].run.environment)
        | {"read-ahead": read_ahead(chapters)}
        | jvm(chapters[0])
        for chapters in measured.values()
    ]
    if len(columns) == 1:
        return table(["what", "value"], [[name, value] for name, value in columns[0].items()])
    columns = [
        {"sections": join_words(sorted({each.section[:2] for each in chapters if each.measured}))}
        | column
        for chapters, column in zip(measured.values(), columns)
    ]
    return table(
        ["what", *(chapters[0].run.environment["host"] for chapters in measured.values())],
        [[name, *(column.get(name, MISSING) for column in columns)] for name in columns[0]],
    )


def read_ahead(chapters: list[Chapter]) -> str:
    """What a machine's device read ahead, and in which sections where that was changed between
    runs.
    """
    sections = {}
    for each in (each for each in chapters if each.measured):
        ahead = each.run.environment.get("read_ahead_kb")
        sections.setdefault("not told" if ahead is None else f"{ahead:,} KiB", set()).add(
            each.section[:2]
        )
    return "; ".join(
        f"{value} in {join_words(sorted(of))}" if len(sections) > 1 else value
        for value, of in sorted(sections.items())
    )


def environment_rows(told: dict) -> dict[str, str]:
    """A run's environment as names and values."""
    cpu, disk, limits = told["cpu"], told["filesystem"], told["limits"]
    kind = {True: "rotating disk", False: "solid state or virtual disk", None: "kind unknown"}[
        disk["rotational"]
    ]
    return {
        "run": f"{told['run']}, started {told['started'].replace('T', ' ').replace('Z', ' UTC')}",
        "profile, seed": f"{told['profile']}, {told['seed']}",
        "project version": (
            f"{told['revision'] or 'not under version control'}, harness"
            f" {told['harness'] or 'without a number'}"
        ),
        "processor": (
            f"{cpu['model'] or 'not told'} ({cpu['architecture']}), "
            f"{count(cpu['cores'], 'core') if cpu['cores'] else 'cores not told'}, "
            f"{cpu['usable_threads']} of {cpu['threads']} hardware threads usable"
        ),
        "processor caches": (
            ", ".join(f"{level} {size}" for level, size in cpu["caches"].items()) or "not told"
        ),
        "SMT, turbo, governor": (
            f"{yes(cpu['smt'])}, {yes(told['turbo'])}, {told['governor'] or 'not told'}"
        ),
        "virtual machine": yes(cpu["virtual"]),
        "memory": (
            f"{told['memory_bytes'] / 1e9:.1f} GB"
            + (
                f", limited to {limits['memory_bytes'] / 1e9:.1f} GB"
                if limits["memory_bytes"]
                else ""
            )
        ),
        "transparent huge pages": told["thp"] or "not told",
        "operating system": f"{told['os']}, {told['kernel']}",
        "file system of the stores": (
            f"{disk['type']} on {disk['device']} ({disk['device_model'] or 'model not told'}, "
            f"{'memory' if disk['is_tmpfs'] else kind})"
        ),
        "write cache": (
            f"{disk['write_cache']}, as the kernel sees it"
            if disk.get("write_cache")
            else "not told"
        ),
        "mount options": (
            disk["options"].replace(",", ", ")
        ),  # so that a narrow column can break them
        "open files allowed": f"{limits['open_files']:,}" if limits["open_files"] else "unlimited",
        "load and use by others before": (
            f"{told['load_before'][0]:.2f} processes over a minute, {told['busy_before']:.0f}% of"
            " the CPUs"
        ),
        "JDK": f"{told['jdk']['name']} {told['jdk']['version']}",
    }


def jvm(chapter: Chapter) -> dict[str, str]:
    """The trials' virtual machines, which should all be alike but for a store's own flags."""
    machines = [trial["jvm"] for trial in chapter.trials if trial["jvm"]]
    if not machines:
        return {}
    return {
        "JVM": join_words(
            sorted(
                {
                    f"{machine['vm']} {machine['version']} ({machine['vendor']})"
                    for machine in machines
                }
            )
        ),
        "heap": (
            format_range(
                *[
                    size(machine["heap_bytes"] for machine in machines) / 2**20
                    for size in (min, max)
                ]
            )
            + " MiB"
        ),
        "garbage collector": join_words(
            sorted({", ".join(machine["gc"]) for machine in machines}), "or"
        ),
    }


def flags() -> str:
    """The flags that the virtual machines of all trials in the report have in common."""
    every = [
        trial["jvm"]["flags"]
        for each in map(of, runs.shown_sections())
        for trial in each.trials
        if trial["jvm"]
    ]
    common = [flag for flag in every[0] if all(flag in flags for flags in every)] if every else []
    return (
        f"Every trial's virtual machine was started with"
        f" {join_words(f'`{flag}`' for flag in common)}."
        if common
        else ""
    )


def yes(flag: bool | None) -> str:
    return {True: "yes", False: "no", None: "not told"}[flag]


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


def _shown(chapter: Chapter) -> dict[str, dict]:
    """What the stores and the limit say of themselves; controls measure the harness."""
    return {store: told for store, told in chapter.stores.items() if told["family"] != CONTROL}


def versions(chapter: Chapter) -> Markdown:
    """Every store's library, engine and jar."""
    if not chapter.trials:
        return nothing(chapter)
    rows = []
    jars = {trial["store"]["id"]: trial["jars"] for trial in chapter.trials if trial["jars"]}
    for store, told in _shown(chapter).items():
        artifact = f"{told['library'].rpartition(':')[2]}-{told['version']}.jar"
        digest = next(
            (
                jar["sha256"][:SHOWN_DIGITS]
                for jar in jars.get(store, [])
                if told["library"] and jar["name"] == artifact
            ),
            MISSING,
        )
        library = f"`{told['library']}:{told['version']}`" if told["library"] else MISSING
        rows.append([told["name"], told["family"], library, told["engine"] or MISSING, digest])
    return table(["store", "kind", "library", "engine", "SHA-256 of its jar"], rows)


def options(chapter: Chapter) -> Markdown:
    """Every option of every store, with the vendor's documentation."""
    if not chapter.trials:
        return nothing(chapter)
    rows = [
        [
            told["name"] if i == 0 else "",
            f"[{option['name']}]({option['link']})",
            option["value"],
            option["why"],
        ]
        for told in _shown(chapter).values()
        for i, option in enumerate(told["options"])
    ]
    return table(["store", "option", "value", "why"], rows)


def settings(chapter: Chapter) -> Markdown:
    """What a case can change of each store's own options."""
    if not chapter.trials:
        return nothing(chapter)
    rows = [
        [told["name"] if i == 0 else "", setting, what]
        for told in _shown(chapter).values()
        for i, (setting, what) in enumerate(
            [
                *told["settings"].items(),
                *((f"{value} only", why) for value, why in told.get("fixed", {}).items()),
            ]
        )
    ]
    return table(["store", "setting", "what it changes"], rows or [[MISSING] * 3])


def adapters(chapter: Chapter) -> str:
    """How each store is used, in a sentence, and what it cannot do."""
    lines = []
    for told in _shown(chapter).values():
        cannot = {}
        for workload, reason in told["unsupported"].items():
            cannot.setdefault(reason, []).append(workload)
        lines.append(
            f"- **{told['name']}**: {told['about']}."
            + "".join(
                f" Not {join_words(sorted(workloads, key=WORKLOADS.index), 'or')}: {reason}."
                for reason, workloads in cannot.items()
            )
        )
    return "\n".join(lines)
