"""What the report of July 2016 concluded from all of its tests, in our words."""

from kvreport.claims.changes import cursors_beat_keys
from kvreport.claims.checks import Claim, Statements, all_of
from kvreport.claims.ranks import READS, at, close, every, leads
from kvreport.claims.resources import busy, holding, overhead, shrinks
from kvreport.claims.statements_lmdb import EIGHT, FOUR, LSM, RANDOM, SEQUENTIAL, SIXTEEN
from kvreport.data.cases import Case
from kvreport.data.published import JULY

SIZES = [RANDOM, FOUR, EIGHT, SIXTEEN]
WAITS = "with so few a second thread may work and mostly wait, which CPU time does not tell"
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
            "LMDB keeps no more than one core busy when it writes, as it works in its caller's"
            " thread; RocksDB and LevelDB keep a second one busy (over 1.1 cores are taken as"
            " such)",
            JULY,
            "@tbl-a16-costs",
            all_of(
                busy(["LMDB"], (RANDOM, "write"), lambda cores: cores < 1.1),
                busy(LSM, (RANDOM, "write"), lambda cores: cores > 1.1, WAITS),
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
            holding(LSM, (RANDOM, "write"), lambda files: files > 100, 10_000_000),
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
            leads(at([Case("int", "random"), *SIZES], ["write"]), "Chronicle", ordered=True),
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
