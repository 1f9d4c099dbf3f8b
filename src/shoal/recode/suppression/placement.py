"""Where the records of a file are released: how many of each item in each class, with moves that can be taken back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from shoal.recode.suppression.classes import Classes

__all__ = ["Placement"]

Whole64 = NDArray[np.int64]


class Placement:
    """How many records of each item are in each class; a class is empty or, in the end, carried by k.

    Parameters
    ----------
    classes
        The classes.
    amounts
        How many records each item has.
    units
        The unit of every item; None where every record counts.
    k
        How many records, or different units, have to carry a class.
    """

    def __init__(self, classes: Classes, amounts: Whole64, units: Whole64 | None, k: int) -> None:
        self.k = k
        self.amounts: list[int] = amounts.tolist()
        self.units: list[int] | None = None if units is None else units.tolist()
        self.home: list[int] = classes.home.tolist()
        self.mask_of: list[int] = classes.mask_of.tolist()
        self._cost: list[list[float]] = classes.cost.tolist()
        self._pattern: list[int] = classes.pattern.tolist()
        self.members: dict[int, dict[int, int]] = defaultdict(dict)
        self.places: list[dict[int, int]] = [{} for _ in self.amounts]
        self._units_in: dict[int, dict[int, int]] = defaultdict(dict)
        self._size: dict[int, int] = defaultdict(int)
        self.journal: list[tuple[int, int, int, int]] = []
        self.cost = 0.0
        for item, (place, amount) in enumerate(zip(self.home, self.amounts, strict=True)):
            self._put(item, amount, place)

    def cost_of(self, item: int, place: int) -> float:
        """Return what it costs to release one record of an item in a class."""
        return self._cost[self._pattern[item]][self.mask_of[place]]

    def carriers(self, place: int) -> int:
        """Return how many records, or different units, carry a class."""
        return self._size[place] if self.units is None else len(self._units_in[place])

    def gained(self, items: Iterable[tuple[int, int]], place: int) -> int:
        """Return how many more would carry a class if it got these items, each with an amount."""
        if self.units is None:
            return sum(amount for _, amount in items)
        return len({self.units[item] for item, _ in items} - self._units_in[place].keys())

    def spared(self, item: int, place: int) -> int:
        """Return how many records of an item can leave a class that stays carried by k."""
        amount = self.members[place][item]
        spare = self.carriers(place) - self.k
        if self.units is None:
            return max(0, min(amount, spare))
        if spare > 0 or self._units_in[place][self.units[item]] > amount:
            return amount
        return amount - 1

    def move(self, item: int, amount: int, source: int, target: int) -> None:
        """Move some records of an item from one class to another."""
        self._take(item, amount, source)
        self._put(item, amount, target)
        self.cost += amount * (self.cost_of(item, target) - self.cost_of(item, source))
        self.journal.append((item, amount, source, target))

    def take_back(self, length: int) -> None:
        """Take the last moves back, until so many are left."""
        while len(self.journal) > length:
            item, amount, source, target = self.journal.pop()
            self._take(item, amount, target)
            self._put(item, amount, source)
            self.cost -= amount * (self.cost_of(item, target) - self.cost_of(item, source))

    def _put(self, item: int, amount: int, place: int) -> None:
        members = self.members[place]
        members[item] = self.places[item][place] = members.get(item, 0) + amount
        self._size[place] += amount
        if self.units is not None:
            units = self._units_in[place]
            units[self.units[item]] = units.get(self.units[item], 0) + amount

    def _take(self, item: int, amount: int, place: int) -> None:
        members = self.members[place]
        members[item] = self.places[item][place] = members[item] - amount
        if not members[item]:
            del members[item], self.places[item][place]
        self._size[place] -= amount
        if self.units is not None:
            units = self._units_in[place]
            units[self.units[item]] -= amount
            if not units[self.units[item]]:
                del units[self.units[item]]
