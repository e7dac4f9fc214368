"""What measured: the machines and the virtual machines, from the runs' own records."""

from IPython.display import Markdown

from kvreport.analysis.conditions import ELSEWHERE, STOLEN, worst
from kvreport.base.text import count, format_range, join_words
from kvreport.charts.chapter import Chapter, of
from kvreport.charts.tables import MISSING, table
from kvreport.data import runs
from kvreport.exhibits.tables import nothing

UNKNOWN = "not recorded"
DISKS = {True: "rotating disk", False: "solid state or virtual disk", None: f"kind {UNKNOWN}"}


def table_of(chapter: Chapter) -> Markdown:
    """What measured: the runs' environment files, as a table with a column for each machine of the
    report, this chapter's first.
    """
    if not chapter.run:
        return nothing(chapter)
    measured: dict[tuple[str, str], list[Chapter]] = {}
    for each in [chapter, *map(of, runs.shown_sections())]:
        measured.setdefault(each.machine, []).append(each)
    runs_of = [chapters[0].run for chapters in measured.values()]
    columns = [
        environment(run.environment)
        | {"read-ahead": read_ahead(chapters)}
        | disturbances([trial for each in chapters for trial in each.trials])
        | virtual_machine(chapters[0])
        for run, chapters in zip(runs_of, measured.values())
        if run
    ]
    if len(columns) == 1:
        return table(["what", "value"], [list(each) for each in columns[0].items()], whole=True)
    columns = [
        {"sections": join_words(sorted({each.section[:2] for each in chapters if each.measured}))}
        | column
        for chapters, column in zip(measured.values(), columns)
    ]
    return table(
        ["what", *(run.environment["host"] for run in runs_of if run)],
        [[name, *(column.get(name, MISSING) for column in columns)] for name in columns[0]],
        whole=True,
    )


def read_ahead(chapters: list[Chapter]) -> str:
    """What a machine's device read ahead, and in which sections where that was changed between
    runs.
    """
    sections: dict[str, set[str]] = {}
    for each in chapters:
        if each.run and each.measured:
            ahead = each.run.environment.get("read_ahead_kb")
            value = UNKNOWN if ahead is None else f"{ahead:,} KiB"
            sections.setdefault(value, set()).add(each.section[:2])
    return "; ".join(
        f"{value} in {join_words(sorted(of))}" if len(sections) > 1 else value
        for value, of in sorted(sections.items())
    )


def disturbances(trials: list[dict]) -> dict[str, str]:
    """What other guests and other programs had of the processors' time in the worst of some trials,
    and their clock before and after each, as names and values.
    """
    clocks = [ghz for trial in trials for ghz in trial.get("clock_ghz") or []]
    most = {
        what: UNKNOWN if (share := worst(trials, what)) is None else f"{100 * share:.2g}%"
        for what in (STOLEN, ELSEWHERE)
    }
    return {
        "time stolen by other guests, in the worst trial": most[STOLEN],
        "time used by other programs, in the worst trial": most[ELSEWHERE],
        "clock during trials": (
            f"{format_range(min(clocks), max(clocks))} GHz" if clocks else UNKNOWN
        ),
    }


def environment(recorded: dict) -> dict[str, str]:
    """A run's environment, as its record has it, as names and values."""
    cpu, disk, limits = recorded["cpu"], recorded["filesystem"], recorded["limits"]
    started = recorded["started"].replace("T", " ").replace("Z", " UTC")
    cores = count(cpu["cores"], "core") if cpu["cores"] else f"cores {UNKNOWN}"
    caches = ", ".join(f"{level} {size}" for level, size in cpu["caches"].items())
    limited = limits["memory_bytes"]
    return {
        "run": f"{recorded['run']}, started {started}",
        "profile, seed": f"{recorded['profile']}, {recorded['seed']}",
        "project version": (
            f"{recorded['revision'] or 'not under version control'}, harness"
            f" {recorded['harness'] or 'without a number'}"
        ),
        "processor": (
            f"{cpu['model'] or UNKNOWN} ({cpu['architecture']}), {cores}, "
            f"{cpu['usable_threads']} of {cpu['threads']} hardware threads usable"
        ),
        "family, model, stepping, microcode": ", ".join(
            str(UNKNOWN if (part := cpu.get(name)) is None else part)
            for name in ("family", "model_number", "stepping", "microcode")
        ),
        "clock": f"{cpu['clock_mhz']:,} MHz" if cpu.get("clock_mhz") else UNKNOWN,
        "processor caches": caches or UNKNOWN,
        "SMT, turbo, governor": (
            f"{yes(cpu['smt'])}, {yes(recorded['turbo'])}, {recorded['governor'] or UNKNOWN}"
        ),
        "virtual machine": yes(cpu["virtual"]),
        "memory": f"{recorded['memory_bytes'] / 1e9:.1f} GB"
        + (f", limited to {limited / 1e9:.1f} GB" if limited else ""),
        "transparent huge pages": recorded["thp"] or UNKNOWN,
        "operating system": f"{recorded['os']}, {recorded['kernel']}",
        "file system of the stores": (
            f"{disk['type']} on {disk['device']} ({disk['device_model'] or f'model {UNKNOWN}'}, "
            f"{'memory' if disk['is_tmpfs'] else DISKS[disk['rotational']]})"
        ),
        "write cache": (
            f"{disk['write_cache']}, as the kernel sees it" if disk.get("write_cache") else UNKNOWN
        ),
        # blanks, so that a narrow column can break them
        "mount options": disk["options"].replace(",", ", "),
        "open files allowed": f"{limits['open_files']:,}" if limits["open_files"] else "unlimited",
        "load and use by others before": (
            f"{recorded['load_before'][0]:.2f} processes over a minute,"
            f" {recorded['busy_before']:.0f}% of the CPUs"
        ),
        "JDK": f"{recorded['jdk']['name']} {recorded['jdk']['version']}",
    }


def virtual_machine(chapter: Chapter) -> dict[str, str]:
    """The trials' Java virtual machines, which should all be the same but for a store's own
    flags.
    """
    machines = [trial["jvm"] for trial in chapter.trials if trial["jvm"]]
    if not machines:
        return {}
    names = {f"{each['vm']} {each['version']} ({each['vendor']})" for each in machines}
    heaps = [each["heap_bytes"] / 2**20 for each in machines]
    return {
        "JVM": join_words(sorted(names)),
        "heap": f"{format_range(min(heaps), max(heaps))} MiB",
        "garbage collector": join_words(sorted({", ".join(each["gc"]) for each in machines}), "or"),
    }


def common_flags() -> list[str]:
    """The flags that the virtual machines of all trials in the report have in common."""
    every = [
        trial["jvm"]["flags"]
        for each in map(of, runs.shown_sections())
        for trial in each.trials
        if trial["jvm"]
    ]
    return [flag for flag in every[0] if all(flag in flags for flags in every)] if every else []


def yes(flag: bool | None) -> str:
    """Yes, no, or that it is not recorded."""
    return {True: "yes", False: "no", None: UNKNOWN}[flag]
