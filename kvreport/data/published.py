"""What the source documents published, from data/published: as it stands, and in the units and
cases of this report's own trials.
"""

import functools
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import nan
from typing import Any

import pandas as pd

from kvreport.data import published_files
from kvreport.data.cases import WORKLOADS, Case, on_page

JULY, JUNE, LEVELDB = "2016-07", "2016-06", "leveldb-2011"
COMPARISON = "jvm-comparison"
MAPS_CASE = Case("string", "random", 450)  # its plain maps
MAP_IDS = {"scalaHash": "ScalaMap", "THash": "TroveMap", "mvstore": "MvMap"}
MAP_STEPS = {
    "generate": "generate",
    "fill": "fill",
    "serialise": "serialise",
    "write and delete": "save",
    "total": "total",
}
ROCKSJAVA = "rocksjava"
NAMES = {
    JULY: "10 July 2016",
    JUNE: "30 June 2016",
    LEVELDB: "July 2011",
    COMPARISON: "performance comparison",
    ROCKSJAVA: "RocksJava on flash",
}
THREADED, THREADED_ENTRIES = (
    Case("string", "random", 450),
    1_000_000,
)  # what the comparison's threads wrote
ROCKSJAVA_BASE = Case("string", "random", 800)
ROCKSJAVA_CASES = {
    exhibit: ROCKSJAVA_BASE._replace(settings=settings)
    for exhibit, settings in {
        "E01": "load=sequential",
        "E02": "threads=32, load=sequential",
        "E03": "threads=32, load=sequential, writes=10000",
        "E04": "threads=32, load=sequential",
    }.items()
}  # the rows of its Table 1, as this report's cases
ROCKSJAVA_SIDES = {"RocksJava": "RocksJava", "RocksDB C++": "RocksC"}
TESTS, PAGE_TEST = (
    range(1, 7),
    7,
)  # of the LmdbJava reports; where this report retraces the LevelDB page
MEAN, ERROR, SIZE = "mean time", "99.9% error of the mean", "size after close"
NS = {"ms/op": 1e6, "s/op": 1e9}
# Stores that the reports of 2016 loaded by appending where keys come in order (MDB_APPEND,
# putRight), as the benchmarks published with them show; all others put
APPENDED = {"LmdbJavaBb", "LmdbJavaDb", "LmdbJavaSafe", "LmdbJni", "LwjglLmdb", "Xodus"}
# two settings of one binding, which the reports call by one name
NAMED = {"LmdbJavaSafe": "LMDB BB safe"}
BATCH_TESTS, META_SYNC_TEST = ("A06", "B02"), "A04"  # elsewhere neither is what varies
PAGE_CHANGES: dict[str, dict[str, tuple[str, ...]]] = {
    "compression": {"other": ("C11", "C12", "C17", "C18")},
    "memory": {"128-writes": ("C13", "C14"), "128-reads": ("C15", "C16")},
}
RATES = ("ops/s", "entries/s", "writes/s")
RATE = "rate", "rate, in the text"


@dataclass(frozen=True)
class Published:
    """A figure per entry (ns, or bytes) with the interval that its 99.9% error gives; without one
    it was a single shot.
    """

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
    """A file of data/published, a row each; sizes of data are 0 where the source does not say.
    Raises UserError.
    """
    table = published_files.read(source)
    counts = {name: table[name].replace("", "0").astype(int) for name in ("entries", "value_bytes")}
    return table.assign(value=table["value"].astype(float), **counts)


def _rows(table: pd.DataFrame) -> Iterable[Any]:
    """The rows, with a column in each attribute; pandas does not say of which type it is."""
    return table.itertuples()


@functools.cache
def times(edition: str, test: int) -> dict[tuple[str, Case, str], Published]:
    """The times that a source measured in one of its tests, in ns an entry, by store, case and
    workload.

    Tests have the numbers of this report's sections: 1 to 6 of the LmdbJava reports, 8 and 9 the
    comparison's threads and maps, 10 RocksJava's.
    """
    if edition in (COMPARISON, ROCKSJAVA):
        return {
            (COMPARISON, 8): threaded,
            (COMPARISON, 9): mapped,
            (ROCKSJAVA, 10): native_or_not,
        }.get((edition, test), dict)()
    if edition == LEVELDB:
        return (
            {
                (row.store_id, _page_case(row), row.workload): Published(
                    row.store_id, row.system, 1e9 / row.value
                )
                for row in _rows(read(LEVELDB))
                if row.unit in RATES
            }
            if test == PAGE_TEST
            else {}
        )
    rows = _measured(edition, test)
    rows = rows[rows["unit"].isin(NS) & rows["parameter"].isin([MEAN, ERROR])]
    found: dict[tuple[str, Case, str], dict[str, Any]] = {}
    for row in _rows(rows):
        found.setdefault((row.store_id, _case(row), row.workload), {"system": row.system})[
            row.parameter
        ] = row.value * NS[row.unit] / row.entries
    return {
        key: Published(key[0], figures["system"], figures[MEAN], figures.get(ERROR, nan))
        for key, figures in found.items()
        if MEAN in figures
    }


