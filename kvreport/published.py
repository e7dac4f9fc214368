"""What the source documents published, from data/published: as it stands, and in the units and cases of this report's own trials."""

import functools
from dataclasses import dataclass
from math import nan

import pandas as pd

from kvreport import paths
from kvreport.cases import Case

JULY, JUNE = "2016-07", "2016-06"
NAMES = {JULY: "10 July 2016", JUNE: "30 June 2016"}
TESTS = range(1, 7)  # of the LmdbJava reports
HARDWARE = "2 x Intel Xeon E5-2667 v3, 512 GB, data on tmpfs, Java 8"  # of both reports of 2016
MEAN, ERROR, SIZE = "mean time", "99.9% error of the mean", "size after close"
NS = {"ms/op": 1e6, "s/op": 1e9}
BATCH_TESTS, META_SYNC_TEST = ("A06", "B02"), "A04"  # elsewhere neither is what varies


@dataclass(frozen=True)
class Published:
    """A figure per entry (ns, or bytes) with the interval that its 99.9% error gives; without one it was a single shot."""

    store: str
    system: str
    value: float
    error: float = nan

    @property
    def low(self) -> float:
        return self.value - self.error

    @property
    def high(self) -> float:
        return self.value + self.error


@functools.cache
def read(source: str) -> pd.DataFrame:
    """A file of data/published, a row each; sizes of data are 0 where the source does not say."""
    table = pd.read_csv(paths.PUBLISHED / f"{source}.csv", dtype=str, keep_default_na=False)
    counts = {name: table[name].replace("", "0").astype(int) for name in ("entries", "value_bytes")}
    return table.assign(value=table["value"].astype(float), **counts)


@functools.cache
def times(edition: str, test: int) -> dict[tuple[str, Case, str], Published]:
    """The times that an LmdbJava report measured in one of its tests, in ns an entry, by store, case and workload."""
    rows = _measured(edition, test)
    rows = rows[rows["unit"].isin(NS) & rows["parameter"].isin([MEAN, ERROR])]
    found = {}
    for row in rows.itertuples():
        found.setdefault((row.store_id, _case(row), row.workload), {"system": row.system})[row.parameter] = row.value * NS[row.unit] / row.entries
    return {key: Published(key[0], told["system"], told[MEAN], told.get(ERROR, nan)) for key, told in found.items() if MEAN in told}


@functools.cache
def sizes(edition: str, test: int) -> dict[tuple[str, Case], Published]:
    """The sizes after close that an LmdbJava report measured in one of its tests, in bytes an entry, by store and case."""
    rows = _measured(edition, test)
    rows = rows[(rows["unit"] == "bytes") & rows["parameter"].str.startswith(SIZE)]
    return {(row.store_id, _case(row)): Published(row.store_id, row.system, row.value / row.entries) for row in rows.itertuples()}


def _measured(edition: str, test: int) -> pd.DataFrame:
    """Rows of the raw files of a test, whose names have its number: "out-5.csv"."""
    rows = pd.concat([read(f"lmdbjava-{edition}"), read(f"lmdbjava-{edition}-more")])
    return rows[rows["source"].str.contains(f"/out-{test}[.]") & (rows["store_id"] != "") & (rows["entries"] > 0)]


def _case(row) -> Case:
    """The case in this report's words. What is not varied stands as in all other tests: the write map on, and no sync."""
    settings = {"sync": "on" if row.sync == "true" else "",
                "metaSync": _meta_sync(row),
                "writeMap": "off" if row.writeMap == "false" else "",
                "batch": f"{100 * int(row.batchSize) / row.entries:g}%" if row.exhibit in BATCH_TESTS else ""}
    return Case(row.keys, row.order, row.value_bytes, ", ".join(f"{name}={value}" for name, value in settings.items() if value))


def _meta_sync(row) -> str:
    """What departs from LMDB's default where commits sync, and from the sources' where they do not; both in the test of just that."""
    on = row.metaSync == "true"
    if row.sync == "true":
        return "" if on else "off"
    return "on" if on else "off" if row.exhibit == META_SYNC_TEST else ""
