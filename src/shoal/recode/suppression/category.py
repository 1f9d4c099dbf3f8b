"""Suppression where a missing value is a category: every released combination is carried by k records, or k units."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import joined_codes
from shoal.errors import TooFewRecordsError
from shoal.progress import advance
from shoal.recode.suppression.classes import Classes
from shoal.recode.suppression.filling import Filling, Placement, refill
from shoal.recode.suppression.program import Carried, Program, bound_by_prices, shared_prices

Whole64 = NDArray[np.int64]
Doubles = NDArray[np.float64]

_OPTIONS, _FEW_OPTIONS = 24, 8  # classes that each item chooses from, where there are few items and where many
_MANY_ITEMS = 5_000
_TRIES_OF_CLASSES = 500  # classes that are filled or dissolved to see whether that costs less,
_MOST_COMPARED = 10_000  # and items that choose anew because of that


class Choice:
    """Short items, each in one class or none, and what these classes cost.

    A class costs what the records of its items cost there, and, while it is carried by fewer than k, what the records
    cost that have to be borrowed from combinations that can spare some. Which records these are is left open.

    Parameters
    ----------
    classes
        The classes.
    amounts, units
        The records and the unit of every item.
    carried
        How the classes are carried as the file is.
    k
        How many have to carry a class.
    """

    def __init__(self, classes: Classes, amounts: Whole64, units: Whole64 | None, carried: Carried, k: int) -> None:
        short = carried.short
        self.k, self.items = k, np.flatnonzero(short)
        self.amounts: list[int] = amounts[short].tolist()
        self._units: list[int] | None = None if units is None else units[short].tolist()
        spare, loan, whole = _lending(classes, amounts, carried, k)
        own, costs = classes.of_item[short], classes.cost[classes.pattern[short]]
        ratio = _cost_per_record(own, costs, amounts[short], carried, (spare, loan, whole), k)
        best = np.argsort(ratio, axis=1, kind="stable")[:, : _OPTIONS if len(own) <= _MANY_ITEMS else _FEW_OPTIONS]
        rows = np.arange(len(own))[:, None]
        lines = zip(own[rows, best].tolist(), costs[rows, best].tolist(), ratio[rows, best].tolist(), strict=True)
        self._cost: list[dict[int, float]] = [
            {place: cost for place, cost, value in zip(*line, strict=True) if value < np.inf} for line in lines
        ]
        self.weights: list[float] = (amounts[short] * ratio.min(axis=1)).tolist()
        self.joiners: dict[int, list[int]] = {}
        for item, options in enumerate(self._cost):
            for place in options:
                self.joiners.setdefault(place, []).append(item)
        self._spare: list[float] = spare.tolist()
        self._loan: list[float] = loan.tolist()
        self._whole: list[float] = whole.tolist()
        self._full: list[bool] = carried.full.tolist()
        self.carried: dict[int, int] = {}
        self.held: dict[int, set[int]] = {}
        self._units_in: dict[int, Counter[int]] = {}
        self.at: list[int] = [-1] * len(self.items)
        self.cost, self.compared = 0.0, 0
        self.journal: list[tuple[int, int]] = []  # every move: an item and where it came from

    def borrowed(self, place: int, carriers: int) -> float:
        """Return what the records cost that a class has to borrow if it is carried by so many."""
        if carriers <= 0 or carriers >= self.k or self._full[place]:
            return 0.0
        need = self.k - carriers
        return need * self._loan[place] if need <= self._spare[place] else self._whole[place]

    def opened(self, place: int, items: Sequence[int]) -> float:
        """Return what it costs a record, weighted, to give these items to a class that is empty yet."""
        carriers = sum(self.amounts[item] for item in items)
        if self._units is not None:
            carriers = len({self._units[item] for item in items})
        paid = sum(self.amounts[item] * self._cost[item][place] for item in items)
        return (paid + self.borrowed(place, carriers)) / max(1e-12, sum(self.weights[item] for item in items))

    def entering(self, item: int, place: int) -> float:
        """Return what it costs more if an item goes to a class."""
        now = self.carried.get(place, 0)
        more = self.borrowed(place, now + self._grown(item, place)) - self.borrowed(place, now)
        return self.amounts[item] * self._cost[item][place] + more

    def best_class(self, item: int, but: int = -1) -> int:
        """Return the class that costs an item least, of equals the one with most carriers; not `but`, if it can."""
        self.compared += 1
        options = [place for place in self._cost[item] if place != but] or [but]
        return min((self.entering(item, place), -self.carried.get(place, 0), place) for place in options)[2]

    def put(self, item: int, place: int) -> None:
        """Move an item to a class, or to none (-1)."""
        source = self.at[item]
        self.journal.append((item, source))
        if source >= 0:
            self._leave(item, source)
        if place >= 0:
            self.cost += self.entering(item, place)
            self.carried[place] = self.carried.get(place, 0) + self._grown(item, place)
            self.held.setdefault(place, set()).add(item)
            if self._units is not None:
                self._units_in.setdefault(place, Counter())[self._units[item]] += 1
        self.at[item] = place

    def take_back(self, length: int) -> None:
        """Take the last moves back, until so many are left."""
        for item, source in reversed(self.journal[length:]):
            self.put(item, source)
        del self.journal[length:]

    def settle(self, items: Iterable[int]) -> None:
        """Move each item to its best class, then the items that it leaves behind, and so on."""
        waiting = list(items)
        for _ in range(20):  # rarely more than three
            behind: set[int] = set()
            for item in waiting:
                source = self.at[item]
                self.put(item, -1)
                self.put(item, self.best_class(item))
                if self.at[item] != source:
                    behind |= self.held.get(source, set())
            waiting = sorted(behind)

    def _leave(self, item: int, source: int) -> None:
        now = self.carried[source]
        self.held[source].discard(item)
        if self._units is None:
            left = now - self.amounts[item]
        else:
            units = self._units_in[source]
            units[self._units[item]] -= 1
            left = now - (units[self._units[item]] == 0)
        self.carried[source] = left
        self.cost += self.borrowed(source, left) - self.borrowed(source, now)
        self.cost -= self.amounts[item] * self._cost[item][source]

    def _grown(self, item: int, place: int) -> int:
        """Return how many more carry a class with an item."""
        if self._units is None:
            return self.amounts[item]
        return 0 if place in self._units_in and self._units_in[place][self._units[item]] else 1


def _lending(classes: Classes, amounts: Whole64, carried: Carried, k: int) -> tuple[Doubles, Doubles, Doubles]:
    """Return for every class how many can be borrowed, at what cost each, and what a whole combination costs."""
    number, full = len(classes.mask_of), ~carried.short
    leader = np.zeros(len(full), dtype=bool)  # one item stands for all of its combination
    leader[np.unique(classes.home, return_index=True)[1]] = True
    full &= leader
    own, costs = classes.of_item[full], classes.cost[classes.pattern[full]]
    away = (own >= 0) & (costs > 0)
    sizes = np.bincount(classes.home, amounts, number)[classes.home[full]]
    many = np.broadcast_to((carried.home[full] - k)[:, None], own.shape)
    dear = 1.0 + float(amounts.sum()) * float(classes.cost[np.isfinite(classes.cost)].max())  # more than all cells
    loan, whole = np.full(number, dear), np.full(number, dear)
    np.minimum.at(loan, own[away], costs[away])
    np.minimum.at(whole, own[away], (costs * sizes[:, None])[away])
    return np.bincount(own[away], many[away], number).astype(np.float64), loan, whole


def _cost_per_record(
    own: Whole64,
    costs: Doubles,
    amounts: Whole64,
    carried: Carried,
    lending: tuple[Doubles, Doubles, Doubles],
    k: int,
) -> Doubles:
    """Return what a record costs in each class of an item if all short items join it; infinite where it cannot."""
    spare, loan, whole = lending
    valid, number = own >= 0, len(loan)
    paid = np.bincount(own[valid], (np.where(valid, costs, 0.0) * amounts[:, None])[valid], number)
    need = np.where(carried.full, 0.0, np.maximum(0.0, k - carried.short_carriers))
    extra = np.where(need > spare, whole, need * loan)
    ratio = (paid + extra) / np.maximum(1.0, carried.joining)
    return np.where(valid, ratio[own] + 1e-6 * costs, np.inf)


def choose_classes(choice: Choice, rng: np.random.Generator) -> set[int]:
    """Give every short item a class: the cheapest first, then some filled or dissolved; return all that were used."""
    _choose_greedily(choice)
    choice.settle(range(len(choice.items)))
    used = set(choice.at)
    places, most = sorted(choice.joiners), choice.compared + _MOST_COMPARED
    for place in rng.integers(len(places), size=_TRIES_OF_CLASSES).tolist():
        if choice.compared < most:
            _fill_or_dissolve(choice, places[place])
    return used | set(choice.at)


def _choose_greedily(choice: Choice) -> None:
    """Give all items that are left to the class that costs a record least, again and again."""
    heap = [(0.0, place) for place in sorted(choice.joiners)]
    while heap:
        ratio, place = heapq.heappop(heap)
        items = [item for item in choice.joiners[place] if choice.at[item] < 0]
        if not items:
            continue
        cost = choice.opened(place, items)
        if cost > ratio and heap and cost > heap[0][0]:
            heapq.heappush(heap, (cost, place))
            continue
        for item in items:
            choice.put(item, place)


def _fill_or_dissolve(choice: Choice, place: int) -> None:
    """Fill a class, or dissolve it if it is in use; let the others settle, and take all back if it costs more."""
    before, length = choice.cost, len(choice.journal)
    held = sorted(choice.held.get(place, ()))
    moved = held or choice.joiners[place]
    touched = {other for item in moved for other in choice.held[choice.at[item]]}
    for item in moved:
        choice.put(item, -1 if held else place)
    for item in held:
        choice.put(item, choice.best_class(item, place))
    choice.settle(sorted(touched.difference(held)))
    if choice.cost > before + 1e-9:
        choice.take_back(length)
        choice.cost = before


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
