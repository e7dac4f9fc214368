"""What the LmdbJava Benchmarks of 2016 state, test by test, in our words: Tests 1 to 6."""

from kvreport.claims.changes import (
    cursors_beat_keys,
    no_agreement,
    slower_with,
    string_like_int,
)
from kvreport.claims.checks import Claim, Statements, all_of
from kvreport.claims.ranks import READS, at, at_least, best_batch, every, factor, leads
from kvreport.claims.resources import grows, holding, overhead, runs_out, shrinks
from kvreport.data.cases import Case
from kvreport.data.published import JULY, JUNE

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
                10_000_000,
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
