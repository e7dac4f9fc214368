"""What the model's answers are worth: sections simulated with a known truth, and what was found.

Log times scatter by SPREAD from trial to trial, by a variance of each case's own and a factor of
each store's own, and by rounds that resemble the one before, as measured trials do. The session
moves each store in all its cases, by as much as the model takes sessions to.
"""

from dataclasses import dataclass, replace
from math import log

import numpy as np

from kvreport.analysis import model
from kvreport.analysis.contrast import MARGIN, Contrast
from kvreport.analysis.stats import Difference

SEED = 20160710  # the same numbers in every rendering
SPREAD = 0.107  # sd of log time between trials, the median of the runs that are shipped
ALIKE = 8.0  # degrees of freedom that a section's variances are alike by
RESTLESS = 0.35  # sd of the logarithm of how much a store scatters, as in the runs that are shipped
SESSION = 0.024  # sd of what a session does to a store, as in the runs that are shipped
MOOD, MEMORY = 0.1, 0.6  # sd of a round's effect, and how much of it the next one has
CELLS, STORES = 12, 12  # cases and workloads of a section; stores in each
PLANTED = 1.3


@dataclass(frozen=True)
class Found:
    """Shares of simulated cases and workloads, at so many trials.

    coverage  the 95% interval of two stores' ratio has the true one
    chance    of stores that are all alike, some differs from the one named beforehand
    best      likewise, and some is slower by MARGIN than the one that came out fastest
    power     a store that takes PLANTED times as long is found to, alone
    equal     of two stores that are alike, that they are is shown
    """

    trials: int
    coverage: float
    chance: float
    best: float
    power: float
    equal: float


def simulate(trials: int, sections: int = 24, seed: int = SEED) -> Found:
    """Sections of CELLS cases with so many trials of STORES stores that are all alike, but for the
    last, which takes PLANTED times as long.
    """
    rng = np.random.default_rng(seed)
    cells = [cell for _ in range(sections) for cell in _section(rng, trials)]
    first, *others, slow = (_name(store) for store in range(STORES))

    def share(found: list[bool]) -> float:
        return float(np.mean(found))

    def beside(fit: model.Fit, store: str) -> list[Contrast]:
        alike = [other for other in (first, *others) if other != store]
        compared = (fit.compare(other, store, len(alike)) for other in alike)
        return [each for each in compared if each]

    planted = [found for fit in cells if (found := fit.compare(slow, first))]
    alike = [found for fit in cells if (found := fit.compare(others[0], first))]
    return Found(
        trials,
        share([found.low <= PLANTED <= found.high for found in planted]),
        share([any(each.difference.measurable for each in beside(fit, first)) for fit in cells]),
        share(
            [
                any(
                    each.low > MARGIN for each in beside(fit, fit.stores[fit.effects[:-1].argmin()])
                )
                for fit in cells
            ]
        ),
        share([found.difference is Difference.GREATER for found in planted]),
        share([found.difference is Difference.EQUIVALENT for found in alike]),
    )


def _section(rng: np.random.Generator, trials: int) -> list[model.Fit]:
    fits, own = [], np.exp(rng.normal(0, RESTLESS, (STORES, 1)))
    moved = rng.normal(0, SESSION, (STORES, 1))
    for _ in range(CELLS):
        spread = SPREAD * np.sqrt(ALIKE / rng.chisquare(ALIKE))
        mood = [rng.normal(0, MOOD)]
        for _ in range(trials - 1):
            mood.append(MEMORY * mood[-1] + rng.normal(0, MOOD * np.sqrt(1 - MEMORY**2)))
        logs = moved + np.array(mood) + spread * own * rng.normal(0, 1, (STORES, trials))
        logs[-1] += log(PLANTED)
        fits.append(
            model.fit(
                {
                    _name(store): dict(enumerate(np.exp(of_store)))
                    for store, of_store in enumerate(logs)
                }
            )
        )
    return [replace(fit, between=2 * SESSION**2) for fit in model.moderate(fits)]


def _name(store: int) -> str:
    return f"{store:02}"
