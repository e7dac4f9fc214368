"""A run made up for tests of the chapters: every kind of row that a figure or table can meet, with
known numbers.

Times in ns an entry for the workload write of int keys in sequential order; other workloads and
cases scale them.
"""

import contextlib
import json
import math
from pathlib import Path
from types import SimpleNamespace

import pytest
from hdrh.histogram import HdrHistogram

from kvreport.base import paths
from kvreport.data import records
from kvreport.data.cases import CASES, WORKLOADS, Case, on_page
from kvreport.data.needs import FIRST_LOOK
from kvreport.data.trials import COSTS
from kvreport.measure.plan import Plan
from kvreport.measure.schedule import Job

SECTION, HARNESS = "04-small-values", "00-harness"
ENTRIES = 1000
BASE = Case("int", "sequential")
LOAD, THREE = ("write",), ("write", "readKey", "readSeq")
STEPS = ("generate", "fill", "serialise", "save", "total")
BESIDE = ("readKey", "getBesideWriter")  # a writer
COMMITS, OPENINGS = ("commit1", "commit10", "commit100"), ("openClosed", "openKilled")
RANGES = ("readRange", "readRangeBack")
LOOKUPS = ("readKeyXxh64", "readFloor", "readMiss", "readRangeAged", "readRangeCompacted")
DELETES = ("write", "readKeyXxh64", "readXxh64", "churn", "readKeyAged", "readSeqAged", "compact")
COMPRESSED = "compression=default"
SINGLES = ("putService", "putResponse", "getService", "getResponse")
CASES_OF = {  # each section's cases, and their workloads
    SECTION: [(case, WORKLOADS) for case in CASES],
    "01-lmdb-settings": [
        (BASE, WORKLOADS),
        *(
            (BASE._replace(settings=each), LOAD)
            for each in (
                "sync=on",
                "sync=on, metaSync=off",
                "sync=on, writeMap=off",
                "writeMap=off",
                "metaSync=on",
                "metaSync=off",
            )
        ),
    ],
    "02-value-sizes": [
        (Case("int", "random", size), LOAD)
        for size in (2020, 2025, 2026, 2027, 2030, 4080, 4081, 8176, 8177, 16368, 16369)
    ],
    "03-batch-sizes": [
        (Case("int", "sequential", size, f"batch={share}"), LOAD)
        for size in (2025, 8176)
        for share in ("0.1%", "1%", "10%", "100%")
    ],
    "05-medium-values": [(Case("int", order, 2026), THREE) for order in ("sequential", "random")],
    "12-fairness": [(Case("int", "random", 100, each), THREE) for each in ("", "defaults=on")],
    "14-aged": [
        (
            Case("int", "random"),
            ("write", "readKeyXxh64", "readXxh64", "overwrite", "readKeyAged", "readSeqAged"),
        )
    ],
    "19-ranges": [
        *(
            (Case(keys, "random", settings=load + f"range={length}"), workloads)
            for keys, lengths in (("int", (10, 100, 1000)), ("string", (100,)))
            for length in lengths
            for load, workloads in (
                ("", (*RANGES, "multiGet", *(LOOKUPS if length == 100 else ()))),
                ("load=sequential, ", RANGES),
            )
        ),
        (Case("int", "dense"), ("readKeyXxh64", "readMiss")),
    ],
    "20-deletes": [
        (Case("int", "random", 100, f"{COMPRESSED}, rounds=4", "half"), DELETES),
        (Case("int", "sequential", 100, f"{COMPRESSED}, rounds=4", "half"), ("write", "expire")),
    ],
    "16-lmdb-bindings": [
        *(
            (Case(keys, "random"), ("write", "readKeyXxh64", "readSeq", "readXxh64"))
            for keys in ("int", "string")
        ),
        (Case("int", "random", settings="calls=cursor"), ("readKeyXxh64",)),
    ],
    "15-beyond-memory": [(Case("int", "random", 2026), ("write", "readKeyXxh64", "readXxh64"))],
    "13-cold": [(Case("int", "random"), ("readKeyXxh64", "readLukewarm", "readCold"))],
    "11-latency": [
        (Case("int", "random"), ("putService", "getService")),
        (Case("int", "random", settings="rate=1000"), ("putResponse", "getResponse")),
    ],
    "06-large-values": [(Case("int", "random", size), THREE) for size in (4080, 8176, 16368)],
    "07-leveldb-page": [
        (on_page(order, size, **changes), ("write", read))
        for order, read in (("sequential", "readSeq"), ("random", "readKey"))
        for size, changes in (
            (100, {}),
            (100_000, {}),
            (100, {"batch": "1000"}),
            (100, {"sync": "on"}),
            (100, {"compression": "other"}),
            (100, {"memory": "128-writes"}),
            (100, {"memory": "128-reads"}),
        )
    ],
    "10-rocksjava": [
        (Case("string", "random", 800, "load=sequential"), LOAD),
        *(
            (Case("string", "random", 800, f"threads={n}, load=sequential"), ("readKey", "readSeq"))
            for n in (2, 32)
        ),
        *(
            (
                Case("string", "random", 800, f"threads={n}, load=sequential, writes=10000"),
                ("readKey",),
            )
            for n in (2, 32)
        ),
        *(
            (
                Case("string", "random", 800, f"load=sequential, calls={kind}"),
                ("readKey", "readSeq"),
            )
            for kind in ("classic", "array")
        ),
    ],
    FIRST_LOOK: [
        (Case("int", "random"), ("write", "readKeyXxh64", "readXxh64")),
        (BASE, ("bulkLoad", "write")),
    ],
    "09-plain-maps": [(Case("string", "random", 450), STEPS)],
    "22-commits-and-opening": [
        *(
            (Case("string", "random", settings=settings), COMMITS)
            for settings in ("", "sync=os", "sync=os, threads=8", "sync=on", "sync=on, threads=8")
        ),
        *(
            (Case("string", "random", settings=f"sync=os, entries={entries}"), OPENINGS)
            for entries in (100, 1000)
        ),
    ],
    "21-settled": [
        (Case("string", "random", size, settings), (workload,))
        for size in (100, 1000)
        for settings, workload in (
            ("", "putSettled"),
            ("threads=1, writes=10000", "getBesideWriter"),
            ("threads=4, writes=10000", "getBesideWriter"),
        )
    ],
    "08-threads": [(Case("string", "random", 450, f"threads={n}"), LOAD) for n in (1, 2, 4, 8, 12)],
    "18-ycsb": [
        (
            Case("string", "random", 1000, f"sync=os, threads={n}"),
            ("ycsbA", "ycsbB", "ycsbC", "ycsbF", "ycsbD", "ycsbE"),
        )
        for n in (1, 2, 4, 8)
    ],
}
NOISE = (1.0, 1.01, 0.99, 1.02, 0.98)  # of trials 1 to 5: medians stay as stated
STORES = {  # id: name, family, engine, colour, ns an entry, bytes an entry over the flat array
    "FlatFile": ("Flat file", "limit", "memory-mapped file", "#6b7280", 10.0, 0),
    "Memory": ("Memory", "control", "none", "#9ca3af", 2.0, -100),
    "LmdbJavaBb": ("LMDB BB", "B+ tree", "LMDB 0.9.33", "#1d6ec7", 100.0, 65),
    "LmdbJavaSafe": ("LMDB BB safe", "B+ tree", "LMDB 0.9.33", "#5179a6", 130.0, 65),
    "LmdbJavaDb": (
        "LMDB DB",
        "B+ tree",
        "LMDB 0.9.33",
        "#0f8f8c",
        100.5,
        66,
    ),  # a near tie with the one before
    "ChronicleMap": ("Chronicle", "hash table", "Chronicle Map 2026.1", "#2f9e44", 150.0, 12),
    "LevelDbJni": ("LevelDB", "LSM tree", "LevelDB 1.20", "#b5651d", 400.0, 2),
    "RocksDb": ("RocksDB", "LSM tree", "RocksDB 11.8.1", "#d95f02", 300.0, 3),
    "MapDb": (
        "MapDB",
        "B+ tree",
        "MapDB 3.1.0",
        "#b5179e",
        100_000.0,
        20,
    ),  # the extreme: a thousand times the fastest
    "Xodus": ("Xodus", "log-structured tree", "", "#e0457b", 1.0, 0),
}
PAGE = {  # stores of the LevelDB page, in its section of a whole run only
    "Sqlite": ("SQLite", "B+ tree", "SQLite 3", "#7a8b22", 2000.0, 30),
    "TreeDb": ("TreeDB", "B+ tree", "Kyoto Cabinet 1.2", "#8f6a4f", 600.0, 20),
}
FACTORS = {"sync=on": 2, "batch=1000": 0.5, "memory=128-reads": 0.25}  # of a setting, on times
THREADS = {
    "RocksDb": {"threads=2": 2, "threads=4": 2.5},
    "LmdbJavaBb": {"threads=12": 0.5},
}  # times as fast as with one
SIDES = {  # of the section on RocksJava, in the same form
    "RocksJava": ("RocksJava", "side", "RocksDB 11.8.1", "#d95f02", 300.0, 2),
    "RocksC": ("native (C)", "side", "RocksDB 11.8.1", "#5f7f3f", 150.0, 2),
}
MAPS = {  # of the section on plain maps: ns an entry of a total
    "ScalaMap": ("Scala map", "no store", "Scala 2.13.16", "#c0392b", 2000.0, 0),
    "TroveMap": ("Trove map", "no store", "Trove", "#b0563b", 1000.0, 0),
    "MvMap": ("MVStore map", "no store", "MVStore 2.4.240", "#9a54c4", 30_000.0, 0),
}
SIDES_OF = {"10-rocksjava": tuple(SIDES), "09-plain-maps": tuple(MAPS)}
OBSERVED = {"writes_per_second": 9_990.5, "command": "rocks OPTIONS", "grown_bytes": -4096}
LOADS, COMMIT, CLOSE = ("write", "bulkLoad"), 0.05, 0.15  # and shares of a load's time
SERIALISED = {"bytes": 512_600, "gc_ms": [1] * 10}
RUN_FACTORS = {
    step: (3, *[1 + run / 100 for run in range(-4, 5)]) for step in STEPS
}  # of ten runs: the first is slow
TWICE = {
    "LmdbJavaBbAgain": ("LMDB BB again", "control", "LMDB 0.9.33", "#7a8fa6", 101.0, 65)
}  # only in runs that ask for it
UNORDERED = "a hash table keeps no order"
TIMEOUT = "the time limit of 300 s passed"
WRONG = "wrong data: 999 entries came back instead of 1000"
BATCHLESS = "TreeDB has no batches"
CRASH = "the kernel died (exit code 134) during int/random/readRev"


