"""A better lower bound, from prices of records that triples of near records support; for any k."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.partition.geometry.neighbours import lists_of_neighbours, nearest_records
from shoal.partition.geometry.tree import find_twins, plant

ROUNDING = 1e-9  # relative; more than the sums can be off
LONGEST_LIST = 200
MOST_LISTED = 4_000_000  # neighbours of all records together, where lists of k do not need more
_SWEEPS_OF_NEIGHBOURS = 10  # over the prices; ten more would add less than a thousandth


def bound_of_neighbours(X: NDArray[np.float64], k: int) -> float:
    """Return a lower bound on the SSE of all partitions of these records into groups of at least k.

    Notes
    -----
    The SSE of a group of s records is the sum of the squared distances D of its pairs, divided by s. Let y be k/s
    for every pair of records in one group, and 0 for all others. Then y is at most 1, sums up to k (s-1)/s, which
    is at least k-1, over the pairs of any record, and the SSE of the partition is the sum of D y, divided by k.
    These two properties alone leave a linear program, a fractional matching of every record with k-1 others, whose
    minimum can only be smaller. By duality any prices p >= 0 of the records bound that minimum from below:

        k SSE >= (k-1) sum_i p_i - sum_{i<j} max(0, p_i + p_j - D_ij).

    With half the D of its (k-1)th neighbour as the price of a record, this is at least the well-known bound: the
    sum over all records of their k-1 smallest D, divided by 2k. It is then made larger by setting one price after
    the other to its best. Only near pairs are listed; a price is at most half the D of the record's last listed
    neighbour, so that no other pair counts. For millions of records and a large k the well-known bound is returned.
    """
    n = len(X)
    if (k - 1) * n > 5 * MOST_LISTED:
        return sum(_simple_bound(distances, k) for _, _, distances in lists_of_neighbours(X, k - 1))
    length = max(k - 1, min(LONGEST_LIST, MOST_LISTED // n))
    return lower_bound_by_neighbours(X, nearest_records(X, min(length, n - 1)), k)


def lower_bound_by_neighbours(X: NDArray[np.float64], neighbours: NDArray[np.int32], k: int) -> float:
    """Return the bound that follows from these neighbours, the nearest ones of every record, nearest first.

    Longer lists give a better bound. With fewer than k-1 neighbours it is below the well-known one.
    """
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels import prices as kernels

    n, length = neighbours.shape
    length = min(length, max(k - 1, MOST_LISTED // n))
    neighbours = np.ascontiguousarray(neighbours[:, :length])
    squared = np.empty((n, length))
    kernels.measure_lists(X, neighbours, squared)
    if length < k - 1:
        return _simple_bound(squared, k)

    counts = np.zeros(n, dtype=np.int64)
    kernels.count_pairs(neighbours, counts)
    starts = np.concatenate([[0], np.cumsum(counts)])
    others = np.empty(starts[-1], dtype=np.int32)
    distances = np.empty(starts[-1])
    kernels.list_pairs(neighbours, squared, starts, others, distances)
    prices = squared[:, k - 2] / 2
    highest = squared[:, -1] / 2
    overpaid = np.empty(n)
    best = 0.0
    for sweep in range(_SWEEPS_OF_NEIGHBOURS + 1):
        if sweep:
            kernels.raise_prices(starts, others, distances, k, highest, prices)
        kernels.sum_overpaid(starts, others, distances, prices, overpaid)
        paid = (k - 1) * prices.sum() * (1 - ROUNDING)
        best = max(best, float(paid - overpaid.sum()) / k)
    return best


def _simple_bound(squared: NDArray[np.float64], k: int) -> float:
    """Return what these records add to the well-known bound; neighbours not listed count like the last one listed."""
    total = squared[:, : k - 1].sum() + max(0, k - 1 - squared.shape[1]) * squared[:, -1].sum()
    return float(total) / (2 * k) * (1 - ROUNDING)


_MOST_TRIPLES = 6_000_000
_LISTED_FIRST = 15  # more neighbours than k: whose pairs are in the linear program from the beginning
_STEP_SIZE = 0.15  # of a price
_LEAST_PRICE = 0.1  # of the mean price, where steps are measured; identical records have a price of 0
_LEAST_WANTED = 1e-3  # what has to be short at a pair for it to be added, as a part of a step
_MOST_WORK = 1e9  # steps by triples, where no time is given
_MOST_ROUNDS = 20
_STEPS = 100  # in a round
_STEPS_AT_ONCE = 10  # between two looks at the clock
_GROWTH = 0.3  # pairs added in a round, as a part of those there are
_SWEEPS = 4  # over the prices, after every round


def bound_by_prices(
    X: NDArray[np.float64], k: int, *, seconds: float | None = None, start: NDArray[np.float64] | None = None
) -> tuple[float, NDArray[np.float64]]:
    """Return a lower bound on the SSE of all partitions into groups of at least k, and the prices it comes from.

    The prices of the records of any group of at least k together are at most its squared error, so that they are a
    feasible solution of the dual of set partitioning. Over all records they sum up to the bound, or to less where the
    bound of the neighbours is as good.

    Parameters
    ----------
    X
        The records, scaled so that squares are safe.
    k
        The least number of records in a group.
    seconds
        How long to make it better; None: a fixed number of steps, with the same result every time.
    start
        Prices to start from.

    Notes
    -----
    `bound_of_neighbours` is the dual of a linear program about pairs: y_ij is k/s for two records in one group of s,
    and 0 for others. Here z_ijl is the same for three records in one group. A pair in a group has s-2 >= k-2 others
    with it, and three records are together only if any two of them are:

        sum_l z_ijl >= (k-2) y_ij,        z_ijl <= y_ij, y_il, y_jl.

    This says what pairs alone cannot: that the near records of a record have to be near to each other. In the dual,
    every pair may ask for a toll a_ij >= 0 of every third record, which raises its distance by k-2 tolls; every triple
    has to pay the tolls of its three pairs by lowering the distances of these pairs. Any tolls and payments turn
    the distances D into others, D', that no group of at least k has a larger sum of, and the bound of
    the neighbours holds with them: k SSE >= (k-1) sum_i p_i - sum_{i<j} max(0, p_i + p_j - D'_ij). Without tolls it is
    the bound of the neighbours.

    Good tolls come from steps of a primal-dual method on the pairs and triples of near records. Then every other triple
    pays as well, from the pair where most is left between distance and prices; tolls that would cost more than they
    bring are lowered. Pairs that could not pay are listed in the next round. A pair of records that are not among the
    nearest ones of each other is at least as far as the last one listed; price and tolls of a record together
    are kept below half of that distance, so that such a pair can pay whatever is asked of it.
    """
    until = None if seconds is None else time.monotonic() + seconds
    n = len(X)
    length = min(n - 1, MOST_LISTED // n)
    if length < k - 1:
        return bound_of_neighbours(X, k), np.zeros(n)
    neighbours = nearest_records(X, length)
    bound = lower_bound_by_neighbours(X, neighbours[:, :LONGEST_LIST], k)
    # Near records get near numbers, so that what a step reads is in the cache: several times as fast on large files.
    order = np.argsort(plant(X, *find_twins(X)).place, kind="stable")
    place = np.argsort(order).astype(np.int32)
    X, neighbours = X[order], place[neighbours[order]]
    pairs = _pairs_of(X, neighbours)
    first = _squared_distances(X, np.arange(n), neighbours[:, k - 2]) / 2
    best = _shares(pairs, k, pairs.distances, first, np.zeros(n))
    if k > 2 and first.any():
        ascent = _Ascent(pairs, neighbours, k, first)
        if start is not None:
            ascent.prices = np.maximum(start[order], 0) * k / (k - 1)
        while not ascent.is_over(until):
            best = max(best, ascent.next_shares(until), key=np.sum)
    return max(bound, float(best.sum())), best[place]


@dataclass(frozen=True)
class _NearPairs:
    """Pairs of near records, numbered, and for every record the pairs it is in."""

    ends: NDArray[np.int32]
    starts: NDArray[np.int64]
    others: NDArray[np.int32]
    numbers: NDArray[np.int32]
    distances: NDArray[np.float64]
    reach: NDArray[np.float64]  # two records that are no pair are at least as far as these of both together


def _pairs_of(X: NDArray[np.float64], neighbours: NDArray[np.int32]) -> _NearPairs:
    n, length = neighbours.shape
    keys = np.sort(_keys_of_lists(neighbours))
    keys = keys[np.append(True, keys[1:] > keys[:-1])]
    ends = np.stack([keys // n, keys % n], axis=1).astype(np.int32)
    reach = np.full(n, np.inf)
    if length < n - 1:
        reach = _squared_distances(X, np.arange(n), neighbours[:, -1]) / 2 * (1 - ROUNDING)
    return _NearPairs(*_lists_by_record(ends, n), _squared_distances(X, *ends.T) * (1 - ROUNDING), reach)


def _lists_by_record(
    ends: NDArray[np.int32], n: int
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels.prices import list_by_record

    starts = np.concatenate([[0], np.cumsum(np.bincount(ends.ravel(), minlength=n))])
    others, numbers = np.empty((2, starts[-1]), dtype=np.int32)
    list_by_record(ends, starts, others, numbers)
    return ends, starts, others, numbers


def _keys_of_lists(neighbours: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return a number for every pair of a record and a listed one, the same for both orders."""
    n, length = neighbours.shape
    rows = np.repeat(np.arange(n), length)
    listed = neighbours.ravel()
    keys: NDArray[np.int64] = np.minimum(rows, listed) * n + np.maximum(rows, listed)
    return keys


def _squared_distances(
    X: NDArray[np.float64], rows: NDArray[np.integer], others: NDArray[np.integer]
) -> NDArray[np.float64]:
    squared = np.zeros(len(rows))
    for column in X.T:
        squared += (column[rows] - column[others]) ** 2
    return squared


def _shares(
    pairs: _NearPairs, k: int, distances: NDArray[np.float64], prices: NDArray[np.float64], tolls: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what every record adds to the bound with these distances, and raise the prices, in place."""
    from shoal.partition.kernels import prices as kernels
    from shoal.partition.kernels.prices import raise_prices

    listed = distances[pairs.numbers]
    best = np.zeros(len(prices))
    for sweep in range(_SWEEPS + 1):
        if sweep:
            raise_prices(pairs.starts, pairs.others, listed, k, pairs.reach - tolls, prices)
        shares = np.empty(len(prices))
        kernels.share_bound(pairs.starts, pairs.others, listed, k, prices, shares)
        shares -= ROUNDING * (prices + tolls)
        best = max(best, shares, key=np.sum)
    return best


class _Ascent:
    """The linear program of near pairs and triples, and how far its solution has come."""

    def __init__(self, pairs: _NearPairs, neighbours: NDArray[np.int32], k: int, prices: NDArray[np.float64]) -> None:
        begin = time.monotonic()
        n = len(prices)
        self.pairs = pairs
        self.k = k
        self.prices = prices
        self.work = 0.0
        self.units = np.maximum(prices, _LEAST_PRICE * prices.mean()) * _STEP_SIZE
        self.core = np.empty(0, dtype=np.int64)
        self.together, self.tolls = np.empty((2, 0))
        self.keys = np.empty(0, dtype=np.int64)
        self.all_three, self.paid = np.empty(0), np.empty((0, 3))
        keys = pairs.ends[:, 0].astype(np.int64) * n + pairs.ends[:, 1]
        length = min(k + _LISTED_FIRST, neighbours.shape[1])
        while not self._list(np.searchsorted(keys, _keys_of_lists(neighbours[:, :length]))):
            length = length * 2 // 3
        self.seconds = time.monotonic() - begin  # about what a round takes after its steps

    def _list(self, added: NDArray[np.int64]) -> bool:
        """List these pairs too, and all triples of listed pairs, unless that would be too many."""
        from shoal.partition.kernels.prices import find_triples

        pairs = self.pairs
        n = len(pairs.starts) - 1
        number = np.full(len(pairs.ends), -1, dtype=np.int32)
        number[self.core] = number[added] = 0
        core = np.flatnonzero(number == 0)
        number[core] = np.arange(len(core))
        lists = _lists_by_record(pairs.ends[core], n)
        count = find_triples(*lists, np.empty((0, 3), dtype=np.int32))
        if count > _MOST_TRIPLES:
            return False
        self.triples = np.empty((count, 3), dtype=np.int32)
        find_triples(*lists, self.triples)
        ends = pairs.ends[core].astype(np.int64)
        first, second = self.triples[:, 0], self.triples[:, 1]
        keys = (ends[first, 0] * n + ends[first, 1]) * n + ends[second, 1]  # rising, like the pairs
        places = np.searchsorted(core, self.core), np.searchsorted(keys, self.keys)
        self.together, self.tolls = (_spread(old, places[0], len(core)) for old in (self.together, self.tolls))
        self.all_three, self.paid = (_spread(old, places[1], count) for old in (self.all_three, self.paid))
        self.core, self.number, self.keys = core, number, keys
        return True

    def is_over(self, until: float | None) -> bool:
        """Return whether the time is up, or without one all the work was done."""
        return self.work >= _MOST_WORK if until is None else time.monotonic() + self.seconds >= until

    def next_shares(self, until: float | None) -> NDArray[np.float64]:
        """Make a round of steps and return what every record adds to the bound after it."""
        from shoal.partition.kernels.prices import climb

        ends, distances = self.pairs.ends[self.core], self.pairs.distances[self.core]
        for _ in range(_STEPS // _STEPS_AT_ONCE):
            solution = self.together, self.all_three, self.prices, self.tolls, self.paid
            climb(ends, distances, self.triples, self.k, self.units, *solution, _STEPS_AT_ONCE)
            if until is not None and self.is_over(until):
                break
        self.work += max(_STEPS * len(self.triples), _MOST_WORK / _MOST_ROUNDS)
        begin = time.monotonic()
        shares = self._shares_after_tolls()
        self.seconds = time.monotonic() - begin
        return shares

    def _shares_after_tolls(self) -> NDArray[np.float64]:
        """Return what every record adds to the bound where all triples pay, and list the pairs that could not."""
        from shoal.partition.kernels.prices import pay_tolls

        pairs, k, n = self.pairs, self.k, len(self.prices)
        ends = pairs.ends[self.core]
        prices = np.minimum(self.prices, pairs.reach)
        total = _toll_by_record(ends, self.tolls, n)
        part = np.minimum(1, (pairs.reach - prices) / np.maximum(total, 1e-300))
        tolls = self.tolls * part[ends].min(axis=1)
        of_ends = prices[pairs.ends[:, 0]] + prices[pairs.ends[:, 1]]
        room = pairs.distances - of_ends
        wanted = np.zeros(len(room))
        lists = (pairs.ends, pairs.starts, pairs.others, pairs.numbers)
        pay_tolls(*lists, self.number, self.core, self.triples, k, tolls, self.paid.copy(), room, wanted)
        shares = _shares(pairs, k, room + of_ends, prices, _toll_by_record(ends, tolls, n))

        added = np.flatnonzero(wanted > _LEAST_WANTED * self.units.mean())
        most = int(_GROWTH * len(self.core))
        if len(added) > most:
            added = added[np.argsort(-wanted[added], kind="stable")[:most]]
        if len(added):
            self._list(added)
        return shares


def _toll_by_record(ends: NDArray[np.int32], tolls: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    total: NDArray[np.float64] = np.bincount(ends.ravel(), np.repeat(tolls, 2), n).astype(np.float64)
    return total


def _spread(values: NDArray[np.float64], places: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """Return an array of zeros with these values at their places."""
    spread = np.zeros((count, *values.shape[1:]))
    spread[places] = values
    return spread
