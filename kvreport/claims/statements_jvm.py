"""What the sources on the JVM's own part state, or plainly show in their tables, as named claims:
the performance comparison and RocksJava's page.
"""

from dataclasses import replace

from kvreport.analysis import stats
from kvreport.analysis.stats import Difference
from kvreport.base.text import join_words, number
from kvreport.claims.checks import (
    APART,
    Check,
    Claim,
    Finding,
    Statements,
    all_of,
    factor,
    leads,
    slower_with,
)
from kvreport.claims.evidence import FAILS, HOLDS, UNKNOWN, Evidence
from kvreport.data.published import (
    COMPARISON,
    MAPS_CASE,
    ROCKSJAVA,
    ROCKSJAVA_BASE,
    ROCKSJAVA_CASES,
    THREADED,
)


def load(threads: int):
    """The case of D01 with so many threads."""
    return THREADED._replace(settings=f"threads={threads}")


def faster(store: str, threads: int, than: int):
    """A store's load takes less time with so many threads than with so many others."""
    check = slower_with(load(threads), load(than), who=store)

    def told(evidence: Evidence) -> Finding:
        found = check(evidence)
        return replace(
            found, why=f"{evidence.display_name(store)}, {than} against {threads}: {found.why}"
        )

    return told


OTHERS = ["MvStore", "LevelDbJava", "MapDb", "Xodus", "RocksDb"]
THREADS = Statements(
    (8,),
    (
        Claim(
            "Plain files, the control group, gain from each doubling of threads up to eight",
            COMPARISON,
            "@fig-d01",
            all_of(*(faster("PlainFiles", 2 * n, n) for n in (1, 2, 4))),
        ),
        Claim(
            "MapDB gains from a second thread, and nothing from more (within a tenth is taken as"
            " such)",
            COMPARISON,
            "@fig-d01",
            all_of(
                faster("MapDb", 2, 1),
                factor((load(12), "write"), "MapDb", "MapDb", 0.9, 1.1, than=(load(2), "write")),
            ),
        ),
        Claim(
            "MVStore gains from a second thread, and nothing from more (within a tenth is taken as"
            " such)",
            COMPARISON,
            "@fig-d01",
            all_of(
                faster("MvStore", 2, 1),
                factor(
                    (load(12), "write"), "MvStore", "MvStore", 0.9, 1.1, than=(load(2), "write")
                ),
            ),
        ),
        Claim(
            "LevelDB in pure Java and Xodus are slower with twelve threads than with one",
            COMPARISON,
            "@fig-d01",
            all_of(faster("LevelDbJava", 1, 12), faster("Xodus", 1, 12)),
        ),
        Claim(
            "Of the stores MVStore is the fastest with two threads or more",
            COMPARISON,
            "@fig-d01",
            all_of(
                *(
                    leads([(load(n), "write") for n in (2, 4, 8, 12)], "MvStore", against=other)
                    for other in OTHERS
                    if other != "MvStore"
                )
            ),
        ),
        Claim(
            "LMDB is slow: with one thread it takes longer than every other store",
            COMPARISON,
            "@fig-d01",
            all_of(*(leads([(load(1), "write")], other, against="LMDB") for other in OTHERS)),
        ),
    ),
)


def warm_up_is_swamped(evidence: Evidence) -> Finding:
    """In each map's trials, the first run of a total lies within the range of the others."""
    runs = evidence.passes.get((MAPS_CASE, "total"), {})
    trials = [
        (evidence.names[store], passes)
        for store, found in runs.items()
        if store in PLAIN
        for passes in found
        if len(passes) > 2
    ]
    if not trials:
        return Finding(UNKNOWN, "not measured run by run" if evidence.times else "not measured")
    out = [name for name, passes in trials if not min(passes[1:]) <= passes[0] <= max(passes[1:])]
    told = (
        f"the first run is outside the range of the others in {len(out)} of {len(trials)} trials"
        + (f" ({join_words(dict.fromkeys(out))})" if out else "")
    )
    return Finding(FAILS if len(out) > len(trials) / 2 else HOLDS if not out else UNKNOWN, told)


