"""Suppression where a missing value agrees with every value: each record loses its cheapest set of keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TooFewRecordsError
from shoal.progress import advance
from shoal.recode.suppression.agreement import Agreement, KeptKeys
from shoal.recode.suppression.key_sets import KeySet, levels, set_cost
from shoal.recode.suppression.nearest import nearest_sets

__all__ = ["LostKeys", "wildcard_suppression"]

Whole64 = NDArray[np.int64]
Truths = NDArray[np.bool_]

_MOST_CELLS = 2 * 10**8  # that may be compared before the search for the cheapest sets ends: some ten seconds' work

_MOST_NEAREST = 10**9  # cells that may be compared to look for the nearest records of the others


@dataclass(frozen=True, eq=False)
class LostKeys:
    """Which keys each combination loses, and what at least each has to lose, in importance."""

    lost: Truths
    least: NDArray[np.float64]


def wildcard_suppression(
    agreement: Agreement, k: int, importance: Sequence[float], free: Sequence[int], subsets: Mapping[int, int]
) -> LostKeys:
    """Return the keys that each combination loses so that, on what it keeps, k records agree with it.

    Only what a combination itself keeps counts: that another one loses a key too does not help it, so that each has
    a problem of its own, and its cheapest set is found by going through all sets, the cheapest first. Of sets of equal
    cost the smaller is taken, then the one on which more records agree, then the one with later keys.

    Parameters
    ----------
    agreement
        The combinations.
    k
        How many records have to agree.
    importance
        The cost of a suppressed cell of each key.
    free
        The keys that may be suppressed.
    subsets
        As in `KeptKeys`.

    Raises
    ------
    TooFewRecordsError
        Some combination has fewer than k records that agree with it on the keys that are never suppressed.
    """
    search = _Search(agreement, KeptKeys(agreement, k, subsets), importance, frozenset(free))
    search.find_violators()
    most = max(1, _MOST_CELLS // max(1, agreement.work))
    cost = 0.0
    for cost, level in levels(sorted(free), importance):
        if not search.open.any() or search.kept.counted >= most:
            break
        search.try_level(cost, level)
    if search.open.any():
        search.least[search.open] = cost
        work = int(search.open.sum()) * agreement.table.size
        if search.kept.subsets or work > _MOST_NEAREST:
            search.close_by_chains(sorted(free))
        else:
            search.close_by_nearest(sorted(free))
    return LostKeys(search.lost, search.least)


class _Search:
    """The combinations for which no set of keys was found yet."""

    def __init__(self, agreement: Agreement, kept: KeptKeys, importance: Sequence[float], free: frozenset[int]) -> None:
        self.agreement, self.kept, self.importance, self.free = agreement, kept, importance, free
        self.open = np.zeros(len(agreement.table), dtype=bool)
        self.lost = np.zeros(agreement.table.shape, dtype=bool)
        self.least = np.zeros(len(agreement.table))
        self.violators = 1

    def find_violators(self) -> None:
        """Open the combinations for which k does not hold; refuse those for which it cannot."""
        for place, members in self._patterns(np.ones(len(self.open), dtype=bool)):
            self.open[members] = ~self.kept.holds(place)[0][members]
            if not self.open[members].any():
                continue
            fixed = tuple(key for key in place if key not in self.free)
            enough, counts = self.kept.holds(fixed)
            hopeless = members[self.open[members] & ~enough[members]]
            if len(hopeless):
                self._refuse(int(counts[hopeless].min()), fixed)

        self.violators = max(1, int(self.open.sum()))

    def try_level(self, cost: float, level: Sequence[KeySet]) -> None:
        """Close the combinations for which k holds without one of the sets of a level."""
        agreeing = np.zeros(len(self.open), dtype=np.int64)  # on the best set of the level
        lost = np.zeros_like(self.lost)
        for keys in level:
            for observed, members in self._patterns(self.open):
                if not set(keys) <= set(observed):
                    continue
                enough, counts = self.kept.holds(tuple(key for key in observed if key not in keys))
                better = members[enough[members] & (counts[members] > agreeing[members])]
                agreeing[better] = counts[better]
                lost[better] = False
                lost[np.ix_(better, np.array(keys, dtype=np.int64))] = True
        closed = agreeing > 0
        self.lost[closed] = lost[closed]
        self.least[closed] = cost
        advance(float(closed.sum()) / self.violators)
        self.open &= ~closed

    def close_by_nearest(self, free: Sequence[int]) -> None:
        """Close what is left by losing the keys in which the nearest records differ."""
        rows = np.flatnonzero(self.open)
        self.lost[rows], least = nearest_sets(self.agreement, rows, self.kept.k, self.importance, free)
        self.least[rows] = np.maximum(self.least[rows], least)
        self.open[:] = False

    def close_by_chains(self, free: Sequence[int]) -> None:
        """Close what is left by losing one key after the other, in several orders; the cheapest is kept."""
        best = np.full(len(self.open), np.inf)
        lost = np.zeros_like(self.lost)
        for first in range(len(free)):
            order = [*free[first:], *free[:first]]
            pending = self.open.copy()
            for length in range(1, len(order) + 1):
                for observed, members in self._patterns(pending):
                    keys = tuple(sorted(set(order[:length]) & set(observed)))
                    enough = self.kept.holds(tuple(key for key in observed if key not in keys))[0]
                    closed = members[enough[members]]
                    pending[closed] = False
                    better = closed[set_cost(keys, self.importance) < best[closed]]
                    best[better] = set_cost(keys, self.importance)
                    lost[better] = False
                    lost[np.ix_(better, np.array(keys, dtype=np.int64))] = True
        self.lost[self.open] = lost[self.open]
        self.open[:] = False

    def _patterns(self, among: Truths) -> list[tuple[KeySet, Whole64]]:
        """Return the sets of keys observed together among some combinations, and the combinations of each."""
        rows = np.flatnonzero(among)
        pattern = self.agreement.pattern[rows]
        return [
            (tuple(np.flatnonzero(self.agreement.observed[number]).tolist()), rows[pattern == number])
            for number in np.unique(pattern)
        ]

    def _refuse(self, records: int, fixed: KeySet) -> None:
        k = max([self.kept.k, *self.kept.subsets.values()])
        alike = fixed or len(np.unique(self.agreement.strata)) > 1
        where = "in every stratum, alike in the keys that are never suppressed" if alike else "in all"
        raise TooFewRecordsError(
            f"k={k} needs at least {k} records {where}; somewhere there are {records}. Lower k, or suppress more keys.",
            k=k,
            records=records,
        )
