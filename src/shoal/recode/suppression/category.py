"""Suppression where a missing value is a category: every released combination is carried by k records, or k units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import joined_codes
from shoal.errors import TooFewRecordsError
from shoal.progress import advance
from shoal.recode.suppression.bounds import Carried, bound_by_prices, shared_prices
from shoal.recode.suppression.choosing import Choice, choose_classes
from shoal.recode.suppression.classes import Classes
from shoal.recode.suppression.filling import Filling
from shoal.recode.suppression.placement import Placement
from shoal.recode.suppression.program import Program
from shoal.recode.suppression.refilling import refill

__all__ = ["CategoryCells", "category_suppression"]

Whole64 = NDArray[np.int64]
Truths = NDArray[np.bool_]

_TRIES = 300  # classes that are filled again to see whether that costs less
_MOST_ITEMS = 2_000  # for linear programs
_ROUNDING = 1e-6  # of sums of costs, and of what programs return


@dataclass(frozen=True, eq=False)
class CategoryCells:
    """The cells that are made missing, what no choice costs less than, and whether all sets were thought of."""

    cells: Truths
    lower_bound: float
    all_sets: bool


def category_suppression(
    table: Whole64, number: Whole64, k: int, importance: Sequence[float], free: Sequence[int], units: Whole64 | None
) -> CategoryCells:
    """Return the cells to make missing so that every combination is carried by k records, or k different units.

    Parameters
    ----------
    table
        The different combinations: the code of a stratum, then the codes of the keys.
    number
        Which of them each record has.
    k
        How many records, or units, have to carry a combination.
    importance
        The cost of a suppressed cell of each key.
    free
        The keys that may be suppressed.
    units
        The unit of every record.

    Raises
    ------
    TooFewRecordsError
        There are fewer than k even with all free keys suppressed.
    """
    item_of, rows, item_units = _items(number, units)
    items = table[rows]
    amounts = np.bincount(item_of).astype(np.int64)
    _refuse_too_few(items, amounts, item_units, k, free)
    classes = Classes.of(items, importance, free)
    carried = Carried.of(classes, amounts, item_units, k)
    if not carried.short.any():
        return CategoryCells(np.zeros((len(number), table.shape[1] - 1), dtype=bool), 0.0, True)
    placement, used = _search(classes, amounts, item_units, carried, k)
    advance(0.5)
    bound = float((shared_prices(classes, carried, k) * amounts[carried.short]).sum())
    if item_units is None and len(items) <= _MOST_ITEMS:
        placement, bound = _with_program(classes, amounts, placement, used, bound, k)
    bound *= 1 - _ROUNDING
    if all(float(one).is_integer() for one in importance):  # then so are all costs
        bound = float(np.ceil(bound - _ROUNDING))
    return CategoryCells(_cells_of(classes, placement, items, item_of), bound, bool(np.isinf(classes.beyond)))


def _search(
    classes: Classes, amounts: Whole64, units: Whole64 | None, carried: Carried, k: int
) -> tuple[Placement, set[int]]:
    """Return a placement in which every class is carried by k, and the classes that were thought of."""
    rng = np.random.default_rng([18, k])
    choice = Choice(classes, amounts, units, carried, k)
    used = choose_classes(choice, rng)
    placement = Placement(classes, amounts, units, k)
    filling = Filling(classes, placement)
    chosen: dict[int, list[int]] = {}
    for item, place in zip(choice.items.tolist(), choice.at, strict=True):
        chosen.setdefault(place, []).append(item)
    for place in sorted(chosen):
        length = len(placement.journal)
        if not filling.complete(place, chosen[place]):
            placement.take_back(length)
    filling.fill()
    refill(filling, _TRIES, rng)
    return placement, used


def _with_program(
    classes: Classes, amounts: Whole64, placement: Placement, used: set[int], bound: float, k: int
) -> tuple[Placement, float]:
    """Return a better placement and bound, if there are, by linear programs; what they say is checked."""
    program = Program.of(classes, amounts, k)
    priced = program.prices()
    if priced is None:
        return placement, bound
    bound = max(bound, bound_by_prices(classes, amounts, priced[0], k))
    if bound >= placement.cost - _ROUNDING:
        return placement, bound
    held = {place for place, members in placement.members.items() if members}
    pool = used | priced[1] | held | set(classes.home.tolist())
    small = program if program.is_small else Program.over(classes, amounts, k, pool)
    solution = small.best() if small.takes_seconds else None
    if solution is None:
        return placement, bound
    bound = max(bound, solution[1]) if program.is_small else bound
    other = Placement(classes, amounts, None, k)
    for item, place, amount in zip(small.items.tolist(), small.places.tolist(), solution[0].tolist(), strict=True):
        if amount > 0 and place != other.home[item]:
            if amount > other.places[item].get(other.home[item], 0):
                return placement, bound
            other.move(item, amount, other.home[item], place)
    full = all(other.carriers(place) >= k for place, held in other.members.items() if held)
    return (other, bound) if full and other.cost < placement.cost - _ROUNDING else (placement, bound)


def _items(number: Whole64, units: Whole64 | None) -> tuple[Whole64, Whole64, Whole64 | None]:
    """Return the item of every record, and the combination and unit of every item."""
    if units is None:
        return number, np.arange(int(number.max()) + 1), None
    pairs, item_of = np.unique(np.column_stack([number, units]), axis=0, return_inverse=True)
    return item_of.reshape(-1), pairs[:, 0], pairs[:, 1]


def _refuse_too_few(items: Whole64, amounts: Whole64, units: Whole64 | None, k: int, free: Sequence[int]) -> None:
    fixed = [0, *(key + 1 for key in range(items.shape[1] - 1) if key not in set(free))]
    cells = joined_codes([items[:, key] for key in fixed], len(items))
    if units is None:
        carriers = np.bincount(cells, amounts)
    else:
        carriers = np.bincount(np.unique(np.column_stack([cells, units]), axis=0)[:, 0])
    least = int(carriers.min())
    if least < k:
        what = "records" if units is None else "different units"
        alike = len(fixed) > 1 or len(np.unique(items[:, 0])) > 1
        where = "in every stratum, alike in the keys that are never suppressed" if alike else "in all"
        raise TooFewRecordsError(
            f"k={k} needs at least {k} {what} {where}; somewhere there are {least}. Lower k, or suppress more keys.",
            k=k,
            records=least,
        )


def _cells_of(classes: Classes, placement: Placement, items: Whole64, item_of: Whole64) -> Truths:
    """Return the suppressed cells of every record; of several alike, the first lose the most expensive sets."""
    lost = np.zeros((len(item_of), items.shape[1] - 1), dtype=bool)
    order = np.argsort(item_of, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(item_of))])
    taken: dict[int, int] = {}
    for place in sorted(placement.members, reverse=True):
        rows: list[NDArray[np.int64]] = []
        for item, amount in placement.members[place].items():
            if place != placement.home[item]:
                first = int(start[item]) + taken.get(item, 0)
                taken[item] = taken.get(item, 0) + amount
                rows.append(order[first : first + amount])
        if rows:
            lost[np.ix_(np.concatenate(rows), list(classes.masks[classes.mask_of[place]]))] = True
    return lost & (items[item_of][:, 1:] >= 0)
