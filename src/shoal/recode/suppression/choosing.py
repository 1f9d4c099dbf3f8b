"""Which class each short item goes to, decided by what classes cost, before records are moved."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.recode.suppression.bounds import Carried
from shoal.recode.suppression.classes import Classes

__all__ = ["Choice", "choose_classes"]

Whole64 = NDArray[np.int64]
Doubles = NDArray[np.float64]

_OPTIONS, _FEW_OPTIONS = 24, 8  # classes that each item chooses from, where there are few items and where many
_MANY_ITEMS = 5_000
_TRIES = 500  # classes that are filled or dissolved to see whether that costs less,
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
    for place in rng.integers(len(places), size=_TRIES).tolist():
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
