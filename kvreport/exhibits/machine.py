"""What measured: the machines and the virtual machines, from the runs' own records."""

from IPython.display import Markdown

from kvreport.base.text import count, format_range, join_words
from kvreport.data import runs
from kvreport.exhibits.chapter import Chapter, of
from kvreport.exhibits.tables import MISSING, nothing, table


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
