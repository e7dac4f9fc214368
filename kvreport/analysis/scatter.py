"""How much single stores scatter, beside the others of their section.

Some stores take the same time in every trial, others three times as much in one as in the next, and
they do so in whatever is measured of them. So the variance of a store in a cell is that of the cell
times a factor of the store, known from all cells together: one of few trials says little of its own
variance, a section says much.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from kvreport.analysis import moderated

Factors = Mapping[str, tuple[float, float]]  # with their degrees of freedom, by store
FEWEST_STORES = 5  # of which each one's own variance can be told from the others'
LEAST = 0.05  # of a factor: less is chance


def factors(cells: Sequence[pd.DataFrame]) -> Factors:
    """By how much each store's variance is above or below what cells have, drawn towards what all
    stores have in common by as much as they are alike; none of few stores.

    cells  of each what a fit leaves over, over its standard deviation: stores by rounds

    Within a cell of k stores what is left over of one has (1 - 2/k) of its own variance, and 1/k of
    the others' mean. Cells that one virtual machine measured say less than as many others would, by
    the square of their correlation.
    """
    cells = [each for each in cells if len(each) >= FEWEST_STORES]
    if not cells:
        return {}
    sums = pd.concat([_of_cell(each) for each in cells]).groupby(level=0).sum()
    sums = sums[sums["freedom"] > 0]
    if len(sums) < FEWEST_STORES:
        return {}
    raw = (sums["squares"] / sums["freedom"]).clip(lower=LEAST)
    known = (sums["freedom"] / (1 + (len(cells) - 1) * _shared(cells))).clip(lower=1)
    drawn = moderated.pooled(raw, known)
    return {store: (float(one), float(own)) for store, one, own in zip(sums.index, *drawn)}


def correlation(one: pd.DataFrame, other: pd.DataFrame) -> float:
    """Of what is left over in two cells, over the trials that both have; never below 0."""
    both = pd.concat([one.stack(), other.stack()], axis=1, join="inner").to_numpy()
    first, second = both.T
    scale = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return max(0.0, float(first @ second) / scale) if scale else 0.0


def _of_cell(left: pd.DataFrame) -> pd.DataFrame:
    freedom, stores = left.count(axis=1) - 1, len(left)
    squares = ((left**2).sum(axis=1) - freedom / stores) / (1 - 2 / stores)
    return pd.DataFrame({"squares": squares, "freedom": freedom})


def _shared(cells: Sequence[pd.DataFrame]) -> float:
    """The mean square of the correlations of cells."""
    found = pd.concat([each.stack() for each in cells], axis=1).corr().to_numpy() ** 2
    several = found[~np.eye(len(found), dtype=bool)]
    return float(np.nanmean(several)) if np.isfinite(several).any() else 0.0
