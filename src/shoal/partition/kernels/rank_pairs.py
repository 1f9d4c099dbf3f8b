"""Ranks put into pairs that are not far apart: each with one drawn from those that are left within a window."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel


@inner_kernel
def _left_up_to(tree: Integers, rank: Scalar) -> Scalar:
    """Return how many ranks up to `rank` are left."""
    count, place = 0, rank + 1
    while place > 0:
        count += tree[place]
        place -= place & -place
    return count


@inner_kernel
def _take(tree: Integers, rank: Scalar) -> None:
    """Take a rank away from those that are left."""
    place = rank + 1
    while place < len(tree):
        tree[place] -= 1
        place += place & -place


@inner_kernel
def _find(tree: Integers, number: Scalar) -> Scalar:
    """Return the rank that is the `number`-th of those left, from 1."""
    place, step = 0, 1
    while 2 * step < len(tree):
        step *= 2
    while step > 0:
        if place + step < len(tree) and tree[place + step] < number:
            place += step
            number -= tree[place]
        step //= 2
    return place


@kernel
def pair_ranks(window: Scalar, random: Doubles, partners: Integers) -> None:
    """Give every rank, from the first on, a partner drawn evenly from those left among the `window` ranks after it.

    A rank finds one whenever `window` ranks come after it: at most window - 1 of them can have a partner before it. So
    of an even number all have one, and of an odd number one of the last `window` ranks is its own.

    Parameters
    ----------
    window
        How many ranks away a partner may be, 1 or more.
    random
        A number from 0 up to 1 for every rank.
    partners
        Where the partner of every rank goes.
    """
    n = len(partners)
    tree = np.zeros(n + 1, dtype=np.int64)  # of Fenwick: how many are left, in sums that are quick to change
    for place in range(1, n + 1):
        tree[place] = place & -place
        partners[place - 1] = -1
    for rank in range(n):
        if partners[rank] >= 0:
            continue
        _take(tree, rank)  # of those before it none is left
        left = _left_up_to(tree, min(n - 1, rank + window))
        if left == 0:
            partners[rank] = rank
            continue
        partner = _find(tree, min(int(random[rank] * left), left - 1) + 1)
        _take(tree, partner)
        partners[rank], partners[partner] = partner, rank
