"""How rows of a section's results (SectionResults.results) compare: the ratio of two medians with
its interval, and what it comes to.

By the fits of the section (analysis.model, analysis.paired). Where these say nothing of the two, of
single trials for instance, by Welch's interval and the noise floor.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import exp

import pandas as pd

from kvreport.analysis import model, noise, paired, stats
from kvreport.analysis.results import SectionResults
from kvreport.analysis.stats import Difference

Compared = tuple[stats.Estimate, Difference]


def interval_name(trials: int) -> str:
    """What the interval of a ratio is, for captions."""
    if trials < 2:
        return stats.interval_name(trials)
    return "95% interval (log time ~ store + round, Dunnett's)"


def compare(section: SectionResults, row: dict, other: dict, comparisons: int = 1) -> Compared:
    """One row over another, one of so many comparisons with that other."""
    first, second = _fit(section, row), _fit(section, other)
    contrast = paired.compare(first, second, row["store"], other["store"], comparisons)
    return _judged(section, row, other, contrast)


def by_trials(section: SectionResults, row: dict, other: dict) -> Difference:
    """What the trials alone say of two rows of one case and workload, as if A/A controls differed
    by chance only.
    """
    contrast = replace(_fit(section, row), between=0.0).compare(row["store"], other["store"])
    if not contrast:
        return stats.compare(row["values"], other["values"], noise.NONE)
    return contrast.beside(stats.ratio(row["values"], other["values"]).value)


def compare_across(
    section: SectionResults, rows: Mapping[str, dict], other: str
) -> dict[str, Compared]:
    """Rows of whatever stores and cases by names, each but the other over the other. They are
    fitted as the stores of one case are, trials of one number as a round.
    """
    trials = {
        name: {at: exp(log) for at, log in _fit(section, row).logs[row["store"]].items()}
        for name, row in rows.items()
    }
    fit = replace(model.fit(trials), between=section.between)
    return {
        name: _judged(section, row, rows[other], fit.compare(name, other, len(rows) - 1))
        for name, row in rows.items()
        if name != other
    }


def fastest(section: SectionResults, rows: pd.DataFrame) -> list[dict]:
    """Of rows of one case and workload those that nothing is measurably faster than: the best
    median, then those it is not told from.
    """
    ranked = rows[rows["status"] == "ok"].sort_values(["value", "store"]).to_dict("records")
    return [
        row
        for row in ranked
        if row is ranked[0]
        or compare(section, ranked[0], row, len(ranked) - 1)[1] is not Difference.LESS
    ]


def _fit(section: SectionResults, row: dict) -> model.Fit:
    return section.fits[(*(row[name] for name in stats.CASE), row["workload"])]


def _judged(
    section: SectionResults, row: dict, other: dict, contrast: model.Contrast | None
) -> Compared:
    ratio = stats.ratio(row["values"], other["values"])
    if not contrast:
        return ratio, stats.compare(row["values"], other["values"], section.floor)
    return ratio.within(contrast.low, contrast.high), contrast.beside(ratio.value)
