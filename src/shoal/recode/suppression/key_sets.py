"""Sets of keys in the order of what it costs to suppress them."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from itertools import groupby

__all__ = ["KeySet", "levels", "set_cost"]

KeySet = tuple[int, ...]  # positions of keys, rising


def set_cost(keys: KeySet, importance: Sequence[float]) -> float:
    """Return the sum of the importance of some keys; rounded once, so that the order of the keys does not matter."""
    return math.fsum(importance[key] for key in keys)


def levels(free: Sequence[int], importance: Sequence[float]) -> Iterator[tuple[float, list[KeySet]]]:
    """Yield every set of the `free` keys but the empty one, the cheapest first, in lists of equal cost and size.

    Within a list, sets of late keys come first: of equals, the first keys are kept.
    """
    for (cost, _), level in groupby(_by_cost(free, importance), key=lambda one: one[:2]):
        yield cost, [keys for _, _, keys in sorted(level, key=lambda one: one[2], reverse=True)]


def _by_cost(free: Sequence[int], importance: Sequence[float]) -> Iterator[tuple[float, int, KeySet]]:
    """Yield (cost, size, keys), rising in cost and then size, without building all sets first."""
    order = sorted(free, key=lambda key: (importance[key], key))
    heap: list[tuple[float, int, tuple[int, ...]]] = []

    def push(places: tuple[int, ...]) -> None:
        cost = set_cost(tuple(order[place] for place in places), importance)
        heapq.heappush(heap, (cost, len(places), places))

    if order:
        push((0,))
    while heap:
        cost, size, places = heapq.heappop(heap)
        yield cost, size, tuple(sorted(order[place] for place in places))
        following = places[-1] + 1
        if following < len(order):  # every set has one parent: the one before its last key moved on, or without it
            push((*places[:-1], following))
            push((*places, following))
