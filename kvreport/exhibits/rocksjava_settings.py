"""How RocksDB's sides were set and started (E05): options, and commands that repeat each row."""

from IPython.display import Markdown

from kvreport.base.text import join_words
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.data.runs import labels, results
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.rocksjava import SIDES, Row, all_rows, name
from kvreport.exhibits.tables import MISSING, nothing, table

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
        side: {option["name"]: option for option in told["options"]}
        for side, told in chapter.stores.items()
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
                f"[{option}]({first['link']})",
                first["value"].replace(";", "; "),
                "all"
                if len(who) == len(sides)
                else join_words(name(chapter, side) for side in who),
                first["why"],
                old,
            ]
        )
    return table(["option", "value", "sides", "why", "the source's commands"], rows)


def left_out(chapter: Chapter) -> str:
    """The options of the source's commands that have no row in the table of settings."""
    shown = {
        SOURCES_NAMES.get(option["name"], option["name"])
        for told in chapter.stores.values()
        for option in told["options"]
    }
    return (
        "Of the source's commands, these have no counterpart here: "
        + join_words(
            f"`{option}`" for option in sorted(published.rocksjava_settings().keys() - shown)
        )
        + "."
    )


def commands(chapter: Chapter) -> str:
    """E05: how each row of the table is run by hand, and what the C program was told, from the
    records.
    """
    assert chapter.run is not None, "asked of a chapter without a run"
    profile, lines = chapter.run.environment["profile"], []
    for row in all_rows(chapter):
        case = chapter.case(row.case)
        entries = int(case["entries"].min()) if len(case) else 0
        if not entries:
            continue
        sets = " ".join(f"--set {setting}" for setting in row.case.settings.split(", "))
        lines += [f"**{row.exhibit}**, {row.what}:", "", "```sh"]
        lines += [
            f".venv/bin/jbang jbang/stores/{side}.java {row.workload} --keys {row.case.keys}"
            f" --order {row.case.order} --value-bytes {row.case.value_bytes} --entries {entries}"
            f" --profile {profile} {sets}"
            for side in SIDES
        ]
        lines += ["```", ""]
        lines += [
            f"The C program ran as `{each}`.\n" for each in dict.fromkeys(programs(chapter, row))
        ]
    return "\n".join(lines)


def programs(chapter: Chapter, row: Row) -> list[str]:
    return [
        result["observed"]["command"]
        for trial in chapter.trials
        for case, result in results(trial)
        if Case(**labels(case)) == row.case
        and result["workload"] == row.workload
        and (result.get("observed") or {}).get("command")
    ]
