"""What the sources state, test by test, in our words: named claims, each with its check and the
exhibits it is about.
"""

from math import inf

from kvreport.claims.changes import (
    cursors_beat_keys,
    faster_with,
    no_agreement,
    slower_with,
    string_like_int,
)
from kvreport.claims.checks import Check, Claim, Statements, all_of
from kvreport.claims.ranks import READS, at, at_least, best_batch, close, every, factor, leads
from kvreport.claims.resources import busy, grows, holding, overhead, runs_out, shrinks
from kvreport.data.cases import Case, on_page
from kvreport.data.published import JULY, JUNE, LEVELDB

BASE = Case("int", "sequential")
SEQUENTIAL, RANDOM = Case("int", "sequential", 2026), Case("int", "random", 2026)
FOUR, EIGHT, SIXTEEN = (Case("int", "random", size) for size in (4080, 8176, 16368))
LSM = ["LevelDbJni", "RocksDb"]


def setting(**changes: str) -> Case:
    """The case of Test 1 with settings changed."""
    return BASE._replace(settings=", ".join(f"{name}={value}" for name, value in changes.items()))


TEST_1 = Statements(
    (1,),
    (
        Claim(
            "Safe buffers are slower than LmdbJava's optimal ones at every read",
            JULY,
            "@fig-a01",
            leads(at([BASE], READS), "LmdbJavaBb", against="LmdbJavaSafe"),
        ),
        Claim(
            "A load that syncs is slower than one that does not, in every binding",
            JULY,
            "@fig-a02",
            slower_with(BASE, setting(sync="on", metaSync="off")),
        ),
        Claim(
            "The write map makes loads faster, in every binding",
            JULY,
            "@fig-a03",
            slower_with(BASE, setting(writeMap="off")),
        ),
        Claim(
            "Syncing the meta page makes no difference on which the bindings agree",
            JULY,
            "@fig-a04",
            no_agreement(setting(metaSync="off"), setting(metaSync="on")),
        ),
    ),
)

STEPS = [
    (Case("int", "random", size), Case("int", "random", size + 1))
    for size in (2026, 4080, 8176, 16368)
]
LMDB_09 = ["LmdbJavaDb"]  # what the reports measured; 1.0 has another page, and its own section
TEST_2 = Statements(
    (2,),
    (
        Claim(
            "LevelDB and RocksDB grow with their values: a byte more an entry costs less than 1%",
            JULY,
            "@fig-a05",
            grows(LSM, STEPS, lambda factor: factor < 1.01),
        ),
        Claim(
            "LMDB 0.9 takes another page for one byte too many: 20% more or worse at each step",
            JULY,
            "@fig-a05",
            grows(LMDB_09, STEPS, lambda factor: factor > 1.2),
        ),
        Claim(
            "LMDB 0.9 needs more space than a flat array by over 30% at 2,026 bytes and by over"
            " 100% at 2,027",
            JULY,
            "@fig-a05",
            all_of(
                overhead(LMDB_09, lambda over: 30 < over < 40, Case("int", "random", 2026)),
                overhead(LMDB_09, lambda over: over > 100, Case("int", "random", 2027)),
            ),
        ),
        Claim(
            "LMDB 0.9's space degrades above 2,025 bytes: from there to 2,030 bytes by over 40%",
            JUNE,
            "@fig-b01",
            grows(
                LMDB_09,
                [(Case("int", "random", 2025), Case("int", "random", 2030))],
                lambda factor: factor > 1.4,
            ),
        ),
    ),
)

LARGE_LOAD, SMALL_LOAD = Case("int", "sequential", 8176), Case("int", "sequential", 2025)
TEST_3 = Statements(
    (3,),
    (
        Claim(
            "LevelDB loads fastest with all entries in one batch",
            JULY,
            "@fig-a06",
            best_batch("LevelDbJni", "100%", LARGE_LOAD),
        ),
        Claim(
            "RocksDB loads fastest with a tenth of the entries in a batch",
            JULY,
            "@fig-a06",
            best_batch("RocksDb", "10%", LARGE_LOAD),
        ),
        Claim(
            "With 2,025-byte values, too, LevelDB loads the faster the larger the batch",
            JUNE,
            "@fig-b02",
            best_batch("LevelDbJni", "100%", SMALL_LOAD),
        ),
        Claim(
            "With all entries in one batch RocksDB needs more files than a process usually may open"
            " (1,024)",
            JULY,
            "@tbl-a06",
            holding(
                ["RocksDb"],
                (LARGE_LOAD._replace(settings="batch=100%"), "write"),
                lambda files: files > 1024,
            ),
        ),
    ),
)

