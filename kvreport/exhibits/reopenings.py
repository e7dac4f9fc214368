"""How long a database takes to open after a kill (S06): stores by sizes, beside a closed one."""

from statistics import median
from typing import Any

from kvreport.base.text import duration, number
from kvreport.charts.tables import MISSING, Table, table
from kvreport.data import crashes

NEVER_TIMED = (
    "No recovery was timed in the runs that this report shows: `kvreport recoveries` does that."
)
NOTABLE = 2  # times that an opening takes after a kill, against one after a close


class Reopenings:
    """What openings took in a run, if any were timed."""

    def __init__(self, run: str | None):
        self.run = run
        found = crashes.read(run) if run else None
        subjects = found["subjects"] if found else []
        self.subjects = [each for each in subjects if each.get("reopenings")]

    @classmethod
    def shown(cls) -> "Reopenings":
        """Those of the run that the report shows crashes of."""
        return cls(crashes.shown())

    def numbers(self) -> dict[str, Any]:
        """For sentences, of the largest size: the median store's time after a kill (`middle`, ns),
        who takes longest (`last`, `most`), who takes notably longer than after a close (`slower`).
        """
        largest = max(self.sizes, default=None)
        killed: dict[str, float] = {}
        slower: list[str] = []
        for subject in self.subjects:
            size = _of(subject, largest)
            if size and size["killed"]:
                name = subject["store"]["name"]
                killed[name] = median(size["killed"])
                if killed[name] > NOTABLE * median(size["closed"]):
                    slower.append(name)
        last = max(killed, key=lambda name: killed[name], default=None)
        return {
            "stores": len(killed),
            "entries": largest,
            "middle": median(killed.values()) * 1e9 if killed else None,
            "last": last,
            "most": killed[last] * 1e9 if last else None,
            "slower": sorted(slower, key=str.lower),
        }

    @property
    def sizes(self) -> list[int]:
        """Numbers of entries, ascending."""
        return sorted({size["entries"] for each in self.subjects for size in each["reopenings"]})

    def table(self) -> Table:
        """Medians after a close and after a kill, by size."""
        if not self.subjects:
            return table(["recoveries"], [[NEVER_TIMED]])
        rows = []
        for subject in self.subjects:
            of_sizes = [_of(subject, entries) for entries in self.sizes]
            largest = of_sizes[-1]
            times = MISSING
            if largest and largest["killed"]:
                times = number(median(largest["killed"]) / median(largest["closed"]))
            notes = [one["problem"] for one in of_sizes if one and one["problem"]]
            if any(one and one["recovered"] for one in of_sizes):
                notes.append("by its recovery call")
            rows.append(
                [
                    subject["store"]["name"],
                    *(_seconds(one, "killed") for one in of_sizes),
                    _seconds(largest, "closed"),
                    times,
                    "; ".join(dict.fromkeys(notes)),
                ]
            )
        heads = ["store", *(f">killed, {entries:,} entries" for entries in self.sizes)]
        heads += [f">closed, {self.sizes[-1]:,} entries", ">times", "note"]
        return table(heads, sorted(rows, key=lambda row: str(row[0]).lower()))


def _of(subject: dict, entries: int | None) -> dict | None:
    return next((each for each in subject["reopenings"] if each["entries"] == entries), None)


def _seconds(size: dict | None, end: str) -> str:
    return duration(median(size[end]) * 1e9) if size and size[end] else MISSING
