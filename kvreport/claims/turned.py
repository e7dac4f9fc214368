"""Verdicts that turned since a version was published, each with its cause.

Three things may have changed between the verdict that a version printed and today's: how statements
are judged, on which terms stores are measured, and everything else (machine, libraries, how many
trials). The version's own records, judged as today, tell the first from the rest. For the second,
each term that changed is taken back in today's records, one at a time: where that alone gives the
verdict of then again, that term is the cause.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from kvreport.analysis.results import SectionResults
from kvreport.claims import statements, statements_jvm
from kvreport.claims.checks import Claim, Statements
from kvreport.claims.evidence import Evidence, measured, merged
from kvreport.claims.finding import Finding, Verdict
from kvreport.data import harness
from kvreport.data.runs import Run


@dataclass(frozen=True)
class Test:
    """A test of the sources: its name, statements, the sections that these are checked on, and the
    label of the table that has them.
    """

    name: str
    statements: Statements
    sections: tuple[str, ...]
    label: str


SMALL, MEDIUM, LARGE = "04-small-values", "05-medium-values", "06-large-values"
REWORDED = {  # statements of today by what the version said in their place
    "LMDB keeps no more than one core busy when it writes, as it works in its caller's thread;"
    " RocksDB and LevelDB keep a second one busy (over 1.1 cores are taken as such)": (
        "LMDB works in its caller's thread, while RocksDB and LevelDB keep a second one busy when"
        " they write"
    ),
}
TESTS = (
    Test("LMDB's settings", statements.TEST_1, ("01-lmdb-settings",), "tbl-claims-1"),
    Test("Sizes of values", statements.TEST_2, ("02-value-sizes",), "tbl-claims-2"),
    Test("Batches", statements.TEST_3, ("03-batch-sizes",), "tbl-claims-3"),
    Test("100 bytes", statements.TEST_4, (SMALL,), "tbl-claims-4"),
    Test("2,026 bytes", statements.TEST_5, (SMALL, MEDIUM), "tbl-claims-5"),
    Test("4 to 16 KB", statements.TEST_6, (LARGE,), "tbl-claims-6"),
    Test("The LevelDB page", statements.TEST_7, ("07-leveldb-page",), "tbl-claims-7"),
    Test("Conclusion", statements.CONCLUSION, (SMALL, MEDIUM, LARGE), "tbl-a26"),
    Test("Threads", statements_jvm.THREADS, ("08-threads",), "tbl-claims-8"),
    Test("Plain maps", statements_jvm.MAPS, ("08-threads", "09-plain-maps"), "tbl-claims-9"),
    Test("RocksJava", statements_jvm.ROCKS, ("10-rocksjava",), "tbl-claims-10"),
)
IN_THOSE_WORDS = {"cannot tell": Verdict.INCONCLUSIVE}  # of versions before verdicts had a scale


class Cause(StrEnum):
    """Why a verdict turned."""

    JUDGED = "statements are judged otherwise"
    STORES = "stores that were not measured then"
    ENDING = "a load's time now has its last commit and the closing"
    GETS = "gets now have an order of their own"
    KEYS = "random keys are now sparse"
    PUTS = "a load in key order now puts, and does not append"
    TOGETHER = "these terms together"
    NOISE = "too noisy then, or now"
    REST = "machine, libraries and settings, or terms that cannot be taken back"
    UNKNOWN = "not known, as the version's records are not here"


@dataclass(frozen=True)
class Turned:
    """A statement whose verdict turned.

    test       of the sources, and `label`, of the table that has it
    published  the verdict that the version printed, in its words
    then, now  what its records, judged as today, and today's come to; no `then` where its records
               are not here
    causes     why, the likeliest first
    """

    test: str
    label: str
    claim: Claim
    published: str
    then: Finding | None
    now: Finding
    causes: tuple[Cause, ...]


Sections = Mapping[str, SectionResults]


def turned(
    published: Mapping[str, Mapping[str, str]], before: Sections, here: Sections
) -> list[Turned]:
    """The statements whose verdict is another than the version's, of tests whose sections were all
    measured on equal terms since.

    published     verdicts as data.published_verdicts has them
    before, here  the sections as the version and as the report have them
    """
    found = []
    for test in comparable(here):
        then = [before[name] for name in test.sections if name in before]
        now = [here[name] for name in test.sections]
        words = {_plain(says): verdict for says, verdict in published.get(test.label, {}).items()}
        evidence = _Counterfactual(then, now)
        for claim in test.statements.claims:
            was = words.get(as_published(claim))
            finding = claim.check(evidence.of(()))
            if was is not None and verdict_of(was) is not finding.verdict:
                old = claim.check(evidence.then) if len(then) == len(test.sections) else None
                causes = _causes(claim, verdict_of(was), old, finding, evidence)
                found.append(Turned(test.name, test.label, claim, was, old, finding, causes))
    return found


def comparable(here: Sections) -> list[Test]:
    """The tests whose sections were all measured on equal terms."""
    return [test for test in TESTS if all(_is_equal(here.get(name)) for name in test.sections)]


def _is_equal(section: SectionResults | None) -> bool:
    if section is None or not section.measured or section.run is None:
        return False
    return (section.run.environment["harness"] or 0) >= harness.EQUAL_TERMS


def verdict_of(words: str) -> Verdict | None:
    """A verdict that a version printed, with or without its share: "mostly holds (87 of 93)"."""
    name = words.partition(" (")[0]
    known = IN_THOSE_WORDS | {str(verdict): verdict for verdict in Verdict}
    return known.get(name)


def as_published(claim: Claim) -> str:
    """A statement as the version words it."""
    today = _plain(claim.says)
    return REWORDED.get(today, today)


def _plain(says: str) -> str:
    """A statement without what a page makes of its quotes and code."""
    return says.replace("’", "'").replace("`", "")


def _causes(
    claim: Claim,
    published: Verdict | None,
    then: Finding | None,
    now: Finding,
    evidence: "_Counterfactual",
) -> tuple[Cause, ...]:
    if then is None:
        return (Cause.UNKNOWN,)
    causes = [Cause.JUDGED] if then.verdict is not published else []
    if then.verdict is now.verdict:
        return tuple(causes)
    if Verdict.INCONCLUSIVE in (then.verdict, now.verdict):
        causes.append(Cause.NOISE)

    def is_as_then(terms: Iterable[Cause]) -> bool:
        return claim.check(evidence.of(tuple(terms))).verdict is then.verdict

    single = [term for term in TAKEN_BACK if is_as_then([term])]
    if single:
        return (*causes, *single)
    if is_as_then(TAKEN_BACK):
        return (*causes, Cause.TOGETHER)
    return tuple(causes) if Cause.NOISE in causes else (*causes, Cause.REST)


class _Counterfactual:
    """The evidence of then, and of now with some terms taken back."""

    def __init__(self, then: list[SectionResults], now: list[SectionResults]):
        self._now = now
        self._made: dict[tuple[Cause, ...], Evidence] = {}
        self._stores = {section.section: set(section.stores) for section in then}
        self.then = merged(measured(section) for section in then)

    def of(self, terms: tuple[Cause, ...]) -> Evidence:
        """The evidence of now without these terms."""
        if terms not in self._made:
            sections = self._now
            for term in terms:
                sections = [self._without(term, section) for section in sections]
            self._made[terms] = merged(measured(each) for each in sections if each.measured)
        return self._made[terms]

    def _without(self, term: Cause, section: SectionResults) -> SectionResults:
        assert section.run is not None, "what is not measured has no evidence"
        trials = section.trials
        if term is Cause.STORES:
            known = self._stores.get(section.section, set())
            trials = [trial for trial in trials if trial["store"]["id"] in known]
        else:
            trials = [TAKEN_BACK[term](trial) for trial in trials]
        return SectionResults(
            section.section, Run(section.run.name, section.run.environment, trials)
        )


def _without_ending(trial: dict) -> dict:
    """A trial whose loads took no longer than their puts."""

    def cut(result: dict) -> dict:
        observed = result.get("observed") or {}
        closes = observed.get("close_ns") or []
        commits = observed.get("commit_ns") or [0] * len(closes)
        if not closes or not len(closes) == len(commits) == len(result["iteration_ns"]):
            return result
        times = zip(result["iteration_ns"], commits, closes)
        return result | {"iteration_ns": [max(1, ns - end - close) for ns, end, close in times]}

    return _with_results(trial, lambda case: [cut(result) for result in case["results"]])


def _instead(of: str, other: str) -> Callable[[dict], dict]:
    """Takes one workload's results for another's, in the cases that have both."""

    def swapped(case: dict) -> list[dict]:
        results = case["results"]
        if not {of, other} <= {result["workload"] for result in results}:
            return results
        return [
            result | {"workload": of} if result["workload"] == other else result
            for result in results
            if result["workload"] != of
        ]

    return lambda trial: _with_results(trial, swapped)


def _with_dense_keys(trial: dict) -> dict:
    """A trial in which what was measured of dense keys stands for random ones."""

    def kind(case: dict) -> tuple:
        settings = tuple(case["settings"].items())
        return case["keys"], case["value_bytes"], case.get("content"), settings

    dense = {kind(case): case for case in trial["cases"] if case["order"] == "dense"}

    def replaced(case: dict) -> list[dict]:
        other = dense.get(kind(case)) if case["order"] == "random" else None
        there = {result["workload"]: result for result in other["results"]} if other else {}
        return [there.get(result["workload"], result) for result in case["results"]]

    return _with_results(trial, replaced)


def _with_results(trial: dict, results: Callable[[dict], list[dict]]) -> dict:
    return trial | {"cases": [case | {"results": results(case)} for case in trial["cases"]]}


# the terms that can be taken back in a trial; without STORES a trial stays as it is
TAKEN_BACK: dict[Cause, Callable[[dict], dict]] = {
    Cause.STORES: lambda trial: trial,
    Cause.ENDING: _without_ending,
    Cause.GETS: _instead("readKey", "readKeyWritten"),
    Cause.KEYS: _with_dense_keys,
    Cause.PUTS: _instead("write", "bulkLoad"),
}


def counted(found: Iterable[Turned]) -> dict[Cause, int]:
    """How many verdicts each cause turned, the most frequent first."""
    causes = [cause for each in found for cause in each.causes]
    numbers = {cause: causes.count(cause) for cause in dict.fromkeys(causes)}
    return dict(sorted(numbers.items(), key=lambda item: -item[1]))