TEST_4 = Statements(
    (4,),
    (
        Claim(
            "With int keys in sequential order LMDB is the fastest at everything, writing included",
            JULY,
            "@fig-a09",
            leads(every(["int"], ["sequential"]), "LMDB"),
        ),
        Claim(
            "With string keys in sequential order LMDB is the fastest at everything too",
            JULY,
            "@fig-a10",
            leads(every(["string"], ["sequential"]), "LMDB"),
        ),
        Claim(
            "With int keys in random order LMDB is the fastest at everything, even at writing",
            JULY,
            "@fig-a11",
            leads(every(["int"], ["random"]), "LMDB"),
        ),
        Claim(
            "With string keys in random order nothing changes: LMDB is the fastest at everything",
            JULY,
            "@fig-a12",
            leads(every(["string"], ["random"]), "LMDB"),
        ),
        Claim(
            "With int keys in random order LevelDB writes faster than LMDB",
            JUNE,
            "@fig-a11",
            leads([(Case("int", "random"), "write")], "LevelDbJni", against="LMDB"),
        ),
        Claim(
            "LMDB is the fastest at every read workload",
            JULY,
            "@fig-a09 to @fig-a12",
            leads(every(workloads=READS), "LMDB"),
        ),
        Claim(
            "LMDB writes 100-byte values faster than the other stores that keep keys in order",
            JULY,
            "@fig-a09 to @fig-a12",
            leads(every(workloads=["write"]), "LMDB", ordered=True),
        ),
        Claim(
            "A scan with a cursor beats reading by key, in every store and case",
            JULY,
            "@fig-a09 to @fig-a12",
            cursors_beat_keys,
        ),
        Claim(
            "String keys perform as int keys do (within a quarter is taken as such)",
            JULY,
            "@fig-a09 to @fig-a12",
            string_like_int,
        ),
        Claim(
            "LevelDB and RocksDB need less than 3% over a flat array",
            JULY,
            "@tbl-a08",
            overhead(LSM, lambda over: over < 3),
        ),
        Claim(
            "LMDB needs around 65% over a flat array (60 to 70 are taken as such)",
            JULY,
            "@tbl-a08",
            overhead(["LMDB"], lambda over: 60 <= over <= 70),
        ),
        Claim(
            "Xodus takes 4.5 times the flat array (4 to 5 are taken as such)",
            JULY,
            "@tbl-a08",
            overhead(["Xodus"], lambda over: 300 <= over <= 400),
        ),
    ),
)

