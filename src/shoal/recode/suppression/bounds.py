"""What suppression costs at least: prices of records such that no class is worth more than it costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.recode.suppression.classes import Classes

__all__ = ["Carried", "bound_by_prices", "shared_prices"]

Whole64 = NDArray[np.int64]
Doubles = NDArray[np.float64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Carried:
    """How classes are carried as the file is.

    Attributes
    ----------
    short
        The items whose combination is carried by fewer than k.
    home
        How many carry the combination of each item.
    joining
        How many records of short items could join each class.
    short_carriers
        How many records, or different units, these are.
    full
        The classes that are the combination of items carried by k.
    loan
        What the cheapest record of the other items costs in each class; infinite where there is none.
    """

    short: Truths
    home: Whole64
    joining: Doubles
    short_carriers: Doubles
    full: Truths
    loan: Doubles

    @classmethod
    def of(cls, classes: Classes, amounts: Whole64, units: Whole64 | None, k: int) -> Carried:
        """Return how the classes of some items are carried."""
        number = len(classes.mask_of)
        carriers = _carriers(classes.home, amounts, units, number)
        home = carriers[classes.home].astype(np.int64)
        short = home < k
        own = classes.of_item[short]
        valid = own >= 0
        records = np.broadcast_to(amounts[short][:, None], own.shape)[valid]
        joining = np.bincount(own[valid], records, number).astype(np.float64)
        behind = None if units is None else np.broadcast_to(units[short][:, None], own.shape)[valid]
        loan = np.full(number, np.inf)
        there, costs = classes.of_item[~short], classes.cost[classes.pattern[~short]]
        np.minimum.at(loan, there[there >= 0], costs[there >= 0])
        full = np.zeros(number, dtype=bool)
        full[classes.home[~short]] = True
        return cls(short, home, joining, _carriers(own[valid], records, behind, number), full, loan)


def _carriers(places: Whole64, amounts: Whole64, units: Whole64 | None, number: int) -> Doubles:
    """Return how many records, or different units, are in each of the places."""
    if units is None:
        return np.bincount(places, amounts, number).astype(np.float64)
    return np.bincount(np.unique(np.column_stack([places, units]), axis=0)[:, 0], minlength=number).astype(np.float64)


def shared_prices(classes: Classes, carried: Carried, k: int) -> Doubles:
    """Return what a record of each short item costs at least, with its share of the records its class has to borrow.

    A class that is carried by u of the short records that could join it, and not full, needs k - u others, who pay at
    least `loan` each; shared among all short records that could join, that is the least a record adds to its own cost.
    """
    own, costs = classes.of_item[carried.short], classes.cost[classes.pattern[carried.short]]
    need = np.where(carried.full, 0.0, np.maximum(0.0, k - carried.short_carriers))
    share = np.zeros(len(need))
    wanting = need > 0
    share[wanting] = need[wanting] * carried.loan[wanting] / np.maximum(1.0, carried.joining[wanting])
    by_class = np.where(own >= 0, costs + share[own], np.inf)
    return np.asarray(np.minimum(by_class.min(axis=1), classes.beyond))


def bound_by_prices(classes: Classes, amounts: Whole64, prices: Doubles, k: int) -> float:
    """Return what no choice of cells goes below, by prices of the records of all items.

    Records are worth their prices in sum, less what classes would gain: a class that takes at least k records of those
    that fit gains by how much their prices exceed their costs. Any prices give a bound; better ones a higher one.
    """
    valid = classes.of_item >= 0
    items = np.nonzero(valid)[0]
    places = classes.of_item[valid]
    excess = (classes.cost[classes.pattern] - prices[:, None])[valid]
    order = np.lexsort((excess, places))
    places, excess, many = places[order], excess[order], amounts[items[order]]
    starts = np.flatnonzero(np.concatenate([[True], places[1:] != places[:-1]]))
    within = np.cumsum(many) - many
    before = within - np.repeat(within[starts], np.diff(np.append(starts, len(places))))
    taken = np.where(excess < 0, many, np.clip(k - before, 0, many))
    values = np.add.reduceat(taken * excess, starts)
    values[np.add.reduceat(many, starts) < k] = 0.0
    left_out = np.minimum(0.0, classes.beyond - prices) * amounts
    left_out[~np.isfinite(left_out)] = 0.0
    return float((prices * amounts).sum() + np.minimum(0.0, values).sum() + left_out.sum())
