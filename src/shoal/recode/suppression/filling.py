"""Classes filled until each is carried by k: greedily, then emptied and filled again where that costs less."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.recode.suppression.classes import Classes
from shoal.recode.suppression.placement import Placement

__all__ = ["Filling"]

Whole64 = NDArray[np.int64]
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