TEST_5 = Statements(
    (5,),
    (
        Claim(
            "MVStore runs out of memory",
            JULY,
            "@fig-a13",
            runs_out("MvStore", [SEQUENTIAL, RANDOM]),
        ),
        Claim(
            "In sequential order LMDB is the fastest of all, at reading and at writing",
            JULY,
            "@fig-a15",
            leads(at([SEQUENTIAL], ("write", "readKey", "readSeq")), "LMDB"),
        ),
        Claim(
            "In random order LMDB is the fastest at reading",
            JULY,
            "@fig-a16",
            leads(at([RANDOM], ("readKey", "readSeq")), "LMDB"),
        ),
        Claim(
            "In random order RocksDB and LevelDB write faster than LMDB",
            JULY,
            "@fig-a16",
            all_of(*(leads([(RANDOM, "write")], store, against="LMDB") for store in LSM)),
        ),
        Claim(
            "In random order Chronicle Map writes fastest of all, and RocksDB fastest of those that"
            " sort",
            JULY,
            "@fig-a16",
            all_of(
                leads([(RANDOM, "write")], "Chronicle"),
                leads([(RANDOM, "write")], "RocksDb", ordered=True),
            ),
        ),
        Claim(
            "In random order LMDB takes nearly 2.5 times as long to write as RocksDB (2 to 3 are"
            " taken as such)",
            JULY,
            "@fig-a16",
            factor((RANDOM, "write"), "LMDB", "RocksDb", 2, 3),
        ),
        Claim(
            "The pure Java stores that sort write random entries much slower: LMDB, RocksDB and"
            " LevelDB are ahead of MapDB and Xodus",
            JULY,
            "@fig-a16",
            all_of(
                *(
                    leads([(RANDOM, "write")], fast, against=slow)
                    for slow in ("MapDb", "Xodus")
                    for fast in ("LMDB", *LSM)
                )
            ),
        ),
        Claim(
            "Every store's overhead is smaller than with 100-byte values",
            JULY,
            "@tbl-a14",
            shrinks(Case("int", "random"), RANDOM),
        ),
        Claim(
            "LevelDB writes fastest of all in either order",
            JUNE,
            "@tbl-b06, @tbl-b09",
            leads(
                at(
                    [SEQUENTIAL._replace(value_bytes=2025), RANDOM._replace(value_bytes=2025)],
                    ["write"],
                ),
                "LevelDbJni",
            ),
        ),
    ),
)

TEST_6 = Statements(
    (6,),
    (
        Claim(
            "With 4,080-byte values Chronicle Map writes fastest, and of those that sort RocksDB",
            JULY,
            "@fig-a19",
            all_of(
                leads([(FOUR, "write")], "Chronicle"),
                leads([(FOUR, "write")], "RocksDb", ordered=True),
            ),
        ),
        Claim(
            "With 8,176-byte values LMDB writes faster than RocksDB and LevelDB",
            JULY,
            "@fig-a22",
            leads([(EIGHT, "write")], "LMDB", ordered=True),
        ),
        Claim(
            "With 16,368-byte values LMDB's lead at writing grows: RocksDB takes 1.5 times as long"
            " or more",
            JULY,
            "@fig-a25",
            at_least((SIXTEEN, "write"), "RocksDb", "LMDB", 1.5),
        ),
        Claim(
            "LMDB reads fastest at every size",
            JULY,
            "@fig-a19, @fig-a22, @fig-a25",
            leads(at([FOUR, EIGHT, SIXTEEN], ("readKey", "readSeq")), "LMDB"),
        ),
        Claim(
            "No store needs more than 1.1% over a flat array",
            JULY,
            "@tbl-a18, @tbl-a21, @tbl-a24",
            all_of(
                *(
                    overhead(["Chronicle", *LSM, "LMDB"], lambda over: over <= 1.1, case)
                    for case in (FOUR, EIGHT, SIXTEEN)
                )
            ),
        ),
    ),
)

PAGE_STORES = ["LevelDbJni", "Sqlite", "TreeDb"]
ORDERS = ("sequential", "random")
READ_OF = dict(zip(ORDERS, ("readSeq", "readKey")))
PAGE_WRITES = [(on_page(order), "write") for order in ORDERS]


def faster(workload: str, whos: list[str], with_: dict[str, str], than: dict[str, str]) -> Check:
    """On the LevelDB page, stores are faster with one change of the baseline than with another, in
    either order; `workload` is "write" or "read".
    """
    return faster_with(
        whos,
        [
            (
                on_page(order, 100, **with_),
                on_page(order, 100, **than),
                READ_OF[order] if workload == "read" else workload,
            )
            for order in ORDERS
        ],
    )


def gains(
    workload: str,
    who: str,
    low: float,
    high: float,
    change: dict[str, str],
    orders: tuple[str, ...] = ORDERS,
) -> Check:
    """On the LevelDB page, a change of the baseline makes a store so many times as fast, in every
    order.
    """
    checks = []
    for order in orders:
        use = READ_OF[order] if workload == "read" else workload
        changed = on_page(order, 100, **change), use
        checks.append(factor((on_page(order), use), who, who, low, high, than=changed))
    return all_of(*checks)