@functools.cache
def sizes(edition: str, test: int) -> dict[tuple[str, Case], Published]:
    """The sizes after close that an LmdbJava report measured in one of its tests, in bytes an
    entry, by store and case.
    """
    if edition in (LEVELDB, COMPARISON, ROCKSJAVA):
        return {}
    rows = _measured(edition, test)
    rows = rows[(rows["unit"] == "bytes") & rows["parameter"].str.startswith(SIZE)]
    return {
        (row.store_id, _case(row)): Published(row.store_id, row.system, row.value / row.entries)
        for row in _rows(rows)
    }


def as_published(store: str, workload: str, there: Collection[str]) -> str:
    """The workload of the reports of 2016 that measured the same as one here, of a case that has
    those of `there`; "" where none did.
    """
    if workload == "readKeyWritten":
        return "readKey"
    if workload == "readKey":
        return "" if "readKeyWritten" in there else workload
    if workload in ("write", "bulkLoad") and "bulkLoad" in there:
        return "write" if (store in APPENDED) == (workload == "bulkLoad") else ""
    return workload if workload in WORKLOADS else ""


def _page_case(row: Any) -> Case:
    """The case in this report's words. Where the page does not say the order it is taken as
    sequential.
    """
    settings = dict(each.split("=") for each in row.settings.split())
    changes = {
        name: value
        for name, values in PAGE_CHANGES.items()
        for value, exhibits in values.items()
        if row.exhibit in exhibits
    }
    changes |= {"sync": "on"} if settings["sync"] == "on" else {}
    changes |= {"batch": settings["batch"]} if "batch" in settings else {}
    changes |= {"filesystem": settings["filesystem"]} if row.exhibit == "C19" else {}
    return on_page(row.order or "sequential", row.value_bytes, **changes)


def threaded() -> dict[tuple[str, Case, str], Published]:
    """D01: what several threads took to write a million entries; the source has seconds."""
    rows = read(COMPARISON)
    rows = rows[rows["exhibit"] == "D01"]
    return {
        (
            row.store_id,
            THREADED._replace(settings=f"threads={row.threads}"),
            row.workload,
        ): Published(row.store_id, row.system, row.value * 1e9 / THREADED_ENTRIES)
        for row in _rows(rows)
    }


def mapped() -> dict[tuple[str, Case, str], Published]:
    """D02 as times, ns an entry: of each map and step the mean of the runs that the comparison
    printed of its ten; generating is no map's.
    """
    rows = read(COMPARISON)
    rows = rows[
        (rows["exhibit"] == "D02") & (rows["parameter"] == "time") & rows["system"].isin(MAP_IDS)
    ]
    means = rows.groupby(["system", "workload"], as_index=False)[["value"]].mean()
    return {
        (MAP_IDS[row.system], MAPS_CASE, MAP_STEPS[row.workload]): Published(
            MAP_IDS[row.system], row.system, row.value * 1e6 / THREADED_ENTRIES
        )
        for row in _rows(means)
    }


def native_or_not() -> dict[tuple[str, Case, str], Published]:
    """The rates of Table 1 of RocksJava on flash as times, ns an operation."""
    rows = read(ROCKSJAVA)
    rates = rows[(rows["parameter"] == "rate") & rows["exhibit"].isin(ROCKSJAVA_CASES)]
    return {
        (ROCKSJAVA_SIDES[row.system], ROCKSJAVA_CASES[row.exhibit], row.workload): Published(
            ROCKSJAVA_SIDES[row.system], row.system, 1e9 / row.value
        )
        for row in _rows(rates)
    }


def _measured(edition: str, test: int) -> pd.DataFrame:
    """Rows of the raw files of a test, whose names have its number: "out-5.csv"."""
    rows = pd.concat([read(f"lmdbjava-{edition}"), read(f"lmdbjava-{edition}-more")])
    return rows[
        rows["source"].str.contains(f"/out-{test}[.]")
        & (rows["store_id"] != "")
        & (rows["entries"] > 0)
    ]


def _case(row: Any) -> Case:
    """The case in this report's words. What is not varied stands as in all other tests: the write
    map on, and no sync.
    """
    settings = {
        "sync": "on" if row.sync == "true" else "",
        "metaSync": _meta_sync(row),
        "writeMap": "off" if row.writeMap == "false" else "",
        "batch": (
            f"{100 * int(row.batchSize) / row.entries:g}%" if row.exhibit in BATCH_TESTS else ""
        ),
    }
    return Case(
        row.keys,
        row.order,
        row.value_bytes,
        ", ".join(f"{name}={value}" for name, value in settings.items() if value),
    )


def _meta_sync(row: Any) -> str:
    """Return what departs from LMDB's default where commits sync, and from the sources' where they
    do not; both in the test of just that.
    """
    on = row.metaSync == "true"
    if row.sync == "true":
        return "" if on else "off"
    return "on" if on else "off" if row.exhibit == META_SYNC_TEST else ""
