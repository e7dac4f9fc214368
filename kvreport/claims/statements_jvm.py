"""What the sources on the JVM's own part state, or plainly show in their tables, as named claims:
the performance comparison and RocksJava's page.
"""

from math import asin, ceil, exp, inf, log, sqrt

from scipy.stats import norm

from kvreport.analysis import model, stats
from kvreport.claims.changes import slower_with
from kvreport.claims.checks import Check, Claim, Statements, all_of
from kvreport.claims.evidence import APART, Evidence, Key, Time, trials_needed
from kvreport.claims.finding import Finding, Verdict, not_measured, passes, takes
from kvreport.claims.pairs import MARGIN_PERCENT
from kvreport.claims.ranks import at, at_least, factor, leads
from kvreport.data.cases import Case
from kvreport.data.published import (
    COMPARISON,
    MAPS_CASE,
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


WARM_UP_SUMMARY = """
the first run is outside the range of the others in {{ outside | length }} of {{ trials }} trials"""
WARM_UP = (
    WARM_UP_SUMMARY
    + """
{%- if outside %} ({{ outside | unique | join_words }}){% endif %}
{%- if takes %} (inconclusive; {{ takes }}){% endif %}
"""
)


def warm_up_is_swamped(evidence: Evidence) -> Finding:
    """In each map's trials, the first run of a total lies within the range of the others; it does
    not where most trials' lies outside.
    """
    runs = evidence.passes.get((MAPS_CASE, "total"), {})
    trials = [
        (evidence.names[store], passes)
        for store, found in runs.items()
        if store in PLAIN
        for passes in found
        if len(passes) > 2
    ]
    if not trials:
        return not_measured(
            "there are no times of single runs" if evidence.times else "there are no figures"
        )
    outside = [
        name for name, passes in trials if not min(passes[1:]) <= passes[0] <= max(passes[1:])
    ]
    if len(outside) > len(trials) / 2:
        verdict = Verdict.FAILS
    else:
        verdict = Verdict.INCONCLUSIVE if outside else Verdict.HOLDS
    needed = [_majority(len(outside) / len(trials))] if verdict is Verdict.INCONCLUSIVE else []
    numbers = {"outside": outside, "trials": len(trials)}
    told = {"takes": takes(needed, "that from a half")}
    return Finding((verdict,), WARM_UP, numbers | told, WARM_UP_SUMMARY)


def _majority(share: float) -> float:
    """How many trials tell a share from a half at model.POWER (Cohen 1988, by arcsines)."""
    apart = 2 * abs(asin(sqrt(share)) - asin(sqrt(0.5)))
    reach = float(norm.ppf((1 + stats.CONFIDENCE) / 2) + norm.ppf(model.POWER))
    return ceil((reach / apart) ** 2) if apart > 1e-9 else inf


BEATEN_SUMMARY = """
{{ maps | each("{{ name }} {{ ns | number }}") | join_words }} ns/entry in all, the fastest load of
a store {{ load.name }} {{ load.ns | number }}"""
BEATEN = BEATEN_SUMMARY + "{% if takes %} (inconclusive; {{ takes }}){% endif %}"


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
        return not_measured()
    best = min(loads, key=lambda time: time.value)
    if not all(time.is_comparable(best) for time in totals):
        return not_measured(APART)

    def row(time: Time) -> dict[str, str | float]:
        return {"name": evidence.names[time.store], "ns": time.value}

    verdicts = tuple(time.is_less(best) for time in totals)
    noisy = [
        trials_needed(time, best)
        for time, verdict in zip(totals, verdicts)
        if verdict is Verdict.INCONCLUSIVE
    ]
    return Finding(
        verdicts,
        BEATEN,
        {
            "maps": [row(time) for time in totals],
            "load": row(best),
            "takes": takes(noisy, MARGIN_PERCENT),
        },
        BEATEN_SUMMARY,
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
            all_of(*(at_least((MAPS_CASE, "total"), "MvMap", plain, 10) for plain in PLAIN)),
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