BATCH, SYNC, OTHER, WRITES, CACHE = (
    {"batch": "1000"},
    {"sync": "on"},
    {"compression": "other"},
    {"memory": "128-writes"},
    {"memory": "128-reads"},
)
ON_EXT4 = on_page("sequential", sync="on", filesystem="ext4")
TEST_7 = Statements(
    (7,),
    (
        Claim(
            "LevelDB writes faster than both SQLite and TreeDB, in either order",
            LEVELDB,
            "@fig-c01",
            all_of(
                *(leads(PAGE_WRITES, "LevelDbJni", against=other) for other in ("Sqlite", "TreeDb"))
            ),
        ),
        Claim(
            "LevelDB scans faster than both SQLite and TreeDB",
            LEVELDB,
            "@fig-c01",
            all_of(
                *(
                    leads([(on_page("sequential"), "readSeq")], "LevelDbJni", against=other)
                    for other in ("Sqlite", "TreeDb")
                )
            ),
        ),
        Claim(
            "TreeDB is the fastest of the three at random reads",
            LEVELDB,
            "@fig-c01",
            all_of(
                *(
                    leads([(on_page("random"), "readKey")], "TreeDb", against=other)
                    for other in ("LevelDbJni", "Sqlite")
                )
            ),
        ),
        Claim(
            "Large values cost LevelDB its lead: SQLite writes 100,000-byte values faster, in"
            " either order",
            LEVELDB,
            "@fig-c05",
            leads(
                [(on_page(order, 100_000), "write") for order in ORDERS],
                "Sqlite",
                against="LevelDbJni",
            ),
        ),
        Claim(
            "LevelDB and SQLite write faster in batches of a thousand",
            LEVELDB,
            "@fig-c07",
            faster("write", ["LevelDbJni", "Sqlite"], BATCH, {}),
        ),
        Claim(
            "In batches LevelDB writes random entries not much slower than sequential ones (a"
            " factor of 4 at most)",
            LEVELDB,
            "@fig-c07",
            factor(
                (on_page("random", 100, **BATCH), "write"),
                "LevelDbJni",
                "LevelDbJni",
                0,
                4,
                than=(on_page("sequential", 100, **BATCH), "write"),
            ),
        ),
        Claim(
            "Synchronous writes are significantly slower in all three (ten times as slow or worse)",
            LEVELDB,
            "@fig-c09",
            all_of(
                *(
                    at_least(
                        (on_page(order, 100, **SYNC), "write"),
                        who,
                        who,
                        10,
                        (on_page(order), "write"),
                    )
                    for who in PAGE_STORES
                    for order in ORDERS
                )
            ),
        ),
        Claim(
            "On ext4 synchronous writes of LevelDB are much slower than on ext3 (twice as slow or"
            " worse)",
            LEVELDB,
            "@tbl-c19",
            at_least(
                (ON_EXT4, "write"),
                "LevelDbJni",
                "LevelDbJni",
                2,
                (on_page("sequential", 100, **SYNC), "write"),
            ),
        ),
        Claim(
            "LevelDB writes faster with compression than without",
            LEVELDB,
            "@fig-c11",
            faster("write", ["LevelDbJni"], {}, OTHER),
        ),
        Claim(
            "TreeDB writes faster without compression than with it",
            LEVELDB,
            "@fig-c11",
            faster("write", ["TreeDb"], OTHER, {}),
        ),
        Claim(
            "With 128 MB SQLite writes about as fast as with 4 MB (within a quarter)",
            LEVELDB,
            "@fig-c13",
            gains("write", "Sqlite", 0.8, 1.25, WRITES),
        ),
        Claim(
            "With 128 MB LevelDB and TreeDB write random entries much faster (1.5 times or more)",
            LEVELDB,
            "@fig-c13",
            all_of(
                *(
                    gains("write", who, 1.5, inf, WRITES, ("random",))
                    for who in ("LevelDbJni", "TreeDb")
                )
            ),
        ),
        Claim(
            "With larger caches all three read faster, in either order",
            LEVELDB,
            "@fig-c15",
            faster("read", PAGE_STORES, CACHE, {}),
        ),
        Claim(
            "TreeDB makes very effective use of a cache that holds everything: it reads random"
            " entries twice as fast or better",
            LEVELDB,
            "@fig-c15",
            gains("read", "TreeDb", 2, inf, CACHE, ("random",)),
        ),
        Claim(
            "LevelDB and TreeDB read a little faster without compression",
            LEVELDB,
            "@fig-c17",
            faster("read", ["LevelDbJni", "TreeDb"], OTHER, {}),
        ),
    ),
)

