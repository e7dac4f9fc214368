"""The charts that most chapters have: what each workload of a case takes, and what data take on
disk; and the words of their panels and captions.
"""

from collections.abc import Sequence
from math import nan

from kvreport.analysis import stats, terms
from kvreport.base.text import number
from kvreport.charts.bars import Panel, figure
from kvreport.charts.chapter import Chapter
from kvreport.charts.figures import Figure, placeholder
from kvreport.data import published
from kvreport.data.cases import Case

WHAT = {
    "write": "load every entry",
    "bulkLoad": "load in key order, by the loader",
    "readKey": "get by key, value not touched",
    "readKeyWritten": "the same, in the order of writing",
    "readSeq": "step forwards, value not touched",
    "readRev": "step backwards, value not touched",
    "readCrc": "scan, CRC32 of every byte",
    "readXxh64": "scan, XXH64 of every byte",
    "readKeyXxh64": "get by key, XXH64 of every byte",
}
KEYS = {"int": "4-byte int keys", "string": "16-byte string keys"}
SPEED = (
    ("value", "ns/entry", ",.4~g"),
    ("low", "interval from, ns/entry", ",.4~g"),
    ("high", "to, ns/entry", ",.4~g"),
    ("times", "times the flat file", ",.3~g"),
    ("mark", "published in 2016, ns/entry", ",.4~g"),
    ("ms", "ms a pass", ",.4~g"),
    ("gbs", "GB/s", ",.3~g"),
    ("trials", "trials", "d"),
)
SIZE = (
    ("value", "B/entry", ",.1f"),
    ("overhead", "% over the flat array", "+,.1f"),
    ("bytes", "bytes after close", ",d"),
    ("open_bytes", "bytes while open", ",d"),
    ("mark", "published in 2016, B/entry", ",.1f"),
    ("trials", "trials", "d"),
)


def describe(case: Case) -> str:
    """A case in words: "4-byte int keys, random order, 2,026-byte values, writeMap=off, a commit
    survives nothing".
    """
    others = [f"{name}={value}" for name, value in terms.settings_of(case).items()]
    return ", ".join(
        [
            KEYS[case.keys],
            f"{case.order} order",
            f"{case.value_bytes:,}-byte values"
            + (" that compress to half" if case.content == "half" else ""),
            *(each for each in others if not each.startswith("sync=")),
            terms.survives([case]),
        ]
    )


def exhibit_of(id: str) -> str:
    """The exhibit in a caption's words that a figure shows: "E04" for e04-calls; "Beyond" for
    beyond, which is the report's own.
    """
    name = id.split("-")[0]
    return name.upper() if name[-1].isdigit() else name.capitalize()


def panel_title(workload: str) -> str:
    """A workload's name and, of those that the sources have, what it does."""
    return f"{workload} · {WHAT[workload]}" if workload in WHAT else workload


def workloads(chapter: Chapter, id: str, case: Case) -> Figure:
    """A panel for each workload of a case: ns an entry, with intervals over trials. Its title is
    the chapter's.
    """
    exhibit = exhibit_of(id)
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    results, panels = chapter.case(case), []
    then = published.times(published.JULY, chapter.test) if chapter.test in published.TESTS else {}
    for workload in chapter.workloads:
        rows = chapter.plot_rows(results[results["workload"] == workload])
        if rows.empty:  # of other cases of the section
            continue
        was = [
            then.get((store, case, chapter.as_published(store, case, workload)))
            for store in rows["store"]
        ]
        rows = rows.assign(
            label=rows["value"].map(number),
            mark=[one.value if one else nan for one in was],
            times=rows["value"] / rows["baseline"],
            until=rows["value"] * (1 - rows["ending"]),
        )
        panels.append(Panel(panel_title(workload), rows, "ns/entry", SPEED))
    return figure(
        id,
        panels,
        subtitle=f"{chapter.provenance(exhibit, case)}, {describe(case)} · thin line:"
        f" {stats.interval_name(chapter.trial_count)}"
        + (
            " · tick: July 2016"
            if any(panel.rows["mark"].notna().any() for panel in panels)
            else ""
        )
        + ends(panels),
    ).drawn_from({"section": chapter.section} | case._asdict())


def ends(panels: list[Panel]) -> str:
    """How the part after a load's last put is drawn; nothing where none is."""
    logs = {panel.log for panel in panels if panel.ends}
    ways = [way for log, way in ((True, "full colour"), (False, "paler bar")) if log in logs]
    what = (
        "what last commit and close take off"
        if any(panel.most_first for panel in panels)
        else "last commit and close"
    )
    return f" · {' or '.join(ways)} at a load's end: {what}" if ways else ""


def storage(
    chapter: Chapter, id: str, cases: Sequence[Case], was: dict[tuple[str, Case], float]
) -> Figure:
    """A panel for each case: bytes an entry after close; ticks show what a source published, `was`,
    in the same unit by store and case. Its title is the chapter's.
    """
    exhibit = exhibit_of(id)
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    panels = []
    for case in cases:
        rows = chapter.plot_rows(chapter.sizes(case))
        rows = rows.assign(
            label=[
                number(value) + ("" if is_baseline else f" · {overhead:+z.0f}%")
                for value, overhead, is_baseline in zip(
                    rows["value"], rows["overhead"], rows["is_baseline"]
                )
            ],
            mark=[was.get((store, case), nan) for store in rows["store"]],
        )
        panels.append(Panel(f"{KEYS[case.keys]}, {case.order} order", rows, "B/entry", SIZE))
    return figure(
        id,
        panels,
        subtitle=f"{chapter.provenance(exhibit, cases[0])} · {terms.survives(cases)} · tick: the"
        " report of 2016",
    ).drawn_from(*({"section": chapter.section} | case._asdict() for case in cases))
