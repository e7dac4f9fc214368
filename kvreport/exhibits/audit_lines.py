"""The lines of the audit of version 2026-11-24: its words, and which figures and tests belong to
each.
"""

from kvreport.data.cases import Case
from kvreport.exhibits.audit_figures import (
    IN_ORDER,
    INTS,
    MEDIUM,
    SMALL,
    Line,
    candidates,
    checked,
    ends,
    fastest_rate,
    larger,
    option,
    over,
    processors,
    rates,
    times,
)

DENSE = Case("int", "dense")
LINES = (
    Line(
        "SQLite's load",
        "One statement was executed for each row.",
        "Rows go to batches of 1,000 (`executeBatch`).",
        "@tbl-options",
        (),
        times(SMALL, (INTS, IN_ORDER), "Sqlite", "write"),
    ),
    Line(
        "Caches, RocksDB for one",
        "512 MiB were said to hold the data, which is false from Test 5 on, while mapped stores"
        " have all of the memory.",
        "A cache is twice the data where there is memory for it, and each chart names what a store"
        " may keep.",
        "@tbl-promises, @tbl-options",
        (
            "MemoryHeadroomTest.aCacheHasAQuarterAtMost",
            "test_terms.test_a_chart_names_what_a_commit_survives_and_what_a_store_may_keep",
        ),
        option(MEDIUM, ("block_cache",), "RocksDb"),
    ),
    Line(
        "LevelDB's open files",
        "1,000 tables of 2 MB were kept open, fewer than large data have.",
        "As many as twice the data have tables, for both LevelDBs.",
        "@tbl-options",
        (),
        option(MEDIUM, ("max_open_files",), "LevelDbJni", "LevelDbJava"),
    ),
    Line(
        "Scans and gets that reach a value and do not touch it",
        "They were printed with GB/s, and first places rested on them: a mapped store never loads"
        " what is only reached.",
        "Headlines rest on `readKeyXxh64` and `readXxh64`, which read every byte; what only"
        " reaches has no GB/s and says so.",
        "@tbl-workloads",
        (
            "test_core"
            ".test_a_cells_pass_is_the_median_trials_and_its_bytes_are_of_all_that_it_handled",
        ),
        fastest_rate,
    ),
    Line(
        "The order of gets",
        "Gets followed the order of writing, in which a store's memory lies.",
        "They have an order of their own; the sources' is a workload beside it, `readKeyWritten`.",
        "@fig-a11",
        ("WorkloadsTest.whatIsGotAsItWasWrittenIsGotInThatOrder",),
        over(SMALL, (INTS, "readKey"), (INTS, "readKeyWritten"), "ChronicleMap", "Xodus"),
    ),
    Line(
        "What a load includes",
        "Closing was outside the clock, and so was what stores leave for it.",
        "A load ends with its last commit and its close, which charts draw apart; the longest"
        " here.",
        "@fig-a11, @tbl-promises",
        (
            "WorkloadsTest.aLoadIsTimedFromItsWriterToItsCloseAndInParts",
            "test_core.test_a_loads_ending_is_its_last_commit_and_its_close",
        ),
        ends,
    ),
    Line(
        "A bulk loader for put",
        "Sequential loads used table ingestion (RocksDB) and the data pump (MapDB).",
        "`write` puts, and `bulkLoad` is a workload of its own: put over bulk load.",
        "@fig-a09",
        ("BenchTest.aStoreWithoutALoaderIsMeasuredWithoutIt",),
        over(SMALL, (IN_ORDER, "write"), (IN_ORDER, "bulkLoad"), "RocksDb", "MapDb"),
    ),
    Line(
        "LMDB's get",
        "LmdbJava called `mdb_get`, the other bindings a cursor.",
        "All bindings call `mdb_get`; the cursor is a case of the section that compares them.",
        "@fig-bindings",
        (),
        option(SMALL, ("mdb_get", "MDB_SET_KEY"), "LmdbJavaBb", "LwjglLmdb"),
    ),
    Line(
        "Random keys",
        "The numbers from 0 were shuffled, as in June 2016.",
        "They are distinct numbers of 31 bits, as in July 2016; shuffled ones are named dense."
        " Dense over random.",
        "@fig-a11",
        ("DataTest.randomOrderIsDistinctNumbersOf31Bits",),
        over(SMALL, (DENSE, "write"), (INTS, "write"), "Xodus", "LmdbJavaBb"),
    ),
    Line(
        "Claims about engines",
        "The best of six LMDB bindings stood against one of each other engine.",
        "One binding, named beforehand, stands for LMDB.",
        "@tbl-claims-4",
        ("test_claims.test_one_store_stands_for_an_engine_and_others_only_for_themselves",),
        candidates,
    ),
    Line(
        "Overwrites",
        "They wrote the same bytes again, so that a lost one could not be seen.",
        "Each writes the next generation, and what is read is compared with the newest.",
        "@sec-aged",
        (
            "DataTest.renewedValuesAreOthersUnderTheSameKeys",
            "VerifyingSinkTest.anOldValueIsNoticedWhenValuesWereRenewed",
        ),
    ),
    Line(
        "Latency at a fixed rate",
        "Each store had half its own rate.",
        "A ladder of rates is common to all, up to what a store keeps.",
        "@sec-latency",
        (
            "test_latency"
            ".test_latencies_are_compared_at_rates_common_to_all_up_to_what_a_store_keeps",
        ),
        rates,
    ),
    Line(
        "MVStore with two kilobytes",
        "Its file was several times its data.",
        "It is smaller. Nothing compacts it unasked, so the table shows what it leaves.",
        "@tbl-a14",
        (),
        larger,
    ),
    Line(
        "The order within a trial",
        "Cases and workloads always came in one order, later cases after a comparison byte by"
        " byte, and the cross-check had one case.",
        "Cases are shuffled, the comparison comes last in each case, and the cross-check can have"
        " several cases and families.",
        "@tbl-bias-cases",
        (
            "TrialRunTest.casesAreShuffledAndRecordedInTheSectionsOrder",
            "test_bias.test_the_check_has_a_store_of_every_family_and_cases_of_every_kind",
        ),
        checked,
    ),
    Line(
        "The identity of a machine",
        "It was the processor's model, which hides caches, clock and microcode.",
        "Two that differ in any of these are two machines, and are not compared.",
        "@tbl-machine",
        ("test_measure.test_a_label_does_not_stand_for_two_processors",),
        processors,
    ),
    Line(
        "Sizes of LevelDB and RocksDB in 2016",
        "Today's table files were set beside what are, by their size, logs of 2016.",
        "The chapters on sizes say so.",
        "@sec-test-2",
        (),
    ),
    Line(
        "The public LmdbJava Benchmarks",
        "After their first update, the checksums of their ByteBuffer binding hash no bytes.",
        "Nothing here is set beside those two numbers.",
        "",
        (),
    ),
)
