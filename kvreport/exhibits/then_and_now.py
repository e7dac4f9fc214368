"""What changed since the report of July 2016."""

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import stats
from kvreport.base.text import number
from kvreport.charts.chapter import Chapter
from kvreport.charts.tables import table
from kvreport.data import published
from kvreport.data.cases import Case
from kvreport.data.published import JULY
from kvreport.exhibits.tables import nothing

COMPARED = ["name", "workload", "case", "now", "then", "ratio"]


def furthest(chapters: list[Chapter], most: int = 25) -> Markdown:
    """What changed most since July 2016: per entry, ours over theirs, furthest from 1 first."""
    rows = compared(chapters)
    if not len(rows):
        return nothing(chapters[0])
    rows = (
        rows.assign(far=[max(ratio, 1 / ratio) for ratio in rows["ratio"]])
        .sort_values("far", ascending=False)
        .head(most)
    )
    return table(
        ["store", "workload", "case", ">now, ns/entry", ">2016, ns/entry", ">now / then, times"],
        [
            [
                row["name"],
                row["workload"],
                str(row["case"]),
                number(row["now"]),
                number(row["then"]),
                number(row["ratio"]),
            ]
            for row in rows.to_dict("records")
        ],
    )


def compared(chapters: list[Chapter]) -> pd.DataFrame:
    """A row for each store, case and workload that both measured: name (of the store), workload,
    case, now and then (ns/entry), ratio (now over then).
    """
    rows = []
    for chapter in (chapter for chapter in chapters if chapter.measured):
        then = published.times(JULY, chapter.test)
        for row in chapter.results[chapter.results["status"] == "ok"].to_dict("records"):
            case = Case(*(row[name] for name in stats.CASE))
            source = chapter.as_published(row["store"], case, row["workload"])
            was = then.get((row["store"], case, source))
            if was:
                rows.append(
                    {
                        "name": chapter.name(row["store"]),
                        "workload": row["workload"],
                        "case": case,
                        "now": row["value"],
                        "then": was.value,
                        "ratio": row["value"] / was.value,
                    }
                )
    return pd.DataFrame(rows, columns=COMPARED)
