"""What changed since the version published before, and how stores' times went over the versions."""

from dataclasses import dataclass
from math import nan
from typing import Any

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import compare, stats
from kvreport.analysis.comparison import Change, Comparison
from kvreport.analysis.results import of_case
from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.base.markdown import prose
from kvreport.base.text import join_words, number
from kvreport.charts.curves import Curves, curves
from kvreport.charts.figures import Figure, placeholder
from kvreport.charts.palette import colour
from kvreport.charts.tables import MISSING, table
from kvreport.data import editions, preceding, versions
from kvreport.data.cases import BASELINE, CONTROL, Case
from kvreport.data.editions import Edition
from kvreport.exhibits.charts import describe
from kvreport.exhibits.tables import interval

MOST = 40  # rows of a table; results.csv has all
KEY_SECTION, KEY_CASE, KEY_WORKLOADS = (
    "04-small-values",
    Case("int", "random"),
    ("write", "readKey", "readSeq"),
)
PANELS, HEIGHT = 3, 62  # in a row; px
HERE = "here"


@dataclass(frozen=True)
class Since:
    """The report against the version before; `problem` says why there is nothing to compare."""

    comparison: Comparison | None
    problem: str = ""

    def counts(self) -> dict[str, Any]:
        """What came out; of a report that is compared with nothing, `problem` alone.

        version                    the one before
        all, slower, faster, same  how many results both have, and became what
        floor_percent              the noise floor
        single                     how many have one trial on a side
        """
        if not self.comparison:
            return {"problem": self.problem}
        rows, verdicts = self.comparison.rows, self.comparison.rows["verdict"]
        return {
            "problem": "",
            "version": self.comparison.first,
            "all": len(rows),
            "slower": int((verdicts == Change.SLOWER).sum()),
            "faster": int((verdicts == Change.FASTER).sum()),
            "same": int((verdicts == Change.SAME).sum()),
            "floor_percent": 100 * (self.comparison.floor - 1),
            "single": int((rows["trials"] < 2).sum()),
        }

    def differences(self) -> Markdown:
        """What became slower or faster, the largest change first."""
        if not self.comparison:
            return table(["no comparison"], [[prose(self.problem)]])
        rows = [
            [
                row["name"],
                row["workload"],
                str(Case(*(row[name] for name in Case._fields))),
                row["verdict"],
                number(row["ratio"]),
                interval(row),
                number(row["first"]),
                number(row["second"]),
            ]
            for row in self.comparison.found.head(MOST).to_dict("records")
        ]
        return table(
            [
                "store",
                "workload",
                "case",
                "",
                ">now / then, times",
                ">95% interval, times",
                ">then, ns/entry",
                ">now, ns/entry",
            ],
            rows or [["none", *[MISSING] * 7]],
        )

    def others(self) -> Markdown:
        """What else is different: machine, JDK, libraries, settings, code."""
        if not self.comparison:
            return table(["no comparison"], [[prose(self.problem)]])
        rows = [[each["what"], each["first"], each["second"]] for each in self.comparison.changes]
        return table(
            ["what", f"in {self.comparison.first}", "here"],
            rows or [["nothing that is recorded", MISSING, MISSING]],
        )


def since() -> Since:
    """The report against the newest published version that is of other measurements."""
    try:
        here = editions.shown()
        before = preceding.earlier(here)
        if not before:
            return Since(
                None,
                "No version of other measurements is published before this one, so there is nothing"
                " to compare it with.",
            )
        older = versions.load(paths.REPORT / before[0])
        if not compare.share_a_machine(older, here):
            return Since(
                None,
                f"Version {older.name}, the one before, was measured on another machine, whose"
                " figures are not compared with those of this one.",
            )
        return Since(compare.compare(older, here))
    except UserError as problem:
        return Since(None, str(problem))


def over_time(id: str) -> Figure:
    """A panel for each store: its key workloads over the versions of this host and profile, in the
    order of their dates, this one last. Its title is the chapter's.
    """
    try:
        line = series(editions.shown())
    except UserError as problem:
        return placeholder(id, str(problem))
    if len(line) < 2:
        return placeholder(
            id, "No other version of this host and profile is published yet: a line needs two."
        )
    rows = pd.concat([_points(at, edition) for at, edition in enumerate(line)])
    if not len(rows):
        return placeholder(id, f"No version has results of {KEY_SECTION} in {KEY_CASE}.")
    ticks = {float(at): edition.name for at, edition in enumerate(line)}
    panels = [
        Curves(str(name), own, "", "ns/entry", ticks, even=True, of="workload", height=HEIGHT)
        for name, own in rows.groupby("panel")
    ]
    hosts, profiles = zip(*sorted(_measured_at(line[-1])))
    return curves(
        id,
        panels,
        subtitle=f"{describe(KEY_CASE)} · {join_words(KEY_WORKLOADS)} · host {join_words(hosts)},"
        f" profile {join_words(profiles)} · lines: 95% intervals over trials",
        columns=PANELS,
    )


def series(here: Edition) -> list[Edition]:
    """The editions whose key section was measured on this host at this profile, oldest first, this
    one last. Of several that have a trial of it in common the last stands for all: what was
    measured once is drawn once.
    """
    published = [versions.load(paths.REPORT / name) for name in reversed(preceding.earlier(here))]
    line = [
        *(edition for edition in published if _measured_at(edition) == _measured_at(here)),
        Edition(HERE, here.rows, here.about),
    ]
    return [
        edition
        for at, edition in enumerate(line)
        if all(_trials(edition).isdisjoint(_trials(later)) for later in line[at + 1 :])
    ]


def _trials(edition: Edition) -> set[tuple]:
    """The trials of the key section, each by its store, its number and when it began."""
    rows = edition.rows[edition.rows["section"] == KEY_SECTION]
    return set(zip(rows["store"], rows["trial"], rows["started"]))


def _measured_at(edition: Edition) -> set[tuple[str, str]]:
    rows = edition.rows[edition.rows["section"] == KEY_SECTION]
    return set(zip(rows["host"], rows["profile"]))


def _points(at: int, edition: Edition) -> pd.DataFrame:
    rows = of_case(edition.rows[edition.rows["section"] == KEY_SECTION], KEY_CASE)
    rows = rows[
        (rows["status"] == "ok")
        & rows["workload"].isin(KEY_WORKLOADS)
        & ~rows["family"].isin([BASELINE, CONTROL])
    ]
    stores = edition.about["stores"]
    return pd.DataFrame(
        [
            {
                "panel": stores[store]["name"],
                "store": workload,
                "name": workload,
                "colour": colour(
                    str(store),
                    stores[store]["colour"],
                    stores[store]["family"],
                    stores[store].get("engine") or "",
                ),
                "x": at,
                "mark": nan,
                **{end: getattr(found, end) for end in ("value", "low", "high")},
            }
            for (store, workload), own in rows.groupby(["store", "workload"])
            for found in [stats.estimate(own["ns_per_entry"])]
        ]
    )
