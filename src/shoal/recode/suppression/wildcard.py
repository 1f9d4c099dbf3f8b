"""Suppression where a missing value agrees with every value: each record loses its cheapest set of keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import LARGEST, joined_codes
from shoal.errors import TooFewRecordsError
from shoal.progress import advance
from shoal.recode.suppression.classes import KeySet, levels, set_cost

Whole64 = NDArray[np.int64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Agreement:
    """The different combinations of a file, and how many records agree with each of them on a set of keys.

    Attributes
    ----------
    table
        The codes of every combination, one row each, -1 for a missing value.
    records
        How many records have it.
    strata
        Its stratum; records agree only within one.
    observed
        The sets of keys that are observed together, one row each.
    pattern
        Which of them each combination has.
    """

    table: Whole64
    records: Whole64
    strata: Whole64
    observed: Truths
    pattern: Whole64

    @classmethod
    def of(cls, table: Whole64, records: Whole64, strata: Whole64) -> Agreement:
        """Return the agreement of different combinations."""
        observed, pattern = np.unique(table >= 0, axis=0, return_inverse=True)
        return cls(table, records, strata, observed, pattern.reshape(-1))

    @property
    def work(self) -> int:
        """How many cells are compared to count once, about; small tables take as long as some thousand rows."""
        return (len(self.table) + 2_000) * int(self.table.shape[1]) * len(self.observed)

    def counts(self, kept: KeySet) -> Whole64:
        """Return how many records agree with each combination on the `kept` keys; 0 where one of these is missing."""
        restricted, member = np.unique(self.observed[:, kept], axis=0, return_inverse=True)
        member = member.reshape(-1)[self.pattern]
        full = np.flatnonzero(restricted[member].all(axis=1))
        agreeing = np.zeros(len(self.table), dtype=np.int64)
        if not len(full):
            return agreeing
        for number, both in enumerate(restricted):
            others = full if both.all() else np.flatnonzero(member == number)
            together = full if both.all() else np.concatenate([full, others])
            keys = [self.table[together, key] for key, is_kept in zip(kept, both, strict=True) if is_kept]
            alike = joined_codes([self.strata[together], *keys], len(together))
            there = alike[len(together) - len(others) :]
            found = np.bincount(there, self.records[others], int(alike.max()) + 1).astype(np.int64)
            agreeing[full] += found[alike[: len(full)]]
        return agreeing


class KeptKeys:
    """Whether k holds for combinations that keep some of their keys and lose the others.

    Parameters
    ----------
    agreement
        The combinations.
    k
        How many records have to agree with each on everything it keeps.
    subsets
        For a number of keys, how many have to agree on every set of so many of the kept keys.
    """

    def __init__(self, agreement: Agreement, k: int, subsets: Mapping[int, int]) -> None:
        self.agreement, self.k = agreement, k
        self.subsets = {size: least for size, least in sorted(subsets.items()) if least > k}
        self.counted = 0  # how many sets of keys were counted, for limits of work
        self._holds: dict[tuple[int, KeySet], Truths] = {}

    def holds(self, kept: KeySet) -> tuple[Truths, Whole64]:
        """Return for which combinations k holds where they keep these keys, and how many records agree with each."""
        counts = self._counts(kept)
        enough = counts >= self.k
        for size, least in self.subsets.items():
            for some in combinations(kept, min(size, len(kept))):
                enough &= self._subset_holds(some, least)
        return enough, counts

    def _counts(self, kept: KeySet) -> Whole64:
        self.counted += 1
        return self.agreement.counts(kept)

    def _subset_holds(self, some: KeySet, least: int) -> Truths:
        if (least, some) not in self._holds:
            self._holds[least, some] = self._counts(some) >= least
        return self._holds[least, some]


def distinct_combinations(columns: Sequence[Whole64]) -> tuple[Whole64, Whole64, Whole64]:
    """Return the different rows of some columns in their order, how often each comes, and the number of each row."""
    joined = np.zeros(len(columns[0]), dtype=np.int64)
    many = 1
    for column in columns:  # one number a row, which sorts as the row does; numbered anew before it grows too large
        width = int(column.max(initial=-1)) + 2
        if many * width >= LARGEST:
            values, joined = np.unique(joined, return_inverse=True)
            joined, many = joined.reshape(-1), len(values)
        joined, many = joined * width + column + 1, many * width
    _, first, number, counts = np.unique(joined, return_index=True, return_inverse=True, return_counts=True)
    table = np.column_stack([column[first] for column in columns])
    return table, counts.astype(np.int64), number.reshape(-1).astype(np.int64)


Doubles = NDArray[np.float64]

_NEAREST = 200  # combinations that are looked at closely


def nearest_sets(
    agreement: Agreement, rows: Whole64, k: int, importance: Sequence[float], free: Sequence[int]
) -> tuple[Truths, Doubles]:
    """Return a set of keys for some combinations without which k records agree with each, and what any set costs.

    Whoever agrees in the end differs only in keys that are lost. So the set costs at least as much as the keys in which
    the k-th nearest record differs; and the keys in which near records differ, added up until k agree, are a set.

    Parameters
    ----------
    agreement
        The combinations.
    rows
        Those that need a set; losing all free keys has to be enough for them.
    k, importance, free
        As in `wildcard_suppression`.
    """
    costs = np.asarray(importance, dtype=np.float64)
    fixed = np.ones(len(costs), dtype=bool)
    fixed[list(free)] = False
    lost = np.zeros((len(rows), len(costs)), dtype=bool)
    least = np.zeros(len(rows))
    for number, row in enumerate(rows.tolist()):
        own = agreement.table[row]
        differ = (agreement.table != own) & (agreement.table >= 0) & (own >= 0)
        near = np.flatnonzero((agreement.strata == agreement.strata[row]) & ~differ[:, fixed].any(axis=1))
        distance = (differ[near] * costs).sum(axis=1)
        order = np.argsort(distance, kind="stable")
        enough = int(np.searchsorted(np.cumsum(agreement.records[near[order]]), k))
        least[number] = distance[order[enough]]
        close = near[order[: max(_NEAREST, enough + 1)]]
        lost[number] = _added_up(differ[close], agreement.records[close], k, costs)
    return lost, least


def _added_up(differ: Truths, records: Whole64, k: int, costs: Doubles) -> Truths:
    """Return keys in which records differ, the cheapest to add first, until k differ in no others; none too many."""
    chosen = np.zeros(len(costs), dtype=bool)
    while True:
        extra = ((differ & ~chosen) * costs).sum(axis=1)
        if records[extra == 0].sum() >= k:
            break
        extra[extra == 0] = np.inf
        chosen |= differ[int(np.argmin(extra))]
    for key in sorted(np.flatnonzero(chosen).tolist(), key=lambda one: (-costs[one], one)):
        chosen[key] = False
        if records[~(differ & ~chosen).any(axis=1)].sum() < k:
            chosen[key] = True
    return chosen


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
    search = _NearestSearch(agreement, KeptKeys(agreement, k, subsets), importance, frozenset(free))
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


class _NearestSearch:
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
