"""Columns that the charts read of a tidy frame."""

from math import nan

import pandas as pd

from kvreport.charts.palette import colour
from kvreport.data.cases import ACCESS_PATH, BASELINE, CONTROL

GREY = "#6b7280"  # of a store whose family has no colour
STORE = ("store", "name", "family", "engine")  # columns that every chart of stores asks for


def coloured(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the colour of each store, by its family, and whether it is the flat file, a
    further row of its engine (`side`) or a control; controls are left out.
    """
    rows = rows[rows["family"] != CONTROL]
    family, engine = (rows[name].fillna("").astype(str) for name in ("family", "engine"))
    return rows.assign(
        colour=[colour(*each) for each in zip(rows["store"], [GREY] * len(rows), family, engine)],
        is_baseline=family == BASELINE,
        side=family == ACCESS_PATH,
    )


def valued(
    rows: pd.DataFrame,
    value: str,
    low: str | None = None,
    high: str | None = None,
    then: str | None = None,
    ending: str | None = None,
) -> pd.DataFrame:
    """The rows with what a chart draws of each: `value`, `low` and `high` of its interval, `mark`,
    which a source published, and `until`, the value without its ending, a share of it; missing
    where there is none.
    """
    columns = {"value": value, "low": low, "high": high, "mark": then}
    found = {name: rows[of].astype(float) if of in rows else nan for name, of in columns.items()}
    if ending:
        share = rows[ending].where(rows[ending].between(0, 1, "neither")).astype(float)
        found["until"] = found["value"] * (1 - share)
    return rows.assign(**found)


def panels_of(rows: pd.DataFrame, panel: str | None) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each panel, in the order in which they come; one without a name where `panel`
    is None.
    """
    if panel is None:
        return [("", rows)]
    return [(str(name), group) for name, group in rows.groupby(panel, sort=False)]


def ending_in(rows: pd.DataFrame) -> bool:
    """Return whether a value has an ending that is drawn apart."""
    return "until" in rows and bool(rows["until"].notna().any())


def needed(rows: pd.DataFrame, *columns: str | None) -> None:
    """Raises ValueError with the columns that a chart asks for and a frame has not."""
    lacking = [name for name in columns if name is not None and name not in rows]
    if lacking:
        raise ValueError(
            f"the frame has no column {', '.join(lacking)}; it has {', '.join(map(str, rows))}"
        )
