"""What a launch says in the terminal of its results: a line after each round, and the last lines of
`make report`.
"""

from collections.abc import Iterator

from kvreport.analysis.answer import Ranking, at_first_look
from kvreport.analysis.results import loaded
from kvreport.base import paths
from kvreport.base.text import count, join_words, number
from kvreport.data.needs import FIRST_LOOK, needs
from kvreport.exhibits.answer import Answer
from kvreport.exhibits.beside import FINE, WANTED, Beside
from kvreport.exhibits.chapter import Chapter

SPOKEN = ("gets", "scans", "puts", "durable")  # needs that a line after a round has room for
NAMED = 3


def so_far(run: str) -> str:
    """What a run's first look tells by now, in a line; nothing yet of single trials."""
    sections = {FIRST_LOOK: Chapter(FIRST_LOOK, loaded(run, paths.RUNS))}
    asked = [at_first_look(need, sections) for need in needs() if need.id in SPOKEN]
    return "; ".join(filter(None, map(told, Answer(sections, asked).rankings.values())))


def told(ranking: Ranking) -> str:
    """ "random gets: LMDB, Xodus level, RocksDB 2.90x [2.20, 3.80]"."""
    if ranking.problem or ranking.trials < 2:
        return ""
    best = [place.name for place in ranking.best]
    if not best:
        return f"{ranking.need.name}: too noisy to say"
    named = ", ".join(best) if len(best) <= NAMED else f"{len(best)} stores"
    level = " level" if len(best) > 1 else ""
    next_one = ranking.following
    then = (
        f", {next_one.name} {number(next_one.ratio)}x"
        f" [{number(next_one.low)}, {number(next_one.high)}]"
        if next_one
        else ""
    )
    return f"{ranking.need.name}: {named}{level}{then}"


def summary() -> Iterator[str]:
    """The last lines of a launch: what ran, what the page can say, and what more minutes would
    buy.
    """
    beside = Beside.shown()
    if beside is None or not beside.here.measured:
        return
    measured = [each for each in beside.here.chapters.values() if each.measured]
    ran = {each.name(store) for each in measured for store in each.succeeded}
    trials = [trial for each in measured for trial in each.trials]
    there = {trial["store"]["name"] for trial in trials if _measured(trial)}
    absent = {
        trial["store"]["name"]: reason
        for trial in trials
        if trial["store"]["name"] not in there and (reason := _reason(trial))
    }
    yield (
        f"{count(len(ran), 'store')} ran"
        + (
            "; not here: " + "; ".join(f"{name} ({why})" for name, why in sorted(absent.items()))
            if absent
            else ""
        )
        + "."
    )
    asked = [each for each in beside.here.rankings.values() if each.need.said]
    yield (
        f"The first page names a store, or several that are level, at {beside.answered()} of"
        f" {len(asked)} needs. Of {beside.power} pairs with the best, one that takes {FINE} times"
        " as long would be told four times in five."
    )
    open_ones = [each for each in asked if each.trials > 1 and each.tells > WANTED]
    minutes = [beside.minutes(each, beside.here) for each in open_ones]
    worth = [each for each in minutes if each]
    if worth:
        names = join_words(each.need.name for each, needed in zip(open_ones, minutes) if needed)
        yield (f"`make report MINUTES={max(worth) + 2}` would tell {WANTED} times at {names}, too.")


def _measured(trial: dict) -> bool:
    return any(result["status"] == "ok" for case in trial["cases"] for result in case["results"])


def _reason(trial: dict) -> str:
    reasons = [result["reason"] for case in trial["cases"] for result in case["results"]]
    return next(filter(None, [trial["reason"], *reasons]), "")
