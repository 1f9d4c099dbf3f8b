"""Kernels of the lower bound: the pairs of near records, and prices of records, raised one after the other."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel
from shoal.partition.kernels.keep_least import keep_least
from shoal.partition.kernels.squared_distance import squared_distance


@kernel
def measure_lists(X: Doubles, neighbours: Integers, squared: Doubles) -> None:
    """Fill `squared` with the squared distances from every record to its neighbours."""
    for i in range(neighbours.shape[0]):
        for t in range(neighbours.shape[1]):
            squared[i, t] = squared_distance(X, i, X[neighbours[i, t]])


@inner_kernel
def _is_listed(neighbours: Integers, of: Scalar, row: Scalar) -> Scalar:
    is_listed = False
    for t in range(neighbours.shape[1]):
        is_listed |= neighbours[of, t] == row
    return is_listed


@kernel
def count_pairs(neighbours: Integers, counts: Integers) -> None:
    """Count, for every record, those that it lists or that list it."""
    for i in range(neighbours.shape[0]):
        counts[i] += neighbours.shape[1]
        for j in neighbours[i]:
            if not _is_listed(neighbours, j, i):
                counts[j] += 1


@kernel
def list_pairs(neighbours: Integers, squared: Doubles, starts: Integers, others: Integers, distances: Doubles) -> None:
    """List, for every record, those that it lists or that list it, from its place in `starts` on."""
    filled = starts.copy()
    for i in range(neighbours.shape[0]):
        for t in range(neighbours.shape[1]):
            j = neighbours[i, t]
            others[filled[i]] = j
            distances[filled[i]] = squared[i, t]
            filled[i] += 1
            if not _is_listed(neighbours, j, i):
                others[filled[j]] = i
                distances[filled[j]] = squared[i, t]
                filled[j] += 1


@kernel
def raise_prices(
    starts: Integers, others: Integers, distances: Doubles, k: Scalar, highest: Doubles, prices: Doubles
) -> None:
    """Set each price in turn to where the bound is greatest, given all other prices.

    As a function of one price the bound rises until k-1 pairs of the record cost less than the two prices
    together, and falls from the next pair on. In between it is level; the middle leaves most room to the others.
    """
    least = np.empty(k)
    for i in range(prices.shape[0]):
        count = 0
        for t in range(starts[i], starts[i + 1]):
            cost = distances[t] - prices[others[t]]
            if count < k or cost < least[k - 1]:  # asked here too: a tenth faster
                count = keep_least(least, count, cost)
        price = least[k - 2]
        if count == k:
            price = 0.5 * (price + least[k - 1])
        prices[i] = min(max(price, 0.0), highest[i])


@kernel
def sum_overpaid(starts: Integers, others: Integers, distances: Doubles, prices: Doubles, by_record: Doubles) -> None:
    """Sum, for every record, by how much two prices exceed the distance, over the pairs with a later record."""
    for i in range(prices.shape[0]):
        total = 0.0
        for t in range(starts[i], starts[i + 1]):
            if others[t] > i:
                total += max(prices[i] + prices[others[t]] - distances[t], 0.0)
        by_record[i] = total
