"""What a commit takes by what it survives (S02): stores by tiers, beside the bare device."""

from statistics import median
from typing import Any

import altair as alt
import pandas as pd

from kvreport.analysis.tiers import TIERS
from kvreport.base.text import duration, number
from kvreport.charts.figures import Figure, PanelChart, composed, placeholder, records
from kvreport.charts.palette import colour
from kvreport.charts.tables import MISSING, Table, table
from kvreport.data import crashes
from kvreport.data.crashes import BATCH

BARE = "BareFile"  # the id of what is no store: a file that is appended to
NEVER_TIMED = (
    "No commit was timed in the runs that this report shows: `kvreport commits` does that."
)
WIDTH, SLIM, ROW, NAMES = 200, 190, 18, 104  # of a panel, px


class Prices:
    """What commits took in a run, if any were timed."""

    def __init__(self, run: str | None):
        self.run = run
        found = crashes.read(run) if run else None
        priced = [each for each in found["subjects"] if each.get("price")] if found else []
        self.rows = pd.DataFrame([_row(each) for each in priced if each["price"]["rounds"]])
        self.problems = {
            (each["store"]["name"], each["sync"]): each["price"]["problem"]
            for each in priced
            if each["price"]["problem"]
        }

    @classmethod
    def shown(cls) -> "Prices":
        """Those of the run that the report shows crashes of."""
        return cls(crashes.shown())

    def picture(self, id: str) -> Figure:
        """A panel for each tier: the median commit and, as a line, up to the slowest in a
        thousand.
        """
        if self.rows.empty:
            return placeholder(id, NEVER_TIMED)
        tiers = [each for each in TIERS.values() if each in set(self.rows["tier"])]
        ends = self.rows["p50"].min(), self.rows["p999"].max()
        panels = [self.rows[self.rows["tier"] == each].sort_values("p50") for each in tiers]
        wide, slim = (
            [_panel(rows, f"It survives {rows['tier'].iloc[0]}", width, ends) for rows in panels]
            for width in (WIDTH, SLIM)
        )
        subtitle = (
            f"Time of a transaction of {BATCH} entries and its commit, one thread · dot: median ·"
            " line: to the slowest in a thousand · grey: a file that is appended to · logarithmic"
            f" · run {self.run}"
        )
        return composed(id, self.rows, wide, 2, "", subtitle, slim)

    def table(self) -> Table:
        """The same in numbers, with what is written and waited for."""
        if self.rows.empty:
            return table(["commits"], [[NEVER_TIMED]])
        bare = self.rows[self.rows["store"] == BARE].set_index("tier")["p50"]
        rows = [
            [
                each["name"],
                each["tier"],
                number(each["rate"]),
                *(number(each[end] / 1e3) for end in ("p50", "p99", "p999")),
                number(each["p50"] / bare.get(each["tier"], float("nan"))) or MISSING,
                MISSING if pd.isna(each["syncs"]) else f"{each['syncs']:.2f}",
                MISSING if pd.isna(each["written"]) else f"{each['written']:,.0f}",
            ]
            for each in self.rows.sort_values(["order", "p50"]).to_dict("records")
        ]
        rows += [
            [name, TIERS[sync or "off"], problem, *[MISSING] * 6]
            for (name, sync), problem in self.problems.items()
        ]
        heads = [
            "store",
            "a commit survives",
            ">commits/s",
            ">median, µs",
            ">p99, µs",
            ">p99.9, µs",
        ]
        heads += [">times the bare file", ">syncs a commit", ">bytes written a commit"]
        return table(heads, rows)

    def numbers(self) -> dict[str, Any]:
        """For sentences: how many times as long a commit takes when it is to survive a power cut,
        the quickest store at that, and the bare device.
        """
        if self.rows.empty:
            nothing = dict.fromkeys(("first", "least", "last", "most", "bare"))
            return nothing | {"stores": 0, "times": {}}
        stores = self.rows[self.rows["store"] != BARE]
        safe = stores[stores["tier"] == TIERS["on"]].set_index("name")["p50"]
        other = stores[stores["tier"] == TIERS["os"]].set_index("name")["p50"]
        times = (safe / other).dropna()
        bare = self.rows[(self.rows["store"] == BARE) & (self.rows["tier"] == TIERS["on"])]["p50"]
        return {
            "stores": len(safe),
            "first": safe.idxmin() if len(safe) else None,
            "least": safe.min() if len(safe) else None,
            "last": safe.idxmax() if len(safe) else None,
            "most": safe.max() if len(safe) else None,
            "bare": bare.iloc[0] if len(bare) else None,
            "times": {"median": times.median(), "most": times.max(), "store": times.idxmax()}
            if len(times)
            else {},
        }


def _row(subject: dict) -> dict[str, Any]:
    """Medians over the rounds; times in ns."""
    price, of, sync = subject["price"], subject["store"], subject["sync"] or "off"
    rounds = price["rounds"]

    def middle(*names: str) -> float:
        return median(each[names[0]] / (each[names[1]] if len(names) > 1 else 1) for each in rounds)

    written = [each["written_bytes"] for each in rounds]
    return {
        "store": subject["id"],
        "name": of["name"],
        "tier": TIERS[sync],
        "order": list(TIERS).index(sync),
        "rate": middle("commits", "seconds"),
        "p50": middle("p50_ns"),
        "p99": middle("p99_ns"),
        "p999": middle("p999_ns"),
        "syncs": price["syncs"],
        "written": middle("written_bytes", "commits") if None not in written else float("nan"),
        "colour": colour(subject["id"], of["colour"], of["family"], of["engine"]),
        "median": middle("p50_ns") / 1e3,  # of a picture, in µs
        "slowest": middle("p999_ns") / 1e3,
        "label": duration(middle("p50_ns")),
    }


def _panel(rows: pd.DataFrame, title: str, width: int, ends: tuple[float, float]) -> PanelChart:
    base = alt.Chart(alt.InlineData(values=records(rows))).encode(
        y=alt.Y(
            "name:N",
            scale=alt.Scale(domain=list(rows["name"]), paddingInner=0.1, paddingOuter=0.2),
            title=None,
            axis=alt.Axis(
                domain=False,
                ticks=False,
                minExtent=NAMES,
                maxExtent=NAMES,
                labelLimit=NAMES - 6,
            ),
        ),
        tooltip=[
            alt.Tooltip("name:N", title="store"),
            alt.Tooltip("label:N", title="median commit"),
            alt.Tooltip("p99:Q", title="p99, ns", format=",.3~s"),
            alt.Tooltip("p999:Q", title="p99.9, ns", format=",.3~s"),
            alt.Tooltip("rate:Q", title="commits/s", format=",.3~s"),
        ],
    )
    low, high = ends[0] / 1.3e3, ends[1] * 1.3 / 1e3
    x = alt.X(
        "median:Q",
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(
            title="µs a commit",
            values=[10.0**power for power in range(-2, 8) if low <= 10.0**power <= high],
            format=",~g",
        ),
    )
    return alt.layer(
        base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(x=x, x2="slowest:Q", color=_drawn()),
        base.mark_point(filled=True, size=42, opacity=1).encode(x=x, color=_drawn()),
        base.mark_text(align="left", dx=6, dy=-6, fontSize=9).encode(x=x, text="label:N"),
    ).properties(
        width=width,
        height=ROW * len(rows),
        title=alt.TitleParams(title, frame="bounds", offset=4, fontSize=12),
    )


def _drawn() -> alt.Color:
    return alt.Color("colour:N", scale=None)
