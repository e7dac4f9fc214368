"""What a launch says in the terminal of its results: a line after each round, and the last lines of
`make report`.
"""

from collections.abc import Iterator

from kvreport.analysis.answer import Ranking, at_first_look
from kvreport.analysis.results import loaded
from kvreport.base import paths
from kvreport.base.text import count, join_words
from kvreport.charts.chapter import Chapter
from kvreport.data.needs import FIRST_LOOK, needs
from kvreport.exhibits.answer import Answer
from kvreport.exhibits.beside import FINE, WANTED, Beside, named

SPOKEN = ("gets", "scans", "puts", "durable")  # needs that a line after a round has room for


def so_far(run: str) -> str:
    """What a run's first look tells by now, in a line; nothing yet of single trials."""
    sections = {FIRST_LOOK: Chapter(FIRST_LOOK, loaded(run, paths.RUNS))}
    asked = [at_first_look(need, sections) for need in needs() if need.id in SPOKEN]
    return "; ".join(filter(None, map(told, Answer(sections, asked).rankings.values())))


def told(ranking: Ranking) -> str:
    """ "random gets: LMDB; next RocksDB 2.90× [2.20, 3.80]"; nothing of single trials."""
    if ranking.problem or ranking.trials < 2:
        return ""
    return f"{ranking.need.name}: {named(ranking) or 'too noisy to say'}"


def summary(absent: list[tuple[str, str]]) -> Iterator[str]:
    """The last lines of a launch: what ran, what the page can say, and what more minutes would
    buy. `absent`: the stores that this machine lacks something for, each with what that is.
    """
    beside = Beside.shown()
    if beside is None or not beside.here.measured:
        return
    measured = [each for each in beside.here.chapters.values() if each.measured]
    ran = {each.name(store) for each in measured for store in each.succeeded}
    missing = "; ".join(f"{name} is n/a here: {reason}" for name, reason in absent)
    yield f"{count(len(ran), 'store')} ran." + (f" {missing}." if missing else "")
    asked = [each for each in beside.here.rankings.values() if each.need.said]
    yield (
        f"The first page names a store, or several that are level, at {beside.answered()} of"
        f" {len(asked)} needs. Of {beside.power} pairs with the best, one that takes {FINE} times"
        " as long would be told four times in five."
    )
    minutes = {
        each.need.name: more
        for each in asked
        if each.trials > 1 and each.tells > WANTED and (more := beside.minutes(each, beside.here))
    }
    if minutes:
        most = max(minutes.values()) + 2
        needed = join_words(minutes)
        yield f"`make report MINUTES={most}` would tell {WANTED} times at {needed}, too."
