"""How RocksDB's sides were set and started (E05): options, and commands that repeat each row."""

from IPython.display import Markdown

from kvreport.base.markdown import fenced, link, marked
from kvreport.base.text import join_words
from kvreport.charts.chapter import Chapter
from kvreport.charts.tables import MISSING, table
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.data.runs import labels, results
from kvreport.exhibits.rocksjava import SIDES, Row, all_rows, name
from kvreport.exhibits.tables import nothing

SOURCES_NAMES = {
    "block_cache": "cache_size",
    "filter_policy": "bloom_bits",
    "max_open_files": "open_files",
    "allow_mmap_reads": "mmap_read",
    "disableWAL, sync": "disable_wal",
    "verify_checksums": "verify_checksum",
}  # where RocksDB calls an option otherwise today


def settings(chapter: Chapter) -> Markdown:
    """E05: every option that all sides share, what a side has besides, and what the source had."""
    if not chapter.trials:
        return nothing(chapter)
    sides = {
        side: {option["name"]: option for option in about["options"]}
        for side, about in chapter.stores.items()
    }
    names = dict.fromkeys(option for options in sides.values() for option in options)
    was, rows = published.rocksjava_settings(), []
    for option in names:
        who = [side for side in sides if option in sides[side]]
        first = sides[who[0]][option]
        then = was.get(SOURCES_NAMES.get(option, option), {})
        old = (
            join_words(dict.fromkeys(f"{value:.15g}" for value in then.values()))
            if then
            else MISSING
        )
        rows.append(
            [
                link(option, first["link"]),
                first["value"].replace(";", "; "),
                "all"
                if len(who) == len(sides)
                else join_words(name(chapter, side) for side in who),
                first["why"],
                old,
            ]
        )
    return table(["option", "value", "sides", "why", "the source's commands"], rows)


def left_out(chapter: Chapter) -> list[str]:
    """The options of the source's commands that have no row in the table of settings, by name."""
    shown = {
        SOURCES_NAMES.get(option["name"], option["name"])
        for about in chapter.stores.values()
        for option in about["options"]
    }
    return sorted(published.rocksjava_settings().keys() - shown)


def commands(chapter: Chapter) -> Markdown:
    """E05: a listing for each row of the table, with the command that repeats it by hand for each
    side, and how the C program was started, from the records.
    """
    if chapter.run is None or not chapter.measured:
        return Markdown("*Not measured.*")
    profile, parts = chapter.run.environment["profile"], []
    for row in all_rows(chapter):
        case = chapter.case(row.case)
        entries = int(case["entries"].min()) if len(case) else 0
        if entries:
            sets = " ".join(f"--set {setting}" for setting in row.case.settings.split(", "))
            lines = [
                f".venv/bin/jbang jbang/stores/{side}.java {row.workload} --keys {row.case.keys}"
                f" --order {row.case.order} --value-bytes {row.case.value_bytes} --entries"
                f" {entries} --profile {profile} {sets}"
                for side in SIDES
            ]
            lines += [f"# the C program: {each}" for each in programs(chapter, row)]
            parts.append(f"{marked('**{}**, {}:', row.exhibit, row.what)}\n\n{fenced(lines)}")
    return Markdown("\n\n".join(parts))


def programs(chapter: Chapter, row: Row) -> list[str]:
    """How the C program was started in a row of the table, each way once."""
    found = [
        result["observed"]["command"]
        for trial in chapter.trials
        for case, result in results(trial)
        if Case(**labels(case)) == row.case
        and result["workload"] == row.workload
        and (result.get("observed") or {}).get("command")
    ]
    return list(dict.fromkeys(found))