def plan(**fields) -> Plan:
    """Asks for nothing but what is given."""
    return Plan(**dict.fromkeys(Plan.__dataclass_fields__, 0) | {"section": SECTION} | fields)


def job(folder: Path, trials: int, ids: tuple[str, ...], **known) -> Job:
    """A section of so many trials of some stores, none of which is made, in a run of a folder."""
    run = "2026-01-02-lab"
    records.write_record(
        folder / run / records.ENVIRONMENT, ENVIRONMENT | {"run": run}, "environment"
    )
    cases = [
        case | {"workloads": [result["workload"] for result in case["results"]]}
        for case in record(ids[0], 1)["cases"]
    ]
    planned = plan(profile="smoke", trials=trials, cases=cases, stores=["*"])
    stores = {id: {"id": id, "name": id, "code": ""} for id in ids}
    return Job(
        SimpleNamespace(id=SECTION, cells=[], least_rounds=0),
        planned,
        list(ids),
        run,
        {"seed": 1, "harness": 1},
        {"stores": stores, "failed": {}, "timed_path": "", "workloads": {}} | known,
    )


@contextlib.contextmanager
def shown(folder: Path, sections=None):
    """Makes the folder the one that runs are read from, with a made-up run in it: of all sections,
    or of some.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "RUNS", folder)
        patch.delenv("KVREPORT_RUN", raising=False)
        write_run(folder, sections=sections)
        yield


def write_run(
    folder: Path, name: str = "2026-01-02-lab", trials: int = 3, stores=tuple(STORES), sections=None
) -> str:
    """Writes a run of all sections, or of some, into a folder of runs, every store in each. In it
    Xodus always times out, RocksDB crashes once (trial 2), and LevelDB fails one workload of one
    case (readCrc, string, random) every time; Chronicle has no scans.
    """
    records.write_record(
        folder / name / records.ENVIRONMENT, ENVIRONMENT | {"run": name}, "environment"
    )
    for trial in range(1, trials + 1):
        for section in sections or CASES_OF:
            for store in (
                (*SIDES_OF.get(section, stores), *(PAGE if section == "07-leveldb-page" else ()))
                if stores == tuple(STORES)
                else stores
            ):
                records.write_record(
                    records.trial_file(folder / name, section, store, trial),
                    record(store, trial, section),
                    "trial",
                )
        bare = record("Memory", trial) | {"section": HARNESS}
        records.write_record(
            records.trial_file(folder / name, HARNESS, "Memory", trial), bare, "trial"
        )
        whole = bare | {
            "store": bare["store"] | {"id": "MemoryBandwidth", "name": "Memory, every byte"}
        }
        records.write_record(
            records.trial_file(folder / name, HARNESS, "MemoryBandwidth", trial), whole, "trial"
        )
    return name


def change_profile(run: Path, profile: str) -> None:
    """Makes a run one of another profile: in its environment and in every trial."""
    for file in run.rglob("*.json"):
        text = file.read_text()
        file.write_text(text.replace('"profile": "smoke"', f'"profile": "{profile}"'))


def edit(folder: Path, store: str, change, section: str = SECTION):
    """Changes every recorded trial of a store, or of all ("*"): change(case, trial)."""
    for file in folder.glob(f"*/{section}/{store}-*.json"):
        record = json.loads(file.read_text())
        for case in record["cases"]:
            change(case, record["trial"])
        records.write_record(file, record, "trial")


def record(store: str, trial: int, section: str = SECTION) -> dict:
    name, family, engine, colour, ns, over = (STORES | PAGE | SIDES | MAPS | TWICE)[store]
    cannot = (
        dict.fromkeys(("readSeq", "readRev", "readCrc", "readXxh64", *RANGES), UNORDERED)
        if store == "ChronicleMap"
        else {}
    )
    cases = (
        []
        if store == "Xodus"
        else [case(store, trial, *each, cannot) for each in CASES_OF[section]]
    )
    reason = TIMEOUT if store == "Xodus" else f"readCrc: {WRONG}" if store == "LevelDbJni" else None
    if store == "RocksDb" and trial == 2:
        cases, reason = cases[:1], CRASH
    told = {
        "id": store,
        "name": name,
        "family": family,
        "colour": colour,
        "library": "" if family in ("control", "limit") else f"org.example:{store.lower()}",
        "version": "1.0",
        "engine": engine,
        "about": f"how {name} is used",
        "unsupported": cannot,
        "options": [
            {
                "name": "sync",
                "value": "off | never",
                "why": "durability is off",
                "link": "https://example.org/sync",
            }
        ],
        "settings": {"compression": "on by default: Snappy"} if store == "LevelDbJni" else {},
        "fixed": {},
        "code": "",
    }
    return {
        "format": 4,
        "section": section,
        "trial": trial,
        "position": 0,
        "mode": "isolated",
        "profile": "smoke",
        "seed": 1,
        "started": "2026-01-02T03:04:05Z",
        "seconds": 1.0,
        "status": "failed" if reason else "ok",
        "reason": reason,
        "store": told,
        "jars": [{"name": f"{store.lower()}-1.0.jar", "sha256": "ab" * 32}],
        "jvm": {
            "version": "17",
            "vm": "VM",
            "vendor": "V",
            "flags": ["-Xmx2g"],
            "heap_bytes": 2**31,
            "gc": ["G1"],
        },
        "harness": 1,
        "code": "",
        "output": [],
        "cases": cases,
    }


SETTLE = {
    "quiet_seconds": 0.5,
    "close_seconds": 0.1,
    "cpu_user_ns": 1,
    "cpu_system_ns": 1,
    "os_read_bytes": 0,
    "os_written_bytes": 4096,
}


def over_time(ns: float) -> dict:
    """Puts of a second, of which the second window has none."""
    counts = [math.ceil(1e8 / ns), 0, *[math.ceil(1e8 / ns)] * 8]
    seen = {"window_ms": 100, "counts": counts, "longest_ns": 150_000_000, "inserted": 500}
    return {"over_time": seen | {"debt": SETTLE}}


def case(store: str, trial: int, of: Case, workloads: tuple[str, ...], cannot: dict) -> dict:
    ns, over = (STORES | PAGE | SIDES | MAPS | TWICE)[store][4:]
    ns *= 0.8 if "calls=array" in of.settings else 1
    ns /= THREADS.get(store, {}).get(of.settings, 1)
    ns *= (
        NOISE[trial - 1] * (1.5 if of.keys == "string" else 1) * (3 if of.order == "random" else 1)
    )
    ns *= math.prod(factor for setting, factor in FACTORS.items() if setting in of.settings)
    ns *= 1.5 if "defaults" in of.settings and store == "RocksDb" else 1
    settings = dict(each.split("=") for each in of.settings.split(", ") if each)
    results = []
    cannot = (
        dict.fromkeys(workloads, BATCHLESS)
        if store == "TreeDb" and "batch=1000" in of.settings
        else cannot
    )
    closed = ENTRIES * (of.flat + over)
    rounds = [
        {"delete_ns": 500 * turn, "write_ns": 900 * turn, "closed_bytes": closed * turn // 2}
        | {"open_bytes": closed * turn}
        for turn in range(2, 6)
    ]
    observed = {"churn": {"rounds": rounds}, "expire": {"rounds": rounds}}
    observed |= {"compact": {"bytes": closed // 2}}
    for workload in workloads:
        failed = (
            WRONG
            if store == "LevelDbJni"
            and (workload, of.keys, of.order) == ("readCrc", "string", "random")
            else None
        )
        status = "na" if workload in cannot else "failed" if failed else "ok"
        timed = "readKey" if workload == "readKeyXxh64" else workload
        handled = ENTRIES * (
            int(settings.get("threads", 1)) if workload == "readSeq" else 1
        )  # each thread scans all
        at = (
            [*WORKLOADS, *reversed(STEPS)].index(timed) % len(WORKLOADS) + 1
            if timed in WORKLOADS + STEPS
            else 1
        )
        times = (
            [
                math.floor(ns * handled / at * factor)
                for factor in RUN_FACTORS.get(workload, (1.5, 1, 0.9))
            ]
            if status == "ok"
            else []
        )
        results.append(
            {
                "workload": workload,
                "status": status,
                "reason": cannot.get(workload) or failed,
                "warmup_ns": [],
                "iteration_ns": times,
                "entries": handled,
                "user_bytes": handled * of.flat,
                "observed": (
                    OBSERVED
                    if "writes=" in of.settings
                    else over_time(ns)
                    if workload == "putSettled" and times
                    else SERIALISED
                    if workload in STEPS
                    else {
                        "commit_ns": [math.floor(each * COMMIT) for each in times],
                        "close_ns": [math.floor(each * CLOSE) for each in times],
                    }
                    if workload in LOADS and times
                    else observed.get(workload)
                    if status == "ok"
                    else None
                ),
            }
            | dict.fromkeys(COSTS, 7 if status == "ok" else None)
            | {"peak_rss_bytes": 2**31 + 700_000_000 if status == "ok" else None}
            | (
                {"singles": singles(ns, workload)}
                if (
                    workload in (*SINGLES, *COMMITS)
                    or (workload in BESIDE and "writes=" in of.settings)
                )
                and status == "ok"
                else {}
            )
        )
    return {
        "keys": of.keys,
        "order": of.order,
        "content": of.content,
        "settings": settings,
        "entries": ENTRIES,
        "key_bytes": of.key_bytes,
        "value_bytes": of.value_bytes,
        "flat_bytes": ENTRIES * of.flat,
        "settle": SETTLE,
        "space": {
            "open_bytes": closed + 4096,
            "closed_bytes": closed,
            "aged_bytes": 2 * closed if "overwrite" in workloads else None,
        },
        "results": results,
    }


def singles(ns: float, workload: str) -> dict:
    """A hundred thousand operations: all alike in a closed loop; in an open one, one in a hundred
    waits fifty times as long.
    """
    late = 1000 if workload.endswith("Response") else 0
    times = HdrHistogram(1, 3_600_000_000_000, 2)
    times.record_value(math.floor(ns), 100_000 - late)
    if late:
        times.record_value(math.floor(ns) * 50, late)
    return {
        "per_second": 1000.0 if late else None,
        "count": 100_000,
        "max_ns": math.floor(ns) * (50 if late else 1),
        "counts": times.encode().decode(),
    }


ENVIRONMENT = {
    "format": 2,
    "host": "lab",
    "started": "2026-01-02T03:04:05Z",
    "profile": "smoke",
    "seed": 1,
    "harness": 1,
    "revision": None,
    "cpu": {
        "model": "CPU",
        "architecture": "x",
        "cores": 1,
        "threads": 2,
        "usable_threads": 2,
        "smt": None,
        "virtual": True,
        "caches": {"L3": "32M"},
    },
    "memory_bytes": 8 * 10**9,
    "kernel": "k",
    "os": "o",
    "thp": None,
    "governor": None,
    "turbo": None,
    "filesystem": {
        "type": "tmpfs",
        "device": "d",
        "device_model": None,
        "rotational": None,
        "mount": "/",
        "options": "rw",
        "is_tmpfs": True,
    },
    "limits": {"open_files": None, "memory_bytes": None},
    "jdk": {"version": "17", "name": "JDK"},
    "load_before": [0, 0, 0],
    "busy_before": 0,
    "warnings": ["other programs use 20% of the CPUs: end them"],
}
