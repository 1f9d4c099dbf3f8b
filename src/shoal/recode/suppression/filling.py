"""Classes filled until each is carried by k: greedily, then emptied and filled again where that costs less."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.recode.suppression.classes import Classes

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


Doubles = NDArray[np.float64]

_BEST = 6  # classes that are thought of first for every item


class Filling:
    """Moves records into classes until every class that is not empty is carried by k.

    Parameters
    ----------
    classes
        The classes.
    placement
        Where the records are; it is changed.
    """

    def __init__(self, classes: Classes, placement: Placement) -> None:
        self.classes, self.placement, self.k = classes, placement, placement.k
        self._groups: dict[int, list[int]] = {}
        self._by_mask: dict[int, tuple[Whole64, Whole64]] = {}
        self.tried = 0

    def fill(self) -> None:
        """Fill all classes that are carried by fewer than k, the cheapest per record first."""
        short = self.short_items(range(len(self.placement.amounts)))
        self.fill_for(short)

    def short_items(self, items: Iterable[int]) -> list[int]:
        """Return the items with records in classes that are carried by fewer than k."""
        placement = self.placement
        return [
            item for item in items if any(0 < placement.carriers(place) < self.k for place in placement.places[item])
        ]

    def fill_for(self, short: Sequence[int], shake: Sequence[float] | None = None) -> bool:
        """Fill classes until none of these items is in a short one; False if that cannot be done."""
        homeless = set(short)
        heap = self._candidates(short, shake)
        heapq.heapify(heap)
        while heap and homeless:
            ratio, place = heapq.heappop(heap)
            mine = [item for item in self.group(place) if item in homeless]
            if not mine:
                continue
            before, length = self.placement.cost, len(self.placement.journal)
            self.tried += 1
            if not self.complete(place, mine):
                self.placement.take_back(length)
                continue
            records = sum(self.placement.amounts[item] for item in mine)
            real = (self.placement.cost - before) / records
            if real > ratio + 1e-9 and heap and real > heap[0][0] + 1e-9:
                self.placement.take_back(length)
                heapq.heappush(heap, (real, place))
                continue
            homeless.difference_update(mine)
        return not homeless or self._last_resort(homeless)

    def group(self, place: int) -> list[int]:
        """Return all items that can be released in a class."""
        if place not in self._groups:
            mask = int(self.classes.mask_of[place])
            if mask not in self._by_mask:
                column = self.classes.of_item[:, mask]
                order = np.argsort(column, kind="stable")
                self._by_mask[mask] = order, column[order]
            order, values = self._by_mask[mask]
            first, last = np.searchsorted(values, [place, place + 1])
            self._groups[place] = order[first:last].tolist()
        return self._groups[place]

    def complete(self, place: int, homeless: Sequence[int]) -> bool:
        """Move these items into a class, with as many others as it needs; False if there are not enough."""
        placement = self.placement
        for item in homeless:
            for source, amount in list(placement.places[item].items()):
                if source != place and placement.carriers(source) < self.k:
                    placement.move(item, amount, source, place)
        need = self.k - placement.carriers(place)
        return need <= 0 or self._borrow(place, need) or self._swallow(place)

    def _borrow(self, place: int, need: int) -> bool:
        """Move records that other classes can spare into a class, the cheapest first; False if they are too few."""
        placement = self.placement
        offers = []
        for item in self.group(place):
            for source in placement.places[item]:
                spare = placement.carriers(source) - self.k
                if source != place and (spare > 0 or (placement.units is not None and spare == 0)):
                    extra = placement.cost_of(item, place) - placement.cost_of(item, source)
                    offers.append((extra, -spare, item, source))
        length = len(placement.journal)
        for _, _, item, source in sorted(offers):
            amount = min(need, placement.spared(item, source), placement.gained([(item, need)], place))
            if amount <= 0:
                continue
            placement.move(item, amount, source, place)
            need -= amount
            if need == 0:
                return True
        placement.take_back(length)
        return False

    def _swallow(self, place: int) -> bool:
        """Move all records of a full class into another; False if there is none whose records all fit."""
        placement = self.placement
        mask = set(self.classes.masks[self.classes.mask_of[place]])
        sources = {source for item in self.group(place) for source in placement.places[item]} - {place}
        best, chosen = np.inf, -1
        for source in sorted(sources):
            if placement.carriers(source) < self.k or not set(self.classes.masks[placement.mask_of[source]]) <= mask:
                continue
            extra = sum(
                amount * (placement.cost_of(item, place) - placement.cost_of(item, source))
                for item, amount in placement.members[source].items()
            )
            if extra < best:
                best, chosen = extra, source
        if chosen < 0:
            return False
        for item, amount in list(placement.members[chosen].items()):
            placement.move(item, amount, chosen, place)
        return True

    def _candidates(self, short: Sequence[int], shake: Sequence[float] | None) -> list[tuple[float, int]]:
        """Return classes that some of these items may go to, with what they cost a record at least."""
        rows = np.asarray(short, dtype=np.int64)
        if not len(rows):
            return []
        own = self.classes.of_item[rows]
        amounts = np.asarray([self.placement.amounts[item] for item in short], dtype=np.float64)
        costs = self.classes.cost[self.classes.pattern[rows]]
        valid = own >= 0
        _, inverse = np.unique(np.where(valid, own, -1), return_inverse=True)
        inverse = inverse.reshape(own.shape)
        counted = np.ones(len(rows)) if self.placement.units is not None else amounts
        carried = np.bincount(inverse.ravel(), np.where(valid, counted[:, None], 0.0).ravel())
        paid = np.bincount(inverse.ravel(), np.where(valid, costs * amounts[:, None], 0.0).ravel())
        records = np.bincount(inverse.ravel(), np.where(valid, amounts[:, None], 0.0).ravel())
        ratio = (paid[inverse] + np.maximum(0.0, self.k - carried[inverse]) * costs) / records[inverse]
        ratio = np.where(valid, ratio, np.inf)
        if shake is not None:
            ratio = ratio * np.asarray(shake)[own % len(shake)]
        best = np.argsort(ratio, axis=1, kind="stable")[:, :_BEST]
        across = np.take_along_axis(own, best, axis=1).ravel()
        within = np.take_along_axis(ratio, best, axis=1).ravel()
        found: dict[int, float] = {}
        for place, value in zip(across.tolist(), within.tolist(), strict=True):
            if value < np.inf:
                found[place] = min(value, found.get(place, np.inf))
        return [(value, place) for place, value in found.items()]

    def _last_resort(self, homeless: set[int]) -> bool:
        """Complete any class for the items that are left, the cheapest sets first."""
        for item in sorted(homeless):
            if not self.short_items([item]):
                continue
            for place in self.classes.of_item[item].tolist():
                length = len(self.placement.journal)
                mine = [other for other in self.group(place) if other in homeless] if place >= 0 else []
                if mine and self.complete(place, self.short_items(mine)):
                    break
                self.placement.take_back(length)
            else:
                return False
        return True


_TOGETHER = 4  # classes that are emptied at once, at most
_SHAKEN = 0.3  # the costs by which classes are ordered vary by that much
_NEAR_SETS, _NEAR_ITEMS = 12, 50  # where other classes to empty are looked for


def refill(filling: Filling, tries: int, rng: np.random.Generator) -> None:
    """Empty some classes that share items and fill them again in another order, and keep what costs no more.

    Parameters
    ----------
    filling
        Classes that are all carried by k, or empty; they are changed.
    tries
        How often a class may be filled.
    rng
        What the orders are drawn from.
    """
    placement = filling.placement
    send_spared_back(filling, range(len(placement.amounts)))
    most = filling.tried + tries
    while filling.tried < most:
        places = sorted(place for place in placement.members if _is_suppressed(filling, place))
        if not places:
            return
        filling.tried += 1
        for place in rng.permutation(places).tolist():
            if filling.tried < most and _is_suppressed(filling, place):
                _refill_around(filling, place, rng)


def send_spared_back(filling: Filling, items: Iterable[int]) -> None:
    """Move records that their class can spare to the cheapest class that is carried by k."""
    placement = filling.placement
    for item in items:
        for place in list(placement.places[item]):
            cost, target = placement.cost_of(item, place), place
            if cost == 0.0 or not (amount := placement.spared(item, place)):
                continue
            for other in filling.classes.of_item[item].tolist():
                if other >= 0 and placement.carriers(other) >= filling.k and placement.cost_of(item, other) < cost:
                    cost, target = placement.cost_of(item, other), other
            if target != place:
                placement.move(item, amount, place, target)


def _is_suppressed(filling: Filling, place: int) -> bool:
    return any(filling.placement.home[item] != place for item in filling.placement.members.get(place, ()))


def _refill_around(filling: Filling, place: int, rng: np.random.Generator) -> None:
    placement = filling.placement
    before, length = placement.cost, len(placement.journal)
    touched: set[int] = set()
    for one in [place, *_related(filling, place, rng)]:
        for item, amount in list(placement.members[one].items()):
            touched.add(item)
            if placement.home[item] != one:
                placement.move(item, amount, one, placement.home[item])
    shake = (1 + _SHAKEN * rng.random(997)).tolist()
    filled = filling.fill_for(filling.short_items(sorted(touched)), shake)
    if filled:
        send_spared_back(filling, sorted({item for item, *_ in placement.journal[length:]}))
    if not filled or placement.cost > before + 1e-9:
        placement.take_back(length)
        placement.cost = before


def _related(filling: Filling, place: int, rng: np.random.Generator) -> list[int]:
    """Return some other classes with suppressed cells that hold items near those of a class."""
    placement = filling.placement
    near: set[int] = set()
    for item in placement.members[place]:
        if placement.home[item] == place:
            continue
        for other in filling.classes.of_item[item, :_NEAR_SETS].tolist():
            for one in filling.group(other)[:_NEAR_ITEMS] if other >= 0 else ():
                near.update(there for there in placement.places[one] if placement.home[one] != there)
    places = np.array(sorted(near - {place}), dtype=np.int64)
    drawn: list[int] = rng.permutation(places)[: int(rng.integers(1, _TOGETHER + 1))].tolist()
    return drawn
