"""What the LevelDB page of 2011 states, in our words."""

from math import inf

from kvreport.claims.changes import faster_with
from kvreport.claims.checks import Check, Claim, Statements, all_of
from kvreport.claims.ranks import at_least, factor, leads
from kvreport.data.cases import on_page
from kvreport.data.published import LEVELDB

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