def beats_threads(evidence: Evidence) -> Finding:
    """A plain map, filled, serialised and saved by one thread, takes less time in all than any
    store's load with any number of threads.
    """
    loads = [
        time
        for (case, workload), times in evidence.times.items()
        if workload == "write" and case.settings.startswith("threads=")
        for time in times
        if time.store != "PlainFiles"
    ]
    totals = [time for time in evidence.times.get((MAPS_CASE, "total"), []) if time.store in PLAIN]
    if not loads or not totals:
        return Finding(UNKNOWN, "not measured")
    best = min(loads, key=lambda time: time.value)
    if any(time.comparison_group != best.comparison_group for time in totals):
        return Finding(UNKNOWN, APART)
    outcomes = [time.compare(best) for time in totals]
    return Finding(
        FAILS
        if Difference.GREATER in outcomes
        else UNKNOWN
        if Difference.INCONCLUSIVE in outcomes
        else HOLDS,
        f"{join_words(map(evidence.told, totals))}, the fastest load of a store"
        f" {evidence.told(best)}"
        " ns/entry",
    )


PLAIN = ("ScalaMap", "TroveMap")
MAPS = Statements(
    (8, 9),
    (
        Claim(
            "The compiler's warm-up does not matter, as it is swamped by the garbage collector's"
            " jitter: the first run is one like the others",
            COMPARISON,
            "@fig-d02",
            warm_up_is_swamped,
        ),
        Claim(
            "A smallish map needs no database: MVStore takes over ten times as long in all as"
            " either plain map",
            COMPARISON,
            "@tbl-d02",
            all_of(*(factor((MAPS_CASE, "total"), "MvMap", plain, 10, 1e9) for plain in PLAIN)),
        ),
        Claim(
            "Several threads are not the first thing to try: one thread with a plain map is faster"
            " than any store with any number of threads",
            COMPARISON,
            "@tbl-d02, @fig-d01",
            beats_threads,
        ),
    ),
)


def slower_by(exhibit: str, workload: str, least: float, most: float) -> Check:
    """RocksJava's rate is so many percent below the native one."""
    return factor(
        (ROCKSJAVA_CASES[exhibit], workload),
        "RocksJava",
        "RocksC",
        1 / (1 - least / 100),
        1 / (1 - most / 100),
    )


def costs_more(key: tuple, than: tuple) -> Check:
    """RocksJava takes more times as long as native in one case than in another."""

    def check(evidence: Evidence) -> Finding:
        found = [
            [evidence.best(each, side) for side in ("RocksJava", "RocksC")] for each in (key, than)
        ]
        if None in found[0] + found[1]:
            return Finding(UNKNOWN, "not measured")
        (java, native), (other, other_native) = found
        factors = java.value / native.value, other.value / other_native.value
        why = f"{number(factors[0])} times as long against {number(factors[1])} times"
        if not java.values:
            return Finding(HOLDS if factors[0] > factors[1] else FAILS, why)
        first, second = (
            stats.ratio(java.values, native.values),
            stats.ratio(other.values, other_native.values),
        )
        return Finding(
            HOLDS if first.low > second.high else FAILS if first.high < second.low else UNKNOWN, why
        )

    return check


def calls(kind: str):
    """The case in which one thread reads with a kind of calls."""
    return ROCKSJAVA_BASE._replace(settings=f"load=sequential, calls={kind}")


ROCKS = Statements(
    (10,),
    (
        Claim(
            "A bulk load from Java is as fast as from C++, within 1%",
            ROCKSJAVA,
            "@tbl-e01",
            slower_by("E01", "write", -1, 1),
        ),
        Claim(
            "32 random readers are about a tenth slower from Java (5 to 15% are taken as such)",
            ROCKSJAVA,
            "@tbl-e01",
            slower_by("E02", "readKey", 5, 15),
        ),
        Claim(
            "With a writer beside them they are nearly 40% slower (30 to 50% are taken as such)",
            ROCKSJAVA,
            "@tbl-e01",
            slower_by("E03", "readKey", 30, 50),
        ),
        Claim(
            "32 sequential readers are about 70% slower (60 to 80% are taken as such)",
            ROCKSJAVA,
            "@tbl-e01",
            slower_by("E04", "readSeq", 60, 80),
        ),
        Claim(
            "What Java adds shows most where the rate is highest: more in sequential than in random"
            " reads",
            ROCKSJAVA,
            "@tbl-e01",
            costs_more((ROCKSJAVA_CASES["E04"], "readSeq"), (ROCKSJAVA_CASES["E02"], "readKey")),
        ),
        Claim(
            "A better API makes the classic iterator loop faster: with arrays that are used again,"
            " it is",
            ROCKSJAVA,
            "@fig-e04-calls",
            slower_with(calls("array"), calls("classic"), "readSeq", "RocksJava"),
        ),
    ),
)