SIZES = [RANDOM, FOUR, EIGHT, SIXTEEN]
CONCLUSION = Statements(
    (4, 5, 6),
    (
        Claim(
            "LMDB is always the fastest at reading, whatever the size and the order",
            JULY,
            "@sec-test-4, @sec-test-5, @sec-test-6",
            leads(
                [*every(workloads=READS), *at([SEQUENTIAL, *SIZES], ("readKey", "readSeq"))],
                "LMDB",
            ),
        ),
        Claim(
            "Iterating with a cursor is always vastly faster than reading by key, in every store"
            " and at every size",
            JULY,
            "@sec-test-4, @sec-test-5, @sec-test-6",
            cursors_beat_keys,
        ),
        Claim(
            "At 100 bytes LMDB writes faster than the other stores that sort",
            JULY,
            "@fig-a09 to @fig-a12",
            leads(every(workloads=["write"]), "LMDB", ordered=True),
        ),
        Claim(
            "Near 2 KB LMDB writes random entries much slower than RocksDB and LevelDB",
            JULY,
            "@fig-a16, @fig-crossover",
            all_of(*(leads([(RANDOM, "write")], store, against="LMDB") for store in LSM)),
        ),
        Claim(
            "Around 4 KB there is not much between LMDB, LevelDB and RocksDB (a factor of 1.5 at"
            " most)",
            JULY,
            "@fig-a19, @fig-crossover",
            close((FOUR, "write"), ["LMDB", *LSM], 1.5),
        ),
        Claim(
            "From 8 KB on LMDB writes materially faster than RocksDB and LevelDB",
            JULY,
            "@fig-a22, @fig-a25, @fig-crossover",
            leads(at([EIGHT, SIXTEEN], ["write"]), "LMDB", ordered=True),
        ),
        Claim(
            "LMDB works in its caller's thread, while RocksDB and LevelDB keep a second one busy"
            " when they write",
            JULY,
            "@tbl-a16-costs",
            all_of(
                busy(["LMDB"], (RANDOM, "write"), lambda cores: cores < 1.1),
                busy(LSM, (RANDOM, "write"), lambda cores: cores > 1.1),
            ),
        ),
        Claim(
            "LMDB needs two open files only",
            JULY,
            "@tbl-a16-costs",
            holding(["LMDB"], (RANDOM, "write"), lambda files: files <= 2),
        ),
        Claim(
            "RocksDB and LevelDB need many open files (more than 100 are taken as such)",
            JULY,
            "@tbl-a16-costs",
            holding(LSM, (RANDOM, "write"), lambda files: files > 100),
        ),
        Claim(
            "The pure Java stores struggle as the workload grows: MapDB and Xodus write random"
            " 2,026-byte values slower than all native ones",
            JULY,
            "@fig-a16",
            all_of(
                *(
                    leads([(RANDOM, "write")], fast, against=slow)
                    for slow in ("MapDb", "Xodus")
                    for fast in ("LMDB", *LSM)
                )
            ),
        ),
        Claim(
            "Chronicle Map is a good all-round store where order does not matter: at every size it"
            " writes faster than those that sort",
            JULY,
            "@fig-a11, @fig-a16, @fig-crossover",
            leads(at([Case("int", "random"), *SIZES], ["write"]), "Chronicle"),
        ),
        Claim(
            "Every store becomes more space-efficient as values grow",
            JULY,
            "@tbl-a08, @tbl-a14",
            shrinks(Case("int", "random"), RANDOM),
        ),
        Claim(
            "By 4 KB LMDB's overhead is immaterial (at most 1.1%)",
            JULY,
            "@tbl-a18",
            overhead(["LMDB"], lambda over: over <= 1.1, FOUR),
        ),
    ),
)
