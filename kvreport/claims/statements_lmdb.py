"""What the LmdbJava Benchmarks of 2016 state, test by test, in our words: Tests 4 to 6."""

from kvreport.claims.changes import (
    cursors_beat_keys,
    string_like_int,
)
from kvreport.claims.checks import Claim, Statements, all_of
from kvreport.claims.ranks import READS, at, at_least, every, factor, leads
from kvreport.claims.resources import overhead, runs_out, shrinks
from kvreport.data.cases import Case
from kvreport.data.published import JULY, JUNE

SEQUENTIAL, RANDOM = Case("int", "sequential", 2026), Case("int", "random", 2026)
FOUR, EIGHT, SIXTEEN = (Case("int", "random", size) for size in (4080, 8176, 16368))
LSM = ["LevelDbJni", "RocksDb"]

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
            runs_out("MvStore", [SEQUENTIAL, RANDOM], 10_000_000),
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
