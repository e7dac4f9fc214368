"""What the sources on the JVM's own part state, or plainly show in their tables, as named claims:
the performance comparison and RocksJava's page.
"""

from math import exp, log

from kvreport.claims.changes import slower_with
from kvreport.claims.checks import Check, Claim, Statements, all_of
from kvreport.claims.evidence import Evidence, Key, Time, trials_needed
from kvreport.claims.finding import Finding, Verdict, not_measured, passes, takes
from kvreport.claims.ranks import at, factor, leads
from kvreport.data.cases import Case
from kvreport.data.published import (
    COMPARISON,
    ROCKSJAVA,
    ROCKSJAVA_BASE,
    ROCKSJAVA_CASES,
    THREADED,
)


def load(threads: int) -> Case:
    """The case of D01 with so many threads."""
    return THREADED._replace(settings=f"threads={threads}")


def faster(store: str, threads: int, than: int) -> Check:
    """A store's load takes less time with so many threads than with so many others."""
    check = slower_with(load(threads), load(than), who=store)

    def named(evidence: Evidence) -> Finding:
        found = check(evidence)
        if found.verdict is Verdict.NOT_MEASURED:
            return found
        return found.after(
            "{{ who }}, {{ threads }} {{ 'thread' if threads == 1 else 'threads' }} against"
            " {{ than }}",
            who=evidence.display_name(store),
            threads=threads,
            than=than,
        )

    return named


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
                    leads(at(map(load, (2, 4, 8, 12)), ["write"]), "MvStore", against=other)
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


def slower_by(exhibit: str, workload: str, least: float, most: float) -> Check:
    """RocksJava's rate is so many percent below the native one."""
    return factor(
        (ROCKSJAVA_CASES[exhibit], workload),
        "RocksJava",
        "RocksC",
        1 / (1 - least / 100),
        1 / (1 - most / 100),
    )


COSTS_SUMMARY = "{{ here | number }} times as long against {{ there | number }} times"
COSTS = COSTS_SUMMARY + "{% if takes %} (inconclusive; {{ takes }}){% endif %}"


def costs_more(key: Key, than: Key) -> Check:
    """RocksJava takes more times as long as native in one case than in another."""

    def check(evidence: Evidence) -> Finding:
        pairs = [_sides(evidence, each) for each in (key, than)]
        if not all(pairs):
            return not_measured()
        here, there = (java.over(native) for java, native in filter(None, pairs))
        if here.has_interval and there.has_interval:
            apart = here.low > there.high or here.high < there.low
        else:
            apart = min(here.n, there.n) == 0  # published: taken as it stands
        verdict = passes(here.value > there.value) if apart else Verdict.INCONCLUSIVE
        half = exp(abs(log(here.value / there.value)) / 2)  # of the way from one to the other
        noisy = [trials_needed(*pair, half) for pair in filter(None, pairs)]
        told = takes(noisy, "them apart") if verdict is Verdict.INCONCLUSIVE else ""
        numbers = {"here": here.value, "there": there.value, "takes": told}
        return Finding((verdict,), COSTS, numbers, COSTS_SUMMARY)

    return check


def _sides(evidence: Evidence, key: Key) -> tuple[Time, Time] | None:
    """RocksJava's time and the native one's; None where either was not measured."""
    java, native = evidence.best(key, "RocksJava"), evidence.best(key, "RocksC")
    return (java, native) if java and native else None


def calls(style: str) -> Case:
    """The case in which one thread reads with a style of calls: "classic", "array", ..."""
    return ROCKSJAVA_BASE._replace(settings=f"load=sequential, calls={style}")


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
