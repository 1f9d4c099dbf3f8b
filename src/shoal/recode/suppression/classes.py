"""The combinations that records can be released as: a set of suppressed keys, and the values of the others."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import joined_codes

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


Whole64 = NDArray[np.int64]
Doubles = NDArray[np.float64]

_MOST_SETS = 512  # of keys: all sets of nine
_MOST_ENTRIES = 2 * 10**7  # classes of items that are held at once: 160 MB


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes that every item, records with one combination (and one unit), can be released in.

    Attributes
    ----------
    masks
        The sets of keys that are missing in a class: none first, then by rising cost, all free keys last.
    of_item
        The class of every item for every set, -1 where the item misses another key than these, or would lose one that
        is never suppressed.
    mask_of
        The set of every class.
    cost
        What it costs to release a record of an item, by the keys it misses, with each set; infinite where it cannot be.
    pattern
        The keys that each item misses, as a row of `cost`.
    home
        The class of every item as it is.
    beyond
        What any set that is left out here costs at least; infinite if none is.
    """

    masks: tuple[KeySet, ...]
    of_item: Whole64
    mask_of: Whole64
    cost: Doubles
    pattern: Whole64
    home: Whole64
    beyond: float

    @classmethod
    def of(cls, table: Whole64, importance: Sequence[float], free: Sequence[int]) -> Classes:
        """Return the classes of items with the codes of a stratum and of the keys."""
        absent, pattern = np.unique(table[:, 1:] < 0, axis=0, return_inverse=True)
        pattern = pattern.reshape(-1)
        masks, beyond = _masks(table, absent, importance, free)
        of_item = np.full((len(table), len(masks)), -1, dtype=np.int64)
        cost = np.full((len(absent), len(masks)), np.inf)
        stays = ~np.isin(np.arange(absent.shape[1]), list(free))
        first, mask_of = 0, []
        for number, mask in enumerate(masks):
            outside = np.ones(absent.shape[1], dtype=bool)
            outside[list(mask)] = False
            fits = np.asarray(~((absent & outside) | (~absent & ~outside & stays)).any(axis=1))
            for row in np.flatnonzero(fits):
                cost[row, number] = set_cost(tuple(key for key in mask if not absent[row, key]), importance)
            here = np.flatnonzero(fits[pattern])
            kept = [table[here, 0], *(table[here, key + 1] for key in np.flatnonzero(outside))]
            own = joined_codes(kept, len(here))
            of_item[here, number] = own + first
            size = int(own.max(initial=-1)) + 1
            mask_of.append(np.full(size, number))
            first += size
        place = {mask: number for number, mask in enumerate(masks)}
        home = np.array([place[tuple(np.flatnonzero(row).tolist())] for row in absent], dtype=np.int64)[pattern]
        homes = of_item[np.arange(len(table)), home]
        return cls(masks, of_item, np.concatenate(mask_of), cost, pattern, homes, beyond)


def _masks(
    table: Whole64, absent: NDArray[np.bool_], importance: Sequence[float], free: Sequence[int]
) -> tuple[tuple[KeySet, ...], float]:
    """Return the sets of keys that may be missing, and what those that are left out cost at least.

    They are the cheapest sets and, where these are not all, sets of keys that follow each other, up to all free keys.
    """
    homes = sorted({tuple(np.flatnonzero(row).tolist()) for row in absent})
    most = min(_MOST_SETS, max(len(free) + 1, _MOST_ENTRIES // (len(table) * len(homes))))
    sets: list[KeySet] = [()]
    beyond = np.inf
    for keys in (keys for _, level in levels(free, importance) for keys in level):
        if len(sets) > most:
            beyond = set_cost(keys, importance)
            sets += [tuple(sorted(some)) for some in _in_a_row(free)]
            break
        sets.append(keys)
    # A record that misses keys keeps missing them, whatever it loses.
    joined = {tuple(sorted({*home, *keys})) for home in homes for keys in sets}
    return tuple(sorted(joined, key=lambda keys: (set_cost(keys, importance), len(keys), keys))), beyond


def _in_a_row(free: Sequence[int]) -> list[list[int]]:
    """Return every run of keys, the last one followed by the first; the longest has all."""
    around = [*free, *free]
    return [around[first : first + length] for length in range(1, len(free) + 1) for first in range(len(free))]
