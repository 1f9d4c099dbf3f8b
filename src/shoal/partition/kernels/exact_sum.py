"""Kernels for column totals without rounding, from which records can be taken away again.

A total is kept as Shewchuk's expansion, the `partials` of `math.fsum`: numbers that do not overlap and whose sum
is exact. `rounded_total` rounds it once. So the total of what remains is the same whatever was added and taken
away before, and equals ``math.fsum`` of what remains.

Reference: J. R. Shewchuk (1997), Adaptive precision floating-point arithmetic and fast robust geometric
predicates, Discrete & Computational Geometry 18.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel

# Partials that do not overlap and are not adjacent: at most one in every two bits that a double can have.
MOST_PARTIALS = 1100


@inner_kernel
def _add(partials: Doubles, x: Scalar) -> None:
    """Add `x` to an expansion; its length is in the first place."""
    length = 1
    for i in range(1, 1 + np.int64(partials[0])):
        y = partials[i]
        high = x + y
        part = high - x
        low = (x - (high - part)) + (y - part)  # what the rounding of `high` lost
        if low != 0.0:
            partials[length] = low
            length += 1
        x = high
    if x != 0.0:
        partials[length] = x
        length += 1
    partials[0] = length - 1


@kernel
def add_rows(totals: Doubles, X: Doubles, rows: Integers, sign: Scalar) -> None:
    """Add (`sign` 1) or take away (-1) the observed values of some rows to the totals of the columns."""
    for j in range(X.shape[1]):
        for row in rows:
            if X[row, j] == X[row, j]:
                _add(totals[j], sign * X[row, j])


@inner_kernel
def rounded_total(partials: Doubles) -> Scalar:
    """Round an expansion to the nearest double, half to even, as `math.fsum` does."""
    i = np.int64(partials[0])
    if i == 0:
        return 0.0
    high = partials[i]
    low = 0.0
    while i > 1:
        i -= 1
        x = high
        high = x + partials[i]
        low = partials[i] - (high - x)
        if low != 0.0:
            break
    # `high` was rounded half to even, but what is below `low` may say that it was no half.
    if i > 1 and low * partials[i - 1] > 0.0:
        x = high + 2.0 * low
        if 2.0 * low == x - high:
            high = x
    return high


@kernel
def total_columns(X: Doubles, totals: Doubles) -> None:
    """Add all the observed values of every column to its total.

    The same as `add_rows`, ten times faster: values are cut at a bit so high that the upper parts add up without
    rounding, and what is below it goes through again until nothing is left (Rump, Ogita and Oishi 2008, Accurate
    floating-point summation, SIAM Journal on Scientific Computing 31).
    """
    n = X.shape[0]
    rest = np.empty(n)
    for j in range(X.shape[1]):
        largest = 0.0
        for i in range(n):
            rest[i] = 0.0 if np.isnan(X[i, j]) else X[i, j]
            largest = max(largest, abs(rest[i]))
        while largest > 0.0:
            cut = math.ldexp(1.0, math.frexp(largest)[1]) * math.ldexp(1.0, math.frexp(n + 2.0)[1])
            total = 0.0
            largest = 0.0
            for i in range(n):
                upper = (cut + rest[i]) - cut
                total += upper
                rest[i] -= upper
                largest = max(largest, abs(rest[i]))
            _add(totals[j], total)


@kernel
def round_totals(totals: Doubles, out: Doubles) -> None:
    """Write the rounded total of every column to `out`."""
    for j in range(totals.shape[0]):
        out[j] = rounded_total(totals[j])
